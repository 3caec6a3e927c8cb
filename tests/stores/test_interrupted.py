"""A call that is cut off, or made in the middle of another, never leaves a scheduler that is wrong in silence."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

from tenure import CallInProgress, Scheduler, rules
from tenure.checking.hostile import LyingInt
from tenure.history import perform
from tenure.stores import MemoryStore

CALLS: dict[str, dict[str, Any]] = {
    "dispatch": {"worker": "w1", "now": 6, "duration": 5},
    "complete": {"task_id": 20, "token": 20, "now": 6},
    "release": {"task_id": 20, "token": 20, "now": 6},
    "renew": {"task_id": 20, "token": 20, "now": 6, "duration": 9},
    "advance": {"now": 6},
    "add_task": {"priority": 99},
    "forget": {"task_id": 30},
    "add_worker": {"worker": "w2", "capacity": 1},
    "set_capacity": {"worker": "w1", "capacity": 9},
    "forget_worker": {"worker": "idle"},
}


def busy() -> tuple[Scheduler, MemoryStore]:
    """Forty tasks, twenty of them leased, some of which end at 6 or before."""
    store = MemoryStore()
    scheduler = Scheduler(store)
    scheduler.add_worker("w1", capacity=25)
    scheduler.add_worker("idle", capacity=1)
    for _ in range(40):
        scheduler.add_task()
    for number in range(20):
        scheduler.dispatch("w1", now=0, duration=5 + number % 3 + number // 19 * 9)
    return scheduler, store


def at_depth(depth: int, call: Callable[[], Any]) -> Any:
    """Make the call so many frames further down."""
    return call() if depth == 0 else at_depth(depth - 1, call)


@pytest.mark.parametrize("op", CALLS)
def test_at_the_end_of_the_stack_a_call_is_made_or_changes_nothing_or_the_scheduler_says_that_it_was_cut_off(
    op: str,
) -> None:
    """R1, as far as Python lets us."""
    cut_off = made = 0
    frame: FrameType | None = sys._getframe()
    used = 0
    while frame is not None:
        frame, used = frame.f_back, used + 1
    for depth in range(sys.getrecursionlimit() - used - 40, sys.getrecursionlimit() - used + 2):
        scheduler, store = busy()
        before = store.canonical()
        try:
            at_depth(depth, partial(getattr(scheduler, op), **CALLS[op]))
            made += 1
        except RecursionError:
            try:
                scheduler.advance(now=0)
            except CallInProgress:
                cut_off += 1
                continue
            assert store.canonical() == before
        store.check()
    assert made
    assert cut_off < 12


def during(decision: Callable[..., Any], call: Callable[[], Any], act: Callable[[], Any]) -> Any:
    """The answer of the call, in the middle of whose decision something else acts, as a signal handler may."""

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is decision.__code__:
            sys.setprofile(None)
            act()

    sys.setprofile(profile)
    try:
        return call()
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("op", CALLS)
def test_a_call_in_the_middle_of_another_is_turned_away_and_the_other_is_made(op: str) -> None:
    scheduler, store = busy()
    turned_away = []
    for _ in range(2):  # not just the first one
        during(
            rules.granted,
            lambda: scheduler.dispatch("w1", now=0, duration=50),
            lambda: turned_away.append(perform(scheduler, op, CALLS[op]).error),
        )
    assert turned_away == ["CallInProgress"] * 2
    store.check()
    assert len(scheduler.leases()) == 22
    assert scheduler.advance(now=5)


def test_a_scheduler_that_was_cut_off_while_it_wrote_says_so_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler, store = busy()

    def cut_off(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(store._leases), "add", cut_off)
        with pytest.raises(KeyboardInterrupt):
            scheduler.dispatch("w1", now=0, duration=5)
    for op, arguments in CALLS.items():
        with pytest.raises(CallInProgress, match="cut off while it wrote"):
            getattr(scheduler, op)(**arguments)


@pytest.mark.parametrize("of", [lambda: MemoryStore(), lambda: Scheduler()], ids=["store", "scheduler"])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickle.dumps])
def test_a_scheduler_is_not_duplicated_since_both_would_grant_the_same_tokens(
    of: Callable[[], Any], duplicate: Callable[[Any], Any]
) -> None:
    """No token is used twice. (I2)"""
    with pytest.raises(TypeError, match="both would grant the same tokens"):
        duplicate(of())


@pytest.mark.parametrize("name", ["now", "last_id", "last_token"])
@pytest.mark.parametrize("value", [-1, 2**63, 1.5, True, "1", None])
def test_a_store_begins_only_at_numbers_from_0(name: str, value: Any) -> None:
    """V1, V2."""
    with pytest.raises((TypeError, ValueError), match=name):
        MemoryStore(**{name: value})


def test_a_store_begins_at_plain_numbers() -> None:
    """Whatever a subclass says of itself. (V1, V5)"""
    store = MemoryStore(now=LyingInt(4), last_id=LyingInt(9), last_token=LyingInt(2))
    told = store.canonical()
    assert [type(number) for number in told[:3]] == [int] * 3
    assert told[:3] == (4, 9, 2)
