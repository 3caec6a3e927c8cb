"""The operations once more, each handed on to one method: what records, translates or sends calls inherits them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from .values import Counts, Lease, Status, Task, Worker


class Forwarding(ABC):
    """Every operation becomes a `_call` with its name and the arguments by name; what that answers is the answer."""

    __slots__ = ()

    @abstractmethod
    def _call(self, op: str, **arguments: Any) -> Any:
        """Make the call, and give its answer or raise."""

    def add_worker(self, worker: str, capacity: int) -> None:
        """O1."""
        answer: None = self._call("add_worker", worker=worker, capacity=capacity)  # False where a foreign one refuses
        return answer

    def set_capacity(self, worker: str, capacity: int) -> None:
        """O2."""
        answer: None = self._call("set_capacity", worker=worker, capacity=capacity)  # False where a foreign one refuses
        return answer

    def add_task(self, priority: int = 0, payload: bytes | None = None) -> int:
        """O3."""
        given = {"priority": priority} if payload is None else {"priority": priority, "payload": payload}
        task_id: int = self._call("add_task", **given)
        return task_id

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """O4."""
        lease: Lease | None = self._call("dispatch", worker=worker, now=now, duration=duration)
        return lease

    def complete(self, task_id: int, token: int, *, now: int) -> bool:
        """O5."""
        accepted: bool = self._call("complete", task_id=task_id, token=token, now=now)
        return accepted

    def renew(self, task_id: int, token: int, *, now: int, duration: int) -> Lease | None:
        """O6."""
        lease: Lease | None = self._call("renew", task_id=task_id, token=token, now=now, duration=duration)
        return lease

    def release(self, task_id: int, token: int, *, now: int) -> bool:
        """O7."""
        accepted: bool = self._call("release", task_id=task_id, token=token, now=now)
        return accepted

    def advance(self, *, now: int) -> tuple[Lease, ...]:
        """O8."""
        leases: tuple[Lease, ...] = self._call("advance", now=now)
        return leases

    @property
    def now(self) -> int:
        """O9."""
        now: int = self._call("now")
        return now

    def task(self, task_id: int) -> Task | None:
        """O9."""
        task: Task | None = self._call("task", task_id=task_id)
        return task

    def tasks(self, status: Status | None = None) -> tuple[Task, ...]:
        """O9."""
        tasks: tuple[Task, ...] = self._call("tasks") if status is None else self._call("tasks", status=status)
        return tasks

    def worker(self, name: str) -> Worker | None:
        """O9."""
        worker: Worker | None = self._call("worker", name=name)
        return worker

    def workers(self) -> tuple[Worker, ...]:
        """O9."""
        workers: tuple[Worker, ...] = self._call("workers")
        return workers

    def leases(self) -> tuple[Lease, ...]:
        """O9."""
        leases: tuple[Lease, ...] = self._call("leases")
        return leases

    def counts(self) -> Counts:
        """O9."""
        counts: Counts = self._call("counts")
        return counts

    def next_expiry(self) -> int | None:
        """O9."""
        expiry: int | None = self._call("next_expiry")
        return expiry

    def forget(self, task_id: int) -> bool:
        """O10."""
        forgot: bool = self._call("forget", task_id=task_id)
        return forgot

    def forget_worker(self, worker: str) -> bool:
        """O11."""
        forgot: bool = self._call("forget_worker", worker=worker)
        return forgot
