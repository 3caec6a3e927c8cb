"""Processes, threads and forks that share a SQLite store's file, and processes that are killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Barrier, Thread

import pytest

from tenure import Lease, Scheduler, Status
from tenure.stores import SQLiteStore

from .files import quick, running

PROGRAM = Path(__file__).with_name("sqlite_process.py")
can_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@contextmanager
def process(what: str, path: Path, seed: int = 0) -> Iterator[subprocess.Popen[str]]:
    """Another process at the file, for as long as the context lasts."""
    command = [sys.executable, str(PROGRAM), what, str(path), str(seed)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


def line(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().rstrip("\n")


def answer(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    child.stdin.write("go\n")
    child.stdin.flush()


# -- several at once


def test_a_call_waits_for_another_processs_call_and_then_sees_what_that_did(path: Path) -> None:
    scheduler = Scheduler(quick(path, busy_seconds=30))
    with process("hold", path) as other:
        assert line(other) == "held"
        ids: list[int] = []
        waiting = Thread(target=lambda: ids.append(scheduler.add_task()))
        waiting.start()
        assert scheduler.tasks() == ()  # who only looks doesn't wait
        assert ids == []
        answer(other)
        assert line(other) == "done"
        waiting.join()
    assert ids == [2]
    assert [task.payload for task in scheduler.tasks()] == [b"other", None]


@pytest.mark.parametrize("shared", [True, False])
def test_threads_never_get_one_lease_twice(path: Path, shared: bool) -> None:
    """By one store or by one each; ids, tokens and serials are without gaps. (I1, I2, P2, P4)"""
    threads, lives = 4, 30
    store = quick(path, busy_seconds=30)
    Scheduler(store).add_worker("w1", 3)
    start = Barrier(threads)
    leases: list[Lease] = []
    serials: list[int] = []
    held: list[int] = []

    def live() -> None:
        own = store if shared else quick(path, busy_seconds=30)
        scheduler = Scheduler(own)
        start.wait()
        for _ in range(lives):
            scheduler.add_task()
            serials.append(own.serial)
            lease = scheduler.dispatch("w1", now=0, duration=5)
            serials.append(own.serial)
            if lease is not None:
                leases.append(lease)
                worker = scheduler.worker("w1")
                held.append(worker.held if worker else -1)
                assert scheduler.complete(lease.task_id, lease.token, now=0)
                serials.append(own.serial)

    every = [Thread(target=live) for _ in range(threads)]
    for thread in every:
        thread.start()
    for thread in every:
        thread.join()
    store.check()
    assert sorted(lease.token for lease in leases) == list(range(1, len(leases) + 1))
    assert len({lease.task_id for lease in leases}) == len(leases)
    assert [task.id for task in Scheduler(store).tasks()] == list(range(1, threads * lives + 1))
    assert sorted(serials) == list(range(2, len(serials) + 2))
    assert set(held) <= {0, 1, 2, 3}
    assert Scheduler(store).counts().done == len(leases)


def test_processes_that_make_one_file_at_once_make_one_scheduler(path: Path) -> None:
    """Each finds the ids of the others. (I1)"""
    code = (
        "import sys; from tenure import Scheduler; from tenure.stores import SQLiteStore\n"
        "sys.stdin.readline()\n"
        "scheduler = Scheduler(SQLiteStore(sys.argv[1], busy_seconds=30))\n"
        "print(*[scheduler.add_task() for _ in range(5)])"
    )
    command = [sys.executable, "-c", code, str(path)]
    children = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for child in children:
        answer(child)
    told = [child.communicate()[0] for child in children]
    assert sorted(int(word) for text in told for word in text.split()) == list(range(1, 21))
    quick(path).check()


# -- forks


def in_child(work: object) -> bytes:
    """What the function gives in a forked child; an exception there gives its text."""
    assert callable(work)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, repr(work()).encode())
        except BaseException as error:
            os.write(writing, repr(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return told


@can_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_store_goes_on_in_parent_and_child_after_a_fork(path: Path) -> None:
    """Each by a connection of its own, so that neither believes the other's locks to be its own."""
    store = quick(path, busy_seconds=0.2)
    scheduler = running(store)
    assert in_child(scheduler.add_task) == b"4"
    assert scheduler.add_task() == 5
    store.check()

    def while_child_is_in_a_call() -> int:
        store.read_last_id()
        other = quick(path, busy_seconds=0)
        try:
            other.read_last_id()
        except Exception as error:
            return len(str(error))
        return 0

    assert int(in_child(while_child_is_in_a_call)) > 0
    assert scheduler.add_task() == 6
    store.check()


@can_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_what_a_child_writes_survives_that_the_parent_closes_first(path: Path) -> None:
    """The parent, closing, must not take itself for the last one: it would remove the log that the child writes to."""
    store = quick(path)
    scheduler = running(store)
    to_child, from_parent = os.pipe()
    from_child, to_parent = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            scheduler.add_task()
            os.write(to_parent, b"x")
            os.read(to_child, 1)
            scheduler.add_task(7, b"late")
        finally:
            os._exit(0)
    os.read(from_child, 1)
    store.close()
    os.write(from_parent, b"x")
    os.waitpid(child, 0)
    again = quick(path)
    assert [task.payload for task in Scheduler(again).tasks()][-1] == b"late"
    again.check()
    for end in (to_child, from_parent, from_child, to_parent):
        os.close(end)


@can_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_waits_for_the_calls_of_other_threads(path: Path) -> None:
    """So that no connection is carried over in the middle of a call."""
    store = quick(path)
    scheduler = running(store)
    ready, go = Barrier(2), Barrier(2)

    def in_a_call() -> None:
        store.read_last_id()
        ready.wait()
        go.wait()
        store.put_task(4, 0, None)

    thread = Thread(target=in_a_call)
    thread.start()
    ready.wait()
    releasing = Thread(target=go.wait)
    releasing.start()
    assert in_child(scheduler.add_task) == b"5"
    thread.join()
    releasing.join()
    store.check()


# -- kills


def test_a_process_that_is_killed_in_the_middle_of_a_write_has_done_nothing(path: Path) -> None:
    """And the file is free at once. (R1)"""
    store = quick(path, busy_seconds=0)
    running(store)
    before = store.canonical()
    with process("half", path) as other:
        assert line(other) == "half"
        other.kill()
        other.wait()
    assert store.canonical() == before
    store.check()
    assert Scheduler(store).add_task() == 4


def kill(path: Path, seed: int) -> int:
    """A process that works is killed at some point; what it said was answered is there, and at most one call more."""
    chance = Random(seed)
    lines = ["nothing"]
    with process("work", path, seed) as other:
        for _ in range(chance.randrange(1, 150)):
            lines.append(line(other))
        other.kill()
        assert other.stdout is not None
        lines += other.stdout.read().splitlines(keepends=False)
    store = quick(path)
    store.check()
    scheduler = Scheduler(store)
    told = [each.split() for each in lines if not each.startswith(("try", "nothing"))]
    for what, task_id, *rest in told:
        task = scheduler.task(int(task_id))
        assert task is not None
        if what == "granted":
            assert task.attempts == 1
            assert task.lease is None or task.lease.token == int(rest[0])
        if what == "completed":
            assert task.status is Status.DONE
    scheduler.counts()
    if told:
        assert 0 <= store.serial - int(told[-1][-1]) <= 2
    store.close()
    return len(told)


def kills(path: Path, number: int) -> int:
    store = SQLiteStore(path, synchronous="off")
    Scheduler(store).add_worker("w1", 10**6)
    store.close()
    tokens = 0
    answered = 0
    for seed in range(number):
        answered += kill(path, seed)
        again = quick(path)
        internal = again.canonical()
        assert internal.last_token >= tokens
        tokens = internal.last_token
        again.close()
    return answered


def test_a_process_that_is_killed_anywhere_has_done_each_call_that_it_was_answered(path: Path) -> None:
    """Over and over, on one file. (I2)"""
    assert kills(path, 8) > 100


@pytest.mark.slow
def test_many_processes_are_killed_one_after_another(path: Path) -> None:
    """Thousands of calls. (I2)"""
    assert kills(path, 150) > 3000
