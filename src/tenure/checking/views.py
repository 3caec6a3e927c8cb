"""What can be seen of a scheduler at one instant, through its queries alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..operations import Operations
from ..values import Counts, Lease, Status, Task, Worker


class View(NamedTuple):
    """All that the queries tell. (O9)"""

    now: int
    tasks: tuple[Task, ...]
    workers: tuple[Worker, ...]
    leases: tuple[Lease, ...]
    counts: Counts
    next_expiry: int | None

    def task(self, task_id: int) -> Task | None:
        """The task as seen, if it was there."""
        return next((task for task in self.tasks if task.id == task_id), None)

    def worker(self, name: str) -> Worker | None:
        """The worker as seen, if it was there."""
        return next((worker for worker in self.workers if worker.name == name), None)

    def pending(self) -> list[Task]:
        """The pending tasks, the first to be dispatched first. (P5)"""
        waiting = [task for task in self.tasks if task.status is Status.PENDING]
        return sorted(waiting, key=lambda task: (-task.priority, task.id))

    def advanced(self, now: int) -> View:
        """What `advance` to this time must leave: the time, and nothing that is over. (T3)"""
        live = tuple(lease for lease in self.leases if lease.expiry > now)
        over = {lease.task_id: lease for lease in self.leases if lease.expiry <= now}
        names = [lease.worker for lease in over.values()]
        counts = self.counts
        return View(
            now,
            tuple(task._replace(status=Status.PENDING, lease=None) if task.id in over else task for task in self.tasks),
            tuple(worker._replace(held=worker.held - names.count(worker.name)) for worker in self.workers),
            live,
            counts._replace(pending=counts.pending + len(over), running=counts.running - len(over)),
            min((lease.expiry for lease in live), default=None),
        )


QUERIED = View._fields
"""The queries that a view is made of."""


def view(scheduler: Operations) -> View:
    """The scheduler as it stands; one that can be looked at in one step has a method `look`. O(n log n)."""
    look: Callable[[], View] | None = getattr(scheduler, "look", None)
    if look is not None:
        return look()
    return View(
        scheduler.now,
        scheduler.tasks(),
        scheduler.workers(),
        scheduler.leases(),
        scheduler.counts(),
        scheduler.next_expiry(),
    )
