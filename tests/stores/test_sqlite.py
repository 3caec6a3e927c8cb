"""The SQLite store as a whole: what it keeps and how, its check, its serial, its beginnings, its end."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from contract.walks import walk

from tenure import CallInProgress, Lease, Scheduler, Status, StoreError, WorkerExists
from tenure.checking.hostile import LyingInt
from tenure.checking.quick import QuickReference
from tenure.history import perform
from tenure.lifecycle import FINAL
from tenure.stores import MemoryStore, SQLiteStore
from tenure.stores.sqlite_session import SESSIONS

from .files import closed, quick, running

HIGHEST, LOWEST = 2**63 - 1, -(2**63)
ODD_NAMES = (
    "'", '"', "`", "'; drop table task; --", "%", "_", "a", "A", "ä", "a\u0308", "ß", "SS", " ", "a ", " a", "\n",
    "\ufeff", "\u202e", "😀" * 255, "👩‍🔬", "x" * 255, "x" * 254, "1", "01", "1.0", "null", "\x1f",
)  # fmt: skip


# -- what is kept


def test_the_store_alone_keeps_what_it_is_told_and_decides_nothing(path: Path) -> None:
    """A lease is kept though nobody asked whether it may be. (R1)"""
    store = quick(path, now=4, last_id=9, last_token=2)
    closed(store, store.read_load("w1"))
    store.read_load("w1")
    store.put_worker("w1", 1)
    store.read_last_id()
    store.put_task(10, 0, b"x")
    lease = Lease(10, "w1", 3, 1, 5, 8, b"x")
    store.read_worker(5, "w1")
    store.write_grant(5, (), lease)
    store.check()
    assert closed(store, store.read_worker(7, "w1")) == (5, 3, (), (1, 1), None, (0, None))
    assert closed(store, store.read_worker(8, "w1")) == (5, 3, [lease], (1, 1), 10, (1, b"x"))
    assert closed(store, store.read_lease(8, 10)) == (5, [lease], lease)
    assert closed(store, store.read_ending(8)) == (5, [lease])
    assert closed(store, store.read_status(10)) is Status.RUNNING
    store.read_lease(6, 10)
    store.write_end(6, (), lease, FINAL)
    store.check()
    assert closed(store, store.read_status(10)) is Status.DONE
    assert closed(store, store.read_last_id()) == 10
    assert closed(store, store.read_load("w1")) == (1, 0)


def test_a_write_without_a_read_is_an_error_of_whoever_wrote_it(path: Path) -> None:
    """It would be a transaction of its own."""
    with pytest.raises(AssertionError, match="a write follows a read"):
        quick(path).put_task(1, 0, None)


@pytest.mark.parametrize("seed", range(3))
def test_canonical_tells_all_that_is_kept_as_the_reference_has_it(path: Path, seed: int) -> None:
    """After each call of a walk, and after each tenth by a store that is opened anew. (P1, P2, P3)"""
    reference, store = QuickReference(), quick(path)
    for number, step in enumerate(walk(QuickReference(), seed=seed, length=300)):
        for each in (Scheduler(store), reference):
            perform(each, step.operation, step.arguments)
        assert store.canonical() == reference.canonical()
        if number % 10 == 0:
            store.check()
            store.close()
            store = quick(path)


@pytest.mark.parametrize("size", [0, 1, 4096, 10_000_000, 20_000_000])
def test_a_payload_comes_back_byte_for_byte_whatever_its_size(path: Path, size: int) -> None:
    """V4."""
    payload = (bytes(range(256)) * (size // 256 + 1))[:size]
    scheduler = Scheduler(quick(path))
    scheduler.add_worker("w1", 1)
    scheduler.add_task(0, payload)
    lease = scheduler.dispatch("w1", now=0, duration=5)
    assert lease is not None
    assert lease.payload == payload
    scheduler.close()
    again = Scheduler(quick(path))
    task = again.task(1)
    assert task is not None
    assert task.payload == payload
    assert again.complete(1, 1, now=1)
    assert again.forget(1)
    assert again.tasks() == ()


def test_a_change_of_a_task_does_not_write_its_payload_again(path: Path) -> None:
    """It stands in a table of its own."""
    scheduler = running(quick(path))
    scheduler.add_task(9, bytes(5_000_000))
    scheduler.close()
    scheduler = Scheduler(quick(path))
    scheduler.dispatch("w1", now=2, duration=9)
    assert Path(f"{path}-wal").stat().st_size < 100_000


def test_names_are_kept_as_they_are_and_compared_exactly(path: Path) -> None:
    """V3."""
    scheduler = Scheduler(quick(path))
    for number, name in enumerate(ODD_NAMES, 1):
        scheduler.add_worker(name, number)
    assert [worker.name for worker in scheduler.workers()] == list(ODD_NAMES)
    for number, name in enumerate(ODD_NAMES, 1):
        found = scheduler.worker(name)
        assert found == (name, number, 0)
        with pytest.raises(WorkerExists):
            scheduler.add_worker(name, 1)
    assert scheduler.worker("\ufeffa") is None


def test_numbers_are_kept_to_the_ends_of_64_bits(path: Path) -> None:
    """V1, V2, I4."""
    store = quick(path, now=HIGHEST - 9, last_id=HIGHEST - 3, last_token=HIGHEST - 1)
    scheduler = Scheduler(store)
    scheduler.add_worker("w1", HIGHEST)
    for priority in (LOWEST, HIGHEST, HIGHEST - 1):
        scheduler.add_task(priority)
    lease = scheduler.dispatch("w1", now=HIGHEST - 9, duration=9)
    assert lease == (HIGHEST - 1, "w1", HIGHEST, 1, HIGHEST - 9, HIGHEST, None)
    assert [task.priority for task in scheduler.tasks()] == [LOWEST, HIGHEST, HIGHEST - 1]
    assert [store.canonical().queue, scheduler.next_expiry()] == [(HIGHEST, HIGHEST - 2), HIGHEST]
    assert scheduler.set_capacity("w1", 0) is None  # type: ignore[func-returns-value]
    with pytest.raises(OverflowError, match="no task id is left"):
        scheduler.add_task()
    assert scheduler.advance(now=HIGHEST) == (lease,)
    store.check()
    other = Scheduler(quick(path.with_name("other.db"), last_token=HIGHEST))
    with pytest.raises(OverflowError, match="no token is left"):
        other.dispatch("w1", now=0, duration=9)


def test_what_is_forgotten_leaves_nothing_in_the_file(path: Path) -> None:
    """So that one that lives long stays small. (O10)"""
    scheduler = Scheduler(quick(path))
    scheduler.add_worker("w1", 1)
    sizes = []
    for now in range(2000):
        task_id = scheduler.add_task(now % 5, bytes(1000))
        lease = scheduler.dispatch("w1", now=now, duration=9)
        assert lease is not None
        assert scheduler.complete(task_id, lease.token, now=now)
        assert scheduler.forget(task_id)
        sizes.append(path.stat().st_size + Path(f"{path}-wal").stat().st_size)
    assert max(sizes[1000:]) <= max(sizes[:1000])
    scheduler.close()
    assert path.stat().st_size < 100_000
    assert not Path(f"{path}-wal").exists()


# -- beginnings


def test_a_new_file_begins_where_an_earlier_scheduler_left_off(path: Path) -> None:
    """With plain numbers, and only once. (V5, I1, I2)"""
    store = quick(path, now=LyingInt(4), last_id=LyingInt(9), last_token=LyingInt(2))
    assert store.canonical()[:3] == (4, 9, 2)
    store.close()
    assert quick(path).canonical()[:3] == (4, 9, 2)
    for name in ("now", "last_id", "last_token"):
        with pytest.raises(StoreError, match="it was begun before: now, last_id and last_token are for a new file"):
            quick(path, **{name: 1})


@pytest.mark.parametrize("own_time", [False, True])
def test_a_store_remembers_for_whose_time_it_was_made(path: Path, own_time: bool) -> None:
    """Mixing is rejected, and the file stays as it is."""
    store = quick(path, own_time=own_time)
    assert store.own_time is own_time
    store.close()
    with pytest.raises(
        StoreError, match=rf"made for .* time, which doesn't mix .* own_time={own_time}, or use another"
    ):
        quick(path, own_time=not own_time)
    assert quick(path, own_time=own_time).own_time is own_time


@pytest.mark.parametrize("made", [lambda path: quick(path, own_time=True), lambda _: MemoryStore(own_time=True)])
def test_a_scheduler_whose_callers_tell_the_time_takes_no_store_that_has_its_own(
    path: Path, made: Callable[[Path], Any]
) -> None:
    with pytest.raises(ValueError, match="made for its own time"):
        Scheduler(made(path))
    assert MemoryStore().own_time is False


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"synchronous": "FULL"}, ValueError, "synchronous must be one of off, normal, full, extra, not 'FULL'"),
        ({"synchronous": 2}, ValueError, "synchronous must be one of"),
        ({"busy_seconds": -1}, ValueError, "busy_seconds must be a number from 0 to 86400, not -1"),
        ({"busy_seconds": float("nan")}, ValueError, "busy_seconds must be a number"),
        ({"busy_seconds": "5"}, ValueError, "busy_seconds must be a number"),
        ({"busy_seconds": True}, ValueError, "busy_seconds must be a number"),
        ({"now": -1}, ValueError, "now must be from 0"),
        ({"last_id": 1.0}, TypeError, "last_id must be an int"),
    ],
)
def test_an_argument_that_does_not_fit_is_told_and_no_file_is_made(
    path: Path, options: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        SQLiteStore(path, **options)
    assert not path.exists()


@pytest.mark.parametrize(
    ("given", "error"),
    [("", ValueError), (":memory:", ValueError), ("a\0b", ValueError), (b"a", TypeError), (1, TypeError)],
)
def test_a_path_that_names_no_file_is_told(given: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="path must"):
        SQLiteStore(given)


@pytest.mark.parametrize(("synchronous", "number"), [("off", 0), ("normal", 1), ("full", 2), ("extra", 3), (None, 2)])
def test_synchronous_is_as_was_asked_and_full_otherwise(path: Path, synchronous: str | None, number: int) -> None:
    """In the journal mode in which readers don't wait."""
    store = SQLiteStore(path) if synchronous is None else SQLiteStore(path, synchronous=synchronous)
    db = store._session().db
    assert db.execute("pragma synchronous").fetchone() == (number,)
    assert db.execute("pragma journal_mode").fetchone() == ("wal",)


# -- the end


def test_a_closed_store_says_so_and_the_file_goes_on(path: Path) -> None:
    """Of every call, by every thread; closing twice changes nothing. (R1)"""
    scheduler = running(quick(path))
    before = scheduler.tasks()
    scheduler.close()
    scheduler.close()
    for call in (scheduler.tasks, scheduler.add_task, lambda: scheduler.advance(now=3)):
        with pytest.raises(StoreError, match="it was closed; make a new store"):
            call()
    with Scheduler(quick(path)) as again:
        assert again.tasks() == before
    with pytest.raises(StoreError, match="it was closed"):
        again.counts()


def test_closing_in_the_middle_of_a_call_gives_it_up(path: Path) -> None:
    """The file is free for others. (R1)"""
    store = quick(path)
    store.read_last_id()
    store.close()
    store.abandon()
    other = quick(path, busy_seconds=0)
    assert Scheduler(other).add_task() == 1


def test_connections_go_with_their_thread_and_with_their_store(path: Path) -> None:
    """So that many threads, one after another, don't use up files."""
    gc.collect()
    before = len(SESSIONS)
    store = quick(path)
    threads = [Thread(target=Scheduler(store).add_task) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert len(SESSIONS) == before + 1
    del store, threads, thread
    gc.collect()
    assert len(SESSIONS) == before


def test_a_store_is_not_copied(path: Path) -> None:
    """Its connection can't be."""
    store = quick(path)
    for way in (copy.copy, pickle.dumps):
        with pytest.raises(TypeError, match="make another one with the same path"):
            way(store)


READS: list[Callable[[SQLiteStore], Any]] = [
    lambda store: store.read_worker(0, "w1"),
    lambda store: store.read_lease(0, 1),
    lambda store: store.read_ending(0),
    lambda store: store.read_last_id(),
    lambda store: store.read_load("w1"),
    lambda store: store.read_status(1),
]


@pytest.mark.parametrize("first", READS)
@pytest.mark.parametrize("second", READS)
def test_a_read_in_the_middle_of_a_call_is_turned_away_and_the_call_goes_on(
    path: Path, first: Callable[[SQLiteStore], Any], second: Callable[[SQLiteStore], Any]
) -> None:
    """However often; and once the call is closed the next one is let in. (R1)"""
    store = quick(path)
    first(store)
    for _ in range(2):
        with pytest.raises(CallInProgress, match="in the middle of a call"):
            second(store)
        store.abandon()
    with pytest.raises(CallInProgress):
        store.counts()
    store.abandon()
    assert closed(store, second(store)) == second(quick(path.with_name("other.db")))
