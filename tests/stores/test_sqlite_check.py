"""What the SQLite file refuses, what the store's check finds, and the serial by which calls are put in order."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from threading import Thread

import pytest

from tenure import Scheduler, WorkerExists

from .files import quick, running

DAMAGE = {
    "a counter": "update scheduler set pending = pending + 1",
    "two counters": "update scheduler set pending = pending - 1, done = done + 1",
    "held": "update worker set held = held + 1",
    "the time": "update scheduler set now = 10",
    "a start in the future": "update task set start = 5 where status = 'running'",
    "the last token": "update scheduler set last_token = 1",
    "the last id": "update scheduler set last_id = 2",
    "a worker": "delete from worker",
    "a payload": "insert into payload values (99, x'00')",
    "a lost task": "delete from task where id = 3",
}
REFUSED = {
    "running without a token": "update task set token = null where id = 2",
    "running without a worker": "update task set worker = null where id = 2",
    "running without a start": "update task set start = null where id = 2",
    "running without an expiry": "update task set expiry = null where id = 2",
    "pending with a lease": "update task set status = 'pending' where id = 2",
    "done with a lease": "update task set status = 'done' where id = 2",
    "pending with a token": "update task set token = 9 where id = 3",
    "running that is pending": "update task set status = 'running' where id = 3",
    "an empty lease": "update task set expiry = start where id = 2",
    "another status": "update task set status = 'late' where id = 3",
    "done and never tried": "update task set attempts = 0 where id = 1",
    "less than nothing held": "update worker set held = -1",
    "a capacity below 0": "update worker set capacity = -1",
    "no name": "update worker set name = ''",
    "one name twice": "insert into worker (name, capacity, held) values ('w1', 1, 0)",
    "a second scheduler": "insert into scheduler select 2, own_time, serial, now, 0, 0, 0, 0, 0 from scheduler",
    "a time as text": "update scheduler set now = 'noon'",
    "a negative counter": "update scheduler set done = -1",
    "a payload of text": "update payload set payload = 'text'",
    "a number of no id": "update task set id = 0 where id = 3",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_check_finds_damage(path: Path, damage: str) -> None:
    """Of each kind that lies between the tables."""
    store = quick(path)
    running(store)
    store.check()
    with sqlite3.connect(path) as db:
        assert db.execute(damage).rowcount
    db.close()
    with pytest.raises(AssertionError):
        store.check()


@pytest.mark.parametrize("statement", REFUSED.values(), ids=REFUSED)
def test_the_file_itself_refuses_what_the_life_cycle_forbids(path: Path, statement: str) -> None:
    """Whoever writes to it. (L1, L3, P1, P3)"""
    running(quick(path))
    db = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(statement)
    db.close()


def test_the_serial_counts_the_calls_that_wrote_and_tells_what_the_others_saw(path: Path) -> None:
    """So that the calls of all can be put in order."""
    one, two = quick(path), quick(path)
    first, second = Scheduler(one), Scheduler(two)
    assert (one.serial, two.serial) == (0, 0)
    first.add_worker("w1", 1)
    second.add_task()
    assert (one.serial, two.serial) == (1, 2)
    with pytest.raises(WorkerExists):
        first.add_worker("w1", 1)
    assert one.serial == 2
    assert first.dispatch("nobody", now=1, duration=1) is None
    assert (one.serial, two.serial) == (3, 2)
    for query in (second.counts, second.tasks, second.leases, second.workers, second.next_expiry):
        first.add_task()
        query()
        assert two.serial == one.serial
    first.add_task()
    second.task(1)
    assert two.serial == one.serial
    assert not second.forget(999)
    assert two.serial == one.serial
    assert second.now == 1


def test_the_serial_is_that_of_the_thread(path: Path) -> None:
    """Each call's own, though all threads share the store."""
    store = quick(path)
    Scheduler(store).add_task()
    seen = []

    def add() -> None:
        Scheduler(store).add_task()
        seen.append(store.serial)

    thread = Thread(target=add)
    thread.start()
    thread.join()
    assert (store.serial, seen) == (1, [2])
