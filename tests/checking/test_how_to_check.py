"""What the pages about checking show beneath a command is what the command prints, and what they name is there."""

from __future__ import annotations

import json
import re
import shlex
import unittest
from pathlib import Path
from typing import Any

import pytest

from tenure.checking.check import PARTS
from tenure.checking.command import EXIT_CODES
from tenure.checking.targets.abilities import LACKABLE, NAMES, NUMBERINGS, REJECTIONS, abilities_of
from tenure.checking.verdict import PASSED, PROVED, REFUTED, UNDECIDED
from tenure.cli import main
from tenure.operations import PARAMETERS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/check-your-queue.md").read_text()
VERDICTS = (ROOT / "docs/reference/verdicts.md").read_text()
PROTOCOL = (ROOT / "docs/reference/adapter-protocol.md").read_text()
EXAMPLE = (ROOT / "docs/examples/naive_queue.py").read_text()
BLOCKS = re.findall(r"```console\n\$ tenure (.*)\n((?:.*\n)*?)```", PAGE)


def test_the_page_shows_commands() -> None:
    assert len(BLOCKS) == 3


@pytest.mark.parametrize(("command", "shown"), BLOCKS)
def test_a_command_gives_what_is_shown_and_the_code_of_its_verdict(
    command: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(command))
    out, err = capsys.readouterr()
    assert [line.rstrip() for line in (out + err).splitlines()] == shown.splitlines()
    assert ended.value.code == EXIT_CODES.get(shown.split()[0], 0)


def test_the_python_shown_is_the_example_s_and_its_three_lines_find_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    *quoted, lines = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    indented = [re.sub(r"^(?=.)", "    ", text, flags=re.MULTILINE) for text in quoted]
    assert len(quoted) == 2
    assert indented[0] in EXAMPLE and quoted[1] in EXAMPLE
    monkeypatch.syspath_prepend(ROOT)
    scope: dict[str, Any] = {"__name__": "test_ours"}
    exec(lines, scope)
    result = unittest.TestResult()
    scope["TestQueue"]("runTest").run(result)
    ((_, told),) = [*result.failures, *result.errors]
    assert re.search(r"Broken[A-Z][0-9]+: yours: ", told)
    assert re.search(r"REFUTED [A-Z][0-9]+  ", told)


def test_the_page_and_the_protocol_name_all_that_can_be_lacking() -> None:
    for page in (PAGE, PROTOCOL):
        section = page.partition("| in `lacks` |")[2].partition("\n\n")[0]
        rows = [row.split("|")[1] for row in section.splitlines()[2:]]
        assert {word for row in rows for word in re.findall(r"`(\w+)`", row)} == {*LACKABLE}


def test_the_protocol_names_every_operation_field_and_choice() -> None:
    operations = PROTOCOL.partition("## The operations")[2].splitlines()
    for op, parameters in PARAMETERS.items():
        (row,) = [line for line in operations if line.startswith(f"| `{op}` |")]
        assert re.findall(r"`(\w+)`", row.split("|")[2])[: len(parameters)] == [*parameters]
    for name in (*NAMES, *NUMBERINGS, *REJECTIONS):
        assert f"`{name}`" in PROTOCOL


def test_the_hello_shown_is_one_that_can_be_read() -> None:
    (hello,) = re.findall(r'^< (\[\{"answer": \{"protocol".*)$', PROTOCOL, re.MULTILINE)
    ((told,),) = [[result["answer"] for result in json.loads(hello)]]
    assert abilities_of(told).lacks == {"forget_worker"}


def test_the_verdicts_and_their_codes_are_those_that_there_are() -> None:
    rows = re.findall(r"^\| ([A-Z]+) \|.*\| ([0-9]) \|$", VERDICTS, re.MULTILINE)
    words = (PROVED, PASSED, REFUTED, UNDECIDED)
    assert {word: int(code) for word, code in rows} == {word: EXIT_CODES.get(word, 0) for word in words}
    assert re.findall(r"^\| (dialogues|explorer|machine) \|", VERDICTS, re.MULTILINE) == [*PARTS]
