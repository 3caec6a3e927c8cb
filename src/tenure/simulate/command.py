"""`tenure simulate`: its options, and the way from a log to a report. It imports only click until it runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import click

from ..commands import Undecided, UnusableFile, bars, show, whole
from . import options
from .jobs import MANY, counted
from .outputs import Outputs, check_outputs, recording, write_plot

if TYPE_CHECKING:
    from ..operations import Operations
    from .jobs import Workload
    from .outcome import Run
    from .play import Progress
    from .report import Settings
    from .sizing import Sizing

DEFAULT_JOBS = 1000


@click.command(
    short_help="Play a workload log through a scheduler and show what leases do to it.",
    epilog="Exit codes: 0 fine, 1 the contract is broken, 2 usage, 3 the file can't be used, 4 undecided.",
)
@click.argument("log", required=False)
@click.option("--synthetic", metavar="N", callback=whole(1, MANY), help="Make N jobs instead of a LOG.")
@click.option(
    "--workers",
    metavar="N",
    callback=whole(1, MANY),
    help="How many workers.  [default: as many as the jobs would keep 80 % busy]",
)
@click.option(
    "--capacity",
    metavar="N",
    default="1",
    show_default=True,
    callback=whole(1, MANY),
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
    callback=whole(0, 2**63 - 1, "2**63 - 1"),
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
@click.option("--svg", metavar="FILE", help="Draw the workers' lanes, what is held of their capacity, and the queue.")
@click.option("--plot", metavar="FILE", help="Draw waits and what the leases cost side by side: .png, .svg or .pdf.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.pass_context
def simulate(
    context: click.Context,
    /,
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
    as_json: bool,
    **files: str | None,
) -> None:
    """
    Play a workload log through a scheduler and show what leases do to it.

    LOG is a file in Standard Workload Format, plain or gzip, or - for standard input. Without one, synthetic jobs
    are made. Workers take the jobs as they are submitted, each under a lease. One that is still at work when its lease
    is over goes on and reports all the same: the scheduler must refuse it, the work is wasted, and another
    attempt gets twice the lease.
    """
    outputs = Outputs(**files)
    _check_together(log, synthetic, lease, priority, queue_order)
    check_outputs(outputs, log, [sizing.label for sizing in lease])
    workload = _workload(log, synthetic, seed)
    _check_usable(workload, lease)
    settings = _settings(workload, workers, capacity, seed, renew, crash, queue_order if priority == "queue" else None)
    with recording(outputs, lambda: titled(workload, settings, lease[0].label)) as scheduler:
        runs = _runs(workload, lease, settings, scheduler)
    if outputs.plot is not None:
        write_plot(outputs.plot, workload, settings, runs)
    _report(workload, settings, runs, as_json)
    if any(run.breaches for run in runs):
        context.exit(1)


def _check_together(
    log: str | None,
    synthetic: int | None,
    lease: Sequence[Sizing],
    priority: str,
    queue_order: tuple[int, ...],
) -> None:
    """Options that contradict each other are refused before anything is read or written."""
    if log is not None and synthetic is not None:
        raise click.UsageError("give either a LOG or --synthetic, not both")
    if queue_order and priority != "queue":
        raise click.UsageError("--queue-order says nothing without --priority queue")
    if log == "":
        raise click.UsageError("LOG is empty: give a file's name, or - for standard input")


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


def titled(workload: Workload, settings: Settings, label: str) -> str:
    """What a drawing of one run is called."""
    from .report import title

    return f"{title(workload, settings)}; lease {label}"


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
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

    columns = TextColumn("lease {task.description}"), BarColumn(bar_width=None), MofNCompleteColumn()
    with bars(*columns) as progress:

        def bar(label: str) -> Callable[[int, int], object]:
            task = progress.add_task(label, total=None)
            return lambda done, jobs: progress.update(task, completed=done, total=jobs)

        yield bar


def _report(workload: Workload, settings: Settings, runs: Sequence[Run], as_json: bool) -> None:
    from . import report

    if as_json:
        print(report.as_json(workload, settings, runs), flush=True)
    else:
        show(lambda console: report.show(console, workload, settings, runs))
