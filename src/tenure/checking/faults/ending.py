"""Schedulers that take the wrong proof, or do the wrong thing with the right one: O5 to O7."""

from __future__ import annotations

from typing import Any

from ...values import Lease, Status
from ..quick import QuickTask
from ..reference import whole
from .base import Fault, Miscounting, Remembering


class TokenNotAsked(Fault):
    """That a task is running is enough to complete it, whatever the token. (breaks O5, O6, O7)"""

    class _Task(QuickTask):
        def token_is_current(self, token: int = 0) -> bool:
            return True

    new_task = _Task


class OlderTokenServes(Fault):
    """A token that is older than the task's current one is as good. (breaks O5, O6, O7)"""

    class _Task(QuickTask):
        def token_is_current(self, token: int = 0) -> bool:
            return self.lease is not None and 0 < token <= self.lease.token

    new_task = _Task


class NameIsProof(Fault):
    """A worker that holds a task again may use any token under which it held it. (breaks O5, O6, O7)"""

    class _Task(QuickTask):
        holders: tuple[tuple[int, str], ...] = ()

        def on_dispatch(self, lease: Lease) -> None:
            super().on_dispatch(lease)
            self.holders += ((lease.token, lease.worker),)

        def token_is_current(self, token: int = 0) -> bool:
            return self.lease is not None and (token, self.lease.worker) in self.holders

    new_task = _Task


class CompletedTwice(Fault):
    """Completing a done task again with the same token succeeds again. (breaks O5)"""

    class _Task(Remembering):
        def take(self, event: str, **facts: Any) -> bool:
            again = event == "complete" and self.status is Status.DONE and self.had(facts["token"])
            return again or super().take(event, **facts)

    new_task = _Task


class LateCompletion(Fault):
    """A lease that is over still completes its task, if nobody else has taken that. (breaks O5, T4)"""

    class _Task(Remembering):
        def take(self, event: str, **facts: Any) -> bool:
            if event == "complete" and self.status is Status.PENDING and self.had(facts["token"]):
                self._status = Status.DONE
                return True
            return super().take(event, **facts)

    new_task = _Task


class SlotLeakedOnCompletion(Miscounting):
    """A task that is completed leaves its worker's slot taken. (breaks O5)"""

    event = "complete"


class SlotFreedTwice(Miscounting):
    """A task that is completed frees one slot more than it took. (breaks O5)"""

    event = "complete"
    slot = -1


class LateRenewal(Fault):
    """A lease that is over can be renewed, if nobody else has taken its task. (breaks O6, T4)"""

    class _Task(Remembering):
        def take(self, event: str, **facts: Any) -> bool:
            if event == "renew" and self.status is Status.PENDING and self.had(facts["token"]):
                self._status, self.lease = Status.RUNNING, self.last
            return super().take(event, **facts)

    new_task = _Task


class RenewalFromOldExpiry(Fault):
    """A renewal adds its duration to the old expiry instead of to now. (breaks O6)"""

    def renew(self, task_id: int, token: int, *, now: int, duration: int) -> Lease | None:
        """O6."""
        old = {lease.token: lease.expiry for lease in self.leases()}
        lease = super().renew(task_id, token, now=now, duration=duration)
        if lease is not None:
            expiry = old[lease.token] + whole(duration)
            lease = self._tasks[lease.task_id].lease = lease._replace(expiry=expiry)
        return lease


class RenewalNeverShortens(Fault):
    """A renewal leaves the expiry as it is if that is later. (breaks O6)"""

    class _Task(QuickTask):
        def on_renew(self, expiry: int) -> None:
            super().on_renew(max(expiry, self.lease.expiry if self.lease else 0))

    new_task = _Task


class RenewalMovesStart(Fault):
    """A renewed lease starts at the time of the renewal. (breaks O6)"""

    def renew(self, task_id: int, token: int, *, now: int, duration: int) -> Lease | None:
        """O6."""
        lease = super().renew(task_id, token, now=now, duration=duration)
        if lease is not None:
            lease = self._tasks[lease.task_id].lease = lease._replace(start=self._now)
        return lease


class SlotLeakedOnRelease(Miscounting):
    """A task that is released leaves its worker's slot taken. (breaks O7)"""

    event = "release"


class ReleaseLowersPriority(Fault):
    """A released task is less urgent than before. (breaks O7)"""

    class _Task(QuickTask):
        def on_release(self) -> None:
            super().on_release()
            self.priority = max(self.priority - 1, -(2**63))

    new_task = _Task
