"""What holds in every state that can be reached, for any number of tasks, workers and leases."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import z3
from logic import MOST, Universe
from state import HIGHEST, NUMBERS, UNBORN, State, number_of


class Invariant(NamedTuple):
    """A property of states, and the sentences that it states or is needed for."""

    name: str
    sentences: tuple[str, ...]
    holds: Callable[[Universe, State], z3.BoolRef]


def ids(universe: Universe, state: State) -> z3.BoolRef:
    """Exactly the tasks 1 ... last_id were ever created."""

    def created(task: z3.ExprRef) -> z3.BoolRef:
        number = number_of(universe, task)
        return (state.status(task) != UNBORN) == z3.And(number >= 1, number <= state.last_id)

    return z3.And(state.last_id >= 0, universe.all(created, universe.tasks))


def running_iff_leased(universe: Universe, state: State) -> z3.BoolRef:
    """A running task's lease is live, and each live lease is that of its task, which is running."""

    def has_one(task: z3.ExprRef) -> z3.BoolRef:
        lease = state.lease_of(task)
        return z3.Implies(state.running(task), z3.And(state.live(lease), state.task(lease) == task))

    def is_the_one(lease: z3.ExprRef) -> z3.BoolRef:
        task = state.task(lease)
        return z3.Implies(state.live(lease), z3.And(state.running(task), state.lease_of(task) == lease))

    return z3.And(universe.all(has_one, universe.tasks), universe.all(is_the_one, universe.leases))


def at_most_one_lease(universe: Universe, state: State) -> z3.BoolRef:
    """Two leases of one task are never live together."""
    return universe.all(
        lambda one, other: z3.Implies(
            z3.And(state.live(one), state.live(other), state.task(one) == state.task(other)), one == other
        ),
        universe.leases,
        universe.leases,
    )


def live_was_granted(universe: Universe, state: State) -> z3.BoolRef:
    """Only what was granted is live, and only for a task that was created."""
    return universe.all(
        lambda x: z3.And(
            z3.Implies(state.live(x), state.granted(x)),
            z3.Implies(state.granted(x), state.status(state.task(x)) != UNBORN),
        ),
        universe.leases,
    )


def tokens_count_grants(universe: Universe, state: State) -> z3.BoolRef:
    """The first lease granted has the token 1, the second 2, and so on."""
    numbered = universe.all(
        lambda x: z3.Implies(
            state.granted(x),
            z3.And(state.turn(x) >= 1, state.turn(x) <= state.grants, state.token(x) == state.turn(x)),
        ),
        universe.leases,
    )
    apart = universe.all(
        lambda one, other: z3.Implies(
            z3.And(state.granted(one), state.granted(other), state.turn(one) == state.turn(other)), one == other
        ),
        universe.leases,
        universe.leases,
    )
    return z3.And(state.grants >= 0, state.last_token == state.grants, numbered, apart)


def tokens_increase(universe: Universe, state: State) -> z3.BoolRef:
    """Of two leases the one granted later has the larger token, and no two have the same."""
    both = universe.all(
        lambda one, other: z3.Implies(
            z3.And(state.granted(one), state.granted(other), one != other),
            z3.And(
                state.token(one) != state.token(other),
                (state.turn(one) < state.turn(other)) == (state.token(one) < state.token(other)),
            ),
        ),
        universe.leases,
        universe.leases,
    )
    below = universe.all(lambda x: z3.Implies(state.granted(x), state.token(x) <= state.last_token), universe.leases)
    return z3.And(both, below)


def bounded(universe: Universe, state: State) -> z3.BoolRef:
    """A lease, live or over, starts before it ends, and not in the future."""
    return universe.all(
        lambda x: z3.Implies(
            state.live(x),
            z3.And(state.start(x) >= 0, state.start(x) < state.expiry(x), state.start(x) <= state.now),
        ),
        universe.leases,
    )


def not_over(universe: Universe, state: State) -> z3.BoolRef:
    """A live lease is not over."""
    return universe.all(lambda x: z3.Implies(state.live(x), state.now < state.expiry(x)), universe.leases)


def held_counts_leases(universe: Universe, state: State) -> z3.BoolRef:
    """A worker's leases and its places 0 ... held - 1 are paired off, so it holds exactly `held`."""

    def filled(worker: z3.ExprRef, place: z3.ArithRef) -> z3.BoolRef:
        lease = state.at(worker, place)
        paired = z3.And(state.live(lease), state.worker(lease) == worker, state.slot(lease) == place)
        return z3.Implies(z3.And(place >= 0, place < state.held(worker)), paired)

    def placed(lease: z3.ExprRef) -> z3.BoolRef:
        worker, place = state.worker(lease), state.slot(lease)
        paired = z3.And(place >= 0, place < state.held(worker), state.at(worker, place) == lease)
        return z3.Implies(state.live(lease), paired)

    return z3.And(
        universe.all(lambda w: state.held(w) >= 0, universe.workers),
        universe.all(filled, universe.workers, universe.places),
        universe.all(placed, universe.leases),
    )


def workers_known(universe: Universe, state: State) -> z3.BoolRef:
    """Every live lease's worker is known, and no capacity is negative."""
    return z3.And(
        universe.all(lambda x: z3.Implies(state.live(x), state.known(state.worker(x))), universe.leases),
        universe.all(lambda w: state.capacity(w) >= 0, universe.workers),
    )


def arrivals_in_order(universe: Universe, state: State) -> z3.BoolRef:
    """The known workers are in an order, that of their creation."""
    apart = universe.all(
        lambda v, w: z3.Implies(z3.And(state.known(v), state.known(w), state.arrival(v) == state.arrival(w)), v == w),
        universe.workers,
        universe.workers,
    )
    below = universe.all(lambda w: z3.Implies(state.known(w), state.arrival(w) <= state.arrivals), universe.workers)
    return z3.And(apart, below)


def attempts_count_grants(universe: Universe, state: State) -> z3.BoolRef:
    """A task's leases, live or over, and the numbers 1 ... attempts are paired off, in the order of their grants."""

    def counted(task: z3.ExprRef, number: z3.ArithRef) -> z3.BoolRef:
        lease = state.nth(task, number)
        paired = z3.And(state.granted(lease), state.task(lease) == task, state.attempt(lease) == number)
        return z3.Implies(z3.And(number >= 1, number <= state.attempts(task)), paired)

    def found(lease: z3.ExprRef) -> z3.BoolRef:
        task, number = state.task(lease), state.attempt(lease)
        paired = z3.And(number >= 1, number <= state.attempts(task), state.nth(task, number) == lease)
        return z3.Implies(state.granted(lease), paired)

    def ordered(one: z3.ExprRef, other: z3.ExprRef) -> z3.BoolRef:
        same = z3.And(state.granted(one), state.granted(other), state.task(one) == state.task(other))
        return z3.Implies(same, (state.attempt(one) < state.attempt(other)) == (state.turn(one) < state.turn(other)))

    return z3.And(
        universe.all(lambda t: state.attempts(t) >= 0, universe.tasks),
        universe.all(lambda t: z3.Implies(state.status(t) == UNBORN, state.attempts(t) == 0), universe.tasks),
        universe.all(counted, universe.tasks, universe.places),
        universe.all(found, universe.leases),
        universe.all(ordered, universe.leases, universe.leases),
    )


def current_is_latest(universe: Universe, state: State) -> z3.BoolRef:
    """A live lease is the latest of its task: its attempt is the task's number of attempts."""
    return universe.all(
        lambda x: z3.Implies(state.live(x), state.attempt(x) == state.attempts(state.task(x))),
        universe.leases,
    )


def numbers_fit(universe: Universe, state: State) -> z3.BoolRef:
    """Time, ids, tokens and expiries stay within the numbers."""
    return z3.And(
        state.now >= 0,
        state.now <= HIGHEST,
        state.last_id <= HIGHEST,
        state.last_token <= HIGHEST,
        universe.all(lambda x: z3.Implies(state.live(x), state.expiry(x) <= HIGHEST), universe.leases),
    )


NOT_OVER = Invariant("every live lease's expiry is after now", ("P3", "T4"), not_over)
INVARIANTS = (
    Invariant("exactly the ids 1 ... last were given", ("I1", "L1"), ids),
    Invariant("running iff a lease", ("P1", "L3"), running_iff_leased),
    Invariant("at most one live lease a task", ("P1", "P8"), at_most_one_lease),
    Invariant("what is live was granted", ("L3",), live_was_granted),
    Invariant("tokens are 1, 2, 3, ... in order of grants", ("I2",), tokens_count_grants),
    Invariant("tokens are distinct and increase", ("P4", "I2"), tokens_increase),
    Invariant("every lease starts before its expiry, and not after now", ("P3",), bounded),
    NOT_OVER,
    Invariant("a worker holds as many leases as it is said to", ("P2",), held_counts_leases),
    Invariant("every lease's worker is known", ("P2",), workers_known),
    Invariant("known workers stand in an order", ("O9", "O11"), arrivals_in_order),
    Invariant("attempts counts a task's leases", ("L4",), attempts_count_grants),
    Invariant("a current lease is its task's latest", ("L3", "L4"), current_is_latest),
    Invariant("every number fits", ("V1", "V2", "I4"), numbers_fit),
)


def all_hold(universe: Universe, state: State, *but: Invariant) -> z3.BoolRef:
    """All invariants, but for those named."""
    return z3.And(*[invariant.holds(universe, state) for invariant in INVARIANTS if invariant not in but])


def start(universe: Universe, state: State) -> z3.BoolRef:
    """The state in which a scheduler begins: no worker, no task, no lease, time 0. (T1)"""
    return z3.And(
        *[getattr(state, name) == 0 for name in NUMBERS],
        universe.all(
            lambda w: z3.And(z3.Not(state.known(w)), state.held(w) == 0, state.capacity(w) == 0), universe.workers
        ),
        universe.all(lambda t: z3.And(state.status(t) == UNBORN, state.attempts(t) == 0), universe.tasks),
        universe.all(lambda x: z3.And(z3.Not(state.live(x)), z3.Not(state.granted(x))), universe.leases),
    )


def handy(universe: Universe, state: State) -> z3.BoolRef:
    """The counts reach no further than the small universe's places, and the numbers are easy to read."""
    plain = [
        universe.all(lambda w: z3.And(state.held(w) <= MOST, state.capacity(w) <= MOST), universe.workers),
        universe.all(lambda t: z3.And(state.attempts(t) <= MOST, state.priority(t) >= 0), universe.tasks),
        universe.all(lambda t: z3.And(state.priority(t) <= 9, number_of(universe, t) >= 0), universe.tasks),
        universe.all(lambda x: state.start(x) >= 0, universe.leases),
        universe.all(lambda x: z3.And(state.token(x) >= 0, state.expiry(x) <= 29), universe.leases),
    ]
    return z3.And(*plain)
