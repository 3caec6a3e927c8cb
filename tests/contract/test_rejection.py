"""R1 and R2: calls that are rejected change nothing, and calls that are refused change what time changes."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import pytest

from tenure import ClockWentBackwards, UnknownWorker, WorkerExists
from tenure.checking.views import view
from tenure.operations import TIMED, Operations, ask

from .hostile import RefusingInt
from .situations import HIGHEST, LOWEST, REFUSED, REFUSED_TIMED, VALID, Start, busy, leased, left, outcome, places

Fault = dict[str, Any]


class Faults(NamedTuple):
    """What can be wrong with a call, in the order in which it counts."""

    types: tuple[Fault, ...]
    ranges: tuple[Fault, ...]
    end: tuple[Fault, ...] = ()
    time: tuple[Fault, ...] = ()
    state: tuple[tuple[Fault, type[Exception]], ...] = ()


WORKER_TYPES: tuple[Fault, ...] = ({"worker": None}, {"worker": b"w1"})
WORKER_RANGES: tuple[Fault, ...] = ({"worker": ""}, {"worker": "w\0"}, {"worker": "\ud800"})
LEASE_TYPES: tuple[Fault, ...] = ({"task_id": "1"}, {"token": 3.0}, {"now": True})
LEASE_RANGES: tuple[Fault, ...] = ({"task_id": 2**63}, {"token": LOWEST - 1}, {"now": -1}, {"now": 10**5000})
BACK: tuple[Fault, ...] = ({"now": 5}, {"now": 1})

FAULTS = {
    "add_worker": Faults(
        (*WORKER_TYPES, {"capacity": 1.0}),
        (*WORKER_RANGES, {"capacity": 0}, {"capacity": 2**63}),
        state=(({"worker": "w1"}, WorkerExists),),
    ),
    "set_capacity": Faults(
        (*WORKER_TYPES, {"capacity": True}),
        (*WORKER_RANGES, {"capacity": -1}, {"capacity": 10**5000}),
        state=(({"worker": "nobody"}, UnknownWorker),),
    ),
    "add_task": Faults(
        ({"priority": "7"}, {"payload": bytearray(b"x")}),
        ({"priority": 2**63}, {"priority": LOWEST - 1}),
        state=(({}, OverflowError),),
    ),
    "dispatch": Faults(
        (*WORKER_TYPES, {"now": 7.0}, {"duration": False}),
        (*WORKER_RANGES, {"now": -1}, {"now": 2**63}, {"duration": 0}, {"duration": 2**63}),
        ({"duration": HIGHEST},),
        BACK,
        (({}, OverflowError), ({"worker": "nobody"}, OverflowError), ({"worker": "w2"}, OverflowError)),
    ),
    "renew": Faults(
        (*LEASE_TYPES, {"duration": None}),
        (*LEASE_RANGES, {"duration": 0}, {"duration": RefusingInt(2**63)}),
        ({"duration": HIGHEST},),
        BACK,
    ),
    "complete": Faults(LEASE_TYPES, LEASE_RANGES, time=BACK),
    "release": Faults(LEASE_TYPES, LEASE_RANGES, time=BACK),
    "advance": Faults(({"now": None}, {"now": 7.0}), ({"now": -1}, {"now": 2**63}), time=BACK),
    "task": Faults(({"task_id": True},), ({"task_id": 2**63},)),
    "tasks": Faults(({"status": "done"},), ()),
    "worker": Faults(({"name": 1},), ({"name": ""},)),
    "forget": Faults(({"task_id": 4.0},), ({"task_id": LOWEST - 1},)),
    "forget_worker": Faults(WORKER_TYPES, WORKER_RANGES),
}


def wrong_in_several_ways(operation: str) -> list[tuple[Fault, type[Exception]]]:
    """Each fault alone, and each two in different arguments, with the error that has to come."""
    faults = FAULTS[operation]
    kinds: list[list[tuple[Fault, type[Exception]]]] = [
        [(fault, TypeError) for fault in faults.types],
        [(fault, ValueError) for fault in faults.ranges],
        [(fault, ValueError) for fault in faults.end],
        [(fault, ClockWentBackwards) for fault in faults.time],
        list(faults.state),
    ]
    calls = [call for kind in kinds for call in kind]
    for earlier, later in combinations(kinds, 2):
        for first, error in earlier:
            calls += [(second | first, error) for second, _ in later if not first.keys() & second.keys()]
    return calls


def exhausted(start: Start) -> Operations:
    """As busy as two tasks and workers can be, with no id and no token left."""
    scheduler = start(now=5, last_id=HIGHEST - 2, last_token=HIGHEST - 1)
    for worker in ("w1", "w2", "idle"):
        scheduler.add_worker(worker, 1)
        if worker != "idle":
            scheduler.add_task()
    leased(scheduler, "w2", now=6, duration=1)
    return scheduler


@pytest.mark.parametrize("operation", FAULTS)
def test_of_several_faults_the_first_in_order_is_raised_and_nothing_changes(start: Start, operation: str) -> None:
    """Types; ranges; now + duration; time; state: and neither time, lease, id nor token moves. (R1, P7)"""
    make = exhausted if operation in ("add_task", "dispatch") else busy
    scheduler, untouched = make(start), make(start)
    before = view(scheduler)
    for fault, error in wrong_in_several_ways(operation):
        named = sorted(fault)
        assert outcome(scheduler, operation, VALID[operation] | fault) is error, (named, error)
        assert view(scheduler) == before, (named, error)
    assert left(scheduler) == left(untouched)


def test_each_operation_with_arguments_has_faults() -> None:
    """No operation is left out. (R1)"""
    assert FAULTS.keys() == VALID.keys()
    assert {op for op, faults in FAULTS.items() if faults.time} == set(TIMED)
    assert {op for op, faults in FAULTS.items() if faults.end} == {op for op, _ in places("duration")}


def test_an_end_out_of_range_counts_before_the_time(start: Start) -> None:
    """Now + duration is the last of the ranges, and a range comes before time. (R1)"""
    scheduler = busy(start)
    for operation in ("dispatch", "renew"):
        fault = {"now": 1, "duration": HIGHEST}
        assert outcome(scheduler, operation, VALID[operation] | fault) is ValueError
        fault = {"now": 1, "duration": HIGHEST - 1}
        assert outcome(scheduler, operation, VALID[operation] | fault) is ClockWentBackwards


def test_a_dispatch_that_finds_no_token_left_does_not_advance_time(start: Start) -> None:
    """Nor does it expire anything. (R1, I4)"""
    scheduler = exhausted(start)
    before = view(scheduler)
    assert before.next_expiry == 7
    for now in (6, 7, 100):
        with pytest.raises(OverflowError):
            scheduler.dispatch("w1", now=now, duration=1)
    assert view(scheduler) == before


def test_a_bad_capacity_of_an_unknown_worker_is_a_bad_capacity(scheduler: Operations) -> None:
    """Ranges come before the state. (R1, O2)"""
    assert outcome(scheduler, "set_capacity", {"worker": "nobody", "capacity": -1}) is ValueError
    assert outcome(scheduler, "set_capacity", {"worker": "nobody", "capacity": "1"}) is TypeError
    assert outcome(scheduler, "set_capacity", {"worker": "nobody", "capacity": 0}) is UnknownWorker


def test_a_rejected_call_does_not_expire_what_its_time_would(start: Start) -> None:
    """A now that is valid by itself has no effect when something else is wrong. (R1, T3)"""
    scheduler, untouched = busy(start), busy(start)
    bad: tuple[tuple[str, Fault], ...] = (
        ("dispatch", {"worker": "", "now": 100, "duration": 1}),
        ("dispatch", {"worker": "w1", "now": 100, "duration": 0}),
        ("complete", {"task_id": 1, "token": None, "now": 100}),
        ("release", {"task_id": 2**63, "token": 1, "now": 100}),
        ("renew", {"task_id": 1, "token": 3, "now": 100, "duration": HIGHEST}),
    )
    for operation, arguments in bad:
        assert outcome(scheduler, operation, arguments) in (TypeError, ValueError)
    assert left(scheduler) == left(untouched)


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_call_answers_none_or_false(start: Start, name: str) -> None:
    """It raises nothing. (R2)"""
    operation, arguments, timed = REFUSED[name]
    answer = ask(busy(start), operation, arguments | ({"now": 7} if timed else {}))
    assert answer is (None if operation in ("dispatch", "renew") else False)


@pytest.mark.parametrize("now", [6, 7, 9, 10, 11])
@pytest.mark.parametrize("name", REFUSED_TIMED)
def test_a_refused_timed_call_does_what_advance_does_and_no_more(start: Start, name: str, now: int) -> None:
    """No id, token or attempt is used; only time has passed. (R2, P7)"""
    operation, arguments, _ = REFUSED_TIMED[name]
    scheduler, advanced = busy(start), busy(start)
    assert not outcome(scheduler, operation, arguments | {"now": now})
    advanced.advance(now=now)
    assert left(scheduler) == left(advanced)


@pytest.mark.parametrize("name", [name for name in REFUSED if name not in REFUSED_TIMED])
def test_a_refused_untimed_call_changes_nothing(start: Start, name: str) -> None:
    """However often it is made. (R2)"""
    operation, arguments, _ = REFUSED[name]
    scheduler, untouched = busy(start), busy(start)
    for _ in range(2):
        assert ask(scheduler, operation, arguments) is False
    assert left(scheduler) == left(untouched)


def test_a_dispatch_with_nothing_pending_only_lets_time_pass(start: Start) -> None:
    """It uses no token. (R2, T3)"""
    scheduler, advanced = busy(start), busy(start)
    for each in (scheduler, advanced):
        each.forget(4)
    assert scheduler.dispatch("w1", now=9, duration=1) is None
    advanced.advance(now=9)
    assert left(scheduler) == left(advanced)
