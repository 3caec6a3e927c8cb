"""A call on a SQLite store that is cut off has been made or has changed nothing, and a new store goes on."""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tenure import CallInProgress, Scheduler
from tenure.values import Internal

from .files import quick
from .test_interrupted import CALLS, at_depth


def filled(path: Path) -> Scheduler:
    """Forty tasks, twenty of them leased, some of which end at 6 or before."""
    scheduler = Scheduler(quick(path, busy_seconds=0.5))
    scheduler.add_worker("w1", capacity=25)
    scheduler.add_worker("idle", capacity=1)
    for _ in range(40):
        scheduler.add_task()
    for number in range(20):
        scheduler.dispatch("w1", now=0, duration=5 + number % 3 + number // 19 * 9)
    return scheduler


def state(path: Path) -> Internal:
    """What another store finds in the file."""
    store = quick(path, busy_seconds=0)
    store.check()
    found = store.canonical()
    store.close()
    return found


@pytest.mark.parametrize("op", CALLS)
def test_at_the_end_of_the_stack_a_call_is_made_or_changes_nothing(tmp_path: Path, op: str) -> None:
    """And where the store can't be used any more it says so, and closing it frees the file. (R1)"""
    cut_off = made = 0
    frame, used = sys._getframe(), 0
    walked: FrameType | None = frame
    while walked is not None:
        walked, used = walked.f_back, used + 1
    scheduler = filled(tmp_path / "0.db")
    before = state(tmp_path / "0.db")
    getattr(scheduler, op)(**CALLS[op])
    after = state(tmp_path / "0.db")
    numbers = count(1)
    path = tmp_path / "1.db"
    scheduler = filled(path)
    for depth in range(sys.getrecursionlimit() - used - 25, sys.getrecursionlimit() - used + 2):
        try:
            at_depth(depth, partial(getattr(scheduler, op), **CALLS[op]))
            made += 1
            assert state(path) == after
        except RecursionError:
            try:
                scheduler.counts()
            except CallInProgress:
                cut_off += 1
                scheduler.close()
                scheduler = Scheduler(quick(path, busy_seconds=0.5))
            assert state(path) == before
            continue
        path = tmp_path / f"{next(numbers)}-again.db"
        scheduler = filled(path)
    assert made
    assert cut_off < 12


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
def test_a_call_that_a_signal_handler_cuts_off_is_whole_or_nothing(path: Path) -> None:
    """Hundreds of times, wherever it comes: every task that was answered is there. (R1)"""

    class Cut(Exception):
        """Raised by the handler."""

    def handler(*_: Any) -> None:
        raise Cut

    previous = signal.signal(signal.SIGALRM, handler)
    scheduler = Scheduler(quick(path, busy_seconds=0.5))
    answered: list[int] = []
    cuts = 0
    try:
        while cuts < 200:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0001 + 0.000_01 * (cuts % 90))
                while True:
                    answered.append(scheduler.add_task(1, b"x"))
            except Cut:
                cuts += 1
            except CallInProgress:
                signal.setitimer(signal.ITIMER_REAL, 0)
                scheduler.close()
                scheduler = Scheduler(quick(path, busy_seconds=0.5))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    scheduler.close()
    found = state(path)
    assert set(answered) <= {task.id for task in found.tasks}
    assert found.last_id - len(answered) <= cuts
    assert os.path.exists(path)
