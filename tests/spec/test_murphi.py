"""The Murphi model: what it yields, that each of its claims can fail, and what its generator refuses."""

from __future__ import annotations

import difflib
import json
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
MURPHI = ROOT / "spec" / "murphi.py"
MODELS: dict[str, dict[str, Any]] = {
    model["name"]: model for model in tomllib.loads((ROOT / "spec" / "manifest.toml").read_text())["model"]
}
FAULTS = [name for name in MODELS if name.startswith("fault-")]
SMALL = ["murphi-221", "murphi-221-symmetric", "murphi-322", "murphi-322-symmetric", "murphi-any-322"]
LARGER = [name for name in MODELS if name.startswith("murphi-") and name not in SMALL]
FORMULAS = [name for name, model in MODELS.items() if model["kind"] == "formula"]

GENERATOR = runpy.run_path(str(MURPHI))
"""The generator's functions, to call them without starting it each time."""

needs_rumur = pytest.mark.skipif(
    shutil.which("rumur") is None or shutil.which("gcc") is None,
    reason="rumur and gcc are not installed (Debian packages rumur, gcc), so no Murphi model is checked",
)


def murphi(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(MURPHI), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def found(name: str) -> Any:
    """What the command of a model in the manifest says."""
    python, script, *arguments = MODELS[name]["command"].split()
    assert (python, ROOT / script) == ("python", MURPHI)
    return json.loads(murphi(*arguments, "--json").stdout)


def tried(*, tasks: int, workers: int, durations: int) -> int:
    """How many calls are made in each state: dispatch; five kinds of token to complete, release and renew; advance."""
    return workers * durations + tasks * 5 * (2 + durations) + durations + 1


@needs_rumur
@pytest.mark.parametrize("name", [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGER)])
def test_a_model_holds_with_exactly_the_counts_of_the_manifest(name: str) -> None:
    """One state or transition more or less is another model. (P1, P2, P3, P5, P6, P7, P8, P9)"""
    told = found(name)
    expected = {"verdict": "holds", **{count: MODELS[name][count] for count in ("states", "transitions")}}
    assert {key: told[key] for key in expected} == expected
    assert set(told["operations"]) >= {"dispatch", "complete", "release", "renew", "advance"}


@needs_rumur
def test_every_call_is_tried_in_every_state_whether_it_is_refused_or_not() -> None:
    """With each kind of token, so a refusal is judged like all else. (R2, P7)"""
    told = found("murphi-221")
    assert told["calls"] == told["states"] * tried(tasks=2, workers=2, durations=4) == 68 * 73


@needs_rumur
@pytest.mark.parametrize("name", FAULTS)
def test_a_broken_rule_is_refuted_by_the_claim_that_the_manifest_names(name: str) -> None:
    """After as few calls as can show it."""
    told = found(name)
    assert (told["verdict"], told["violates"]) == ("fails", MODELS[name]["violates"])
    assert len(told["history"]) == MODELS[name]["steps"]


def test_every_fault_has_its_place_in_the_manifest() -> None:
    """None is left out, and there are enough."""
    listed = murphi("--faults").stdout.split()
    assert sorted(MODELS[name]["command"].split()[-1] for name in FAULTS) == sorted(listed)
    assert len(listed) >= 5


def test_each_property_that_the_model_can_state_is_shown_to_fail_by_some_fault() -> None:
    """P4 compares tokens as numbers, which the model doesn't have. (P1, P9)"""
    refuting = {MODELS[name]["violates"].partition(":")[0] for name in FAULTS}
    assert {f"P{number}" for number in (1, 2, 3, 5, 6, 7, 8, 9)} <= refuting


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_place_of_the_model(name: str) -> None:
    """No copy of the model: one line is another, or is gone."""
    intact, broken = (GENERATOR["source"]({}, fault=fault) for fault in (None, MODELS[name]["command"].split()[-1]))
    changes = [line for line in difflib.ndiff(intact.splitlines(), broken.splitlines()) if line[0] in "+-"]
    assert [line[0] for line in changes] in (["-", "+"], ["-"])


def test_symmetry_is_one_line_of_the_model() -> None:
    """The workers' type, and nothing else."""
    plain, symmetric = (GENERATOR["source"]({}, symmetric=symmetric).splitlines() for symmetric in (False, True))
    differ = [lines for lines in zip(plain, symmetric, strict=True) if lines[0] != lines[1]]
    assert differ == [("  Worker: 1..W;", "  Worker: scalarset(W);")]


@pytest.mark.parametrize("name", FORMULAS)
def test_the_closed_form_gives_the_count_of_the_manifest(name: str) -> None:
    """Computed without any model; the model of the same size must have as many states."""
    words = MODELS[name]["command"].split()
    values = GENERATOR["constants"]([word for word in words if "=" in word])
    states = GENERATOR["closed_form"](values, symmetric="--symmetric" in words)
    assert states == MODELS[name]["states"]
    assert states == MODELS.get(name.replace("formula-", "murphi-"), MODELS[name])["states"]


def test_the_closed_form_gives_the_counts_that_were_measured_before_there_was_this_model() -> None:
    """T, W, CAP: none, workers, tasks, both kinds of symmetry; durations 1..4, then any."""
    measured = {
        "2 2 1": [68, 36, 59, 31, 18, 11, 15, 9],
        "3 2 2": [872, 440, 692, 348, 182, 95, 142, 73],
        "4 3 2": [29_968, 5_264, 23_069, 3_949, 7_306, 1_283, 5_915, 1_010],
        "5 3 2": [304_352, 51_552, 201_210, 33_730, 104_102, 17_537, 78_261, 13_086],
    }
    for size, counts in measured.items():
        given = dict(zip(("T", "W", "CAP"), map(int, size.split()), strict=True)) | {"D": 4}
        computed = [
            GENERATOR["closed_form"](given | {"ANY": any_duration, "DONE_LAST": done_alike}, symmetric=symmetric)
            for any_duration in (0, 1)
            for done_alike in (0, 1)
            for symmetric in (False, True)
        ]
        assert computed == counts, size


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["X=1"], "must be NAME=NUMBER"),
        (["T=many"], "must be NAME=NUMBER"),
        (["T=3", "D=4", "ANY=1"], "leave D and LATE alone"),
        (["--closed-form", "T=3", "W=2", "CAP=1"], "W * CAP >= T"),
        (["--closed-form", "FORGET=1"], "fixed tasks"),
        (["--fault", "none"], "invalid choice"),
    ],
)
def test_what_makes_no_model_is_a_usage_error(arguments: list[str], told: str) -> None:
    """It says what is wrong, and runs nothing."""
    done = murphi(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
