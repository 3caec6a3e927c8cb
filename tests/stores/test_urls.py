"""A store by its URL, and what a scheduler says of what is no store."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tenure import Scheduler
from tenure.stores import MemoryStore, store_at


def test_a_url_names_a_file_or_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three slashes and the path, as it is."""
    with Scheduler.open(f"sqlite:///{path}") as scheduler:
        scheduler.add_task()
    monkeypatch.chdir(path.parent)
    with Scheduler.open("sqlite:///jobs.db") as scheduler:
        assert scheduler.add_task() == 2
    with Scheduler.open("sqlite:///a%20b?c.db") as scheduler:
        assert scheduler.add_task() == 1
    assert (path.parent / "a%20b?c.db").exists()
    with Scheduler.open("memory:") as scheduler:
        assert scheduler.add_task() == 1
    assert isinstance(store_at("memory:"), MemoryStore)


@pytest.mark.parametrize(
    "url",
    ["", "jobs.db", "sqlite:jobs.db", "sqlite://jobs.db", "sqlite:///", "memory", "memory:x", "SQLITE:///a", "x:///a"],
)
def test_any_other_url_is_told_what_there_is(url: str) -> None:
    with pytest.raises(
        ValueError, match=r"url must be sqlite:///relative.db, sqlite:////absolute.db .* or memory:, not"
    ):
        Scheduler.open(url)


def test_what_is_no_url_or_no_store_is_told_what_to_do(path: Path) -> None:
    """A path by itself names no kind of store."""
    given: Any
    for given in ("jobs.db", path, sqlite3.connect, 5):
        with pytest.raises(TypeError, match=r"store must be a store, not .*Scheduler.open\('sqlite:///jobs.db'\)"):
            Scheduler(given)
    not_text: Any = path
    with pytest.raises(TypeError, match=r"url must be a str, not .*; give a URL"):
        Scheduler.open(not_text)
