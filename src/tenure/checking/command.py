"""`tenure check`: its options, and the way from a target to a report. It imports only click until it runs."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from ..commands import UnusableFile, report_format, show, whole

if TYPE_CHECKING:
    from .check import Progress, Report
    from .targets.target import Target

PARTS = ("dialogues", "explorer", "machine")
MANY = 10**6


class Unusable(click.ClickException):
    """The target can't be checked, or no longer."""

    exit_code = 3


def _parts(context: click.Context, parameter: click.Parameter, given: str | None) -> tuple[str, ...]:
    """Some of the parts, separated by commas."""
    chosen = [name.strip() for name in given.split(",")] if given is not None else list(PARTS)
    if unknown := [name for name in chosen if name not in PARTS]:
        raise click.BadParameter(f"must be from {', '.join(PARTS)}, separated by commas, not {unknown[0][:40]!r}")
    return tuple(name for name in PARTS if name in chosen)


def _rule(context: click.Context, parameter: click.Parameter, given: str | None) -> str | None:
    """The number of a sentence of the contract."""
    if given is not None and re.fullmatch(r"[VLITROPvlitrop][1-9][0-9]?", given.strip()) is None:
        raise click.BadParameter(f"must be a sentence of the contract, such as T4 or O5, not {given[:40]!r}")
    return None if given is None else given.strip().upper()


Decorator = Callable[[Callable[..., None]], Callable[..., None]]


def _flag(name: str, help: str) -> Decorator:
    return click.option(f"--{name.replace('_', '-')}", name, is_flag=True, help=help)


def _number(name: str, default: str, callback: Callable[..., int | None], help: str) -> Decorator:
    return click.option(f"--{name}", metavar="N", default=default, show_default=True, callback=callback, help=help)


@click.command(
    short_help="Check a scheduler against the contract: Tenure's, or yours in any language.",
    epilog="Exit codes: 0 proved or passed, 1 refuted, 2 usage, 3 the target can't be used, 4 undecided.",
)
@click.argument("target", required=False, metavar="[MODULE:FACTORY]")
@click.option("--exec", "command", metavar="COMMAND", help="Check a program that speaks the adapter protocol.")
@click.option("--save", metavar="DIR", help="Write the counterexample there: text, SVG, HTML, JSON, a pytest file.")
@click.option("--rule", metavar="RULE", callback=_rule, help="Show, and save, what breaks this rule, such as T4.")
@report_format
@click.option(
    "--only", "parts", metavar="PART[,...]", callback=_parts, help="Only these: dialogues, explorer, machine."
)
@click.option(
    "--exact-errors/--any-error",
    "exact_errors",
    default=None,
    help="Whether a rejection must raise the contract's class.  [default: only of Tenure's own]",
)
@click.option(
    "--line-timeout",
    metavar="SECONDS",
    default="10",
    show_default=True,
    callback=whole(1, MANY),
    help="How long the program of --exec may take to answer a line.",
)
@_number("tasks", "2", whole(0, 9), "Explorer: so many tasks.")
@_number("workers", "2", whole(1, 9), "Explorer: so many workers.")
@_number("capacity", "1", whole(1, 9), "Explorer: the capacity of each worker.")
@click.option(
    "--durations",
    metavar="D",
    callback=whole(1, 99),
    help="Explorer: whole durations 1..D.  [default: any duration]",
)
@_flag("once", "Explorer: no second run, at another time and scale.")
@_flag("arrivals", "Explorer: tasks of two priorities come at any moment.")
@_flag("set_capacity", "Explorer: capacities change at any moment.")
@_flag("forget", "Explorer: tasks are forgotten at any moment.")
@_flag("forget_worker", "Explorer: workers are forgotten and come back at any moment.")
@_flag("symmetric_workers", "Explorer: states that differ in the workers' names count once.")
@_flag("symmetric_tasks", "Explorer: states that differ in where done tasks stood count once.")
@click.option("--max-states", metavar="N", callback=whole(1, 10**9), help="Explorer: undecided beyond so many states.")
@click.option("--time-limit", metavar="SECONDS", callback=whole(1, MANY), help="Explorer: undecided after so long.")
@_number("examples", "200", whole(1, MANY), "Machine: so many examples.")
@_number("steps", "30", whole(1, MANY), "Machine: so many steps in each example.")
@_number("seed", "0", whole(0, 2**63 - 1, "2**63 - 1"), "Machine: determines what it tries.")
@click.pass_context
def check(
    context: click.Context,
    /,
    target: str | None,
    command: str | None,
    parts: tuple[str, ...],
    exact_errors: bool | None,
    line_timeout: int,
    save: str | None,
    rule: str | None,
    form: str,
    **numbers: Any,
) -> None:
    """
    Check a scheduler against the contract.

    Without a target, Tenure's own in-memory scheduler is checked; MODULE:FACTORY names what makes one of yours in
    Python, and --exec a program that makes the calls on yours in any language. Golden dialogues are played, every
    state of a scope is explored, and a stateful machine tries what comes by chance. What went wrong is shown as a
    history that is as short as it can be.
    """
    if target is not None and command is not None:
        raise click.UsageError("give either MODULE:FACTORY or --exec, not both")
    if "machine" in parts and importlib.util.find_spec("hypothesis") is None:
        raise click.UsageError(
            "the machine needs hypothesis: pip install 'tenure[check]', or --only dialogues,explorer"
        )
    report = _checked(target, command, parts, exact_errors, line_timeout, numbers)
    if rule is not None and rule not in [each.wrong.rule for each in report.found]:
        click.echo(f"tenure check: no history was found that breaks {rule}, so another is shown", err=True)
    unsaved = None if save is None else _save(report, save, rule)  # first, since a reader may go away
    if form == "json":
        from .report import as_json

        print(json.dumps(as_json(report), indent=1), flush=True)
    else:
        from . import report as reports

        show(lambda console: reports.show(console, report, rule))
    if unsaved is not None:
        raise unsaved
    context.exit(EXIT_CODES.get(report.word, 0))


EXIT_CODES = {"REFUTED": 1, "UNDECIDED": 4}


def _checked(
    spec: str | None,
    command: str | None,
    parts: tuple[str, ...],
    exact_errors: bool | None,
    line_timeout: int,
    numbers: dict[str, Any],
) -> Report:
    from ..errors import TargetFailed
    from .check import Budget, check
    from .scope import Scope

    budget = Budget(**{name: numbers.pop(name) for name in Budget._fields})
    try:
        with (
            redirect_stdout(sys.stderr),  # what the target prints is no part of the report
            _target(spec, command, line_timeout) as target,
            _progress() if sys.stderr.isatty() else nullcontext(lambda part, how_far: None) as on_progress,
        ):
            return check(
                target, Scope(**numbers), budget, parts=parts, exact_errors=exact_errors, on_progress=on_progress
            )
    except TargetFailed as failed:
        log = f"\nthe end of its standard error:\n{failed.log}" if failed.log else ""
        if log:
            print(log.lstrip("\n"), file=sys.stderr)
        raise Unusable(failed.reason) from None


@contextmanager
def _target(spec: str | None, command: str | None, line_timeout: int) -> Iterator[Target]:
    from .targets.target import SPEC, of_program, of_python, own

    if command is not None:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise click.UsageError(f"--exec can't be split into words: {error}") from None
        if not words:
            raise click.UsageError("--exec is empty: give the command that starts the program")
        with of_program(words, line_timeout) as target:
            yield target
    elif spec is not None:
        if not SPEC.fullmatch(spec):
            raise click.UsageError(f"the target must be MODULE:FACTORY, such as queues.ours:Queue, not {spec[:60]!r}")
        yield of_python(spec)
    else:
        yield own()


@contextmanager
def _progress() -> Iterator[Progress]:
    """A line on standard error, gone at the end."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("checking") as status:
        yield lambda part, how_far: status.update(f"{part}: {how_far}")


def _save(report: Report, folder: str, rule: str | None) -> UnusableFile | None:
    from .report import chosen, counterexamples
    from .telling import save

    counterexample = chosen(counterexamples(report), rule)
    if counterexample is None:
        click.echo("tenure check: nothing was refuted, so --save has nothing to write", err=True)
        return None
    try:
        written = save(counterexample, folder)
    except OSError as error:
        return UnusableFile(f"{folder}: can't be written: {error.strerror or error}")
    click.echo(f"tenure check: written to {folder}: {', '.join(path.name for path in written)}", err=True)
    click.echo(f"tenure check: from here, python -m pytest {folder} makes the calls again", err=True)
    return None
