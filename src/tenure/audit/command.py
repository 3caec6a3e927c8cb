"""`tenure audit`: its options, and the way from a log to a verdict. It imports only click until it runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ..commands import UnusableFile, bars, report_format, show

if TYPE_CHECKING:
    from ..files import Opened
    from .findings import Findings
    from .run import Watch

REFUTED_CODE, UNDECIDED_CODE = 1, 4


@click.command(
    short_help="Judge a recorded history: is it one that the contract allows?",
    epilog="Exit codes: 0 allowed, 1 not allowed, 2 usage, 3 the log can't be used, 4 undecided.",
)
@click.argument("log")
@click.option(
    "--exact-errors",
    is_flag=True,
    help="A rejected call must have raised the very class that the contract names.  [default: any]",
)
@report_format
@click.pass_context
def audit(context: click.Context, log: str, exact_errors: bool, form: str) -> None:
    """
    Judge a recorded history: is it one that the contract allows?

    LOG is a file of JSON lines, plain or gzip, or - for standard input. It holds either every call with its answer, as
    `tenure simulate --history` and the recorder write it, or the events that a queue accepted, in the minimal form
    that a team exports from its own. The first line that isn't allowed is shown with the rule that it breaks and
    what the contract would have allowed.
    """
    if not log:
        raise click.UsageError("LOG is empty: give a file's name, or - for standard input")
    findings = _findings(log, exact_errors)
    _report(findings, form)
    if findings.breach is not None:
        context.exit(REFUTED_CODE)
    if findings.undecided:
        context.exit(UNDECIDED_CODE)


def _findings(log: str, exact_errors: bool) -> Findings:
    from .lines import LogError
    from .run import audit as audited

    try:
        if not sys.stderr.isatty():
            return audited(log, exact_errors=exact_errors)
        with _watching() as watch:
            return audited(log, exact_errors=exact_errors, watch=watch)
    except LogError as error:
        raise UnusableFile(str(error)) from None


@contextmanager
def _watching() -> Iterator[Watch]:
    """A bar by the bytes of the file that are read, packed ones if it is packed."""
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

    with bars(TextColumn("audit"), BarColumn(bar_width=None), TaskProgressColumn(), TimeRemainingColumn()) as progress:
        task = progress.add_task("audit", total=None)

        def watch(log: Opened) -> None:
            size = log.size()
            if size is not None:
                progress.update(task, completed=log.position(), total=size)

        yield watch


def _report(findings: Findings, form: str) -> None:
    from . import report

    if form == "json":
        print(report.as_json(findings), flush=True)
    else:
        show(lambda console: report.show(console, findings))
