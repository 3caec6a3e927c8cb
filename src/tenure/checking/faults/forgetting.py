"""Schedulers that forget what they must keep, or keep what they must forget: O10 and O11."""

from __future__ import annotations

from ...values import Status, Worker
from .base import Fault


class RunningTaskForgotten(Fault):
    """A running task can be forgotten, and its lease with it. (breaks O10)"""

    def forget(self, task_id: int) -> bool:
        """O10."""
        return super().forget(task_id) or self._tasks.pop(task_id, None) is not None


class PendingTaskKept(Fault):
    """Only a done task can be forgotten. (breaks O10)"""

    def forget(self, task_id: int) -> bool:
        """O10."""
        task = self.task(task_id)
        return (task is None or task.status is not Status.PENDING) and super().forget(task_id)


class BusyWorkerForgotten(Fault):
    """A worker that holds leases can be forgotten, and they go on without it. (breaks O11)"""

    def forget_worker(self, worker: str) -> bool:
        """O11."""
        return super().forget_worker(worker) or self._capacities.pop(worker, None) is not None


class OldPlaceKept(Fault):
    """A worker that was forgotten and is added again has its old place among the others. (breaks O11)"""

    _met: tuple[str, ...] = ()

    def add_worker(self, worker: str, capacity: int) -> None:
        """O1."""
        super().add_worker(worker, capacity)
        self._met = tuple(dict.fromkeys((*self._met, *self._capacities)))

    def workers(self) -> tuple[Worker, ...]:
        """O9."""
        return tuple(sorted(super().workers(), key=lambda worker: self._met.index(worker.name)))
