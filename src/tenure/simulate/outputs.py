"""The files that `tenure simulate` writes beside its report. It imports only click until it writes one."""

from __future__ import annotations

import importlib.util
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from ..commands import UnusableFile

if TYPE_CHECKING:
    from ..operations import Operations
    from ..wire import Event
    from .jobs import Workload
    from .outcome import Run
    from .report import Settings

PLOTTED = (".png", ".svg", ".pdf")


class Outputs(NamedTuple):
    """The files' names, where they were asked for."""

    history: str | None
    svg: str | None
    plot: str | None


def check_outputs(outputs: Outputs, log: str | None, leases: Sequence[str]) -> None:
    """What can't be written is refused before anything is read; each replaces neither the log nor another output."""
    given = {f"--{name}": file for name, file in outputs._asdict().items() if file is not None}
    for option, file in given.items():
        if option != "--plot" and len(leases) > 1:
            raise click.UsageError(f"{option} holds one run: give one --lease, not {','.join(leases)}")
        _check_file(option, file, log)
    if len({os.path.realpath(file) for file in given.values()}) < len(given):
        raise click.UsageError(f"{' and '.join(given)} name the same FILE: give each its own")
    if outputs.plot is not None:
        _check_plot(outputs.plot)


def _check_plot(file: str) -> None:
    if not file.endswith(PLOTTED):
        raise click.UsageError(f"--plot needs a FILE that ends with {', '.join(PLOTTED)}, not {file[-40:]!r}")
    if importlib.util.find_spec("matplotlib") is None:
        raise click.UsageError("--plot needs matplotlib; install it with: pip install 'tenure[plot]'")


def _check_file(option: str, file: str, log: str | None) -> None:
    """The file that it replaces is neither the log nor where the report goes."""
    if file in ("", "-"):
        why = "nothing is given" if not file else "standard output is the report's"
        raise click.UsageError(f"{option} needs a FILE: {why}")
    if not os.path.exists(file):
        if not os.path.isdir(os.path.dirname(file) or "."):
            raise UnusableFile(f"{file}: can't be written: there is no such folder")
        return
    if _is_file(0, file) if log == "-" else log and os.path.exists(log) and os.path.samefile(log, file):
        raise click.UsageError(f"{option} would overwrite the LOG: give another FILE")
    if _is_file(1, file):
        raise click.UsageError(f"{option} would be mixed with the report, which goes to the same FILE: give another")


def _is_file(descriptor: int, file: str) -> bool:
    """Whether the descriptor, which may be closed, is open on this file, and a regular one."""
    try:
        there = os.fstat(descriptor)
    except OSError:
        return False
    return stat.S_ISREG(there.st_mode) and os.path.samestat(there, os.stat(file))


@contextmanager
def recording(outputs: Outputs, title: Callable[[], str]) -> Iterator[Operations | None]:
    """A scheduler whose calls go to the history, and into the drawing, if there is to be one; else None."""
    if outputs.history is None and outputs.svg is None:
        yield None
        return
    from ..history import recorded
    from ..scheduler import Scheduler
    from .drawn import Drawn
    from .record import HistoryFile

    drawn = Drawn()
    sinks: list[Callable[[Event], None]] = [] if outputs.svg is None else [drawn.saw]
    with ExitStack() as files:
        if outputs.history is not None:
            files.enter_context(_writing(outputs.history))
            sinks.append(files.enter_context(HistoryFile(outputs.history)).write)

        def sink(event: Event) -> None:
            for each in sinks:
                each(event)

        yield recorded(Scheduler(), sinks[0] if len(sinks) == 1 else sink)
    if outputs.svg is not None:
        shown = drawn.svg(title())
        with _writing(outputs.svg), open(outputs.svg, "w", encoding="utf-8", newline="\n") as file:
            file.write(shown)


def write_plot(file: str, workload: Workload, settings: Settings, runs: Sequence[Run]) -> None:
    """The figures of the runs as a picture."""
    from .plot import plot
    from .report import title

    with _writing(file):
        plot(file, title(workload, settings), runs)


@contextmanager
def _writing(file: str) -> Iterator[None]:
    """Trouble with writing is the user's to know, in one line; a reader that went away is the caller's."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UnusableFile(f"{file}: can't be written: {error.strerror or error}") from None
