"""Schedulers that are wrong about when: T1 to T4."""

from __future__ import annotations

from ...values import Lease
from ..quick import QuickTask
from .base import Fault, Miscounting


class ClockMayGoBack(Fault):
    """An earlier time sets the clock back. (breaks T1)"""

    def _reach(self, now: int, grants: bool = False) -> tuple[Lease, ...]:
        self._now = min(self._now, now)
        return super()._reach(now, grants)


class EarlierIsNow(Fault):
    """An earlier time is accepted and taken as the present one. (breaks T1)"""

    def _reach(self, now: int, grants: bool = False) -> tuple[Lease, ...]:
        return super()._reach(max(self._now, now), grants)


class AddingTakesTime(Fault):
    """Adding a task moves the time by one. (breaks T2)"""

    def add_task(self, priority: int = 0, payload: bytes | None = None) -> int:
        """O3."""
        task_id = super().add_task(priority, payload)
        self._reach(self._now + 1)
        return task_id


class CapacityBeforeExpiry(Fault):
    """A worker counts as full on account of leases that are over by then. (breaks T3, O4)"""

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """O4."""
        before = self.copy()
        lease = super().dispatch(worker, now=now, duration=duration)
        if lease is None or before._held(lease.worker) < before._capacities[lease.worker]:
            return lease
        self._restore(before)
        self._reach(now)
        return None


class UnknownWorkerStopsTime(Fault):
    """For an unknown worker nothing is done, so neither does time pass. (breaks T3, R2)"""

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """O4."""
        before = self.copy()
        lease = super().dispatch(worker, now=now, duration=duration)
        if self.worker(worker) is None:
            self._restore(before)
        return lease


class StaleTokenStopsTime(Fault):
    """With a token that is refused nothing is done, so neither does time pass. (breaks T3, R2)"""

    def _end(self, event: str, task_id: int, token: int, now: int) -> bool:
        before = self.copy()
        ended = super()._end(event, task_id, token, now)
        if not ended:
            self._restore(before)
        return ended


class OnlyFirstSwept(Fault):
    """A call expires one lease that is over, and leaves the others to later calls. (breaks T3)"""

    def _sweep(self, now: int) -> tuple[Lease, ...]:
        first = self.leases()[:1]
        return tuple(lease for lease in first if self._tasks[lease.task_id].take("expire", now=now))


class OnlyDispatchSweeps(Fault):
    """Only a dispatch expires what is over; other calls find it live. (breaks T3)"""

    def _reach(self, now: int, grants: bool = False) -> tuple[Lease, ...]:
        self._sweeping = grants
        return super()._reach(now, grants)

    def _sweep(self, now: int) -> tuple[Lease, ...]:
        return super()._sweep(now) if self._sweeping else ()


class SlotLeakedOnExpiry(Miscounting):
    """A lease that expires leaves its worker's slot taken. (breaks T3)"""

    event = "expire"


class ClosedInterval(Fault):
    """A lease is still live at its expiry. (breaks T4)"""

    class _Task(QuickTask):
        def lease_is_over(self, now: int = 0) -> bool:
            return self.lease is not None and now > self.lease.expiry

    new_task = _Task


class OverOneEarly(Fault):
    """A lease is over one unit before its expiry. (breaks T4)"""

    class _Task(QuickTask):
        def lease_is_over(self, now: int = 0) -> bool:
            return self.lease is not None and now >= self.lease.expiry - 1

    new_task = _Task
