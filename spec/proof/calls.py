"""The operations as steps: for each what it is given, when it is rejected or accepted, and the state after it.

A call that is neither rejected nor accepted is refused. Bad arguments never get here (R1): a time is a
number from 0, a duration at least 1, and the expiry a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import z3
from invariants import all_hold
from logic import ALWAYS, NEVER, Universe, put
from rules import Rules
from state import DONE, FORGOTTEN, HIGHEST, PENDING, RUNNING, State, background, choose, number_of, unknown_state
from sweep import Sweep, swept, unknown_sweep


@dataclass(frozen=True, eq=False)
class Arguments:
    """What any call may be given, and what it may meet; each call uses some of them.

    `first` is the task that stands first, `fresh` the object that a granted lease will be, and
    `caller` the worker that calls, which nothing asks for.
    """

    now: z3.ArithRef
    duration: z3.ArithRef
    capacity: z3.ArithRef
    priority: z3.ArithRef
    token: z3.ArithRef
    task: z3.ExprRef
    worker: z3.ExprRef
    first: z3.ExprRef
    fresh: z3.ExprRef
    caller: z3.ExprRef

    @classmethod
    def unknown(cls, universe: Universe, name: str = "") -> Arguments:
        """Any arguments."""
        numbers = {field: z3.Int(name + field) for field in ("now", "duration", "capacity", "priority", "token")}
        tasks = {field: z3.Const(name + field, universe.tasks.sort) for field in ("task", "first")}
        workers = {field: z3.Const(name + field, universe.workers.sort) for field in ("worker", "caller")}
        return cls(**numbers, **tasks, **workers, fresh=z3.Const(name + "fresh", universe.leases.sort))


@dataclass(frozen=True, eq=False)
class Call:
    """One call of an operation in a state of which the invariants hold.

    `swept` is the state in which it is answered: that after the sweep, or for an untimed call `before` itself.
    `given` is what may be assumed of it.
    """

    operation: str
    universe: Universe
    arguments: Arguments
    before: State
    sweep: Sweep | None
    swept: State
    after: State
    given: z3.BoolRef
    rejected: z3.BoolRef
    accepted: z3.BoolRef

    @property
    def refused(self) -> z3.BoolRef:
        """Neither rejected nor accepted. (R2)"""
        return z3.Not(z3.Or(self.rejected, self.accepted))


@dataclass(frozen=True, eq=False)
class Asked:
    """What an operation decides on: the state before, the state in which it answers, the arguments, the rules."""

    universe: Universe
    before: State
    state: State
    arguments: Arguments
    rules: Rules


@dataclass(frozen=True, eq=False)
class Decision:
    """What an operation decides, and the state after it if it accepts."""

    accepted: z3.BoolRef
    effect: State
    rejected: z3.BoolRef = NEVER
    given: z3.BoolRef = ALWAYS


def dispatch(asked: Asked) -> Decision:
    """A known worker with room gets a lease on the first pending task. (O4)"""
    universe, state, to = asked.universe, asked.state, asked.arguments
    task, worker, lease = to.first, to.worker, to.fresh
    attempt = state.attempts(task) + 1

    def stands_back(other: z3.ExprRef) -> z3.BoolRef:
        behind = asked.rules.comes_before(universe, state, task, other)
        return z3.Implies(z3.And(state.status(other) == PENDING, other != task), behind)

    some_first = z3.And(state.status(task) == PENDING, universe.all(stands_back, universe.tasks))
    none = universe.all(lambda t: state.status(t) != PENDING, universe.tasks)
    token = asked.rules.token_for(state, task)
    return Decision(
        accepted=z3.And(state.known(worker), asked.rules.has_room(asked.before, state, worker), z3.Not(none)),
        given=z3.And(z3.Or(none, some_first), z3.Not(state.granted(lease)), _expiry_fits(to)),
        rejected=asked.before.last_token >= HIGHEST,
        effect=replace(
            state,
            last_token=state.last_token + 1,
            grants=state.grants + 1,
            status=put(state.status, task, RUNNING),
            attempts=put(state.attempts, task, attempt),
            lease_of=put(state.lease_of, task, lease),
            nth=put(state.nth, task, attempt, lease),
            held=put(state.held, worker, state.held(worker) + 1),
            at=put(state.at, worker, state.held(worker), lease),
            granted=put(state.granted, lease, ALWAYS),
            live=put(state.live, lease, ALWAYS),
            task=put(state.task, lease, task),
            worker=put(state.worker, lease, worker),
            token=put(state.token, lease, token),
            attempt=put(state.attempt, lease, attempt),
            start=put(state.start, lease, state.now),
            expiry=put(state.expiry, lease, state.now + to.duration),
            slot=put(state.slot, lease, state.held(worker)),
            turn=put(state.turn, lease, state.grants + 1),
        ),
    )


def _expiry_fits(to: Arguments) -> z3.BoolRef:
    return z3.And(to.duration >= 1, to.now + to.duration <= HIGHEST)


def _proved(asked: Asked) -> z3.BoolRef:
    to = asked.arguments
    return asked.rules.is_proved(asked.state, to.task, to.token, to.caller)


def _ended(asked: Asked, status: z3.ExprRef) -> State:
    state, task = asked.state, asked.arguments.task
    freed = asked.rules.freed(state, state.lease_of(task))
    return replace(freed, status=put(freed.status, task, status))


def complete(asked: Asked) -> Decision:
    """Whoever shows the current token ends the lease, and the task is done. (O5)"""
    return Decision(_proved(asked), _ended(asked, DONE))


def release(asked: Asked) -> Decision:
    """Whoever shows the current token ends the lease, and the task is pending. (O7)"""
    return Decision(_proved(asked), _ended(asked, PENDING))


def renew(asked: Asked) -> Decision:
    """Whoever shows the current token has the lease end a duration from now. (O6)"""
    state, to = asked.state, asked.arguments
    effect = asked.rules.renewed(state, state.lease_of(to.task), to.duration)
    return Decision(_proved(asked), effect, given=_expiry_fits(to))


def advance(asked: Asked) -> Decision:
    """Nothing but the sweep. (O8)"""
    return Decision(ALWAYS, asked.state)


def add_worker(asked: Asked) -> Decision:
    """A new name is known, after all that are. (O1)"""
    state, to = asked.state, asked.arguments
    effect = replace(
        state,
        arrivals=state.arrivals + 1,
        known=put(state.known, to.worker, ALWAYS),
        capacity=put(state.capacity, to.worker, to.capacity),
        arrival=put(state.arrival, to.worker, state.arrivals + 1),
    )
    known = state.known(to.worker)
    return Decision(z3.Not(known), effect, rejected=known, given=to.capacity >= 1)


def set_capacity(asked: Asked) -> Decision:
    """A known worker has another capacity. (O2)"""
    state, to = asked.state, asked.arguments
    known = state.known(to.worker)
    effect = asked.rules.resized(asked.universe, state, to.worker, to.capacity)
    return Decision(known, effect, rejected=z3.Not(known), given=to.capacity >= 0)


def add_task(asked: Asked) -> Decision:
    """The task with the next id is pending. (O3, I1)"""
    state, to = asked.state, asked.arguments
    effect = replace(
        state,
        last_id=state.last_id + 1,
        status=put(state.status, to.task, PENDING),
        priority=put(state.priority, to.task, to.priority),
    )
    full = state.last_id >= HIGHEST
    is_next = number_of(asked.universe, to.task) == state.last_id + 1
    return Decision(z3.Not(full), effect, rejected=full, given=is_next)


def forget(asked: Asked) -> Decision:
    """A task without a lease is gone for good. (O10)"""
    state, to = asked.state, asked.arguments
    effect = replace(state, status=put(state.status, to.task, FORGOTTEN))
    return Decision(asked.rules.may_forget(state, to.task), effect)


def forget_worker(asked: Asked) -> Decision:
    """A worker without a lease is known no more. (O11)"""
    state, to = asked.state, asked.arguments
    effect = replace(state, known=put(state.known, to.worker, NEVER))
    return Decision(asked.rules.may_dismiss(state, to.worker), effect)


TIMED = {"dispatch": dispatch, "complete": complete, "renew": renew, "release": release, "advance": advance}
UNTIMED = {
    "add_worker": add_worker,
    "set_capacity": set_capacity,
    "add_task": add_task,
    "forget": forget,
    "forget_worker": forget_worker,
}
OPERATIONS: dict[str, Callable[[Asked], Decision]] = {**TIMED, **UNTIMED}

PARAMETERS = {
    "dispatch": ("worker", "now", "duration"),
    "complete": ("task", "token", "caller", "now"),
    "renew": ("task", "token", "caller", "now", "duration"),
    "release": ("task", "token", "caller", "now"),
    "advance": ("now",),
    "add_worker": ("worker", "capacity"),
    "set_capacity": ("worker", "capacity"),
    "add_task": ("task", "priority"),
    "forget": ("task",),
    "forget_worker": ("worker",),
}
"""What a reader has to be told of a call, the caller too."""


def call(universe: Universe, rules: Rules, operation: str) -> Call:
    """Any call of the operation, in any state of which the invariants hold."""
    arguments = Arguments.unknown(universe)
    before = unknown_state(universe, "before")
    given = [background(universe), all_hold(universe, before)]
    late, sweep, state = NEVER, None, before
    if operation in TIMED:
        state = unknown_state(universe, "swept")
        sweep = unknown_sweep(universe, before, state, arguments.now, "sweep")
        late = arguments.now < before.now
        given += [arguments.now >= 0, arguments.now <= HIGHEST, z3.Implies(z3.Not(late), swept(universe, rules, sweep))]
    decision = OPERATIONS[operation](Asked(universe, before, state, arguments, rules))
    rejected = z3.Or(late, decision.rejected)
    accepted = z3.And(z3.Not(rejected), decision.accepted)
    given.append(z3.Implies(z3.Not(late), decision.given))
    after = choose(rejected, before, choose(accepted, decision.effect, rules.refused(state)))
    return Call(operation, universe, arguments, before, sweep, state, after, z3.And(*given), rejected, accepted)
