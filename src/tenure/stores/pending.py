"""The order in which a memory store's pending tasks stand: (-priority, id). (O4)

New ids ascend, so the new tasks of one priority are a plain queue; the few that came back from a lease
are a small heap beside it. A heap of the priorities finds the level to look at. A forgotten task's
entry stays until it is met or until a third of the entries are such.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

SPENT_MOST = 512
"""So many entries that have left a queue may stay at its front, or half of it."""
MANY = 2
"""When one for so many in the queue, or more, come back at once, they are merged into it, since that is cheaper."""


class Level:
    """The pending tasks of one priority."""

    __slots__ = ("back", "fresh", "spent")

    def __init__(self) -> None:
        self.fresh: list[int] = []
        """Ascending; the first `spent` of them have left. New tasks stand here."""
        self.spent = 0
        self.back: list[int] | None = None
        """A heap of those that came back, if a few did."""

    def entries(self) -> list[int]:
        """All that stand here, in no order."""
        return self.fresh[self.spent :] + (self.back or [])


class Pending:
    """A queue by priority that gives the first without taking it.

    About 40 bytes an entry, and 270 more for each priority in use.
    """

    __slots__ = ("_forgotten", "_forgotten_most", "_levels", "_order", "_top")

    def __init__(self) -> None:
        self._levels: dict[int, Level] = {}
        self._order: list[int] = []
        """A heap of the negated keys of _levels."""
        self._top: Level | None = None
        """The level of the greatest priority."""
        self._forgotten: set[int] = set()
        """Entries that no longer count."""
        self._forgotten_most = 64

    def add(self, priority: int, task_id: int) -> None:
        """A task with the greatest id so far stands in its place. O(1), O(log p) for a new priority."""
        (self._levels.get(priority) or self._open(priority)).fresh.append(task_id)

    def add_again(self, priority: int, task_ids: list[int]) -> None:
        """Tasks that were taken stand in their places again. O(k log n), O(k + log p) for many of the level."""
        level = self._levels.get(priority) or self._open(priority)
        if MANY * len(task_ids) > len(level.fresh) - level.spent:
            level.fresh = sorted(level.entries() + task_ids)
            level.spent = 0
            level.back = None
            return
        if level.back is None:
            level.back = []
        for task_id in task_ids:
            heappush(level.back, task_id)

    def first(self) -> int | None:
        """The task that is first in order, if any. O(1) amortised."""
        while (level := self._top) is not None:
            fresh, spent, back = level.fresh, level.spent, level.back
            if spent < len(fresh):
                task_id = fresh[spent]
                if back and back[0] < task_id:
                    task_id = back[0]
            elif back:
                task_id = back[0]
            else:
                self._close_top()
                continue
            if self._forgotten and task_id in self._forgotten:
                self.take(task_id)
                self._forgotten.remove(task_id)
                continue
            return task_id
        return None

    def take(self, task_id: int) -> None:
        """The task that is first in order is gone. O(1), O(log n) if it had come back."""
        level = self._top
        assert level is not None
        fresh, spent = level.fresh, level.spent
        if spent < len(fresh) and fresh[spent] == task_id:
            level.spent = spent = spent + 1
            if spent > SPENT_MOST and spent + spent > len(fresh):
                del fresh[:spent]
                level.spent = 0
        else:
            assert level.back is not None
            taken = heappop(level.back)
            assert taken == task_id, (taken, task_id)

    def forget(self, task_id: int) -> None:
        """The task, wherever it stands, counts no more. O(1) amortised."""
        self._forgotten.add(task_id)
        if len(self._forgotten) > self._forgotten_most:
            self._compact()

    def in_order(self) -> Iterator[int]:
        """All that count, the first first. O(n log n)."""
        for priority in sorted(self._levels, reverse=True):
            yield from (
                task_id for task_id in sorted(self._levels[priority].entries()) if task_id not in self._forgotten
            )

    def _open(self, priority: int) -> Level:
        self.first()  # closes empty levels at the top, the only place where they are left
        level = self._levels[priority] = Level()
        heappush(self._order, -priority)
        self._top = self._levels[-self._order[0]]
        return level

    def _close_top(self) -> None:
        del self._levels[-heappop(self._order)]
        self._top = self._levels[-self._order[0]] if self._order else None

    def _compact(self) -> None:
        forgotten, levels = self._forgotten, self._levels
        self._forgotten, self._levels = set(), {}
        size = 0
        for priority, level in levels.items():
            level.fresh = [task_id for task_id in level.fresh[level.spent :] if task_id not in forgotten]
            level.spent = 0
            level.back = [task_id for task_id in level.back or () if task_id not in forgotten] or None
            if level.back:
                heapify(level.back)
            if entries := len(level.fresh) + len(level.back or ()):
                self._levels[priority] = level
                size += entries
        self._order = [-priority for priority in self._levels]
        heapify(self._order)
        self._top = self._levels[-self._order[0]] if self._order else None
        self._forgotten_most = 64 + size // 2

    def check(self, pending: dict[int, int]) -> None:
        """Each structure is what the plain data, the priorities of the pending tasks by id, make it."""
        entries = {task_id: priority for priority, level in self._levels.items() for task_id in level.entries()}
        assert sum(len(level.entries()) for level in self._levels.values()) == len(entries)
        assert entries.keys() - pending.keys() == self._forgotten
        assert {task_id: entries.get(task_id) for task_id in pending} == pending
        assert sorted(self._order) == sorted(-priority for priority in self._levels)
        check_heap(self._order)
        assert self._top is (self._levels[max(self._levels)] if self._levels else None)
        assert len(self._forgotten) <= self._forgotten_most
        for level in self._levels.values():
            assert all(a < b for a, b in zip(level.fresh, level.fresh[1:], strict=False))
            assert 0 <= level.spent <= len(level.fresh)
            check_heap(level.back or [])
            assert level.entries() or level is self._top
        expected = min(pending, key=lambda task_id: (-pending[task_id], task_id), default=None)
        assert self.first() == expected


def check_heap(heap: list[int]) -> None:
    """Each entry is at least its parent."""
    assert all(heap[(i - 1) // 2] <= heap[i] for i in range(1, len(heap)))
