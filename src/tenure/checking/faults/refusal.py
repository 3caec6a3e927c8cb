"""Schedulers that say no but do something: R1 and R2."""

from __future__ import annotations

from ...errors import ClockWentBackwards
from ...values import Lease
from ..reference import whole
from .base import Fault


class RejectedCallMovesTime(Fault):
    """A dispatch with a bad argument is rejected, yet its time has come. (breaks R1)"""

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """O4."""
        try:
            return super().dispatch(worker, now=now, duration=duration)
        except (TypeError, ValueError):
            self.advance(now=now)
            raise


class RejectedCallSetsClockBack(Fault):
    """A call that goes back in time is rejected, yet the clock is set back. (breaks R1, T1)"""

    def _reach(self, now: int, grants: bool = False) -> tuple[Lease, ...]:
        try:
            return super()._reach(now, grants)
        except ClockWentBackwards:
            self._now = now
            raise


class NoTokenLeftMovesTime(Fault):
    """A dispatch that finds no token left is rejected only after time has moved. (breaks R1, I4)"""

    def _reach(self, now: int, grants: bool = False) -> tuple[Lease, ...]:
        if grants:
            super()._reach(now)
        return super()._reach(now, grants)


class RefusalIsAnAttempt(Fault):
    """A dispatch that is refused counts as an attempt at the first pending task. (breaks R2, L4)"""

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """O4."""
        lease = super().dispatch(worker, now=now, duration=duration)
        task = self._first()
        if lease is None and task is not None:
            task.attempts += 1
        return lease


class UnknownTaskRaises(Fault):
    """Completing or releasing an unknown task raises instead of being refused. (breaks R2)"""

    def _end(self, event: str, task_id: int, token: int, now: int) -> bool:
        ended = super()._end(event, task_id, token, now)
        if whole(task_id) not in self._tasks:
            raise KeyError(task_id)
        return ended
