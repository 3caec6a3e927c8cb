"""The simulation: a workload's jobs, submitted to a scheduler and worked on by imagined workers, in integer seconds.

It asks the scheduler and goes by its answers. Whether a lease is over is never worked out here: `advance` tells it,
and where a report is accepted that answer is doubted, by the rule as `tenure.checking.properties` says it again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from random import Random
from typing import NamedTuple

from ..checking.properties import is_late
from ..operations import Operations
from ..rules import HIGHEST
from ..scheduler import Scheduler
from ..values import Lease
from .jobs import NO_ASKED_TIME, Job, Workload, counted
from .outcome import Counters, Run, run_of
from .sizing import LONGEST, Sizing, doubled

Progress = Callable[[int, int], object]
"""Told now and then how many jobs are done, of how many."""

LAST = HIGHEST - 2 * LONGEST
"""The last time at which any lease still fits into 64 bits."""


class OutOfTime(RuntimeError):
    """The simulated time came to its end before the jobs did."""

    def __init__(self, done: int, jobs: int) -> None:
        super().__init__(done, jobs)
        self.done = done
        self.jobs = jobs

    def __str__(self) -> str:
        done = f"{self.done:,} of {counted(self.jobs, 'job')} done"
        return f"the simulated time of 64 bits ran out with {done}; let fewer crash"


class _Attempt(NamedTuple):
    """One worker's try at a task: it works for `seconds`, until `end`, and then reports, or falls silent."""

    task_id: int
    worker: str
    seconds: int
    end: int
    lease_seconds: int
    silent: bool


def play(
    workload: Workload,
    sizing: Sizing,
    *,
    workers: int,
    capacity: int = 1,
    renew: int | None = None,
    crash: float = 0.0,
    seed: int = 0,
    queues: tuple[int, ...] | None = None,
    scheduler: Operations | None = None,
    on_progress: Progress | None = None,
) -> Run:
    """What came of the workload under leases of this sizing, with `workers` workers of `capacity` slots each.

    Each works on after its lease is over, and reports all the same. With `renew`, it sends a heartbeat every so many
    seconds; with `crash`, an attempt falls silent with that probability, which depends on the seed, the job and the
    attempt alone, so that every sizing meets the same crashes. `queues` has the workload's queues, most urgent
    first; None makes all jobs equal. `scheduler` is a fresh one. Raises OutOfTime.
    """
    jobs = tuple(filter(sizing.usable, workload.jobs))
    if scheduler is None:
        scheduler = Scheduler()
    playing = _Play(jobs, sizing, scheduler, renew, crash, seed, queues)
    for i in range(workers):
        scheduler.add_worker(f"w{i + 1}", capacity)
    playing.idle.extend(f"w{i + 1}" for _ in range(capacity) for i in range(workers))
    if on_progress is not None:
        playing.on_progress = on_progress
        on_progress(0, len(jobs))
    playing.play()
    slots = workers * capacity
    return run_of(playing.counters, sizing.label, jobs, _unusable(workload, sizing), playing.waits, queues, slots)


def _unusable(workload: Workload, sizing: Sizing) -> dict[str, tuple[int, ...]]:
    """What the workload can't use anyway, and the jobs to which the sizing gives no lease."""
    unsized = tuple(job.number for job in workload.jobs if not sizing.usable(job))
    return workload.unusable | ({NO_ASKED_TIME: unsized} if unsized else {})


class _Play:
    """Everything that is under way at one time, and what has been counted up to then."""

    __slots__ = (
        "_arrived", "_asking", "_by_job", "_crash", "_first_seconds", "_index_of", "_jobs", "_over", "_priority_of",
        "_random", "_renew", "_reports", "_scheduler", "_seed", "_silent", "_step", "counters", "idle", "on_progress",
        "waits",
    )  # fmt: skip

    def __init__(
        self,
        jobs: tuple[Job, ...],
        sizing: Sizing,
        scheduler: Operations,
        renew: int | None,
        crash: float,
        seed: int,
        queues: tuple[int, ...] | None,
    ) -> None:
        self._jobs = jobs
        self._by_job = sizing.by_job
        self._first_seconds = [sizing.first(job) for job in jobs]
        self._scheduler = scheduler
        self._renew, self._crash, self._seed, self._random = renew, crash, seed, Random()
        self._priority_of = {queue: -rank for rank, queue in enumerate(queues or ())}
        self._step = max(1, len(jobs) // 200)
        self.on_progress: Progress = lambda done, jobs: None
        self.counters = Counters()
        self.waits = [0] * len(jobs)

        self._arrived = 0
        self._index_of: dict[int, int] = {}
        """The job of each task."""
        self.idle: deque[str] = deque()
        """The worker of each slot that could take work, the longest idle first."""
        self._asking = False
        """Whether the idle slots have a reason to ask: something may be pending."""
        self._reports: list[tuple[int, int, _Attempt, Lease]] = []
        """A heap of what happens next in each attempt, behind its time and token, and its lease as last answered."""
        self._over: dict[int, int] = {}
        """The tokens at work whose leases are over, and when the scheduler told so."""
        self._silent: dict[int, str] = {}
        """The tokens whose workers have fallen silent, each keeping a slot until its lease is over."""

    def play(self) -> None:
        """Goes from one time at which something happens to the next, until nothing is left to happen."""
        reports, idle, advance = self._reports, self.idle, self._scheduler.advance
        counters, jobs, now = self.counters, len(self._jobs), -1
        # A scheduler that accepts more completions than there are jobs, or refuses more live leases, might never end.
        while (time := self._next_time(now)) is not None and max(counters.completions, counters.live_refused) <= jobs:
            now = time
            expired = advance(now=now)
            if expired:
                self._expire(expired, now)
            while reports and reports[0][0] == now:
                self._report(*heappop(reports))
            self._arrive(now)
            if self._asking and idle:
                self._ask(now)

    def _next_time(self, now: int) -> int | None:
        """When something happens next. A lease that was to end by now is waited for no more: it may never end."""
        times = []
        if self._arrived < len(self._jobs):
            times.append(self._jobs[self._arrived].submit)
        if self._reports:
            times.append(self._reports[0][0])
        expiry = self._scheduler.next_expiry()
        if expiry is not None and expiry > now:
            times.append(expiry)
        return min(times, default=None)

    def _expire(self, expired: tuple[Lease, ...], now: int) -> None:
        """These leases are over: their tasks are pending again, and slots that kept silent are free."""
        self.counters.expiries += len(expired)
        self._asking = True
        for lease in expired:
            worker = self._silent.pop(lease.token, None)
            if worker is None:
                self._over[lease.token] = now
            else:
                self.idle.append(worker)

    def _arrive(self, now: int) -> None:
        """The jobs submitted now become tasks."""
        jobs, add_task = self._jobs, self._scheduler.add_task
        while self._arrived < len(jobs) and jobs[self._arrived].submit == now:
            task_id = add_task(self._priority_of.get(jobs[self._arrived].queue, 0))
            self._index_of[task_id] = self._arrived
            self._arrived += 1
            self._asking = True

    def _ask(self, now: int) -> None:
        """Idle slots ask for work until they are told that there is none."""
        if now > LAST:
            raise OutOfTime(self.counters.completions, len(self._jobs))
        idle, dispatch = self.idle, self._scheduler.dispatch
        # With leases by job the length is known only once the task is: a renewal at this same time sets it.
        seconds = 1 if self._by_job or not self._first_seconds else self._first_seconds[0]
        while idle:
            lease = dispatch(idle[0], now=now, duration=seconds)
            if lease is None:
                self._asking = False
                return
            self._start(idle.popleft(), lease, now)

    def _start(self, worker: str, lease: Lease, now: int) -> None:
        """The worker begins, under a lease of the length that this attempt is due."""
        task_id, _, token, attempt, *_ = lease
        index = self._index_of[task_id]
        job = self._jobs[index]
        lease_seconds = self._first_seconds[index]
        self.counters.leases += 1
        if attempt == 1:
            self.waits[index] = now - job.submit
        else:
            lease_seconds = doubled(lease_seconds, attempt)
            self.counters.count_doubled(attempt)
        if self._by_job or attempt > 1:
            renewed = self._scheduler.renew(task_id, token, now=now, duration=lease_seconds)
            self.counters.live_refused += renewed is None
            lease = renewed or lease
        seconds, silent = job.run, False
        if self._crash:
            silent, seconds = self._fate(job.number, attempt, seconds)
        end = now + seconds
        self._await(now, token, _Attempt(task_id, worker, seconds, end, lease_seconds, silent), lease)

    def _fate(self, number: int, attempt: int, seconds: int) -> tuple[bool, int]:
        """Whether the attempt falls silent, and after how many seconds it does or reports."""
        self._random.seed(f"{self._seed} {number} {attempt}")
        if self._random.random() < self._crash:
            return True, int(self._random.random() * seconds)
        return False, seconds

    def _await(self, now: int, token: int, attempt: _Attempt, lease: Lease) -> None:
        """What comes next from the attempt is its heartbeat, if one is due before its end."""
        end = attempt.end
        time = end if self._renew is None else min(now + self._renew, end)
        heappush(self._reports, (time, token, attempt, lease))

    def _report(self, now: int, token: int, attempt: _Attempt, lease: Lease) -> None:
        """The attempt sends a heartbeat, falls silent, or reports that its work is done."""
        if now != attempt.end:
            self._beat(now, token, attempt, lease)
        elif attempt.silent:
            self._fall_silent(token, attempt)
        else:
            self._complete(now, token, attempt, lease)

    def _beat(self, now: int, token: int, attempt: _Attempt, lease: Lease) -> None:
        """The heartbeat renews the lease; where it is refused the lease is lost, and no other is sent."""
        renewed = self._scheduler.renew(attempt.task_id, token, now=now, duration=attempt.lease_seconds)
        over = token in self._over
        if renewed is not None:
            self.counters.heartbeats += 1
            self.counters.late_accepted += over or is_late(lease, now)
            self._await(now, token, attempt, renewed)
            return
        self.counters.heartbeats_refused += 1
        self.counters.live_refused += not is_late(lease, now)
        heappush(self._reports, (attempt.end, token, attempt, lease))

    def _fall_silent(self, token: int, attempt: _Attempt) -> None:
        """Nothing more is heard of the attempt; its slot takes new work once its lease is over."""
        self.counters.crashes += 1
        self.counters.wasted_seconds += attempt.seconds
        if self._over.pop(token, None) is None:
            self._silent[token] = attempt.worker
        else:
            self.idle.append(attempt.worker)

    def _complete(self, now: int, token: int, attempt: _Attempt, lease: Lease) -> None:
        """The report counts if the scheduler accepts it, and then its lease must not have been over."""
        accepted = self._scheduler.complete(attempt.task_id, token, now=now)
        over_since = self._over.pop(token, None)
        self.counters.count_report(accepted, is_late(lease, now), over_since, now, attempt.seconds)
        self.idle.append(attempt.worker)
        done = self.counters.completions
        if accepted and (done % self._step == 0 or done == len(self._jobs)):
            self.on_progress(done, len(self._jobs))
