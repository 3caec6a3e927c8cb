"""Reading the Standard Workload Format: `;` comments, then a job a line in 18 blank-separated fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO, NoReturn

from ..errors import BadFile
from ..files import opened, shown_name
from .jobs import MOST, Job, Workload, counted, total, workload

LONGEST_LINE = 10_000
FIELDS = (
    *("job number", "submit time", "wait time", "run time", "processors", "CPU time", "memory", "processors asked"),
    *("time asked", "memory asked", "status", "user", "group", "program", "queue", "partition"),
    *("preceding job", "think time"),
)
USED = (0, 1, 3, 8, 14)

_SHORT = rb"(-?[0-9]{1,12})"  # all of them are within MOST
_ANY = rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_LINE = re.compile(rb"\s*" + rb"\s+".join(_SHORT if i in USED else _ANY for i in range(18)) + rb"\s*")
_NUMBER = re.compile(_ANY)
_WHOLE = re.compile(rb"[+-]?[0-9]+")


class LogError(BadFile):
    """A workload log can't be used."""


def read(path: str) -> Workload:
    """The workload of the log at `path`, plain or gzip, or on standard input for `-`.

    Raises LogError for whatever is not of the form, and for a log without a job that can be used. O(n log n).
    """
    file = shown_name(path)
    with opened(path, LogError) as given:
        log = workload(file, _jobs(given.stream, file))
    if not log.jobs:
        if not log.unusable:
            raise LogError(file, None, "no job lines: each is 18 numbers between blanks")
        why = ", ".join(
            f"{len(numbers):,} {'has' if len(numbers) == 1 else 'have'} {reason}"
            for reason, numbers in log.unusable.items()
        )
        raise LogError(file, None, f"of its {counted(total(log.unusable), 'job')} none can be used: {why}")
    return log


def _jobs(stream: BinaryIO, file: str) -> Iterator[Job]:
    """The jobs of the lines, in their order; only a line that isn't plain costs more than one match."""
    fullmatch, new = _LINE.fullmatch, Job._make
    for number, raw in enumerate(iter(partial(stream.readline, LONGEST_LINE), b""), 1):
        if len(raw) == LONGEST_LINE:
            raise LogError(file, number, f"longer than {LONGEST_LINE:,} bytes: not a workload log")
        if found := fullmatch(raw):
            yield new(map(int, found.groups()))
            continue
        line = raw.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else raw.strip()
        _check_text(line, file, number)
        if line and not line.startswith(b";"):
            yield _job(line.split(), file, number)


def _check_text(line: bytes, file: str, number: int) -> None:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        raise LogError(
            file, number, f"not UTF-8: byte 0x{line[error.start]:02x}; convert it first, for example with iconv"
        ) from None


def _job(fields: list[bytes], file: str, number: int) -> Job:
    """The job of a line that isn't plain, or what is wrong with the line."""
    if len(fields) != len(FIELDS):
        raise LogError(file, number, f"a job has {len(FIELDS)} fields, not {len(fields)}")
    for i, field in enumerate(fields):
        if not (_WHOLE if i in USED else _NUMBER).fullmatch(field):
            _wrong(field, i, file, number, "a whole number" if i in USED else "a number")
        if i in USED and not (len(field) < 99 and -MOST <= int(field) <= MOST):
            _wrong(field, i, file, number, "from -2**40 to 2**40")
    return Job(*[int(fields[i]) for i in USED])


def _wrong(field: bytes, i: int, file: str, number: int, allowed: str) -> NoReturn:
    given = field.decode()
    shown = repr(given) if len(given) < 40 else f"{given[:30]!r}... of {len(given)} characters"
    raise LogError(file, number, f"field {i + 1}, {FIELDS[i]}, must be {allowed}, not {shown}")
