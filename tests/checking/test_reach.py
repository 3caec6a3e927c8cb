"""How many states a scope has is said in closed form, and how many of them were met is counted as the explorer does."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tenure.checking import Scope, explore
from tenure.checking.quick import QuickReference
from tenure.checking.reach import Reach, placings, weak_orders
from tenure.checking.representations import memory
from tenure.checking.targets.abilities import Call
from tenure.checking.views import view
from tenure.history import perform


@pytest.mark.parametrize(
    ("size", "states"),
    [((2, 2, 1), 18), ((3, 2, 2), 182), ((4, 3, 2), 7306), ((5, 3, 2), 104102), ((0, 1, 1), 1), ((1, 1, 1), 3)],
)
def test_the_total_is_that_of_the_models(size: tuple[int, int, int], states: int) -> None:
    assert Reach(Scope(*size)).total == states


@pytest.mark.parametrize("size", [(1, 1, 1), (2, 2, 1), (2, 1, 2), (3, 1, 3), (2, 3, 1)])
def test_the_total_is_what_the_explorer_counts(size: tuple[int, int, int]) -> None:
    verdict = explore(memory, Scope(*size), doubt=False)
    assert (verdict.word, verdict.states) == ("PROVED", Reach(Scope(*size)).total)


def test_leases_are_placed_and_ordered_in_so_many_ways() -> None:
    assert [weak_orders(things) for things in range(6)] == [1, 1, 3, 13, 75, 541]
    assert [placings(leases, 2, 2) for leases in range(6)] == [1, 2, 4, 6, 6, 0]
    assert (placings(0, 0, 1), placings(1, 0, 1)) == (1, 0)


@pytest.mark.parametrize(
    "options",
    [
        {"durations": 4},
        {"arrivals": True},
        {"set_capacity": True},
        {"forget": True},
        {"forget_worker": True},
        {"symmetric_tasks": True},
        {"symmetric_workers": True},
        {"tasks": 3},
    ],
)
def test_a_scope_without_a_closed_form_is_refused(options: dict[str, Any]) -> None:
    """Where not all tasks can run at once, some states can't be reached, since the first in order goes first."""
    with pytest.raises(ValueError, match=r"only scopes .* can be counted"):
        Reach(Scope(**options))


def test_what_is_met_counts_once_and_only_if_it_is_of_the_scope() -> None:
    reach, scheduler = Reach(Scope(tasks=1, workers=1)), QuickReference()
    told = []
    calls: list[Call] = [
        ("add_worker", {"worker": "w", "capacity": 1}),
        ("add_task", {}),
        ("advance", {"now": 3}),
        ("dispatch", {"worker": "w", "now": 3, "duration": 9}),
        ("renew", {"task_id": 1, "token": 1, "now": 4, "duration": 99}),
        ("complete", {"task_id": 1, "token": 1, "now": 5}),
        ("set_capacity", {"worker": "w", "capacity": 2}),
        ("add_task", {}),
    ]
    for op, arguments in calls:
        perform(scheduler, op, arguments)
        reach.meet(view(scheduler))
        told.append(len(reach.met))
    assert told == [0, 1, 1, 2, 2, 3, 3, 3]
    assert all(one <= other for one, other in pairwise(told))
    assert str(reach) == "3 of the 3 states of 1 task, 1 worker of capacity 1, any duration"
