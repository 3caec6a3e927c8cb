"""O1 to O8: what each operation that brings work forward does."""

from __future__ import annotations

import pytest

from tenure import Counts, Lease, Status, Task, UnknownWorker, Worker, WorkerExists
from tenure.checking.views import view
from tenure.operations import Operations

from .situations import HIGHEST, LOWEST, Start, busy, leased, left, outcome, ready, task_of, worker_of


class TestAddWorker:
    """add_worker."""

    def test_a_new_worker_is_known_and_holds_nothing(self, scheduler: Operations) -> None:
        """From then on it may be dispatched to. (O1)"""
        assert outcome(scheduler, "add_worker", {"worker": "w1", "capacity": 3}) is None
        assert scheduler.workers() == (Worker("w1", 3, 0),)

    @pytest.mark.parametrize("capacity", [1, 2, 3])
    def test_a_known_name_is_rejected(self, start: Start, capacity: int) -> None:
        """With whatever capacity, and it keeps its own. (O1)"""
        scheduler, untouched = busy(start), busy(start)
        with pytest.raises(WorkerExists) as raised:
            scheduler.add_worker("w1", capacity)
        assert isinstance(raised.value, ValueError)
        assert raised.value.worker == "w1"
        assert left(scheduler) == left(untouched)


class TestSetCapacity:
    """set_capacity."""

    def test_an_unknown_name_is_rejected(self, start: Start) -> None:
        """And isn't known afterwards either. (O2)"""
        scheduler = busy(start)
        before = view(scheduler)
        with pytest.raises(UnknownWorker) as raised:
            scheduler.set_capacity("nobody", 1)
        assert isinstance(raised.value, KeyError)
        assert raised.value.worker == "nobody"
        assert view(scheduler) == before

    def test_lowering_revokes_nothing_and_grants_nothing_until_below(self, start: Start) -> None:
        """Three leases with room for two: the third and the second have to end first. (O2)"""
        scheduler = ready(start, tasks=6, capacity=3)
        leases = [leased(scheduler, "w1", now=0, duration=9) for _ in range(3)]
        assert outcome(scheduler, "set_capacity", {"worker": "w1", "capacity": 2}) is None
        assert scheduler.leases() == tuple(leases)
        assert worker_of(scheduler, "w1") == Worker("w1", 2, 3)
        assert scheduler.dispatch("w1", now=1, duration=9) is None
        assert scheduler.renew(3, 3, now=1, duration=8) is not None
        assert scheduler.complete(1, 1, now=1) is True
        assert scheduler.dispatch("w1", now=1, duration=9) is None
        assert scheduler.complete(2, 2, now=1) is True
        assert leased(scheduler, "w1", now=1, duration=9).task_id == 4
        assert scheduler.dispatch("w1", now=1, duration=9) is None

    def test_raising_makes_room_at_once(self, start: Start) -> None:
        """For as many more as it was raised by. (O2)"""
        scheduler = ready(start, tasks=3)
        leased(scheduler, "w1", now=0, duration=9)
        assert scheduler.dispatch("w1", now=0, duration=9) is None
        scheduler.set_capacity("w1", 2)
        assert leased(scheduler, "w1", now=0, duration=9).task_id == 2
        assert scheduler.dispatch("w1", now=0, duration=9) is None

    def test_capacity_zero_drains_a_worker(self, start: Start) -> None:
        """Its lease goes on and may be completed, but it gets no more. (O2, V2)"""
        scheduler = ready(start, tasks=2)
        leased(scheduler, "w1", now=0, duration=9)
        scheduler.set_capacity("w1", 0)
        assert worker_of(scheduler, "w1") == Worker("w1", 0, 1)
        assert scheduler.complete(1, 1, now=1) is True
        assert scheduler.dispatch("w1", now=1, duration=9) is None
        scheduler.set_capacity("w1", 1)
        assert leased(scheduler, "w1", now=1, duration=9).task_id == 2

    def test_a_capacity_reaches_to_the_end_of_64_bits(self, start: Start) -> None:
        """It bounds, and reserves nothing. (O2, V1)"""
        scheduler = ready(start, tasks=2)
        scheduler.set_capacity("w1", HIGHEST)
        leased(scheduler, "w1", now=0, duration=1)
        assert worker_of(scheduler, "w1") == Worker("w1", HIGHEST, 1)

    def test_the_same_capacity_and_the_order_of_creation_stay(self, start: Start) -> None:
        """A worker whose capacity was set stands where it stood. (O2, O9)"""
        scheduler = ready(start)
        scheduler.set_capacity("w1", 5)
        scheduler.set_capacity("w2", 1)
        assert scheduler.workers() == (Worker("w1", 5, 0), Worker("w2", 1, 0))


def test_add_task_answers_the_id_of_a_pending_task(scheduler: Operations) -> None:
    """Priority 0 and no payload unless said otherwise, by position or by name. (O3)"""
    assert scheduler.add_task() == 1
    assert scheduler.add_task(-3, b"x") == 2
    assert scheduler.add_task(payload=b"y", priority=4) == 3
    assert [task[:4] for task in scheduler.tasks()] == [
        *((1, 0, None, Status.PENDING), (2, -3, b"x", Status.PENDING), (3, 4, b"y", Status.PENDING)),
    ]


class TestDispatch:
    """dispatch."""

    def test_an_unknown_worker_gets_nothing(self, start: Start) -> None:
        """Names are known by add_worker alone. (O4)"""
        scheduler = ready(start)
        assert scheduler.dispatch("W1", now=0, duration=1) is None
        assert scheduler.worker("W1") is None

    def test_a_worker_gets_as_many_leases_as_its_capacity(self, start: Start) -> None:
        """Each worker by itself. (O4)"""
        scheduler = ready(start, tasks=9, capacity=2)
        for worker in ("w1", "w2"):
            for _ in range(2):
                leased(scheduler, worker, now=0, duration=9)
            assert scheduler.dispatch(worker, now=0, duration=9) is None
            assert worker_of(scheduler, worker).held == 2

    def test_nothing_pending_is_nothing_to_grant(self, start: Start) -> None:
        """Running and done tasks can't be dispatched. (O4)"""
        scheduler = ready(start, tasks=2, capacity=9)
        leased(scheduler, "w1", now=0, duration=9)
        leased(scheduler, "w1", now=0, duration=9)
        scheduler.complete(2, 2, now=0)
        assert scheduler.dispatch("w1", now=0, duration=9) is None
        assert ready(start, tasks=0).dispatch("w1", now=0, duration=9) is None

    def test_the_lease_is_what_now_and_duration_make_it(self, start: Start) -> None:
        """And the answer is the lease that is kept. (O4)"""
        scheduler = ready(start)
        lease = leased(scheduler, "w2", now=3, duration=4)
        assert lease == Lease(1, "w2", 1, 1, 3, 7, None)
        assert scheduler.leases() == (lease,)

    def test_the_greatest_priority_goes_first_and_then_the_smallest_id(self, scheduler: Operations) -> None:
        """The order is total. (O4)"""
        scheduler.add_worker("w1", 99)
        priorities = (0, 5, -5, 5, 0, LOWEST, HIGHEST, -5, 7, HIGHEST)
        for priority in priorities:
            scheduler.add_task(priority)
        taken = [leased(scheduler, "w1", now=0, duration=9).task_id for _ in priorities]
        assert taken == [7, 10, 9, 2, 4, 1, 5, 3, 8, 6]

    def test_ids_and_priorities_compare_as_numbers(self, scheduler: Operations) -> None:
        """2 before 10, and 10 above 9 though not as text. (O4)"""
        scheduler.add_worker("w1", 99)
        for priority in (9, 10, 100, *[0] * 9):
            scheduler.add_task(priority)
        taken = [leased(scheduler, "w1", now=0, duration=9).task_id for _ in range(12)]
        assert taken == [3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12]

    @pytest.mark.parametrize("way", ["release", "expire"])
    def test_a_task_that_came_back_stands_where_priority_and_id_put_it(self, start: Start, way: str) -> None:
        """Neither first nor last for having been away. (O4)"""
        scheduler = ready(start, tasks=0, capacity=9)
        for priority in (5, 5, 9, 0):
            scheduler.add_task(priority)
        for _ in range(3):
            leased(scheduler, "w1", now=0, duration=4)
        scheduler.add_task(5)
        scheduler.add_task(9)
        if way == "release":
            for task_id, token in ((3, 1), (2, 3), (1, 2)):
                scheduler.release(task_id, token, now=1)
        taken = [leased(scheduler, "w2", now=4, duration=9).task_id for _ in range(6)]
        assert taken == [3, 6, 1, 2, 5, 4]

    def test_beyond_expiry_exactly_one_task_changes(self, start: Start) -> None:
        """And exactly one worker. (O4, P6)"""
        scheduler, advanced = busy(start), busy(start)
        lease = leased(scheduler, "w1", now=11, duration=3)
        advanced.advance(now=11)
        before, after = view(advanced), view(scheduler)
        assert lease.task_id == 1
        changed = [new for old, new in zip(before.tasks, after.tasks, strict=True) if old != new]
        assert changed == [Task(1, 5, b"one", Status.RUNNING, 3, lease)]
        assert [new for old, new in zip(before.workers, after.workers, strict=True) if old != new] == [
            Worker("w1", 2, 1)
        ]


class TestComplete:
    """complete."""

    def test_the_token_of_the_live_lease_completes_the_task(self, start: Start) -> None:
        """The answer is True, the task done, and the slot free at the same instant. (O5)"""
        scheduler = busy(start)
        assert scheduler.complete(2, 4, now=6) is True
        assert task_of(scheduler, 2) == Task(2, 5, None, Status.DONE, 1, None)
        assert worker_of(scheduler, "w2") == Worker("w2", 1, 0)
        assert scheduler.counts() == Counts(pending=1, running=1, done=2)
        assert leased(scheduler, "w2", now=6, duration=1).task_id == 4

    @pytest.mark.parametrize("token", [0, 1, 2, 4, 5, -3, HIGHEST, LOWEST])
    def test_no_other_token_does(self, start: Start, token: int) -> None:
        """Stale, foreign, to come, or never issued: False, and the task runs on. (O5)"""
        scheduler = busy(start)
        before = view(scheduler)
        assert scheduler.complete(1, token, now=6) is False
        assert view(scheduler) == before

    @pytest.mark.parametrize("task_id", [3, 4, 5, 99, 0, -1])
    def test_only_a_running_task_can_be_completed(self, start: Start, task_id: int) -> None:
        """Neither a done, a pending, a forgotten nor an unknown one, with no token at all. (O5)"""
        scheduler = busy(start)
        for token in range(7):
            assert scheduler.complete(task_id, token, now=6) is False

    def test_a_task_is_completed_once(self, start: Start) -> None:
        """The same proof is no proof the second time. (O5, P8)"""
        scheduler = busy(start)
        assert [scheduler.complete(1, 3, now=7) for _ in range(3)] == [True, False, False]

    def test_who_calls_is_not_asked(self, start: Start) -> None:
        """The token is the proof, even when its worker is drained. (O5)"""
        scheduler = busy(start)
        scheduler.set_capacity("w1", 0)
        assert scheduler.complete(1, 3, now=7) is True

    def test_a_late_completion_is_refused_though_nobody_took_the_task_since(self, start: Start) -> None:
        """And still when somebody did; the new lease isn't touched. (O5, T3)"""
        scheduler = busy(start)
        assert scheduler.complete(1, 3, now=10) is False
        assert task_of(scheduler, 1).status is Status.PENDING
        again = leased(scheduler, "idle", now=10, duration=5)
        assert scheduler.complete(1, 3, now=11) is False
        assert task_of(scheduler, 1).lease == again
        assert scheduler.complete(1, again.token, now=11) is True


class TestRenew:
    """renew."""

    @pytest.mark.parametrize(("duration", "expiry"), [(1, 8), (2, 9), (3, 10), (4, 11), (HIGHEST - 7, HIGHEST)])
    def test_the_expiry_is_now_and_duration_later_or_earlier(self, start: Start, duration: int, expiry: int) -> None:
        """It isn't added to the old one, and all else stays. (O6)"""
        scheduler = busy(start)
        renewed = scheduler.renew(1, 3, now=7, duration=duration)
        assert renewed == Lease(1, "w1", 3, 2, 5, expiry, b"one")
        assert task_of(scheduler, 1) == Task(1, 5, b"one", Status.RUNNING, 2, renewed)
        assert scheduler.next_expiry() == min(expiry, 12)
        assert renewed in scheduler.leases()
        assert worker_of(scheduler, "w1").held == 1

    def test_the_new_expiry_alone_counts(self, start: Start) -> None:
        """Lengthened it outlives the old end, shortened it ends before it. (O6, T4)"""
        scheduler = busy(start)
        scheduler.renew(1, 3, now=7, duration=9)
        scheduler.renew(2, 4, now=7, duration=1)
        assert [lease.token for lease in scheduler.advance(now=8)] == [4]
        assert scheduler.advance(now=15) == ()
        assert [lease.token for lease in scheduler.advance(now=16)] == [3]

    def test_a_renewal_that_changes_nothing_is_granted_as_well(self, start: Start) -> None:
        """Again and again, and the lease ends once. (O6)"""
        scheduler = busy(start)
        for _ in range(3):
            assert scheduler.renew(1, 3, now=7, duration=3) is not None
        assert [lease.token for lease in scheduler.advance(now=10)] == [3]
        assert [lease.token for lease in scheduler.advance(now=12)] == [4]

    @pytest.mark.parametrize(("task_id", "token"), [(1, 2), (1, 4), (2, 3), (3, 1), (4, 3), (4, 5), (99, 3), (5, 0)])
    def test_without_the_current_token_it_is_refused(self, start: Start, task_id: int, token: int) -> None:
        """Under the same condition as complete. (O6)"""
        scheduler = busy(start)
        before = view(scheduler)
        assert scheduler.renew(task_id, token, now=6, duration=50) is None
        assert view(scheduler) == before

    def test_what_is_over_is_not_revived(self, start: Start) -> None:
        """Not even at the instant of its expiry with nobody waiting. (O6, T4)"""
        scheduler = busy(start)
        assert scheduler.renew(1, 3, now=10, duration=5) is None
        assert task_of(scheduler, 1).status is Status.PENDING


class TestRelease:
    """release."""

    def test_the_task_is_pending_and_the_slot_free_at_once(self, start: Start) -> None:
        """At the same instant both can be had again. (O7)"""
        scheduler = busy(start)
        assert scheduler.release(2, 4, now=6) is True
        assert task_of(scheduler, 2) == Task(2, 5, None, Status.PENDING, 1, None)
        assert worker_of(scheduler, "w2") == Worker("w2", 1, 0)
        again = leased(scheduler, "w2", now=6, duration=1)
        assert (again.task_id, again.token, again.attempt) == (2, 5, 2)

    @pytest.mark.parametrize(("task_id", "token"), [(1, 2), (1, 4), (2, 3), (3, 1), (4, 3), (4, 5), (99, 3), (5, 0)])
    def test_without_the_current_token_it_is_refused(self, start: Start, task_id: int, token: int) -> None:
        """Under the same condition as complete. (O7)"""
        scheduler = busy(start)
        before = view(scheduler)
        assert scheduler.release(task_id, token, now=6) is False
        assert view(scheduler) == before

    def test_a_lease_is_released_once_and_not_after_it_is_over(self, start: Start) -> None:
        """The second call finds no such lease. (O7)"""
        scheduler = busy(start)
        assert [scheduler.release(2, 4, now=7) for _ in range(2)] == [True, False]
        assert scheduler.release(1, 3, now=10) is False


class TestAdvance:
    """advance."""

    def test_it_answers_what_it_expired_in_order(self, start: Start) -> None:
        """As the leases were, and nothing when nothing is over. (O8)"""
        scheduler = busy(start)
        first, second = scheduler.leases()
        assert scheduler.advance(now=9) == ()
        assert scheduler.advance(now=10) == (first,)
        assert scheduler.advance(now=10) == ()
        assert scheduler.advance(now=99) == (second,)

    def test_it_does_nothing_but_let_time_pass(self, start: Start) -> None:
        """In one step or in many. (O8)"""
        scheduler, stepwise = busy(start), busy(start)
        expired = scheduler.advance(now=20)
        assert sum((stepwise.advance(now=now) for now in range(6, 21)), ()) == expired
        assert view(scheduler) == view(stepwise)
        assert left(scheduler) == left(stepwise)

    def test_an_expired_lease_is_told_with_its_last_expiry(self, start: Start) -> None:
        """As it was renewed. (O8, O6)"""
        scheduler = busy(start)
        renewed = scheduler.renew(1, 3, now=9, duration=30)
        assert [lease.task_id for lease in scheduler.advance(now=38)] == [2]
        assert scheduler.advance(now=39) == (renewed,)
