"""The explorer reaches every state, finds what is wrong by the shortest way, and says no more than it knows."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import comb
from typing import Any

import pytest

from tenure import Lease, Scheduler
from tenure.checking import Scope, Verdict, explore
from tenure.checking.explorer import Exploration
from tenure.checking.quick import QuickReference, QuickTask
from tenure.checking.representations import REPRESENTATIONS, Started, memory, sqlite
from tenure.history import perform, recorded

# -- counts: those of the formal models, of a closed form, and of earlier measurements


@pytest.mark.parametrize(
    ("size", "states", "transitions", "durations"),
    [
        ((2, 2, 1), (18, 11, 15, 9), 118, None),
        ((2, 2, 1), (68, 36, 59, 31), 888, 4),
        ((3, 2, 2), (182, 95, 142, 73), 2936, None),
        pytest.param((3, 2, 2), (872, 440, 692, 348), 16184, 4, marks=pytest.mark.slow),
    ],
)
def test_the_states_of_the_memory_store_are_as_many_as_the_models_have(
    size: tuple[int, int, int], states: tuple[int, ...], transitions: int, durations: int | None
) -> None:
    """In fixed order, up to workers, up to tasks, up to both; transitions of the first."""
    tasks, workers, capacity = size
    symmetries = [(False, False), (True, False), (False, True), (True, True)]
    verdicts = [
        explore(
            memory, tasks=tasks, workers=workers, capacity=capacity, durations=durations, doubt=False,
            symmetric_workers=of_workers, symmetric_tasks=of_tasks,
        )
        for of_workers, of_tasks in symmetries
    ]  # fmt: skip
    assert [verdict.word for verdict in verdicts] == ["PROVED"] * 4
    assert tuple(verdict.states for verdict in verdicts) == states
    assert verdicts[0].transitions == transitions


@pytest.mark.slow
def test_four_tasks_and_two_workers_are_proved_for_every_duration() -> None:
    """The table has 1,442 states."""
    verdict = explore(memory, tasks=4, workers=2, capacity=2, doubt=False)
    assert (verdict.word, verdict.states, verdict.transitions) == ("PROVED", 1442, 35902)


def placements(workers: int, capacity: int, leases: int) -> int:
    """The ways to give distinct leases to workers none of which takes more than its capacity."""
    if workers == 0:
        return int(leases == 0)
    return sum(
        comb(leases, taken) * placements(workers - 1, capacity, leases - taken)
        for taken in range(min(capacity, leases) + 1)
    )


@pytest.mark.parametrize(
    ("tasks", "workers", "capacity", "most"), [(2, 2, 1, 4), (2, 1, 2, 3), (2, 2, 2, 2), (1, 3, 1, 5)]
)
def test_where_all_tasks_can_run_at_once_a_closed_form_gives_the_states(
    tasks: int, workers: int, capacity: int, most: int
) -> None:
    """An explorer that lost states would fail here."""
    closed = sum(
        comb(tasks, running) * 2 ** (tasks - running) * placements(workers, capacity, running) * most**running
        for running in range(tasks + 1)
    )
    verdict = explore(memory, tasks=tasks, workers=workers, capacity=capacity, durations=most, doubt=False)
    assert (verdict.word, verdict.states) == ("PROVED", closed)


@pytest.mark.parametrize("options", [{}, {"arrivals": True}, {"set_capacity": True}, {"forget_worker": True}])
def test_the_reduced_space_is_the_image_of_the_full_one(options: dict[str, Any]) -> None:
    full, reduced = Scope(**options), Scope(**options, symmetric_workers=True, symmetric_tasks=True)
    spaces = []
    for scope in (full, reduced):
        run = Exploration(memory, scope, {}, {}, True, None)
        assert run.run(None, None) == ""
        spaces.append(run)
    assert {reduced.reduced(key) for key in spaces[0].merged} == spaces[1].merged
    assert {reduced.reduced(key) for key in spaces[0].expanded} == set(spaces[1].expanded)
    assert len(spaces[1].merged) < len(spaces[0].merged)


# -- words


def quick() -> Started:
    """The reference in its quick form, since on machines it would take minutes."""
    scheduler = QuickReference()
    return Started(scheduler, lambda: None, scheduler.canonical)


PROVABLE = [quick, *(start for name, start in REPRESENTATIONS.items() if name != "reference")]


OPTIONS: list[dict[str, Any]] = [
    {},
    {"arrivals": True, "forget": True},
    {"set_capacity": True},
    {"forget_worker": True, "durations": 2},
]


@pytest.mark.parametrize(
    ("start", "options"),
    [
        pytest.param(start, options, marks=[pytest.mark.slow] if options and start is sqlite else [])
        for start in PROVABLE
        for options in OPTIONS
    ],
)
def test_each_representation_is_proved_with_what_the_word_stands_on(
    start: Callable[[], Started], options: dict[str, Any]
) -> None:
    verdict = explore(start, **options)
    assert verdict.word == "PROVED", str(verdict)
    assert "a second run at another time and scale had the same states" in str(verdict)


def test_three_tasks_are_proved_for_every_duration_within_the_default_run() -> None:
    verdict = explore(memory, tasks=3, workers=2, capacity=2)
    assert (verdict.word, verdict.states) == ("PROVED", 182)


def test_without_a_hook_the_word_is_passed_and_the_counts_are_told() -> None:
    verdict = explore(Scheduler)
    assert (verdict.word, verdict.states, verdict.history) == ("PASSED", 18, ())
    assert "18 states" in str(verdict) and "two paths to each" in str(verdict)


def test_a_limit_ends_it_undecided() -> None:
    assert explore(memory, max_states=5).word == "UNDECIDED"
    late = explore(memory, time_limit=0)
    assert (late.word, late.reason) == ("UNDECIDED", "ended by the time limit")


def test_what_never_happened_makes_agreement_say_little() -> None:
    nothing = explore(memory, tasks=0)
    assert (nothing.word, "granted" in nothing.reason) == ("UNDECIDED", True)
    never = explore(memory, sometimes={"three leases at once": lambda seen: len(seen.leases) == 3})
    assert (never.word, "three leases at once" in never.reason) == ("UNDECIDED", True)
    assert explore(memory, sometimes={"two leases at once": lambda seen: len(seen.leases) == 2}).word == "PROVED"


def test_what_must_always_be_so_is_refuted_by_the_shortest_history() -> None:
    verdict = explore(memory, always={"never two leases": lambda seen: len(seen.leases) < 2})
    assert verdict.word == "REFUTED"
    assert [event.op for event in verdict.history[-2:]] == ["dispatch", "dispatch"]
    assert len(verdict.history) == 2 + len(Scope().setup())


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    explore(memory, doubt=False, on_progress=lambda states, waiting: told.append((states, waiting)))
    assert len(told) == 20 and told[-1] == (20, 0)


# -- refutation


class LateTask(QuickTask):
    """A lease is live at its expiry, too."""

    def lease_is_over(self, now: int = 0) -> bool:
        return self.lease is not None and now > self.lease.expiry


class Late(QuickReference):
    """A scheduler of such."""

    new_task = LateTask


class Hundred(QuickReference):
    """No lease is longer than a hundred."""

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        return super().dispatch(worker, now=now, duration=min(duration, 100) if type(duration) is int else duration)


class Sorted(QuickReference):
    """What ended together is told in order of tasks."""

    def advance(self, *, now: int) -> tuple[Lease, ...]:
        return tuple(sorted(super().advance(now=now), key=lambda lease: (lease.expiry, lease.task_id)))


class Burning(QuickReference):
    """A refused completion uses up a token, which nothing shows at once."""

    def complete(self, task_id: int, token: int, *, now: int) -> bool:
        done = super().complete(task_id, token, now=now)
        self._last_token += not done
        return done


class Chancy(QuickReference):
    """Now and then a release doesn't count."""

    chance = random.Random(1)

    def release(self, task_id: int, token: int, *, now: int) -> bool:
        return self.chance.random() < 0.98 and super().release(task_id, token, now=now)


def bare(kind: type[QuickReference]) -> Verdict:
    """The verdict without a hook, as on somebody else's scheduler."""
    return explore(lambda: Started(kind(), lambda: None, None), tasks=3, workers=2, capacity=2, time_limit=100)


@pytest.mark.parametrize(("kind", "steps"), [(Late, 2), (Sorted, 5), (Burning, 2), (Chancy, None)])
def test_a_fault_is_refuted_by_a_short_history_that_shows_it_again(
    kind: type[QuickReference], steps: int | None
) -> None:
    verdict = bare(kind)
    assert verdict.word == "REFUTED"
    assert verdict.rule
    if steps is not None:
        beyond_setup = len(verdict.history) - len(Scope(tasks=3, workers=2).setup())
        assert beyond_setup <= steps
        reference = QuickReference()
        answers = [perform(reference, event.op, event.arguments) for event in verdict.history]
        assert answers[:-1] == list(verdict.history[:-1])
        assert answers[-1] != verdict.history[-1]


def test_a_length_of_time_that_is_special_is_found_at_another_scale() -> None:
    verdict = bare(Hundred)
    assert verdict.word == "REFUTED"
    assert verdict.history[-1].arguments["duration"] > 100


class Unanswering(QuickReference):
    """After a release nothing can be asked any more."""

    def release(self, task_id: int, token: int, *, now: int) -> bool:
        self.gone = super().release(task_id, token, now=now)
        return self.gone

    def leases(self) -> tuple[Lease, ...]:
        if getattr(self, "gone", False):
            raise RuntimeError("no longer")
        return super().leases()


def test_a_query_that_raises_is_refuted_and_no_traceback() -> None:
    verdict = explore(lambda: Started(Unanswering(), lambda: None, None))
    assert (verdict.word, verdict.rule, verdict.reason) == ("REFUTED", "O9", "a query raises RuntimeError: no longer")


def test_a_structure_that_is_not_what_the_data_make_it_is_refuted() -> None:
    def start() -> Started:
        scheduler = QuickReference()

        def check() -> None:
            assert not scheduler.leases(), "there is a lease"

        return Started(scheduler, check, scheduler.canonical)

    verdict = explore(start)
    assert (verdict.word, verdict.rule, verdict.history[-1].op) == ("REFUTED", "check", "dispatch")


def test_that_a_bad_argument_is_accepted_hides_nothing_worse() -> None:
    """It is told in the end, if all else is as it must be. (V3, T4)"""

    class Careless(QuickReference):
        def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
            return None if worker == "" else super().dispatch(worker, now=now, duration=duration)

    class Late(Careless):
        def complete(self, task_id: int, token: int, *, now: int) -> bool:
            lease = next((lease for lease in self.leases() if lease.token == token), None)
            return super().complete(task_id, token, now=now - 1 if lease and lease.expiry == now else now)

    careless = explore(lambda: recorded(Careless(), print_nothing), exact_errors=False)
    late = explore(lambda: recorded(Late(), print_nothing), exact_errors=False)
    assert (careless.word, careless.rule, careless.states) == ("REFUTED", "V3", 18)
    assert (late.word, late.rule, len(late.history)) == ("REFUTED", "T4", 4)


def print_nothing(event: object) -> None:
    """A sink for a recorder whose calls nobody reads."""
