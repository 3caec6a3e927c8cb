"""Schedulers as others would write them: right ones with values and ids of their own, and wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar
from uuid import UUID

from tenure import Lease, Scheduler, Task
from tenure.checking.faults import FAULTS
from tenure.checking.quick import QuickReference


class State(Enum):
    """A status of their own."""

    PENDING = 1
    RUNNING = 2
    DONE = 3


@dataclass
class Grant:
    """A lease of their own, mutable."""

    task_id: Any
    worker: str
    token: Any
    attempt: int
    start: int
    expiry: int
    payload: bytes | None


@dataclass
class Job:
    """A task of their own."""

    id: Any
    priority: int
    payload: bytes | None
    status: State
    attempts: int
    lease: Grant | None


class Foreign:
    """Right in all, with dataclasses, lists, mappings, and ids and tokens of whatever form; `make` gives what it wraps.

    An id or token that it can't read is unknown.
    """

    abilities: ClassVar[dict[str, Any]] = {}
    make: ClassVar[Callable[[], Any]] = Scheduler

    def __init__(self) -> None:
        self._own = type(self).make()

    def number(self, own: int) -> Any:
        """How they write a number."""
        return own

    def plain(self, number: Any) -> Any:
        """What the number stands for."""
        return number

    def grant(self, lease: Lease | None) -> Any:
        """How they write a lease."""
        return lease and Grant(self.number(lease.task_id), lease.worker, self.number(lease.token), *lease[3:])

    def job(self, task: Task) -> Job:
        """How they write a task."""
        status = State[task.status.name]
        return Job(self.number(task.id), task.priority, task.payload, status, task.attempts, self.grant(task.lease))

    def add_worker(self, who: str, slots: int) -> None:
        self._own.add_worker(who, slots)

    def set_capacity(self, who: str, slots: int) -> None:
        self._own.set_capacity(who, slots)

    def add_task(self, urgency: int = 0, data: bytes | None = None) -> Any:
        return self.number(self._own.add_task(urgency, data))

    def dispatch(self, who: str, *, now: int, duration: int) -> Any:
        return self.grant(self._own.dispatch(who, now=now, duration=duration))

    def complete(self, job: Any, proof: Any, *, now: int) -> bool:
        return bool(self._own.complete(self.plain(job), self.plain(proof), now=now))

    def renew(self, job: Any, proof: Any, *, now: int, duration: int) -> Any:
        return self.grant(self._own.renew(self.plain(job), self.plain(proof), now=now, duration=duration))

    def release(self, job: Any, proof: Any, *, now: int) -> bool:
        return bool(self._own.release(self.plain(job), self.plain(proof), now=now))

    def advance(self, *, now: int) -> list[Any]:
        return [self.grant(lease) for lease in self._own.advance(now=now)]

    def forget(self, job: Any) -> bool:
        return bool(self._own.forget(self.plain(job)))

    def forget_worker(self, who: str) -> bool:
        return bool(self._own.forget_worker(who))

    def now(self) -> int:
        """A method, where the contract has a property."""
        return int(self._own.now)

    def task(self, job: Any) -> Job | None:
        found = self._own.task(self.plain(job))
        return found and self.job(found)

    def tasks(self, status: Any = None) -> list[Job]:
        return [self.job(task) for task in self._own.tasks(status)]

    def worker(self, who: str) -> Any:
        found = self._own.worker(who)
        return found and found._asdict()

    def workers(self) -> list[dict[str, Any]]:
        return [worker._asdict() for worker in self._own.workers()]

    def leases(self) -> Any:
        return (self.grant(lease) for lease in self._own.leases())

    def counts(self) -> dict[str, int]:
        return dict(self._own.counts()._asdict())

    def next_expiry(self) -> int | None:
        found: int | None = self._own.next_expiry()
        return found


class WithUuids(Foreign):
    """Ids and tokens are UUIDs."""

    abilities: ClassVar[dict[str, Any]] = {"numbering": "opaque"}

    def number(self, own: int) -> Any:
        return UUID(int=2**100 - 7 * own)

    def plain(self, number: Any) -> Any:
        return (2**100 - number.int) // 7 if isinstance(number, UUID) else -1


class WithGaps(Foreign):
    """Ids and tokens grow by ten."""

    abilities: ClassVar[dict[str, Any]] = {"numbering": "increasing"}

    def number(self, own: int) -> Any:
        return own * 10 + 5

    def plain(self, number: Any) -> Any:
        return -1 if type(number) is int and number % 10 != 5 else number if type(number) is not int else number // 10


class Refusing(Foreign):
    """Answers None, or False, where the contract rejects."""

    abilities: ClassVar[dict[str, Any]] = {"rejects": "refusal"}

    def add_worker(self, who: str, slots: int) -> Any:
        return self._refused(self._own.add_worker, who, slots, refusal=False)

    def set_capacity(self, who: str, slots: int) -> Any:
        return self._refused(self._own.set_capacity, who, slots, refusal=False)

    def _refused(self, call: Callable[..., Any], *values: Any, refusal: Any = None, **named: Any) -> Any:
        try:
            return call(*values, **named)
        except (TypeError, ValueError, KeyError):
            return refusal

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name in ("add_task", "dispatch", "complete", "renew", "release", "advance", "forget", "tasks", "task"):
            return lambda *values, **named: self._refused(found, *values, **named)
        return found


OPERATIONS = ("add_worker", "set_capacity", "add_task", "dispatch", "complete", "renew", "release", "advance")
BLIND = (*OPERATIONS, "forget", "forget_worker")


def blind(make: Callable[[], QuickReference]) -> type:
    """A foreign class around what this makes that can do everything but be looked at."""

    def forwarding(op: str) -> Callable[..., Any]:
        return lambda self, *values, **named: getattr(self.own, op)(*values, **named)

    def begin(self: Any) -> None:
        self.own = make()

    return type("Blind", (), {"__init__": begin, **{op: forwarding(op) for op in BLIND}})


def wrong(fault: str, kind: type[Foreign] = Foreign) -> type[Foreign]:
    """A foreign class that has the fault."""
    return type("Wrong", (kind,), {"make": FAULTS[fault]})
