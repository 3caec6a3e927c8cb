"""V1 to V5: what an argument may be, and what is handed out."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tenure import Counts, Lease, Status, Task, Worker
from tenure.checking.views import view
from tenure.operations import PARAMETERS, Operations, ask

from . import hostile
from .situations import (
    HIGHEST,
    LEAST,
    LOWEST,
    VALID,
    Start,
    busy,
    is_plain,
    leased,
    least,
    left,
    outcome,
    places,
    ready,
    task_of,
    worker_of,
)

NUMBERS = places("capacity", "priority", "now", "duration", "task_id", "token")
NAMES = places("worker", "name")


def test_every_parameter_of_every_operation_is_tested_with_hostile_arguments() -> None:
    """No place is left out. (V1, V3, V4, O9)"""
    every = {(op, name) for op, names in PARAMETERS.items() for name in names}
    assert every == {*NUMBERS, *NAMES, ("add_task", "payload"), ("tasks", "status")}
    assert set(LEAST) == {name for _, name in NUMBERS}


@pytest.mark.parametrize(("operation", "name"), NUMBERS)
class TestNumbers:
    """In every place where a number stands."""

    def test_nothing_but_an_int_is_a_number(self, start: Start, operation: str, name: str) -> None:
        """Neither bool nor float nor Decimal nor text nor what has an index nor what claims to be an int. (V1)"""
        scheduler, untouched = busy(start), busy(start)
        before = view(scheduler)
        for index, value in enumerate((None, *hostile.NOT_NUMBERS)):
            assert outcome(scheduler, operation, VALID[operation] | {name: value}) is TypeError, index
            assert view(scheduler) == before, index
        assert left(scheduler) == left(untouched)

    def test_a_number_beyond_its_range_is_rejected(self, start: Start, operation: str, name: str) -> None:
        """Too large for 64 bits, or too small for them or for its kind, is a ValueError. (V1, V2)"""
        scheduler, untouched = busy(start), busy(start)
        before = view(scheduler)
        for index, value in enumerate((*hostile.BEYOND, *hostile.BELOW, least(operation, name) - 1)):
            assert outcome(scheduler, operation, VALID[operation] | {name: value}) is ValueError, index
            assert view(scheduler) == before, index
        assert left(scheduler) == left(untouched)

    def test_both_ends_of_its_range_are_numbers(self, start: Start, operation: str, name: str) -> None:
        """From the least of its kind to 2**63 - 1, as far as now + duration fits. (V1, V2)"""
        most = HIGHEST
        if "duration" in VALID[operation] and name in ("now", "duration"):
            most -= 4 if name == "now" else 7
        for value in (least(operation, name), most):
            answer = outcome(ready(start), operation, VALID[operation] | {name: value})
            assert not isinstance(answer, type), (value, answer)

    @pytest.mark.parametrize("kind", [hostile.RefusingInt, hostile.LyingInt])
    def test_an_int_subclass_counts_as_its_plain_value(
        self, start: Start, operation: str, name: str, kind: Callable[[int], Any]
    ) -> None:
        """Whatever it overrides; and no trace of it is kept. (V1, V5)"""
        scheduler, plain = busy(start), busy(start)
        value = VALID[operation][name]
        answer = ask(scheduler, operation, VALID[operation] | {name: kind(value)})
        assert is_plain(answer)
        assert is_plain(view(scheduler))
        assert answer == ask(plain, operation, VALID[operation])
        assert left(scheduler) == left(plain)


def test_what_a_class_says_of_itself_does_not_count(scheduler: Operations) -> None:
    """An int is a number and a bytearray no payload, whatever their classes' own class overrides. (V1, V4)"""
    assert outcome(scheduler, "add_task", {"payload": hostile.Bytelike(b"x")}) is TypeError
    assert outcome(scheduler, "add_task", {"priority": hostile.Seven(7)}) == 1
    assert task_of(scheduler, 1).priority == 7


def test_a_member_of_an_int_enum_is_a_number(scheduler: Operations) -> None:
    """It is an int subclass like any other. (V1)"""
    scheduler.add_task(priority=hostile.Small.SEVEN)
    assert is_plain(scheduler.tasks())
    assert task_of(scheduler, 1).priority == 7


@pytest.mark.parametrize("number", [0, -1, 2, 99, HIGHEST, LOWEST])
def test_a_number_that_was_never_issued_is_an_unknown_id_or_token(start: Start, number: int) -> None:
    """Any number of 64 bits may be asked for. (V1)"""
    scheduler = ready(start)
    leased(scheduler, "w1", now=0, duration=9)
    before = view(scheduler)
    assert scheduler.task(number) is None
    assert scheduler.forget(number) is False
    for task_id, token in ((number, 1), (1, number), (number, number)):
        assert scheduler.complete(task_id, token, now=0) is False
        assert scheduler.release(task_id, token, now=0) is False
        assert scheduler.renew(task_id, token, now=0, duration=5) is None
    assert view(scheduler) == before


def test_an_id_that_cannot_be_one_is_rejected_and_not_merely_unknown(scheduler: Operations) -> None:
    """A query checks its arguments as every call does. (V1, O9)"""
    assert outcome(scheduler, "task", {"task_id": 2**63}) is ValueError
    assert outcome(scheduler, "forget", {"task_id": Decimal(1)}) is TypeError


class TestRanges:
    """What each kind of number allows."""

    def test_time_starts_at_zero_and_negative_is_none(self, scheduler: Operations) -> None:
        """A time is at least 0. (V2)"""
        assert outcome(scheduler, "advance", {"now": -1}) is ValueError
        assert scheduler.advance(now=0) == ()

    def test_a_lease_lasts_at_least_one_instant(self, start: Start) -> None:
        """[t, t) would be empty. (V2)"""
        scheduler = ready(start)
        for duration in (0, -1, LOWEST):
            assert outcome(scheduler, "dispatch", {"worker": "w1", "now": 3, "duration": duration}) is ValueError
        assert leased(scheduler, "w1", now=3, duration=1).expiry == 4
        for duration in (0, -1, LOWEST):
            assert outcome(scheduler, "renew", {"task_id": 1, "token": 1, "now": 3, "duration": duration}) is ValueError
        assert scheduler.next_expiry() == 4

    def test_a_worker_is_added_with_room_and_may_be_drained_later(self, scheduler: Operations) -> None:
        """Only set_capacity takes 0. (V2)"""
        for capacity in (0, -1, LOWEST):
            assert outcome(scheduler, "add_worker", {"worker": "w1", "capacity": capacity}) is ValueError
        scheduler.add_worker("w1", 1)
        assert outcome(scheduler, "set_capacity", {"worker": "w1", "capacity": -1}) is ValueError
        scheduler.set_capacity("w1", 0)
        assert scheduler.workers() == (Worker("w1", 0, 0),)

    def test_priorities_reach_to_both_ends_and_the_larger_is_the_more_urgent(self, scheduler: Operations) -> None:
        """Any number of 64 bits is a priority. (V2, O4)"""
        scheduler.add_worker("w1", 9)
        for priority in (0, LOWEST, HIGHEST, -1, 1, LOWEST + 1, HIGHEST - 1):
            scheduler.add_task(priority)
        taken = [leased(scheduler, "w1", now=0, duration=1).task_id for _ in range(7)]
        assert [task_of(scheduler, task_id).priority for task_id in taken] == [
            *(HIGHEST, HIGHEST - 1, 1, 0, -1, LOWEST + 1, LOWEST)
        ]

    def test_the_end_of_a_lease_must_itself_be_a_time(self, start: Start) -> None:
        """Now + duration is at most 2**63 - 1. (V2)"""
        scheduler = ready(start)
        beyond = {"now": 10, "duration": HIGHEST - 9}
        assert outcome(scheduler, "dispatch", {"worker": "w1"} | beyond) is ValueError
        assert leased(scheduler, "w1", now=10, duration=HIGHEST - 10).expiry == HIGHEST
        assert outcome(scheduler, "renew", {"task_id": 1, "token": 1} | beyond) is ValueError
        renewed = scheduler.renew(1, 1, now=11, duration=HIGHEST - 11)
        assert renewed is not None
        assert renewed.expiry == HIGHEST


class TestNames:
    """In every place where a worker's name stands."""

    @pytest.mark.parametrize(("operation", "name"), NAMES)
    def test_nothing_but_a_str_is_a_name(self, start: Start, operation: str, name: str) -> None:
        """Another type is a TypeError. (V3)"""
        scheduler, untouched = busy(start), busy(start)
        for index, value in enumerate(hostile.NOT_NAMES):
            assert outcome(scheduler, operation, VALID[operation] | {name: value}) is TypeError, index
        assert left(scheduler) == left(untouched)

    @pytest.mark.parametrize(("operation", "name"), NAMES)
    def test_an_unfit_string_is_no_name(self, start: Start, operation: str, name: str) -> None:
        """Empty, over 255 characters, with NUL, or not encodable: a ValueError. (V3)"""
        scheduler, untouched = busy(start), busy(start)
        for index, value in enumerate(hostile.UNFIT_NAMES):
            assert outcome(scheduler, operation, VALID[operation] | {name: value}) is ValueError, index
        assert left(scheduler) == left(untouched)

    def test_fit_names_are_kept_unchanged_and_compared_exactly(self, scheduler: Operations) -> None:
        """Case, accents however written, width and blanks all count. (V3)"""
        for name in hostile.NAMES:
            scheduler.add_worker(name, 1)
            scheduler.add_task()
        assert tuple(worker.name for worker in scheduler.workers()) == hostile.NAMES
        for name in hostile.NAMES:
            assert leased(scheduler, name, now=0, duration=1).worker == name
            assert worker_of(scheduler, name) == Worker(name, 1, 1)

    @pytest.mark.parametrize("kind", [hostile.RefusingStr, hostile.LyingStr])
    @pytest.mark.parametrize(("operation", "name"), NAMES)
    def test_a_str_subclass_counts_as_its_plain_value(
        self, start: Start, operation: str, name: str, kind: Callable[[str], Any]
    ) -> None:
        """Whatever it overrides; and no trace of it is kept. (V3, V5)"""
        scheduler, plain = busy(start), busy(start)
        answer = ask(scheduler, operation, VALID[operation] | {name: kind(VALID[operation][name])})
        assert is_plain(answer)
        assert is_plain(view(scheduler))
        assert answer == ask(plain, operation, VALID[operation])
        assert left(scheduler) == left(plain)

    def test_a_member_of_a_str_enum_is_a_name(self, scheduler: Operations) -> None:
        """It is a str subclass like any other. (V3, V5)"""
        scheduler.add_worker(hostile.Named.PRESS, 1)
        assert is_plain(scheduler.workers())
        assert scheduler.workers() == (Worker("press", 1, 0),)


PAYLOADS = (b"", b"\0", bytes(range(256)), "\N{SNOWMAN}".encode(), b"\xff\xfe\xff", b"x" * 1_000_000)


class TestPayloads:
    """Opaque, and kept."""

    def test_nothing_but_bytes_or_none_is_a_payload(self, scheduler: Operations) -> None:
        """Neither bytearray nor memoryview nor text. (V4)"""
        for index, value in enumerate(hostile.NOT_PAYLOADS):
            assert outcome(scheduler, "add_task", {"payload": value}) is TypeError, index
        assert scheduler.tasks() == ()

    @pytest.mark.parametrize("payload", [None, *PAYLOADS], ids=lambda value: repr(value)[:12])
    def test_a_payload_comes_back_byte_for_byte(self, scheduler: Operations, payload: bytes | None) -> None:
        """With the task and with each lease; nothing is not the same as empty. (V4, L3)"""
        scheduler.add_worker("w1", 1)
        scheduler.add_task(payload=payload)
        granted = leased(scheduler, "w1", now=0, duration=2)
        renewed = scheduler.renew(1, 1, now=1, duration=2)
        (expired,) = scheduler.advance(now=3)
        again = leased(scheduler, "w1", now=3, duration=1)
        assert renewed is not None
        for lease in (granted, renewed, expired, again, *scheduler.leases()):
            assert lease.payload == payload
            assert type(lease.payload) is type(payload)
        assert task_of(scheduler, 1).payload == payload

    @pytest.mark.parametrize("kind", [hostile.RefusingBytes, hostile.LyingBytes])
    def test_a_bytes_subclass_is_kept_as_plain_bytes(self, scheduler: Operations, kind: Callable[[bytes], Any]) -> None:
        """Whatever it overrides. (V4, V5)"""
        for payload in (b"", b"x", bytes(range(256))):
            task_id = scheduler.add_task(payload=kind(payload))
            assert is_plain(scheduler.tasks())
            assert task_of(scheduler, task_id).payload == payload


class TestDetached:
    """What is handed out is nobody else's."""

    def test_no_field_of_a_value_can_be_set(self, start: Start) -> None:
        """What is handed out is immutable. (V5)"""
        scheduler = busy(start)
        before = view(scheduler)
        values: tuple[Any, ...] = (*scheduler.tasks(), *scheduler.workers(), *scheduler.leases(), scheduler.counts())
        assert {type(value) for value in values} == {Task, Worker, Lease, Counts}
        for value in values:
            for field in (*value._fields, "anything"):
                with pytest.raises(AttributeError):
                    setattr(value, field, 1)
                with pytest.raises(AttributeError):
                    delattr(value, field)
            assert is_plain(value)
        assert view(scheduler) == before

    def test_the_time_cannot_be_set(self, scheduler: Operations) -> None:
        """Now is read only. (V5, O9)"""
        with pytest.raises(AttributeError):
            scheduler.now = 5  # type: ignore[misc]
        assert scheduler.now == 0

    def test_several_values_come_as_a_tuple(self, start: Start) -> None:
        """And never as something that a caller could change. (V5)"""
        scheduler = busy(start)
        for collection in (
            *(scheduler.tasks(), scheduler.tasks(Status.DONE), scheduler.workers(), scheduler.leases()),
            *(scheduler.advance(now=6), scheduler.advance(now=10)),
        ):
            assert type(collection) is tuple

    def test_no_later_call_changes_what_was_handed_out(self, start: Start) -> None:
        """A value is a picture of its moment. (V5)"""
        scheduler = busy(start)
        seen, lease = view(scheduler), scheduler.leases()[0]
        kept = repr(seen), repr(lease)
        scheduler.renew(1, 3, now=7, duration=9)
        scheduler.complete(1, 3, now=8)
        scheduler.set_capacity("w1", 9)
        scheduler.add_worker("w3", 1)
        scheduler.add_task()
        expired = scheduler.advance(now=12)
        scheduler.forget(1)
        scheduler.forget_worker("w2")
        assert (repr(seen), repr(lease)) == kept
        assert repr(expired) == f"({seen.leases[1]!r},)"

    def test_what_a_caller_makes_of_a_value_does_not_reach_the_scheduler(self, start: Start) -> None:
        """Changed copies are copies. (V5)"""
        scheduler = busy(start)
        before = view(scheduler)
        lease = scheduler.leases()[0]
        lease._asdict().clear()
        lease = lease._replace(expiry=99, token=99)
        tasks = list(scheduler.tasks())
        tasks.clear()
        assert view(scheduler) == before
        assert scheduler.complete(lease.task_id, lease.token, now=6) is False
