"""A scheduler's state, and what must hold in each that can be reached: the invariants."""

from __future__ import annotations

from dataclasses import dataclass, fields

import z3
from logic import Domain, Function, Universe, either, unknown

Status, (UNBORN, PENDING, RUNNING, DONE, FORGOTTEN) = z3.EnumSort(
    "Status", ("unborn", "pending", "running", "done", "forgotten")
)
HIGHEST = z3.Int("highest")
"""The greatest number; only that there is one is assumed. (V1)"""


@dataclass(frozen=True, eq=False)
class State:
    """The numbers, and a function for each field of a worker, a task and a lease.

    A lease is an object of its own, which keeps its fields when it is over, so that what is said of all
    leases ever granted can be said. `held` counts: the leases that a worker holds stand at its places
    0 ... held - 1, one at each (`at`, `slot`). So do those ever granted for a task at 1 ... attempts
    (`nth`, `attempt`). `grants` and `turn` number the leases in the order of their grants, whatever their tokens.
    """

    now: z3.ArithRef
    last_id: z3.ArithRef
    last_token: z3.ArithRef
    grants: z3.ArithRef
    arrivals: z3.ArithRef
    known: Function
    capacity: Function
    held: Function
    arrival: Function
    at: Function
    status: Function
    priority: Function
    attempts: Function
    lease_of: Function
    nth: Function
    granted: Function
    live: Function
    task: Function
    worker: Function
    token: Function
    attempt: Function
    start: Function
    expiry: Function
    slot: Function
    turn: Function

    def running(self, task: z3.ExprRef) -> z3.BoolRef:
        """The task is running."""
        return self.status(task) == RUNNING


ALL = tuple(field.name for field in fields(State))
NUMBERS = ("now", "last_id", "last_token", "grants", "arrivals")
OF_WORKERS = ("known", "capacity", "held", "arrival", "at")
OF_TASKS = ("status", "priority", "attempts", "lease_of", "nth")
OF_LEASES = tuple(name for name in ALL if name not in (*NUMBERS, *OF_WORKERS, *OF_TASKS))


def unknown_state(universe: Universe, name: str) -> State:
    """A state about which nothing is known."""
    task, worker, lease = universe.tasks.sort, universe.workers.sort, universe.leases.sort
    number, truth = z3.IntSort(), z3.BoolSort()
    signatures = {
        "known": (worker, truth),
        "capacity": (worker, number),
        "held": (worker, number),
        "arrival": (worker, number),
        "at": (worker, number, lease),
        "status": (task, Status),
        "priority": (task, number),
        "attempts": (task, number),
        "lease_of": (task, lease),
        "nth": (task, number, lease),
        "granted": (lease, truth),
        "live": (lease, truth),
        "task": (lease, task),
        "worker": (lease, worker),
    }
    signatures |= dict.fromkeys(("token", "attempt", "start", "expiry", "slot", "turn"), (lease, number))
    functions = {field: unknown(f"{name}.{field}", *sorts) for field, sorts in signatures.items()}
    return State(**{field: z3.Int(f"{name}.{field}") for field in NUMBERS}, **functions)


def number_of(universe: Universe, task: z3.ExprRef) -> z3.ArithRef:
    """The task's id: it never changes, and is any number, issued or not. (I1, V1)"""
    return unknown(f"id of {universe.tasks.sort}", universe.tasks.sort, z3.IntSort())(task)


def background(universe: Universe) -> z3.BoolRef:
    """What holds always and everywhere: a task is known by its id."""
    number = universe.all(
        lambda t, u: z3.Implies(number_of(universe, t) == number_of(universe, u), t == u),
        universe.tasks,
        universe.tasks,
    )
    return z3.And(number, HIGHEST >= 1)


def choose(condition: z3.BoolRef, then: State, otherwise: State) -> State:
    """The first state if the condition holds, or else the second."""
    chosen = {}
    for field in fields(State):
        one, other = getattr(then, field.name), getattr(otherwise, field.name)
        pick = z3.If if field.name in NUMBERS else either
        chosen[field.name] = one if one is other else pick(condition, one, other)
    return State(**chosen)


def alike(universe: Universe, one: State, other: State, *names: str) -> z3.BoolRef:
    """The two states agree on these fields."""
    agreed = []
    for name in names:
        mine, others = getattr(one, name), getattr(other, name)
        if name in NUMBERS:
            agreed.append(mine == others)
        elif mine is not others:
            domains = _domains(universe, name)
            agreed.append(universe.all(lambda *key, f=mine, g=others: f(*key) == g(*key), *domains))
    return z3.And(*agreed)


def _domains(universe: Universe, name: str) -> tuple[Domain, ...]:
    if name in OF_WORKERS:
        return (universe.workers, universe.places)[: 1 + (name == "at")]
    if name in OF_TASKS:
        return (universe.tasks, universe.places)[: 1 + (name == "nth")]
    return (universe.leases,)
