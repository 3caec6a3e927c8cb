"""Errors carry what happened, pickle, and say what was given, what is allowed and what to do."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from tenure import ClockWentBackwards, Scheduler, StoreBusy, StoreError, UnknownWorker, WorkerExists
from tenure.errors import BadFile
from tenure.operations import PARAMETERS, ask
from tenure.stores import MemoryStore

HIGHEST = 2**63 - 1
ODD_NAMES = ("w1", "x" * 255, "\n", "'", "\u202e", "\U0010ffff", "%s {0}")

ERRORS: tuple[tuple[Exception, type[Exception], dict[str, Any]], ...] = (
    (ClockWentBackwards(3, 5), ValueError, {"now": 3, "scheduler_now": 5}),
    (ClockWentBackwards(0, HIGHEST), ValueError, {"now": 0, "scheduler_now": HIGHEST}),
    *((WorkerExists(name), ValueError, {"worker": name}) for name in ODD_NAMES),
    *((UnknownWorker(name), KeyError, {"worker": name}) for name in ODD_NAMES),
)
FILES = (
    (BadFile("a.swf", 3, "too few fields"), "a.swf:3: too few fields"),
    (BadFile("a.swf", None, "empty"), "a.swf: empty"),
)


@pytest.mark.parametrize(("error", "base", "fields"), ERRORS, ids=lambda value: type(value).__name__)
class TestOwn:
    """Each of the package's own errors."""

    def test_it_is_of_the_promised_kind(self, error: Exception, base: type[Exception], fields: dict[str, Any]) -> None:
        """So that who knows only Python's errors catches it. (T1, O1, O2)"""
        assert isinstance(error, base)
        assert {name: getattr(error, name) for name in fields} == fields

    def test_it_pickles_and_copies(self, error: Exception, base: type[Exception], fields: dict[str, Any]) -> None:
        """With its fields and its text. (T1, O1, O2)"""
        for same in (copy.copy(error), *(pickle.loads(pickle.dumps(error, version)) for version in range(6))):
            assert type(same) is type(error)
            assert isinstance(same, base)
            assert {name: getattr(same, name) for name in fields} == fields
            assert str(same) == str(error)

    def test_its_text_names_each_field(self, error: Exception, base: type[Exception], fields: dict[str, Any]) -> None:
        """And is a sentence, not a quoted key. (T1, O1, O2)"""
        assert issubclass(type(error), base)
        for value in fields.values():
            assert repr(value) in str(error)
        assert str(error)[0].isalpha()


STORES = (
    (StoreError("jobs.db", "it is a folder"), "jobs.db: it is a folder", {"reason": "it is a folder"}),
    (StoreBusy("jobs.db", 0.5), "jobs.db: others kept it locked for 0.5 seconds", {"waited_seconds": 0.5}),
)


@pytest.mark.parametrize(("error", "text", "fields"), STORES, ids=["unusable", "busy"])
def test_what_a_store_raises_names_the_file_and_pickles(error: StoreError, text: str, fields: dict[str, Any]) -> None:
    """It is no ValueError, since no argument was bad. (R1)"""
    assert not isinstance(error, ValueError | KeyError | TypeError)
    for same in (copy.copy(error), *(pickle.loads(pickle.dumps(error, version)) for version in range(6))):
        assert type(same) is type(error)
        assert str(same) == str(error)
        assert str(same).startswith(text)
        assert {name: getattr(same, name) for name in fields} == fields
        assert same.path == "jobs.db"


@pytest.mark.parametrize(("error", "text"), FILES, ids=["in a line", "in none"])
def test_a_bad_file_is_named_and_so_is_its_line(error: BadFile, text: str) -> None:
    """As tools that jump to places write it."""
    assert issubclass(BadFile, ValueError)
    for same in (error, copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (same.file, same.line, same.reason) == (error.file, error.line, error.reason)
        assert str(same) == text


TELLING: tuple[tuple[str, dict[str, Any], type[Exception], tuple[str, ...]], ...] = (
    ("advance", {"now": 3}, ClockWentBackwards, ("now is 3", "already 5", "now=5 or later")),
    ("advance", {"now": -1}, ValueError, ("now", "-1", "from 0 to 2**63 - 1")),
    ("advance", {"now": 1.5}, TypeError, ("now", "int", "float")),
    ("advance", {"now": True}, TypeError, ("now", "int", "bool")),
    ("add_task", {"priority": 2**63}, ValueError, ("priority", "64 bits", "from -2**63 to 2**63 - 1")),
    ("add_task", {"priority": -(10**5000)}, ValueError, ("priority", "16610 bits")),
    ("add_task", {"payload": "x"}, TypeError, ("payload", "bytes or None", "str", "make it bytes")),
    ("add_worker", {"worker": "w1", "capacity": 1}, WorkerExists, ("'w1'", "set_capacity")),
    ("add_worker", {"worker": "w9", "capacity": 0}, ValueError, ("capacity", "from 1 ", "0")),
    ("set_capacity", {"worker": "w9", "capacity": 1}, UnknownWorker, ("'w9'", "add_worker")),
    ("set_capacity", {"worker": "w1", "capacity": -1}, ValueError, ("capacity", "from 0 ", "-1")),
    ("worker", {"name": b"w1"}, TypeError, ("worker", "str", "bytes")),
    ("worker", {"name": ""}, ValueError, ("worker", "1 to 255 characters", "''")),
    ("worker", {"name": "x" * 10**6}, ValueError, ("1 to 255 characters", "one of 1000000 characters")),
    ("worker", {"name": "\ud800\0"}, ValueError, ("UTF-8", "NUL", r"'\ud800\x00'")),
    ("tasks", {"status": "done"}, TypeError, ("status", "Status or None", "str", "Status('pending')")),
    (
        "dispatch",
        {"worker": "w1", "now": 7, "duration": HIGHEST},
        ValueError,
        ("now + duration", f"7 + {HIGHEST}", f"at most {HIGHEST - 7} fits"),
    ),
    ("renew", {"task_id": 1, "token": 10**5000, "now": 7, "duration": 1}, ValueError, ("token", "16610 bits")),
)


@pytest.mark.parametrize(("operation", "arguments", "error", "told"), TELLING)
def test_a_rejection_says_what_was_given_what_is_allowed_and_what_to_do(
    operation: str, arguments: dict[str, Any], error: type[Exception], told: tuple[str, ...]
) -> None:
    """And it never prints a number too long to print. (R1)"""
    scheduler = Scheduler()
    scheduler.add_worker("w1", 1)
    scheduler.advance(now=5)
    with pytest.raises(error) as raised:
        ask(scheduler, operation, arguments)
    assert type(raised.value) is error
    for part in told:
        assert part in str(raised.value)
    assert len(str(raised.value)) < 400
    str(raised.value).encode()


@pytest.mark.parametrize(
    ("start", "operation", "told"), [("last_id", "add_task", "id"), ("last_token", "dispatch", "token")]
)
def test_what_is_used_up_is_named(start: str, operation: str, told: str) -> None:
    """With the way out. (I4)"""
    begin: dict[str, Any] = {start: HIGHEST}
    scheduler = Scheduler(MemoryStore(**begin))
    arguments: dict[str, Any] = {"worker": "w1", "now": 0, "duration": 1} if operation == "dispatch" else {}
    with pytest.raises(OverflowError, match=rf"no .*{told} is left: 2\*\*63 - 1 was the last, .* new scheduler"):
        ask(scheduler, operation, arguments)


GOOD: dict[str, Any] = {
    "worker": "w1",
    "name": "w1",
    "capacity": 1,
    "priority": 0,
    "payload": None,
    "status": None,
    "task_id": 1,
    "token": 1,
    "now": 0,
    "duration": 1,
}
PARAMETERS_EACH = [(op, name) for op, names in PARAMETERS.items() for name in names]


def raised_by(op: str, name: str, value: Any) -> Exception:
    """What a call with otherwise good arguments raises."""
    arguments = {each: GOOD[each] for each in PARAMETERS[op]} | {name: value}
    with pytest.raises((TypeError, ValueError)) as raised:
        ask(Scheduler(), op, arguments)
    return raised.value


@pytest.mark.parametrize(("op", "name"), PARAMETERS_EACH)
def test_a_wrong_type_is_told_with_the_parameter_and_the_type(op: str, name: str) -> None:
    """As it is called where it is given. (V1, V3, V4, O9)"""
    error = raised_by(op, name, Scheduler())
    assert type(error) is TypeError
    assert str(error).startswith(f"{name} must be ")
    assert "not Scheduler" in str(error)


@pytest.mark.parametrize(("op", "name"), PARAMETERS_EACH)
def test_a_value_out_of_range_is_told_with_the_parameter_and_the_range(op: str, name: str) -> None:
    """The first of all that are wrong. (V1, V2, V3)"""
    if name in ("payload", "status"):
        return
    error = raised_by(op, name, "" if name in ("worker", "name") else 2**63)
    assert type(error) is ValueError
    assert str(error).startswith("worker must be " if name == "name" else f"{name} must be ")
    least = {"now": "0", "duration": "1", "capacity": "0" if op == "set_capacity" else "1"}.get(name, "-2**63")
    assert name in ("worker", "name") or f"from {least} to 2**63 - 1, not an integer of 64 bits" in str(error)
