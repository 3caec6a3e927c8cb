"""The decisions, called directly at their boundaries."""

from __future__ import annotations

from typing import Any

import pytest
from contract.hostile import LyingBytes, LyingInt, LyingStr, RefusingBytes, RefusingInt, RefusingStr

from tenure import ClockWentBackwards, Lease, Status, UnknownWorker, WorkerExists, rules
from tenure.rules import HIGHEST, LOWEST

LEASE = Lease(1, "w1", 3, 1, 5, 10, b"x")
OTHER = Lease(2, "w2", 4, 1, 5, 10, None)


@pytest.mark.parametrize(
    ("rule", "given", "plain"),
    [
        (rules.number, LyingInt(7), 7),
        (rules.number, RefusingInt(-(2**70)), -(2**70)),
        (rules.text, LyingStr("w1"), "w1"),
        (rules.text, RefusingStr(""), ""),
        (rules.opaque, LyingBytes(b"x"), b"x"),
        (rules.opaque, RefusingBytes(b""), b""),
        (rules.opaque, None, None),
    ],
    ids=["lying int", "refusing int", "lying str", "refusing str", "lying bytes", "refusing bytes", "None"],
)
def test_a_subclass_counts_as_its_plain_value(rule: Any, given: Any, plain: Any) -> None:
    """Of exact type, whatever it overrides. (V1, V5)"""
    assert rule("argument", given) == plain
    assert type(rule("argument", given)) is type(plain)


def test_what_is_plain_already_is_not_copied() -> None:
    """A payload of any size costs nothing. (V4)"""
    payload = b"x" * 1000
    assert rules.opaque("payload", payload) is payload


@pytest.mark.parametrize(
    ("value", "lowest", "fits"),
    [
        (LOWEST, LOWEST, True),
        (LOWEST - 1, LOWEST, False),
        (HIGHEST, LOWEST, True),
        (HIGHEST + 1, LOWEST, False),
        (0, 0, True),
        (-1, 0, False),
        (1, 1, True),
        (0, 1, False),
    ],
)
def test_a_range_has_both_its_ends(value: int, lowest: int, fits: bool) -> None:
    """And nothing beyond. (V1, V2)"""
    if fits:
        rules.within("number", value, lowest)
    else:
        with pytest.raises(ValueError, match=r"number must be from .* to 2\*\*63 - 1, not"):
            rules.within("number", value, lowest)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0, "0"), (HIGHEST, str(HIGHEST)), (LOWEST, str(LOWEST))),
        *((HIGHEST + 1, "an integer of 64 bits"), (10**5000, "an integer of 16610 bits")),
    ],
    ids=lambda value: f"{value:.12}" if isinstance(value, str) else hex(value)[:20],
)
def test_a_number_is_shown_only_if_it_can_be(value: int, text: str) -> None:
    """Python refuses to print one of too many digits. (V1)"""
    assert rules.shown(value) == text


@pytest.mark.parametrize(("now", "duration"), [(0, 1), (0, HIGHEST), (HIGHEST - 1, 1), (5, 5)])
def test_a_lease_is_over_at_the_sum(now: int, duration: int) -> None:
    """As long as that is a time. (V2, T4)"""
    assert rules.expiry_of(now, duration) == now + duration


@pytest.mark.parametrize(
    ("now", "duration", "told"),
    [
        (0, 0, "duration must"),
        (-1, 5, "now must"),
        (-1, 0, "now must"),
        (HIGHEST + 1, 1, "now must"),
        (0, HIGHEST + 1, "duration must"),
        (HIGHEST, 1, "now [+] duration must"),
        (1, HIGHEST, "now [+] duration must"),
        (HIGHEST, -HIGHEST, "duration must"),
        (10**5000, -(10**5000) + 5, "now must"),
    ],
    ids=lambda value: f"{value:.12}" if isinstance(value, str) else hex(value)[:20],
)
def test_an_end_that_is_no_time_is_told_by_what_is_wrong(now: int, duration: int, told: str) -> None:
    """The sum last. (V2, R1)"""
    with pytest.raises(ValueError, match=f"^{told}"):
        rules.expiry_of(now, duration)


def test_a_lease_is_over_at_its_expiry_and_not_after_it() -> None:
    """The one boundary of the whole package. (T3, T4)"""
    for now in (0, 1, HIGHEST):
        assert rules.last_over(now) == now


def test_time_does_not_go_back() -> None:
    """Equal is fine. (T1)"""
    rules.check_time(5, 5)
    rules.check_time(5, 6)
    with pytest.raises(ClockWentBackwards):
        rules.check_time(5, 4)


def test_numbers_go_up_to_the_last() -> None:
    """And then there is none. (I1, I2, I4)"""
    assert rules.next_number(0, "task id") == 1
    assert rules.next_number(HIGHEST - 1, "task id") == HIGHEST
    with pytest.raises(OverflowError, match="task id"):
        rules.next_number(HIGHEST, "task id")


def granted(**changed: Any) -> Lease | None:
    """A dispatch at 10 that is granted, unless something is changed."""
    situation: dict[str, Any] = {
        "scheduler_now": 10,
        "last_token": 4,
        "ending": (),
        "load": (2, 1),
        "task_id": 7,
        "content": (2, b"y"),
        "worker": "w1",
        "now": 10,
        "expiry": 15,
    }
    return rules.granted(**situation | changed)


def test_a_granted_lease_has_the_next_token_and_attempt() -> None:
    """And is of the exact type. (O4, I2, L4)"""
    lease = granted()
    assert type(lease) is Lease
    assert lease == Lease(7, "w1", 5, 3, 10, 15, b"y")


@pytest.mark.parametrize(
    ("load", "ending", "room"),
    [
        ((1, 0), (), True),
        ((1, 1), (), False),
        ((1, 2), (), False),
        ((0, 0), (), False),
        ((1, 1), (LEASE,), True),
        ((1, 1), (OTHER,), False),
        ((1, 2), (LEASE, OTHER), False),
        ((2, 2), (OTHER, LEASE), True),
        ((0, 1), (LEASE,), False),
        (None, (LEASE,), False),
    ],
)
def test_a_worker_has_room_below_its_capacity_once_what_ends_is_gone(
    load: tuple[int, int] | None, ending: tuple[Lease, ...], room: bool
) -> None:
    """Only its own leases free its slots. (O4, T3)"""
    assert (granted(load=load, ending=ending) is not None) is room


def test_nothing_pending_is_a_refusal() -> None:
    """Whoever asks. (O4, R2)"""
    assert granted(task_id=None) is None


@pytest.mark.parametrize("changed", [{}, {"load": None}, {"task_id": None}, {"load": (1, 1)}])
def test_a_dispatch_is_rejected_before_it_is_refused(changed: dict[str, Any]) -> None:
    """Time first, then the tokens. (R1, I4)"""
    with pytest.raises(OverflowError):
        granted(last_token=HIGHEST, **changed)
    with pytest.raises(ClockWentBackwards):
        granted(last_token=HIGHEST, now=9, **changed)


@pytest.mark.parametrize(
    ("token", "now", "live"),
    [(3, 5, True), (3, 9, True), (3, 10, False), (3, 11, False), (2, 9, False), (4, 9, False)],
)
def test_a_lease_is_current_until_its_expiry_by_its_token(token: int, now: int, live: bool) -> None:
    """The store may still tell it; the decision is made here. (T3, T4, O5)"""
    assert rules.current(5, LEASE, token, now, rules.last_over(now)) == (LEASE if live else None)


def test_no_lease_is_no_current_lease_and_time_is_checked_first() -> None:
    """In either case. (O5, T1)"""
    assert rules.current(5, None, 3, 5, rules.last_over(5)) is None
    for lease in (None, LEASE):
        with pytest.raises(ClockWentBackwards):
            rules.current(5, lease, 3, 4, rules.last_over(4))


def test_a_renewal_changes_the_expiry_and_nothing_else() -> None:
    """Earlier or later. (O6, I3)"""
    for expiry in (6, 10, HIGHEST):
        assert rules.renewed(LEASE, expiry) == Lease(1, "w1", 3, 1, 5, expiry, b"x")


def test_workers_are_added_once_and_set_when_known() -> None:
    """Whatever they hold. (O1, O2)"""
    rules.check_new("w1", None)
    rules.check_known("w1", (0, 0))
    with pytest.raises(WorkerExists):
        rules.check_new("w1", (0, 0))
    with pytest.raises(UnknownWorker):
        rules.check_known("w1", None)


def test_what_holds_no_lease_may_be_forgotten() -> None:
    """Tasks by their status, workers by their load. (O10, O11)"""
    assert {status: rules.forgettable(status) for status in (None, *Status)} == {
        None: False,
        Status.PENDING: True,
        Status.RUNNING: False,
        Status.DONE: True,
    }
    assert [rules.dismissible(load) for load in (None, (0, 0), (5, 0), (0, 1), (5, 5))] == [
        *(False, True, True, False, False),
    ]


@pytest.mark.parametrize(("length", "shown"), [(99, 99), (100, 100), (101, 103)])
def test_a_message_names_a_type_but_not_at_any_length(length: int, shown: int) -> None:
    """Nor by what its metaclass makes of the question. (V1)"""

    class Renamed(type):
        @property
        def __name__(cls) -> str:  # type: ignore[override]
            raise ValueError("no name")

    kind = Renamed("k" * length, (), {})
    assert len(rules.name_of(kind)) == shown
    assert rules.name_of(kind)[:99] == "k" * 99
    assert rules.name_of(kind).endswith("k" if length < 101 else "k...")
    assert rules.name_of(kind).count("k") == min(length, 100)
