"""A history is made short and plain, still breaks the same rule, and tells the scheduler's own answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from foreign import Foreign, blind, wrong

from tenure.checking.faults import FAULTS
from tenure.checking.quick import QuickReference
from tenure.checking.representations import Started
from tenure.checking.shortening import Starting, first_wrong, shortened, simplified
from tenure.checking.targets.abilities import Call
from tenure.checking.targets.adapted import started
from tenure.history import perform

LONG: list[Call] = [
    ("add_worker", {"worker": "w1", "capacity": 1}),
    ("add_worker", {"worker": "w2", "capacity": 2}),
    ("add_task", {"priority": 2**63 - 2, "payload": b"x"}),
    ("add_task", {"priority": 9}),
    ("add_task", {}),
    ("dispatch", {"worker": "w1", "now": 1, "duration": 5}),
    ("dispatch", {"worker": "w2", "now": 2, "duration": 5}),
    ("advance", {"now": 3}),
    ("advance", {"now": 2}),
    ("forget", {"task_id": 3}),
    ("complete", {"task_id": 1, "token": 1, "now": 4}),
    ("dispatch", {"worker": "w1", "now": 4, "duration": 4}),
    ("complete", {"task_id": 2, "token": 2, "now": 8}),
]


def starting(make: Callable[[], Any]) -> Starting:
    return lambda: (started(make()), QuickReference())


def bare(fault: str) -> Starting:
    return lambda: (Started(FAULTS[fault](), lambda: None, None), QuickReference())


def test_a_right_one_has_no_wrong_call() -> None:
    for make in (QuickReference, Foreign, blind(QuickReference)):
        assert first_wrong(starting(make), LONG, exact_errors=False) is None


@pytest.mark.parametrize("start", [bare("late-completion"), starting(wrong("late-completion"))], ids=["own", "foreign"])
def test_the_first_wrong_call_ends_the_history(start: Starting) -> None:
    found = first_wrong(start, [*LONG, ("advance", {"now": 99})], exact_errors=False)
    assert found is not None
    assert (found.rule, len(found.history), found.history[-1].answer) == ("T4", len(LONG), True)
    assert found.expected is not None and found.expected.answer is False


def test_what_can_go_goes_and_the_rest_is_called_by_what_it_is_then() -> None:
    """The second task becomes the first, and so does its lease."""
    start = bare("late-completion")
    found = first_wrong(start, LONG, exact_errors=True)
    assert found is not None
    short = shortened(start, found, exact_errors=True)
    assert [event.op for event in short.history] == ["add_worker", "add_task", "dispatch", "complete"]
    assert short.history[-1].arguments == {"task_id": 1, "token": 1, "now": 8}
    assert (short.rule, short.history[-1].answer) == (found.rule, True)
    plain = simplified(start, short, exact_errors=True)
    assert plain.history[1].arguments == {"priority": 0}


def test_a_payload_or_priority_that_matters_stays() -> None:
    start = bare("empty-payload-is-none")
    found = first_wrong(start, [("add_task", {"priority": 5, "payload": b""})], exact_errors=True)
    assert found is not None
    assert simplified(start, found, exact_errors=True).history[0].arguments == {"priority": 0, "payload": b""}


def test_where_answers_are_right_and_the_state_is_not_nothing_was_expected() -> None:
    found = first_wrong(bare("adding-takes-time"), LONG, exact_errors=True)
    assert found is not None
    assert (found.expected, found.rule, found.history[-1].op) == (None, "T2", "add_task")


def test_a_query_that_raises_is_named() -> None:
    class Unanswering(Foreign):
        def counts(self) -> dict[str, int]:
            raise OSError("no database")

    found = first_wrong(starting(Unanswering), LONG, exact_errors=False)
    assert found is not None
    assert (found.rule, found.reason) == ("O9", "a query raises OSError: no database")


def test_a_structure_that_is_damaged_and_what_is_kept_beside_are_named() -> None:
    def damaged() -> tuple[Started, QuickReference]:
        scheduler = QuickReference()

        def check() -> None:
            assert not scheduler.leases(), "there is a lease"

        return Started(scheduler, check, None), QuickReference()

    def hoarding() -> tuple[Started, QuickReference]:
        scheduler = QuickReference()
        return Started(scheduler, lambda: None, QuickReference(last_id=5).canonical), QuickReference()

    found = first_wrong(damaged, LONG, exact_errors=True)
    assert found is not None and (found.rule, len(found.history)) == ("check", 6)
    kept = first_wrong(hoarding, LONG, exact_errors=True)
    assert kept is not None and (kept.rule, len(kept.history)) == ("P7", 1)


def test_a_scheduler_without_workers_knows_any_however_its_history_is_shortened() -> None:
    """Else what is shortest would be a dispatch to a worker that nobody added."""

    class Free(blind(QuickReference)):  # type: ignore[misc]
        abilities = {"lacks": ["workers"]}  # noqa: RUF012

        def dispatch(self, worker: str, *, now: int, duration: int) -> Any:
            perform(self.own, "add_worker", {"worker": worker, "capacity": 10**6})
            return self.own.dispatch(worker, now=now, duration=duration)

    class Late(Free):
        def complete(self, task_id: int, token: int, *, now: int) -> Any:
            lease = task.lease if (task := self.own.task(task_id)) else None
            return self.own.complete(task_id, token, now=min(now, lease.expiry - 1) if lease else now)

    assert first_wrong(starting(Free), LONG, exact_errors=False) is None
    found = first_wrong(starting(Late), LONG, exact_errors=False)
    assert found is not None
    short = shortened(starting(Late), found, exact_errors=False)
    assert (short.rule, [event.op for event in short.history]) == ("T4", ["add_task", "dispatch", "complete"])
