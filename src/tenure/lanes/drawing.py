"""What a drawing holds: lanes, bars, marks and series as plain data, and how their words are made fit to be shown."""

from __future__ import annotations

from typing import NamedTuple
from unicodedata import category, east_asian_width

LIVE, COMPLETED, EXPIRED, RELEASED = "live", "completed", "expired", "released"
"""How a lease stands: it goes on, or what ended it."""
CONCERNED, WRONG = "concerned", "wrong"
"""What a flag says of a bar: a failing call is about it, or the contract has no such lease."""


class Phase(NamedTuple):
    """What a lease was from one step of a history on, until the next phase: granted, renewed, ended.

    `end` is the first instant at which it doesn't hold: its expiry, or when it was completed or released.
    """

    step: int
    end: int
    ending: str = LIVE


class Bar(NamedTuple):
    """A lease in its lane, from `start` on, closed at the left and open at the right. (T4)"""

    lane: str
    start: int
    label: str
    phases: tuple[Phase, ...]
    """In order; each but the last was superseded by the next."""
    flag: str = ""
    short: str = ""
    """What is written where the label finds no room."""


class Lane(NamedTuple):
    """What bars are drawn in: a worker or a task by its name, and what is said beneath it."""

    name: str
    detail: str = ""


class Mark(NamedTuple):
    """An instant that is pointed at, from one step of a history on and, if it isn't there to stay, until another."""

    at: int
    label: str
    step: int = 0
    until: int | None = None
    failing: bool = False


class Series(NamedTuple):
    """A number that changes at instants and stays in between, such as the length of a queue."""

    name: str
    points: tuple[tuple[int, int], ...]
    """(instant, value), in order of instants."""
    most: int | None = None
    """Where it has a bound, such as a capacity, the bound."""


class Drawing(NamedTuple):
    """All that is drawn on one time axis."""

    title: str
    lanes: tuple[Lane, ...]
    bars: tuple[Bar, ...]
    marks: tuple[Mark, ...] = ()
    series: tuple[Series, ...] = ()


def visible(text: str) -> str:
    r"""The text with what can't be seen, or would move what can, written as an escape.

    >>> print(visible("press\n\x1b[31m \u202e"))
    press\n\x1b[31m \u202e
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def cells(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(character: str) -> int:
    if category(character) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def cut(text: str, most: int, more: str = "…") -> str:
    """The text, or as much of its beginning as fits into so many columns of a terminal."""
    if cells(text) <= most:
        return text
    kept, room = "", most - len(more)
    for character in text:
        room -= _cells_of(character)
        if room < 0:
            break
        kept += character
    return kept + more


def wrapped(text: str, most: int) -> list[str]:
    """The text in lines of at most so many columns, where words allow."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and cells(lines[-1]) + 1 + cells(word) > most:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + cut(word, most)
    return lines


def instant(at: int) -> str:
    """A time as an axis shows it: close to a great power of two it is told from there.

    >>> instant(10), instant(2**63 - 1), instant(2**62 + 10)
    ('10', '2^63-1', '2^62+10')
    """
    for power in range(63, 53, -1):
        beyond = at - 2**power
        if abs(beyond) < 10**6:
            return f"2^{power}{beyond:+}" if beyond else f"2^{power}"
    return str(at)
