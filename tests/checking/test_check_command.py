"""`tenure check` tells what it found on standard output, all else on standard error; its exit code is the verdict's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import TENURE, started

from tenure.cli import main

TESTS = Path(__file__).parents[1]
OURS = f"""
import sys
sys.path.append({str(TESTS)!r})
print("imported")
from foreign import *
class Right(Foreign):
    def advance(self, *, now):
        print("advancing")
        return super().advance(now=now)
Wrong = wrong("late-completion")
class Leaving(Foreign):
    def advance(self, *, now): sys.exit(0)
number = 5
def broken(): raise ValueError("no database")
def leaving(): sys.exit(0)
def nothing(): return None
def positional():
    return type("Queue", (Foreign,), {{"dispatch": lambda self, worker, at, seconds: None}})()
"""
QUICK = ("--only", "dialogues,explorer", "--tasks", "1", "--workers", "1")


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module of a name of its own, in which we are."""
    (tmp_path / "ours.py").write_text(OURS)
    (tmp_path / "untidy.py").write_text("import nowhere_to_be_found\n")
    (tmp_path / "leaving.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "attributes.py").write_text("import sys\nsys.nothing\n")
    (tmp_path / "noisy.py").write_text("(")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("ours", "untidy", "leaving", "attributes", "noisy"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


Run = tuple[int, str, str]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Run:
    with pytest.raises(SystemExit) as ended:
        main(["check", *arguments])
    out, err = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


# -- verdicts


def test_without_a_target_tenures_own_is_proved(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--tasks", "1", "--examples", "10")
    assert (code, err) == (0, "")
    assert out.startswith("PROVED  Tenure's in-memory scheduler\n")
    assert out.splitlines()[2].split()[:2] == ["dialogues", "PASSED"]


@pytest.mark.usefixtures("ours")
def test_a_right_one_passes_and_what_it_prints_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "ours:Right", *QUICK)
    assert (code, out.splitlines()[0]) == (0, "PASSED  ours:Right")
    assert "advancing" not in out and err.startswith("imported\nadvancing\n")


@pytest.mark.usefixtures("ours")
def test_a_wrong_one_is_refuted_and_its_limits_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "ours:Wrong", *QUICK)
    assert (code, out.split()[:2]) == (1, ["REFUTED", "T4"])
    code, out, _ = run(capsys, "ours:Right", "--only", "explorer", "--max-states", "2")
    assert (code, out.split()[0]) == (4, "UNDECIDED")


@pytest.mark.usefixtures("ours")
@pytest.mark.parametrize(("target", "code", "word"), [("ours:Right", 0, "PASSED"), ("ours:Wrong", 1, "REFUTED")])
def test_as_json_it_is_one_value_with_a_version_whatever_the_target_prints(
    target: str, code: int, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    came, out, _ = run(capsys, target, *QUICK, "--format", "json")
    told: dict[str, Any] = json.loads(out)
    assert (came, told["version"], told["verdict"], told["target"]) == (code, 1, word, target)
    assert {part["part"] for part in told["parts"]} == {"dialogues", "explorer"}
    assert bool(told["counterexamples"]) == (word == "REFUTED")


@pytest.mark.usefixtures("ours")
def test_a_rule_is_shown_on_request_and_one_that_wasn_t_broken_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = run(capsys, "ours:Wrong", *QUICK, "--rule", "O5")
    assert out.startswith("REFUTED O5") and "no history" not in err
    code, out, err = run(capsys, "ours:Wrong", *QUICK, "--rule", "V4")
    assert (code, out.split()[1]) == (1, "T4")
    assert err.endswith("tenure check: no history was found that breaks V4, so another is shown\n")


def test_what_was_found_is_saved_and_fails_as_a_test(ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "ours:Wrong", *QUICK, "--save", "found")
    assert code == 1 and "tenure check: written to found: counterexample.txt, " in err
    names = {path.name for path in (ours / "found").iterdir()}
    assert {"counterexample.txt", "counterexample.svg", "counterexample.html", "test_counterexample.py"} <= names
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "found/test_counterexample.py"]
    environment = {**os.environ, "PYTHONPATH": str(ours)}
    done = subprocess.run(command, cwd=ours, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "1 failed" in done.stdout) == (1, True), done.stdout


@pytest.mark.usefixtures("ours")
def test_where_nothing_was_found_nothing_is_saved(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "ours:Right", *QUICK, "--save", "found")
    assert code == 0 and err.endswith("tenure check: nothing was refuted, so --save has nothing to write\n")
    assert not Path("found").exists()


@pytest.mark.usefixtures("ours")
def test_what_can_not_be_saved_is_told_with_exit_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    Path("file").write_text("")
    code, _, err = run(capsys, "ours:Wrong", *QUICK, "--save", "file/in/it")
    assert code == 3
    assert err.splitlines()[-1].startswith("tenure: file/in/it: can't be written: ")


# -- what can't be used


@pytest.mark.usefixtures("ours")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no_such_module:x",), "no_such_module:x: importing no_such_module raised ModuleNotFoundError: No module"),
        (("untidy:x",), "untidy:x: importing untidy raised ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        (("attributes:x",), "attributes:x: importing attributes raised AttributeError: module 'sys' has no attribute"),
        (("leaving:x",), "leaving:x: importing leaving raised SystemExit: 0"),
        (("noisy:x",), "noisy:x: importing noisy raised SyntaxError: "),
        (("ours:Rihgt",), "ours.py) has no Rihgt"),
        (("ours:number",), "ours:number: number is no class or function that makes a scheduler, but an int"),
        (("ours:broken",), "ours:broken: broken() raised ValueError: no database; it must make a new scheduler"),
        (("ours:leaving",), "ours:leaving: leaving() raised SystemExit: 0; it must make a new scheduler"),
        (("ours:nothing",), "what the factory makes, a NoneType, can't be checked: it has no add_task"),
        (("ours:positional",), "its dispatch can't be called as dispatch(worker, now=..., duration=...)"),
        (("ours:Leaving",), "Leaving.advance raised SystemExit(0), which ends a program"),
        (("--exec", "./no-such-program"), "./no-such-program: can't be started: No such file or directory"),
    ],
)
def test_a_target_that_can_not_be_used_is_told_in_one_line(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    *_, last = err.splitlines()
    assert (code, out) == (3, "")
    assert last.startswith("tenure: ") and said in last


def test_a_program_that_ends_is_told_with_the_end_of_its_log(ours: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (ours / "child.py").write_text("import sys\nprint('out of memory', file=sys.stderr)\nsys.exit(9)\n")
    command = f"{sys.executable} child.py"
    code, out, err = run(capsys, "--exec", command)
    assert (code, out) == (3, "")
    assert err.splitlines() == [
        "the end of its standard error:",
        "out of memory",
        f"tenure: {command}: ended with exit code 9, and must answer until its input ends",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("queue",), "the target must be MODULE:FACTORY, such as queues.ours:Queue, not 'queue'"),
        (("a b:c",), "the target must be MODULE:FACTORY"),
        (("a:b", "--exec", "x"), "give either MODULE:FACTORY or --exec, not both"),
        (("--exec", ""), "--exec is empty: give the command that starts the program"),
        (("--exec", "'"), "--exec can't be split into words: No closing quotation"),
        (("--only", "machines"), "must be from dialogues, explorer, machine, separated by commas, not 'machines'"),
        (("--only", ""), "must be from dialogues, explorer, machine"),
        (("--tasks", "-1"), "must be a whole number from 0 to 9"),
        (("--workers", "0"), "must be a whole number from 1 to 9"),
        (("--durations", "1.5"), "must be a whole number from 1 to 99"),
        (("--examples", "many"), "must be a whole number from 1 to 1,000,000"),
        (("--line-timeout", "0"), "must be a whole number from 1 to"),
        (("--format", "yaml"), "'yaml' is not one of 'text', 'json'"),
        (("--states", "1"), "No such option"),
    ],
)
def test_a_mistake_is_told_in_one_line_with_exit_code_2(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err and err.endswith("(see tenure check --help)\n")


# -- the process around it


def test_the_help_says_what_the_exit_codes_mean() -> None:
    done = started("check", "--help", stdout=subprocess.PIPE)
    assert done.returncode == 0
    for name in ("MODULE:FACTORY", "--exec", "--only", "--save", "--rule", "--format", "--line-timeout", "Exit codes:"):
        assert name in done.stdout


def test_colour_and_glyphs_are_only_where_they_can_be_shown(ours: Path) -> None:
    for changes in ({"NO_COLOR": "1"}, {"PYTHONIOENCODING": "ascii"}, {"COLUMNS": "20"}):
        command = [*TENURE, "check", "ours:Wrong", *QUICK]
        done = subprocess.run(
            command, cwd=ours, env={**os.environ, **changes}, capture_output=True, text=True, check=False, timeout=60
        )
        assert (done.returncode, "\x1b" in done.stdout, done.stdout.split()[0]) == (1, False, "REFUTED")
        assert "PYTHONIOENCODING" not in changes or done.stdout.isascii()


def test_a_reader_that_went_away_is_no_traceback() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = started("check", "--only", "dialogues", stdout=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_without_hypothesis_it_says_how_to_get_it_or_do_without() -> None:
    hidden = "u.find_spec = lambda name, *more: None if name == 'hypothesis' else found(name, *more)"
    code = f"import importlib.util as u; found = u.find_spec; {hidden}; from tenure.cli import main; main()"
    command = [sys.executable, "-c", code, "check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the machine needs hypothesis: pip install 'tenure[check]', or --only dialogues,explorer" in done.stderr
