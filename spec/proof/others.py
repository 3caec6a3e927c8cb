"""The claims about what a call leaves alone, and about how tasks and workers come and go."""

from __future__ import annotations

from collections.abc import Iterator

import z3
from about import about, some_lease, some_task, some_worker, unchanged
from calls import OPERATIONS, TIMED, Call
from claim import Claim
from logic import ALWAYS
from state import DONE, FORGOTTEN, PENDING, UNBORN, number_of


def _touched(made: Call) -> z3.ExprRef | None:
    if made.operation == "dispatch":
        return made.arguments.first
    return made.arguments.task if made.operation in ("complete", "renew", "release", "add_task", "forget") else None


def _others_untouched(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    before, after, task = made.before, made.after, some_task(made)
    lease = before.lease_of(task)
    due = z3.And(before.running(task), before.expiry(lease) <= made.arguments.now)
    assumed = [before.status(task) != UNBORN]
    if made.operation in TIMED:
        assumed.append(z3.Not(due))
    touched = _touched(made)
    if touched is not None:
        assumed.append(task != touched)
    kept = [getattr(after, name)(task) == getattr(before, name)(task) for name in ("status", "priority", "attempts")]
    fields = ("live", "task", "worker", "token", "attempt", "start", "expiry")
    leased = [getattr(after, name)(lease) == getattr(before, name)(lease) for name in fields]
    same = z3.Implies(before.running(task), z3.And(after.lease_of(task) == lease, *leased))
    return z3.And(*assumed), z3.And(*kept, same)


def _other_workers_untouched(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    before, after, worker, universe = made.before, made.after, some_worker(made), made.universe
    own = before.worker(before.lease_of(made.arguments.task))
    to = made.arguments.worker if made.operation not in ("complete", "release") else own
    loses = universe.all(
        lambda x: z3.Not(z3.And(before.live(x), before.worker(x) == worker, before.expiry(x) <= made.arguments.now)),
        universe.leases,
    )
    assumed = z3.And(worker != to, loses) if made.operation in TIMED else worker != to
    fields = ("known", "capacity", "held", "arrival")
    return assumed, z3.And(*[getattr(after, name)(worker) == getattr(before, name)(worker) for name in fields])


def _done_is_final(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    before, after, task = made.before, made.after, some_task(made)
    kept = z3.And(after.status(task) == DONE, after.attempts(task) == before.attempts(task))
    if made.operation == "forget":
        kept = z3.If(task == made.arguments.task, after.status(task) == FORGOTTEN, kept)
    return before.status(task) == DONE, kept


def _next_id(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    task, before, after = made.arguments.task, made.before, made.after
    new = z3.And(before.status(task) == UNBORN, after.status(task) == PENDING, after.attempts(task) == 0)
    number = number_of(made.universe, task)
    given = z3.And(number == before.last_id + 1, number == after.last_id)
    return made.accepted, z3.And(new, given, after.priority(task) == made.arguments.priority)


def _forgets(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    task, status = made.arguments.task, made.before.status(made.arguments.task)
    may = z3.Or(status == PENDING, status == DONE)
    gone = z3.Implies(may, made.after.status(task) == FORGOTTEN)
    only = unchanged(made, made.before, made.after, "status")
    return ALWAYS, z3.And(made.accepted == may, gone, only)


def _dismisses(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    before, worker, universe = made.before, made.arguments.worker, made.universe
    lease = some_lease(made)
    holds = z3.And(before.live(lease), before.worker(lease) == worker)
    holds_none = universe.all(lambda x: z3.Not(z3.And(before.live(x), before.worker(x) == worker)), universe.leases)
    gone = z3.Implies(made.accepted, z3.Not(made.after.known(worker)))
    only = unchanged(made, before, made.after, "known")
    return z3.Or(holds, holds_none), z3.And(made.accepted == z3.And(before.known(worker), z3.Not(holds)), gone, only)


def _arrives_last(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    after, worker, other = made.after, made.arguments.worker, some_worker(made)
    assumed = z3.And(z3.Not(made.before.known(worker)), after.known(other), other != worker)
    fields = z3.And(after.capacity(worker) == made.arguments.capacity, after.held(worker) == 0, after.known(worker))
    return assumed, z3.And(made.accepted, after.arrival(other) < after.arrival(worker), fields)


def tasks_and_workers() -> Iterator[Claim]:
    """What a call doesn't concern stays, what is done is final, and how tasks and workers come and go."""
    for operation in OPERATIONS:
        yield about(operation, "a task that it doesn't concern is unchanged", "P6 O4", _others_untouched)
        if operation not in ("renew", "advance", "add_task", "forget"):
            yield about(operation, "a worker that it doesn't concern is unchanged", "P6", _other_workers_untouched)
        yield about(operation, "done is final until forgotten", "L2 P6", _done_is_final)
    yield about("add_task", "the next id, pending, never tried", "I1 O3 L1", _next_id)
    yield about("forget", "accepted iff pending or done, and only that task goes", "O10", _forgets)
    yield about("forget_worker", "accepted iff known and without a lease, and only it goes", "O11", _dismisses)
    yield about("add_worker", "a name that isn't known, new or forgotten, comes last", "O1 O11", _arrives_last)
