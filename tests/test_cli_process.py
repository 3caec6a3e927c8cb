"""The command lives well with the process around it: missing extras, closed pipes, full disks, terminals."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from commands import TENURE, in_shell, started

from tenure.simulate.synthetic import text


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_without_its_extra_it_says_in_one_line_what_to_install(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from tenure.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    said = f"tenure: the command needs {missing}; install with: pip install 'tenure[cli]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


@pytest.mark.parametrize("arguments", [["--help"], ["simulate", "--help"]])
def test_help_imports_nothing_that_only_a_run_needs(arguments: list[str]) -> None:
    late = [
        "rich",
        "matplotlib",
        "hypothesis",
        "gzip",
        "tenure.simulate.play",
        "tenure.history",
        "tenure.checking.explorer",
    ]
    code = (
        f"import atexit, sys; from tenure.cli import main; sys.argv = ['tenure', *{arguments}]\n"
        f"atexit.register(lambda: print([name for name in {late} if name in sys.modules], file=sys.stderr)); main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


@pytest.mark.parametrize(
    "options",
    [
        ["--help"],
        ["--synthetic", "9"],
        ["--synthetic", "9", "--json"],
        ["--synthetic", "9", "--history", "/dev/stdout"],
    ],
)
def test_a_reader_that_went_away_is_no_traceback(options: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = started("simulate", *options, stdout=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_report_that_can_not_be_written_is_told_with_exit_code_3() -> None:
    with open("/dev/full", "w") as full:
        done = started("simulate", "--synthetic", "9", stdout=full)
    said = "tenure: standard output can't be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (3, said)


@pytest.mark.parametrize("name", ["a.swf", "linked.swf", "/dev/stdin"])
def test_the_history_never_overwrites_a_log_that_comes_by_standard_input(tmp_path: Path, name: str) -> None:
    log = tmp_path / "a.swf"
    log.write_text(text(20, 0))
    os.link(log, tmp_path / "linked.swf")
    with open(log) as given:
        done = started("simulate", "-", "--history", str(tmp_path / name), stdin=given, stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout, log.read_text()) == (2, "", text(20, 0))
    said = "--history would overwrite the LOG: give another FILE (see tenure simulate --help)"
    assert done.stderr == f"tenure simulate: {said}\n"


@pytest.mark.parametrize("name", ["out.txt", "/dev/stdout"])
def test_the_history_never_goes_to_the_file_of_the_report(tmp_path: Path, name: str) -> None:
    with open(tmp_path / "out.txt", "w") as out:
        done = started("simulate", "--synthetic", "9", "--history", str(tmp_path / name), stdout=out)
    assert (done.returncode, (tmp_path / "out.txt").read_text()) == (2, "")
    said = "--history would be mixed with the report, which goes to the same FILE: give another"
    assert done.stderr == f"tenure simulate: {said} (see tenure simulate --help)\n"


def test_without_standard_input_a_history_is_as_ever(tmp_path: Path) -> None:
    (tmp_path / "h").write_text("")
    done = in_shell("exec 0<&-", "simulate", "-", "--history", str(tmp_path / "h"))
    assert (done.returncode, done.stderr) == (3, "tenure: standard input: can't be read: Bad file descriptor\n")


def test_it_is_the_same_command_as_a_module(tmp_path: Path) -> None:
    for module in ("tenure", "tenure.cli"):
        command = [sys.executable, "-m", module, "simulate"]
        assert subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout == (
            started("simulate", "--help", stdout=subprocess.PIPE).stdout
        )
        done = subprocess.run([*command, "--workers", "0"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_closed_standard_output_is_told_with_exit_code_3() -> None:
    done = in_shell("exec 1>&-", "simulate", "--synthetic", "9")
    assert (done.returncode, done.stderr) == (
        3,
        "tenure: standard output is closed, so there is nowhere to report to\n",
    )


def on_a_terminal(arguments: list[str], **environment: str) -> tuple[str, str]:
    """What the command writes to standard output, a pipe, and to standard error, a terminal."""
    ours, theirs = pty.openpty()
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM", "COLUMNS")}
    command = [*TENURE, *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, env={**inherited, "TERM": "xterm", **environment}, text=True
    ) as process:
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 65536):
                said += part
        except OSError:  # how a terminal says that its other side is closed
            pass
        out, _ = process.communicate(timeout=60)
    os.close(ours)
    return out, said.decode()


def test_progress_is_shown_only_where_standard_error_is_a_terminal() -> None:
    out, said = on_a_terminal(["simulate", "--synthetic", "300", "--lease", "asked,60"])
    assert "lease asked" in said and "lease 60" in said and "300/300" in said
    assert "\x1b" not in out and "lease " in out
    assert started("simulate", "--synthetic", "300", stdout=subprocess.PIPE).stderr == ""


def test_no_color_is_respected_in_the_progress_too() -> None:
    assert "\x1b[3" in on_a_terminal(["simulate", "--synthetic", "300"])[1]
    assert "\x1b[3" not in on_a_terminal(["simulate", "--synthetic", "300"], NO_COLOR="1")[1]
