"""How many states of a scope were met, out of how many there are."""

from __future__ import annotations

from math import comb

from .scope import Key, Scope
from .views import View


class Reach:
    """Counts the states of one scope that views show, any duration, told apart as the explorer does.

    Its text says how many of them were met so far.
    """

    def __init__(self, scope: Scope) -> None:
        changing = scope.arrivals or scope.set_capacity or scope.forget or scope.forget_worker
        if scope.durations is not None or changing or scope.symmetric_tasks or scope.symmetric_workers:
            raise ValueError("only scopes of a fixed number of tasks and workers, and any duration, can be counted")
        if scope.workers * scope.capacity < scope.tasks:
            raise ValueError(f"only scopes in which all tasks can run at once can be counted, and not {scope}")
        self.scope = scope
        self.met: set[Key] = set()

    def meet(self, seen: View) -> None:
        """The view counts if it shows as many tasks and workers, of the same capacity, as the scope has."""
        capacities = [worker.capacity for worker in seen.workers]
        if len(seen.tasks) == self.scope.tasks and capacities == [self.scope.capacity] * self.scope.workers:
            self.met.add(self.scope.merged(self.scope.key(seen)))

    @property
    def total(self) -> int:
        """How many states there are, in closed form: which tasks run, where, ending in which order, which are done."""
        tasks, workers, capacity = self.scope.tasks, self.scope.workers, self.scope.capacity
        return sum(
            comb(tasks, running) * 2 ** (tasks - running) * placings(running, workers, capacity) * weak_orders(running)
            for running in range(tasks + 1)
        )

    def __str__(self) -> str:
        return f"{len(self.met):,} of the {self.total:,} states of {self.scope}"


def placings(leases: int, workers: int, capacity: int) -> int:
    """In how many ways distinct leases can be held by distinct workers of this capacity."""
    if workers == 0:
        return int(leases == 0)
    return sum(
        comb(leases, held) * placings(leases - held, workers - 1, capacity) for held in range(min(leases, capacity) + 1)
    )


def weak_orders(things: int) -> int:
    """In how many orders things can end, some of them together."""
    return sum(comb(things, first) * weak_orders(things - first) for first in range(1, things + 1)) if things else 1
