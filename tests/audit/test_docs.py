"""What the pages show beneath a command is what the command prints, and their files are those that lie there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tenure.audit.events import FIELDS, Header, line_of
from tenure.cli import main

ROOT = Path(__file__).parents[2]
PAGES = {name: (ROOT / "docs" / name).read_text() for name in ("how-to/audit-a-log.md", "reference/history-format.md")}
BLOCKS = [
    (name, *block)
    for name, page in PAGES.items()
    for block in re.findall(r"```console\n\$ tenure (.*)\n((?:.*\n)*?)```", page)
]
FILES = [found for page in PAGES.values() for found in re.findall(r"file: (\S+) -->\n```json\n((?:.*\n)*?)```", page)]
CODES = {"PASSED": 0, "REFUTED": 1, "UNDECIDED": 4, "tenure:": 3, "{": 1}


def test_the_pages_show_commands_and_files() -> None:
    assert (len(BLOCKS), len(FILES)) == (6, 4)


@pytest.mark.parametrize(("page", "command", "shown"), BLOCKS)
def test_a_command_gives_what_is_shown_and_the_code_of_its_verdict(
    page: str, command: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(command))
    out, err = capsys.readouterr()
    assert [line.rstrip() for line in (out + err).splitlines()] == shown.splitlines()
    assert ended.value.code == next(code for word, code in CODES.items() if shown.startswith(word))


@pytest.mark.parametrize(("name", "shown"), FILES)
def test_a_file_that_is_shown_is_the_one_that_lies_there(name: str, shown: str) -> None:
    assert (ROOT / name).read_text() == shown


def test_the_python_shown_records_a_log_that_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (python,) = re.findall(r"^```python\n(.*?)^```$", PAGES["how-to/audit-a-log.md"], re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(python, {})
    with pytest.raises(SystemExit) as ended:
        main(["audit", "calls.jsonl"])
    assert (ended.value.code, capsys.readouterr().out.split("\n")[0]) == (
        0,
        "PASSED: calls.jsonl: 4 lines, all allowed",
    )


def test_the_events_shown_are_of_the_form() -> None:
    (events,) = re.findall(r"^```json\n(.*?)^```$", PAGES["how-to/audit-a-log.md"], re.MULTILINE | re.DOTALL)
    assert [line_of(line).event for line in events.splitlines()] == ["dispatched", "completed"]


def test_the_tables_of_the_reference_name_every_event_and_field() -> None:
    page = PAGES["reference/history-format.md"]
    for event, (required, optional) in FIELDS.items():
        (row,) = [line for line in page.splitlines() if line.startswith(f'| `"{event}"`')]
        assert re.findall(r"`([a-z_]+)`", row) == (list(required + optional) or ["task", "worker", "at"])
    assert re.findall(r'^\| `"([a-z]+)"` \| (?:`"i|the d|`"m)', page, re.MULTILINE) == list(Header._fields)
    assert f"{1 << 24:,} bytes" in page


def test_every_example_log_is_shown_on_a_page() -> None:
    names = {f"docs/examples/{path.name}" for path in (ROOT / "docs/examples").glob("*.jsonl")}
    assert {name for name in names if not any(name in page for page in PAGES.values())} == set()
    for name in names:
        assert all(json.loads(line) for line in (ROOT / name).read_text().splitlines())
