"""T1 to T4: logical time, and expiry at exact instants."""

from __future__ import annotations

from typing import Any

import pytest

from tenure import ClockWentBackwards, Counts, Status, Worker
from tenure.checking.views import view
from tenure.operations import PARAMETERS, TIMED, Operations, ask

from .situations import HIGHEST, REFUSED_TIMED, VALID, Start, busy, leased, left, outcome, ready, task_of, worker_of


def test_time_starts_at_zero(scheduler: Operations) -> None:
    """Before any timed call it is 0. (T1)"""
    assert scheduler.now == 0


@pytest.mark.parametrize("operation", TIMED)
def test_time_never_goes_back(start: Start, operation: str) -> None:
    """A timed call with an earlier now is rejected. (T1)"""
    scheduler, untouched = busy(start), busy(start)
    for now in (5, 1, 0):
        with pytest.raises(ClockWentBackwards) as raised:
            ask(scheduler, operation, VALID[operation] | {"now": now})
        assert isinstance(raised.value, ValueError)
        assert (raised.value.now, raised.value.scheduler_now) == (now, 6)
    assert left(scheduler) == left(untouched)


@pytest.mark.parametrize("operation", TIMED)
def test_an_equal_time_is_fine(start: Start, operation: str) -> None:
    """Many calls may share an instant. (T1)"""
    scheduler = busy(start)
    answer = ask(scheduler, operation, VALID[operation] | {"now": 6})
    assert answer == () if operation == "advance" else answer
    assert scheduler.now == 6


def test_time_may_leap_to_its_end(start: Start) -> None:
    """2**63 - 1 is a time like any other, and then only equal ones are left. (T1)"""
    scheduler = ready(start)
    lease = leased(scheduler, "w1", now=0, duration=HIGHEST)
    assert scheduler.advance(now=HIGHEST - 1) == ()
    assert scheduler.advance(now=HIGHEST) == (lease,)
    assert scheduler.advance(now=HIGHEST) == ()
    assert outcome(scheduler, "advance", {"now": HIGHEST - 1}) is ClockWentBackwards
    assert outcome(scheduler, "dispatch", {"worker": "w1", "now": HIGHEST, "duration": 1}) is ValueError


def test_the_timed_calls_are_these_five() -> None:
    """All others take no time. (T2)"""
    assert set(TIMED) == {"dispatch", "complete", "renew", "release", "advance"}
    assert {op for op, names in PARAMETERS.items() if {"now", "duration"} & set(names)} == set(TIMED)


UNTIMED: dict[str, dict[str, Any]] = {op: VALID.get(op, {}) for op in PARAMETERS if op not in TIMED}


@pytest.mark.parametrize("operation", UNTIMED)
def test_an_untimed_call_answers_as_of_the_time_it_finds(start: Start, operation: str) -> None:
    """It neither moves time nor expires anything. (T2)"""
    scheduler = busy(start)
    leases = scheduler.leases()
    ask(scheduler, operation, UNTIMED[operation])
    assert scheduler.now == 6
    assert scheduler.leases() == leases


@pytest.mark.parametrize("operation", TIMED)
def test_a_valid_timed_call_sets_the_time(start: Start, operation: str) -> None:
    """To its now. (T3)"""
    scheduler = busy(start)
    ask(scheduler, operation, VALID[operation] | {"now": 8})
    assert scheduler.now == 8


GRANTED_LATER: dict[str, tuple[str, dict[str, Any]]] = {
    "dispatch": ("dispatch", {"worker": "w1", "duration": 4}),
    "dispatch for an idle worker": ("dispatch", {"worker": "idle", "duration": 4}),
    "complete": ("complete", {"task_id": 2, "token": 4}),
    "renew": ("renew", {"task_id": 2, "token": 4, "duration": 4}),
    "release": ("release", {"task_id": 2, "token": 4}),
    "advance": ("advance", {}),
}
LATE = {
    "complete": ("complete", {"task_id": 1, "token": 3}),
    "renew": ("renew", {"task_id": 1, "token": 3, "duration": 4}),
    "release": ("release", {"task_id": 1, "token": 3}),
}


@pytest.mark.parametrize("now", [10, 11, 12, HIGHEST - 4])
@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        *(pytest.param(*call, id=f"granted {name}") for name, call in GRANTED_LATER.items()),
        *(pytest.param(*call[:2], id=f"refused {name}") for name, call in REFUSED_TIMED.items()),
        *(pytest.param(*call, id=f"late {name}") for name, call in LATE.items()),
    ],
)
def test_what_is_over_expires_first_whatever_the_answer_is(
    start: Start, operation: str, arguments: dict[str, Any], now: int
) -> None:
    """The call answers and leaves what it would, had time been advanced before it. (T3)"""
    scheduler, advanced = busy(start), busy(start)
    expired = advanced.advance(now=now)
    assert expired
    answer = outcome(scheduler, operation, arguments | {"now": now})
    assert scheduler.now == now
    assert not set(scheduler.leases()) & set(expired)
    assert answer == (expired if operation == "advance" else outcome(advanced, operation, arguments | {"now": now}))
    assert left(scheduler) == left(advanced)


def test_expiry_gives_back_the_task_the_lease_and_the_slot(start: Start) -> None:
    """The task is pending again, its lease is gone, the worker has room. (T3)"""
    scheduler = busy(start)
    scheduler.advance(now=10)
    task = task_of(scheduler, 1)
    assert (task.status, task.lease, task.attempts) == (Status.PENDING, None, 2)
    assert [lease.task_id for lease in scheduler.leases()] == [2]
    assert worker_of(scheduler, "w1") == Worker("w1", 2, 0)
    assert scheduler.counts() == Counts(pending=2, running=1, done=1)
    assert scheduler.next_expiry() == 12


def test_leases_expire_in_the_order_of_expiry_then_token(start: Start) -> None:
    """Not in that of tasks, workers, dispatch or renewal. (T3, O8)"""
    scheduler = ready(start, tasks=0, capacity=9)
    for priority in range(6):
        scheduler.add_task(priority)
    for token, duration in ((1, 30), (2, 50), (3, 20), (4, 20), (5, 40), (6, 20)):
        assert leased(scheduler, f"w{1 + token % 2}", now=0, duration=duration).token == token
    scheduler.renew(5, 2, now=1, duration=19)  # priority 4, so the second to be taken
    scheduler.renew(2, 5, now=1, duration=29)
    expired = scheduler.advance(now=30)
    assert [(lease.expiry, lease.token) for lease in expired] == [
        *((20, 2), (20, 3), (20, 4), (20, 6), (30, 1), (30, 5)),
    ]


def test_a_worker_is_full_only_after_what_is_over_has_gone(start: Start) -> None:
    """Capacity is tested after expiry, so its own lease that ends makes room. (T3, O4)"""
    scheduler = ready(start, tasks=2)
    leased(scheduler, "w1", now=0, duration=5)
    assert scheduler.dispatch("w1", now=4, duration=5) is None
    assert leased(scheduler, "w1", now=5, duration=5).task_id == 1


def test_a_dispatch_chooses_among_what_just_came_back(start: Start) -> None:
    """The tasks that this very call gave back stand in the order, too. (T3, O4)"""
    scheduler = ready(start, tasks=0, capacity=9)
    for priority in (1, 3, 2):
        scheduler.add_task(priority)
    leased(scheduler, "w1", now=0, duration=5)
    leased(scheduler, "w1", now=0, duration=4)
    lease = leased(scheduler, "w2", now=5, duration=5)
    assert (lease.task_id, lease.attempt) == (2, 2)
    lease = leased(scheduler, "w2", now=5, duration=5)
    assert (lease.task_id, lease.attempt) == (3, 2)
    lease = leased(scheduler, "w2", now=5, duration=5)
    assert (lease.task_id, lease.attempt) == (1, 1)


@pytest.mark.parametrize(("first", "duration"), [(0, 1), (0, 5), (7, 5), (2**62, 2**62 - 1), (HIGHEST - 1, 1)])
class TestHalfOpen:
    """[now, now + duration), exactly, near and far."""

    def test_a_lease_is_live_at_its_start_and_at_its_last_instant(
        self, start: Start, first: int, duration: int
    ) -> None:
        """At now and at now + duration - 1 its token still counts. (T4)"""
        for instant in (first, first + duration - 1):
            for operation in ("complete", "release"):
                scheduler = ready(start)
                leased(scheduler, "w1", now=first, duration=duration)
                assert ask(scheduler, operation, {"task_id": 1, "token": 1, "now": instant}) is True

    def test_a_lease_can_be_renewed_at_its_last_instant(self, start: Start, first: int, duration: int) -> None:
        """And then lives on. (T4, O6)"""
        scheduler = ready(start)
        leased(scheduler, "w1", now=first, duration=duration)
        renewed = scheduler.renew(1, 1, now=first + duration - 1, duration=1)
        assert renewed is not None
        assert renewed.expiry == first + duration

    def test_a_lease_is_gone_at_its_end(self, start: Start, first: int, duration: int) -> None:
        """At now + duration neither completion nor release nor renewal is accepted. (T4)"""
        for operation in ("complete", "release", "renew"):
            scheduler = ready(start)
            leased(scheduler, "w1", now=first, duration=duration)
            arguments = {"task_id": 1, "token": 1, "now": first + duration}
            if operation == "renew" and first + duration == HIGHEST:
                continue
            answer = ask(scheduler, operation, arguments | ({"duration": 1} if operation == "renew" else {}))
            assert answer is (None if operation == "renew" else False)
            assert scheduler.leases() == ()

    def test_the_task_is_free_at_the_very_end_of_its_lease(self, start: Start, first: int, duration: int) -> None:
        """Not an instant earlier, and not one later. (T4)"""
        scheduler = ready(start)
        leased(scheduler, "w1", now=first, duration=duration)
        assert scheduler.dispatch("w2", now=first + duration - 1, duration=1) is None
        if first + duration < HIGHEST:
            assert leased(scheduler, "w2", now=first + duration, duration=1).task_id == 1
        else:
            assert len(scheduler.advance(now=first + duration)) == 1
            assert task_of(scheduler, 1).status is Status.PENDING

    def test_advance_expires_at_the_end_and_not_before(self, start: Start, first: int, duration: int) -> None:
        """The sweep and the answer to a token share one boundary. (T4, O8)"""
        scheduler = ready(start)
        lease = leased(scheduler, "w1", now=first, duration=duration)
        assert scheduler.advance(now=first + duration - 1) == ()
        assert view(scheduler).leases == (lease,)
        assert scheduler.advance(now=first + duration) == (lease,)


@pytest.mark.parametrize("began", [2**62, HIGHEST - 20])
def test_far_times_are_exact(start: Start, began: int) -> None:
    """No instant is lost where floats would lose it. (T4, V1)"""
    scheduler = start(now=began)
    scheduler.add_worker("w1", 1)
    scheduler.add_task()
    lease = leased(scheduler, "w1", now=began + 1, duration=3)
    assert (lease.start, lease.expiry) == (began + 1, began + 4)
    assert scheduler.advance(now=began + 3) == ()
    assert scheduler.advance(now=began + 4) == (lease,)
    assert scheduler.now == began + 4
