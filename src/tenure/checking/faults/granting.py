"""Schedulers that grant to the wrong worker or the wrong task: O1 to O4."""

from __future__ import annotations

from typing import Any

from ...errors import UnknownWorker
from ..quick import QuickTask
from ..reference import TaskRules
from .base import Fault


class KnownWorkerAddedAgain(Fault):
    """Adding a worker that is known sets its capacity. (breaks O1)"""

    def add_worker(self, worker: str, capacity: int) -> None:
        """O1."""
        if self.worker(worker) is None:
            super().add_worker(worker, capacity)
        else:
            super().set_capacity(worker, capacity)


class UnknownWorkerAdded(Fault):
    """Setting the capacity of an unknown worker adds it. (breaks O2)"""

    def set_capacity(self, worker: str, capacity: int) -> None:
        """O2."""
        try:
            super().set_capacity(worker, capacity)
        except UnknownWorker:
            super().add_worker(worker, capacity)


class LoweringRevokes(Fault):
    """A worker whose capacity is lowered loses the leases beyond it. (breaks O2)"""

    def set_capacity(self, worker: str, capacity: int) -> None:
        """O2."""
        super().set_capacity(worker, capacity)
        for name, room in self._capacities.items():
            held = [lease for lease in self.leases() if lease.worker == name]
            for lease in held[room:]:
                self._tasks[lease.task_id].take("expire", now=lease.expiry)


class AnswersNumberOfTasks(Fault):
    """Adding a task answers how many there are, which is its id until one is forgotten. (breaks O3)"""

    def add_task(self, priority: int = 0, payload: bytes | None = None) -> int:
        """O3."""
        super().add_task(priority, payload)
        return len(self._tasks)


class LowestFirst(Fault):
    """The lowest priority is dispatched first, as if 1 were the most urgent. (breaks O4)"""

    def _place(self, task: TaskRules) -> Any:
        return task.priority, task.task_id


class NewestFirst(Fault):
    """Of equal priorities the newest task is dispatched first. (breaks O4)"""

    def _place(self, task: TaskRules) -> Any:
        return -task.priority, -task.task_id


class IdsAsText(Fault):
    """Ids are compared as text, so 10 comes before 9. (breaks O4)"""

    def _place(self, task: TaskRules) -> Any:
        return -task.priority, str(task.task_id)


class PrioritiesAsFloats(Fault):
    """Priorities are compared as floats, so large ones that differ seem equal. (breaks O4)"""

    def _place(self, task: TaskRules) -> Any:
        return -float(task.priority), task.task_id


class CameBackLast(Fault):
    """A task that came back stands behind those of its priority that were never tried. (breaks O4)"""

    def _place(self, task: TaskRules) -> Any:
        return -task.priority, task.attempts > 0, task.task_id


class OneTooMany(Fault):
    """A worker is full only when it holds more than its capacity. (breaks O4)"""

    class _Task(QuickTask):
        def worker_has_room(self, held: int = 0, capacity: int = 1) -> bool:
            return held <= capacity

    new_task = _Task
