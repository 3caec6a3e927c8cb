"""The declared lifecycle and the table compiled from it say the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from statemachine import State, StateChart
from statemachine.exceptions import TransitionNotAllowed

from tenure import Status
from tenure.lifecycle import BORN, COMPLETED, EXPIRED, FINAL, LEASED, RELEASED, TABLE, TaskLifecycle, compiled

EVENTS = sorted({event for _, event in TABLE})
PAIRS = [(status, event) for status in Status for event in [*EVENTS, "no_such_event"]]
GUARDS = {
    "dispatch": "worker_has_room",
    "renew": "token_is_current",
    "release": "token_is_current",
    "complete": "token_is_current",
    "expire": "lease_is_over",
}


def driven(chart: type[StateChart[Any]], status: Status, event: str) -> Status | None:
    """Where the real machine goes; None if it refuses, which leaves it where it was."""
    machine = chart(start_value=status.value)
    try:
        machine.send(event)
    except TransitionNotAllowed:
        assert [state.id for state in machine.configuration] == [status.value]
        return None
    (state,) = machine.configuration
    return Status(state.id)


@pytest.mark.parametrize(("status", "event"), PAIRS)
def test_the_table_says_what_the_machine_does(status: Status, event: str) -> None:
    """In every status, at every event; what isn't allowed leaves it where it was. (L1, L2)"""
    assert driven(TaskLifecycle, status, event) is TABLE.get((status, event))


def test_the_life_cycle_is_that_of_the_contract() -> None:
    """Five ways, and none out of done. (L1, L2)"""
    assert TABLE == {
        (Status.PENDING, "dispatch"): Status.RUNNING,
        (Status.RUNNING, "renew"): Status.RUNNING,
        (Status.RUNNING, "release"): Status.PENDING,
        (Status.RUNNING, "complete"): Status.DONE,
        (Status.RUNNING, "expire"): Status.PENDING,
    }


def test_the_statuses_that_the_core_uses_are_read_off_the_declaration() -> None:
    """Where a task is born, leased, given back and finished. (L1, L2, L3)"""
    assert [
        *(Status.PENDING, Status.RUNNING, Status.PENDING, Status.PENDING, Status.DONE, Status.DONE),
    ] == [BORN, LEASED, EXPIRED, RELEASED, COMPLETED, FINAL]
    assert [state.id for state in TaskLifecycle.states] == [status.value for status in Status]
    assert [state.id for state in TaskLifecycle().configuration] == [BORN.value]


@pytest.mark.parametrize(("status", "event"), TABLE)
def test_each_event_has_a_guard_and_a_false_one_stops_it(status: Status, event: str) -> None:
    """Then nothing happens, and it is said. (O4, O5, T3)"""

    class Forbidding(TaskLifecycle):
        """A machine one of whose guards doesn't hold."""

    setattr(Forbidding, GUARDS[event], lambda _: False)
    assert driven(Forbidding, status, event) is None


@pytest.mark.parametrize(("status", "event"), TABLE)
def test_the_other_guards_do_not_matter_to_an_event(status: Status, event: str) -> None:
    """Each event asks for its own. (O4, O5, T3)"""

    class Forbidding(TaskLifecycle):
        """A machine of whose guards only one holds."""

    for guard in set(GUARDS.values()) - {GUARDS[event]}:
        setattr(Forbidding, guard, lambda _: False)
    assert driven(Forbidding, status, event) is TABLE[status, event]


def test_an_error_in_a_guard_is_not_swallowed() -> None:
    """Nor taken for a no."""

    class Broken(TaskLifecycle):
        """A machine with a guard that can't be asked."""

        def worker_has_room(self) -> bool:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Broken().send("dispatch")


# A flat table can't say what these charts say.


def two_ways() -> type[StateChart[Any]]:
    class TwoWays(StateChart[Any]):
        pending = State(initial=True)
        running = State()
        done = State(final=True)
        go = pending.to(running, cond="first") | pending.to(done, unless="first")
        end = running.to(done)

        def first(self) -> bool:
            return True

    return TwoWays


def by_itself() -> type[StateChart[Any]]:
    class ByItself(StateChart[Any]):
        pending = State(initial=True)
        running = State()
        done = State(final=True)
        dispatch = pending.to(running)
        running.to(done, cond="ready")

        def ready(self) -> bool:
            return True

    return ByItself


def states_in_a_state() -> type[StateChart[Any]]:
    class StatesInAState(StateChart[Any]):
        pending = State(initial=True)

        class running(State.Compound):  # noqa: N801 - the name is the state's id
            early = State(initial=True)
            late = State(final=True)
            wait = early.to(late)

        done = State(final=True)
        dispatch = pending.to(running)
        complete = running.to(done)

    return StatesInAState


def states_at_once() -> type[StateChart[Any]]:
    class StatesAtOnce(StateChart[Any]):
        class running(State.Parallel):  # noqa: N801 - the name is the state's id
            class one(State.Compound):  # noqa: N801
                a = State(initial=True)
                b = State(final=True)
                go = a.to(b)

            class other(State.Compound):  # noqa: N801
                c = State(initial=True)
                d = State(final=True)
                leave = c.to(d)

    return StatesAtOnce


@pytest.mark.parametrize("chart", [two_ways, by_itself, states_in_a_state, states_at_once])
def test_a_chart_that_no_table_can_say_is_not_compiled(chart: Callable[[], type[StateChart[Any]]]) -> None:
    """Two ways for one event, a way without an event, or states inside states."""
    with pytest.raises(TypeError, match=chart().__name__):
        compiled(chart())


def test_a_chart_with_a_state_that_is_no_status_is_not_compiled() -> None:
    """The statuses are those of the values."""

    class Waiting(StateChart[Any]):
        waiting = State(initial=True)
        done = State(final=True)
        complete = waiting.to(done)

    with pytest.raises(ValueError, match="waiting"):
        compiled(Waiting)


def test_compiling_does_not_depend_on_the_order_of_declaration() -> None:
    """The table is that of the chart, however it was written."""

    class Rearranged(StateChart[Any]):
        done = State(final=True)
        running = State()
        pending = State(initial=True)
        expire = running.to(pending)
        complete = running.to(done)
        release = running.to(pending)
        renew = running.to(running)
        dispatch = pending.to(running)

    assert compiled(Rearranged) == TABLE
