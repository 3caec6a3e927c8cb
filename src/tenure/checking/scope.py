"""What an exploration covers, and when two states count as one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby, permutations

from ..values import Status
from .targets.abilities import Call
from .views import View

Key = tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, int], ...]]
"""The tasks in their order, and the workers where those can change."""

PRIORITIES = (2**63 - 2, 2**63 - 1)
"""The second is the more urgent, though as floats they are equal. (V2, O4)"""
PENDING, RUNNING, DONE = range(3)
CODES = {Status.PENDING: PENDING, Status.RUNNING: RUNNING, Status.DONE: DONE}


@dataclass(frozen=True)
class Scope:
    """So many tasks, and workers of equal capacity; any duration, or whole ones up to `durations`.

    With `arrivals` the tasks come at any moment, of two priorities; with `forget`, `set_capacity` and `forget_worker`
    these calls are steps too, and not only tried. `symmetric_workers` and `symmetric_tasks` count states as one that
    differ in names, or in where done tasks had stood. `lacks` is that of the scheduler's abilities: without priorities
    all tasks have 0, without workers any name may dispatch without limit. `base` and `gap` are the first time and the
    distance between instants, which must make no difference.
    """

    tasks: int = 2
    workers: int = 2
    capacity: int = 1
    durations: int | None = None
    arrivals: bool = False
    set_capacity: bool = False
    forget: bool = False
    forget_worker: bool = False
    symmetric_workers: bool = False
    symmetric_tasks: bool = False
    lacks: frozenset[str] = frozenset()
    base: int = 0
    gap: int = 4

    def __str__(self) -> str:
        durations = "any duration" if self.durations is None else f"durations 1..{self.durations}"
        options = [
            name
            for name in ("arrivals", "set_capacity", "forget", "forget_worker", "symmetric_workers", "symmetric_tasks")
            if getattr(self, name)
        ]
        tasks = "1 task" if self.tasks == 1 else f"{self.tasks} tasks"
        workers = "1 worker" if self.workers == 1 else f"{self.workers} workers"
        size = f"{tasks}, {workers} of capacity {self.capacity}"
        return ", ".join([size, durations, *options])

    def fitted(self, lacks: frozenset[str]) -> Scope:
        """The same for a scheduler that lacks these."""
        # One more than the tasks, since in each state another one is added, and must find room.
        capacity = max(self.capacity, self.tasks + 1) if "workers" in lacks else self.capacity
        return replace(self, lacks=lacks, capacity=capacity)

    @property
    def priorities(self) -> tuple[int, ...]:
        """Those that tasks have."""
        return (0,) if "priority" in self.lacks else PRIORITIES

    @property
    def names(self) -> tuple[str, ...]:
        """The workers."""
        return tuple(f"w{number + 1}" for number in range(self.workers))

    def setup(self) -> tuple[Call, ...]:
        """The calls that come before the first state; a base beyond 0 shifts times, and tokens and ids too."""
        calls: list[Call] = [("add_worker", {"worker": name, "capacity": self.capacity}) for name in self.names]
        if self.base and {"release", "forget"} & self.lacks:
            calls.append(("advance", {"now": self.base}))
        elif self.base:
            shift: list[Call] = [("add_task", {})]
            for token in (1, 2, 3):
                now = self.base - 4 + token
                shift.append(("dispatch", {"worker": "w1", "now": now, "duration": 9}))
                shift.append(("release", {"task_id": 1, "token": token, "now": now}))
            calls += [*shift, ("forget", {"task_id": 1}), ("advance", {"now": self.base})]
        if not self.arrivals:
            for number in range(self.tasks):
                payload = b"payload %d" % number if number % 2 else None
                priority = self.priorities[number % len(self.priorities)]
                calls.append(("add_task", {"priority": priority, "payload": payload}))
        return tuple(calls)

    def retimed(self, path: tuple[Call, ...]) -> tuple[Call, ...]:
        """The same calls at instants in the same order, a `gap` apart, so that there is room before, at and after each.

        Where durations are bounded, times are what they are.
        """
        if self.durations is not None:
            return path
        ends = [call["now"] + call.get("duration", 0) for _, call in path if "now" in call]
        instants = sorted({self.base, *ends, *(call["now"] for _, call in path if "now" in call)})
        place = {instant: self.base + self.gap * number for number, instant in enumerate(instants)}
        found = []
        for op, arguments in path:
            if "now" in arguments:
                now = place[arguments["now"]]
                moved = {**arguments, "now": now}
                if "duration" in arguments:
                    moved["duration"] = place[arguments["now"] + arguments["duration"]] - now
                found.append((op, moved))
            else:
                found.append((op, arguments))
        return tuple(found)

    # -- keys

    def key(self, seen: View) -> Key:
        """What decides all that can follow, where times matter by their order alone, and tokens by currency.

        Leases that end together are told apart by the order of their tokens, since that is the order in which
        they are told to have ended. (T3)
        """
        groups = [list(group) for _, group in groupby(seen.leases, lambda lease: lease.expiry)]
        rank = {group[0].expiry: number for number, group in enumerate(groups)}
        tie = {lease.token: number for group in groups for number, lease in enumerate(group)}
        place = {worker.name: number for number, worker in enumerate(seen.workers)}
        tasks: list[tuple[int, ...]] = []
        for task in sorted(seen.tasks, key=lambda task: (-task.priority, task.id)):
            lease = task.lease
            priority = task.priority if self.arrivals else 0
            if lease is None:
                tasks.append((CODES[task.status], 0, 0, 0, priority))
            else:
                left = rank[lease.expiry] if self.durations is None else lease.expiry - seen.now
                tasks.append((RUNNING, place[lease.worker], left, tie[lease.token], priority))
        changing = self.set_capacity or self.forget_worker
        workers = tuple((int(worker.name[1:]), worker.capacity) for worker in seen.workers) if changing else ()
        return self.reduced((tuple(tasks), workers))

    def reduced(self, key: Key) -> Key:
        """The one key that stands for all those which symmetry makes equal."""
        tasks, workers = key
        if self.symmetric_tasks:
            live = tuple(task for task in tasks if task[0] != DONE)
            tasks = live + ((DONE, 0, 0, 0, 0),) * (len(tasks) - len(live))
        if self.symmetric_workers:
            count = len(workers) or self.workers
            return min(_renamed(tasks, workers, order) for order in permutations(range(count)))
        return tasks, workers

    def merged(self, key: Key) -> Key:
        """The key without the order of tokens."""
        tasks, workers = key
        return self.reduced((tuple((kind, w, left, 0, priority) for kind, w, left, _, priority in tasks), workers))


def _renamed(tasks: tuple[tuple[int, ...], ...], workers: tuple[tuple[int, int], ...], order: tuple[int, ...]) -> Key:
    """The key after giving each worker the place of another."""
    moved = tuple((task[0], order[task[1]], *task[2:]) if task[0] == RUNNING else task for task in tasks)
    places = sorted(range(len(workers)), key=lambda place: order[place])
    return moved, tuple((number, workers[place][1]) for number, place in enumerate(places))
