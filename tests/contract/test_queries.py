"""O9: what can be asked without changing anything."""

from __future__ import annotations

import pytest

from tenure import Counts, Status, Worker
from tenure.checking.views import view
from tenure.operations import QUERIES, Operations, ask

from .hostile import NOT_STATUSES
from .situations import HIGHEST, LOWEST, VALID, Start, busy, leased, left, outcome, ready, task_of, worker_of


def test_a_new_scheduler_holds_nothing(scheduler: Operations) -> None:
    """Time 0, and all else empty. (O9)"""
    assert view(scheduler) == (0, (), (), (), Counts(0, 0, 0), None)


def test_queries_change_nothing(start: Start) -> None:
    """However often they are asked, and whatever they're asked. (O9)"""
    scheduler, untouched = busy(start), busy(start)
    for operation in QUERIES * 2:
        ask(scheduler, operation, VALID.get(operation, {}))
    for unknown in (0, -1, 99, HIGHEST, LOWEST):
        scheduler.task(unknown)
    scheduler.worker("nobody")
    assert left(scheduler) == left(untouched)


def test_now_is_a_property(start: Start) -> None:
    """The time of the last valid timed call. (O9)"""
    scheduler = busy(start)
    assert scheduler.now == 6
    scheduler.advance(now=8)
    assert scheduler.now == 8


def test_task_tells_one_task(start: Start) -> None:
    """The same as among all tasks. (O9)"""
    scheduler = busy(start)
    assert tuple(task_of(scheduler, task_id) for task_id in (1, 2, 3, 4)) == scheduler.tasks()


def test_tasks_come_in_the_order_of_their_ids(start: Start) -> None:
    """As numbers, whatever their priority and history. (O9)"""
    scheduler = ready(start, tasks=0, capacity=9)
    for number in range(1, 14):
        scheduler.add_task(number % 4)
    for now in range(3):
        leased(scheduler, "w1", now=now, duration=1)
        leased(scheduler, "w2", now=now, duration=9)
    scheduler.forget(10)
    expected = [number for number in range(1, 14) if number != 10]
    assert [task.id for task in scheduler.tasks()] == expected
    for status in Status:
        ids = [task.id for task in scheduler.tasks(status)]
        assert ids == sorted(ids)
        assert scheduler.tasks(status=status) == tuple(task for task in scheduler.tasks() if task.status is status)
    assert scheduler.tasks(None) == scheduler.tasks(status=None) == scheduler.tasks()


def test_a_status_is_a_status_or_none(start: Start) -> None:
    """A string is neither, though it is a status's value. (O9)"""
    scheduler = busy(start)
    for index, status in enumerate(NOT_STATUSES):
        assert outcome(scheduler, "tasks", {"status": status}) is TypeError, index


def test_worker_tells_one_worker(start: Start) -> None:
    """The same as among all workers. (O9)"""
    scheduler = busy(start)
    assert tuple(worker_of(scheduler, name) for name in ("w1", "w2", "idle")) == scheduler.workers()
    assert worker_of(scheduler, "w1") == Worker(name="w1", capacity=2, held=1)


def test_workers_come_in_the_order_of_creation(scheduler: Operations) -> None:
    """Not in that of their names. (O9)"""
    names = ("m", "z", "a", "Z", "10", "9")
    for name in names:
        scheduler.add_worker(name, 1)
    scheduler.set_capacity("a", 5)
    scheduler.add_task()
    leased(scheduler, "9", now=0, duration=1)
    assert tuple(worker.name for worker in scheduler.workers()) == names


def test_leases_come_in_the_order_of_expiry_then_token(start: Start) -> None:
    """As numbers, after renewals too, and not in that of the tasks. (O9)"""
    scheduler = ready(start, tasks=0, capacity=20)
    for priority in range(12):
        scheduler.add_task(priority)
    for duration in (9, 10, 100, 9, 9, 2, 30, 9, 9, 9, 9, 9):
        leased(scheduler, "w1", now=0, duration=duration)
    scheduler.renew(10, 3, now=1, duration=8)
    scheduler.renew(9, 4, now=1, duration=98)
    ends = [(lease.expiry, lease.token) for lease in scheduler.leases()]
    assert ends == [(2, 6), *((9, token) for token in (1, 3, 5, 8, 9, 10, 11, 12)), (10, 2), (30, 7), (99, 4)]


def test_counts_count_each_status(start: Start) -> None:
    """What is forgotten isn't counted. (O9)"""
    scheduler = busy(start)
    assert scheduler.counts() == Counts(pending=1, running=2, done=1)
    scheduler.forget(3)
    scheduler.add_task()
    assert scheduler.counts() == Counts(pending=2, running=2, done=0)


def test_next_expiry_is_the_smallest_of_the_live_leases(start: Start) -> None:
    """After each kind of change; None when nothing is live. (O9)"""
    scheduler = busy(start)
    assert scheduler.next_expiry() == 10
    scheduler.renew(1, 3, now=6, duration=50)
    assert scheduler.next_expiry() == 12
    scheduler.renew(1, 3, now=6, duration=2)
    assert scheduler.next_expiry() == 8
    scheduler.complete(1, 3, now=7)
    assert scheduler.next_expiry() == 12
    scheduler.release(2, 4, now=7)
    assert scheduler.next_expiry() is None
    leased(scheduler, "w2", now=7, duration=4)
    assert scheduler.next_expiry() == 11
    scheduler.advance(now=11)
    assert scheduler.next_expiry() is None


@pytest.mark.parametrize("task_id", [0, -1, 5, 6, 99, HIGHEST, LOWEST])
def test_an_unknown_id_gives_none(start: Start, task_id: int) -> None:
    """Forgotten, not yet given, or none at all. (O9)"""
    assert busy(start).task(task_id) is None


@pytest.mark.parametrize("name", ["nobody", "W1", "w1 ", "x" * 255])
def test_an_unknown_name_gives_none(start: Start, name: str) -> None:
    """Names are compared exactly. (O9, V3)"""
    assert busy(start).worker(name) is None
