"""Recording what a scheduler does, making recorded calls again, and reading histories."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from contract.hostile import LyingBytes, LyingInt, LyingStr, RefusingInt
from contract.situations import REFUSED, VALID, busy
from contract.walks import walk

from tenure import ClockWentBackwards, Scheduler
from tenure.checking.views import view
from tenure.history import Event, HistoryError, from_line, perform, read, recorded, to_line
from tenure.operations import PARAMETERS, Operations, ask

CALLS: list[tuple[str, dict[str, Any]]] = [
    *((op, VALID.get(op, {})) for op in PARAMETERS),
    *((call.operation, call.arguments | ({"now": 7} if call.timed else {})) for call in REFUSED.values()),
    ("advance", {"now": 5}),
    ("advance", {"now": -1}),
    ("advance", {"now": True}),
    ("advance", {"now": 10**5000}),
    ("add_task", {"priority": "1", "payload": bytearray(b"x")}),
    ("add_worker", {"worker": "w1", "capacity": 1}),
    ("set_capacity", {"worker": "nobody", "capacity": 1}),
    ("tasks", {"status": "done"}),
    ("worker", {"name": "\ud800"}),
]


@pytest.mark.parametrize(("operation", "arguments"), CALLS)
def test_a_recorded_scheduler_does_what_the_scheduler_does(operation: str, arguments: dict[str, Any]) -> None:
    """It answers or raises the same, and tells of it once. (R1, R2)"""
    events: list[Event] = []
    plain = busy(Scheduler)
    scheduler = recorded(busy(Scheduler), events.append)
    expected = perform(plain, operation, arguments)
    if expected.error is None:
        assert ask(scheduler, operation, arguments) == expected.answer
    else:
        with pytest.raises((TypeError, ValueError, KeyError)) as raised:
            ask(scheduler, operation, arguments)
        assert type(raised.value).__name__ == expected.error
    assert events == [expected]
    assert view(scheduler) == view(plain)


def test_arguments_are_told_by_name_however_they_were_given() -> None:
    """And a payload that isn't there isn't told. (O3)"""
    events: list[Event] = []
    scheduler = recorded(Scheduler(), events.append)
    scheduler.add_worker("w1", 2)
    scheduler.add_worker(capacity=2, worker="w2")
    scheduler.add_task(5)
    scheduler.add_task(payload=b"x")
    assert [event.arguments for event in events] == [
        *(
            {"worker": "w1", "capacity": 2},
            {"worker": "w2", "capacity": 2},
            {"priority": 5},
            {"priority": 0, "payload": b"x"},
        ),
    ]


def test_what_the_scheduler_raises_is_the_very_exception() -> None:
    """With its fields. (T1)"""
    scheduler = recorded(Scheduler(), lambda _: None)
    scheduler.advance(now=5)
    with pytest.raises(ClockWentBackwards) as raised:
        scheduler.advance(now=4)
    assert (raised.value.now, raised.value.scheduler_now) == (4, 5)


def test_a_recorder_has_the_operations_and_nothing_else() -> None:
    """A misspelt one is no call, and isn't told."""
    events: list[Event] = []
    scheduler: Any = recorded(Scheduler(), events.append)
    with pytest.raises(AttributeError, match="despatch"):
        scheduler.despatch("w1", now=0, duration=1)
    assert events == []
    assert scheduler.now == 0
    assert [event.op for event in events] == ["now"]


@pytest.mark.parametrize(
    ("op", "arguments", "named"),
    [
        ("add_task", (1, b"", 3), {}),
        ("add_task", (1,), {"priority": 2}),
        ("add_task", (), {"foo": 3}),
        ("dispatch", ("w1", 0, 5), {}),
        ("dispatch", ("w1",), {"now": 0}),
        ("complete", (1, 1, 5), {}),
        ("leases", (1,), {}),
    ],
)
def test_a_call_that_is_no_call_of_a_scheduler_is_none_of_a_recorder_and_is_not_told(
    op: str, arguments: tuple[Any, ...], named: dict[str, Any]
) -> None:
    """Replayed, it would be another call."""
    events: list[Event] = []
    scheduler: Any = recorded(Scheduler(), events.append)
    for each in (Scheduler(), scheduler):
        with pytest.raises(TypeError):
            getattr(each, op)(*arguments, **named)
    with pytest.raises(AttributeError):
        scheduler.now = 5
    assert events == []
    assert scheduler.counts().pending == 0


def test_recorders_can_be_stacked() -> None:
    """Each tells of the same calls. (O9)"""
    inner: list[Event] = []
    outer: list[Event] = []
    scheduler = recorded(recorded(Scheduler(), inner.append), outer.append)
    walk(scheduler, seed=1, length=50)
    assert inner == outer
    assert len(inner) > 50


@pytest.mark.parametrize("seed", range(3))
def test_a_recorded_history_read_back_and_made_again_comes_to_the_same(seed: int) -> None:
    """Through a file, call by call. (I2, T3)"""
    file = io.StringIO()
    scheduler = recorded(Scheduler(), lambda event: file.write(to_line(event) + "\n"))
    walk(scheduler, seed, 150)
    again = Scheduler()
    events = list(read(io.StringIO(file.getvalue()), "walk.jsonl"))
    assert [perform(again, event.op, event.arguments) for event in events] == events
    assert view(again) == view(scheduler)


def test_hostile_arguments_are_recorded_as_what_they_count_as() -> None:
    """A subclass as its plain value, so that the call made again does the same. (V1, V5)"""
    lines: list[str] = []
    scheduler = recorded(Scheduler(), lambda event: lines.append(to_line(event)))
    scheduler.add_worker(LyingStr("w1"), RefusingInt(2))
    scheduler.add_task(LyingInt(2**60), LyingBytes(b"abc"))
    scheduler.dispatch(LyingStr("w1"), now=LyingInt(3), duration=RefusingInt(4))
    again = Scheduler()
    for event in map(from_line, lines):
        assert perform(again, event.op, event.arguments) == event
    assert view(again) == view(scheduler)
    assert again.workers()[0].name == "w1"


def test_perform_tells_an_error_by_its_class() -> None:
    """Whatever a scheduler raises; what isn't an error of the call goes through. (R1)"""

    class Broken:
        @property
        def now(self) -> int:
            raise ZeroDivisionError

        def counts(self) -> None:
            raise KeyboardInterrupt

    broken: Any = Broken()
    assert perform(broken, "now", {}) == Event("now", {}, error="ZeroDivisionError")
    with pytest.raises(KeyboardInterrupt):
        perform(broken, "counts", {})


def test_reading_names_file_and_line_of_what_is_malformed() -> None:
    """Blank lines say nothing but are counted, and what came before was read."""
    lines = ['{"op": "now", "answer": 0}\n', "\n", "  \n", '{"op": "add_task", "answer": 1}\n', '{"op": "take"}\n']
    events = read(lines, "some.jsonl")
    assert [next(events).op, next(events).op] == ["now", "add_task"]
    with pytest.raises(HistoryError) as raised:
        next(events)
    error = raised.value
    assert (error.file, error.line) == ("some.jsonl", 5)
    assert str(error) == f"some.jsonl:5: {error.reason}"
    assert '"take"' in error.reason


@pytest.mark.parametrize("line", ["x", "[]", "{}", '{"op": "now"}', "1" * 5000, "[" * 100_000, "\ufeff{}"])
def test_each_kind_of_malformed_line_is_a_history_error(line: str) -> None:
    """A ValueError that says where, and nothing else."""
    with pytest.raises(HistoryError, match=r"^f:1: "):
        list(read([line], "f"))


def test_a_history_is_read_one_line_at_a_time() -> None:
    """So it may be longer than memory, or still be written."""

    def pipe() -> Iterator[str]:
        yield from ['{"op": "now", "answer": 0}\n'] * 5
        raise AssertionError("read ahead")

    events = read(pipe(), "pipe")
    assert [next(events).answer for _ in range(5)] == [0] * 5


def test_a_history_error_pickles_with_its_fields() -> None:
    """As all errors of the package do."""
    error = HistoryError("a.jsonl", 3, "why")
    for same in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (same.file, same.line, same.reason, str(same)) == ("a.jsonl", 3, "why", "a.jsonl:3: why")


def test_a_recorder_is_an_operations() -> None:
    """Whoever takes a scheduler takes a recorded one."""
    scheduler: Operations = recorded(Scheduler(), lambda _: None)
    assert view(scheduler) == view(Scheduler())
