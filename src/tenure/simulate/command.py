"""`tenure simulate`: its options, and the way from a log to a report. It imports only click until it runs."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import click

from . import options
from .jobs import MANY, counted

if TYPE_CHECKING:
    from ..operations import Operations
    from .jobs import Workload
    from .outcome import Run
    from .play import Progress
    from .report import Settings
    from .sizing import Sizing

DEFAULT_JOBS = 1000


class UnusableFile(click.ClickException):
    """A file can't be read or written."""

    exit_code = 3


class Undecided(click.ClickException):
    """A limit ended the run before it could tell."""

    exit_code = 4


@click.command(
    short_help="Play a workload log through a scheduler and show what leases do to it.",
    epilog="Exit codes: 0 fine, 1 the contract is broken, 2 usage, 3 the file can't be used, 4 undecided.",
)
@click.argument("log", required=False)
@click.option("--synthetic", metavar="N", callback=options.whole(1, MANY), help="Make N jobs instead of a LOG.")
@click.option(
    "--workers",
    metavar="N",
    callback=options.whole(1, MANY),
    help="How many workers.  [default: as many as the jobs would keep 80 % busy]",
)
@click.option(
    "--capacity",
    metavar="N",
    default="1",
    show_default=True,
    callback=options.whole(1, MANY),
    help="How many jobs a worker takes at once.",
)
@click.option(
    "--lease",
    metavar="LENGTH[,...]",
    default="asked",
    show_default=True,
    callback=options.sizings,
    help="How long a job's first lease is: asked (the time it asked for), asked+SECONDS, or SECONDS. Several, "
    "separated by commas, are compared.",
)
@click.option("--renew", metavar="SECONDS", callback=options.seconds, help="Workers renew their leases this often.")
@click.option(
    "--crash",
    metavar="P",
    default="0",
    show_default=True,
    callback=options.probability,
    help=f"The probability, at most {options.MOST_CRASHES}, that an attempt falls silent at a random point of its run.",
)
@click.option(
    "--seed",
    metavar="N",
    default="0",
    show_default=True,
    callback=options.whole(0, 2**63 - 1, "2**63 - 1"),
    help="Determines crashes and synthetic jobs.",
)
@click.option(
    "--priority",
    type=click.Choice(["queue", "none"]),
    default="none",
    show_default=True,
    help="Whether a job's queue makes it more or less urgent.",
)
@click.option(
    "--queue-order",
    metavar="N,...",
    callback=options.queues,
    help="The queues from the most urgent on, for --priority queue; others follow, ascending.  [default: ascending]",
)
@click.option("--history", metavar="FILE", help="Write every call and its answer to FILE, a line of JSON each.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def simulate(
    context: click.Context,
    log: str | None,
    synthetic: int | None,
    workers: int | None,
    capacity: int,
    lease: tuple[Sizing, ...],
    renew: int | None,
    crash: float,
    seed: int,
    priority: str,
    queue_order: tuple[int, ...],
    history: str | None,
    as_json: bool,
) -> None:
    """
    Play a workload log through a scheduler and show what leases do to it.

    LOG is a file in Standard Workload Format, plain or gzip, or - for standard input. Without one, synthetic jobs
    are made. Workers take the jobs as they are submitted, each under a lease. One that is still at work when its lease
    is over goes on and reports all the same: the scheduler must refuse it, the work is wasted, and another
    attempt gets twice the lease.
    """
    _check_together(log, synthetic, lease, priority, queue_order, history)
    workload = _workload(log, synthetic, seed)
    _check_usable(workload, lease)
    settings = _settings(workload, workers, capacity, seed, renew, crash, queue_order if priority == "queue" else None)
    with _recording(history) as scheduler:
        runs = _runs(workload, lease, settings, scheduler)
    _report(workload, settings, runs, as_json)
    if any(run.breaches for run in runs):
        context.exit(1)


def _check_together(
    log: str | None,
    synthetic: int | None,
    lease: Sequence[Sizing],
    priority: str,
    queue_order: tuple[int, ...],
    history: str | None,
) -> None:
    """Options that contradict each other are refused before anything is read or written."""
    if log is not None and synthetic is not None:
        raise click.UsageError("give either a LOG or --synthetic, not both")
    if queue_order and priority != "queue":
        raise click.UsageError("--queue-order says nothing without --priority queue")
    if history is not None and len(lease) > 1:
        labels = ",".join(sizing.label for sizing in lease)
        raise click.UsageError(f"--history holds one run: give one --lease, not {labels}")
    if log == "":
        raise click.UsageError("LOG is empty: give a file's name, or - for standard input")
    if history is not None:
        _check_history(history, log)


def _check_history(history: str, log: str | None) -> None:
    """The file that it replaces is neither the log nor where the report goes."""
    if history in ("", "-"):
        why = "nothing is given" if not history else "standard output is the report's"
        raise click.UsageError(f"--history needs a FILE: {why}")
    if not os.path.exists(history):
        return
    if _is_file(0, history) if log == "-" else log and os.path.exists(log) and os.path.samefile(log, history):
        raise click.UsageError("--history would overwrite the LOG: give another FILE")
    if _is_file(1, history):
        raise click.UsageError("--history would be mixed with the report, which goes to the same FILE: give another")


def _is_file(descriptor: int, file: str) -> bool:
    """Whether the descriptor, which may be closed, is open on this file, and a regular one."""
    try:
        there = os.fstat(descriptor)
    except OSError:
        return False
    return stat.S_ISREG(there.st_mode) and os.path.samestat(there, os.stat(file))


def _workload(log: str | None, synthetic: int | None, seed: int) -> Workload:
    if log is None:
        from .synthetic import synthetic as made

        if synthetic is None:
            click.echo(f"tenure simulate: no LOG given, so --synthetic {DEFAULT_JOBS} is taken", err=True)
        return made(synthetic or DEFAULT_JOBS, seed)
    from .swf import LogError, read

    try:
        return read(log)
    except LogError as error:
        raise UnusableFile(str(error)) from None


def _check_usable(workload: Workload, lease: Sequence[Sizing]) -> None:
    for sizing in lease:
        if not any(map(sizing.usable, workload.jobs)):
            raise UnusableFile(
                f"{workload.name}: of its {counted(len(workload.jobs), 'job')} none says what time it asked for, "
                f"so there is no --lease {sizing.label}; give --lease SECONDS"
            )


def _settings(
    workload: Workload,
    workers: int | None,
    capacity: int,
    seed: int,
    renew: int | None,
    crash: float,
    queue_order: tuple[int, ...] | None,
) -> Settings:
    from .choices import ordered_queues, slots_for
    from .report import Settings

    if workers is None:
        workers = -(-slots_for(workload) // capacity)
    if workers * capacity > MANY:
        raise click.UsageError(f"--workers times --capacity must be at most {MANY:,}, not {workers * capacity:,}")
    queues = None if queue_order is None else ordered_queues(workload, queue_order)
    for queue in queue_order or ():
        if queue not in (queues or ()):
            click.echo(f"tenure simulate: no job is in queue {queue} of --queue-order", err=True)
    return Settings(workers, capacity, seed, renew, crash, queues)


@contextmanager
def _recording(history: str | None) -> Iterator[Operations | None]:
    """A scheduler whose calls go to the file, if there is to be one."""
    if history is None:
        yield None
        return
    from ..history import recorded
    from ..scheduler import Scheduler
    from .record import HistoryFile

    try:
        with HistoryFile(history) as file:
            yield recorded(Scheduler(), file.write)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UnusableFile(f"{history}: can't be written: {error.strerror or error}") from None


def _runs(workload: Workload, lease: Sequence[Sizing], settings: Settings, scheduler: Operations | None) -> list[Run]:
    """A run for each sizing, with a progress bar if someone sits at a terminal."""
    from .play import OutOfTime, play

    with _progress() if sys.stderr.isatty() else nullcontext(lambda label: None) as progress_of:
        try:
            return [
                play(workload, sizing, **settings._asdict(), scheduler=scheduler, on_progress=progress_of(sizing.label))
                for sizing in lease
            ]
        except OutOfTime as error:
            raise Undecided(str(error)) from None


@contextmanager
def _progress() -> Iterator[Callable[[str], Progress]]:
    """A bar on standard error for each label, gone at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = TextColumn("lease {task.description}"), BarColumn(bar_width=None), MofNCompleteColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True, expand=True) as progress:

        def bar(label: str) -> Callable[[int, int], object]:
            task = progress.add_task(label, total=None)
            return lambda done, jobs: progress.update(task, completed=done, total=jobs)

        yield bar


def _report(workload: Workload, settings: Settings, runs: Sequence[Run], as_json: bool) -> None:
    from . import report

    if as_json:
        print(report.as_json(workload, settings, runs), flush=True)
        return
    from rich.console import Console

    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:  # rich itself would end the process at a closed pipe
        report.show(console, workload, settings, runs)
    print(captured.get(), end="", flush=True)
