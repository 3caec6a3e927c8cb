"""How SQLite carries out the store's statements: no scan of a table, no sort, hardly more pages at a million tasks."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure import Scheduler
from tenure.stores import SQLiteStore
from tenure.stores import sqlite_statements as sql

from .files import quick

INDEX = r"(COVERING )?INDEX (ends|queue|sqlite_autoindex_worker_1)"
KEYS = rf"INTEGER PRIMARY KEY \(rowid=\?\)|{INDEX}( \(expiry<\?\)| \(name=\?\))?"
FOUND = re.compile(
    rf"(SEARCH \w+ USING ({KEYS})( LEFT-JOIN)?|SCAN t(ask)? USING (COVERING )?INDEX (ends|queue)|SCAN s)"
)
"""A row by its key, an index that holds only pending or only live ones, in its order, or the scheduler's only row."""
NESTED = re.compile(r"(SCALAR )?SUBQUERY \d+|CORRELATED SCALAR SUBQUERY \d+")


def plan(db: sqlite3.Connection, statement: str) -> list[str]:
    """The steps by which the statement is carried out."""
    rows = db.execute(f"explain query plan {statement}", [None] * statement.count("?")).fetchall()
    return [row[3] for row in rows]


@pytest.fixture
def db(path: Path) -> Iterator[sqlite3.Connection]:
    """The store's own connection to a file with a few tasks."""
    store = quick(path)
    scheduler = Scheduler(store)
    for number in range(20):
        scheduler.add_worker(f"w{number}", 5)
    for priority in range(20):
        scheduler.add_task(priority % 3, b"x")
    yield store._session().db
    store.close()


def test_all_statements_are_collected() -> None:
    """So that none is left out here."""
    assert len(sql.EVERY) == 29
    assert set(sql.WHOLE) < set(sql.EVERY)


@pytest.mark.parametrize("analyzed", [False, True])
@pytest.mark.parametrize(
    "statement", sorted(set(sql.EVERY) - set(sql.WHOLE)), ids=lambda text: " ".join(text.split())[:60]
)
def test_no_statement_scans_a_table_or_sorts(db: sqlite3.Connection, statement: str, analyzed: bool) -> None:
    """Whether somebody has run ANALYZE or not."""
    if analyzed:
        db.execute("analyze")
    for step in plan(db, statement):
        assert FOUND.fullmatch(step) or NESTED.fullmatch(step), step


@pytest.mark.parametrize("statement", sql.WHOLE)
def test_whole_tables_are_answered_in_the_order_in_which_they_lie(db: sqlite3.Connection, statement: str) -> None:
    """Nothing is sorted there either."""
    first, *others = plan(db, statement)
    assert re.fullmatch(r"SCAN (t|worker)", first)
    assert all(FOUND.fullmatch(step) for step in others)


@pytest.mark.parametrize("broken", ["select * from task order by priority", "select 1 from task where worker = ?"])
def test_a_scan_or_a_sort_would_be_found(db: sqlite3.Connection, broken: str) -> None:
    """Of what must not be there."""
    assert not all(FOUND.fullmatch(step) or NESTED.fullmatch(step) for step in plan(db, broken))


def bytes_read() -> int:
    """How many bytes this process has read so far, from wherever."""
    text = Path("/proc/self/io").read_text(encoding="ascii")
    return int(text.split()[1])


def pages(store: SQLiteStore, other: SQLiteStore, call: Callable[[], Any]) -> float:
    """The file's pages that the call reads when another process wrote just before it, so that none is kept."""
    before_none = bytes_read()
    itself = bytes_read() - before_none
    Scheduler(other).add_worker(f"other{other.serial}", 1)
    before = bytes_read()
    call()
    return (bytes_read() - before - itself) / 4096


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="only Linux tells what was read")
def test_a_call_reads_hardly_more_pages_at_a_million_pending_tasks_than_at_a_thousand(tmp_path: Path) -> None:
    """At most half as many again, for each call of a life."""
    read: list[list[float]] = []
    for size in (1_000, 1_000_000):
        path = tmp_path / f"{size}.db"
        store = quick(path)
        scheduler = Scheduler(store)
        scheduler.add_worker("w1", 10)
        db = store._session().db
        db.execute("begin")
        db.executemany(sql.PUT_TASK, ((number, number % 7) for number in range(1, size + 1)))
        db.execute("update scheduler set last_id = ?, pending = ?", (size, size))
        db.execute("commit")
        db.execute("pragma wal_checkpoint(truncate)")
        other = quick(path)
        Scheduler(other).now  # noqa: B018  its schema is read
        calls: list[Callable[[], Any]] = [
            scheduler.add_task,
            lambda scheduler=scheduler: scheduler.dispatch("w1", now=5, duration=5),  # type: ignore[misc]
            lambda scheduler=scheduler: scheduler.renew(scheduler.leases()[0].task_id, 1, now=5, duration=9),  # type: ignore[misc]
            lambda scheduler=scheduler: scheduler.complete(6, 1, now=6),  # type: ignore[misc]
            lambda scheduler=scheduler: scheduler.dispatch("w1", now=7, duration=1),  # type: ignore[misc]
            lambda scheduler=scheduler: scheduler.advance(now=9),  # type: ignore[misc]
            scheduler.counts,
            scheduler.next_expiry,
            lambda scheduler=scheduler: scheduler.forget(6),  # type: ignore[misc]
        ]
        read.append([pages(store, other, call) for call in calls])
        store.check() if size < 10_000 else None
    few, many = read
    assert all(some > 1 for some in few)
    assert max(some / before for some, before in zip(many, few, strict=True)) <= 1.5, (few, many)
