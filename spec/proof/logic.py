"""What the proof speaks about: tasks, workers and leases, as many as you like or a few, and "for all" over them.

Over the unbounded universe a claim is proved for any number of each: the sorts are uninterpreted, the
quantifiers z3's own. Over a small one every quantifier is written out, so that z3 always decides and a
model is a situation that can be printed; there we look for witnesses and counterexamples, and any that is
found there is one of the unbounded universe too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import z3

Function = Callable[..., z3.ExprRef]
"""From objects to a term: z3's own function, or one put together from others."""


@dataclass(frozen=True, eq=False)
class Domain:
    """One kind of object; `members` are all there are, or None for any number."""

    sort: z3.SortRef
    members: tuple[z3.ExprRef, ...] | None = None


@dataclass(frozen=True, eq=False)
class Universe:
    """The kinds of objects. `places` are the numbers by which the leases of one worker or one task are counted."""

    tasks: Domain
    workers: Domain
    leases: Domain
    places: Domain

    def all(self, body: Callable[..., z3.BoolRef], *domains: Domain) -> z3.BoolRef:
        """The body holds for all objects of these kinds, one for each of its parameters."""
        choices = [domain.members for domain in domains if domain.members is not None]
        if len(choices) == len(domains):
            return z3.And(*[body(*chosen) for chosen in product(*choices)])
        variables = [z3.FreshConst(domain.sort, "any") for domain in domains]
        return z3.ForAll(variables, body(*variables))


UNBOUNDED = Universe(
    tasks=Domain(z3.DeclareSort("Task")),
    workers=Domain(z3.DeclareSort("Worker")),
    leases=Domain(z3.DeclareSort("Lease")),
    places=Domain(z3.IntSort()),
)


def _few(name: str, *members: str) -> Domain:
    sort, constants = z3.EnumSort(name, members)
    return Domain(sort, tuple(constants))


MOST = 3
"""In the small universe no worker holds, and no task has had, more leases than that."""

SMALL = Universe(
    tasks=_few("SmallTask", "t1", "t2", "t3"),
    workers=_few("SmallWorker", "w1", "w2"),
    leases=_few("SmallLease", "a", "b", "c"),
    places=Domain(z3.IntSort(), tuple(z3.IntVal(i) for i in range(MOST + 1))),
)


def unknown(name: str, *sorts: z3.SortRef) -> Function:
    """A function about which nothing is known; the last sort is that of its value."""
    function: Function = z3.Function(name, *sorts)
    return function


ALWAYS, NEVER = z3.BoolVal(True), z3.BoolVal(False)


def put(function: Function, *keys_and_value: z3.ExprRef) -> Function:
    """The same function but for one place, where it has another value."""
    *keys, value = keys_and_value

    def changed(*arguments: z3.ExprRef) -> z3.ExprRef:
        here = z3.And(*[argument == key for argument, key in zip(arguments, keys, strict=True)])
        return z3.If(here, value, function(*arguments))

    return changed


def either(condition: z3.BoolRef, then: Function, otherwise: Function) -> Function:
    """The first function where the condition holds, or else the second."""
    return lambda *arguments: z3.If(condition, then(*arguments), otherwise(*arguments))
