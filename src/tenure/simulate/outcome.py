"""What is counted while a simulation runs, and the figures that come of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .jobs import Job, counted


class Wait(NamedTuple):
    """Seconds from submit to first lease: the median, the 90th percentile and the longest; of all if queue is None."""

    queue: int | None
    jobs: int
    p50: int
    p90: int
    max: int


class Run(NamedTuple):
    """What came of a workload under one sizing of leases. Times are in seconds."""

    lease: str
    jobs: int
    unusable: dict[str, tuple[int, ...]]
    """Why some of the workload's jobs could not be used, and their numbers."""
    leases: int
    completions: int
    expiries: int
    late_refused: int
    """Completions refused since their lease was over."""
    late_at_expiry: int
    """Those of them that came at the very time at which it was over."""
    late_accepted: int
    """Completions and heartbeats accepted though their lease was over: none, if the contract is kept. (O5, O6)"""
    live_refused: int
    """Completions and renewals refused though their lease was live: none, if the contract is kept. (O5, O6)"""
    crashes: int
    heartbeats: int
    heartbeats_refused: int
    doubled_leases: int
    """Leases that were not their job's first, and so twice as long as the one before."""
    doubled_jobs: int
    most_attempts: int
    worked_seconds: int
    wasted_seconds: int
    """Seconds worked by attempts that did not count: they crashed, or their completion was refused."""
    utilisation: float | None
    """The share of all slots' time, first submit to last completion, that was worked and counted."""
    makespan_seconds: int
    waits: tuple[Wait, ...]

    @property
    def breaches(self) -> tuple[str, ...]:
        """What broke the contract; nothing, unless the scheduler is at fault."""
        undone, beyond = self.jobs - self.completions, self.completions - self.jobs
        found = {
            f"{self.late_accepted:,} accepted after the lease was over": self.late_accepted,
            f"{self.live_refused:,} refused while the lease was live": self.live_refused,
            f"{counted(undone, 'job')} never done": undone,
            f"{counted(beyond, 'completion')} beyond one a job": beyond,
        }
        return tuple(what for what, count in found.items() if count > 0)


@dataclass(slots=True)
class Counters:
    """The figures of `Run` that add up as time passes."""

    leases: int = 0
    completions: int = 0
    expiries: int = 0
    late_refused: int = 0
    late_at_expiry: int = 0
    late_accepted: int = 0
    live_refused: int = 0
    crashes: int = 0
    heartbeats: int = 0
    heartbeats_refused: int = 0
    doubled_leases: int = 0
    doubled_jobs: int = 0
    most_attempts: int = 1
    counted_seconds: int = 0
    wasted_seconds: int = 0
    last_completion: int = 0

    def count_doubled(self, attempt: int) -> None:
        """A lease beyond its job's first was granted."""
        self.doubled_leases += 1
        self.doubled_jobs += attempt == 2
        self.most_attempts = max(self.most_attempts, attempt)

    def count_report(self, accepted: bool, late: bool, over_since: int | None, now: int, seconds: int) -> None:
        """A completion was reported; whether it was late, and since when its lease had been told over, if at all."""
        if accepted:
            self.completions += 1
            self.counted_seconds += seconds
            self.last_completion = now
            self.late_accepted += late or over_since is not None
            return
        self.wasted_seconds += seconds
        if late:
            self.late_refused += 1
            self.late_at_expiry += over_since == now
        else:
            self.live_refused += 1


def run_of(
    counters: Counters,
    lease: str,
    jobs: Sequence[Job],
    unusable: dict[str, tuple[int, ...]],
    waits: Sequence[int],
    queues: Iterable[int] | None,
    slots: int,
) -> Run:
    """The figures, once everything has happened. O(n log n)."""
    makespan = counters.last_completion - jobs[0].submit if counters.completions else 0
    return Run(
        lease=lease,
        jobs=len(jobs),
        unusable=unusable,
        leases=counters.leases,
        completions=counters.completions,
        expiries=counters.expiries,
        late_refused=counters.late_refused,
        late_at_expiry=counters.late_at_expiry,
        late_accepted=counters.late_accepted,
        live_refused=counters.live_refused,
        crashes=counters.crashes,
        heartbeats=counters.heartbeats,
        heartbeats_refused=counters.heartbeats_refused,
        doubled_leases=counters.doubled_leases,
        doubled_jobs=counters.doubled_jobs,
        most_attempts=counters.most_attempts,
        worked_seconds=counters.counted_seconds + counters.wasted_seconds,
        wasted_seconds=counters.wasted_seconds,
        utilisation=counters.counted_seconds / (slots * makespan) if makespan else None,
        makespan_seconds=makespan,
        waits=tuple(_waits(jobs, waits, queues)),
    )


def _waits(jobs: Sequence[Job], waits: Sequence[int], queues: Iterable[int] | None) -> Iterable[Wait]:
    if waits:
        yield _wait(None, waits)
    if queues is not None:
        by_queue: dict[int, list[int]] = {}
        for job, seconds in zip(jobs, waits, strict=True):
            by_queue.setdefault(job.queue, []).append(seconds)
        for queue in queues:
            if queue in by_queue:
                yield _wait(queue, by_queue[queue])


def _wait(queue: int | None, seconds: Sequence[int]) -> Wait:
    """Percentiles are seconds that really occurred: the least that at least so many of the jobs did not exceed."""
    ordered = sorted(seconds)
    return Wait(queue, len(ordered), *[ordered[-(-len(ordered) * share // 100) - 1] for share in (50, 90, 100)])
