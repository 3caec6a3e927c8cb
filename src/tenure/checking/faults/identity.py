"""Schedulers whose ids and tokens don't identify: I1 to I4."""

from __future__ import annotations

from ...values import Lease
from ..reference import TaskRules, whole
from .base import Fault, Remembering


class IdsFromZero(Fault):
    """The first task has the id 0. (breaks I1)"""

    def __init__(self, *, now: int = 0, last_id: int = 0, last_token: int = 0) -> None:
        super().__init__(now=now, last_id=last_id - 1, last_token=last_token)


class RejectedTaskUsesId(Fault):
    """A task that was rejected leaves a gap in the ids. (breaks I1, R1)"""

    def add_task(self, priority: int = 0, payload: bytes | None = None) -> int:
        """O3."""
        try:
            return super().add_task(priority, payload)
        except (TypeError, ValueError):
            self._last_id += 1
            raise


class ForgottenIdReused(Fault):
    """When the newest task was forgotten, the next one gets its id. (breaks I1, O10)"""

    def forget(self, task_id: int) -> bool:
        """O10."""
        gone = super().forget(task_id)
        if gone and whole(task_id) == self._last_id:
            self._last_id -= 1
        return gone


class TokenPerTask(Fault):
    """Tokens are counted for each task by itself. (breaks I2)"""

    def _next_token(self, task: TaskRules) -> int:
        return task.attempts + 1


class TokenFromClock(Fault):
    """The time of the grant serves as the token. (breaks I2)"""

    def _next_token(self, task: TaskRules) -> int:
        return max(1, self._now)


class ReleasedTokenReused(Fault):
    """A released token is given to the next lease. (breaks I2)"""

    def release(self, task_id: int, token: int, *, now: int) -> bool:
        """O7."""
        released = super().release(task_id, token, now=now)
        if released and whole(token) == self._last_token:
            self._last_token -= 1
        return released


class RefusedDispatchUsesToken(Fault):
    """A dispatch that grants nothing leaves a gap in the tokens. (breaks I2, R2)"""

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """O4."""
        lease = super().dispatch(worker, now=now, duration=duration)
        self._last_token += lease is None
        return lease


class SameWorkerSameToken(Fault):
    """A worker that gets the same task again keeps its old token. (breaks I2, I3)"""

    class _Task(Remembering):
        def on_dispatch(self, lease: Lease) -> None:
            if self.last is not None and self.last.worker == lease.worker:
                lease = lease._replace(token=self.last.token)
            super().on_dispatch(lease)

    new_task = _Task


class RenewalMakesToken(Fault):
    """A renewed lease has a new token. (breaks I3, O6)"""

    def renew(self, task_id: int, token: int, *, now: int, duration: int) -> Lease | None:
        """O6."""
        lease = super().renew(task_id, token, now=now, duration=duration)
        if lease is not None:
            self._last_token += 1
            lease = self._tasks[lease.task_id].lease = lease._replace(token=self._last_token)
        return lease


class TokensBeyondEnd(Fault):
    """After the last token of 64 bits comes one of 65. (breaks I4)"""

    def _reach(self, now: int, grants: bool = False) -> tuple[Lease, ...]:
        return super()._reach(now)


class IdsBeginAgain(Fault):
    """After the last id of 64 bits comes 1 again. (breaks I1, I4)"""

    def add_task(self, priority: int = 0, payload: bytes | None = None) -> int:
        """O3."""
        self._last_id %= 2**63 - 1
        return super().add_task(priority, payload)
