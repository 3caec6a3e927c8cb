"""Whoever answers the contract's operations has exactly their signatures."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tenure import Scheduler
from tenure.checking import Reference
from tenure.operations import PARAMETERS, QUERIES, TIMED, Operations, ask

SCHEDULERS = (Scheduler, Reference)


def public(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


def test_the_scheduler_has_the_operations_and_no_others() -> None:
    """One way to ask for each thing, beside opening and closing; the reference may offer hooks. (O1, O9)"""
    assert public(Scheduler) - {"open", "close"} == public(Operations) == PARAMETERS.keys()
    assert public(Reference) >= PARAMETERS.keys()


@pytest.mark.parametrize("operation", PARAMETERS)
@pytest.mark.parametrize("kind", SCHEDULERS)
def test_the_signatures_are_those_of_the_operations(kind: type, operation: str) -> None:
    """Names, order, kinds, defaults, and types. (O1, O9)"""
    ours, theirs = getattr(Operations, operation), getattr(kind, operation)
    if isinstance(ours, property):
        assert isinstance(theirs, property)
        assert ours.fget is not None
        assert theirs.fget is not None
        assert theirs.fset is None
        ours, theirs = ours.fget, theirs.fget
    assert inspect.signature(theirs) == inspect.signature(ours)


def test_time_and_duration_are_given_by_name() -> None:
    """All are ints, and would swap silently. (T2)"""
    for operation, names in PARAMETERS.items():
        for name in names:
            kind = inspect.signature(getattr(Operations, operation)).parameters[name].kind
            assert (kind is inspect.Parameter.KEYWORD_ONLY) == (name in ("now", "duration"))
    misplaced: Any = Scheduler()
    with pytest.raises(TypeError, match="positional"):
        misplaced.dispatch("w1", 5, 5)


def test_the_parameters_are_read_off_the_operations() -> None:
    """As data, for whoever writes or makes calls. (O1, O9)"""
    assert PARAMETERS["dispatch"] == ("worker", "now", "duration")
    assert PARAMETERS["now"] == ()
    assert PARAMETERS["add_task"] == ("priority", "payload")
    assert [name for name in PARAMETERS if "now" in PARAMETERS[name]] == list(TIMED)
    assert not set(TIMED) & set(QUERIES)


def test_ask_calls_by_name_and_reads_the_time() -> None:
    """What the scheduler raises comes through. (O9)"""
    scheduler = Scheduler()
    assert ask(scheduler, "add_task", {"priority": 5}) == 1
    assert ask(scheduler, "advance", {"now": 7}) == ()
    assert ask(scheduler, "now", {}) == 7
    with pytest.raises(ValueError, match="already 7"):
        ask(scheduler, "advance", {"now": 6})
