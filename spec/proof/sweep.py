"""The sweep that every valid timed call begins with: one lease after another, until none is due. (T3)

A loop, so it's proved as one: what holds before it (`begins`), what each round keeps (`keeps`), and what
follows when it is over (`ended`). Calls are then proved from `ended` alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import z3
from invariants import NOT_OVER, all_hold
from logic import Function, Universe, put, unknown
from rules import Rules
from state import OF_LEASES, PENDING, State, alike

UNSWEPT = (
    *("last_id", "last_token", "grants", "arrivals", "known", "capacity", "arrival"),
    *("priority", "attempts", "lease_of", "nth"),
    *(name for name in OF_LEASES if name not in ("live", "slot")),
)
"""What no sweep changes."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """A sweep at some point: the state that it began with, the time, the state reached, and the answer so far.

    `told` is that answer, a list of `count` leases, and `rank` says where a lease stands in it. `loser` names for
    each worker a lease that it lost, if its count changed.
    """

    before: State
    now: z3.ArithRef
    state: State
    count: z3.ArithRef
    told: Function
    rank: Function
    loser: Function

    def gone(self, lease: z3.ExprRef) -> z3.BoolRef:
        """The sweep has expired it."""
        return z3.And(self.before.live(lease), z3.Not(self.state.live(lease)))


def earlier(state: State, one: z3.ExprRef, other: z3.ExprRef) -> z3.BoolRef:
    """The order (expiry, token). (T3)"""
    mine, others = state.expiry(one), state.expiry(other)
    return z3.Or(mine < others, z3.And(mine == others, state.token(one) < state.token(other)))


def due(rules: Rules, sweep: Sweep) -> Callable[[z3.ExprRef], z3.BoolRef]:
    """Which leases are over at the sweep's time."""
    return lambda lease: rules.has_ended(sweep.state.expiry(lease), sweep.now)


def unknown_sweep(universe: Universe, before: State, state: State, now: z3.ArithRef, name: str) -> Sweep:
    """A sweep about which nothing is known."""
    number, lease = z3.IntSort(), universe.leases.sort
    return Sweep(
        before,
        now,
        state,
        z3.Int(f"{name}.count"),
        unknown(f"{name}.told", number, lease),
        unknown(f"{name}.rank", lease, number),
        unknown(f"{name}.loser", universe.workers.sort, lease),
    )


def begun(sweep: Sweep) -> Sweep:
    """The time is set and nothing has been told yet."""
    return replace(sweep, state=replace(sweep.before, now=sweep.now), count=z3.IntVal(0))


def is_next(universe: Universe, rules: Rules, sweep: Sweep, lease: z3.ExprRef) -> z3.BoolRef:
    """The lease is the one that the next round expires: due, and the first of those that are."""
    is_due, state = due(rules, sweep), sweep.state

    def stands_back(other: z3.ExprRef) -> z3.BoolRef:
        return z3.Implies(z3.And(state.live(other), is_due(other), other != lease), earlier(state, lease, other))

    return z3.And(state.live(lease), is_due(lease), universe.all(stands_back, universe.leases))


def round_of(rules: Rules, sweep: Sweep, lease: z3.ExprRef) -> Sweep:
    """The lease is gone, its slot is free, its task pending, and the answer longer by it."""
    freed = rules.freed(sweep.state, lease)
    return replace(
        sweep,
        state=replace(freed, status=put(freed.status, freed.task(lease), PENDING)),
        count=sweep.count + 1,
        told=put(sweep.told, sweep.count, lease),
        rank=put(sweep.rank, lease, sweep.count),
        loser=put(sweep.loser, freed.worker(lease), lease),
    )


def changed_so_far(universe: Universe, rules: Rules, sweep: Sweep) -> z3.BoolRef:
    """Only leases that are due have gone; their tasks are pending; all else is as it was. (T3, P6)"""
    before, state, is_due = sweep.before, sweep.state, due(rules, sweep)

    def tasks_follow(task: z3.ExprRef) -> z3.BoolRef:
        lost = z3.And(before.running(task), sweep.gone(before.lease_of(task)))
        return state.status(task) == z3.If(lost, PENDING, before.status(task))

    def workers_follow(worker: z3.ExprRef) -> z3.BoolRef:
        lost = z3.And(sweep.gone(sweep.loser(worker)), before.worker(sweep.loser(worker)) == worker)
        held = state.held(worker)
        return z3.Or(held == before.held(worker), z3.And(held < before.held(worker), lost))

    def frees(lease: z3.ExprRef) -> z3.BoolRef:
        return state.held(state.worker(lease)) < before.held(state.worker(lease))

    return z3.And(
        state.now == sweep.now,
        alike(universe, before, state, *UNSWEPT),
        universe.all(lambda x: z3.Implies(state.live(x), before.live(x)), universe.leases),
        universe.all(lambda x: z3.Implies(sweep.gone(x), z3.And(is_due(x), frees(x))), universe.leases),
        universe.all(tasks_follow, universe.tasks),
        universe.all(workers_follow, universe.workers),
    )


def told_in_order(universe: Universe, sweep: Sweep) -> z3.BoolRef:
    """The answer has exactly what went, each once, in the order (expiry, token), before what is left. (O8, T3)"""
    count, told, rank, state = sweep.count, sweep.told, sweep.rank, sweep.state

    def listed(place: z3.ArithRef) -> z3.BoolRef:
        return z3.Implies(
            z3.And(place >= 0, place < count), z3.And(sweep.gone(told(place)), rank(told(place)) == place)
        )

    def ranked(lease: z3.ExprRef) -> z3.BoolRef:
        found = z3.And(rank(lease) >= 0, rank(lease) < count, told(rank(lease)) == lease)
        return z3.Implies(sweep.gone(lease), found)

    def ordered(one: z3.ExprRef, other: z3.ExprRef) -> z3.BoolRef:
        in_turn = z3.And(sweep.gone(one), sweep.gone(other), rank(one) < rank(other))
        left = z3.And(sweep.gone(one), state.live(other))
        return z3.Implies(z3.Or(in_turn, left), earlier(state, one, other))

    return z3.And(
        count >= 0,
        universe.all(listed, universe.places),
        universe.all(ranked, universe.leases),
        universe.all(ordered, universe.leases, universe.leases),
    )


def under_way(universe: Universe, rules: Rules, sweep: Sweep) -> z3.BoolRef:
    """What each round finds and leaves: all invariants, save that what is due may be live still."""
    return z3.And(
        all_hold(universe, sweep.state, NOT_OVER),
        changed_so_far(universe, rules, sweep),
        told_in_order(universe, sweep),
    )


def swept(universe: Universe, rules: Rules, sweep: Sweep) -> z3.BoolRef:
    """What a sweep leaves: the invariants, and of the leases exactly those that weren't due."""
    exactly = universe.all(
        lambda x: sweep.state.live(x) == z3.And(sweep.before.live(x), z3.Not(due(rules, sweep)(x))), universe.leases
    )
    return z3.And(
        all_hold(universe, sweep.state),
        changed_so_far(universe, rules, sweep),
        told_in_order(universe, sweep),
        exactly,
    )
