"""The recorder: a scheduler's operations again, each made on that scheduler and told with its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .forwarding import Forwarding
from .operations import Operations, ask
from .wire import Event


class Recorder(Forwarding):
    """Takes the same calls as the scheduler in it, and tells each; `tenure.history.recorded` makes one."""

    __slots__ = ("_scheduler", "_sink")

    def __init__(self, scheduler: Operations, sink: Callable[[Event], object]) -> None:
        self._scheduler = scheduler
        self._sink = sink

    def _call(self, op: str, **arguments: Any) -> Any:
        try:
            answer = ask(self._scheduler, op, arguments)
        except Exception as error:
            self._sink(Event(op, arguments, error=type(error).__name__))
            raise
        self._sink(Event(op, arguments, answer))
        return answer
