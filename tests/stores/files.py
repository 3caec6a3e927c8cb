"""SQLite stores for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tenure import Scheduler
from tenure.stores import SQLiteStore


def quick(path: Path, **options: Any) -> SQLiteStore:
    """A store that doesn't wait for the disk."""
    return SQLiteStore(path, **({"synchronous": "off"} | options))


def running(store: SQLiteStore) -> Scheduler:
    """Three tasks, one of them leased, one done."""
    scheduler = Scheduler(store)
    scheduler.add_worker("w1", 2)
    for priority in (3, 2, 1):
        scheduler.add_task(priority, b"p%d" % priority)
    scheduler.dispatch("w1", now=1, duration=9)
    scheduler.dispatch("w1", now=1, duration=9)
    assert scheduler.complete(1, 1, now=2)
    return scheduler


def closed(store: SQLiteStore, read: Any) -> Any:
    """What was read, and the call is closed."""
    store.abandon()
    return read
