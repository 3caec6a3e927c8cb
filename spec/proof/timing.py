"""The claims about time, and about calls that aren't accepted: rejected or refused."""

from __future__ import annotations

from collections.abc import Iterator

import z3
from about import about, some_lease, unchanged
from calls import OPERATIONS, TIMED, Call
from claim import Claim
from logic import ALWAYS, NEVER
from state import HIGHEST, PENDING
from sweep import earlier

# -- rejected and refused


def _rejected_changes_nothing(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    return made.rejected, unchanged(made, made.before, made.after)


def _refused_changes_nothing(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    return made.refused, unchanged(made, made.swept, made.after)


def _rejected_iff(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    before, to = made.before, made.arguments
    reasons = {
        "dispatch": before.last_token == HIGHEST,
        "add_worker": before.known(to.worker),
        "set_capacity": z3.Not(before.known(to.worker)),
        "add_task": before.last_id == HIGHEST,
    }
    late = to.now < before.now if made.operation in TIMED else NEVER
    return ALWAYS, made.rejected == z3.Or(late, reasons.get(made.operation, NEVER))


def rejected_and_refused() -> Iterator[Claim]:
    """What isn't granted changes nothing, or only what the sweep changes."""
    for operation in (*TIMED, "add_worker", "set_capacity", "add_task"):
        yield about(operation, "rejected, it changes nothing", "R1 P7", _rejected_changes_nothing)
    for operation in ("dispatch", "complete", "renew", "release"):
        yield about(operation, "refused, it changes only what the sweep changes", "R2 P7 T3", _refused_changes_nothing)
    for operation in ("forget", "forget_worker"):
        yield about(operation, "refused, it changes nothing", "R2 P7", _refused_changes_nothing)
    for operation in OPERATIONS:
        yield about(
            operation,
            "rejected iff late or forbidden by the state, and for nothing else",
            "R1 T1 O1 O2 I4",
            _rejected_iff,
        )


# -- time


def _live_until(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    lease, before, after = some_lease(made), made.before, made.swept
    assumed = z3.And(z3.Not(made.rejected), before.live(lease), made.arguments.now == before.expiry(lease) - 1)
    return assumed, z3.And(after.live(lease), after.lease_of(after.task(lease)) == lease)


def _gone_at(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    lease, before, after = some_lease(made), made.before, made.swept
    assumed = z3.And(z3.Not(made.rejected), before.live(lease), made.arguments.now == before.expiry(lease))
    return assumed, z3.And(z3.Not(after.live(lease)), after.status(before.task(lease)) == PENDING)


def _time_is_now(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    return z3.Not(made.rejected), made.after.now == made.arguments.now


def _takes_no_time(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    return ALWAYS, made.after.now == made.before.now


def _answers_what_expired(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    sweep, universe = made.sweep, made.universe
    assert sweep is not None

    def told(lease: z3.ExprRef) -> z3.BoolRef:
        rank = sweep.rank(lease)
        expired = z3.And(made.before.live(lease), made.before.expiry(lease) <= made.arguments.now)
        return z3.Implies(expired, z3.And(rank >= 0, rank < sweep.count, sweep.told(rank) == lease))

    one, other = z3.Ints("one other")
    places = z3.And(one >= 0, one < other, other < sweep.count)
    order = earlier(made.before, sweep.told(one), sweep.told(other))
    only = z3.And(made.before.live(sweep.told(one)), made.before.expiry(sweep.told(one)) <= made.arguments.now)
    return z3.And(z3.Not(made.rejected), places), z3.And(order, only, universe.all(told, universe.leases))


def _greatest_expiry_leaves_none(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    before, now, universe = made.before, made.arguments.now, made.universe
    last = some_lease(made)
    greatest = universe.all(
        lambda x: z3.Implies(before.live(x), before.expiry(x) <= before.expiry(last)), universe.leases
    )
    assumed = z3.And(before.live(last), greatest, now == before.expiry(last))
    none = universe.all(lambda x: z3.Not(made.after.live(x)), universe.leases)
    return assumed, z3.And(none, universe.all(lambda t: z3.Not(made.after.running(t)), universe.tasks))


def _slot_is_free_at(made: Call) -> tuple[z3.BoolRef, z3.BoolRef]:
    """The same worker, full until then, may take the same task at the very instant of the expiry."""
    before, to, lease = made.before, made.arguments, some_lease(made)
    worker, universe = before.worker(lease), made.universe
    assumed = z3.And(
        z3.Not(made.rejected),
        before.live(lease),
        to.now == before.expiry(lease),
        to.worker == worker,
        before.held(worker) == before.capacity(worker),
        universe.all(lambda t: z3.Implies(t != before.task(lease), before.status(t) != PENDING), universe.tasks),
        universe.all(
            lambda x: z3.Implies(z3.And(before.live(x), x != lease), before.expiry(x) > to.now), universe.leases
        ),
    )
    taken = z3.And(made.accepted, made.after.task(to.fresh) == before.task(lease), made.after.start(to.fresh) == to.now)
    return assumed, taken


def time() -> Iterator[Claim]:
    """Half-open intervals, and who moves the time."""
    for operation in TIMED:
        yield about(operation, "a lease is live one unit before its expiry", "T4 P3", _live_until)
        yield about(operation, "a lease is gone at its expiry, and its task pending", "T4 T3", _gone_at)
        yield about(operation, "accepted or refused, the time is its now", "T3 T1", _time_is_now)
    for operation in (name for name in OPERATIONS if name not in TIMED):
        yield about(operation, "it takes no time", "T2", _takes_no_time)
    yield about("dispatch", "a full worker may take its task again at the expiry", "T4 T3 O4", _slot_is_free_at)
    yield about("advance", "it tells what expired, by (expiry, token)", "O8 T3", _answers_what_expired)
    yield about("advance", "to the greatest expiry, it leaves no lease", "P9", _greatest_expiry_leaves_none)
