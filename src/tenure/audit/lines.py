"""A log as chunks of lines: never more than one chunk, or one line, at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from ..errors import BadFile

CHUNK = 1 << 18
"""Bytes that are read at once."""
LONGEST_LINE = 1 << 24
BYTE_ORDER_MARK = "\ufeff"


class LogError(BadFile):
    """A log can't be audited: a line of it is not of the form."""


def chunks(stream: BinaryIO, file: str, longest: int = LONGEST_LINE) -> Iterator[list[str]]:
    """The log's lines without their ends, some hundreds at a time, in order.

    Raises LogError at the first line that is too long or no text; all before it have been given then.
    """
    number, rest = 0, b""
    while block := stream.read(CHUNK):
        whole, end, left = (rest + block).rpartition(b"\n")
        first = whole.find(b"\n") if b"\n" in whole else len(whole)
        if (first if end else len(left)) > longest:
            raise LogError(file, number + 1, f"longer than {longest:,} bytes: not a line of a log")
        rest = left
        if end:
            yield from _decoded(whole, file, number)
            number += whole.count(b"\n") + 1
    if rest:
        yield from _decoded(rest, file, number)


def _decoded(whole: bytes, file: str, before: int) -> Iterator[list[str]]:
    """The lines of so many bytes; those before one that is no text are given first."""
    try:
        text = whole.decode()
    except UnicodeDecodeError as error:
        good = whole[: error.start].rpartition(b"\n")[0]
        lines = good.count(b"\n") + 1 if b"\n" in whole[: error.start] else 0
        if lines:
            yield from _decoded(good, file, before)
        raise LogError(file, before + lines + 1, "not UTF-8 text: a log is lines of JSON") from None
    lines_of_text = text.split("\n")
    if not before:
        lines_of_text[0] = lines_of_text[0].removeprefix(BYTE_ORDER_MARK)
    yield lines_of_text
