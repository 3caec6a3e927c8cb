"""A report says one of four words, and never one for another; what wasn't run says so, and each rule has a history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from foreign import Foreign, blind, wrong

from tenure.checking.check import NOT_RUN, PARTS, Budget, Part, Report, check
from tenure.checking.faults import FAULTS
from tenure.checking.quick import QuickReference
from tenure.checking.report import as_json, chosen, counterexamples
from tenure.checking.scope import Scope
from tenure.checking.targets.adapted import started
from tenure.checking.targets.target import Target, own
from tenure.checking.verdict import PASSED, PROVED, REFUTED, UNDECIDED
from tenure.history import perform

SMALL = Scope(tasks=1, workers=1)
FEW = Budget(examples=20)


def target(make: Callable[[], Any]) -> Target:
    return Target("a test's", make, started(make()).abilities, False, "")


def checked(make: Callable[[], Any], *parts: str, scope: Scope = SMALL, budget: Budget = FEW) -> Report:
    return check(target(make), scope, budget, parts=parts or PARTS)


def words(report: Report) -> dict[str, str]:
    return {part.name: part.word for part in report.parts}


# -- the word


@pytest.mark.parametrize(
    ("parts", "word"),
    [
        ([PASSED, PROVED, PASSED], PROVED),
        ([PASSED, PASSED, PASSED], PASSED),
        ([PASSED], PASSED),
        ([PASSED, UNDECIDED, PASSED], UNDECIDED),
        ([REFUTED, UNDECIDED, NOT_RUN], REFUTED),
        ([PASSED, REFUTED, NOT_RUN], REFUTED),
        ([REFUTED, PROVED, PASSED], REFUTED),
        ([UNDECIDED, PROVED], UNDECIDED),
    ],
)
def test_the_whole_has_the_first_word_that_a_part_has(parts: list[str], word: str) -> None:
    made = tuple(Part(str(number), each, "", {}, {}) for number, each in enumerate(parts))
    assert Report(own(), True, made, ()).word == word


def test_tenures_own_is_proved_and_without_the_explorer_only_passed() -> None:
    report = check(own(), SMALL, FEW)
    assert (report.word, words(report)) == (PROVED, {"dialogues": PASSED, "explorer": PROVED, "machine": PASSED})
    assert check(own(), SMALL, FEW, parts=("dialogues",)).word == PASSED
    assert report.found == ()


@pytest.mark.parametrize("make", [Foreign, blind(QuickReference)])
def test_a_right_foreign_one_passes_and_is_never_proved(make: Callable[[], Any]) -> None:
    report = checked(make)
    assert (report.word, words(report)) == (PASSED, dict.fromkeys(PARTS, PASSED))


def test_a_limit_leaves_it_undecided_though_all_that_was_tried_agreed() -> None:
    report = checked(Foreign, budget=FEW._replace(max_states=1))
    assert (report.word, words(report)["explorer"]) == (UNDECIDED, UNDECIDED)
    assert report.parts[1].said.endswith("; ended by more than 1 states")


def test_a_limit_doesn_t_hide_what_another_part_found() -> None:
    report = checked(wrong("late-completion"), budget=FEW._replace(max_states=1), scope=Scope())
    assert report.word == REFUTED


def test_a_scope_in_which_nothing_happens_is_undecided() -> None:
    assert checked(Foreign, "explorer", scope=Scope(tasks=0)).word == UNDECIDED


# -- parts


@pytest.mark.parametrize("part", PARTS)
def test_only_the_parts_that_were_asked_for_are_run(part: str) -> None:
    assert words(checked(Foreign, part)) == {part: PASSED}


@pytest.mark.parametrize("part", PARTS)
def test_each_part_alone_refutes_what_is_wrong(part: str) -> None:
    report = checked(wrong("late-completion"), part, budget=Budget())
    assert (report.word, [*words(report).values()]) == (REFUTED, [REFUTED])
    assert report.found[0].wrong.rule == "T4"
    assert report.parts[0].broken["T4"] >= 1


def test_the_machine_is_not_run_where_the_explorer_has_refuted() -> None:
    report = checked(wrong("late-completion"))
    assert words(report) == {"dialogues": REFUTED, "explorer": REFUTED, "machine": NOT_RUN}
    assert report.parts[2].said == "the explorer has found enough"


def test_the_machine_is_run_where_only_the_dialogues_have_refuted() -> None:
    report = checked(wrong("ids-as-text"))
    assert words(report) == {"dialogues": REFUTED, "explorer": PASSED, "machine": PASSED}
    assert report.word == REFUTED


def test_dialogues_that_can_not_be_played_are_told_as_not_asked() -> None:
    class Typed(Foreign):
        abilities = {"typed_arguments": False}  # noqa: RUF012

    (part,) = checked(Typed, "dialogues").parts
    assert part.figures["played"] < part.figures["all"]
    assert part.said.endswith(f", {part.figures['all'] - part.figures['played']} not asked")
    (part,) = checked(Foreign, "dialogues").parts
    assert "not asked" not in part.said


# -- histories


def test_each_rule_that_was_seen_broken_has_its_shortest_history_and_the_shortest_comes_first() -> None:
    report = checked(wrong("token-not-asked"), "dialogues", "explorer")
    rules = [each.wrong.rule for each in report.found]
    assert {"O5", "O6", "O7"} <= {*rules}
    assert len(rules) == len({*rules})
    lengths = [len(each.wrong.history) for each in report.found]
    assert lengths == sorted(lengths)
    assert {*rules} <= {rule for part in report.parts for rule in part.broken}


def test_a_history_tells_the_scheduler_s_own_answers_and_breaks_its_rule_again() -> None:
    make = wrong("late-completion")
    for each in checked(make, "dialogues", "explorer").found:
        scheduler = started(make()).scheduler
        assert (
            tuple(perform(scheduler, event.op, event.arguments) for event in each.wrong.history) == each.wrong.history
        )


def test_shortest_is_claimed_only_where_it_is_so() -> None:
    """Of what can't be looked at, the explorer tries several calls at once."""
    (seen,) = checked(wrong("closed-interval"), "explorer").found
    (unseen,) = checked(blind(FAULTS["closed-interval"]), "explorer").found
    assert (seen.shortest, unseen.shortest) == (True, False)
    assert all(not each.shortest for each in checked(wrong("closed-interval"), "dialogues").found)


def test_without_workers_nobody_is_blamed_for_what_only_workers_do() -> None:
    """A right scheduler without a list of workers passes, however long the histories that are tried."""

    class Free(Foreign):
        abilities = {"lacks": ["workers", "queries"]}  # noqa: RUF012

        def dispatch(self, who: str, *, now: int, duration: int) -> Any:
            if self._own.worker(who) is None:
                self._own.add_worker(who, 10**6)
            return super().dispatch(who, now=now, duration=duration)

    report = checked(Free)
    assert (report.word, report.found) == (PASSED, ())


def test_the_class_of_a_rejection_matters_on_request() -> None:
    class Rough(Foreign):
        def advance(self, *, now: int) -> Any:
            try:
                return super().advance(now=now)
            except ValueError:
                raise RuntimeError("no") from None

    rough = target(Rough)
    assert check(rough, SMALL, FEW).word == PASSED
    assert check(rough, SMALL, FEW, parts=("explorer",), exact_errors=True).word == REFUTED


class Chancy(Foreign):
    """Every 37th completion is forgotten, on whichever scheduler."""

    made = 0

    def complete(self, job: Any, proof: Any, *, now: int) -> bool:
        Chancy.made += 1
        return False if Chancy.made % 37 == 0 else super().complete(job, proof, now=now)


@pytest.mark.parametrize("part", ["explorer", "machine"])
def test_what_goes_wrong_now_and_then_is_refuted_and_no_traceback(part: str) -> None:
    report = checked(Chancy, part, scope=Scope(), budget=Budget())
    assert report.word == REFUTED
    assert report.found[0].wrong.history


# -- as data


def test_a_report_is_plain_data_too() -> None:
    report = checked(wrong("late-completion"))
    told = as_json(report)
    assert (told["version"], told["verdict"], told["target"]) == (1, REFUTED, "a test's")
    assert [part["part"] for part in told["parts"]] == [*PARTS]
    assert len(told["counterexamples"]) == len(report.found)


def test_the_rule_that_was_asked_for_is_chosen_else_the_shortest() -> None:
    found = counterexamples(checked(wrong("token-not-asked"), "dialogues"))
    assert chosen(found, "O7") is not found[0] or found[0].rule == "O7"
    assert chosen(found, "O7").rule == "O7"  # type: ignore[union-attr]
    assert chosen(found, "V5") is found[0] and chosen((), "O7") is None


def test_progress_is_told_by_part() -> None:
    told: list[str] = []
    check(own(), SMALL, FEW, on_progress=lambda part, how_far: told.append(part))
    assert [*dict.fromkeys(told)] == [*PARTS]
