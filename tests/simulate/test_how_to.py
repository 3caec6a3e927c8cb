"""What the how-to shows beneath a command is what the command prints."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tenure.cli import main

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/how-to/size-a-lease.md").read_text()
BLOCKS = re.findall(r"```console\n\$ tenure (.*)\n((?:.*\n)*?)```", TEXT)
OWN = [block for block in BLOCKS if "$TENURE_TRACES" not in block[0]]
REAL = [block for block in BLOCKS if "$TENURE_TRACES" in block[0]]


def printed(command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(os.path.expandvars(command)))
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_the_how_to_has_commands_on_its_own_log_and_one_on_a_real_one() -> None:
    assert (len(OWN), len(REAL)) == (3, 1)


@pytest.mark.parametrize(("command", "shown"), OWN)
def test_the_example_log_gives_what_is_shown(
    command: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = printed(command, capsys, monkeypatch).splitlines()
    assert [line.rstrip() for line in lines] == shown.splitlines()


def test_the_python_shown_replays_a_history_and_finds_an_answer_that_was_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (options,) = re.findall(r"`(--history .*?)`", TEXT)
    (python,) = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["simulate", str(ROOT / "docs/examples/synthetic.swf"), *options.split()])
    assert ended.value.code == 0
    (file,) = tmp_path.iterdir()
    scope: dict[str, Any] = {}
    exec(python, scope)
    assert scope["scheduler"].counts().done == 200
    changed = re.sub(r'("op": "complete".*"answer": )false', r"\1true", file.read_text(), count=1)
    assert changed != file.read_text()
    file.write_text(changed)
    with pytest.raises(AssertionError):
        exec(python, {})


@pytest.mark.slow
@pytest.mark.parametrize(("command", "shown"), REAL)
def test_the_real_log_gives_what_is_shown(
    command: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = os.environ.get("TENURE_TRACES")
    if not folder:
        pytest.skip("TENURE_TRACES does not name a folder of real workload logs")
    assert printed(command, capsys, monkeypatch).replace(folder, "$TENURE_TRACES").split() == shown.split()
