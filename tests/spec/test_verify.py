"""The runner of the models: what isn't run isn't passed, what differs is told; and the tables in the README."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "spec"
OWN: list[dict[str, Any]] = tomllib.loads((SPEC / "manifest.toml").read_text(encoding="utf-8"))["model"]

CLOSED_FORM = """
[[model]]
name = "count"
kind = "formula"
command = "python spec/murphi.py --closed-form T=2 W=2 CAP=1"
expected = "computed"
states = {states}
shows = "a number"
"""
NO_EXPLORER = """
[[model]]
name = "code"
kind = "explorer"
command = "tenure.nothing:explore"
expected = "PROVED"
shows = "what isn't there"
"""
EXPLORER = """
[[model]]
name = "code"
kind = "explorer"
command = "explorer_for_a_test:explore"
expected = "PROVED"
states = 18
transitions = {transitions}
arguments = {{ representation = "memory", tasks = 2 }}
shows = "what is there"
"""
MURPHI = """
[[model]]
name = "murphi"
kind = "murphi"
command = "python spec/murphi.py T=1 W=1 CAP=1 D=1"
expected = "holds"
shows = "a model"
"""


def run(*arguments: str, script: str = "verify.py", **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SPEC / script), *arguments]
    surrounding = {name: value for name, value in os.environ.items() if name != "TENURE_TLC"}
    return subprocess.run(command, cwd=ROOT, env=surrounding | environment, capture_output=True, text=True, check=False)


def written(folder: Path, *entries: str) -> list[str]:
    """The option that names a manifest with these entries."""
    path = folder / "manifest.toml"
    path.write_text("version = 1\n" + "".join(entries), encoding="utf-8")
    return ["--manifest", str(path)]


def test_what_is_as_expected_is_ok(tmp_path: Path) -> None:
    """And the exit code says so."""
    done = run(*written(tmp_path, CLOSED_FORM.format(states=68)))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split() == ["count", "computed", "68", "-", "computed", "ok"]
    assert done.stdout.splitlines()[-1] == "1 ok, 0 differs, 0 not run"


def test_a_wrong_expected_count_differs(tmp_path: Path) -> None:
    """Both numbers are told, and the exit code is 1."""
    done = run(*written(tmp_path, CLOSED_FORM.format(states=67)))
    assert done.returncode == 1
    assert "differs: states 68, not 67" in done.stdout
    assert done.stdout.splitlines()[-1] == "0 ok, 1 differs, 0 not run"


def test_what_is_not_run_is_told_so_with_the_reason_and_is_not_ok(tmp_path: Path) -> None:
    """It isn't counted as passed, though nothing differs."""
    done = run(*written(tmp_path, NO_EXPLORER))
    assert done.returncode == 0
    assert "not run: tenure.nothing:explore can't be imported: No module named 'tenure.nothing'" in done.stdout
    assert done.stdout.splitlines()[-1] == "0 ok, 0 differs, 1 not run"


def test_what_is_required_and_not_run_is_an_error(tmp_path: Path) -> None:
    """What differs weighs more."""
    missing = written(tmp_path, NO_EXPLORER, CLOSED_FORM.format(states=68))
    assert run(*missing, "--require", "explorer").returncode == 3
    assert run(*missing, "--require", "formula").returncode == 0
    differs = written(tmp_path, NO_EXPLORER, CLOSED_FORM.format(states=67))
    assert run(*differs, "--require", "explorer,formula").returncode == 1


def test_without_rumur_no_murphi_model_is_run(tmp_path: Path) -> None:
    """The reason names the package."""
    done = run(*written(tmp_path, MURPHI), "--require", "murphi", PATH=str(tmp_path))
    assert done.returncode == 3
    assert "not run: rumur is not installed (Debian package rumur)" in done.stdout


def test_without_tlc_no_tlc_model_is_run() -> None:
    """All of them are listed nevertheless."""
    done = run("--only", "tlc", "--json")
    told = json.loads(done.stdout)
    assert {model["verdict"] for model in told["models"]} <= {"not run"}
    assert told["summary"] == {"ok": 0, "differs": 0, "not run": len(told["models"])}


@pytest.mark.parametrize(
    ("model", "exit_code", "printed", "code"),
    [
        ("MCQuotient221", 0, "2517 states generated, 68 distinct states found, 0 states left on queue.", 0),
        ("MCQuotient221", 0, "2516 states generated, 67 distinct states found, 0 states left on queue.", 1),
        ("MCQuotient221", 12, "Error: Invariant TypeOK is violated.", 1),
        ("MCQuotient221", 150, "java: out of memory", 1),
    ],
)
def test_tlc_is_judged_by_its_exit_code_and_its_count(
    tmp_path: Path, model: str, exit_code: int, printed: str, code: int
) -> None:
    """A program that plays TLC says what TLC would."""
    if not (SPEC / "tla" / "manifest.json").exists():
        pytest.skip("spec/tla isn't there")
    player = tmp_path / "tlc.py"
    player.write_text(f"import sys\nprint({printed!r})\nsys.exit({exit_code})\n", encoding="utf-8")
    assert run("--only", model, TENURE_TLC=f"{sys.executable} {player}").returncode == code


@pytest.mark.parametrize(("transitions", "code"), [(118, 0), (117, 1)])
def test_the_explorer_is_judged_by_its_verdict_and_its_counts(tmp_path: Path, transitions: int, code: int) -> None:
    """It is called with the entry's arguments."""
    module = "from types import SimpleNamespace\n\n\ndef explore(start, *, tasks):\n    assert start() and tasks == 2\n"
    module += "    return SimpleNamespace(word='PROVED', states=18, transitions=118, reason='')\n"
    (tmp_path / "explorer_for_a_test.py").write_text(module, encoding="utf-8")
    asked = written(tmp_path, EXPLORER.format(transitions=transitions))
    assert run(*asked, PYTHONPATH=str(tmp_path)).returncode == code


def test_json_says_the_same_as_the_table(tmp_path: Path) -> None:
    """With a version, and with what differs."""
    told = json.loads(run(*written(tmp_path, CLOSED_FORM.format(states=67), NO_EXPLORER), "--json").stdout)
    assert told["version"] == 1
    assert [model["judgement"] for model in told["models"]] == ["differs: states 68, not 67", "not run"]
    assert told["summary"] == {"ok": 0, "differs": 1, "not run": 1}


@pytest.mark.parametrize("arguments", [["--only", "nothing"], ["--require", "nothing"], ["--manifest", "nothing"]])
def test_what_does_not_exist_can_not_be_asked_for(arguments: list[str]) -> None:
    """A misspelt name isn't an empty success."""
    done = run(*arguments)
    assert done.returncode == 2
    assert "nothing" in done.stderr


def test_every_model_of_the_manifest_has_a_kind_that_can_be_run_and_says_what_it_shows() -> None:
    """And what it yields."""
    kinds = {"murphi", "formula", "z3", "tla", "explorer"}
    assert [model["name"] for model in OWN if model["kind"] not in kinds or not model["shows"]] == []
    counted = [model for model in OWN if model["kind"] == "murphi" and model["expected"] == "holds"]
    assert [model["name"] for model in counted if not {"states", "transitions"} <= set(model)] == []


def test_the_models_of_tlc_have_as_many_states_as_those_of_rumur() -> None:
    """Those that TLC has run and that have the same states."""
    path = SPEC / "tla" / "manifest.json"
    if not path.exists():
        pytest.skip("spec/tla isn't there")
    counts = {
        entry["config"].removesuffix(".cfg"): entry.get("distinct") for entry in json.loads(path.read_text())["models"]
    }
    paired = {model["tlc"]: model["states"] for model in OWN if "tlc" in model}
    assert set(paired) <= set(counts)
    compared = {name: states for name, states in paired.items() if counts[name] is not None}
    assert compared == {name: counts[name] for name in compared}
    assert len(compared) > 5


def test_the_tables_are_as_the_models_and_the_sentences_are() -> None:
    """Otherwise run: python spec/table.py"""
    done = run("--check", script="table.py")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_table_that_is_not_current_is_found_and_drawn_anew(tmp_path: Path) -> None:
    """The check fails and leaves the text alone; drawing mends it."""
    copy = tmp_path / "spec"
    shutil.copytree(SPEC, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("src/tenure/rules.py", "tests/contract"):
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / part).symlink_to(ROOT / part)
    readme = copy / "README.md"

    def drawn(*arguments: str) -> int:
        return subprocess.run([sys.executable, str(copy / "table.py"), *arguments], capture_output=True).returncode

    assert drawn() == 0
    intact = readme.read_text(encoding="utf-8")
    damaged = intact.replace("| **O5** |", "| **O5** | `nothing` |")
    assert damaged != intact
    readme.write_text(damaged, encoding="utf-8")

    assert drawn("--check") == 1
    assert readme.read_text(encoding="utf-8") == damaged
    assert drawn() == 0
    assert readme.read_text(encoding="utf-8") == intact
    assert drawn("--chekc") == 2
