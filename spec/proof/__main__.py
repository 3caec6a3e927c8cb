"""Proves the contract's properties for any number of tasks, workers and leases: `python spec/proof`.

It proves the spec, not the code. The state is that of CONTRACT.md, with each lease as an object; the
operations are written as one step each, over z3's integers and uninterpreted sorts of tasks, workers and
leases. The claims: the invariants hold at the start, every call keeps them, and so do the sweep's rounds, one
lease at a time (T3); each call answers and changes what its sentence says; nothing ever goes back. From
that follow P1 to P9, for any number of tasks, workers, leases and calls, and for all
capacities, priorities, times and durations. No claim is vacuous: for each a situation is found in which
all that it assumes holds. And each of the weakened specs, which differ from the contract in one rule,
is refused with a counterexample to induction.

What it assumes: arguments are valid (those that aren't are rejected before the state is looked at, R1, V1 to V4);
time, ids, tokens and expiries have a greatest number, whichever it is; a scheduler holds finitely many tasks and
leases, so that some pending task is first, a sweep ends, and what is paired off with 0 ... held - 1 is that many.
What it leaves out: payloads, queries, detached values (V4, V5, O9), and that stores and restarts keep the state.

Prints a line for each claim: verdict, sentences, name, milliseconds. `--json` prints them as data.
Exits with 0 only if every claim is proved and every weakened spec refused.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from claim import Claim, Judged, Verdict, judge
from claims import all_claims, refusals
from logic import SMALL
from rules import CONTRACT, Rules
from show import Shown
from weakened import Weakened


class Line(NamedTuple):
    """A claim as it was judged, and what the verdict has to be."""

    name: str
    sentences: tuple[str, ...]
    judged: Judged
    expected: Verdict
    spec: Weakened | None = None

    @property
    def right(self) -> bool:
        """The verdict is as it has to be."""
        return self.judged.verdict == self.expected


def judged_lines() -> Iterator[Line]:
    """Every claim of the contract, then the one of each weakened spec that must be refused."""
    for claim in all_claims().values():
        yield Line(claim.name, claim.sentences, judge(claim), "proved")
    for spec, claim in refusals():
        yield Line(
            f"{spec.name} / {claim.name}", claim.sentences, judge(claim, spec.rules, suspected=True), "refused", spec
        )


def counterexample(claim: Claim, judged: Judged, rules: Rules) -> Iterator[str]:
    """The situation in which the claim fails."""
    if judged.model is not None:
        yield from Shown(judged.model).lines(claim.case(SMALL, rules))


def printed(line: Line) -> None:
    """A line on the screen, with the counterexample if there is one."""
    wrong = "" if line.right else f"  WRONG: {line.expected} was expected"
    if line.judged.verdict == "unknown" and not line.judged.possible:
        wrong += ", and what it assumes was found nowhere"
    cited = " ".join(line.sentences)
    print(f"{line.judged.verdict:8} {cited:15} {line.name}  {line.judged.milliseconds:.0f} ms{wrong}", flush=True)
    if line.spec is not None:
        print(f"    {line.spec.wrong}:")
    for text in counterexample(line.judged.claim, line.judged, line.spec.rules if line.spec else CONTRACT):
        print(f"    {text}")


def as_data(lines: list[Line]) -> dict[str, object]:
    """The verdicts for a program to read."""
    claims = [
        {
            "name": line.name,
            "sentences": list(line.sentences),
            "verdict": line.judged.verdict,
            "expected": line.expected,
            "possible": line.judged.possible,
            "ms": round(line.judged.milliseconds, 1),
        }
        for line in lines
    ]
    return {"version": 1, "claims": claims}


def main(arguments: list[str]) -> int:
    """Judge every claim, print, and tell by the exit code whether all verdicts are right."""
    if arguments not in ([], ["--json"]):
        print("usage: python spec/proof [--json]", file=sys.stderr)
        return 2
    begun = time.perf_counter()
    lines = []
    for line in judged_lines():
        lines.append(line)
        if not arguments:
            printed(line)
    wrong = sum(not line.right for line in lines)
    if arguments:
        print(json.dumps(as_data(lines), indent=1))
    else:
        weakened = sum(line.spec is not None for line in lines)
        print(
            f"{len(lines) - weakened} claims about the contract, {weakened} weakened specs, {wrong} wrong verdicts, "
            f"{time.perf_counter() - begun:.0f} s"
        )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
