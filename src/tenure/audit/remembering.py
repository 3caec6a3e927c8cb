"""A memory store that can tell, for a while, which leases have expired and when: to explain, not to decide."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ..stores.memory import MemoryStore
from ..values import Lease, Status

REMEMBERED = 1000
"""At least so many of the leases that expired last, and at most twice as many."""


class RememberingStore(MemoryStore):
    """Keeps what a memory store keeps, and beside it the leases that expired last."""

    __slots__ = ("ended", "expired")

    def __init__(self) -> None:
        super().__init__()
        self.ended: Lease | None = None
        """The lease that was completed or released last, as it was then."""
        self.expired: dict[int, tuple[Lease, int]] = {}
        """By token, the lease and the time at which it was found to be over, the latest last."""

    @property
    def last_id(self) -> int:
        """The id of the task that was added last, 0 if none was. (I1)"""
        return self._tasks.last_id

    @property
    def last_token(self) -> int:
        """The token that was granted last, 0 if none was. (I2)"""
        return self._last_token

    def write_end(self, now: int, ending: Sequence[Lease], lease: Lease, status: Status) -> None:
        """As a memory store, and the lease is remembered."""
        self.ended = lease
        super().write_end(now, ending, lease, status)

    def _expire(self, ending: Sequence[Lease]) -> None:
        super()._expire(ending)
        expired, now = self.expired, self._now
        for lease in ending:
            expired[lease.token] = lease, now
        if len(expired) > 2 * REMEMBERED:
            self.expired = dict(islice(expired.items(), len(expired) - REMEMBERED, None))
