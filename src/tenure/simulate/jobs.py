"""What a simulation is given: the jobs of a workload, and why others can't be used. Nothing here reads or decides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

MOST = 2**40
"""The greatest magnitude of a number that is used: about 35,000 years in seconds."""

MANY = 1_000_000
"""The greatest number of workers, slots and synthetic jobs."""

NO_RUN_TIME = "no run time"
NO_ASKED_TIME = "no asked time"
BEFORE_START = "submit time below 0"


class Job(NamedTuple):
    """One job of a log: all times in seconds, `submit` since the log's start.

    `asked` is the run time its owner asked for, 0 or less where that is unknown; so is `queue` below 0.
    """

    number: int
    submit: int
    run: int
    asked: int
    queue: int


class Workload(NamedTuple):
    """The jobs that can be used, in order of submit time, equal ones as the log has them.

    `unusable` tells each reason and the numbers of its jobs; `was_sorted` whether the log had this order itself.
    """

    name: str
    jobs: tuple[Job, ...]
    unusable: dict[str, tuple[int, ...]]
    was_sorted: bool


def workload(name: str, jobs: Iterable[Job]) -> Workload:
    """The workload that these jobs make: each is either usable or counted under the reason why not. O(n log n)."""
    usable: list[Job] = []
    unusable: dict[str, list[int]] = {}
    for job in jobs:
        if job.run < 0:
            unusable.setdefault(NO_RUN_TIME, []).append(job.number)
        elif job.submit < 0:
            unusable.setdefault(BEFORE_START, []).append(job.number)
        else:
            usable.append(job)
    in_order = sorted(usable, key=lambda job: job.submit)
    reasons = {reason: tuple(numbers) for reason, numbers in unusable.items()}
    return Workload(name, tuple(in_order), reasons, was_sorted=in_order == usable)


def total(unusable: dict[str, tuple[int, ...]]) -> int:
    """How many jobs can't be used, for whatever reason."""
    return sum(map(len, unusable.values()))


def counted(number: int, noun: str) -> str:
    """So many of them: `1 job`, `1,134 jobs`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
