"""The command says what it did in its exit code, its report on standard output, and one line on standard error."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import TENURE, in_shell, started

from tenure import Scheduler
from tenure.checking.quick import QuickReference, QuickTask
from tenure.cli import commands, main
from tenure.history import perform, read
from tenure.simulate import play
from tenure.simulate.synthetic import text

NOTHING_GIVEN = "tenure simulate: no LOG given, so --synthetic 1000 is taken"

Ran = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ran(capsys: pytest.CaptureFixture[str]) -> Ran:
    """Runs the command in this process; gives the exit code, standard output and standard error."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert isinstance(ended.value.code, int)
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.fixture
def log(tmp_path: Path) -> str:
    (tmp_path / "a.swf").write_text(text(50, 0))
    return str(tmp_path / "a.swf")


# -- what it reports


def test_without_arguments_it_gives_its_help(ran: Ran) -> None:
    code, out, err = ran()
    assert (code, err) == (0, "")
    assert ran("--help") == (code, out, err)
    assert "simulate" in out


def test_the_help_of_simulate_tells_all_options_and_exit_codes(ran: Ran) -> None:
    code, out, err = ran("simulate", "--help")
    assert (code, err) == (0, "")
    for option in (
        "synthetic",
        "workers",
        "capacity",
        "lease",
        "renew",
        "crash",
        "seed",
        "priority",
        "history",
        "json",
    ):
        assert f"--{option}" in out
    assert "Exit codes: 0 fine, 1" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_version_is_told(ran: Ran) -> None:
    code, out, _ = ran("--version")
    assert code == 0
    assert out.startswith("tenure, version ")


def test_a_log_gives_a_table_on_standard_output_and_nothing_else(ran: Ran, log: str) -> None:
    code, out, err = ran("simulate", log, "--lease", "asked,600", "--workers", "3")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines() if line.startswith(("lease ", "jobs "))] == [
        ["lease", "asked", "600"],
        ["jobs", "50", "50"],
    ]
    assert "Nothing was accepted under a lease that was over" in out


def test_json_has_the_runs_the_seed_and_the_settings(ran: Ran, log: str) -> None:
    options = ["--lease", "asked, 600", "--renew", "60", "--crash", ".1", "--capacity", "2", "--workers", "3"]
    code, out, err = ran("simulate", log, *options, "--json", "--seed", "5")
    data = json.loads(out)
    assert (code, err, data["version"], data["workload"]) == (0, "", 1, log)
    assert [run["lease"] for run in data["runs"]] == ["asked", "600"]
    assert [data[name] for name in ("seed", "renew", "crash", "capacity", "workers")] == [5, 60, 0.1, 2, 3]
    assert all(run["jobs"] == run["completions"] == 50 and run["late_accepted"] == 0 for run in data["runs"])


def test_without_a_log_a_thousand_synthetic_jobs_are_taken_and_that_is_said(ran: Ran) -> None:
    code, out, err = ran("simulate", "--json")
    assert (code, err) == (0, NOTHING_GIVEN + "\n")
    assert json.loads(out)["runs"][0]["jobs"] == 1000
    code, same, err = ran("simulate", "--json", "--synthetic", "1000")
    assert (code, same, err) == (0, out, "")


def test_the_seed_determines_the_report(ran: Ran) -> None:
    command = ["simulate", "--synthetic", "100", "--crash", "0.3", "--json", "--seed"]
    assert ran(*command, "1") == ran(*command, "1") != ran(*command, "2")


def test_workers_are_by_default_fewer_where_each_has_more_capacity(ran: Ran, log: str) -> None:
    one, four = (json.loads(ran("simulate", log, "--json", "--capacity", n)[1])["workers"] for n in ("1", "4"))
    assert four == -(-one // 4)


def test_queues_are_in_the_order_given_and_one_without_jobs_is_told(ran: Ran, log: str) -> None:
    code, out, err = ran("simulate", log, "--priority", "queue", "--queue-order", "2,9", "--json")
    assert (code, err) == (0, "tenure simulate: no job is in queue 9 of --queue-order\n")
    assert json.loads(out)["queues"] == [2, 1, 3]
    assert [wait["queue"] for wait in json.loads(out)["runs"][0]["waits"]] == [None, 2, 1, 3]
    assert json.loads(ran("simulate", log, "--priority", "queue", "--json")[1])["queues"] == [1, 2, 3]


def test_standard_input_may_be_the_log_even_packed() -> None:
    packed = gzip.compress(text(20, 0).encode())
    done = subprocess.run([*TENURE, "simulate", "-", "--json"], input=packed, capture_output=True, check=True)
    assert (json.loads(done.stdout)["workload"], done.stderr) == ("standard input", b"")


# -- histories


def test_the_history_holds_every_call_and_replays_with_equal_answers(ran: Ran, log: str, tmp_path: Path) -> None:
    file = tmp_path / "h.jsonl"
    code, out, _ = ran("simulate", log, "--history", str(file), "--crash", "0.2", "--json")
    scheduler = Scheduler()
    with open(file) as lines:
        events = list(read(lines, str(file)))
    assert code == 0
    assert [perform(scheduler, event.op, event.arguments) for event in events] == events
    granted = sum(event.op == "dispatch" and event.answer is not None for event in events)
    assert granted == json.loads(out)["runs"][0]["leases"]


def test_an_earlier_history_is_replaced(ran: Ran, log: str, tmp_path: Path) -> None:
    file = tmp_path / "h.jsonl"
    file.write_text("x" * 10**6)
    ran("simulate", log, "--history", str(file))
    assert file.read_text().startswith('{"op": "add_worker"')


def test_a_history_that_can_not_be_written_is_told_with_exit_code_3(ran: Ran, log: str, tmp_path: Path) -> None:
    file = str(tmp_path)
    code, out, err = ran("simulate", log, "--history", file)
    assert (code, out, err) == (3, "", f"tenure: {file}: can't be written: Is a directory\n")


def test_a_full_disk_leaves_only_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / "h.jsonl"
    done = in_shell("ulimit -f 400", "simulate", "--synthetic", "1000", "--history", str(file))
    assert (done.returncode, done.stderr) == (3, f"tenure: {file}: can't be written: File too large\n")
    content = file.read_text()
    assert content.endswith("}\n")
    assert len(list(read(content.splitlines(), "h"))) > 1000


def interruptible() -> None:
    """A process that a shell started in the background ignores interrupts, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupt_ends_with_130_in_one_line_and_the_history_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "pipe"
    os.mkfifo(file)
    command = [*TENURE, "simulate", "--synthetic", "100000", "--history", str(file)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, preexec_fn=interruptible) as process:
        with open(file) as lines:
            first = lines.readline()  # by now it plays, and soon waits for its reader
            process.send_signal(signal.SIGINT)
            rest = lines.read()
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "tenure: interrupted\n")
    assert len(list(read((first + rest).splitlines(), "pipe"))) > 0
    assert rest.endswith("\n")


# -- mistakes in the command

TOO_MANY = ": the nearer to 1, the more attempts each job takes, beyond all bounds"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--workers", "0"], "'--workers': must be a whole number from 1 to 1,000,000, not '0'"),
        (["--workers", "two"], "'--workers': must be a whole number from 1 to 1,000,000, not 'two'"),
        (["--workers", "9" * 5000], f"'--workers': must be a whole number from 1 to 1,000,000, not '{'9' * 40}'"),
        (["--capacity", "1.5"], "'--capacity': must be a whole number from 1 to 1,000,000, not '1.5'"),
        (["--capacity", "1000001"], "'--capacity': must be a whole number from 1 to 1,000,000, not '1000001'"),
        (
            ["--workers", "1001", "--capacity", "1000"],
            "--workers times --capacity must be at most 1,000,000, not 1,001,000",
        ),
        (["--synthetic", "-1"], "'--synthetic': must be a whole number from 1 to 1,000,000, not '-1'"),
        (["--seed", "-1"], "'--seed': must be a whole number from 0 to 2**63 - 1, not '-1'"),
        (["--renew", "0"], "'--renew': must be a whole number from 1 to 2**40, not '0'"),
        (["--crash", "1"], f"'--crash': must be a number from 0 to 0.9, not '1'{TOO_MANY}"),
        (["--crash", "0.9999999"], f"'--crash': must be a number from 0 to 0.9, not '0.9999999'{TOO_MANY}"),
        (["--crash", "-0.1"], "'--crash': must be a number from 0 to 0.9, not '-0.1' ("),
        (["--crash", "nan"], "'--crash': must be a number from 0 to 0.9, not 'nan' ("),
        (["--crash", "often"], "'--crash': must be a number from 0 to 0.9, not 'often' ("),
        (["--lease", ""], "'--lease': must be asked, asked+SECONDS or SECONDS, and nothing is given ("),
        (["--lease", "60,,9"], "SECONDS or SECONDS, and nothing is given between the commas of '60,,9'"),
        (["--lease", "asked,-1"], "'--lease': must be asked, asked+SECONDS or SECONDS, not '-1'"),
        (["--lease", "0"], "'--lease': must have SECONDS from 1 to 2**40, not '0'"),
        (["--lease", f"asked+{2**41}"], f"'--lease': must have SECONDS from 0 to 2**40, not 'asked+{2**41}'"),
        (["--lease", "60,060"], "'--lease': must not list 60 twice"),
        (["--priority", "owner"], "'--priority': 'owner' is not one of 'queue', 'none'"),
        (["--queue-order", "1,2"], "--queue-order says nothing without --priority queue"),
        (
            ["--priority", "queue", "--queue-order", "1,b"],
            "'--queue-order': must be numbers of queues such as 1,2,3, not '1,b'",
        ),
        (["--priority", "queue", "--queue-order", "1,2,01"], "'--queue-order': must not list queue 1 twice"),
        (
            ["--priority", "queue", "--queue-order", ""],
            "'--queue-order': must be numbers of queues such as 1,2,3, not ''",
        ),
        (["--history", "h", "--lease", "asked,60"], "--history holds one run: give one --lease, not asked,60"),
        (["--history", "-"], "--history needs a FILE: standard output is the report's"),
        (["--history", ""], "--history needs a FILE: nothing is given"),
        ([""], "LOG is empty: give a file's name, or - for standard input"),
        (["a.swf", "--synthetic", "5"], "give either a LOG or --synthetic, not both"),
        (["a.swf", "b.swf"], "b.swf"),
        (["--leese", "5"], "--leese"),
        (["--seed"], "'--seed' requires an argument"),
    ],
)
def test_a_mistake_is_told_in_one_line_with_exit_code_2(ran: Ran, arguments: list[str], said: str) -> None:
    code, out, err = ran("simulate", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("tenure simulate: ") and err.endswith(" (see tenure simulate --help)\n")
    assert err.count("\n") == (2 if err.startswith(NOTHING_GIVEN) else 1)


def test_an_unknown_subcommand_is_told_in_one_line(ran: Ran) -> None:
    code, out, err = ran("stimulate")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "stimulate" in err and err.endswith("(see tenure --help)\n")


def test_the_history_never_overwrites_the_log(ran: Ran, log: str) -> None:
    before = Path(log).read_text()
    code, _, err = ran("simulate", log, "--history", os.path.join(os.path.dirname(log), ".", "a.swf"))
    assert (code, Path(log).read_text()) == (2, before)
    assert "--history would overwrite the LOG" in err


# -- files that can't be used


def test_a_log_that_can_not_be_used_is_told_in_one_line_with_file_and_line(ran: Ran, log: str) -> None:
    with open(log, "a") as file:
        file.write("1 2 3\n")
    lines = Path(log).read_text().count("\n")
    assert ran("simulate", log) == (3, "", f"tenure: {log}:{lines}: a job has 18 fields, not 3\n")


@pytest.mark.parametrize("name", ["none.swf", ".", "sp ace\n\x1b[31m.swf", "caf\udce9.swf"])
def test_a_log_that_is_not_there_is_one_printable_line_whatever_its_name(ran: Ran, tmp_path: Path, name: str) -> None:
    code, out, err = ran("simulate", str(tmp_path / name))
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.rstrip("\n").isprintable() and "can't be read" in err


def test_nothing_bad_ever_ends_in_a_traceback(tmp_path: Path) -> None:
    for name, content in (("a", b""), ("b.gz", b"plain"), ("c", b"\x1f\x8b"), ("d", b"\xff\xfe"), ("e", bytes(99))):
        (tmp_path / name).write_bytes(content)
        done = started("simulate", str(tmp_path / name), stdout=subprocess.PIPE)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
        assert done.stderr.startswith(f"tenure: {tmp_path / name}:")


def test_a_lease_that_no_job_of_the_log_can_be_given_is_told(ran: Ran, tmp_path: Path) -> None:
    (tmp_path / "a.swf").write_text("1 0 -1 5 1 -1 -1 1 -1 -1 1 -1 -1 -1 1 -1 -1 -1\n")
    code, out, err = ran("simulate", str(tmp_path / "a.swf"), "--lease", "60,asked")
    assert (code, out) == (3, "")
    assert "a.swf: of its 1 job none says what time it asked for, " in err
    assert err.endswith("so there is no --lease asked; give --lease SECONDS\n")


# -- broken contract, and undecided


def test_a_scheduler_that_accepts_late_completions_is_told_with_exit_code_1(
    ran: Ran, log: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lenient:
        def __init__(self) -> None:
            self._scheduler = Scheduler()

        def __getattr__(self, name: str) -> Any:
            return getattr(self._scheduler, name)

        def complete(self, task_id: int, token: int, *, now: int) -> bool:
            self._scheduler.complete(task_id, token, now=now)
            return True

    monkeypatch.setattr(play, "Scheduler", Lenient)
    code, out, _ = ran("simulate", log)
    assert code == 1
    assert "The contract is broken, lease asked: " in out
    code, out, _ = ran("simulate", log, "--json")
    assert (code, json.loads(out)["runs"][0]["late_accepted"] > 0) == (1, True)


def test_a_scheduler_that_is_consistently_late_is_told_with_exit_code_1(
    ran: Ran, log: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class LateTask(QuickTask):
        def lease_is_over(self, now: int = 0) -> bool:
            return self.lease is not None and now > self.lease.expiry

    class Late(QuickReference):
        new_task = LateTask

    monkeypatch.setattr(play, "Scheduler", Late)
    code, out, _ = ran("simulate", log)
    assert code == 1
    assert "The contract is broken, lease asked: " in out and "Nothing was accepted" not in out


def test_simulated_time_that_runs_out_is_told_with_exit_code_4(
    ran: Ran, log: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "LAST", 100)
    code, out, err = ran("simulate", log)
    assert (code, out, err.count("\n")) == (4, "", 1)
    assert "the simulated time of 64 bits ran out" in err


# -- the page about it

PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```console\n\$ tenure (.*)\n((?:.*\n)*?)```", PAGE)


@pytest.mark.parametrize(("command", "shown"), SHOWN)
def test_the_page_shows_the_help_as_it_is(command: str, shown: str, ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert ran(*command.split()) == (0, shown, "")


def test_the_page_has_every_command() -> None:
    assert [command for command, _ in SHOWN] == [
        "--help",
        *(f"{name} --help" for name in ("check", "audit", "simulate")),
    ]
    assert set(commands().commands) == {"check", "audit", "simulate"}
