"""A log comes as its lines, some at a time; what is wrong with one is said after those before it were given."""

from __future__ import annotations

import io

import pytest

from tenure.audit.lines import CHUNK, LogError, chunks


def read(data: bytes, longest: int = 1 << 24) -> list[str]:
    return [line for part in chunks(io.BytesIO(data), "log", longest) for line in part]


@pytest.mark.parametrize(
    "line", [b"x", b"x" * 1000, b"x" * CHUNK, b"x" * (CHUNK - 1), b"", "ä\u2028\x85".encode() * 99]
)
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_lines_end_at_line_feeds_and_nowhere_else(line: bytes, end: bytes) -> None:
    count = 3 * CHUNK // (len(line) + 1) + 2 if len(line) > 1 else 5
    expected = [line.decode()] * count
    assert read(b"\n".join([line] * count) + end) == (expected if end or line else expected[:-1])


def test_a_byte_order_mark_is_no_text_of_the_first_line() -> None:
    assert read(b"\xef\xbb\xbfa\n\xef\xbb\xbfb") == ["a", "\ufeffb"]


def test_what_is_held_is_one_chunk_however_long_the_log_is() -> None:
    sizes = [sum(map(len, part)) for part in chunks(io.BytesIO(b"abcdefghi\n" * CHUNK), "log")]
    assert len(sizes) >= 10
    assert max(sizes) <= CHUNK + 10


@pytest.mark.parametrize(
    ("data", "before", "line", "reason"),
    [
        (b"a\nb\n\xff\nc", ["a", "b"], 3, "not UTF-8"),
        (b"\xff", [], 1, "not UTF-8"),
        (b"a\n" * CHUNK + b"b\xff", ["a"] * CHUNK, CHUNK + 1, "not UTF-8"),
        (b"a\nb\n" + b"x" * (3 * CHUNK), ["a", "b"], 3, "longer than"),
        (b"a\n" * CHUNK + b"x" * (3 * CHUNK) + b"\n", ["a"] * CHUNK, CHUNK + 1, "longer than"),
    ],
)
def test_what_stands_before_a_line_that_can_not_be_read_is_given_first(
    data: bytes, before: list[str], line: int, reason: str
) -> None:
    given: list[str] = []
    parts = chunks(io.BytesIO(data), "log", 2 * CHUNK)
    with pytest.raises(LogError, match=reason) as raised:
        given.extend(line for part in parts for line in part)
    assert (given, raised.value.file, raised.value.line) == (before, "log", line)
