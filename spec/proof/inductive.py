"""The claims that the invariants are inductive: they hold at the start, and sweep and calls keep them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import z3
from calls import OPERATIONS, PARAMETERS, Call, call
from claim import Case, Claim
from invariants import INVARIANTS, NOT_OVER, Invariant, all_hold, start
from logic import ALWAYS, Universe
from rules import Rules
from state import HIGHEST, background, unknown_state
from sweep import (
    Sweep,
    begun,
    changed_so_far,
    due,
    is_next,
    round_of,
    swept,
    told_in_order,
    under_way,
    unknown_sweep,
)

one_call = lru_cache(maxsize=64)(call)
"""The same call each time that it's asked for."""


def case_of(made: Call, concluded: z3.BoolRef, assumed: z3.BoolRef, example: z3.BoolRef) -> Case:
    """A claim about one call."""
    states = {"before": made.before, "swept": made.swept, "after": made.after}
    if made.sweep is None:
        del states["swept"]
    given = {name: getattr(made.arguments, name) for name in PARAMETERS[made.operation]}
    return Case(z3.And(made.given, assumed), concluded, states, given, example)


def at_the_start() -> Iterator[Claim]:
    """Each invariant holds at the start."""
    for invariant in INVARIANTS:

        def case(universe: Universe, rules: Rules, invariant: Invariant = invariant) -> Case:
            del rules
            state = unknown_state(universe, "first")
            assumed = z3.And(background(universe), start(universe, state))
            return Case(assumed, invariant.holds(universe, state), {"first": state}, {})

        yield Claim(f"start: {invariant.name}", invariant.sentences, case)


def kept_by_calls() -> Iterator[Claim]:
    """Each invariant is kept by each call."""
    for operation in OPERATIONS:
        for invariant in INVARIANTS:

            def case(
                universe: Universe, rules: Rules, operation: str = operation, invariant: Invariant = invariant
            ) -> Case:
                made = one_call(universe, rules, operation)
                return case_of(made, invariant.holds(universe, made.after), ALWAYS, made.accepted)

            yield Claim(f"{operation}: {invariant.name}", invariant.sentences, case)


@lru_cache(maxsize=64)
def some_sweep(universe: Universe) -> Sweep:
    """A sweep at any point."""
    before, state = unknown_state(universe, "before"), unknown_state(universe, "mid")
    return unknown_sweep(universe, before, state, z3.Int("now"), "sweep")


def _begins(universe: Universe, rules: Rules) -> Case:
    sweep = some_sweep(universe)
    assumed = z3.And(background(universe), all_hold(universe, sweep.before), _valid(sweep))
    first = begun(sweep)
    return Case(
        assumed, under_way(universe, rules, first), {"before": sweep.before, "after": first.state}, {"now": sweep.now}
    )


def _valid(sweep: Sweep) -> z3.BoolRef:
    return z3.And(sweep.before.now <= sweep.now, sweep.now <= HIGHEST)


@lru_cache(maxsize=64)
def _round(universe: Universe, rules: Rules) -> tuple[z3.BoolRef, Sweep, Sweep, z3.ExprRef]:
    """Any round: what may be assumed of it, the sweep before and after it, and the lease that it expires."""
    sweep = some_sweep(universe)
    lease = z3.Const("next", universe.leases.sort)
    assumed = z3.And(
        background(universe),
        all_hold(universe, sweep.before),
        _valid(sweep),
        under_way(universe, rules, sweep),
        is_next(universe, rules, sweep, lease),
    )
    return assumed, sweep, round_of(rules, sweep, lease), lease


def _rounds() -> Iterator[Claim]:
    for invariant in INVARIANTS:
        if invariant is not NOT_OVER:

            def case(universe: Universe, rules: Rules, invariant: Invariant = invariant) -> Case:
                assumed, sweep, then, _ = _round(universe, rules)
                states = {"before": sweep.before, "halfway": sweep.state, "after": then.state}
                return Case(assumed, invariant.holds(universe, then.state), states, {"now": sweep.now})

            yield Claim(f"sweep, each round: {invariant.name}", ("T3", *invariant.sentences), case)


def _round_changes(universe: Universe, rules: Rules) -> Case:
    assumed, sweep, then, _ = _round(universe, rules)
    states = {"before": sweep.before, "halfway": sweep.state, "after": then.state}
    return Case(assumed, changed_so_far(universe, rules, then), states, {"now": sweep.now})


def _round_tells(universe: Universe, rules: Rules) -> Case:
    assumed, sweep, then, _ = _round(universe, rules)
    states = {"before": sweep.before, "halfway": sweep.state, "after": then.state}
    return Case(assumed, told_in_order(universe, then), states, {"now": sweep.now})


def _round_gets_on(universe: Universe, rules: Rules) -> Case:
    assumed, sweep, then, lease = _round(universe, rules)
    states = {"before": sweep.before, "halfway": sweep.state, "after": then.state}
    fewer = universe.all(lambda x: then.state.live(x) == z3.And(sweep.state.live(x), x != lease), universe.leases)
    return Case(assumed, z3.And(fewer, sweep.state.live(lease)), states, {"now": sweep.now})


def _ends(universe: Universe, rules: Rules) -> Case:
    sweep = some_sweep(universe)
    assumed = z3.And(
        background(universe),
        all_hold(universe, sweep.before),
        _valid(sweep),
        under_way(universe, rules, sweep),
        rules.sweep_is_over(universe, sweep.state, due(rules, sweep)),
    )
    moved = z3.And(sweep.now > sweep.before.now, sweep.count > 0)
    states = {"before": sweep.before, "after": sweep.state}
    return Case(assumed, swept(universe, rules, sweep), states, {"now": sweep.now}, moved)


def swept_rightly() -> Iterator[Claim]:
    """The sweep, as a loop: it begins, each round keeps what it must, and at the end all invariants hold."""
    yield Claim("sweep, at first: all but what is due", ("T3",), _begins)
    yield from _rounds()
    yield Claim("sweep, each round: only what is due changes", ("T3", "P6"), _round_changes)
    yield Claim("sweep, each round: it is told in the order (expiry, token)", ("T3", "O8"), _round_tells)
    yield Claim("sweep, each round: exactly one lease less, so that it ends", ("T3",), _round_gets_on)
    yield Claim("sweep, at the end: all invariants, and exactly what is due is gone", ("T3", "T4", "P3"), _ends)
