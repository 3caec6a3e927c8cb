"""Which keys were seen: exact, and small where they are integers that lie close together."""

from __future__ import annotations

from collections.abc import Iterator

Key = int | str
"""A task's id or a lease's token as a log gives it. A string never equals an integer."""

PAGE = 1024


class Seen:
    """A set of keys: a bit for each integer of a page of 1,024 that holds one, about 100 bytes for a string."""

    __slots__ = ("_pages", "_texts")

    def __init__(self) -> None:
        self._pages: dict[int, int] = {}
        self._texts: set[str] = set()

    def __contains__(self, key: Key) -> bool:
        if isinstance(key, str):
            return key in self._texts
        page, bit = divmod(key, PAGE)
        return bool(self._pages.get(page, 0) >> bit & 1)

    def __iter__(self) -> Iterator[Key]:
        for page, bits in self._pages.items():
            yield from (page * PAGE + bit for bit in range(PAGE) if bits >> bit & 1)
        yield from self._texts

    def add(self, key: Key) -> None:
        """The key has been seen. O(1)."""
        if isinstance(key, str):
            self._texts.add(key)
        else:
            page, bit = divmod(key, PAGE)
            self._pages[page] = self._pages.get(page, 0) | 1 << bit

    def remove(self, key: Key) -> None:
        """The key, which is there, is there no more. O(1)."""
        if isinstance(key, str):
            self._texts.remove(key)
            return
        page, bit = divmod(key, PAGE)
        self._pages[page] ^= 1 << bit
        if not self._pages[page]:
            del self._pages[page]
