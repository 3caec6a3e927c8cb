"""Which rule a wrong answer breaks, and why: the most specific sentence that the difference and the state show.

Nothing here decides whether an answer is right. That is known already; this only finds words for it.
"""

from __future__ import annotations

from typing import Any

from ..lifecycle import FINAL, LEASED
from ..values import Lease, Task, Worker
from ..wire import Event, to_line
from .findings import NotAllowed
from .remembering import RememberingStore

Why = tuple[str, str]
"""A rule, and what happened in the words of this case."""

OPERATION = {
    "add_worker": "O1",
    "set_capacity": "O2",
    "add_task": "I1",
    "dispatch": "O4",
    "complete": "O5",
    "renew": "O6",
    "release": "O7",
    "advance": "O8",
    "forget": "O10",
    "forget_worker": "O11",
}
"""The sentence that says what an operation answers; that of the queries is O9."""
REJECTING = {"ClockWentBackwards": "T1", "WorkerExists": "O1", "UnknownWorker": "O2", "OverflowError": "I4"}
"""The sentences that have their own way of rejecting."""
TYPES = {"worker": "V3", "name": "V3", "payload": "V4", "status": "O9"}
"""The sentence about an argument's type; that of the numbers is V1."""
FIELDS = {
    Lease: {
        "task_id": "O4",
        "worker": "O4",
        "token": "I2",
        "attempt": "L4",
        "start": "L3",
        "expiry": "T4",
        "payload": "V4",
    },
    Task: {"id": "O9", "priority": "O3", "status": "L1", "attempts": "L4", "lease": "L3"},
    Worker: {"name": "O9", "capacity": "O2", "held": "P2"},
}
"""The sentence about each field of what is handed out; that of a payload is V4."""
BEGIN = (
    "The log seems to begin in the middle. A full log begins with a new scheduler: its first task has the id 1 and "
    "its first lease the token 1."
)


def explained(event: Event, right: Event, raised: Exception | None, store: RememberingStore) -> NotAllowed:
    """Why the event isn't allowed where `right` is; the store has made the call already."""
    rule, reason = _why(event, right, raised, store)
    return NotAllowed(rule, reason, to_line(event), to_line(right), tuple(_context(event, right, store)))


def _why(event: Event, right: Event, raised: Exception | None, store: RememberingStore) -> Why:
    if right.error is not None and event.error is not None:
        return "R1", f"rejected with {event.error}, where what counts first is {right.error}"
    if right.error is not None:
        return _accepted(event, right.error, raised)
    if event.error is not None:
        if right.answer in (None, False) and event.op not in ("add_worker", "set_capacity"):
            return "R2", f"rejected with {event.error}, where a valid call is only refused"
        rule = REJECTING.get(event.error, "R1")
        return rule, f"rejected with {event.error}, though nothing is wrong with the call"
    if event.op in ("complete", "release", "renew"):
        return _of_lease(event, right, store)
    if event.op == "dispatch":
        return _of_dispatch(event, right, store)
    if event.op == "advance":
        return _of_advance(event, right, store)
    if event.op in OPERATION:
        return OPERATION[event.op], f"answered {_shown(event.answer)} instead of {_shown(right.answer)}"
    return _of_query(event, right, store)


def _accepted(event: Event, error: str, raised: Exception | None) -> Why:
    """A call that must be rejected was not."""
    said = str(raised.args[0]) if type(raised) in (TypeError, ValueError, OverflowError) and raised else str(raised)
    parameter = said.split()[0].partition("(")[0]
    if error in REJECTING:
        rule = REJECTING[error]
    elif error == "TypeError":
        rule = TYPES.get(parameter, "V1")
    elif parameter in ("worker", "name"):
        rule = "V3"
    else:
        rule = "V1" if "-2**63" in said else "V2"
    how = "answered" if event.answer in (None, False) else "accepted"
    return rule, f"{how}, though it must be rejected: {said}"


def _of_lease(event: Event, right: Event, store: RememberingStore) -> Why:
    """A call that needs a live lease and its token."""
    rule, what = OPERATION[event.op], f"{event.op}d".replace("renewd", "renewed")
    task_id, token = event.arguments["task_id"], event.arguments["token"]
    if event.answer in (None, False):
        return rule, f"refused, though the lease is live and {token} is its token"
    if right.answer not in (None, False):
        return _of_field(event.answer, right.answer, rule, {"token": "I3", "start": rule, "expiry": rule})
    if token in store.expired and store.expired[token][0].task_id == task_id:
        lease, when = store.expired[token]
        found = "" if when == event.arguments["now"] else f", and found to be so at {when}"
        return "T4", f"{what} at {event.arguments['now']} under a lease that was over at {lease.expiry}{found}"
    task = store.task(task_id)
    if task is None:
        return rule, f"{what}, though there is no task {task_id}"
    if task.lease is None:
        return rule, f"{what}, though task {task_id} is {task.status.value}, so {token} is no token of a live lease"
    return rule, f"{what} with token {token}, though the task's lease has token {task.lease.token}"


def _of_dispatch(event: Event, right: Event, store: RememberingStore) -> Why:
    came, lease = event.answer, right.answer
    just = {over.task_id: over for over, when in store.expired.values() if when == event.arguments["now"]}
    if came is None:
        over = just.get(lease.task_id) or next((o for o in just.values() if o.worker == lease.worker), None)
        if over is not None:
            rule = "T4" if over.expiry == lease.start else "T3"
            return rule, f"refused at {lease.start}, though the lease with token {over.token} was over at {over.expiry}"
        return "O4", f"refused, though the worker has a free slot and task {lease.task_id} is pending"
    worker = store.worker(event.arguments["worker"])
    if lease is None:
        if worker is None:
            return "O4", "granted to a worker that is not known"
        if worker.held >= worker.capacity:
            return "O4", f"granted to a worker that holds {worker.held} leases, with a capacity of {worker.capacity}"
        return "O4", "granted, though no task is pending"
    if came.task_id != lease.task_id:
        task = store.task(came.task_id)
        if task is not None and task.status is FINAL:
            return "L2", f"granted a lease on task {came.task_id}, which is done"
        if task is not None and task.status is LEASED:
            return "P8", f"granted a lease on task {came.task_id}, whose lease is live"
        if lease.task_id in just:
            over = just[lease.task_id]
            rule = "T4" if over.expiry == lease.start else "T3"
            return rule, f"granted task {came.task_id}; task {lease.task_id}, whose lease was over, is before it"
        return "O4", f"granted task {came.task_id}, though task {lease.task_id} is the first in order"
    return _of_field(came, lease, "O4", {})


def _of_advance(event: Event, right: Event, store: RememberingStore) -> Why:
    now = event.arguments["now"]
    told, over = set(event.answer), set(right.answer)
    for lease in right.answer:
        if lease not in told and lease.token not in {other.token for other in told}:
            rule = "T4" if lease.expiry == now else "T3"
            return rule, f"the lease with token {lease.token}, which is over at {lease.expiry}, isn't told"
    for lease in event.answer:
        if lease not in over and lease.token not in {other.token for other in over}:
            live = next((other for other in store.leases() if other.token == lease.token), None)
            if live is not None:
                return "T4", f"the lease with token {lease.token} is told, though it is live until {live.expiry}"
            return "O8", f"a lease with token {lease.token} is told, and this advance expired none such"
    if told == over:
        return "T3", "the leases are told in another order than that of (expiry, token)"
    return "O8", "a lease is told with other fields than it had"


def _of_query(event: Event, right: Event, store: RememberingStore) -> Why:
    if event.op == "now":
        rule = "T3" if event.answer < right.answer else "T2"
        return rule, f"the time is {event.answer}, though the valid timed calls left it at {right.answer}"
    if type(event.answer) is type(right.answer) and type(right.answer) in FIELDS:
        return _of_value(event.answer, right.answer, store)
    if type(event.answer) is type(right.answer) is tuple:
        for came, due in zip(event.answer, right.answer, strict=False):
            if type(due) in FIELDS and came != due and came[0] == due[0]:
                return _of_value(came, due, store)
    return "O9", f"answered {_shown(event.answer)} instead of {_shown(right.answer)}"


def _of_value(came: Any, due: Any, store: RememberingStore) -> Why:
    """A task, lease or worker that a query told otherwise."""
    if type(due) is not Task or came.status is due.status:
        return _of_field(came, due, "O9", {})
    reason = f"task {due.id} is told to be {came.status.value}, and is {due.status.value}"
    if due.status is FINAL:
        return "L2", reason
    over = next(((lease, when) for lease, when in store.expired.values() if lease.task_id == due.id), None)
    if came.lease is not None and over is not None and over[0].token == came.lease.token:
        return "T4" if over[0].expiry == over[1] else "T3", f"{reason}: its lease was over at {over[0].expiry}"
    if due.lease is not None:
        return "T4", f"{reason}: its lease is live until {due.lease.expiry}"
    return "L1", reason


def _of_field(came: Any, right: Any, otherwise: str, special: dict[str, str]) -> Why:
    """The first field in which they differ."""
    for name, one, other in zip(type(right)._fields, came, right, strict=True):
        if one != other:
            rule = "V4" if name == "payload" else special.get(name) or FIELDS.get(type(right), {}).get(name, otherwise)
            return rule, f"{name} is {_shown(one)}, and must be {_shown(other)}"
    return otherwise, f"answered {_shown(came)} instead of {_shown(right)}"


def _shown(value: Any) -> str:
    text = repr(value) if not hasattr(value, "value") else repr(value.value)
    return text if len(text) <= 100 else f"{text[:97]}..."


# -- what else one needs to know


def _context(event: Event, right: Event, store: RememberingStore) -> list[tuple[str, str]]:
    """The time, and the lease, task and worker concerned, as they stand after the call as it should have been."""
    found = [("time", str(store.now()))]
    task_id = event.arguments.get("task_id")
    if event.op == "dispatch":
        task_id = next((lease.task_id for lease in (event.answer, right.answer) if lease is not None), None)
        name = event.arguments.get("worker")
        worker = store.worker(name) if isinstance(name, str) else None
        if worker is not None:
            found.append(("worker", f"{worker.name!r} holds {worker.held} of {worker.capacity}"))
    if type(task_id) is int:
        found += _of_task(task_id, store, store.ended if right.answer is True and event.op != "forget" else None)
    if _begins_in_the_middle(event, right, store):
        found.append(("hint", BEGIN))
    return found


def _of_task(task_id: int, store: RememberingStore, ended: Lease | None) -> list[tuple[str, str]]:
    task = store.task(task_id)
    if task is None:
        return [("task", f"{task_id} is not known")]
    if ended:
        return [("lease", f"{interval(ended)}, was the task's lease until now")]
    found = [("task", f"{task_id} is {task.status.value}, after {_counted(task.attempts)}")]
    last = next((lease for lease, _ in reversed(store.expired.values()) if lease.task_id == task_id), None)
    if task.lease is not None:
        found.append(("lease", interval(task.lease)))
    elif last is not None:
        found.append(("lease", f"{interval(last)}, is over"))
    return found


def _counted(attempts: int) -> str:
    return f"{attempts:,} {'lease' if attempts == 1 else 'leases'}"


def interval(lease: Lease) -> str:
    """A lease in a few words: whose it is, and when it is live. (T4)"""
    return f"token {lease.token} of {lease.worker!r}, live on [{lease.start}, {lease.expiry})"


def _begins_in_the_middle(event: Event, right: Event, store: RememberingStore) -> bool:
    """Whether what came speaks of tasks or tokens before any was given out."""
    if event.op == "add_task":
        return right.answer == 1 and type(event.answer) is int and event.answer > 1
    if event.op == "dispatch" and event.answer is not None:
        return store.last_id == 0 or (store.last_token == 1 and right.answer is not None and event.answer.token > 1)
    return store.last_id == 0 and event.answer not in (None, False, 0, ())
