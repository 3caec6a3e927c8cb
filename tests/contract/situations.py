"""The situations in which the contract is tested, the calls that can be made in them, and comparing what they left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tenure import Counts, Lease, Status, Task, Worker
from tenure.checking.views import View, view
from tenure.operations import Operations, ask

LOWEST, HIGHEST = -(2**63), 2**63 - 1

Start = Callable[..., Operations]
"""Starts a representation: see the fixture `start`."""
Arguments = dict[str, Any]


def outcome(scheduler: Operations, operation: str, arguments: Arguments) -> Any:
    """The answer, or the class of what was raised; the text of an error never fails."""
    try:
        return ask(scheduler, operation, arguments)
    except Exception as error:
        raised = error
    assert str(raised) and repr(raised)
    return type(raised)


def left(scheduler: Operations) -> tuple[Any, ...]:
    """The view, then the next lease and the next id: so also the tokens, attempts and ids used. It changes these."""
    seen = view(scheduler)
    dispatched = outcome(scheduler, "dispatch", {"worker": "idle", "now": seen.now, "duration": 1})
    return seen, dispatched, outcome(scheduler, "add_task", {})


def is_plain(value: object) -> bool:
    """Of exact types all the way down."""
    if type(value) in (tuple, Lease, Task, Worker, Counts, View):
        assert isinstance(value, tuple)
        return all(map(is_plain, value))
    return value is None or type(value) in (int, str, bytes, bool, Status)


def leased(scheduler: Operations, worker: str, *, now: int, duration: int) -> Lease:
    """A dispatch that has to be granted."""
    lease = scheduler.dispatch(worker, now=now, duration=duration)
    assert lease is not None
    return lease


def task_of(scheduler: Operations, task_id: int) -> Task:
    """A task that has to be known."""
    task = scheduler.task(task_id)
    assert task is not None
    return task


def worker_of(scheduler: Operations, name: str) -> Worker:
    """A worker that has to be known."""
    worker = scheduler.worker(name)
    assert worker is not None
    return worker


def ready(start: Start, tasks: int = 1, capacity: int = 1) -> Operations:
    """At time 0, the workers w1 and w2 have room, and some tasks of priority 0 are pending."""
    scheduler = start()
    scheduler.add_worker("w1", capacity)
    scheduler.add_worker("w2", capacity)
    for _ in range(tasks):
        scheduler.add_task()
    return scheduler


def busy(start: Start) -> Operations:
    """At time 6 there is something of everything; the next id is 6 and the next token 5.

    Task 1 runs on w1, which has room for one more, in [5, 10), with token 3 as its second attempt, after token 2
    expired. Task 2 runs on w2, which is full, in [6, 12), with token 4. Task 3 is done by token 1. Task 4 is
    pending. Task 5 was forgotten. The worker idle holds nothing.
    """
    scheduler = start()
    for worker, capacity in (("w1", 2), ("w2", 1), ("idle", 1)):
        scheduler.add_worker(worker, capacity)
    for priority, payload in ((5, b"one"), (5, None), (9, b"three"), (0, b"four"), (0, None)):
        scheduler.add_task(priority, payload)
    scheduler.forget(5)
    first = leased(scheduler, "w1", now=1, duration=9)
    assert scheduler.complete(first.task_id, first.token, now=2)
    leased(scheduler, "w1", now=3, duration=2)
    leased(scheduler, "w1", now=5, duration=5)
    leased(scheduler, "w2", now=6, duration=6)
    assert [lease[:6] for lease in scheduler.leases()] == [(1, "w1", 3, 2, 5, 10), (2, "w2", 4, 1, 6, 12)]
    assert [task.status.value for task in scheduler.tasks()] == ["running", "running", "done", "pending"]
    return scheduler


VALID: dict[str, Arguments] = {
    "add_worker": {"worker": "new", "capacity": 1},
    "set_capacity": {"worker": "w1", "capacity": 3},
    "add_task": {"priority": 7, "payload": b"x"},
    "dispatch": {"worker": "w1", "now": 7, "duration": 4},
    "complete": {"task_id": 1, "token": 3, "now": 7},
    "renew": {"task_id": 1, "token": 3, "now": 7, "duration": 4},
    "release": {"task_id": 1, "token": 3, "now": 7},
    "advance": {"now": 7},
    "task": {"task_id": 1},
    "tasks": {"status": Status.DONE},
    "worker": {"name": "w1"},
    "forget": {"task_id": 4},
    "forget_worker": {"worker": "idle"},
}
"""A call of each operation with arguments that, in a busy scheduler, does something."""

LEAST = {"priority": LOWEST, "task_id": LOWEST, "token": LOWEST, "now": 0, "duration": 1, "capacity": 1}
"""The least number of each kind; a set_capacity may be 0."""


def places(*names: str) -> list[tuple[str, str]]:
    """Each operation with each of its parameters of these names."""
    return [(op, name) for op, arguments in VALID.items() for name in arguments if name in names]


def least(operation: str, name: str) -> int:
    """The least number that stands in this place."""
    return 0 if operation == "set_capacity" else LEAST[name]


class Refused(NamedTuple):
    """A call that a busy scheduler refuses, before task 1's lease is over and at its expiry alike."""

    operation: str
    arguments: Arguments
    timed: bool = True


def _lease_calls(why: str, task_id: int, token: int) -> dict[str, Refused]:
    arguments: Arguments = {"task_id": task_id, "token": token}
    calls = {op: Refused(op, arguments) for op in ("complete", "release")}
    calls["renew"] = Refused("renew", arguments | {"duration": 3})
    return {f"{op} {why}": call for op, call in calls.items()}


REFUSED = {
    "dispatch for an unknown worker": Refused("dispatch", {"worker": "nobody", "duration": 3}),
    "dispatch for a full worker": Refused("dispatch", {"worker": "w2", "duration": 3}),
    **_lease_calls("of an unknown task", 99, 3),
    **_lease_calls("of a forgotten task", 5, 1),
    **_lease_calls("of task 0", 0, 0),
    **_lease_calls("of the lowest id", LOWEST, LOWEST),
    **_lease_calls("of the highest id", HIGHEST, HIGHEST),
    **_lease_calls("of a pending task", 4, 5),
    **_lease_calls("of a done task", 3, 1),
    **_lease_calls("with a stale token", 1, 2),
    **_lease_calls("with another task's token", 1, 4),
    **_lease_calls("with the token to come", 2, 5),
    "forget a running task": Refused("forget", {"task_id": 1}, timed=False),
    "forget an unknown task": Refused("forget", {"task_id": 99}, timed=False),
    "forget a forgotten task": Refused("forget", {"task_id": 5}, timed=False),
    "forget a worker with a lease": Refused("forget_worker", {"worker": "w1"}, timed=False),
    "forget an unknown worker": Refused("forget_worker", {"worker": "nobody"}, timed=False),
}
REFUSED_TIMED = {name: call for name, call in REFUSED.items() if call.timed}
