"""The claims about leases: which is granted, who may end or renew it, and what that changes."""

from __future__ import annotations

from collections.abc import Iterator

import z3
from about import about, some_lease, some_task, some_worker, unchanged
from calls import OPERATIONS, Call
from claim import Claim
from state import DONE, PENDING, RUNNING, number_of

# -- dispatch


def _granted_iff_possible(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    state, worker, universe = made.swept, made.arguments.worker, made.universe
    none = universe.all(lambda t: state.status(t) != PENDING, universe.tasks)
    possible = z3.And(state.known(worker), state.held(worker) < state.capacity(worker), z3.Not(none))
    return z3.Not(made.rejected), made.accepted == possible


def _right_task(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    state, other, first = made.swept, some_task(made), made.after.task(made.arguments.fresh)
    assumed = z3.And(made.accepted, state.status(other) == PENDING, other != first)
    mine, others = state.priority(first), state.priority(other)
    smaller = number_of(made.universe, first) < number_of(made.universe, other)
    return assumed, z3.And(state.status(first) == PENDING, z3.Or(mine > others, z3.And(mine == others, smaller)))


def _fresh_token(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    old, new, after = some_lease(made), made.arguments.fresh, made.after
    assumed = z3.And(made.accepted, made.before.granted(old))
    return assumed, z3.And(after.token(new) > made.before.token(old), after.token(new) == made.before.last_token + 1)


def _new_lease(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    lease, after, to = made.arguments.fresh, made.after, made.arguments
    task = after.task(lease)
    said = z3.And(
        after.live(lease),
        after.lease_of(task) == lease,
        after.status(task) == RUNNING,
        after.worker(lease) == to.worker,
        after.start(lease) == to.now,
        after.expiry(lease) == to.now + to.duration,
        after.attempts(task) == made.before.attempts(task) + 1,
        after.attempt(lease) == after.attempts(task),
    )
    return made.accepted, said


def _within_capacity(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    worker, after = made.arguments.worker, made.after
    one_more = after.held(worker) == made.swept.held(worker) + 1
    return made.accepted, z3.And(one_more, after.held(worker) <= after.capacity(worker))


def _never_further_above(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    worker = some_worker(made)
    capacity = made.after.capacity(worker)
    same = capacity == made.before.capacity(worker)
    return z3.And(same, made.after.held(worker) > capacity), made.after.held(worker) <= made.before.held(worker)


def _revokes_nothing(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    to, after, worker = made.arguments, made.after, some_worker(made)
    assumed = z3.And(made.accepted, to.capacity < made.before.held(to.worker), worker != to.worker)
    others = after.capacity(worker) == made.before.capacity(worker)
    return assumed, z3.And(
        unchanged(made, made.before, after, "capacity"), after.capacity(to.worker) == to.capacity, others
    )


def dispatching() -> Iterator[Claim]:
    """When a lease is granted, which, and how many."""
    yield about(
        "dispatch",
        "granted iff the worker is known and has room and a task is pending",
        "O4 P2 P9",
        _granted_iff_possible,
    )
    yield about("dispatch", "it takes the first by (-priority, id)", "P5 O4", _right_task)
    yield about("dispatch", "the token is the next, larger than any before", "I2 P4", _fresh_token)
    yield about("dispatch", "the lease is as asked for, and live from now to now + duration", "O4 T4 L3 L4", _new_lease)
    yield about("dispatch", "one slot is taken, and never above the capacity", "P2 O4", _within_capacity)
    for operation in OPERATIONS:
        if operation not in ("advance", "add_worker"):
            yield about(
                operation, "a worker above its capacity gets no further above it", "P2 O2", _never_further_above
            )
    yield about("set_capacity", "lowered below what is held, it revokes nothing", "O2", _revokes_nothing)


# -- with a token


def _token_decides(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    state, to, lease = made.swept, made.arguments, some_lease(made)
    current = z3.And(state.live(lease), state.task(lease) == to.task, state.token(lease) == to.token)
    universe = made.universe
    no_other = universe.all(
        lambda x: z3.Not(z3.And(state.live(x), state.task(x) == to.task, state.token(x) == to.token)), universe.leases
    )
    return z3.And(z3.Not(made.rejected), z3.Or(current, no_other)), made.accepted == current


def _stale(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    to, lease = made.arguments, some_lease(made)
    over = z3.Or(z3.Not(made.before.live(lease)), made.before.expiry(lease) <= to.now)
    assumed = z3.And(z3.Not(made.rejected), made.before.granted(lease), made.before.token(lease) == to.token, over)
    return assumed, made.refused


def _frees_one_slot(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    state, after, task = made.swept, made.after, made.arguments.task
    lease, other, worker = state.lease_of(task), some_lease(made), some_worker(made)
    freed = z3.If(worker == state.worker(lease), 1, 0)
    left = after.live(other) == z3.And(state.live(other), other != lease)
    status = DONE if made.operation == "complete" else PENDING
    return made.accepted, z3.And(after.held(worker) == state.held(worker) - freed, left, after.status(task) == status)


def _same_assignment(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    before, after, to = made.before, made.after, made.arguments
    lease = before.lease_of(to.task)
    kept = [
        getattr(after, name)(lease) == getattr(before, name)(lease)
        for name in ("task", "worker", "token", "start", "attempt", "turn")
    ]
    numbers = z3.And(after.last_token == before.last_token, after.attempts(to.task) == before.attempts(to.task))
    return made.accepted, z3.And(after.live(lease), after.lease_of(to.task) == lease, numbers, *kept)


def _from_now(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    lease, to = made.after.lease_of(made.arguments.task), made.arguments
    return made.accepted, made.after.expiry(lease) == to.now + to.duration


def with_a_token() -> Iterator[Claim]:
    """Complete, release and renew."""
    for operation in ("complete", "release", "renew"):
        yield about(operation, "accepted iff the token is that of the task's live lease", "O5 O6 O7", _token_decides)
        yield about(operation, "the token of a lease that is over is refused", "O5 T4 P8", _stale)
    yield about("complete", "it ends its lease, and exactly one slot is free", "O5", _frees_one_slot)
    yield about("release", "it ends its lease, and exactly one slot is free", "O7", _frees_one_slot)
    yield about("renew", "worker, token, start and attempt stay", "I3 O6", _same_assignment)
    yield about("renew", "the expiry is now + duration", "O6", _from_now)
