"""The page on the SQLite store: its examples run, and it names what there is."""

from __future__ import annotations

import inspect
import re
import sqlite3
from pathlib import Path

import pytest

from tenure.stores import SQLiteStore
from tenure.stores.sqlite_file import SYNCHRONOUS
from tenure.stores.sqlite_schema import APPLICATION_ID, VERSION

from .files import quick

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "sqlite.md").read_text(encoding="utf-8")


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after another, and the second finds what the first has left."""
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for block in blocks:
        exec(block, scope)
    store = scope["store"]
    assert isinstance(store, SQLiteStore)
    assert (len(blocks), store.counts()) == (2, (0, 1, 0))
    store.close()


def test_the_page_names_each_argument_setting_table_column_and_index(path: Path) -> None:
    """And the marks of the file."""
    quick(path).close()
    db = sqlite3.connect(path)
    names = {name for (name,) in db.execute("select name from sqlite_schema where sql is not null")}
    tables = names - {"queue", "ends"}
    rows = {line.split("`")[1]: line for line in PAGE.splitlines() if line.startswith("| `")}
    for table in tables:
        for _, column, *_ in db.execute(f"pragma table_info({table})"):
            assert f"`{column}`" in rows[table]
    db.close()
    for name in (*names, *list(inspect.signature(SQLiteStore).parameters)[1:]):
        assert f"`{name}`" in PAGE
    for setting in SYNCHRONOUS:
        assert f'`"{setting}"`' in PAGE
    assert f"{APPLICATION_ID:#x}" in PAGE
    assert f"version, {VERSION}, as" in PAGE
