"""A workload of our own making, which a number and a seed determine, and its text in Standard Workload Format.

    python -m tenure.simulate.synthetic 200 --seed 1

Jobs arrive in bursts, many of them in the same second; most are short and a few very long; their owners ask
for round times, mostly too long. Some jobs run exactly as long as they asked, and a few longer.
"""

from __future__ import annotations

import argparse
import re
from bisect import bisect_left
from collections.abc import Iterator
from random import Random
from typing import NoReturn

from .jobs import MANY, Job, Workload, counted, workload

MINUTE, HOUR = 60, 3600
ROUND = tuple(m * MINUTE for m in (2, 5, 10, 15, 30)) + tuple(h * HOUR for h in (1, 2, 4, 6, 12))
"""The times that people ask for."""
QUEUES = ((1, 0.25, 15), (2, 0.55, 60), (3, 0.20, 240))
"""Each queue's number, its share of the jobs, and the shortest run time of its jobs, in seconds."""
LONGEST = 4 * HOUR
"""No job that is left in peace runs longer."""
EXACT, OUTRUN = 0.04, 0.03
"""The shares of jobs that run exactly as long as they asked, and longer."""
BURST_GAP, BURST_JOBS, SAME_SECOND = 150, 4, 0.5
"""Seconds between bursts, jobs in one, both on average, and the share of a burst's jobs in one second with another."""

HEADER = """\
; Version: 2.2
; Computer: none
; Note: SYNTHETIC. These jobs were never run by anyone: a pseudo-random generator made them,
;       and the same command makes the same file again:
;         python -m tenure.simulate.synthetic {count} --seed {seed}
; Note: about 4 % of the jobs run exactly as long as they asked (field 4 = field 9), about 3 % longer
; MaxJobs: {count}
; MaxQueues: 3
; Queue: 1 short
; Queue: 2 normal
; Queue: 3 long
"""


def synthetic(count: int, seed: int) -> Workload:
    """A workload of so many jobs, all of which can be used; the same for the same seed. O(count)."""
    return workload(counted(count, "synthetic job"), _jobs(count, Random(f"tenure {seed}")))


def text(count: int, seed: int) -> str:
    """The same workload as a log that `tenure.simulate.swf` reads."""
    lines = [
        f"{job.number:5} {job.submit:7} -1 {job.run:6} 1 -1 -1 1 {job.asked:6} -1 1 -1 -1 -1 {job.queue} -1 -1 -1\n"
        for job in synthetic(count, seed).jobs
    ]
    return HEADER.format(count=count, seed=seed) + "".join(lines)


def _jobs(count: int, random: Random) -> Iterator[Job]:
    # Only `random.random` is drawn from, since it alone gives the same numbers in every version of Python.
    draw = random.random
    submit = 0
    for number in range(1, count + 1):
        if number > 1:
            if draw() * BURST_JOBS < 1:
                submit += 1 + int(draw() * 2 * BURST_GAP)
            elif draw() >= SAME_SECOND:
                submit += 1 + int(draw() * 5)
        queue, shortest = _queue(draw())
        run = min(int(shortest * (1 - draw()) ** -0.75), LONGEST)
        asked = ROUND[bisect_left(ROUND, run * (1.1 + 1.9 * draw()))]
        kind = draw()
        if kind < EXACT:
            run = asked
        elif kind < EXACT + OUTRUN:
            run = asked + 1 + int(asked * 3 * draw() ** 2)
        yield Job(number, submit, run, asked, queue)


def _queue(drawn: float) -> tuple[int, int]:
    """The queue in whose share the number from 0 to 1 falls, and its shortest run time."""
    for queue, share, shortest in QUEUES[:-1]:
        if drawn < share:
            return queue, shortest
        drawn -= share
    return QUEUES[-1][0], QUEUES[-1][2]


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, without its usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see --help)\n")


def _count(given: str) -> int:
    if not re.fullmatch("[0-9]{1,7}", given, re.ASCII) or not 1 <= int(given) <= MANY:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {MANY:,}, not {given[:40]!r}")
    return int(given)


def main() -> None:
    """Print the log that the arguments ask for."""
    about = "Print a synthetic workload log in Standard Workload Format."
    parser = _Parser(prog="python -m tenure.simulate.synthetic", description=about)
    parser.add_argument("count", type=_count, help=f"how many jobs, from 1 to {MANY:,}")
    parser.add_argument("--seed", type=int, default=0, help="what determines them (default: 0)")
    given = parser.parse_args()
    print(text(given.count, given.seed), end="")


if __name__ == "__main__":
    main()
