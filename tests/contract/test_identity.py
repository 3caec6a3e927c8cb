"""I1 to I4: ids and tokens."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.checking.views import view
from tenure.operations import Operations

from .situations import HIGHEST, REFUSED, Start, busy, leased, left, outcome, ready, task_of


def test_ids_are_consecutive_from_one(scheduler: Operations) -> None:
    """In order of creation, whatever the priority. (I1)"""
    assert [scheduler.add_task(priority) for priority in (0, 9, -9, 9, 0)] == [1, 2, 3, 4, 5]


def test_a_rejected_add_task_uses_no_id(scheduler: Operations) -> None:
    """Neither for a bad priority nor for a bad payload. (I1, R1)"""
    assert scheduler.add_task() == 1
    bad: tuple[dict[str, Any], ...] = ({"priority": 2**63}, {"priority": True}, {"payload": "x"})
    for arguments in bad:
        outcome(scheduler, "add_task", arguments)
    assert scheduler.add_task() == 2


def test_the_id_of_a_forgotten_task_is_not_used_again(scheduler: Operations) -> None:
    """Not even that of the last one. (I1, O10)"""
    for task_id in (1, 2, 3):
        assert scheduler.add_task() == task_id
        assert scheduler.forget(task_id)
    assert scheduler.add_task() == 4
    assert [task.id for task in scheduler.tasks()] == [4]


def test_tokens_are_consecutive_over_the_whole_scheduler(start: Start) -> None:
    """In order of dispatch, for whichever worker and task. (I2)"""
    scheduler = ready(start, tasks=4, capacity=2)
    leases = [leased(scheduler, worker, now=0, duration=9) for worker in ("w1", "w2", "w2", "w1")]
    assert [(lease.token, lease.worker, lease.task_id) for lease in leases] == [
        *((1, "w1", 1), (2, "w2", 2), (3, "w2", 3), (4, "w1", 4))
    ]


def test_no_token_is_used_twice_however_its_lease_ended(start: Start) -> None:
    """After expiry, release and completion the next token is the next number. (I2)"""
    scheduler = ready(start, tasks=2)
    assert leased(scheduler, "w1", now=0, duration=1).token == 1
    scheduler.advance(now=1)
    assert leased(scheduler, "w1", now=1, duration=1).token == 2
    scheduler.release(1, 2, now=1)
    assert leased(scheduler, "w1", now=1, duration=1).token == 3
    scheduler.complete(1, 3, now=1)
    assert leased(scheduler, "w1", now=1, duration=1).token == 4


def test_a_scheduler_that_goes_on_where_another_left_off_uses_none_of_its_numbers_again(start: Start) -> None:
    """After a restart the next token and id follow the last ones. (I1, I2)"""
    scheduler = start(now=40, last_id=7, last_token=12)
    scheduler.add_worker("w1", 1)
    assert scheduler.now == 40
    assert scheduler.task(7) is None
    assert scheduler.add_task() == 8
    assert leased(scheduler, "w1", now=40, duration=1).token == 13


@pytest.mark.parametrize("name", [name for name in REFUSED if name.startswith("dispatch")])
def test_a_dispatch_that_grants_nothing_uses_no_token(start: Start, name: str) -> None:
    """Nor does one with nothing pending. (I2, R2)"""
    scheduler = busy(start)
    _, arguments, _ = REFUSED[name]
    for _ in range(3):
        assert outcome(scheduler, "dispatch", arguments | {"now": 6}) is None
    assert leased(scheduler, "idle", now=6, duration=1).token == 5
    scheduler.set_capacity("idle", 9)
    for _ in range(3):
        assert scheduler.dispatch("idle", now=6, duration=1) is None
    scheduler.add_task()
    assert leased(scheduler, "idle", now=6, duration=1).token == 6


def test_the_later_of_two_leases_has_the_larger_token(start: Start) -> None:
    """So a destination that keeps the largest token it saw turns away the earlier holder. (I2, P4)"""
    scheduler = ready(start)
    earlier = leased(scheduler, "w1", now=0, duration=5)
    later = leased(scheduler, "w2", now=5, duration=5)
    assert (earlier.task_id, later.task_id) == (1, 1)
    assert earlier.token < later.token


def test_renewal_keeps_the_token(start: Start) -> None:
    """It is the same assignment, however often it is renewed. (I3)"""
    scheduler = ready(start, tasks=2)
    leased(scheduler, "w1", now=0, duration=5)
    for now in (1, 2, 3):
        renewed = scheduler.renew(1, 1, now=now, duration=5)
        assert renewed is not None
        assert renewed.token == 1
    assert leased(scheduler, "w2", now=3, duration=5).token == 2


@pytest.mark.parametrize("way", ["expiry", "release"])
def test_a_task_comes_back_to_running_only_with_a_new_token(start: Start, way: str) -> None:
    """The same worker and the same task make another assignment. (I3)"""
    scheduler = ready(start)
    first = leased(scheduler, "w1", now=0, duration=5)
    if way == "release":
        scheduler.release(1, 1, now=5 - 1)
    again = leased(scheduler, "w1", now=5, duration=5)
    assert (again.task_id, again.worker) == (first.task_id, first.worker)
    assert again.token == 2
    assert scheduler.complete(1, first.token, now=6) is False
    assert scheduler.complete(1, again.token, now=6) is True


def test_add_task_is_rejected_once_ids_are_used_up(start: Start) -> None:
    """2**63 - 1 is the last id, and a task like any other. (I4)"""
    scheduler = start(last_id=HIGHEST - 2)
    assert [scheduler.add_task(priority=1), scheduler.add_task(priority=2)] == [HIGHEST - 1, HIGHEST]
    before = view(scheduler)
    for _ in range(2):
        with pytest.raises(OverflowError) as raised:
            scheduler.add_task()
        assert type(raised.value) is OverflowError
        assert view(scheduler) == before
    scheduler.add_worker("w1", 2)
    assert leased(scheduler, "w1", now=0, duration=9).task_id == HIGHEST
    assert scheduler.complete(HIGHEST, 1, now=1) is True
    assert scheduler.forget(HIGHEST) is True
    assert [task.id for task in scheduler.tasks()] == [HIGHEST - 1]
    with pytest.raises(OverflowError):
        scheduler.add_task()


def test_dispatch_is_rejected_once_tokens_are_used_up(start: Start) -> None:
    """2**63 - 1 is the last token, and proves its lease like any other. (I4)"""
    scheduler = start(last_token=HIGHEST - 1)
    scheduler.add_worker("w1", 9)
    for _ in range(2):
        scheduler.add_task()
    assert leased(scheduler, "w1", now=0, duration=5).token == HIGHEST
    before = view(scheduler)
    for now in (0, 4, 5, 100):
        with pytest.raises(OverflowError) as raised:
            scheduler.dispatch("w1", now=now, duration=5)
        assert type(raised.value) is OverflowError
        assert view(scheduler) == before
    assert scheduler.renew(1, HIGHEST, now=4, duration=5) is not None
    assert scheduler.release(1, HIGHEST, now=5) is True
    assert task_of(scheduler, 1).attempts == 1
    assert scheduler.advance(now=6) == ()


@pytest.mark.parametrize("worker", ["idle", "w2", "nobody"])
def test_without_a_token_left_every_dispatch_is_rejected(start: Start, worker: str) -> None:
    """Also one that would be refused: for an unknown worker, a full one, or nothing pending. (I4, R1)"""
    scheduler, untouched = start(last_token=HIGHEST - 1), start(last_token=HIGHEST - 1)
    for each in (scheduler, untouched):
        each.add_worker("w2", 1)
        each.add_worker("idle", 1)
        each.add_task()
        leased(each, "w2", now=0, duration=5)
    for now in (0, 4, 5, 6):
        assert outcome(scheduler, "dispatch", {"worker": worker, "now": now, "duration": 1}) is OverflowError
    assert left(scheduler) == left(untouched)
