"""Schedulers that tell something else than what is, or change it by telling: O8 and O9."""

from __future__ import annotations

from typing import Any

from ...values import Counts, Lease, Status, Task
from ..quick import QuickTask
from .base import Fault


class AdvanceTellsNothing(Fault):
    """Advancing expires what is over, but doesn't tell what that was. (breaks O8)"""

    def advance(self, *, now: int) -> tuple[Lease, ...]:
        """O8."""
        return super().advance(now=now)[:0]


class ToldInTaskOrder(Fault):
    """Leases expire and are told in the order of their tasks. (breaks T3, O8, O9)"""

    def leases(self) -> tuple[Lease, ...]:
        """O9."""
        return tuple(sorted(super().leases()))


class AskingExpires(Fault):
    """Asking for the next expiry takes the lease out that ends then. (breaks O9)"""

    def next_expiry(self) -> int | None:
        """O9."""
        first = super().next_expiry()
        if first is not None:
            self._sweep(first)
        return first


class NextExpiryBeforeRenewal(Fault):
    """The next expiry is the one that the lease had before it was renewed. (breaks O9)"""

    class _Task(QuickTask):
        granted: tuple[int, ...] = ()

        def on_dispatch(self, lease: Lease) -> None:
            super().on_dispatch(lease)
            self.granted = (lease.expiry,)

    new_task = _Task

    def next_expiry(self) -> int | None:
        """O9."""
        running = [task for task in self._tasks.values() if isinstance(task, self._Task) and task.lease]
        return min((expiry for task in running for expiry in task.granted), default=None)


class ForgottenStillCounted(Fault):
    """A forgotten task is counted as pending for ever. (breaks O9)"""

    _forgotten = 0

    def forget(self, task_id: int) -> bool:
        """O10."""
        gone = super().forget(task_id)
        self._forgotten += gone
        return gone

    def counts(self) -> Counts:
        """O9."""
        counts = super().counts()
        return counts._replace(pending=counts.pending + self._forgotten)


class StatusAsText(Fault):
    """A status may be asked for by its name in a string. (breaks O9)"""

    def tasks(self, status: Any = None) -> tuple[Task, ...]:
        """O9."""
        return super().tasks(next((each for each in Status if each.value == status), status))
