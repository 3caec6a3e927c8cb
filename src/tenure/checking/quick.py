"""The reference made quick, for checks that ask it a million times: the real machine answers each question once."""

from __future__ import annotations

import inspect
from copy import copy
from functools import cache
from typing import Any, Self

from statemachine.exceptions import TransitionNotAllowed

from ..lifecycle import BORN, TaskLifecycle
from ..values import Status
from .reference import Reference, TaskRules


@cache
def led_to(status: Status, event: str) -> Status | None:
    """Where the real machine goes from a state with an event whose guard holds, or None if it doesn't."""
    machine = TaskLifecycle(start_value=status.value)
    try:
        machine.send(event)
    except TransitionNotAllowed:
        return None
    (state,) = machine.configuration
    return Status(state.id)


@cache
def guard_of(event: str) -> str:
    """The name of the guard that the lifecycle declares for the event."""
    (guard,) = {
        str(condition)
        for state in TaskLifecycle.states
        for transition in state.transitions
        if event in map(str, transition.events)
        for condition in transition.cond
    }
    return guard


@cache
def _facts_for(function: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)[1:]


class QuickTask(TaskRules):
    """The same guards and actions, on remembered answers of the machine: about a microsecond an event."""

    def __init__(self, task_id: int, priority: int, payload: bytes | None) -> None:
        super().__init__(task_id, priority, payload)
        self._status = BORN

    @property
    def status(self) -> Status:
        """The state that a machine would be in. (L1)"""
        return self._status

    def take(self, event: str, **facts: Any) -> bool:
        """Whether a machine would take the event: it is in a state for it, and the guard holds."""
        target = led_to(self._status, event)
        if target is None or not self._told(guard_of(event), facts):
            return False
        self._told(f"on_{event}", facts)
        self._status = target
        return True

    def _told(self, method: str, facts: dict[str, Any]) -> Any:
        """What the method says of those facts that it asks for."""
        wanted = _facts_for(getattr(type(self), method))
        return getattr(self, method)(**{name: facts[name] for name in wanted if name in facts})


class QuickReference(Reference):
    """The reference on quick tasks; it can be copied."""

    new_task = QuickTask

    def copy(self) -> Self:
        """Another one in the same state."""
        other = copy(self)
        other._tasks = {task_id: copy(task) for task_id, task in self._tasks.items()}
        other._capacities = dict(self._capacities)
        return other
