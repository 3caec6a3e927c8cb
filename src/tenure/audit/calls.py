"""Judging a full log, one call and its answer a line: a new scheduler makes each call, and must answer the same."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from ..operations import PARAMETERS, Operations, ask
from ..scheduler import Scheduler
from ..wire import Event, from_line
from .breach import explained
from .fast import KINDS, MET, REFUSED, REJECTED, Answered, steps
from .findings import Tally
from .lines import LogError
from .remembering import RememberingStore

PLACES = {op: KINDS * number for number, op in enumerate(PARAMETERS)}
BLANK = KINDS * len(PARAMETERS)
"""Where blank lines are counted."""


def _required(op: str) -> tuple[str, ...]:
    parameters = inspect.signature(getattr(Operations, op)).parameters if PARAMETERS[op] else {}
    return tuple(name for name in PARAMETERS[op] if parameters[name].default is inspect.Parameter.empty)


REQUIRED = {op: _required(op) for op in PARAMETERS}
"""The arguments without which a line is no call."""


class Calls:
    """The judge of a full log. It takes the memory that a scheduler of this history takes. (I1, I2, T1: it is new)"""

    def __init__(self, file: str, exact_errors: bool = False, fast: bool = True) -> None:
        self._file = file
        self._exact_errors = exact_errors
        self._store = RememberingStore()
        self._scheduler = Scheduler(self._store)
        self._counts = [0] * (BLANK + 1)
        self._steps = steps(self._scheduler, PLACES) if fast else {}

    @property
    def accepted(self) -> int:
        """How many lines were allowed so far, blank ones included."""
        return sum(self._counts)

    def tallies(self) -> dict[str, Tally]:
        """How often each operation came, and to what."""
        found = {op: Tally(*self._counts[place : place + KINDS]) for op, place in PLACES.items()}
        return {op: tally for op, tally in found.items() if any(tally)}

    def judge(self, lines: Iterable[str]) -> None:
        """Each line is allowed; raises NotAllowed or LogError at the first that isn't."""
        counts, step_of = self._counts, self._steps.get
        for line in lines:
            called = None
            try:
                place = step_of(line[8:12], _not_plain)(line)
            except Answered as answered:
                place, called = None, answered
            except (TypeError, ValueError, KeyError, OverflowError):
                place = None  # a rejected call has changed nothing (R1), so it can be made again
            counts[self._judge(line, called) if place is None else place] += 1

    def _judge(self, line: str, called: Answered | None = None) -> int:
        """The place where the line is counted; `called` says that the call was made already, and what came."""
        if not line.strip():
            return BLANK
        event = self._read(line)
        right, raised = self._right(event, called)
        if right.error is not None and event.error is not None:
            if not self._exact_errors or event.error == right.error:
                return PLACES[event.op] + REJECTED
        elif right == event:
            refused = right.answer is False or (right.answer is None and event.op in ("dispatch", "renew"))
            return PLACES[event.op] + (REFUSED if refused else MET)
        raise explained(event, right, raised, self._store)

    def _read(self, line: str) -> Event:
        try:
            event = from_line(line)
        except ValueError as error:
            mixed = "; a log holds calls or events, not both" if '"event"' in line and '"op"' not in line else ""
            raise LogError(self._file, self.accepted + 1, f"{error}{mixed}") from None
        if missing := [name for name in REQUIRED[event.op] if name not in event.arguments]:
            reason = f"{event.op} needs {', '.join(map(repr, missing))}"
            raise LogError(self._file, self.accepted + 1, reason)
        return event

    def _right(self, event: Event, called: Answered | None) -> tuple[Event, Exception | None]:
        """What the contract makes of the call, and what it raised if it is to be rejected."""
        try:
            answer = ask(self._scheduler, event.op, event.arguments) if called is None else called.answer
            return event._replace(answer=answer, error=None), None
        except Exception as error:
            return event._replace(answer=None, error=type(error).__name__), error


def _not_plain(_: str) -> None:
    """A line whose operation has no step."""
