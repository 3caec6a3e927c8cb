"""The command `tenure`: its subcommands, its exit codes, and one line on standard error for whatever goes wrong.

Exit codes: 0 fine, 1 the contract is broken, 2 usage, 3 the target or file can't be used, 4 undecided within the
given limits; 130 interrupted, and 141 when the reader of its output went away, as shells count these signals.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import click

USAGE, UNUSABLE, INTERRUPTED, PIPE_CLOSED = 2, 3, 130, 141


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with these arguments, or the process's, and exit with its code."""
    _ready_streams()
    missing = [name for name in ("click", "rich") if not _installed(name)]
    if missing:
        _say(f"tenure: the command needs {' and '.join(missing)}; install with: pip install 'tenure[cli]'")
        sys.exit(USAGE)
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(given or ["--help"])
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        code = PIPE_CLOSED
    except OSError as error:
        _say(f"tenure: standard output can't be written: {error.strerror or error}")
        _discard_output()
        code = UNUSABLE
    sys.exit(code)


def commands() -> click.Group:
    """All subcommands. Their modules import only click at first, so that help and mistakes are answered at once."""
    import click

    from .audit.command import audit
    from .checking.command import check
    from .simulate.command import simulate

    group = click.Group(
        "tenure", help="Leases with a contract: check a scheduler, audit its log, see what leases do to real work."
    )
    group.add_command(audit)
    group.add_command(check)
    group.add_command(simulate)
    return click.version_option(package_name="tenure", prog_name="tenure")(group)


def _run(arguments: list[str]) -> int:
    """The exit code of the command, once it ran; a mistake is said in one line."""
    import click

    group = commands()
    try:
        # Not `group.main`: it would take a closed pipe for a failure of ours, and end the process with 1.
        with group.make_context("tenure", arguments) as context:
            group.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.UsageError as error:
        # Not every mistake knows its command, so the arguments must tell.
        path = (
            error.ctx.command_path if error.ctx else " ".join(["tenure", *arguments[: arguments[0] in group.commands]])
        )
        _say(f"{path}: {error.format_message().rstrip('.')} (see {path} --help)")
        return error.exit_code
    except click.ClickException as error:
        _say(f"tenure: {error.format_message()}")
        return error.exit_code
    except KeyboardInterrupt:
        _say("tenure: interrupted")
        return INTERRUPTED
    return 0


def _ready_streams() -> None:
    """Standard output is there, and both streams take a file's name whatever it holds."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - it serves until the process ends
    if sys.stdout is None:
        _say("tenure: standard output is closed, so there is nowhere to report to")
        sys.exit(UNUSABLE)
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """What is still buffered goes nowhere, since it would fail again when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _say(line: str) -> None:
    """One line on standard error, whatever the text holds."""
    print("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line), file=sys.stderr)


if __name__ == "__main__":
    main()
