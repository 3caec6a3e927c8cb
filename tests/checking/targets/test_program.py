"""A program that speaks the adapter protocol is checked like any, and of one that doesn't it is told what it said."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from children import is_gone, program

from tenure.checking import explore
from tenure.checking.check import Budget, check
from tenure.checking.quick import QuickReference
from tenure.checking.scope import Scope
from tenure.checking.targets.abilities import Abilities, Call
from tenure.checking.targets.program import MOST_CALLS, Program
from tenure.checking.targets.target import of_program
from tenure.checking.views import view
from tenure.errors import TargetFailed
from tenure.history import perform

SMALL = Scope(tasks=1, workers=1)
ADD: list[Call] = [
    ("add_worker", {"worker": "w1", "capacity": 1}),
    ("add_task", {"priority": 2**63 - 1, "payload": b"\0x"}),
]


@contextmanager
def running(folder: Path, text: str = "", seconds: float = 20) -> Iterator[Program]:
    """The adapter with this change."""
    with Program(program(folder, f"{text}\nrun()\n"), seconds) as begun:
        yield begun
    assert is_gone(begun._child._process.pid)


def failure(folder: Path, text: str, seconds: float = 20) -> str:
    """What is said, without the command, when the adapter with this change is explored."""
    with pytest.raises(TargetFailed) as failed, running(folder, text, seconds) as begun:
        explore(begun.start, SMALL, exact_errors=False)
    return failed.value.reason.partition("child.py: ")[2]


# -- what goes well


def test_a_right_one_passes_and_says_what_it_is(tmp_path: Path) -> None:
    with running(tmp_path) as right:
        assert (right.name, right.abilities) == ("a child", Abilities())
        verdict = explore(right.start, SMALL, exact_errors=False)
    assert (verdict.word, verdict.reason, verdict.not_checked) == ("PASSED", "", ())


def test_every_value_goes_there_and_back(tmp_path: Path) -> None:
    reference = QuickReference()
    with running(tmp_path) as right:
        scheduler = right.start().scheduler
        for op, arguments in [
            *ADD,
            ("add_worker", {"worker": '😀"\n\u2028', "capacity": 2**63 - 1}),
            ("dispatch", {"worker": "w1", "now": 2**60, "duration": 2**60}),
            ("dispatch", {"worker": "w1", "now": 1.5, "duration": True}),
            ("add_worker", {"worker": "\ud800", "capacity": 1}),
            ("add_task", {"payload": bytearray(b"x")}),
            ("tasks", {}),
        ]:
            assert perform(scheduler, op, arguments) == perform(reference, op, arguments)
        assert view(scheduler) == view(reference)


def test_a_new_scheduler_is_new_and_the_one_before_is_no_more(tmp_path: Path) -> None:
    with running(tmp_path) as right:
        first = right.start().scheduler
        first.add_task()
        second = right.start().scheduler
        assert second.add_task() == 1
        with pytest.raises(AssertionError, match="another scheduler was started"):
            first.add_task()


def test_long_scripts_go_in_several_lines(tmp_path: Path) -> None:
    noting = f"def before(): open({str(tmp_path / 'lines')!r}, 'a').write('x')"
    with running(tmp_path, noting) as right:
        scheduler: Any = right.start().scheduler
        events = scheduler.perform_all([("add_task", {})] * (2 * MOST_CALLS + 1))
    assert [event.answer for event in events] == [*range(1, 2 * MOST_CALLS + 2)]
    assert (tmp_path / "lines").read_text() == "x" * 4


@pytest.mark.parametrize("numbering", ["opaque", "increasing"])
def test_numbers_of_its_own_come_back_as_they_were_given(tmp_path: Path, numbering: str) -> None:
    own = "f'id {int(n):x}'" if numbering == "opaque" else "n * 7"
    text = (
        f"HELLO['numbering'] = {numbering!r}\nright, SEEN = came, {{}}\n"
        "def told(n):\n"
        f"    SEEN[{own}] = n\n"
        f"    return {own}\n"
        "def renamed(value):\n"
        "    if isinstance(value, list): return [renamed(each) for each in value]\n"
        "    if not isinstance(value, dict): return value\n"
        "    return {name: told(each) if name in ('id', 'task_id', 'token') else renamed(each)"
        " for name, each in value.items()}\n"
        "def came(request):\n"
        "    request |= {name: SEEN.get(request[name], -5) for name in ('task_id', 'token') if name in request}\n"
        "    result = right(request)\n"
        "    if request['op'] == 'add_task' and 'answer' in result: return {'answer': told(result['answer'])}\n"
        "    return result if request['op'] == 'hello' else renamed(result)\n"
    )
    with running(tmp_path, text) as right:
        assert right.abilities.numbering == numbering
        verdict = explore(right.start, SMALL, exact_errors=False)
    assert (verdict.word, verdict.reason) == ("PASSED", "")


def test_a_wrong_one_is_refuted_by_each_part(tmp_path: Path) -> None:
    wrong = "from tenure.checking.faults import FAULTS\nQuickReference = FAULTS['late-completion']"
    with of_program(program(tmp_path, f"{wrong}\nrun()\n")) as target:
        for part in ("dialogues", "explorer", "machine"):
            report = check(target, SMALL, Budget(), parts=(part,))
            assert (report.word, report.found[0].wrong.rule) == ("REFUTED", "T4")


def test_only_what_it_has_is_sent(tmp_path: Path) -> None:
    """An operation that it lacks would end it, and so would arguments of a wrong type."""
    text = (
        "HELLO['lacks'] = ['renew', 'forget', 'queries']\nHELLO['typed_arguments'] = False\nright = came\n"
        "ALLOWED = ('hello', 'reset', 'add_worker', 'set_capacity', 'add_task', 'dispatch', 'complete', 'release',"
        " 'advance', 'forget_worker')\n"
        "def came(request):\n"
        "    assert request['op'] in ALLOWED and not any(isinstance(each, dict) for each in request.values())\n"
        "    return right(request)\n"
    )
    with of_program(program(tmp_path, f"{text}\nrun()\n")) as target:
        report = check(target, SMALL, Budget(examples=10))
    assert report.word == "PASSED"
    assert [what.partition(" ")[0] for what in target.abilities.not_checked()] == ["renew", "forget", "the", "that"]


def test_every_field_is_always_there(tmp_path: Path) -> None:
    text = (
        "right = came\n"
        "def came(request):\n"
        "    assert request['op'] != 'add_task' or {'priority', 'payload'} < {*request}\n"
        "    assert request['op'] != 'tasks' or 'status' in request\n"
        "    return right(request)\n"
    )
    with of_program(program(tmp_path, f"{text}\nrun()\n")) as target:
        assert check(target, SMALL, Budget(examples=10)).word == "PASSED"


@pytest.mark.parametrize(
    ("name", "shown"),
    [("our queue", "our queue"), ("a\x1b[31m\nb\u202e", "a[31mb"), ("x" * 500, "x" * 60), ("", None), (5, None)],
)
def test_its_name_is_shown_as_far_as_that_is_a_name(tmp_path: Path, name: Any, shown: str | None) -> None:
    command = program(tmp_path, f"HELLO['name'] = {name!r}\nrun()\n")
    with of_program(command) as target:
        assert target.name == " ".join(command) if shown is None else target.name.startswith(f"{shown} (")


def test_what_it_adds_to_an_answer_is_ignored(tmp_path: Path) -> None:
    text = (
        "HELLO['color'] = 'red'\nright = came\n"
        "def came(request):\n"
        "    result = right(request)\n"
        "    if isinstance(result.get('answer'), dict): result['answer']['since'] = 1.5\n"
        "    return {'message': 'said', **result} if 'error' in result else {**result, 'error': None, 'took': 3}\n"
    )
    with running(tmp_path, text) as right:
        assert explore(right.start, SMALL, exact_errors=False).word == "PASSED"


# -- what goes wrong


@pytest.mark.parametrize(
    ("hello", "said"),
    [
        ("{}", 'must answer hello with {"protocol": 1, ...}, not {}'),
        ("None", 'must answer hello with {"protocol": 1, ...}, not None'),
        ("[1]", 'must answer hello with {"protocol": 1, ...}, not [1]'),
        ("{'protocol': 2}", "not {'protocol': 2}"),
        ("{'protocol': '1'}", "not {'protocol': '1'}"),
        ("{'protocol': True}", "not {'protocol': True}"),
        ("{'protocol': 1, 'lacks': ['dispatch']}", "hello: lacks must be a list of names from renew, release"),
        ("{'protocol': 1, 'lacks': {'renew': True}}", "hello: lacks must be a list of names"),
        ("{'protocol': 1, 'lacks': None}", "hello: lacks must be a list of names"),
        ("{'protocol': 1, 'numbering': 'uuid'}", "hello: numbering must be one of exact, increasing, opaque"),
        ("{'protocol': 1, 'rejects': 'maybe'}", "hello: rejects must be one of error, refusal"),
        ("{'protocol': 1, 'typed_arguments': 'no'}", "hello: typed_arguments must be true or false"),
    ],
)
def test_a_hello_that_is_none_is_told(tmp_path: Path, hello: str, said: str) -> None:
    assert said in failure(tmp_path, f"HELLO = {hello}")


def test_a_hello_that_is_an_error_is_told(tmp_path: Path) -> None:
    assert failure(tmp_path, "def came(request): return {'error': 'no such op'}") == "rejected hello with 'no such op'"


def test_a_reset_that_fails_is_told(tmp_path: Path) -> None:
    """Else every check would go on with the scheduler before."""
    text = (
        "right = came\n"
        "def came(request):\n"
        "    result = right(request)\n"
        "    return {'error': 'Locked'} if request['op'] == 'reset' else result\n"
    )
    assert failure(tmp_path, text) == "rejected reset with 'Locked'"


@pytest.mark.parametrize(
    ("answered", "said"),
    [
        ("'[]'", "with an array of as many, not 0 results"),
        ("json.dumps([came(each) for each in json.loads(line)] * 2)", "with an array of as many, not "),
        ("'{}'", "with an array of as many, not {}"),
        ("'null'", "with an array of as many, not None"),
        ("'1'", "with an array of as many, not 1"),
        ("'\"[]\"'", "with an array of as many, not '[]'"),
        ("'done'", "answered with a line that is not JSON: 'done'"),
        ("'[NaN'", "answered with a line that is not JSON: '[NaN'"),
    ],
)
def test_a_line_that_is_no_array_of_as_many_results_is_told(tmp_path: Path, answered: str, said: str) -> None:
    text = f"right = answered\ndef answered(line): return right(line) if LINES < 3 else {answered}"
    assert said in failure(tmp_path, text)


@pytest.mark.parametrize(
    "result",
    ["{}", "None", "[]", "1", "{'answer': 1, 'error': 'both'}", "{'error': 5}", "{'error': None}", "{'Answer': 1}"],
)
def test_a_result_that_is_neither_an_answer_nor_an_error_is_told(tmp_path: Path, result: str) -> None:
    text = f"right = came\ndef came(request): return {result} if request['op'] == 'dispatch' else right(request)"
    said = failure(tmp_path, text)
    assert said.startswith("answered dispatch with ")
    assert said.endswith('which is neither {"answer": ...} nor {"error": "..."}')


def test_one_that_dies_in_any_part_of_a_check_ends_it_and_is_no_verdict(tmp_path: Path) -> None:
    """Hypothesis makes calls again when one fails, which must not make a difference."""
    for lines, part in ((3, "dialogues"), (30, "explorer"), (30, "machine"), (2, "machine")):
        dying = f"def before():\n    if LINES > {lines}: print('out of memory', file=sys.stderr); sys.exit(9)\n"
        with of_program(program(tmp_path, f"{dying}\nrun()\n")) as target, pytest.raises(TargetFailed) as failed:
            check(target, SMALL, Budget(), parts=(part,))
        assert failed.value.reason.endswith("ended with exit code 9, and must answer until its input ends")
        assert failed.value.log == "out of memory"


def test_one_that_falls_silent_ends_the_check(tmp_path: Path) -> None:
    silent = "import time\ndef before():\n    if LINES > 5: time.sleep(60)\n"
    assert failure(tmp_path, silent, seconds=0.5) == "gave no answer within 0.5 s"


def test_one_that_answers_twice_ends_the_check(tmp_path: Path) -> None:
    said = failure(tmp_path, "def after():\n    if LINES > 5: say('[]')\n")
    assert said.startswith("wrote without being asked: '[]")


def test_the_program_of_a_test_that_makes_the_calls_again_is_plain_python(tmp_path: Path) -> None:
    with of_program(program(tmp_path, "run()\n")) as target:
        scope: dict[str, Any] = {}
        exec(target.make, scope)
    scheduler = scope["make"]()
    assert scheduler.add_task() == 1
    scope["PROGRAM"].close()
    assert json.dumps(target.make)


def test_an_interrupt_before_hello_is_answered_leaves_no_process_behind(tmp_path: Path) -> None:
    """Whoever waits for it has nothing yet that could be closed."""
    child = tmp_path / "silent.py"
    child.write_text(f"import os, time\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)\n")
    command = [sys.executable, "-m", "tenure", "check", "--exec", f"{sys.executable} {child}"]
    check = subprocess.Popen(
        command, stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)
    )
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        time.sleep(0.02)
    check.send_signal(signal.SIGINT)
    _, said = check.communicate(timeout=20)
    assert (check.returncode, said) == (130, b"tenure: interrupted\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
