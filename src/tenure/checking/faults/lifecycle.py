"""Schedulers that lose track of what a task went through: L1 to L4."""

from __future__ import annotations

from typing import Any

from ...values import Lease, Status, Task
from ..quick import QuickTask
from .base import Fault, Remembering


class TriedMeansRunning(Fault):
    """A task that was ever tried is shown as running, though it came back. (breaks L1, L3)"""

    class _Task(QuickTask):
        def seen(self) -> Task:
            running = self.attempts > 0 and self.status is Status.PENDING
            return super().seen()._replace(status=Status.RUNNING if running else self.status)

    new_task = _Task


class DoneComesBack(Fault):
    """A done task is pending again when its lease would have ended. (breaks L2)"""

    class _Task(Remembering):
        def take(self, event: str, **facts: Any) -> bool:
            if event == "expire" and self.status is Status.DONE and self.last and self.last.expiry <= facts["now"]:
                self._status = Status.PENDING
            return super().take(event, **facts)

    new_task = _Task

    def _sweep(self, now: int) -> tuple[Lease, ...]:
        told = super()._sweep(now)
        for task in self._tasks.values():
            task.take("expire", now=now)
        return told


class DoneMayBeReleased(Fault):
    """The token that completed a task also releases it afterwards. (breaks L2, O7)"""

    class _Task(Remembering):
        def take(self, event: str, **facts: Any) -> bool:
            if event == "release" and self.status is Status.DONE and self.had(facts["token"]):
                self._status = Status.PENDING
                return True
            return super().take(event, **facts)

    new_task = _Task


class PendingKeepsItsLease(Fault):
    """A released task still shows the lease that it had. (breaks L3)"""

    class _Task(QuickTask):
        def on_release(self) -> None:
            pass

    new_task = _Task


class AttemptsFromZero(Fault):
    """The first lease of a task is attempt 0. (breaks L4)"""

    class _Task(QuickTask):
        def on_dispatch(self, lease: Lease) -> None:
            super().on_dispatch(lease._replace(attempt=lease.attempt - 1))

    new_task = _Task


class AttemptsStartAgain(Fault):
    """Attempts that ended by expiry aren't counted. (breaks L4)"""

    class _Task(QuickTask):
        def on_expire(self) -> None:
            super().on_expire()
            self.attempts -= 1

    new_task = _Task


class RenewalIsAnAttempt(Fault):
    """A renewal counts as one more attempt. (breaks L4)"""

    class _Task(QuickTask):
        def on_renew(self, expiry: int) -> None:
            super().on_renew(expiry)
            self.attempts += 1

    new_task = _Task
