"""The declared lifecycle of a task, and the table compiled from it: the only place that says which event leads where.

A machine for each task would cost about 10 kB and 150 us an event, so the core uses the statuses bound
below; they are read off the declaration at import, and a test drives the real machine through
every state and event and compares.
"""

from __future__ import annotations

from typing import Any

from statemachine import State, StateChart

from .values import Status


class TaskLifecycle(StateChart[Any]):
    """A task is pending, running or done, and done is final. (L1, L2)

    The guards say what each event needs besides its state. They hold here, where no lease is known;
    whoever knows leases overrides them, as `tenure.checking.reference` does.
    """

    allow_event_without_transition = False
    catch_errors_as_events = False

    pending = State(initial=True)
    running = State()
    done = State(final=True)

    dispatch = pending.to(running, cond="worker_has_room")
    renew = running.to(running, cond="token_is_current")
    release = running.to(pending, cond="token_is_current")
    complete = running.to(done, cond="token_is_current")
    expire = running.to(pending, cond="lease_is_over")

    def worker_has_room(self) -> bool:
        """The worker holds fewer leases than its capacity. (O4)"""
        return True

    def token_is_current(self) -> bool:
        """The token is that of the task's lease, which is still live. (O5)"""
        return True

    def lease_is_over(self) -> bool:
        """The task's lease has reached its expiry. (T3)"""
        return True


def compiled(chart: type[StateChart[Any]]) -> dict[tuple[Status, str], Status]:
    """Where each event leads from each status, if its guard holds; an absent pair is not allowed.

    Raises TypeError where a flat table can't say what the chart says. O(transitions).
    """
    table: dict[tuple[Status, str], Status] = {}
    for state in chart.states:
        for transition in state.transitions:
            if transition.is_eventless or transition.target is None:
                raise TypeError(f"{chart.__name__}: {transition} has no event or no target, so no place in a table")
            for event in transition.events:
                key = Status(state.id), str(event)
                if key in table:
                    raise TypeError(f"{chart.__name__}: two transitions for {event!s} from {state.id}")
                table[key] = Status(transition.target.id)
    return table


TABLE = compiled(TaskLifecycle)

(BORN,) = (Status(state.id) for state in TaskLifecycle.states if state.initial)
(FINAL,) = (Status(state.id) for state in TaskLifecycle.states if state.final)
(LEASED,) = {target for (_, event), target in TABLE.items() if event == "dispatch"}
EXPIRED = TABLE[LEASED, "expire"]
RELEASED = TABLE[LEASED, "release"]
COMPLETED = TABLE[LEASED, "complete"]
