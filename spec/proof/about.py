"""How a claim about one call is made: what is assumed of the call, and what is concluded."""

from __future__ import annotations

from collections.abc import Callable

import z3
from calls import Call
from claim import Case, Claim
from inductive import case_of, one_call
from logic import ALWAYS, Universe
from rules import Rules
from state import ALL, State, alike

Said = Callable[[Call], tuple[z3.BoolRef, z3.BoolRef]]
"""What is assumed of a call and what is concluded."""


def about(operation: str, name: str, sentences: str, said: Said) -> Claim:
    """A claim about the operation."""

    def case(universe: Universe, rules: Rules) -> Case:
        made = one_call(universe, rules, operation)
        assumed, concluded = said(made)
        return case_of(made, concluded, assumed, ALWAYS)

    return Claim(f"{operation}: {name}", tuple(sentences.split()), case)


def some_task(made: Call) -> z3.ExprRef:
    """Any task."""
    return z3.Const("some task", made.universe.tasks.sort)


def some_worker(made: Call) -> z3.ExprRef:
    """Any worker."""
    return z3.Const("some worker", made.universe.workers.sort)


def some_lease(made: Call) -> z3.ExprRef:
    """Any lease."""
    return z3.Const("some lease", made.universe.leases.sort)


def unchanged(made: Call, one: State, other: State, *but: str) -> z3.BoolRef:
    """The states are equal, but for the fields named."""
    return alike(made.universe, one, other, *[name for name in ALL if name not in but])
