"""The proof: every claim proved, every weakened spec refused, and nothing proved idly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("z3", reason="not proved: the package z3-solver isn't installed")

PROOF = Path(__file__).parents[2] / "spec" / "proof"
CONTRACT = PROOF.with_name("CONTRACT.md").read_text(encoding="utf-8")


def proof(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROOF), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def told(program: str) -> str:
    """What a few lines print that use the proof's modules."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=PROOF, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def run() -> subprocess.CompletedProcess[str]:
    """All of it, once."""
    return proof("--json")


@pytest.fixture(scope="module")
def claims(run: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """What is said of each claim."""
    judged: list[dict[str, Any]] = json.loads(run.stdout)["claims"]
    return judged


def test_the_proof_passes(run: subprocess.CompletedProcess[str]) -> None:
    """Its exit code says so, and nothing else is said."""
    assert (run.returncode, run.stderr) == (0, "")


def test_every_claim_about_the_contract_is_proved(claims: list[dict[str, Any]]) -> None:
    """And there are many."""
    about = [claim for claim in claims if claim["expected"] == "proved"]
    assert [claim["name"] for claim in about if claim["verdict"] != "proved"] == []
    assert len(about) > 250


def test_every_weakened_spec_is_refused(claims: list[dict[str, Any]]) -> None:
    """Each by the claim that its fault touches."""
    weakened = [claim for claim in claims if claim["expected"] == "refused"]
    assert [claim["name"] for claim in weakened if claim["verdict"] != "refused"] == []
    assert len(weakened) >= 17


def test_no_claim_is_vacuous(claims: list[dict[str, Any]]) -> None:
    """For each there is a situation in which all that it assumes holds."""
    assert [claim["name"] for claim in claims if not claim["possible"]] == []


def test_each_claim_names_sentences_that_exist_and_every_property_is_claimed(claims: list[dict[str, Any]]) -> None:
    """So are all rules of operations, time and identity, but for the queries. (O9)"""
    cited = {sentence for claim in claims if claim["expected"] == "proved" for sentence in claim["sentences"]}
    assert all(claim["sentences"] for claim in claims)
    assert [sentence for sentence in cited if f"**{sentence}**" not in CONTRACT] == []
    for series, most in (("L", 4), ("I", 4), ("T", 4), ("R", 2), ("O", 11), ("P", 9)):
        assert [f"{series}{n}" for n in range(1, most + 1) if f"{series}{n}" not in cited] == []


def test_the_data_have_the_form_that_they_say(run: subprocess.CompletedProcess[str]) -> None:
    """A version, and the same fields for each claim."""
    data = json.loads(run.stdout)
    assert data.keys() == {"version", "claims"}
    assert data["version"] == 1
    fields = {"name", "sentences", "verdict", "expected", "possible", "ms"}
    assert all(claim.keys() == fields for claim in data["claims"])
    assert {claim["verdict"] for claim in data["claims"]} <= {"proved", "refused", "unknown"}
    names = [claim["name"] for claim in data["claims"]]
    assert len(set(names)) == len(names)


def test_another_argument_is_a_usage_error() -> None:
    """It proves nothing then."""
    done = proof("--jsno")
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage" in done.stderr


ONE_CLAIM = """
import z3
from claim import Case, Claim, judge
from inductive import one_call

def case(universe, rules):
    made = one_call(universe, rules, "complete")
    assumed = z3.And(made.given, {assumed})
    return Case(assumed, made.rejected, {{"before": made.before}}, {{}})

judged = judge(Claim("a claim", ("P1",), case), suspected=True)
print(judged.verdict, judged.possible)
"""


@pytest.mark.parametrize(
    ("assumed", "verdict"),
    [
        ("made.before.held(made.arguments.worker) < 0", "unknown False"),
        ("made.arguments.now < made.before.now", "proved True"),
        ("made.arguments.now <= made.before.now", "refused True"),
    ],
    ids=["impossible", "true", "false"],
)
def test_what_is_assumed_of_nothing_is_not_proved_and_what_is_false_is_refused(assumed: str, verdict: str) -> None:
    """A claim whose assumption can't be met gets no verdict."""
    assert told(ONE_CLAIM.format(assumed=assumed)).strip() == verdict


def test_a_refusal_comes_with_a_situation_that_can_be_read() -> None:
    """What was called, and how the scheduler stood before and after it. (T4)"""
    program = (
        "from claim import judge; from claims import refusals; from logic import SMALL; from show import Shown\n"
        "spec, claim = next(refusals())\n"
        "judged = judge(claim, spec.rules, suspected=True)\n"
        "print(spec.name, *Shown(judged.model).lines(claim.case(SMALL, spec.rules)), sep='\\n')\n"
    )
    name, call, *states = told(program).splitlines()
    assert name == "closed interval"
    now = int(call.removeprefix("now "))
    assert [line.split(":")[0] for line in states if not line.startswith(" ")] == ["before", "after"]
    assert f"after: time {now}" in "\n".join(states)
    assert f", {now}), live" in states[-1], "the lease that should be over at its expiry"
