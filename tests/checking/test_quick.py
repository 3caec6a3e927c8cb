"""The quick reference is the reference: each event, each answer, each state; and its copies go their own ways."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from contract.walks import walk

from tenure import Lease, Status
from tenure.checking import Reference
from tenure.checking.quick import QuickReference, QuickTask
from tenure.checking.reference import TaskMachine, TaskRules
from tenure.checking.views import view
from tenure.history import perform
from tenure.lifecycle import TABLE

EVENTS = sorted({event for _, event in TABLE})
LEASE = Lease(task_id=1, worker="a", token=1, attempt=1, start=0, expiry=10, payload=b"x")
REACHED_BY: dict[Status, tuple[str, ...]] = {
    Status.PENDING: (),
    Status.RUNNING: ("dispatch",),
    Status.DONE: ("dispatch", "complete"),
}


def facts(holds: bool) -> dict[str, Any]:
    """All that any event may ask, for which each guard holds or none does."""
    return {
        "held": 0 if holds else 1,
        "capacity": 1,
        "lease": LEASE,
        "token": 1 if holds else 2,
        "expiry": 20,
        "now": 10 if holds else 9,
    }


def in_status(kind: type[TaskRules], status: Status) -> TaskRules:
    task = kind(1, 5, b"x")
    assert all(task.take(event, **facts(True)) for event in REACHED_BY[status])
    assert task.status is status
    return task


@pytest.mark.parametrize(("status", "event", "holds"), [*product(Status, EVENTS, (True, False))])
def test_a_quick_task_takes_what_the_machine_takes_and_is_then_the_same(
    status: Status, event: str, holds: bool
) -> None:
    quick, real = in_status(QuickTask, status), in_status(TaskMachine, status)
    taken = quick.take(event, **facts(holds))
    assert taken is real.take(event, **facts(holds)) is (holds and (status, event) in TABLE)
    assert quick.seen() == real.seen()


@pytest.mark.parametrize("seed", range(3))
def test_the_quick_reference_agrees_with_the_reference_on_a_walk(seed: int) -> None:
    reference = Reference()
    for step in walk(QuickReference(), seed, 150):
        event = perform(reference, step.operation, step.arguments)
        answer = step.answer.__name__ if step.rejected else step.answer
        assert (event.error or event.answer) == answer
        assert view(reference) == step.after


@pytest.mark.parametrize("seed", range(3))
def test_a_snapshot_is_what_the_queries_see_and_all_that_is_kept(seed: int) -> None:
    for length in range(0, 200, 20):
        reference = QuickReference()
        walk(reference, seed, length)
        assert reference.snapshot() == (view(reference), reference.canonical())


def test_a_copy_and_its_original_go_their_own_ways() -> None:
    """Whichever of them goes on, the other stays."""
    original = QuickReference()
    walk(original, 1, 100)
    copy, before = original.copy(), original.canonical()
    assert copy.canonical() == before
    walk(copy, 2, 100)
    assert original.canonical() == before
    moved = copy.canonical()
    assert moved != before
    walk(original, 3, 100)
    assert copy.canonical() == moved


def test_a_copy_is_of_its_originals_class() -> None:
    class Other(QuickReference):
        pass

    assert type(Other().copy()) is Other
