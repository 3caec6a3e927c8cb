"""A claim: what it assumes, what it concludes, the sentences that it states, and how it is judged."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import z3
from invariants import handy
from logic import ALWAYS, SMALL, UNBOUNDED, Universe
from rules import CONTRACT, Rules
from state import State

Verdict = Literal["proved", "refused", "unknown"]
PATIENCE_MS = 30_000


class Case(NamedTuple):
    """What a claim assumes and concludes over one universe.

    `states` and `given` are what it speaks about, by what a reader calls them. `example` is what a witness
    must show beyond the assumption, so that it doesn't hold for some idle reason.
    """

    assumed: z3.BoolRef
    concluded: z3.BoolRef
    states: dict[str, State]
    given: dict[str, z3.ExprRef]
    example: z3.BoolRef = ALWAYS


@dataclass(frozen=True, eq=False)
class Claim:
    """Whatever is assumed, what is concluded follows. `case` says it for a universe and for rules."""

    name: str
    sentences: tuple[str, ...]
    case: Callable[[Universe, Rules], Case]


class Judged(NamedTuple):
    """A claim's verdict, and whether what it assumes can happen at all."""

    claim: Claim
    verdict: Verdict
    possible: bool
    milliseconds: float
    model: z3.ModelRef | None = None


def _solver() -> z3.Solver:
    solver = z3.Solver()
    solver.set("timeout", PATIENCE_MS)
    return solver


@lru_cache(maxsize=512)
def _found(formula: z3.BoolRef) -> z3.ModelRef | None:
    solver = _solver()
    solver.add(formula)
    return solver.model() if solver.check() == z3.sat else None


def small_model(case: Case, formula: z3.BoolRef) -> z3.ModelRef | None:
    """A situation with a few tasks, workers and leases in which the formula holds, if there is one."""
    return _found(z3.And(case.assumed, formula, *[handy(SMALL, state) for state in case.states.values()]))


def judge(claim: Claim, rules: Rules = CONTRACT, suspected: bool = False) -> Judged:
    """Proved if it follows for any number of everything and isn't vacuous, refused if a few objects contradict it.

    The contradiction is looked for first if it's suspected, or else only if there is no proof.
    """
    begun = time.perf_counter()
    small = claim.case(SMALL, rules)
    against = small_model(small, z3.Not(small.concluded)) if suspected else None
    follows = against is None and _follows(claim.case(UNBOUNDED, rules))
    if not follows and against is None:
        against = small_model(small, z3.Not(small.concluded))
    possible = against is not None or small_model(small, small.example) is not None
    verdict: Verdict = "refused" if against is not None else "proved" if follows and possible else "unknown"
    return Judged(claim, verdict, possible, 1000 * (time.perf_counter() - begun), against)


def _follows(case: Case) -> bool:
    solver = _solver()
    solver.add(case.assumed, z3.Not(case.concluded))
    return bool(solver.check() == z3.unsat)
