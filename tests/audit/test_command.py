"""`tenure audit` says yes, no or undecided, and lives well with whatever it is given."""

from __future__ import annotations

import gzip
import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from commands import TENURE, started

from tenure import Scheduler
from tenure.audit.lines import CHUNK
from tenure.cli import main
from tenure.history import recorded, to_line

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
LATE = (EXAMPLES / "late-completion.jsonl").read_text()
EXPORT = (EXAMPLES / "export.jsonl").read_text()


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["audit", *arguments])
    out, err = capsys.readouterr()
    return ended.value.code, out, err


def log_of(count: int) -> str:
    """A full log of so many lives, and one line more."""
    lines: list[str] = []
    scheduler = recorded(Scheduler(), lambda event: lines.append(to_line(event) + "\n"))
    scheduler.add_worker("w", capacity=1)
    for now in range(count):
        lease = scheduler.dispatch("w", now=now, duration=10 + 0 * scheduler.add_task())
        assert lease is not None
        scheduler.complete(lease.task_id, lease.token, now=now)
    return "".join(lines)


# -- what it says


def test_an_allowed_log_passes_with_what_was_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "a.jsonl"
    log.write_text(log_of(3))
    code, out, err = ran(capsys, str(log), "--format", "json")
    told = json.loads(out)
    assert (code, err, told["version"], told["verdict"], told["form"]) == (0, "", 1, "PASSED", "calls")
    assert (told["accepted_lines"], told["breach"], told["file"]) == (10, None, str(log))
    assert told["counts"]["dispatch"] == {"met": 3, "refused": 0, "rejected": 0}
    code, out, err = ran(capsys, str(log))
    assert (code, err) == (0, "")
    assert "in all         10        0         0" in out


def test_a_tampered_line_is_named_with_its_rule_and_the_contract_s_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Far into the log, after several chunks."""
    text = log_of(2 * CHUNK // 250)
    lines = text.splitlines()
    assert len(text) > 2 * CHUNK
    at = len(lines) - 4
    lines[at] = lines[at].replace('"answer": true', '"answer": false')
    log = tmp_path / "a.jsonl"
    log.write_text("\n".join(lines))
    code, out, _ = ran(capsys, str(log), "--format", "json")
    breach = json.loads(out)["breach"]
    assert (code, breach["line"], breach["rule"], breach["came"]) == (1, at + 1, "O5", lines[at])
    assert breach["allowed"] == lines[at].replace("false", "true")
    assert breach["sentence"].startswith("`complete(task_id, token, *, now) -> bool` answers `True` if")
    code, out, _ = ran(capsys, str(log))
    assert code == 1
    assert f":{at + 1}, after {at:,} lines" in " ".join(out.split())


@pytest.mark.parametrize("width", [20, 60, 200])
def test_text_is_no_wider_than_the_terminal(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Down to 40 columns, and long lines are shown in short."""
    monkeypatch.setenv("COLUMNS", str(width))
    for name in ("export-open.jsonl", "late-completion.jsonl"):
        _, out, _ = ran(capsys, str(EXAMPLES / name))
        assert max(map(len, out.splitlines())) <= max(width, 40)


def test_a_long_line_is_shown_in_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "a.jsonl"
    worker = {"name": "w", "capacity": 1, "held": 0}
    log.write_text(json.dumps({"op": "workers", "answer": [worker] * 1000}))
    code, out, _ = ran(capsys, str(log), "--format", "json")
    assert (code, len(json.loads(out)["breach"]["came"])) == (1, 503)


# -- what it is given


def test_the_same_log_is_read_packed_and_from_standard_input(tmp_path: Path) -> None:
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(LATE.encode()))
    done = started("audit", str(packed), stdout=subprocess.PIPE)
    assert (done.returncode, f"REFUTED:{packed}:8," in "".join(done.stdout.split())) == (1, True)
    for given in (LATE.encode(), packed.read_bytes()):
        piped = subprocess.run([*TENURE, "audit", "-"], input=given, capture_output=True, check=False)
        assert (piped.returncode, piped.stdout.startswith(b"REFUTED: standard input:8, after 7 lines")) == (1, True)


CALL = '{"op": "now", "answer": 0}\n'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", ": no lines: a log has a call or an event a line"),
        (b"\n \n\r\n", ": no lines: a log has a call or an event a line"),
        (b"\x7fELF\xff\x00", ":1: not UTF-8 text: a log is lines of JSON"),
        (b"\x00\x01", ":1: not JSON: Expecting value at column 1"),
        (b'\n{"a": 1}\n', ':2: neither a call, which has an "op", nor an event, which has an "event"'),
        (b"[]\n", ":1: a line is an object such as"),
        (CALL.encode() * 3 + b'{"op": "now", "ans', ":4: not JSON: Unterminated string"),
        (CALL.encode() + b'{"event": "added", "task": 1}', "not null; a log holds calls or events, not both"),
        (EXPORT.encode() + CALL.encode(), ":10: "),
        (CALL.encode() + b"x" * (1 << 24) + b"yy", ":2: longer than 16,777,216 bytes: not a line of a log"),
        (b'{"form": "minimal", "tokens": 5}', ':1: "tokens" must be'),
        (EXPORT.encode() + b'{"form": "minimal"}', ':10: "event" must be one of'),
        (b'{"op": "dispatch", "worker": "w", "answer": null}', ":1: dispatch needs 'now', 'duration'"),
    ],
)
def test_what_is_no_log_is_told_in_one_line_with_exit_code_3(
    data: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "a.jsonl"
    log.write_bytes(data)
    code, out, err = ran(capsys, str(log))
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err.startswith(f"tenure: {log}")
    assert said in err


def test_a_denied_line_before_a_malformed_one_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whichever comes first ends the audit."""
    log = tmp_path / "a.jsonl"
    for end in (b"x", b"\xff", b"x" * (1 << 24)):
        log.write_bytes(CALL.replace("0", "1").encode() + end)
        assert ran(capsys, str(log))[0] == 1
        log.write_bytes(end[:100] + b"\n" + CALL.replace("0", "1").encode())
        assert ran(capsys, str(log))[0] == 3


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "tenure audit: Missing argument 'LOG' (see tenure audit --help)"),
        ([""], 2, "tenure audit: LOG is empty: give a file's name, or - for standard input (see tenure audit --help)"),
        (["a", "b"], 2, "tenure audit: Got unexpected extra argument (b) (see tenure audit --help)"),
        (["missing.jsonl"], 3, "tenure: missing.jsonl: can't be read: No such file or directory"),
        (["."], 3, "tenure: .: can't be read: Is a directory"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ran(capsys, *arguments) == (code, "", f"{said}\n")


@pytest.mark.parametrize("mark", ["\ufeff", "", "\n\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_blank_lines_and_line_ends_of_other_systems_are_fine(
    mark: str, end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "a.jsonl"
    for text, code in ((EXPORT, 0), (LATE, 1)):
        log.write_bytes((mark + text).replace("\n", end).encode())
        assert ran(capsys, str(log))[0] == code


# -- the process around it


def test_a_reader_that_went_away_is_no_traceback() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = started("audit", str(EXAMPLES / "export.jsonl"), stdout=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def at_a_terminal(*arguments: str) -> tuple[bytes, bytes]:
    """What the command prints on a terminal as standard error, and elsewhere as standard output."""
    ours, theirs = pty.openpty()
    done = subprocess.run([*TENURE, *arguments], stdout=subprocess.PIPE, stderr=theirs, check=False, timeout=60)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # the end, as Linux tells it
        pass
    os.close(ours)
    return shown, done.stdout


@pytest.mark.parametrize("packed", [False, True])
def test_progress_is_shown_on_a_terminal_and_reaches_the_end_of_the_file(tmp_path: Path, packed: bool) -> None:
    log = tmp_path / "a.jsonl"
    data = log_of(2000).encode()
    log.write_bytes(gzip.compress(data) if packed else data)
    shown, out = at_a_terminal("audit", str(log))
    assert b"100%" in shown
    assert out.startswith(b"PASSED")
    assert b"\x1b" not in out


def test_help_imports_nothing_that_only_a_run_needs() -> None:
    late = "['rich', 'gzip', 'tenure.audit.run', 'tenure.history', 'tenure.checking']"
    code = f"import sys, tenure.audit.command; print([name for name in {late} if name in sys.modules])"
    assert started("audit", "--help", stdout=subprocess.DEVNULL).returncode == 0
    assert subprocess.run([TENURE[0], "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# -- real logs


@pytest.mark.slow
def test_what_a_simulation_of_a_real_log_recorded_is_allowed_and_a_late_completion_in_it_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = os.environ.get("TENURE_TRACES")
    if not folder:
        pytest.skip("TENURE_TRACES does not name a folder of real workload logs")
    log = tmp_path / "f.jsonl"
    with pytest.raises(SystemExit):
        main(
            ["simulate", f"{folder}/sdsc-sp2-sample.swf", "--lease", "asked", "--workers", "64", "--history", str(log)]
        )
    capsys.readouterr()
    assert ran(capsys, str(log))[0] == 0
    lines = log.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if '"complete"' in line and '"answer": false' in line)
    lines[at] = lines[at].replace("false", "true")
    log.write_text("\n".join(lines))
    code, out, _ = ran(capsys, str(log), "--format", "json")
    breach = json.loads(out)["breach"]
    assert (code, breach["line"], breach["rule"]) == (1, at + 1, "T4")


def test_a_log_of_which_nothing_can_be_judged_is_not_passed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A header says nothing, and neither does an event of a task of which nothing else is known."""
    log = tmp_path / "e.jsonl"
    log.write_text('{"form": "minimal", "begins": "middle"}\n')
    code, out, err = ran(capsys, str(log))
    assert (code, out) == (3, "")
    assert err == f"tenure: {log}: no events: a header alone says nothing that could be judged\n"
    log.write_text(log.read_text() + '{"event": "completed", "task": "a", "token": 1, "at": 5}\n')
    code, out, _ = ran(capsys, str(log))
    assert code == 4
    assert out.startswith("UNDECIDED")
