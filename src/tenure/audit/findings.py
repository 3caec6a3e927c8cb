"""What an audit found, as plain data: a verdict, what it counted, where a history breaks the contract and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

PASSED, REFUTED, UNDECIDED = "PASSED", "REFUTED", "UNDECIDED"
LINES_NAMED = 5
"""So many lines a note names; it counts all."""


class NotAllowed(Exception):
    """A line that the contract doesn't allow; whoever reads the log knows which one it is."""

    def __init__(
        self, rule: str, reason: str, came: str, allowed: str, context: tuple[tuple[str, str], ...] = ()
    ) -> None:
        super().__init__(rule, reason, came, allowed, context)
        self.rule = rule
        self.reason = reason
        self.came = came
        self.allowed = allowed
        self.context = context


class Breach(NamedTuple):
    """The first line that isn't allowed."""

    line: int
    rule: str
    reason: str
    came: str
    """The line, in short if it is long."""
    allowed: str
    """What the contract allows in its place."""
    context: tuple[tuple[str, str], ...]
    """What one needs to know to understand: a word, and what is to be said under it."""


@dataclass
class Note:
    """Something that holds of several lines: how many, and the first of them."""

    count: int = 0
    lines: list[int] = field(default_factory=list)

    def add(self, line: int) -> None:
        """One more line of which it holds."""
        self.count += 1
        if len(self.lines) < LINES_NAMED:
            self.lines.append(line)

    def remove(self, line: int) -> None:
        """It doesn't hold of this line after all."""
        self.count -= 1
        if line in self.lines:
            self.lines.remove(line)


class Tally(NamedTuple):
    """How often something came: met, refused, rejected. An event of a minimal log was met."""

    met: int
    refused: int = 0
    rejected: int = 0


@dataclass
class Findings:
    """A verdict and what it stands on."""

    file: str
    form: str
    """`calls` or `events`."""
    accepted: int
    """The lines of the longest prefix that is allowed, blank ones included."""
    tallies: dict[str, Tally]
    """By operation or event, only those that came."""
    breach: Breach | None = None
    inferred: dict[str, Note] = field(default_factory=dict)
    """What no line says, though only one reading is possible."""
    unchecked: dict[str, Note] = field(default_factory=dict)
    """What couldn't be checked, since optional information is missing."""
    undecided: dict[str, Note] = field(default_factory=dict)
    """What has more than one reading, one of which the contract forbids."""

    @property
    def word(self) -> str:
        """REFUTED if a line isn't allowed, UNDECIDED if that depends on the reading, or else PASSED."""
        if self.breach is not None:
            return REFUTED
        return UNDECIDED if self.undecided else PASSED
