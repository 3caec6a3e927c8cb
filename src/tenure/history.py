"""Histories: making calls and keeping what came of them, and reading what was kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .errors import BadFile, TargetFailed
from .operations import Operations, ask
from .recorder import Recorder
from .wire import Event, from_line, to_line

__all__ = ["Event", "HistoryError", "from_line", "perform", "read", "recorded", "to_line"]


class HistoryError(BadFile):
    """A line of a history is not of the form."""


def perform(scheduler: Operations, op: str, arguments: dict[str, Any]) -> Event:
    """Make the call and tell what came of it; what the scheduler raises becomes the event's error.

    TargetFailed is raised on: then nothing came of it.
    """
    try:
        answer = ask(scheduler, op, arguments)
    except TargetFailed:
        raise
    except Exception as error:
        return Event(op, arguments, error=type(error).__name__)
    return Event(op, arguments, answer)


def recorded(scheduler: Operations, sink: Callable[[Event], object]) -> Operations:
    """The same scheduler, but `sink` is told of each call and its answer, in order.

    What the scheduler raises is told and raised. Costs about a microsecond a call beside the sink.

    >>> from tenure import Scheduler
    >>> events = []
    >>> scheduler = recorded(Scheduler(), events.append)
    >>> scheduler.add_task(priority=5)
    1
    >>> print(to_line(events[0]))
    {"op": "add_task", "priority": 5, "answer": 1}
    """
    return Recorder(scheduler, sink)


def read(lines: Iterable[str], file: str) -> Iterator[Event]:
    """The events of a history, one a line; blank lines count but say nothing.

    `file` is its name for messages. Raises HistoryError at the first line that is not of the form.
    Holds one line at a time.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                event = from_line(line)
            except ValueError as error:
                raise HistoryError(file, number, str(error)) from None
            yield event
