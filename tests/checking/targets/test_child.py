"""A child process is asked by lines; whatever goes wrong with it is one clear message, and nothing of it is left."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from children import is_alive, is_gone, program

from tenure.checking.targets import child as module
from tenure.checking.targets.child import Child
from tenure.errors import TargetFailed

ECHO = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)\n"
SOON = 0.5


@contextmanager
def child(folder: Path, text: str, seconds: float = 20) -> Iterator[Child]:
    """A program of this text, ended with the context, and then really gone."""
    with Child(program(folder, text, adapter=False), seconds) as begun:
        yield begun
    assert is_gone(begun._process.pid)


def failure(folder: Path, text: str, *requests: Any, seconds: float = 20) -> TargetFailed:
    """What is said when the program is asked these."""
    *asked, last = requests or (["a"],)
    with child(folder, text, seconds) as begun:
        for request in asked:
            begun.ask(request)
        with pytest.raises(TargetFailed) as failed:
            begun.ask(last)
    assert failed.value.reason.startswith(begun.command + ": ")
    return failed.value


def said(folder: Path, text: str, *requests: Any, seconds: float = 20) -> str:
    """The same without the command."""
    return failure(folder, text, *requests, seconds=seconds).reason.partition("child.py: ")[2]


# -- what goes well


def test_a_line_is_answered_by_a_line(tmp_path: Path) -> None:
    with child(tmp_path, ECHO) as echo:
        assert [echo.ask(request) for request in (["a"], {"b": [1, None]}, "\ud800\n😀")] == [
            ["a"],
            {"b": [1, None]},
            "\ud800\n😀",
        ]


def test_a_line_that_fills_both_pipes_gets_through(tmp_path: Path) -> None:
    """The child writes while it reads, and so do we."""
    text = "import os\nwhile part := os.read(0, 1000):\n    os.write(1, part)\n"
    with child(tmp_path, text) as echo:
        big = "x" * 3_000_000
        assert echo.ask(big) == big


@pytest.mark.parametrize("line", ["[1]\\r\\n", "  [1] \\n", "\\ufeff[1]\\n", '[1, 2.0e0, \\"\\\\ud83d\\\\ude00\\"]\\n'])
def test_white_space_a_mark_of_the_byte_order_and_escapes_do_no_harm(tmp_path: Path, line: str) -> None:
    text = f'import sys\nfor _ in sys.stdin:\n    sys.stdout.buffer.write("{line}".encode()); sys.stdout.flush()\n'
    with child(tmp_path, text) as begun:
        assert begun.ask(1)[0] == 1


def test_much_on_standard_error_blocks_nobody(tmp_path: Path) -> None:
    text = f"import sys\nsys.stderr.write('log ' * 500_000)\nsys.stderr.flush()\n{ECHO}"
    with child(tmp_path, text) as echo:
        assert echo.ask(1) == 1


def test_it_is_told_by_the_end_of_its_input_and_may_tidy_up(tmp_path: Path) -> None:
    text = f"{ECHO}import pathlib\npathlib.Path({str(tmp_path / 'tidy')!r}).write_text('yes')\n"
    with child(tmp_path, text) as echo:
        echo.ask(1)
    assert (tmp_path / "tidy").read_text() == "yes"


def test_it_can_be_closed_again_and_says_no_more(tmp_path: Path) -> None:
    with child(tmp_path, ECHO) as echo:
        echo.close()
        echo.close()
    with pytest.raises(TargetFailed, match=r"child\.py: it was closed"):
        echo.ask(1)


# -- what goes wrong


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["./no-such-program"], "No such file or directory"),
        (["{folder}"], "Permission denied"),
        (["{folder}/plain"], "Permission denied"),
        (["{folder}/noise"], "Exec format error"),
        (["a\0b"], "embedded null byte"),
        ([""], ""),
    ],
)
def test_what_can_not_be_started_is_told(tmp_path: Path, command: list[str], why: str) -> None:
    (tmp_path / "plain").write_text("")
    (tmp_path / "noise").write_text("\x01\x02")
    (tmp_path / "noise").chmod(0o755)
    with pytest.raises(TargetFailed) as failed:
        Child([word.format(folder=tmp_path) for word in command])
    assert f": can't be started: {why}" in failed.value.reason


ENDED = "ended with exit code {}, and must answer until its input ends"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("raise SystemExit(7)", ENDED.format(7)),
        ("pass", ENDED.format(0)),
        ("input()", ENDED.format(0)),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "was ended by SIGKILL"),
        ("import os, signal; input(); os.kill(os.getpid(), signal.SIGSEGV)", "was ended by SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGRTMIN + 5)", f"was ended by signal {signal.SIGRTMIN + 5}"),
        ("import os, time; os.close(1); time.sleep(60)", "closed its standard output, and must answer each line"),
        ("print('ready')\ninput()\nprint('[]')", "wrote without being asked: 'ready"),
        ("input(); print('no', flush=True); input()", "answered with a line that is not JSON: 'no'"),
        ("input(); print('', flush=True); input()", "answered with a line that is not JSON: ''"),
        ("input(); print('[' * 200_000, flush=True); input()", "answered with a line that is not JSON: '[[["),
        ("import os; input(); os.write(1, b'\\xff\\n'); input()", "answered with a line that is not JSON: '\\ufffd'"),
        ("input(); print('[1', end='', flush=True)", ENDED.format(0)),
        ("print('x' * 500)\ninput()", "wrote without being asked: '" + "x" * 120 + "'..."),
    ],
)  # fmt: skip
def test_what_it_does_wrong_is_told(tmp_path: Path, text: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ENDING_SECONDS", 1.0)
    with child(tmp_path, text) as begun:
        if "without being asked" in what:
            wait_for_output(begun)
        with pytest.raises(TargetFailed) as failed:
            begun.ask(["a"])
    assert failed.value.reason.partition("child.py: ")[2].startswith(what)


def wait_for_output(begun: Child) -> None:
    """Until there is something to read."""
    import select

    assert select.select([begun._out], [], [], 20)[0]


def test_more_than_was_asked_for_is_told_at_the_next_line(tmp_path: Path) -> None:
    text = "input(); print('[1]\\n[2]', flush=True); input()\n"
    assert said(tmp_path, text, 1, 2).startswith("wrote without being asked: '[2]")


def test_one_that_dies_in_the_middle_is_told(tmp_path: Path) -> None:
    text = "import sys\nfor _ in range(3):\n    input(); print(1, flush=True)\nsys.exit(4)\n"
    assert said(tmp_path, text, *range(4)) == ENDED.format(4)


@pytest.mark.parametrize(
    "text",
    [
        "import time; time.sleep(60)",
        "import time; input(); print('[1', end='', flush=True); time.sleep(60)",
        "import sys, time\nsys.stdin.readline()\nfor _ in range(600): print(end='x', flush=True); time.sleep(0.1)",
    ],
    ids=["silent", "half a line", "dribbling"],
)
def test_one_that_does_not_answer_is_ended_after_the_time_for_a_line(tmp_path: Path, text: str) -> None:
    assert said(tmp_path, text, seconds=SOON) == "gave no answer within 0.5 s"


def test_one_that_never_reads_is_ended_too_however_much_is_written(tmp_path: Path) -> None:
    assert said(tmp_path, "import time; time.sleep(60)", "x" * 3_000_000, seconds=SOON) == "gave no answer within 0.5 s"


def test_one_that_answers_before_it_has_read_is_told(tmp_path: Path) -> None:
    text = "import os, time; os.read(0, 1); os.write(1, b'[]\\n'); time.sleep(60)"
    assert said(tmp_path, text, "x" * 3_000_000) == "answered before it had read the whole line: '[]\\n'"


def test_a_line_without_end_is_babble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 100_000)
    text = "import os\ninput()\nwhile True: os.write(1, b'x' * 10000)\n"
    assert said(tmp_path, text).startswith("wrote more than 100,000 bytes in one line: 'xxx")


def test_the_end_of_what_it_said_itself_is_kept(tmp_path: Path) -> None:
    text = "import sys\nfor n in range(50): print(f'line {n} \\udcff', file=sys.stderr)\nsys.exit(1)\n"
    log = failure(tmp_path, text).log.splitlines()
    assert [line.split()[1] for line in log] == [str(n) for n in range(30, 50)]


def test_once_it_failed_that_is_said_each_time(tmp_path: Path) -> None:
    """It must not be asked by the number of a pipe that is another file's by now."""
    with child(tmp_path, "raise SystemExit(7)") as begun:
        with pytest.raises(TargetFailed) as first:
            begun.ask(1)
        pipes = [os.pipe() for _ in range(3)]
        with pytest.raises(TargetFailed) as second:
            begun.ask(1)
    for pair in pipes:
        for end in pair:
            os.close(end)
    assert second.value.reason == first.value.reason


# -- nothing is left


GRANDCHILD = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({file!r}, "w").write(str(child.pid))
"""


@pytest.mark.parametrize(
    ("rest", "what"),
    [("", ENDED.format(0)), ("input()\nos.kill(os.getpid(), 9)\n", "was ended by SIGKILL")],
    ids=["ends", "is killed"],
)
def test_what_it_started_is_ended_with_it_and_does_not_hide_its_end(tmp_path: Path, rest: str, what: str) -> None:
    """It holds the pipes, so that these don't say that the program is gone."""
    file = tmp_path / "pid"
    began = monotonic()
    assert said(tmp_path, GRANDCHILD.format(file=str(file)) + rest, seconds=3) == what
    assert monotonic() - began < 60
    assert is_gone(int(file.read_text()))


def test_what_it_started_is_ended_though_all_went_well(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    with child(tmp_path, GRANDCHILD.format(file=str(file)) + ECHO) as echo:
        echo.ask(1)
        assert is_alive(int(file.read_text()))
    assert is_gone(int(file.read_text()))


def test_one_that_ignores_the_end_of_its_input_and_every_polite_signal_is_ended(tmp_path: Path) -> None:
    text = f"import signal, time\nfor n in (2, 15, 1): signal.signal(n, signal.SIG_IGN)\n{ECHO}time.sleep(600)\n"
    with child(tmp_path, text) as echo:
        echo.ask(1)
