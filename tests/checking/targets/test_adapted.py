"""Somebody else's scheduler in this process is asked in its own form, and what it lacks is left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from foreign import BLIND, Foreign, Refusing, WithGaps, WithUuids, blind, wrong

from tenure import Lease, Scheduler, Status
from tenure.checking import explore
from tenure.checking.dialogue import Differs, applies, dialogues, play
from tenure.checking.quick import QuickReference
from tenure.checking.representations import Started
from tenure.checking.targets.abilities import FULL
from tenure.checking.targets.adapted import started
from tenure.checking.views import view
from tenure.errors import TargetFailed
from tenure.history import perform
from tenure.wire import Odd

KINDS = [Foreign, WithUuids, WithGaps, Refusing, blind(QuickReference)]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("add_worker", {"worker": "w1", "capacity": 2}),
    ("add_task", {"priority": 5, "payload": b"x"}),
    ("add_task", {}),
    ("dispatch", {"worker": "w1", "now": 5, "duration": 5}),
    ("dispatch", {"worker": "w1", "now": 6, "duration": 5}),
    ("complete", {"task_id": 1, "token": 1, "now": 7}),
    ("complete", {"task_id": 2, "token": 3, "now": 7}),
    ("renew", {"task_id": 2, "token": 2, "now": 8, "duration": 9}),
    ("advance", {"now": 17}),
    ("dispatch", {"worker": "w1", "now": 17, "duration": 1}),
    ("release", {"task_id": 2, "token": 3, "now": 17}),
    ("forget", {"task_id": 1}),
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_right_one_answers_as_the_contract_has_it_whatever_its_form(kind: Callable[[], Any]) -> None:
    foreign, reference = started(kind()), QuickReference()
    for op, arguments in CALLS:
        assert perform(foreign.scheduler, op, arguments) == perform(reference, op, arguments)
        if foreign.abilities.shows:
            assert view(foreign.scheduler) == view(reference)


@pytest.mark.parametrize("kind", KINDS)
def test_a_right_one_passes_the_dialogues_and_the_explorer(kind: Callable[[], Any]) -> None:
    abilities = started(kind()).abilities
    played = [dialogue for dialogue in dialogues() if applies(dialogue, abilities)]
    for dialogue in played:
        play(dialogue, kind(), exact_errors=False)
    verdict = explore(kind, tasks=1, exact_errors=False, doubt=False)
    assert (verdict.word, verdict.reason) == ("PASSED", "")
    assert len(played) > 45


@pytest.mark.parametrize("kind", KINDS[:4])
def test_a_wrong_one_is_refuted_whatever_its_form(kind: type[Foreign]) -> None:
    verdict = explore(wrong("late-completion", kind), tasks=1, workers=1, exact_errors=False, doubt=False)
    assert (verdict.word, verdict.rule) == ("REFUTED", "T4")
    (late,) = [dialogue for dialogue in dialogues() if dialogue.title.startswith("A lease of the shortest duration")]
    with pytest.raises(Differs):
        play(late, wrong("late-completion", kind)(), exact_errors=False)


def test_tenures_own_is_taken_as_it_is() -> None:
    scheduler = Scheduler()
    own = started(scheduler)
    assert (own.scheduler, own.abilities) == (scheduler, FULL)
    assert started(own) is own


def test_ids_and_tokens_go_back_in_their_own_form() -> None:
    given: list[Any] = []

    class Noting(WithUuids):
        def complete(self, job: Any, proof: Any, *, now: int) -> bool:
            given.extend([job, proof])
            return super().complete(job, proof, now=now)

    scheduler = started(Noting()).scheduler
    scheduler.add_worker("w1", capacity=1)
    task_id = scheduler.add_task()
    lease = scheduler.dispatch("w1", now=0, duration=5)
    assert lease is not None and (task_id, lease.token) == (1, 1)
    assert scheduler.complete(task_id, lease.token, now=1)
    assert not scheduler.complete(task_id, 2, now=1)
    assert given == [UUID(int=2**100 - 7)] * 3 + ["unknown-2"]


@pytest.mark.parametrize("kind", [WithUuids, WithGaps])
def test_a_token_that_was_used_before_is_noticed_whatever_its_form(kind: type[Foreign]) -> None:
    class Again(kind):  # type: ignore[misc, valid-type]
        def grant(self, lease: Lease | None) -> Any:
            return super().grant(lease and lease._replace(token=1))

    verdict = explore(Again, tasks=2, workers=1, exact_errors=False, doubt=False)
    assert (verdict.word, verdict.rule) == ("REFUTED", "I2")


def test_ids_that_said_to_increase_and_do_not_are_refuted() -> None:
    class Falling(WithGaps):
        def number(self, own: int) -> Any:
            return 10**6 - own

        def plain(self, number: Any) -> Any:
            return 10**6 - number

    verdict = explore(Falling, tasks=1, workers=1, exact_errors=False, doubt=False)
    assert (verdict.word, verdict.rule) == ("REFUTED", "I1")
    assert "answered 999998 after 999999, and must be an integer above it" in verdict.reason


# -- what is lacking


@pytest.mark.parametrize("op", ["renew", "release", "set_capacity", "forget", "forget_worker"])
def test_a_missing_operation_is_lacking_and_told_as_not_checked(op: str) -> None:
    without = type("Without", (Foreign,), {op: property(lambda self: self.nowhere)})
    assert started(without()).abilities.lacks == {op}
    verdict = explore(without, tasks=1, workers=1, exact_errors=False, doubt=False)
    assert verdict.word == "PASSED"
    assert len(verdict.not_checked) == 1 and verdict.not_checked[0].startswith(f"{op} (O")


def test_one_missing_query_is_as_none() -> None:
    without = type("Without", (Foreign,), {"next_expiry": property(lambda self: self.nowhere)})
    assert not started(without()).abilities.shows


def test_what_it_says_that_it_lacks_is_not_asked_though_it_is_there() -> None:
    class Unready(Foreign):
        abilities = {"lacks": ["renew"]}  # noqa: RUF012

        def renew(self, *values: Any, **named: Any) -> Any:
            raise NotImplementedError

    assert explore(Unready, tasks=1, workers=1, exact_errors=False, doubt=False).word == "PASSED"


class Nothing:
    """It has no methods at all."""


def changed(**attributes: Any) -> Callable[[], Any]:
    return lambda: type("Queue", (Foreign,), attributes)()


def positional(self: Any, who: str, now: int, seconds: int) -> None: ...


def too_few(self: Any, job: int, *, now: int) -> None: ...


async def later(self: Any, who: str, *, now: int, duration: int) -> None: ...


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Nothing, "a Nothing, can't be checked: it has no add_task, add_worker, advance, complete, dispatch, which"),
        (lambda: None, "a NoneType, can't be checked: it has no"),
        (changed(dispatch=property(lambda self: self.nowhere)), "it has no dispatch, which every scheduler needs"),
        (changed(dispatch=positional), "its dispatch can't be called as dispatch(worker, now=..., duration=...): "),
        (changed(complete=too_few), "its complete can't be called as complete(task_id, token, now=...): "),
        (changed(add_task=lambda self, job: 1), "its add_task can't be called as add_task(priority, payload)"),
        (changed(add_task=lambda self, job, payload: 1), "its add_task can't be called as add_task()"),
        (changed(dispatch=later), "its dispatch is a coroutine function"),
        (changed(dispatch=5), "its dispatch is no method"),
        (changed(abilities={"lacks": ["dispatch"]}), "lacks must be a list of names from"),
        (changed(abilities={"lack": ["renew"]}), "its abilities have 'lack', and may have only lacks, numbering"),
        (changed(abilities=lambda self: {}), "its abilities must be a mapping"),
    ],
)
def test_what_can_not_be_checked_at_all_is_said_before_anything_is_tried(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(TargetFailed) as failed:
        started(make())
    assert said in failed.value.reason


# -- what goes wrong


def test_what_a_call_raises_is_a_rejection() -> None:
    scheduler = started(Foreign()).scheduler
    assert perform(scheduler, "advance", {"now": -1}).error == "ValueError"


@pytest.mark.parametrize("error", [SystemExit(0), SystemExit("over"), GeneratorExit()])
def test_what_would_end_the_program_ends_the_check_instead(error: BaseException) -> None:
    """Else a scheduler that calls sys.exit(0) would seem to be proved."""

    class Leaving(Foreign):
        def advance(self, *, now: int) -> Any:
            raise error

    with pytest.raises(TargetFailed, match=r"Leaving.advance raised .*, which ends a program"):
        explore(Leaving, exact_errors=False)


def test_an_interrupt_is_the_user_s() -> None:
    class Interrupted(Foreign):
        def advance(self, *, now: int) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        started(Interrupted()).scheduler.advance(now=1)


def test_a_value_that_can_not_be_read_is_a_refutation_and_no_traceback() -> None:
    class Textual(Foreign):
        def grant(self, lease: Lease | None) -> Any:
            return lease and f"lease {lease.token}"

    verdict = explore(Textual, tasks=1, workers=1, exact_errors=False)
    assert (verdict.word, verdict.history[-1].op) == ("REFUTED", "dispatch")
    assert isinstance(verdict.history[-1].answer, Odd)
    assert "it has no task_id" in verdict.history[-1].answer.repr


def test_a_query_that_raises_is_a_refutation_and_no_traceback() -> None:
    class Absent(Foreign):
        def worker(self, who: str) -> Any:
            return {"w1": self._own.worker("w1")}[who]._asdict()

    verdict = explore(Absent, tasks=1, workers=1, exact_errors=False)
    assert (verdict.word, verdict.rule) == ("REFUTED", "O9")
    unknown, *_ = [each for each in dialogues() if any(step.wanted == "refused unknown worker" for step in each.steps)]
    with pytest.raises(Differs):
        play(unknown, Absent(), exact_errors=False)


def test_values_that_are_of_a_subclass_or_change_later_are_read_at_once() -> None:
    """So that they are cut off is checked of Tenure's own alone. (V5)"""
    scheduler = started(Foreign()).scheduler
    scheduler.add_task()
    (task,) = scheduler.tasks()
    scheduler.forget(1)
    assert task.status is Status.PENDING


def test_calls_may_wait_until_an_answer_is_wanted() -> None:
    foreign: Started = started(WithUuids())
    replayed: Any = foreign.scheduler
    replayed.replay(CALLS)
    reference = QuickReference()
    for op, arguments in CALLS:
        perform(reference, op, arguments)
    assert view(foreign.scheduler) == view(reference)
    assert {op for op, _ in CALLS} <= {*BLIND}
