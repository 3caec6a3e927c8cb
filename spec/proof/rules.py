"""The rules, each in a place of its own, so that a weakened spec can differ from the contract in exactly one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import z3
from logic import NEVER, Universe, put
from state import DONE, PENDING, State, number_of


def has_ended(expiry: z3.ArithRef, now: z3.ArithRef) -> z3.BoolRef:
    """A lease is over at its expiry, not after it. (T3, T4)"""
    return expiry <= now


def sweep_is_over(universe: Universe, state: State, due: Callable[[z3.ExprRef], z3.BoolRef]) -> z3.BoolRef:
    """The sweep goes on until no live lease is due. (T3)"""
    return universe.all(lambda x: z3.Not(z3.And(state.live(x), due(x))), universe.leases)


def token_for(state: State, task: z3.ExprRef) -> z3.ArithRef:
    """The next token. (I2)"""
    del task
    return state.last_token + 1


def comes_before(universe: Universe, state: State, one: z3.ExprRef, other: z3.ExprRef) -> z3.BoolRef:
    """The greater priority is first, and of equal ones the smaller id. (O4, P5)"""
    mine, others = state.priority(one), state.priority(other)
    return z3.Or(mine > others, z3.And(mine == others, number_of(universe, one) < number_of(universe, other)))


def has_room(before: State, swept: State, worker: z3.ExprRef) -> z3.BoolRef:
    """A worker gets no more than its capacity, counted after the sweep. (O4, T3)"""
    del before
    return swept.held(worker) < swept.capacity(worker)


def is_proved(state: State, task: z3.ExprRef, token: z3.ArithRef, caller: z3.ExprRef) -> z3.BoolRef:
    """The token alone is the proof: who calls is not asked. (O5)"""
    del caller
    return z3.And(state.running(task), state.token(state.lease_of(task)) == token)


def renewed(state: State, lease: z3.ExprRef, duration: z3.ArithRef) -> State:
    """The same lease, which ends a duration from now. (O6, I3)"""
    return replace(state, expiry=put(state.expiry, lease, state.now + duration))


def freed(state: State, lease: z3.ExprRef) -> State:
    """The lease is gone and its slot is free: the worker's last lease moves to its place. (O5, O7, T3)"""
    worker, place = state.worker(lease), state.slot(lease)
    last = state.at(worker, state.held(worker) - 1)
    return replace(
        state,
        live=put(state.live, lease, NEVER),
        held=put(state.held, worker, state.held(worker) - 1),
        at=put(state.at, worker, place, last),
        slot=put(state.slot, last, place),
    )


def refused(state: State) -> State:
    """A refusal changes nothing. (R2)"""
    return state


def may_forget(state: State, task: z3.ExprRef) -> z3.BoolRef:
    """A task that is pending or done may be forgotten. (O10)"""
    return z3.Or(state.status(task) == PENDING, state.status(task) == DONE)


def may_dismiss(state: State, worker: z3.ExprRef) -> z3.BoolRef:
    """A known worker that holds no lease may be forgotten. (O11)"""
    return z3.And(state.known(worker), state.held(worker) == 0)


def resized(universe: Universe, state: State, worker: z3.ExprRef, capacity: z3.ArithRef) -> State:
    """Another capacity, be it below what the worker holds, revokes nothing. (O2)"""
    del universe
    return replace(state, capacity=put(state.capacity, worker, capacity))


@dataclass(frozen=True, eq=False)
class Rules:
    """The contract's rules, unless one is replaced."""

    has_ended: Callable[[z3.ArithRef, z3.ArithRef], z3.BoolRef] = has_ended
    sweep_is_over: Callable[[Universe, State, Callable[[z3.ExprRef], z3.BoolRef]], z3.BoolRef] = sweep_is_over
    token_for: Callable[[State, z3.ExprRef], z3.ArithRef] = token_for
    comes_before: Callable[[Universe, State, z3.ExprRef, z3.ExprRef], z3.BoolRef] = comes_before
    has_room: Callable[[State, State, z3.ExprRef], z3.BoolRef] = has_room
    is_proved: Callable[[State, z3.ExprRef, z3.ArithRef, z3.ExprRef], z3.BoolRef] = is_proved
    renewed: Callable[[State, z3.ExprRef, z3.ArithRef], State] = renewed
    freed: Callable[[State, z3.ExprRef], State] = freed
    refused: Callable[[State], State] = refused
    may_forget: Callable[[State, z3.ExprRef], z3.BoolRef] = may_forget
    may_dismiss: Callable[[State, z3.ExprRef], z3.BoolRef] = may_dismiss
    resized: Callable[[Universe, State, z3.ExprRef, z3.ArithRef], State] = resized


CONTRACT = Rules()
