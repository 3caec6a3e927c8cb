"""L1 to L4: the statuses of a task, its lease, and its attempts."""

from __future__ import annotations

import pytest

from tenure import Counts, Lease, Status, Task
from tenure.operations import Operations, ask

from .situations import Start, busy, leased, ready, task_of


def test_a_task_is_born_pending(scheduler: Operations) -> None:
    """Its first status, whatever its priority and payload. (L1)"""
    scheduler.add_task()
    scheduler.add_task(priority=-5, payload=b"x")
    assert scheduler.tasks() == (
        Task(1, 0, None, Status.PENDING, 0, None),
        Task(2, -5, b"x", Status.PENDING, 0, None),
    )


def test_a_task_is_always_in_exactly_one_status(start: Start) -> None:
    """The three statuses divide the tasks among them. (L1)"""
    scheduler = busy(start)
    by_status = {status: scheduler.tasks(status) for status in Status}
    assert {status.value: [task.id for task in tasks] for status, tasks in by_status.items()} == {
        "pending": [4],
        "running": [1, 2],
        "done": [3],
    }
    assert sorted(task for tasks in by_status.values() for task in tasks) == list(scheduler.tasks())
    assert scheduler.counts() == Counts(pending=1, running=2, done=1)


@pytest.mark.parametrize("way", ["complete", "release", "expire", "renew"])
def test_a_running_task_goes_where_the_life_cycle_says(start: Start, way: str) -> None:
    """Completion leads to done, expiry and release back to pending, renewal nowhere else. (L1)"""
    scheduler = ready(start)
    leased(scheduler, "w1", now=0, duration=5)
    assert task_of(scheduler, 1).status is Status.RUNNING
    if way == "expire":
        scheduler.advance(now=5)
    else:
        extra = {"duration": 5} if way == "renew" else {}
        assert ask(scheduler, way, {"task_id": 1, "token": 1, "now": 4} | extra)
    expected = {"complete": Status.DONE, "renew": Status.RUNNING}.get(way, Status.PENDING)
    assert task_of(scheduler, 1).status is expected


def test_nothing_changes_a_done_task_but_forget(start: Start) -> None:
    """Neither time nor any call with its token. (L2)"""
    scheduler = busy(start)
    done = task_of(scheduler, 3)
    assert done.status is Status.DONE
    for token in (0, 1, 3, 4, 5):
        assert scheduler.complete(3, token, now=6) is False
        assert scheduler.release(3, token, now=6) is False
        assert scheduler.renew(3, token, now=6, duration=9) is None
    scheduler.advance(now=1000)
    for _ in range(3):
        leased(scheduler, "idle", now=scheduler.now, duration=1)
        scheduler.advance(now=scheduler.now + 1)
    assert task_of(scheduler, 3) == done
    assert scheduler.tasks(Status.DONE) == (done,)
    assert scheduler.forget(3) is True
    assert scheduler.task(3) is None


def test_a_task_that_is_done_is_never_dispatched_again(start: Start) -> None:
    """Not even when nothing else is there. (L2)"""
    scheduler = ready(start)
    leased(scheduler, "w1", now=0, duration=5)
    scheduler.complete(1, 1, now=4)
    for now in (4, 5, 6, 100):
        assert scheduler.dispatch("w1", now=now, duration=1) is None


def test_a_task_has_its_lease_exactly_while_it_runs(start: Start) -> None:
    """The task and the list of leases agree at each step. (L3)"""
    scheduler = ready(start)

    def seen() -> tuple[Status, Lease | None, tuple[Lease, ...]]:
        task = task_of(scheduler, 1)
        return task.status, task.lease, scheduler.leases()

    assert seen() == (Status.PENDING, None, ())
    lease = leased(scheduler, "w1", now=0, duration=5)
    assert seen() == (Status.RUNNING, lease, (lease,))
    renewed = scheduler.renew(1, 1, now=2, duration=5)
    assert renewed is not None
    assert seen() == (Status.RUNNING, renewed, (renewed,))
    scheduler.advance(now=7)
    assert seen() == (Status.PENDING, None, ())
    lease = leased(scheduler, "w2", now=7, duration=5)
    assert seen() == (Status.RUNNING, lease, (lease,))
    scheduler.release(1, 2, now=7)
    assert seen() == (Status.PENDING, None, ())
    lease = leased(scheduler, "w1", now=8, duration=5)
    assert seen() == (Status.RUNNING, lease, (lease,))
    scheduler.complete(1, 3, now=9)
    assert seen() == (Status.DONE, None, ())


def test_a_lease_says_whose_it_is_since_when_until_when_and_what_for(scheduler: Operations) -> None:
    """Task, worker, token, attempt, start, expiry, and the task's payload. (L3)"""
    scheduler.add_worker("w1", 1)
    scheduler.add_task(payload=b"rebuild")
    lease = leased(scheduler, "w1", now=5, duration=3)
    assert lease == Lease(task_id=1, worker="w1", token=1, attempt=1, start=5, expiry=8, payload=b"rebuild")
    assert lease._fields == ("task_id", "worker", "token", "attempt", "start", "expiry", "payload")


def test_attempts_count_the_leases_granted_and_nothing_else(start: Start) -> None:
    """Neither renewal nor any way of ending counts. (L4)"""
    scheduler = ready(start)
    assert task_of(scheduler, 1).attempts == 0
    assert leased(scheduler, "w1", now=0, duration=5).attempt == 1
    assert task_of(scheduler, 1).attempts == 1
    renewed = scheduler.renew(1, 1, now=3, duration=5)
    assert renewed is not None
    assert (renewed.attempt, task_of(scheduler, 1).attempts) == (1, 1)
    scheduler.advance(now=8)
    assert task_of(scheduler, 1).attempts == 1
    assert leased(scheduler, "w2", now=8, duration=5).attempt == 2
    scheduler.release(1, 2, now=8)
    assert task_of(scheduler, 1).attempts == 2
    assert leased(scheduler, "w1", now=9, duration=5).attempt == 3
    scheduler.complete(1, 3, now=9)
    assert task_of(scheduler, 1).attempts == 3


def test_attempts_are_counted_for_each_task(start: Start) -> None:
    """They are no count over the scheduler, as tokens are. (L4, I2)"""
    scheduler = ready(start, tasks=2, capacity=2)
    first, second = (leased(scheduler, "w1", now=0, duration=5) for _ in range(2))
    assert [(lease.token, lease.attempt) for lease in (first, second)] == [(1, 1), (2, 1)]
    scheduler.release(2, 2, now=0)
    again = leased(scheduler, "w1", now=0, duration=5)
    assert (again.task_id, again.token, again.attempt) == (2, 3, 2)


def test_a_lease_keeps_the_attempt_of_its_grant(start: Start) -> None:
    """An expired lease tells the number it was granted with. (L4, O8)"""
    scheduler = ready(start)
    for attempt in (1, 2, 3):
        lease = leased(scheduler, "w1", now=attempt, duration=1)
        assert lease.attempt == attempt
        assert scheduler.advance(now=attempt + 1) == (lease,)
