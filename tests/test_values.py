"""The values as such: their fields, and that they are plain and immutable."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import tenure
from tenure import Counts, Lease, Status, Task, Worker

LEASE = Lease(task_id=2, worker="w1", token=7, attempt=3, start=5, expiry=9, payload=b"x")
VALUES: tuple[Any, ...] = (
    LEASE,
    Task(id=2, priority=-1, payload=b"x", status=Status.RUNNING, attempts=3, lease=LEASE),
    Task(id=3, priority=0, payload=None, status=Status.DONE, attempts=1, lease=None),
    Worker(name="w1", capacity=1, held=1),
    Counts(pending=0, running=1, done=1),
)


def test_statuses_have_the_names_of_the_contract() -> None:
    """Three, and no more. (L1)"""
    assert [status.value for status in Status] == ["pending", "running", "done"]


def test_the_fields_stand_in_the_promised_order() -> None:
    """They can be unpacked. (L3, L4)"""
    assert {type(value).__name__: value._fields for value in VALUES} == {
        "Lease": ("task_id", "worker", "token", "attempt", "start", "expiry", "payload"),
        "Task": ("id", "priority", "payload", "status", "attempts", "lease"),
        "Worker": ("name", "capacity", "held"),
        "Counts": ("pending", "running", "done"),
    }


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
class TestEach:
    """Each kind of value."""

    def test_a_value_cannot_be_changed(self, value: Any) -> None:
        """Neither a field nor a place, nor can anything be added. (V5)"""
        for field in (*value._fields, "other"):
            with pytest.raises(AttributeError):
                setattr(value, field, 1)
        with pytest.raises(TypeError):
            value[0] = 1
        assert not hasattr(value, "__dict__")

    def test_a_value_is_equal_to_its_copies_and_can_be_kept_in_a_set(self, value: Any) -> None:
        """And goes to another process unchanged. (V5)"""
        for same in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert same == value
            assert type(same) is type(value)
            assert {same, value} == {value}

    def test_a_value_is_written_as_what_would_make_it(self, value: Any) -> None:
        """All but a status, which is an enumeration's member. (V5)"""
        text = repr(value).replace("<Status.RUNNING: 'running'>", "Status.RUNNING")
        text = text.replace("<Status.DONE: 'done'>", "Status.DONE")
        assert eval(text, vars(tenure)) == value


def test_a_lease_needs_no_payload() -> None:
    """None stands for none. (V4)"""
    assert Lease(1, "w1", 1, 1, 0, 5).payload is None
