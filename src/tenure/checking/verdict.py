"""What a check says in the end: one of four words, and exactly what it stands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..history import Event, to_line

PROVED, PASSED, REFUTED, UNDECIDED = "PROVED", "PASSED", "REFUTED", "UNDECIDED"


@dataclass(frozen=True)
class Verdict:
    """PROVED, PASSED, REFUTED or UNDECIDED, and never one for another.

    PROVED: every state of the scope was explored, told apart by all that the scheduler keeps.
    PASSED: all that was tried agreed, but states were told apart only by what the queries show.
    REFUTED: `history` is the shortest found whose last call breaks `rule`.
    UNDECIDED: a limit ended it, or something that had to happen never did; `reason` says which.
    """

    word: str
    scope: str
    states: int
    """Up to the order of expiries, or to the time left where durations are bounded."""
    expanded: int
    """The same, and leases that end together told apart by the order of their tokens."""
    transitions: int
    """Distinct (state, event, successor) that change the state."""
    calls: int
    """Made on the scheduler, those of replays included."""
    seconds: float
    assumptions: tuple[str, ...]
    met: Mapping[str, int]
    """How often each kind of answer came."""
    not_checked: tuple[str, ...] = ()
    """What the scheduler lacks, or can't be asked."""
    rule: str = ""
    reason: str = ""
    history: tuple[Event, ...] = ()
    expected: Event | None = None
    """What must have come of the history's last call, where that is what was wrong."""
    shortest: bool = False
    """Whether no shorter history of the calls that were tried breaks anything."""

    def __str__(self) -> str:
        size = f"{self.states:,} states ({self.expanded:,} expanded), {self.transitions:,} transitions"
        lines = [f"{self.word}: {self.scope}", f"  {size}, {self.calls:,} calls in {self.seconds:.1f} s"]
        if self.reason:
            lines.append(f"  {self.rule}: {self.reason}" if self.rule else f"  {self.reason}")
        lines += [f"  not checked: {what}" for what in self.not_checked]
        lines += [f"  assumed: {assumption}" for assumption in self.assumptions]
        lines += [f"  {number}. {to_line(event)}" for number, event in enumerate(self.history, 1)]
        return "\n".join(lines)
