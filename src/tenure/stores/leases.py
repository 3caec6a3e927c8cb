"""The live leases that a memory store keeps, by task and in order of (expiry, token). (T3)

The heap is cleaned lazily: an entry counts only while its lease is the one kept for its task. It is
rebuilt when the stale entries outnumber the live ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush

from ..values import Lease

Entry = tuple[int, int, Lease]
"""A lease as it was granted or renewed, behind its (expiry, token)."""


class Leases:
    """The current lease of each running task. About 300 bytes a lease, up to 500 while renewals pile up."""

    __slots__ = ("by_task", "ends")

    def __init__(self) -> None:
        self.by_task: dict[int, Lease] = {}
        self.ends: list[Entry] = []

    def add(self, lease: Lease) -> None:
        """Keep a new lease. O(log l)."""
        self.by_task[lease.task_id] = lease
        heappush(self.ends, (lease.expiry, lease.token, lease))

    def replace(self, lease: Lease) -> None:
        """Keep the lease in place of that of the same task. O(log l) amortised."""
        self.add(lease)
        if len(self.ends) > 2 * len(self.by_task) + 64:
            self._compact()

    def remove(self, task_id: int) -> None:
        """Keep the lease of this task no longer. O(1) amortised, O(log l) if it would be the next to end."""
        kept = self.by_task.pop(task_id)
        ends = self.ends
        if ends[0][2] is kept:
            heappop(ends)
        if len(ends) > 64 and len(ends) > 2 * len(self.by_task) + 64:
            self._compact()

    def remove_ending(self, ending: Sequence[Lease]) -> None:
        """Keep no longer what `ending` told. O(k) amortised."""
        by_task = self.by_task
        for lease in ending:
            del by_task[lease.task_id]
        if len(self.ends) > 2 * len(by_task) + 64:
            self._compact()

    def ending(self, bound: int) -> Sequence[Lease]:
        """The leases with expiry <= bound, by (expiry, token). O(k log k) amortised: what is stale is met once."""
        ends = self.ends
        if not ends or ends[0][0] > bound:
            return ()
        by_task = self.by_task
        while ends and ends[0][0] <= bound and by_task.get(ends[0][2].task_id) is not ends[0][2]:
            heappop(ends)
        found, size = [0] if ends and ends[0][0] <= bound else [], len(ends)
        for parent in found:  # grows while it is gone through
            child = 2 * parent + 1
            if child < size and ends[child][0] <= bound:
                found.append(child)
            child += 1
            if child < size and ends[child][0] <= bound:
                found.append(child)
        return [entry[2] for entry in sorted([ends[i] for i in found]) if by_task.get(entry[2].task_id) is entry[2]]

    def next_expiry(self) -> int | None:
        """The smallest expiry. O(1) amortised."""
        ends = self.ends
        while ends:
            expiry, _, lease = ends[0]
            if self.by_task.get(lease.task_id) is lease:
                return expiry
            heappop(ends)
        return None

    def in_order(self) -> tuple[Lease, ...]:
        """All, by (expiry, token). O(l log l)."""
        return tuple(sorted(self.by_task.values(), key=lambda lease: (lease.expiry, lease.token)))

    def ends_in_order(self) -> Iterator[tuple[int, int]]:
        """The (expiry, token) of each entry that counts, the next to end first. O(l log l)."""
        for expiry, token, lease in sorted(self.ends):
            if self.by_task.get(lease.task_id) is lease:
                yield expiry, token

    def _compact(self) -> None:
        self.by_task = dict(self.by_task)  # gives back the room of those that left
        self.ends = [(lease.expiry, lease.token, lease) for lease in self.by_task.values()]
        heapify(self.ends)

    def check(self) -> None:
        """Each lease has exactly one entry that counts, and the heap is one and not too large."""
        ends = self.ends
        assert all(ends[(i - 1) // 2][:2] <= ends[i][:2] for i in range(1, len(ends)))
        counting = [entry[2] for entry in ends if self.by_task.get(entry[2].task_id) is entry[2]]
        assert sorted(map(id, counting)) == sorted(map(id, self.by_task.values()))
        assert all(entry[:2] == (entry[2].expiry, entry[2].token) for entry in ends)
        assert len(ends) <= 2 * len(self.by_task) + 65
        assert self.next_expiry() == min((lease.expiry for lease in self.by_task.values()), default=None)
