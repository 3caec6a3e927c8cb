"""What the how-to shows beneath a command is what the command prints."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from tenure.cli import main

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"```console\n\$ tenure (.*)\n((?:.*\n)*?)```", (ROOT / "docs/how-to/size-a-lease.md").read_text())
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


@pytest.mark.slow
@pytest.mark.parametrize(("command", "shown"), REAL)
def test_the_real_log_gives_what_is_shown(
    command: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = os.environ.get("TENURE_TRACES")
    if not folder:
        pytest.skip("TENURE_TRACES does not name a folder of real workload logs")
    assert printed(command, capsys, monkeypatch).replace(folder, "$TENURE_TRACES").split() == shown.split()
