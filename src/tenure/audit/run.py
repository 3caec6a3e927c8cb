"""From a log's name to findings: which form it has, and its lines through that form's judge up to the first denied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from ..files import Opened, opened, shown_name
from . import notes
from .calls import Calls
from .events import fields_of
from .findings import Breach, Findings, NotAllowed
from .lines import LogError, chunks
from .minimal import Events

Watch = Callable[[Opened], object]
"""Told after each chunk how far the file is read."""
SHOWN_MOST = 500
"""So many characters of a line are shown."""


def audit(path: str, *, exact_errors: bool = False, watch: Watch = lambda _: None) -> Findings:
    """What the log at `path`, or on standard input for `-`, comes to.

    Raises LogError where it can't be read or a line isn't of its form. O(lines); its memory is that of a
    scheduler with this history, or for a minimal log what `tenure.audit.minimal` says.
    """
    file = shown_name(path)
    with opened(path, LogError) as log:
        parts = chunks(log.stream, file)
        first = _until_something_is_said(parts, file)
        judge = _judge_of(first, file, exact_errors)
        breach = None
        try:
            for lines in chain([first], parts):
                judge.judge(lines)
                watch(log)
        except NotAllowed as denied:
            came = denied.came if len(denied.came) <= SHOWN_MOST else f"{denied.came[:SHOWN_MOST]}..."
            allowed = denied.allowed if len(denied.allowed) <= SHOWN_MOST else f"{denied.allowed[:SHOWN_MOST]}..."
            breach = Breach(judge.accepted + 1, denied.rule, denied.reason, came, allowed, denied.context)
    return found(file, judge, breach)


def found(file: str, judge: Calls | Events, breach: Breach | None) -> Findings:
    """The judge's findings so far."""
    if isinstance(judge, Calls):
        return Findings(file, "calls", judge.accepted, judge.tallies(), breach)
    told = sum(map(sum, judge.tallies().values()))
    if breach is None and not told:
        raise LogError(file, None, "no events: a header alone says nothing that could be judged")
    earlier = judge.unchecked.get(notes.EARLIER)
    if breach is None and earlier is not None and earlier.count == told:
        judge.undecided[notes.NOTHING] = earlier
    noted = ({what: note for what, note in notes.items() if note.count} for notes in (judge.inferred, judge.undecided))
    inferred, undecided = noted
    return Findings(file, "events", judge.accepted, judge.tallies(), breach, inferred, dict(judge.unchecked), undecided)


def _until_something_is_said(parts: Iterator[list[str]], file: str) -> list[str]:
    """The lines up to the end of the first chunk with a line that isn't blank."""
    lines: list[str] = []
    for part in parts:
        lines += part
        if any(line.strip() for line in part):
            return lines
    raise LogError(file, None, "no lines: a log has a call or an event a line")


def _judge_of(lines: list[str], file: str, exact_errors: bool) -> Calls | Events:
    """The judge for the form that the first line has."""
    number, first = next((number, line) for number, line in enumerate(lines, 1) if line.strip())
    try:
        fields = fields_of(first)
        if "op" in fields:
            return Calls(file, exact_errors)
        if "event" in fields or "form" in fields:
            return Events(file)
    except ValueError as error:
        raise LogError(file, number, str(error)) from None
    raise LogError(file, number, 'neither a call, which has an "op", nor an event, which has an "event"')
