"""O10 and O11: removing tasks and workers."""

from __future__ import annotations

import pytest

from tenure import Counts, UnknownWorker, Worker
from tenure.checking.views import view
from tenure.operations import ask

from .situations import HIGHEST, LOWEST, Start, busy, leased, outcome, ready


class TestForget:
    """forget."""

    def test_a_pending_task_is_removed_and_never_runs(self, start: Start) -> None:
        """The next in order takes its place. (O10)"""
        scheduler = ready(start, tasks=3, capacity=9)
        assert scheduler.forget(1) is True
        assert scheduler.task(1) is None
        assert scheduler.counts() == Counts(2, 0, 0)
        assert [leased(scheduler, "w1", now=0, duration=1).task_id for _ in range(2)] == [2, 3]
        assert scheduler.dispatch("w1", now=0, duration=1) is None

    def test_a_task_that_came_back_can_be_forgotten_as_well(self, start: Start) -> None:
        """It is pending like any other. (O10)"""
        scheduler = busy(start)
        scheduler.advance(now=10)
        assert scheduler.forget(1) is True
        assert leased(scheduler, "idle", now=10, duration=1).task_id == 4

    def test_a_done_task_is_removed(self, start: Start) -> None:
        """Once, and its token is of no use. (O10)"""
        scheduler = busy(start)
        assert [scheduler.forget(3), scheduler.forget(3)] == [True, False]
        assert scheduler.complete(3, 1, now=6) is False
        assert scheduler.counts().done == 0

    def test_a_running_or_unknown_task_is_not(self, start: Start) -> None:
        """A lease that is over counts until time has been advanced. (O10, T2)"""
        scheduler = busy(start)
        before = view(scheduler)
        for task_id in (1, 2, 5, 6, 0, -1, HIGHEST, LOWEST):
            assert scheduler.forget(task_id) is False
        assert view(scheduler) == before

    def test_a_scheduler_that_forgets_everything_goes_on(self, start: Start) -> None:
        """With the next id and token. (O10, I1, I2)"""
        scheduler = ready(start)
        for number in range(1, 600):
            lease = leased(scheduler, "w1", now=number, duration=1)
            assert (lease.task_id, lease.token) == (number, number)
            assert scheduler.complete(number, number, now=number) is True
            assert scheduler.forget(number) is True
            assert scheduler.add_task() == number + 1
        assert [task.id for task in scheduler.tasks()] == [600]


class TestForgetWorker:
    """forget_worker."""

    def test_a_worker_without_a_lease_is_removed(self, start: Start) -> None:
        """And gets nothing any more. (O11)"""
        scheduler = busy(start)
        assert [scheduler.forget_worker("idle"), scheduler.forget_worker("idle")] == [True, False]
        assert scheduler.worker("idle") is None
        assert scheduler.dispatch("idle", now=6, duration=1) is None
        assert outcome(scheduler, "set_capacity", {"worker": "idle", "capacity": 1}) is UnknownWorker

    @pytest.mark.parametrize("way", ["complete", "release", "expire"])
    def test_one_that_holds_a_lease_is_not_until_the_lease_has_ended(self, start: Start, way: str) -> None:
        """However it ends; drained or not. (O11)"""
        scheduler = busy(start)
        scheduler.set_capacity("w2", 0)
        before = view(scheduler)
        assert scheduler.forget_worker("w2") is False
        assert view(scheduler) == before
        if way == "expire":
            scheduler.advance(now=12)
        else:
            ask(scheduler, way, {"task_id": 2, "token": 4, "now": 7})
        assert scheduler.forget_worker("w2") is True

    def test_the_name_may_be_added_again_and_counts_as_created_last(self, start: Start) -> None:
        """With whatever capacity, holding nothing. (O11, O9)"""
        scheduler = busy(start)
        scheduler.release(1, 3, now=6)
        assert scheduler.forget_worker("w1") is True
        scheduler.add_worker("w1", 7)
        assert scheduler.workers() == (Worker("w2", 1, 1), Worker("idle", 1, 0), Worker("w1", 7, 0))
        assert leased(scheduler, "w1", now=6, duration=1).worker == "w1"
