"""Values of any form that have the contract's fields are read, and what can't be read agrees with nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace
from typing import Any

import pytest

from tenure import Counts, Lease, Status, Task, Worker
from tenure.checking.targets.numbering import Numbering
from tenure.checking.targets.reading import Reader
from tenure.wire import Odd

LEASE = {"task_id": 1, "worker": "w1", "token": 1, "attempt": 1, "start": 5, "expiry": 10, "payload": b"x"}
TASK = {"id": 1, "priority": 5, "payload": b"x", "status": "running", "attempts": 1, "lease": LEASE}
READ_LEASE = Lease(1, "w1", 1, 1, 5, 10, b"x")
READ_TASK = Task(1, 5, b"x", Status.RUNNING, 1, READ_LEASE)


class State(Enum):
    """A status of the scheduler's own, by names in capitals."""

    PENDING = 0
    RUNNING = 1
    DONE = 2


class Phase(Enum):
    """The same by values, under names that say nothing."""

    A = "pending"
    B = "running"
    C = "done"


@dataclass
class Held:
    """A lease with more than it needs."""

    task_id: int
    worker: str
    token: int
    attempt: int
    start: int
    expiry: int
    payload: bytes | None = None
    remark: str = ""


def read(op: str, own: Any, how: str = "exact", *, from_json: bool = False) -> Any:
    return Reader(Numbering(how), Numbering(how), from_json=from_json).answer(op, own)


@pytest.mark.parametrize("form", [dict, lambda **fields: Held(**fields), lambda **fields: SimpleNamespace(**fields)])
def test_a_lease_is_whatever_has_its_fields(form: Any) -> None:
    assert read("dispatch", form(**LEASE)) == READ_LEASE
    assert read("advance", [form(**LEASE)]) == (READ_LEASE,)


@pytest.mark.parametrize("status", [Status.RUNNING, "running", "RUNNING", State.RUNNING, Phase.B])
def test_a_status_is_a_status_its_name_or_a_member_of_such_a_name_or_value(status: Any) -> None:
    assert read("task", {**TASK, "status": status}) == READ_TASK


@pytest.mark.parametrize("many", [list, tuple, iter, lambda items: (item for item in items)])
def test_several_values_come_in_anything_that_can_be_gone_through(many: Any) -> None:
    assert read("tasks", many([TASK])) == (READ_TASK,)
    assert read("leases", many([])) == ()


def test_the_other_values_are_read_alike() -> None:
    counts = SimpleNamespace(done=3, running=2, pending=1)
    assert read("counts", counts) == Counts(pending=1, running=2, done=3)
    assert read("workers", [{"name": "w", "capacity": 2, "held": 1}]) == (Worker("w", 2, 1),)
    assert read("task", {**TASK, "lease": None, "status": "done"}).lease is None
    assert (read("now", 7), read("next_expiry", None), read("next_expiry", 9)) == (7, None, 9)


@pytest.mark.parametrize(("own", "truth"), [(True, True), (False, False), (None, False)])
def test_a_refusal_is_none_or_false(own: Any, truth: bool) -> None:
    assert read("complete", own) is truth
    assert read("forget", own) is truth
    if not truth:
        assert read("dispatch", own) is None


def test_a_payload_may_be_left_out() -> None:
    fields = {name: value for name, value in LEASE.items() if name != "payload"}
    assert read("dispatch", fields) == READ_LEASE._replace(payload=None)
    assert read("task", {**TASK, "payload": None, "lease": fields}).lease.payload is None


class Moody:
    """A value that raises when it is looked at."""

    @property
    def task_id(self) -> int:
        raise RuntimeError("closed")


def failing() -> Any:
    yield LEASE
    raise OSError("lost")


@pytest.mark.parametrize(
    ("op", "own", "said"),
    [
        ("dispatch", {**LEASE, "token": "1"}, None),
        ("dispatch", {**LEASE, "expiry": 10.0}, "10.0 is no integer"),
        ("dispatch", {**LEASE, "expiry": True}, "True is no integer"),
        ("dispatch", {**LEASE, "expiry": "9007199254740993"}, "is no integer"),  # only in JSON is that a number
        ("dispatch", {**LEASE, "worker": None}, "None is no name"),
        ("dispatch", {**LEASE, "payload": "x"}, "payload 'x' is no bytes"),
        ("dispatch", {**LEASE, "payload": bytearray(b"x")}, "is no bytes"),
        ("dispatch", {"task_id": 1}, "it has no worker"),
        ("dispatch", True, "it has no task_id"),
        ("dispatch", Moody(), "RuntimeError('closed')"),
        ("advance", None, "it is no list"),
        ("advance", 5, "it is no list"),
        ("advance", LEASE, "it is no list"),
        ("advance", "leases", "it is no list"),
        ("advance", failing(), "OSError('lost')"),
        ("complete", 1, "it is neither true nor false"),
        ("complete", "yes", "it is neither true nor false"),
        ("task", {**TASK, "status": "lost"}, "'lost' is no status"),
        ("task", {**TASK, "status": 1}, "1 is no status"),
        ("counts", {"pending": 0, "running": 0}, "it has no done"),
        ("worker", {"name": "w", "capacity": 1}, "it has no held"),
        ("now", None, "None is no integer"),
    ],
)
def test_what_can_not_be_read_agrees_with_nothing_and_says_why(op: str, own: Any, said: str | None) -> None:
    found = read(op, own)
    if said is None:
        assert isinstance(found.token, Odd)
    else:
        assert isinstance(found, Odd)
        assert said in found.repr


def test_a_value_that_can_not_even_be_shown_is_told_by_its_type() -> None:
    class Secret:
        def __repr__(self) -> str:
            raise ValueError("no")

    assert read("now", Secret()) == Odd(
        "Secret", "a Secret that can't be shown: a Secret that can't be shown is no integer"
    )


# -- from JSON


def test_in_json_wide_integers_are_strings_and_payloads_base64() -> None:
    wide = {**LEASE, "token": "9223372036854775807", "expiry": "9007199254740993", "payload": "eA=="}
    found = read("dispatch", wide, from_json=True)
    assert (found.token, found.expiry, found.payload) == (2**63 - 1, 2**53 + 1, b"x")
    assert read("add_task", "9223372036854775807", from_json=True) == 2**63 - 1


@pytest.mark.parametrize("payload", ["eA", "e A==", "?", "eA=", "-_-_"])
def test_in_json_a_payload_is_standard_base64_with_padding(payload: str) -> None:
    found = read("dispatch", {**LEASE, "payload": payload}, from_json=True)
    assert isinstance(found, Odd)
    assert "is not base64" in found.repr


def test_a_number_may_always_come_as_a_number() -> None:
    """However wide: who reads it exactly needs no string."""
    assert read("now", 2**63 - 1, from_json=True) == 2**63 - 1


@pytest.mark.parametrize("small", ["5", "0", "-1", "05", "1e3", ""])
def test_a_small_number_in_a_string_is_a_mistake(small: str) -> None:
    assert isinstance(read("now", small, from_json=True), Odd)


def test_ids_of_an_opaque_scheduler_may_look_like_numbers() -> None:
    reader = Reader(Numbering("opaque"), Numbering("opaque"), from_json=True)
    assert [reader.answer("add_task", own) for own in ("9007199254740993", 9007199254740993)] == [1, 2]


def test_fields_that_nobody_knows_are_ignored() -> None:
    assert read("dispatch", {"since": 3, **LEASE, "payload": None}, from_json=True) == READ_LEASE._replace(payload=None)
