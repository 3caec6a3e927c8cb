"""Writing a history to a file that holds whole lines only, whenever one looks and however the run ends."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Self

from ..history import Event, to_line

AT_ONCE = 4096
"""Bytes: so many a pipe takes wholly or not at all, even when a signal interrupts."""


class HistoryFile:
    """A file of events, a line each; what it held before is gone. Raises OSError where it can't be written."""

    def __init__(self, path: str) -> None:
        self._lines: list[bytes] = []
        self._size = 0
        self._file = open(path, "wb", buffering=0)  # noqa: SIM115 - it lives as long as this object
        self._whole = 0
        """Where the last whole line ends, if it is a file in which one can go back there."""

    def write(self, event: Event) -> None:
        """The event is the file's next line, written by and by."""
        line = to_line(event).encode() + b"\n"
        if self._size + len(line) > AT_ONCE:
            self._flush()
        self._lines.append(line)
        self._size += len(line)

    def _flush(self) -> None:
        rest, size = memoryview(b"".join(self._lines)), self._size
        self._lines, self._size = [], 0
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except BaseException:
            self._cut()
            raise
        self._whole += size

    def _cut(self) -> None:
        """A half line that was written is taken back, where the file allows it."""
        if os.path.isfile(self._file.name):
            os.ftruncate(self._file.fileno(), self._whole)
            self._file.seek(self._whole)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self._flush()
        finally:
            self._file.close()
