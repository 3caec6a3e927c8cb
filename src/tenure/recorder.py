"""The recorder: a scheduler's operations again, each made on that scheduler and told with its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .operations import Operations, ask
from .values import Counts, Lease, Status, Task, Worker
from .wire import Event


class Recorder:
    """Takes the same calls as the scheduler in it, and tells each; `tenure.history.recorded` makes one."""

    __slots__ = ("_scheduler", "_sink")

    def __init__(self, scheduler: Operations, sink: Callable[[Event], object]) -> None:
        self._scheduler = scheduler
        self._sink = sink

    def _call(self, op: str, **arguments: Any) -> Any:
        try:
            answer = ask(self._scheduler, op, arguments)
        except Exception as error:
            self._sink(Event(op, arguments, error=type(error).__name__))
            raise
        self._sink(Event(op, arguments, answer))
        return answer

    def add_worker(self, worker: str, capacity: int) -> None:
        """O1."""
        self._call("add_worker", worker=worker, capacity=capacity)

    def set_capacity(self, worker: str, capacity: int) -> None:
        """O2."""
        self._call("set_capacity", worker=worker, capacity=capacity)

    def add_task(self, priority: int = 0, payload: bytes | None = None) -> int:
        """O3."""
        if payload is None:
            return int(self._call("add_task", priority=priority))
        return int(self._call("add_task", priority=priority, payload=payload))

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """O4."""
        lease: Lease | None = self._call("dispatch", worker=worker, now=now, duration=duration)
        return lease

    def complete(self, task_id: int, token: int, *, now: int) -> bool:
        """O5."""
        return bool(self._call("complete", task_id=task_id, token=token, now=now))

    def renew(self, task_id: int, token: int, *, now: int, duration: int) -> Lease | None:
        """O6."""
        lease: Lease | None = self._call("renew", task_id=task_id, token=token, now=now, duration=duration)
        return lease

    def release(self, task_id: int, token: int, *, now: int) -> bool:
        """O7."""
        return bool(self._call("release", task_id=task_id, token=token, now=now))

    def advance(self, *, now: int) -> tuple[Lease, ...]:
        """O8."""
        leases: tuple[Lease, ...] = self._call("advance", now=now)
        return leases

    @property
    def now(self) -> int:
        """O9."""
        return int(self._call("now"))

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
        return bool(self._call("forget", task_id=task_id))

    def forget_worker(self, worker: str) -> bool:
        """O11."""
        return bool(self._call("forget_worker", worker=worker))
