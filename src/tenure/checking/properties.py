"""The properties P1 to P9, said again without `tenure.rules`: of one view, and of a call between two."""

from __future__ import annotations

from collections import Counter

from ..history import Event
from ..operations import QUERIES, TIMED
from ..values import Lease, Status
from .views import View


class ContractBroken(AssertionError):
    """A sentence of the contract doesn't hold; `rule` is its number. There is one subclass for each rule."""

    rule = ""


SENTENCES = {"V": 5, "L": 4, "I": 4, "T": 4, "R": 2, "O": 11, "P": 9}
"""How many sentences each chapter of the contract has."""
BROKEN: dict[str, type[ContractBroken]] = {
    rule: type(f"Broken{rule}", (ContractBroken,), {"rule": rule, "__doc__": f"{rule} doesn't hold."})
    for rule in [f"{chapter}{number + 1}" for chapter, count in SENTENCES.items() for number in range(count)]
}
"""The exception for each rule, so that a shrinking search can't slip from one broken rule into another."""


def demand(rule: str, met: bool, what: str) -> None:
    """What a rule says holds, or its own exception is raised."""
    if not met:
        raise BROKEN[rule](f"{rule}: {what}")


# -- of one state


def check_state(seen: View) -> None:
    """P1, P2, P3 and P8 hold, and the queries agree with each other. O(n log n)."""
    for task in seen.tasks:
        demand("P1", (task.status is Status.RUNNING) == (task.lease is not None), f"{task}")
    held = [task.lease for task in seen.tasks if task.lease is not None]
    demand("O9", sorted(held, key=ending) == list(seen.leases), f"leases {seen.leases}, but the tasks hold {held}")
    per_task = Counter(lease.task_id for lease in seen.leases)
    demand("P8", all(count == 1 for count in per_task.values()), f"live leases by task: {per_task}")
    per_worker = Counter(lease.worker for lease in seen.leases)
    for worker in seen.workers:
        demand("P2", worker.held == per_worker[worker.name], f"{worker} has {per_worker[worker.name]} leases")
    names = {worker.name for worker in seen.workers}
    demand("P2", per_worker.keys() <= names, f"leases of {per_worker.keys() - names}, who are not known")
    for lease in seen.leases:
        demand("P3", lease.start <= seen.now < lease.expiry, f"at {seen.now} there is {lease}")
    statuses = [task.status for task in seen.tasks]
    counts = tuple(statuses.count(status) for status in Status)
    demand("O9", seen.counts == counts, f"{seen.counts}, but the tasks are {counts}")
    first = min((lease.expiry for lease in seen.leases), default=None)
    demand("O9", seen.next_expiry == first, f"next expiry {seen.next_expiry}, but the first lease ends at {first}")
    ids = [task.id for task in seen.tasks]
    demand("O9", ids == sorted(set(ids)), f"tasks are in order {ids}")


def ending(lease: Lease) -> tuple[int, int]:
    """The order in which leases end. (T3)"""
    return lease.expiry, lease.token


def is_late(lease: Lease, now: int) -> bool:
    """A lease is over at its expiry, said again without `tenure.rules`. (T4)"""
    return now >= lease.expiry


# -- of one call


def check_step(before: View, event: Event, after: View, last_token: int) -> None:
    """P4 to P7 and P9 hold for the call; `last_token` is the last one granted before it. O(n log n).

    The event's arguments must be plain values, since a lying subclass would answer for itself.
    """
    if event.error is not None:
        demand("R1", before == after, f"rejected, but {difference(before, after)}")
        return
    timed = event.op in TIMED
    expected = before.advanced(event.arguments["now"]) if timed else before
    refused = event.answer is None or event.answer is False
    if event.op in QUERIES or (refused and event.op not in ("add_worker", "set_capacity")):
        demand("P7", after == expected, f"refused, but {difference(expected, after)}")
    if event.op == "dispatch":
        check_dispatch(expected, event, after, last_token)
    if event.op == "advance":
        over = tuple(lease for lease in before.leases if lease not in expected.leases)
        demand("P7", after == expected, f"only time passed, but {difference(expected, after)}")
        demand("O8", event.answer == over, f"told {event.answer}, but {over} are over")
    check_others(expected, event, after)


def check_dispatch(expected: View, event: Event, after: View, last_token: int) -> None:
    """P4, P5, P9 and P2: who is granted what. `expected` is the state after T3."""
    worker, waiting = expected.worker(event.arguments["worker"]), expected.pending()
    free = worker is not None and worker.held < worker.capacity
    lease = event.answer
    if lease is None:
        demand("P9", not (free and waiting), f"refused, but {worker} is free and {waiting[:1]} is waiting")
        return
    demand("P2", free, f"granted to {worker}")
    demand("P4", lease.token > last_token, f"token {lease.token} after {last_token}")
    demand("P5", bool(waiting) and lease.task_id == waiting[0].id, f"granted {lease.task_id}, first of {waiting[:2]}")
    attempts = waiting[0].attempts + 1
    demand("P1", lease in after.leases and lease.attempt == attempts, f"{lease} is attempt {attempts}")


def check_others(expected: View, event: Event, after: View) -> None:
    """P6: done stays done until forgotten, and what the call doesn't concern is unchanged."""
    task_id: int = event.arguments.get("task_id", 0)
    if event.op == "dispatch" and event.answer is not None:
        task_id = event.answer.task_id
    if event.op == "add_task":
        task_id = event.answer
    later = {task.id: task for task in after.tasks}
    earlier = {task.id: task for task in expected.tasks}
    for task in expected.tasks:
        if task.id != task_id:
            demand("P6", later.get(task.id) == task, f"{task} became {later.get(task.id)}")
        elif task.status is Status.DONE and event.op != "forget":
            demand("P6", later.get(task.id) == task, f"done, but {task} became {later.get(task.id)}")
    demand("P6", later.keys() - earlier.keys() <= {task_id}, f"new tasks {later.keys() - earlier.keys()}")
    concerned = {event.arguments.get("worker")}
    if task_id in earlier and (lease := earlier[task_id].lease) is not None:
        concerned.add(lease.worker)
    for worker in expected.workers:
        if worker.name not in concerned:
            demand("P6", after.worker(worker.name) == worker, f"{worker} became {after.worker(worker.name)}")


def difference(expected: View, found: View) -> str:
    """The first thing in which two views differ, in words."""
    for name, one, other in zip(View._fields, expected, found, strict=True):
        if one != other:
            return f"{name} should be {one!r}, and is {other!r}"
    return "nothing differs"
