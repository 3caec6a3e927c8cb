"""What is measured: each function runs alone in a fresh process and returns figures by their names.

Times are taken in turn with what they are compared with, with the garbage collector off, and only
their ratios mean anything: the machines are shared.
"""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from audit_measure import auditing as auditing
from floor import floor

from tenure import Scheduler
from tenure.checking import Scope, explore
from tenure.checking.representations import Started, memory
from tenure.history import Event, recorded
from tenure.simulate import sizing, swf, synthetic
from tenure.simulate.jobs import Workload
from tenure.simulate.play import play
from tenure.stores import MemoryStore

PAIRS = 5
MANY = 100_000
Figures = dict[str, float]


def ten_priorities(size: int) -> list[int]:
    """Ten priorities in random order, the same in each run."""
    chance = random.Random(size)
    return [chance.randrange(10) for _ in range(size)]


def life(size: int) -> Figures:
    """One life (add, dispatch, complete) through the public API, against the floor."""
    priorities = ten_priorities(size)
    gc.disable()
    lives, floors = [], []
    for _ in range(max(PAIRS, 20_000 // size)):
        floors.append(floor(priorities))
        lives.append(one_life_each(priorities))
    ratio = median(life / floor for life, floor in zip(lives, floors, strict=True))
    return {"floors": ratio, "microseconds": median(lives) / size * 1e6}


def one_life_each(priorities: list[int]) -> float:
    """Seconds for one life of each of these tasks."""
    scheduler = Scheduler()
    scheduler.add_worker("w", capacity=1)
    start = perf_counter()
    for priority in priorities:
        scheduler.add_task(priority)
    for now in range(len(priorities)):
        lease = scheduler.dispatch("w", now=now, duration=10)
        assert lease is not None
        scheduler.complete(lease.task_id, lease.token, now=now)
    return perf_counter() - start


def expiry(size: int) -> Figures:
    """One advance that expires all leases, then dispatching all again, against the floor."""
    priorities = ten_priorities(size)
    gc.disable()
    ratios = []
    for _ in range(PAIRS):
        cost = floor(priorities)
        ratios.append(expire_and_dispatch_again(priorities) / cost)
    return {"floors": median(ratios)}


def expire_and_dispatch_again(priorities: list[int]) -> float:
    """Seconds for the advance and the dispatches after it."""
    scheduler, size = Scheduler(), len(priorities)
    scheduler.add_worker("w", capacity=size)
    for priority in priorities:
        scheduler.add_task(priority)
    for number in range(size):
        scheduler.dispatch("w", now=0, duration=10 + number % 7)
    start = perf_counter()
    expired = scheduler.advance(now=100)
    for _ in range(size):
        scheduler.dispatch("w", now=100, duration=10)
    seconds = perf_counter() - start
    assert len(expired) == scheduler.counts().running == size
    return seconds


# -- memory


def left_behind(work: Callable[[Scheduler], None]) -> int:
    """The bytes that a scheduler holds after the work, counted by tracemalloc."""
    warm = Scheduler()  # what Python itself keeps for the next time isn't the scheduler's
    warm.add_worker("w", capacity=1)
    warm.renew(warm.add_task(), 1, now=0, duration=1)
    gc.collect()
    tracemalloc.start()
    scheduler = Scheduler()
    scheduler.add_worker("w", capacity=1)
    before = tracemalloc.get_traced_memory()[0]
    work(scheduler)
    gc.collect()
    return tracemalloc.get_traced_memory()[0] - before


def pending_ten(size: int) -> Figures:
    """Pending tasks of ten priorities."""

    def work(scheduler: Scheduler) -> None:
        for number in range(size):
            scheduler.add_task(number % 10)

    return {"bytes": left_behind(work) / size}


def pending_distinct(size: int) -> Figures:
    """Pending tasks, each with a priority of its own."""

    def work(scheduler: Scheduler) -> None:
        for number in range(size):
            scheduler.add_task(1000 * number)

    return {"bytes": left_behind(work) / size}


def renewals(size: int) -> Figures:
    """One lease renewed so many times."""

    def work(scheduler: Scheduler) -> None:
        task_id = scheduler.add_task()
        lease = scheduler.dispatch("w", now=0, duration=10)
        assert lease is not None
        for now in range(size):
            assert scheduler.renew(task_id, lease.token, now=now, duration=10 + now % 50)

    return {"megabytes": left_behind(work) / 1e6}


def forgotten_lives(size: int) -> Figures:
    """So many times add, dispatch, complete, forget."""

    def work(scheduler: Scheduler) -> None:
        for now in range(size):
            task_id = scheduler.add_task(now)
            lease = scheduler.dispatch("w", now=now, duration=10)
            assert lease is not None
            scheduler.complete(task_id, lease.token, now=now)
            scheduler.forget(task_id)

    return {"megabytes": left_behind(work) / 1e6}


def forgotten_pending(size: int) -> Figures:
    """So many pending tasks with payloads, then all forgotten."""

    def work(scheduler: Scheduler) -> None:
        for number in range(size):
            scheduler.add_task(number % 10, b"x")
        for number in range(size):
            scheduler.forget(number + 1)

    return {"megabytes": left_behind(work) / 1e6}


# -- start-up and simulation


def imports(_: int) -> Figures:
    """Importing tenure against importing statemachine, each time in a fresh process."""
    ratios = []
    for _ in range(3 * PAIRS):
        ratios.append(import_seconds("tenure") / import_seconds("statemachine"))
    return {"ratio": median(ratios)}


def import_seconds(module: str) -> float:
    """Seconds that importing the module takes in a new process."""
    program = f"from time import perf_counter as t; s = t(); import {module}; print(t() - s)"
    return float(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout)


def simulate(size: int) -> Figures:
    """Simulating the LCG log, or so many synthetic jobs without it, against making the same calls bare."""
    folder = os.environ.get("TENURE_TRACES")
    log = Path(folder, "lcg-2005.swf.gz") if folder and size >= MANY else None
    workload = swf.read(str(log)) if log and log.exists() else synthetic.synthetic(min(size, 20_000), seed=1)
    events: list[Event] = []
    simulation(workload, recorded(Scheduler(), events.append))
    gc.disable()
    ratios = [simulation(workload, Scheduler()) / bare(events) for _ in range(PAIRS)]
    return {"ratio": median(ratios), "jobs": len(workload.jobs)}


def simulation(workload: Workload, scheduler: Any) -> float:
    """Seconds to play the workload with leases as long as asked."""
    start = perf_counter()
    play(workload, sizing.parse("asked"), workers=64, scheduler=scheduler)
    return perf_counter() - start


def bare(events: list[Event]) -> float:
    """Seconds to make the calls again, without anything around them."""
    scheduler = Scheduler()
    calls = [(getattr(scheduler, event.op), event.arguments) for event in events if event.op != "now"]
    start = perf_counter()
    for method, arguments in calls:
        try:  # noqa: SIM105 - a `with` would cost as much as the call
            method(**arguments)
        except (TypeError, ValueError, KeyError):
            pass
    return perf_counter() - start


def exploring(size: int) -> Figures:
    """Exploring the memory store, two tasks and two workers, against making all its calls bare."""
    scope = Scope(tasks=2, workers=2, capacity=1 if size < MANY else 2)
    groups: list[list[Event]] = []

    def recording() -> Started:
        store, events = MemoryStore(), list[Event]()
        groups.append(events)
        return Started(recorded(Scheduler(store), events.append), store.check, store.canonical)

    explore(recording, scope, doubt=False)
    calls = sum(map(len, groups))
    gc.disable()
    ratios, rates = [], []
    for _ in range(PAIRS):
        verdict = explore(memory, scope, doubt=False)
        ratios.append(verdict.seconds / sum(map(bare, groups)))
        rates.append(verdict.calls / verdict.seconds)
    return {"ratio": median(ratios), "calls": calls, "calls_a_second": median(rates)}
