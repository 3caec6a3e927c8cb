"""A failure told: what went wrong is said first, truly, and the same in each form; the file that repeats it does."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from failures import FAILURES, ODD, ONE, failure, made

from tenure import Scheduler
from tenure.checking import explore
from tenure.checking.counterexample import Counterexample, drawing, from_verdict, headline, steps
from tenure.checking.faults import FAULTS
from tenure.checking.literals import call, literal
from tenure.checking.sentences import sentence, told
from tenure.checking.telling import as_json, page, reproduction, save, svg, text
from tenure.checking.views import view
from tenure.history import Event, perform, read
from tenure.lanes.drawing import CONCERNED, WRONG, cells
from tenure.wire import Odd

WIDTHS = (60, 80, 120)
ANSI = re.compile(r"\033\[[0-9;]*m")


def every_form(counterexample: Counterexample) -> list[str]:
    said = [text(counterexample, width, colour) for width in WIDTHS for colour in (False, True)]
    more = [svg(counterexample), page(counterexample), json.dumps(as_json(counterexample))]
    return [*said, *more, reproduction(counterexample)]


# -- what is said


def test_the_verdict_the_rule_and_what_went_wrong_come_first() -> None:
    first, *_ = text(failure("late completion")).splitlines()
    assert first == "REFUTED T4  complete(1, 1, now=10) answered True, and must be refused."


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("closed interval", "advance(now=10) expired nothing, and must expire task 1, token 1, [5, 10)."),
        ("one early", "advance(now=9) expired task 1, token 1, [5, 10), and must expire nothing."),
        ("too many", 'dispatch("w1", now=6, duration=1) granted task 2, token 2, [6, 7), and must be refused.'),
        ("a raise", "complete(7, 1, now=6) was rejected with KeyError, and must be refused."),
        ("a bool", "advance(now=True) expired nothing, and must be rejected with TypeError."),
        ("lying counts", "After forget(1), which answered True as it must: counts() shows 1 pending, not 0."),
        (
            "attempt",
            'dispatch("w1", now=5, duration=5) granted task 1, token 1, [5, 10) with attempt 0, '
            "and must grant task 1, token 1, [5, 10) with attempt 1.",
        ),
    ],
)
def test_what_went_wrong_is_one_sentence(name: str, said: str) -> None:
    found = failure(name)
    if name == "a bool":
        found = found._replace(history=(*found.history[:-1], found.history[-1]._replace(answer=(), error=None)))
    assert headline(found) == said


def test_shortest_is_said_only_of_the_shortest() -> None:
    assert "shortest" not in "".join(every_form(failure("busy"))[:6])
    assert "4 steps, the shortest;" in text(failure("late completion", shortest=True))


def test_each_step_has_its_call_its_answer_and_only_what_changed() -> None:
    found = steps(failure("late completion"))
    assert [(step.number, step.call, step.answer, step.changes, step.failing) for step in found] == [
        (1, 'add_worker("w1", capacity=1)', "None", ("w1 holds 0 of 1",), False),
        (2, 'add_task(priority=5, payload=b"rebuild index 7")', "id 1", ("task 1 is pending",), False),
        (
            3,
            'dispatch("w1", now=5, duration=5)',
            "task 1, token 1, [5, 10)",
            ("time 0 -> 5", "task 1: pending -> running", "w1 holds 1 of 1"),
            False,
        ),
        (
            4,
            "complete(1, 1, now=10)",
            "True",
            ("time 5 -> 10", "task 1: running -> pending", "token 1 is over", "w1 holds 0 of 1"),
            True,
        ),
    ]


def test_what_is_removed_and_what_is_renewed_is_told_too() -> None:
    calls = [*ONE, ("renew", {"task_id": 1, "token": 1, "now": 5, "duration": 9})]
    calls += [("complete", {"task_id": 1, "token": 1, "now": 5}), ("forget", {"task_id": 1})]
    calls += [("forget_worker", {"worker": "w1"})]
    changes = [step.changes for step in steps(made("late-completion", "T4", calls))[3:]]
    assert changes[0] == ("token 1: expiry 10 -> 14",)
    assert changes[2:] == [("task 1 is forgotten",), ("w1 is forgotten",)]


def test_the_contracts_sentence_is_told_as_it_stands() -> None:
    """And tolerantly: a rule that has none, such as `check`, is told without."""
    assert told("T4").startswith("A lease granted at now for duration is live on [now, now + duration)")
    assert "`now`" in sentence("T4")
    assert sentence("check") == sentence("") == ""
    folded = " ".join(text(failure("late completion"), 120).split())
    assert f"T4 {told('T4')}" in folded
    assert "REFUTED check  " in text(failure("late completion", rule="check"))
    assert text(failure("late completion", rule="")).startswith("REFUTED  complete")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", FAILURES)
def test_text_keeps_to_its_width_and_colour_changes_no_character(name: str, width: int) -> None:
    plain, coloured = text(failure(name), width), text(failure(name), width, colour=True)
    assert max(map(cells, plain.splitlines())) <= width
    assert "\033[" in coloured
    assert [line.rstrip() for line in ANSI.sub("", coloured).splitlines()] == plain.splitlines()
    assert all(line.isprintable() for line in plain.splitlines())


@pytest.mark.parametrize("width", WIDTHS)
def test_text_in_ascii_has_nothing_else_and_keeps_to_its_width(width: int) -> None:
    said = text(failure("busy", target="名前:factory"), width, ascii_only=True)
    assert said.isascii()
    assert max(map(len, said.splitlines())) <= width
    assert "X 14" in said
    assert "\\u540d" in said


def test_what_is_seen_otherwise_is_said_once() -> None:
    assert text(failure("order of leases")).count("is in the order") == 1
    assert "look here" in text(failure("late completion", aside="look here"))


@pytest.mark.parametrize("form", [text, svg, page])
def test_names_are_shown_as_they_are_and_never_obeyed(form: Any) -> None:
    """No markup of a terminal's, no element of a page."""
    said = form(failure("busy"))
    assert "\x1b[31m" not in said
    assert "[bold]" in said
    assert ODD not in said
    assert form is text or said.count("</script>") == (form is page)


# -- what is drawn


def test_the_bars_are_the_contracts_and_the_one_that_the_call_is_about_is_flagged() -> None:
    drawn = drawing(failure("late completion"))
    (bar,), (mark,) = drawn.bars, [mark for mark in drawn.marks if mark.failing]
    assert (bar.flag, bar.start, bar.phases[-1].end) == (CONCERNED, 5, 10)
    assert (mark.at, mark.step) == (10, 4)


def test_a_lease_that_must_not_be_is_drawn_beside_those_that_are() -> None:
    drawn = drawing(failure("too many"))
    assert [(bar.label, bar.flag) for bar in drawn.bars] == [("task 1 · token 1", ""), ("task 2 · token 2", WRONG)]


@pytest.mark.parametrize("name", FAILURES)
def test_every_failure_can_be_drawn(name: str) -> None:
    ElementTree.fromstring(svg(failure(name)))


# -- as JSON and as files


@pytest.mark.parametrize("name", FAILURES)
def test_json_holds_everything_and_its_events_can_be_read_back(name: str) -> None:
    found = failure(name)
    told_of = json.loads(json.dumps(as_json(found)))
    assert (told_of["version"], told_of["verdict"], told_of["rule"]) == (1, "REFUTED", found.rule)
    assert (told_of["expected"] is None) == (found.expected is None)
    back = list(read((json.dumps(step["event"]) for step in told_of["steps"]), "it"))
    assert [event.op for event in back] == [event.op for event in found.history]
    assert [(event.answer, event.error) for event in back] == [(event.answer, event.error) for event in found.history]


def test_an_answer_of_no_known_form_is_described() -> None:
    class Nasty:
        def __repr__(self) -> str:
            raise RuntimeError

    found = failure("late completion")
    odd = found._replace(history=(*found.history[:-1], found.history[-1]._replace(answer=Nasty())))
    assert "Nasty, which can't be shown" in text(odd)
    assert as_json(odd)["steps"][-1]["event"]["answer"]["type"] == "Nasty"
    assert all(every_form(odd))


def test_saving_writes_each_form_into_a_folder_that_is_made(tmp_path: Path) -> None:
    paths = save(failure("busy"), tmp_path / "new" / "folder")
    assert [path.name for path in paths] == [
        *(f"counterexample.{ending}" for ending in ("txt", "svg", "html", "json", "jsonl")),
        "test_counterexample.py",
    ]
    with paths[4].open(encoding="utf-8") as lines:
        assert len(list(read(lines, "it"))) == 14
    assert all(path.read_text(encoding="utf-8").endswith("\n") for path in paths)


def test_saving_where_nothing_can_be_written_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OSError, match="file"):
        save(failure("busy"), tmp_path / "file")


# -- as a test that repeats it


def run_pytest(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_the_written_tests_fail_on_the_faulty_schedulers_and_pass_on_a_right_one(tmp_path: Path) -> None:
    """Real files, run by a real pytest."""
    right = "from tenure import Scheduler\n\n\ndef make():\n    return Scheduler()\n"
    for name in FAILURES:
        file = f"test_{name.replace(' ', '_')}.py"
        for folder, make in (("faulty", failure(name).make), ("right", right)):
            (tmp_path / folder).mkdir(exist_ok=True)
            source = reproduction(failure(name, make=make))
            (tmp_path / folder / file).write_text(source, encoding="utf-8")
    faulty, kept = run_pytest(tmp_path / "faulty"), run_pytest(tmp_path / "right")
    assert f"{len(FAILURES)} failed" in faulty.stdout
    assert "passed" not in faulty.stdout
    assert "error" not in faulty.stdout.splitlines()[-1]
    assert kept.returncode == 0, kept.stdout
    assert f"{len(FAILURES)} passed" in kept.stdout


def test_the_written_tests_are_as_ruff_wants_them(tmp_path: Path) -> None:
    for name in FAILURES:
        (tmp_path / f"test_{name.replace(' ', '_')}.py").write_text(reproduction(failure(name)), encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff"]
    rules = ["check", "--isolated", "--select", "E4,E7,E9,F,I,UP,W"]
    for command in ([*ruff, *rules, "."], [*ruff, "format", "--isolated", "--diff", "."]):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stdout


def test_the_written_test_is_named_for_its_rule_and_asks_for_a_scheduler_where_there_is_none() -> None:
    source = reproduction(failure("late completion", make=""))
    assert "def test_t4_complete_is_refused():" in source
    assert 'raise NotImplementedError("return your scheduler here")' in source
    assert source.rstrip().endswith("assert scheduler.complete(1, 1, now=10) is False")


def test_what_was_recorded_and_cannot_be_made_again_is_replaced_by_what_nobody_accepts() -> None:
    history = (Event("add_task", {"priority": Odd("Decimal", "Decimal('1')")}, 1),)
    found = Counterexample("x", "V1", "", history, Event("add_task", {}, error="TypeError"), False, "a log")
    assert "scheduler.add_task(priority=object())" in reproduction(found)
    assert "add_task(priority=<Decimal: Decimal('1')>)" in text(found)


# -- as Python text


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("it's", '"it\'s"'),
        ('say "it"', "'say \"it\"'"),
        (b"it's", 'b"it\'s"'),
        ("\u202e\ud800\n", '"\\u202e\\ud800\\n"'),
        (2**63, "2**63"),
        (-(2**63) - 1, "-(2**63 + 1)"),
        (-(10**500), "-(10**500)"),
        ((1, None), "(1, None)"),
        ([True], "[True]"),
    ],
)
def test_values_are_written_as_python_has_them(value: Any, written: str) -> None:
    assert literal(value) == written
    assert eval(written) == value


def test_calls_leave_out_what_is_not_given_and_name_the_rest() -> None:
    assert call(Event("add_task", {"payload": b"x"})) == 'add_task(payload=b"x")'
    assert call(Event("now", {})) == "now"
    assert call(Event("task", {"task_id": 2})) == "task(2)"


# -- from an exploration


@pytest.mark.parametrize("fault", ["closed-interval", "forgotten-still-counted", "came-back-last"])
def test_what_an_exploration_refutes_becomes_a_counterexample(fault: str) -> None:
    verdict = explore(FAULTS[fault], doubt=False)
    scheduler = FAULTS[fault]()
    for event in verdict.history:
        perform(scheduler, event.op, event.arguments)
    found = from_verdict(verdict, fault, found=view(scheduler))
    assert found.history == verdict.history
    assert found.shortest == verdict.shortest
    assert all(every_form(found))
    assert ("counts() shows" in headline(found)) == (fault == "forgotten-still-counted")


def test_what_agrees_shows_no_difference() -> None:
    assert failure("late completion").aside == ""
    right = SimpleNamespace(scheduler=Scheduler())
    assert view(right.scheduler) == view(Scheduler())


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("worker", ["w", "w" * 255])
@pytest.mark.parametrize("count", [1, 2])
def test_a_history_can_be_told_however_long_its_calls_and_however_short_it_is(
    count: int, worker: str, width: int
) -> None:
    event = Event("set_capacity", {"worker": worker, "capacity": 1}, None)
    expected = event._replace(error="UnknownWorker")
    told = text(Counterexample("ours", "O2", "it was accepted", (event,) * count, expected, True, "explorer"), width)
    assert told.startswith("REFUTED O2")
    assert max(map(cells, told.splitlines())) <= width


def test_a_lease_that_is_as_it_was_is_not_told_again() -> None:
    """Only what changed stands beneath a step."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("add_worker", {"worker": "w", "capacity": 2}),
        ("add_task", {}),
        ("add_task", {}),
        ("dispatch", {"worker": "w", "now": 0, "duration": 9}),
        ("dispatch", {"worker": "w", "now": 0, "duration": 9}),
    ]
    scheduler = Scheduler()
    history = tuple(perform(scheduler, *call) for call in calls)
    *_, last = steps(Counterexample("ours", "O4", "it was granted", history, None, False, "explorer"))
    assert last.changes == ("task 2: pending -> running", "w holds 2 of 2")
