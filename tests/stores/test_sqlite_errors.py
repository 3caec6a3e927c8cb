"""Whatever is wrong with a SQLite store's file is told with its path and a way out, and has changed nothing."""

from __future__ import annotations

import os
import pickle
import random
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tenure import Scheduler, StoreBusy, StoreError
from tenure.stores import SQLiteStore
from tenure.stores.sqlite_schema import APPLICATION_ID, VERSION

from .files import quick, running


def told(call: Callable[[], object], path: Path) -> str:
    """The reason of the StoreError that the call raises; it names the file, pickles, and tells where it came from."""
    with pytest.raises(StoreError) as raised:
        call()
    error = raised.value
    assert error.path == str(path)
    assert str(error) == f"{path}: {error.reason}"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    return error.reason


def written(path: Path, *statements: str) -> None:
    """The file after these statements, made by whoever."""
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


@contextmanager
def unprivileged() -> Iterator[None]:
    """Permissions bind, as they don't bind root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that another user can reach, too."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o777)
    yield made
    made.chmod(0o777)
    shutil.rmtree(made)


# -- what can't be opened


def test_a_newer_schema_is_told_and_left_alone(path: Path) -> None:
    running(quick(path)).close()
    written(path, f"pragma user_version = {VERSION + 1}")
    before = path.read_bytes()
    assert "schema has version 2, this Tenure knows 1; it was made by a newer Tenure" in told(lambda: quick(path), path)
    assert path.read_bytes() == before


def test_a_version_that_never_was_is_told(path: Path) -> None:
    written(path, f"pragma application_id = {APPLICATION_ID}")
    assert "made by no Tenure: use another file" in told(lambda: quick(path), path)


@pytest.mark.parametrize(
    "statement",
    ["create table task (id)", "pragma application_id = 7", "pragma user_version = 1", "create view v as select 1"],
)
def test_somebody_elses_database_is_told_and_left_alone(path: Path, statement: str) -> None:
    written(path, statement)
    before = path.read_bytes()
    assert "a SQLite database, but not Tenure's: use another file" in told(lambda: quick(path), path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"hello", b"{}" * 5000, bytes(5000), b"SQLite format 3\0" + bytes(3000)])
def test_what_is_no_database_is_told_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert "it is no SQLite database" in told(lambda: quick(path), path)
    assert path.read_bytes() == content


def test_an_empty_file_and_an_empty_database_are_as_good_as_none(path: Path) -> None:
    """As they are after a kill at the very beginning."""
    path.touch()
    assert Scheduler(quick(path)).add_task() == 1
    other = path.with_name("other.db")
    written(other, "pragma journal_mode = wal", "vacuum")
    assert Scheduler(quick(other)).add_task() == 1


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("", "it is a folder; name a file in it"),
        ("none/jobs.db", "there is no folder .*none; make it first"),
        ("file/jobs.db", "file is no folder; use another path"),
    ],
)
def test_a_place_where_no_file_can_be_is_told(tmp_path: Path, place: str, reason: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=reason):
        quick(tmp_path / place)


def test_a_file_that_must_be_there_is_not_made(path: Path) -> None:
    assert told(lambda: quick(path, create=False), path) == "there is no such file"
    assert not path.exists()
    quick(path).close()
    assert Scheduler(quick(path, create=False)).add_task() == 1


def test_a_table_that_was_taken_away_is_told(path: Path) -> None:
    store = quick(path)
    running(store)
    written(path, "drop table payload")
    assert "no such table: payload" in told(store.leases, path)
    assert "no such table: payload" in told(lambda: Scheduler(store).dispatch("w1", now=2, duration=1), path)


def test_a_scheduler_row_that_was_taken_away_is_told(path: Path) -> None:
    store = quick(path)
    written(path, "delete from scheduler")
    assert "a row that must be there isn't" in told(store.now, path)


# -- what can't be written


def test_a_file_that_may_not_be_written_is_read_and_a_call_that_writes_is_told(folder: Path) -> None:
    path = folder / "jobs.db"
    keeper = quick(path)
    before = running(keeper).tasks()
    for each in folder.iterdir():
        each.chmod(0o666)
    path.chmod(0o444)
    with unprivileged():
        store = quick(path)
        assert Scheduler(store).tasks() == before
        assert "it can't be written" in told(Scheduler(store).add_task, path)
        assert Scheduler(store).tasks() == before
        store.close()


def test_a_folder_in_which_nothing_may_be_made_is_told(folder: Path) -> None:
    path = folder / "jobs.db"
    folder.chmod(0o555)
    with unprivileged():
        assert "unable to open" in told(lambda: quick(path), path)
    folder.chmod(0o777)
    running(quick(path)).close()
    path.chmod(0o444)
    folder.chmod(0o555)
    with unprivileged():
        reason = told(lambda: quick(path), path)
    assert "unable to open" in reason or "can't be written" in reason


def test_a_file_that_may_not_be_read_is_told(folder: Path) -> None:
    path = folder / "jobs.db"
    quick(path).close()
    path.chmod(0)
    with unprivileged():
        assert "unable to open database file" in told(lambda: quick(path), path)


def test_a_full_file_refuses_what_makes_it_grow_and_changes_nothing(path: Path) -> None:
    """And it is usable: what needs no room works, and all works when there is room again. (R1)"""
    store = quick(path)
    scheduler = running(store)
    db = store._session().db
    (count,) = db.execute("pragma page_count").fetchone()
    db.execute(f"pragma max_page_count = {count + 4}")
    before = store.canonical()
    for _ in range(3):
        assert "its disk is full" in told(lambda: scheduler.add_task(1, bytes(100_000)), path)
        assert store.canonical() == before
        store.check()
    serial = store.serial
    assert scheduler.complete(2, 2, now=2)
    assert store.serial == serial + 1
    db.execute("pragma max_page_count = 1000000")
    assert scheduler.add_task(1, bytes(100_000)) == 4
    store.check()


@pytest.mark.may_skip
@pytest.mark.parametrize("synchronous", ["off", "full"])
def test_a_full_disk_keeps_each_call_that_was_answered_and_no_other(tmp_path: Path, synchronous: str) -> None:
    """On a real file system of one megabyte, where this process may mount one. (R1)"""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tenure-test", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system may be mounted here")
    try:
        path = disk / "jobs.db"
        store = SQLiteStore(path, synchronous=synchronous)
        scheduler = running(store)

        def fill() -> None:
            while True:
                scheduler.add_task(1, bytes(3000))

        assert "its disk is full" in told(fill, path)
        added = store.canonical().last_id
        assert added > 20
        store.check()
        for task_id in range(4, added + 1):
            try:
                assert scheduler.forget(task_id)
            except StoreError:
                break
        kept = store.canonical()
        store.check()
        store.close()
        again = SQLiteStore(path, synchronous=synchronous)
        assert again.canonical() == kept
        again.check()
        again.close()
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_payload_beyond_what_sqlite_keeps_is_told(path: Path) -> None:
    """Its limit is a thousand million bytes; here it is set lower. (V4)"""
    store = quick(path)
    store._session().db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000_000)
    scheduler = Scheduler(store)
    before = store.canonical()
    assert "the payload is larger than SQLite keeps" in told(lambda: scheduler.add_task(0, bytes(1_000_001)), path)
    assert store.canonical() == before
    assert scheduler.add_task(0, bytes(900_000)) == 1


# -- what is locked


def test_a_file_that_others_keep_locked_is_waited_for_as_long_as_was_said(path: Path) -> None:
    """Then it is told how long, and the call may be made again. (R1)"""
    holder, store = quick(path), quick(path, busy_seconds=0.05)
    scheduler = Scheduler(store)
    holder.read_last_id()
    for call in (scheduler.add_task, lambda: scheduler.advance(now=1), lambda: scheduler.add_worker("w1", 1)):
        with pytest.raises(StoreBusy, match=r"others kept it locked for 0.05 seconds, .* call again, or wait longer"):
            call()
    with pytest.raises(StoreBusy) as raised:
        scheduler.add_task()
    assert (raised.value.path, raised.value.waited_seconds) == (str(path), 0.05)
    assert scheduler.tasks() == ()
    assert scheduler.now == 0
    holder.abandon()
    assert scheduler.add_task() == 1


def test_a_file_that_is_locked_while_it_is_made_is_told(path: Path) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("begin exclusive")
    with pytest.raises(StoreBusy, match="locked for 0 seconds"):
        quick(path, busy_seconds=0)
    db.execute("rollback")
    db.close()
    assert Scheduler(quick(path, busy_seconds=0)).add_task() == 1


# -- what is damaged


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_file_is_told_or_its_check_fails_but_never_anything_else(path: Path, seed: int) -> None:
    """Bytes of one page are changed; no other error than a StoreError comes, and the check sees it if a table did."""
    chance = random.Random(seed)
    scheduler = running(quick(path))
    for number in range(300):
        scheduler.add_task(number % 5, bytes(number))
    scheduler.close()
    content = bytearray(path.read_bytes())
    page = chance.randrange(len(content) // 4096) * 4096
    for place in chance.sample(range(page or 100, page + 4096), 60):
        content[place] = chance.randrange(256)
    path.write_bytes(content)
    try:
        store = quick(path)
        for call in (
            lambda: Scheduler(store).tasks(),
            lambda: Scheduler(store).dispatch("w1", now=3, duration=5),
            lambda: Scheduler(store).advance(now=99),
            lambda: Scheduler(store).forget(5),
            store.leases,
            store.workers,
        ):
            call()
        store.check()
    except (StoreError, AssertionError):
        pass


@pytest.mark.parametrize("text", ["'late'", "x'ff'", "3"])
def test_a_value_that_cannot_be_is_told(path: Path, text: str) -> None:
    """The tables refuse it, but bytes may change by themselves."""
    store = quick(path)
    running(store)
    db = sqlite3.connect(path)
    db.execute("pragma writable_schema = on")
    db.execute(
        "update sqlite_schema set sql = 'create table task (id integer primary key, priority, status, attempts, '"
        " || 'worker, token, start, expiry)' where name = 'task'"
    )
    db.commit()
    db.close()
    written(path, f"update task set status = {text} where id = 3")
    store = quick(path)
    for call in (lambda: store.tasks(None), lambda: store.task(3), lambda: Scheduler(store).forget(3)):
        assert "it is damaged (it holds" in told(call, path)
    with pytest.raises((StoreError, AssertionError)):
        store.check()


def test_a_file_that_was_cut_off_is_told(path: Path) -> None:
    scheduler = running(quick(path))
    for number in range(300):
        scheduler.add_task(number % 5, bytes(1000))
    scheduler.close()
    with path.open("r+b") as file:
        file.truncate(20_000)
    assert "it is damaged (database disk image is malformed" in told(lambda: quick(path).tasks(None), path)
