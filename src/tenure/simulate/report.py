"""The figures of simulations as a reader or a program wants them: a table and notes, or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

from .jobs import Workload, counted, total
from .outcome import Run

if TYPE_CHECKING:
    from rich.console import Console

VERSION = 1
NARROWEST = 40
"""No line is folded for fewer columns, since words would fall apart."""
NAMED = 8
"""How many job numbers a note names; JSON has them all."""


class Settings(NamedTuple):
    """What all runs of a report have in common; `queues` are most urgent first, None if all jobs are equal."""

    workers: int
    capacity: int
    seed: int
    renew: int | None
    crash: float
    queues: tuple[int, ...] | None


def as_json(workload: Workload, settings: Settings, runs: Sequence[Run]) -> str:
    """One line of JSON: what was simulated, and each run's figures under their own names, times in seconds."""
    data = {
        "version": VERSION,
        "workload": workload.name,
        "was_sorted": workload.was_sorted,
        **settings._asdict(),
        "runs": [_run(run) for run in runs],
    }
    return json.dumps(data)


def _run(run: Run) -> dict[str, Any]:
    waits = [wait._asdict() for wait in run.waits]
    return {**run._asdict(), "unusable": _unusable(run.unusable), "waits": waits}


def _unusable(unusable: dict[str, tuple[int, ...]]) -> list[dict[str, Any]]:
    return [{"reason": why, "count": len(numbers), "jobs": numbers} for why, numbers in unusable.items()]


def show(console: Console, workload: Workload, settings: Settings, runs: Sequence[Run]) -> None:
    """Print what was simulated, a column for each run, and what there is to say about them."""
    console.width = max(console.width, NARROWEST)
    console.print(fill(title(workload, settings), console.width, break_on_hyphens=False), style="bold")
    labels, columns = _cells(runs)
    label_width = max(map(len, labels))
    for part in _parts(columns, console.width - label_width):
        console.print()
        console.print(_table(labels, part))
    console.print()
    for note in _notes(workload, runs):
        console.print(fill(note, console.width, break_on_hyphens=False))
    for run in runs:
        for breach in run.breaches:
            console.print(f"The contract is broken, lease {run.lease}: {breach}.", style="bold red")


def title(workload: Workload, settings: Settings) -> str:
    """What was simulated, in a line."""
    workers, slots = counted(settings.workers, "worker"), counted(settings.capacity, "slot")
    said = [f"{workload.name}: {workers} with {slots} each"]
    if settings.renew is not None:
        said.append(f"a heartbeat every {settings.renew:,} s")
    if settings.crash:
        said.append(f"a crash in {settings.crash:g} of all attempts")
    if settings.queues is not None:
        said.append("most urgent first: queue " + ", ".join(map(queue_name, settings.queues)))
    return "; ".join([*said, f"seed {settings.seed}"])


def queue_name(queue: int) -> str:
    """As a person reads it."""
    return "unknown" if queue < 0 else str(queue)


def _table(labels: Sequence[str], columns: Sequence[Sequence[str]]) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(labels[0], overflow="fold")
    for column in columns:
        table.add_column(column[0], justify="right", overflow="fold")
    for i, label in enumerate(labels[1:], 1):
        at_fault = label == MUST_BE_NONE and any(column[i] != "0" for column in columns)
        table.add_row(label, *[column[i] for column in columns], style="bold red" if at_fault else "")
    return table


def _parts(columns: Sequence[Sequence[str]], width: int) -> Iterator[Sequence[Sequence[str]]]:
    """As many columns at a time as fit beside the labels, but at least one."""
    start, used = 0, 0
    for i, column in enumerate(columns):
        needed = 2 + max(map(len, column))
        if i > start and used + needed > width:
            yield columns[start:i]
            start, used = i, 0
        used += needed
    yield columns[start:]


# -- the rows: each is there if it says something in one of the runs

MUST_BE_NONE = "late, accepted"
_HIDDEN_AT = {"late, refused": None, MUST_BE_NONE: None, "expiries": None, "  most to one": "1"}
"""The cell at which a row says nothing, where that isn't 0."""
_ROWS: dict[str, Callable[[Run], str]] = {
    "lease": lambda run: run.lease,
    "jobs": lambda run: f"{run.jobs:,}",
    "not usable": lambda run: f"{total(run.unusable):,}",
    "leases granted": lambda run: f"{run.leases:,}",
    "  doubled": lambda run: f"{run.doubled_leases:,}",
    "  to jobs": lambda run: f"{run.doubled_jobs:,}",
    "  most to one": lambda run: f"{run.most_attempts:,}",
    "completions": lambda run: f"{run.completions:,}",
    "expiries": lambda run: f"{run.expiries:,}",
    "late, refused": lambda run: f"{run.late_refused:,}",
    "  just at expiry": lambda run: f"{run.late_at_expiry:,}",
    MUST_BE_NONE: lambda run: f"{run.late_accepted:,}",
    "live, refused": lambda run: f"{run.live_refused:,}",
    "crashes": lambda run: f"{run.crashes:,}",
    "heartbeats": lambda run: f"{run.heartbeats:,}",
    "  refused": lambda run: f"{run.heartbeats_refused:,}",
    "work wasted": lambda run: clock(run.wasted_seconds),
    "  of all work": lambda run: percent(run.wasted_seconds / run.worked_seconds if run.worked_seconds else None),
    "utilisation": lambda run: percent(run.utilisation),
    "makespan": lambda run: clock(run.makespan_seconds),
}


def _cells(runs: Sequence[Run]) -> tuple[list[str], list[list[str]]]:
    """The labels, and the cells of each run, of all rows that say something."""
    rows = [(label, [cell(run) for run in runs]) for label, cell in _ROWS.items()]
    rows = [(label, cells) for label, cells in rows if set(cells) != {_HIDDEN_AT.get(label, "0")}]
    queues = dict.fromkeys(wait.queue for run in runs for wait in run.waits)
    for queue in queues:
        heading = "wait" if queue is None else f"  queue {queue_name(queue)}"
        of_run = [next((wait for wait in run.waits if wait.queue == queue), None) for run in runs]
        for name in ("p50", "p90", "max"):
            seconds = [None if wait is None else getattr(wait, name) for wait in of_run]
            rows.append((f"{heading} {name}", ["-" if s is None else clock(s) for s in seconds]))
    return [label for label, _ in rows], [[cells[i] for _, cells in rows] for i in range(len(runs))]


def clock(seconds: int) -> str:
    """Days, hours, minutes and seconds, as `2d 03:04:05`; without the days if there are none."""
    days, rest = divmod(seconds, 86400)
    time = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days:,}d {time}" if days else time


def percent(share: float | None) -> str:
    """With one decimal, as `12.5 %`."""
    return "-" if share is None else f"{share * 100:.1f} %"


# -- the notes


def _notes(workload: Workload, runs: Sequence[Run]) -> Iterator[str]:
    reasons = dict.fromkeys(reason for run in runs for reason in run.unusable.items())
    for why, numbers in reasons:
        under = [run.lease for run in runs if run.unusable.get(why) == numbers]
        where = "" if len(under) == len(runs) else f" under lease {', '.join(under)}"
        yield f"Not usable{where}, {why}: {_named(numbers)}."
    if not workload.was_sorted:
        yield "The log was not in order of submit time; its jobs were sorted."
    if any(run.doubled_jobs for run in runs):
        yield "Doubled: each further attempt at a job gets twice the lease of the one before."
    if any(run.late_at_expiry for run in runs):
        yield "Just at expiry: that second no longer belongs to the lease; one second more would have done."
    if not any(run.breaches for run in runs):
        yield "Nothing was accepted under a lease that was over, and every usable job is done."


def _named(numbers: Sequence[int]) -> str:
    """How many jobs these are, and which."""
    shown = ", ".join(map(str, numbers[:NAMED]))
    more = ", ... (--json names all)" if len(numbers) > NAMED else ""
    return f"{counted(len(numbers), 'job')}, number {shown}{more}"
