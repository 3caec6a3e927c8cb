"""The tasks that a memory store keeps, in pages of consecutive ids; a page goes when its last task does."""

from __future__ import annotations

from collections.abc import Iterator

PAGE_BITS = 8
PAGE_SIZE = 1 << PAGE_BITS
INDEX = PAGE_SIZE - 1

FORGOTTEN, KEPT, FINISHED = range(3)

Past = tuple[int, bytes | None]
"""How many leases of a task ended without completing it, and its payload."""
FRESH: Past = 0, None


class Page:
    """What is known of up to PAGE_SIZE consecutive tasks, by their index in the page."""

    __slots__ = ("kept", "marks", "priorities")

    def __init__(self) -> None:
        self.kept = 0
        self.marks = bytearray()
        self.priorities: list[int] = []


class Tasks:
    """Priorities, payloads and ended leases by task id, and which tasks are finished.

    About 12 bytes a task beside its numbers, and nothing for one forgotten together with the
    others of its page; a straggler keeps up to 3 kB.
    """

    __slots__ = ("_newest", "_pages", "_pasts", "_pasts_most", "finished", "kept", "last_id")

    def __init__(self, last_id: int) -> None:
        self.last_id = last_id
        self.kept = 0
        self.finished = 0
        self._pasts: dict[int, Past] = {}
        """Those that are not FRESH."""
        self._pasts_most = 0
        self._pages: dict[int, Page] = {}
        self._newest = self._open(last_id + 1)

    def _open(self, task_id: int) -> Page:
        """The page in which the next task will stand, filled up to it."""
        number, index = task_id >> PAGE_BITS, task_id & INDEX
        if number - 1 in self._pages and not self._pages[number - 1].kept:
            del self._pages[number - 1]
        page = self._pages[number] = Page()
        page.priorities.extend([0] * index)
        page.marks.extend(bytes(index))
        return page

    def add(self, task_id: int, priority: int, payload: bytes | None) -> None:
        """Keep a task whose id is the one after the last. O(1)."""
        index = task_id & INDEX
        page = self._newest
        if not index and page.marks:
            page = self._newest = self._open(task_id)
        page.priorities.append(priority)
        page.marks.append(KEPT)
        page.kept += 1
        if payload is not None:
            self._pasts[task_id] = 0, payload
        self.kept += 1
        self.last_id = task_id

    def mark(self, task_id: int) -> int:
        """FORGOTTEN, also of what never was; KEPT or FINISHED. O(1)."""
        page = self._pages.get(task_id >> PAGE_BITS)
        index = task_id & INDEX
        if page is None or index >= len(page.marks):
            return FORGOTTEN
        return page.marks[index]

    def priority(self, task_id: int) -> int:
        """The priority of a kept task. O(1)."""
        return self._pages[task_id >> PAGE_BITS].priorities[task_id & INDEX]

    def past(self, task_id: int) -> Past:
        """How many leases of a kept task ended without completing it, and its payload. O(1)."""
        return self._pasts.get(task_id, FRESH)

    def count_ended(self, task_id: int) -> None:
        """One more lease ended without completing the task. O(1)."""
        ended, payload = self._pasts.get(task_id, FRESH)
        self._pasts[task_id] = ended + 1, payload

    def finish(self, task_id: int) -> None:
        """The task is done. O(1)."""
        self._pages[task_id >> PAGE_BITS].marks[task_id & INDEX] = FINISHED
        self.finished += 1

    def drop(self, task_id: int) -> None:
        """Keep the task no longer. O(1)."""
        number, index = task_id >> PAGE_BITS, task_id & INDEX
        page = self._pages[number]
        self.finished -= page.marks[index] == FINISHED
        self.kept -= 1
        page.kept -= 1
        page.marks[index] = FORGOTTEN
        self._drop_past(task_id)
        if not page.kept and page is not self._newest:
            del self._pages[number]

    def _drop_past(self, task_id: int) -> None:
        """A dict keeps the room of what left it, so it is made anew when most of it did."""
        if task_id in self._pasts:
            self._pasts_most = max(self._pasts_most, len(self._pasts))
            del self._pasts[task_id]
            if self._pasts_most > 4 * len(self._pasts) + 64:
                self._pasts = dict(self._pasts)
                self._pasts_most = len(self._pasts)

    def __iter__(self) -> Iterator[int]:
        """The ids of all kept tasks, in their order."""
        for number, page in self._pages.items():
            for index, mark in enumerate(page.marks):
                if mark != FORGOTTEN:
                    yield (number << PAGE_BITS) + index

    def check(self) -> None:
        """The counts are what the pages hold, and no page but the newest is empty."""
        ids = list(self)
        assert ids == sorted(ids) and (not ids or 0 < ids[0] <= ids[-1] <= self.last_id)
        assert self.kept == len(ids)
        assert self.finished == sum(self.mark(task_id) == FINISHED for task_id in ids)
        for number, page in self._pages.items():
            assert len(page.priorities) == len(page.marks) <= PAGE_SIZE, number
            assert page.kept == len(page.marks) - page.marks.count(FORGOTTEN), number
            assert page.kept or page is self._newest, number
        assert self._pasts.keys() <= set(ids)
