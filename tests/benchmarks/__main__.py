"""Prints the table of ratios: `python tests/benchmarks`, or `--small` for a quick run that shows that it works.

Each line is measured in a fresh process. `--json` prints the figures instead.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

MILLION = 1_000_000


class Line(NamedTuple):
    """One line of the table: a figure of a measure, and the most that it may be."""

    what: str
    measure: str
    size: int
    figure: str
    most: float


LINES = (
    Line("one life, at 1,000 tasks [floors]", "life", 1000, "floors", float("inf")),
    Line("one life, at 1,000,000 tasks [floors]", "life", MILLION, "floors", 1.5),
    Line("a million leases expire and go out again [floors a task]", "expiry", MILLION, "floors", 2.5),
    Line("a pending task, ten priorities [bytes]", "pending_ten", MILLION, "bytes", 150),
    Line("a pending task, all priorities distinct [bytes]", "pending_distinct", MILLION, "bytes", 400),
    Line("a million renewals of one lease leave [MB]", "renewals", MILLION, "megabytes", 1),
    Line("a million lives, each forgotten, leave [MB]", "forgotten_lives", MILLION, "megabytes", 1),
    Line("a million pending tasks, forgotten, leave [MB]", "forgotten_pending", MILLION, "megabytes", 1),
    Line("import tenure [import statemachine]", "imports", 1, "ratio", 1.3),
    Line("simulating LCG [its calls made bare]", "simulate", MILLION, "ratio", 4),
    Line("exploring [its calls made bare, queries included]", "exploring", MILLION, "ratio", float("inf")),
    Line("auditing a million lines [their calls made bare]", "auditing", MILLION, "ratio", 3),
    Line("auditing a million lines [their calls recorded]", "auditing", MILLION, "of_recording", float("inf")),
    Line("auditing a million lines, memory [a tenth of them]", "auditing", MILLION, "memory", 1.1),
    Line("auditing a minimal log, a line [a call made bare]", "auditing", MILLION, "minimal", float("inf")),
)


@cache
def measured(measure: str, size: int) -> dict[str, float]:
    """The figures of one measure, from a fresh process."""
    command = [sys.executable, str(Path(__file__).parent), "--one", measure, str(size)]
    return dict(json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout))


def rows(small: bool) -> list[tuple[str, float, float]]:
    """What each line is about, its figure, and the most that it may be; said as it comes."""
    found, micros = [], {}
    for line in LINES:
        size = max(1, line.size // 200) if small else line.size
        figures = measured(line.measure, size)
        found.append((line.what, figures[line.figure], line.most))
        print(f"{line.what}: {figures}", file=sys.stderr, flush=True)
        if line.measure == "life":
            micros[line.size] = figures["microseconds"]
    found.insert(2, ("one life, at 1,000,000 tasks [at 1,000]", micros[MILLION] / micros[1000], 2.0))
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a two-hundredth of each size: figures mean nothing then")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--one", nargs=2, metavar=("MEASURE", "SIZE"), help="one measure in this process, as JSON")
    chosen = parser.parse_args()
    if chosen.one:
        import measures

        measure, size = chosen.one
        print(json.dumps(getattr(measures, measure)(int(size))))
        return
    table = rows(chosen.small)
    if chosen.json:
        print(json.dumps({"version": 1, "small": chosen.small, "figures": {what: figure for what, figure, _ in table}}))
        return
    for what, figure, most in table:
        bar = "" if chosen.small or most == float("inf") else f"   at most {most:g}"
        print(f"{what:<58} {figure:>8.2f}{bar}")
    if chosen.small:
        print("(each at a two-hundredth of its size, to see that it runs: the figures mean nothing)")


if __name__ == "__main__":
    main()
