"""What a simulation takes where its user leaves it open: how many workers, and which queue is the more urgent."""

from __future__ import annotations

from collections.abc import Sequence

from .jobs import Workload

BUSY_PERCENT = 80


def slots_for(workload: Workload) -> int:
    """As many slots as the workload keeps 80 % busy while jobs arrive: its run times over the span of its submits."""
    jobs = workload.jobs
    span = max(1, jobs[-1].submit - jobs[0].submit)
    busy = sum(job.run for job in jobs)
    return max(1, min(len(jobs), -(-busy * 100 // (span * BUSY_PERCENT))))


def ordered_queues(workload: Workload, first: Sequence[int]) -> tuple[int, ...]:
    """The workload's queues, most urgent first: those listed, then the rest ascending, and last the unknown one."""
    there = {job.queue for job in workload.jobs}
    rest = sorted(there.difference(first), key=lambda queue: (queue < 0, queue))
    return (*[queue for queue in first if queue in there], *rest)
