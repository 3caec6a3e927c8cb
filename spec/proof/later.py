"""What holds between a state and any later one, however many calls lie between."""

from __future__ import annotations

from collections.abc import Iterator

import z3
from calls import OPERATIONS, Arguments
from claim import Case, Claim
from inductive import case_of, one_call, some_sweep
from invariants import all_hold
from logic import ALWAYS, Universe
from rules import Rules
from state import DONE, FORGOTTEN, UNBORN, State, background, unknown_state
from sweep import under_way


def later(universe: Universe, one: State, other: State) -> z3.BoolRef:
    """Nothing goes back: no time, no number, no lease that is over, no task that is done or forgotten."""

    def lease_goes_on(lease: z3.ExprRef) -> z3.BoolRef:
        kept = [
            getattr(one, name)(lease) == getattr(other, name)(lease)
            for name in ("task", "worker", "token", "attempt", "start", "turn")
        ]
        over = z3.Implies(z3.Not(one.live(lease)), z3.Not(other.live(lease)))
        was = z3.Implies(one.granted(lease), z3.And(other.granted(lease), over, *kept))
        new = z3.And(other.granted(lease), z3.Not(one.granted(lease)))
        return z3.And(was, z3.Implies(new, other.token(lease) > one.last_token))

    def task_goes_on(task: z3.ExprRef) -> z3.BoolRef:
        was, then = one.status(task), other.status(task)
        return z3.And(
            z3.Implies(was == DONE, z3.Or(then == DONE, then == FORGOTTEN)),
            z3.Implies(was == FORGOTTEN, then == FORGOTTEN),
            z3.Implies(was != UNBORN, z3.And(then != UNBORN, one.priority(task) == other.priority(task))),
            one.attempts(task) <= other.attempts(task),
        )

    numbers = [
        getattr(one, name) <= getattr(other, name) for name in ("now", "last_id", "last_token", "grants", "arrivals")
    ]
    return z3.And(*numbers, universe.all(lease_goes_on, universe.leases), universe.all(task_goes_on, universe.tasks))


SENTENCES = ("T1", "I2", "I3", "L2", "L4", "P6", "O10")


def _transitive(universe: Universe, rules: Rules) -> Case:
    del rules
    one, two, three = [unknown_state(universe, name) for name in ("first", "second", "third")]
    assumed = z3.And(
        background(universe),
        *[all_hold(universe, state) for state in (one, two, three)],
        later(universe, one, two),
        later(universe, two, three),
    )
    states = {"first": one, "second": two, "third": three}
    moved = z3.And(one.grants < two.grants, two.grants < three.grants)
    return Case(assumed, z3.And(later(universe, one, three), later(universe, one, one)), states, {}, moved)


def _swept_is_later(universe: Universe, rules: Rules) -> Case:
    sweep = some_sweep(universe)
    assumed = z3.And(
        background(universe),
        all_hold(universe, sweep.before),
        under_way(universe, rules, sweep),
        sweep.before.now <= sweep.now,
    )
    return Case(
        assumed,
        later(universe, sweep.before, sweep.state),
        {"before": sweep.before, "after": sweep.state},
        {"now": sweep.now},
        sweep.count > 0,
    )


def _token_once(universe: Universe, rules: Rules) -> Case:
    made = one_call(universe, rules, "complete")
    then = unknown_state(universe, "later")
    again = Arguments.unknown(universe, "again ")
    assumed = z3.And(made.accepted, all_hold(universe, then), later(universe, made.after, then))
    proved = rules.is_proved(then, again.task, made.arguments.token, again.caller)
    base = case_of(made, z3.Not(proved), assumed, then.grants > made.after.grants)
    given = {**base.given, "and later, with the same token,": again.task, "by": again.caller}
    return base._replace(states={**base.states, "later": then}, given=given)


def _lease_of_token(universe: Universe, rules: Rules) -> Case:
    del rules
    one, two = unknown_state(universe, "first"), unknown_state(universe, "second")
    old, new = z3.Consts("old new", universe.leases.sort)
    assumed = z3.And(
        background(universe),
        all_hold(universe, one),
        all_hold(universe, two),
        later(universe, one, two),
        one.granted(old),
        two.granted(new),
        z3.Not(one.granted(new)),
    )
    return Case(assumed, two.token(new) > two.token(old), {"first": one, "second": two}, {})


def going_on() -> Iterator[Claim]:
    """Each call only goes forward, so any number of calls does; and what follows from that."""
    for operation in OPERATIONS:

        def case(universe: Universe, rules: Rules, operation: str = operation) -> Case:
            made = one_call(universe, rules, operation)
            return case_of(made, later(universe, made.before, made.after), ALWAYS, made.accepted)

        yield Claim(f"{operation}: nothing goes back, what is over stays over", SENTENCES, case)
    yield Claim("sweep: nothing goes back, what is over stays over", SENTENCES, _swept_is_later)
    yield Claim("later: and so for any number of calls", SENTENCES, _transitive)
    yield Claim("later: a lease granted later has a larger token", ("P4", "I2"), _lease_of_token)
    yield Claim("later: of several calls with one token at most one completes", ("P8", "O5"), _token_once)
