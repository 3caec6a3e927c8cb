"""Specs that differ from the contract in one rule, each with the claim that must then be refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import z3
from logic import ALWAYS, NEVER, Universe, put
from rules import CONTRACT, Rules, freed, may_dismiss, may_forget, renewed
from state import PENDING, RUNNING, State, choose, number_of


@dataclass(frozen=True, eq=False)
class Weakened:
    """A spec with one rule replaced, what it does wrong, and the name of a claim that doesn't hold of it."""

    name: str
    wrong: str
    rules: Rules
    refuses: str


def _closed(expiry: z3.ArithRef, now: z3.ArithRef) -> z3.BoolRef:
    return expiry < now


def _one_round(universe: Universe, state: State, due: Callable[[z3.ExprRef], z3.BoolRef]) -> z3.BoolRef:
    del universe, state, due
    return ALWAYS


def _token_is_time(state: State, task: z3.ExprRef) -> z3.ArithRef:
    del task
    return state.now


def _token_of_the_task(state: State, task: z3.ExprRef) -> z3.ArithRef:
    attempts = state.attempts(task)
    return z3.If(attempts > 0, state.token(state.nth(task, attempts)), state.last_token + 1)


def _first_come(universe: Universe, state: State, one: z3.ExprRef, other: z3.ExprRef) -> z3.BoolRef:
    del state
    return number_of(universe, one) < number_of(universe, other)


def _always_room(before: State, swept: State, worker: z3.ExprRef) -> z3.BoolRef:
    del before, swept, worker
    return ALWAYS


def _room_before_sweep(before: State, swept: State, worker: z3.ExprRef) -> z3.BoolRef:
    return before.held(worker) < swept.capacity(worker)


def _room_for_one_more(before: State, swept: State, worker: z3.ExprRef) -> z3.BoolRef:
    del before
    return swept.held(worker) <= swept.capacity(worker)


def _name_is_proof(state: State, task: z3.ExprRef, token: z3.ArithRef, caller: z3.ExprRef) -> z3.BoolRef:
    del token
    return z3.And(state.running(task), state.worker(state.lease_of(task)) == caller)


def _from_the_expiry(state: State, lease: z3.ExprRef, duration: z3.ArithRef) -> State:
    return replace(state, expiry=put(state.expiry, lease, state.expiry(lease) + duration))


def _with_a_new_token(state: State, lease: z3.ExprRef, duration: z3.ArithRef) -> State:
    token = state.last_token + 1
    return replace(renewed(state, lease, duration), token=put(state.token, lease, token), last_token=token)


def _slot_leaked(state: State, lease: z3.ExprRef) -> State:
    return replace(state, live=put(state.live, lease, NEVER))


def _slot_freed_twice(state: State, lease: z3.ExprRef) -> State:
    once, worker = freed(state, lease), state.worker(lease)
    return replace(once, held=put(once.held, worker, once.held(worker) - 1))


def _refusal_uses_a_token(state: State) -> State:
    return replace(state, last_token=state.last_token + 1, grants=state.grants + 1)


def _forget_anything(state: State, task: z3.ExprRef) -> z3.BoolRef:
    return z3.Or(may_forget(state, task), state.status(task) == RUNNING)


def _dismiss_anyone(state: State, worker: z3.ExprRef) -> z3.BoolRef:
    return z3.Or(may_dismiss(state, worker), state.known(worker))


def _revoking(universe: Universe, state: State, worker: z3.ExprRef, capacity: z3.ArithRef) -> State:
    """A worker that holds too many leases loses its last one."""
    del universe
    sized = replace(state, capacity=put(state.capacity, worker, capacity))
    lease = state.at(worker, state.held(worker) - 1)
    revoked = freed(sized, lease)
    revoked = replace(revoked, status=put(revoked.status, state.task(lease), PENDING))
    return choose(capacity < state.held(worker), revoked, sized)


_KNOWN = "every lease's worker is known"
_HELD = "a worker holds as many leases as it is said to"

WEAKENED = (
    Weakened(
        "closed interval",
        "a lease is live still at its expiry",
        replace(CONTRACT, has_ended=_closed),
        "sweep, at the end: all invariants, and exactly what is due is gone",
    ),
    Weakened(
        "first swept only",
        "the sweep may stop before all that is due has expired",
        replace(CONTRACT, sweep_is_over=_one_round),
        "sweep, at the end: all invariants, and exactly what is due is gone",
    ),
    Weakened(
        "token from the clock",
        "the token is the time",
        replace(CONTRACT, token_for=_token_is_time),
        "dispatch: tokens are distinct and increase",
    ),
    Weakened(
        "token reused",
        "a task that was leased before gets its last token again",
        replace(CONTRACT, token_for=_token_of_the_task),
        "dispatch: tokens are distinct and increase",
    ),
    Weakened(
        "capacity ignored",
        "the capacity isn't tested",
        replace(CONTRACT, has_room=_always_room),
        "dispatch: one slot is taken, and never above the capacity",
    ),
    Weakened(
        "capacity off by one",
        "a worker may hold one lease more than its capacity",
        replace(CONTRACT, has_room=_room_for_one_more),
        "dispatch: one slot is taken, and never above the capacity",
    ),
    Weakened(
        "capacity before the sweep",
        "leases that the call itself found over count as held",
        replace(CONTRACT, has_room=_room_before_sweep),
        "dispatch: granted iff the worker is known and has room and a task is pending",
    ),
    Weakened(
        "priority ignored",
        "the smallest id is taken, whatever its priority",
        replace(CONTRACT, comes_before=_first_come),
        "dispatch: it takes the first by (-priority, id)",
    ),
    Weakened(
        "renewed from the old expiry",
        "a renewal adds to what is left",
        replace(CONTRACT, renewed=_from_the_expiry),
        "renew: the expiry is now + duration",
    ),
    Weakened(
        "renewed with a new token",
        "a renewal changes the token",
        replace(CONTRACT, renewed=_with_a_new_token),
        "renew: worker, token, start and attempt stay",
    ),
    Weakened(
        "the worker's name as proof",
        "it is asked who calls, and not for the token",
        replace(CONTRACT, is_proved=_name_is_proof),
        "later: of several calls with one token at most one completes",
    ),
    Weakened(
        "slot leaked",
        "a lease that ends leaves its slot taken",
        replace(CONTRACT, freed=_slot_leaked),
        f"sweep, each round: {_HELD}",
    ),
    Weakened(
        "slot freed twice",
        "a lease that ends frees two slots",
        replace(CONTRACT, freed=_slot_freed_twice),
        f"complete: {_HELD}",
    ),
    Weakened(
        "refusal uses a token",
        "a call that grants nothing uses up a token",
        replace(CONTRACT, refused=_refusal_uses_a_token),
        "dispatch: refused, it changes only what the sweep changes",
    ),
    Weakened(
        "forgotten while running",
        "a running task may be forgotten",
        replace(CONTRACT, may_forget=_forget_anything),
        "forget: running iff a lease",
    ),
    Weakened(
        "dismissed while it holds leases",
        "a worker that holds a lease may be forgotten",
        replace(CONTRACT, may_dismiss=_dismiss_anyone),
        f"forget_worker: {_KNOWN}",
    ),
    Weakened(
        "lowered capacity revokes",
        "lowering a capacity takes a lease away",
        replace(CONTRACT, resized=_revoking),
        "set_capacity: lowered below what is held, it revokes nothing",
    ),
)
