"""What the subcommands share: the exit codes of what can't be used or decided, and bars that show progress."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn


class UnusableFile(click.ClickException):
    """A file can't be read or written."""

    exit_code = 3


class Undecided(click.ClickException):
    """A limit ended the run before it could tell."""

    exit_code = 4


Given = str | None


def whole(lowest: int, highest: int, most: str = "") -> Callable[[click.Context, click.Parameter, Given], int | None]:
    """A number of digits within these bounds; `most` is how a message writes the higher one."""

    def checked(context: click.Context, parameter: click.Parameter, given: Given) -> int | None:
        if given is None:
            return None
        plain = re.fullmatch(r"\+?0*([0-9]{1,25})", given.strip(), re.ASCII)
        if plain is None or not lowest <= int(plain[1]) <= highest:
            allowed = f"from {lowest} to {most or f'{highest:,}'}"
            raise click.BadParameter(f"must be a whole number {allowed}, not {given[:40]!r}")
        return int(plain[1])

    return checked


def report_format(command: Callable[..., None]) -> Callable[..., None]:
    """The command has `--format`, and `--json` for short; its parameter is `form`."""
    form = click.Choice(["text", "json"])
    short = click.option("--json", "form", flag_value="json", help="The same as --format json.")
    return click.option("--format", "form", type=form, default="text", show_default=True, help="Of the report.")(
        short(command)
    )


@contextmanager
def bars(*columns: ProgressColumn) -> Iterator[Progress]:
    """Bars on standard error with these columns, gone at the end."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(*columns, console=Console(stderr=True), transient=True, expand=True) as progress:
        yield progress


def show(report: Callable[[Console], object]) -> None:
    """The report is on standard output, wholly or not at all; a closed pipe is the caller's to handle."""
    from rich.console import Console

    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:  # rich itself would end the process at a closed pipe
        report(console)
    print(captured.get(), end="", flush=True)
