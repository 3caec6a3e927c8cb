"""`python -m tenure.checking` explores from the command line, and its exit code says what the verdict is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tenure.checking.__main__ import OPTIONS, main

WRONG = """
from tenure.checking.faults import FAULTS
closed = FAULTS["closed-interval"]
number = 5
def broken():
    raise ValueError("no database")
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    return code, *capsys.readouterr()


def test_without_a_factory_tenures_own_scheduler_is_proved(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--once")
    assert (code, err) == (0, "")
    assert out.startswith("PROVED: 2 tasks, 2 workers of capacity 1, any duration\n  18 states")


@pytest.mark.parametrize("option", OPTIONS)
def test_each_option_widens_or_folds_the_scope_and_is_told(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--once", "--tasks", "1", f"--{option.replace('_', '-')}")
    assert (code, out.splitlines()[0].rpartition(", ")[2]) == (0, option)


@pytest.mark.parametrize("limit", [("--max-states", "3"), ("--time-limit", "1", "--tasks", "4", "--workers", "3")])
def test_a_limit_ends_it_undecided(limit: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *limit)
    assert (code, out.split(":")[0]) == (4, "UNDECIDED")


def test_a_wrong_scheduler_is_refuted_with_its_history(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wrong_one.py").write_text(WRONG)
    monkeypatch.syspath_prepend(tmp_path)
    code, out, _ = run(capsys, "wrong_one:closed")
    assert (code, out.split(":")[0]) == (1, "REFUTED")
    assert '1. {"op": "add_worker", "worker": "w1", "capacity": 1, "answer": null}' in out


@pytest.mark.parametrize(
    "given", ["tenure", "no_such_module:x", "wrong_two:nothing", "wrong_two:number", "wrong_two:broken"]
)
def test_a_factory_that_can_not_be_used_is_told_in_one_line(
    given: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wrong_two.py").write_text(WRONG)
    monkeypatch.syspath_prepend(tmp_path)
    code, out, err = run(capsys, given)
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.startswith(f"{given}: can't be used: ")


@pytest.mark.parametrize(
    "arguments", [("--tasks", "-1"), ("--workers", "0"), ("--durations", "1.5"), ("--states", "1")]
)
def test_a_mistake_is_told_with_exit_code_2(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err


def test_the_module_runs() -> None:
    command = [sys.executable, "-m", "tenure.checking", "--tasks", "1", "--once"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("PROVED: 1 task, 2 workers")
