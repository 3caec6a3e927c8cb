"""Ids and tokens of any form stand for 1, 2, 3, ..., and one that breaks its promise agrees with nothing."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from tenure.checking.hostile import LyingInt
from tenure.checking.targets.numbering import FAR, Numbering
from tenure.wire import Odd


def having(how: str, *told: Any) -> Numbering:
    """One that was told these."""
    numbering = Numbering(how)
    for own in told:
        numbering.told(own)
    return numbering


def test_exact_numbers_stand_for_themselves() -> None:
    numbering = Numbering("exact")
    assert [numbering.told(own) for own in (1, 2, 7, 0, -1)] == [1, 2, 7, 0, -1]
    assert [numbering.given(number) for number in (1, 99, True, "1", None)] == [1, 99, True, "1", None]
    assert numbering.known(99)


@pytest.mark.parametrize("own", [True, None, "1", 1.0, [1]])
def test_an_exact_number_is_an_integer(own: Any) -> None:
    assert isinstance(Numbering("exact").told(own), Odd)


@pytest.mark.parametrize("how", ["increasing", "opaque"])
def test_others_are_numbered_in_the_order_in_which_they_appear(how: str) -> None:
    numbering = Numbering(how)
    assert [numbering.told(own) for own in (10, 20, 10, 35)] == [1, 2, 1, 3]
    assert [numbering.given(number) for number in (1, 2, 3)] == [10, 20, 35]


@pytest.mark.parametrize("owns", [("b", "a"), (UUID(int=2), UUID(int=1)), (("x", 2), ("x", 1)), (7, 3)])
def test_opaque_ones_are_whatever_can_be_looked_up_again(owns: tuple[Any, Any]) -> None:
    numbering = Numbering("opaque")
    assert [numbering.told(own) for own in (*owns, *owns)] == [1, 2, 1, 2]
    assert (numbering.given(1), numbering.given(2)) == owns


@pytest.mark.parametrize("how", ["increasing", "opaque"])
@pytest.mark.parametrize("own", [True, False, None, [1], {}])
def test_what_is_no_number_of_any_kind_agrees_with_nothing(how: str, own: Any) -> None:
    """True and False are not 1 and 0, though they are equal to them."""
    numbering = having(how, 0, 1)
    assert isinstance(numbering.told(own), Odd)
    assert numbering.told(2) == 3


@pytest.mark.parametrize("own", [9, 5, -1, "11", 10.5])
def test_increasing_ones_are_integers_above_the_last(own: Any) -> None:
    numbering = having("increasing", 10)
    found = numbering.told(own)
    assert isinstance(found, Odd)
    assert "after 10, and must be an integer above it" in found.repr


def test_one_never_issued_is_sent_in_the_scheduler_s_own_form() -> None:
    assert having("increasing", 10).given(5) == FAR + 5
    assert having("opaque", "a").given(5) == "unknown-5"
    assert having("opaque", 7).given(5) == FAR + 5
    assert Numbering("opaque").given(0) == "unknown-0"


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63)])
def test_one_never_issued_fits_into_64_bits_and_was_not_issued(number: int) -> None:
    given = having("increasing", 10).given(number)
    assert -(2**63) <= given < 2**63
    assert given != 10


def test_it_knows_which_can_be_sent_before_more_is_told() -> None:
    numbering = having("opaque", "a")
    assert numbering.known(1)
    assert not numbering.known(2)
    assert numbering.known("as it is")


def test_an_argument_that_lies_stands_for_its_plain_value() -> None:
    """Else a scheduler would be blamed for not knowing it. (V1)"""
    numbering = having("opaque", "a", "b")
    assert (numbering.given(LyingInt(2)), numbering.given(LyingInt(3))) == ("b", "unknown-3")
    assert numbering.known(LyingInt(2)) and not numbering.known(LyingInt(3))
    assert numbering.given(True) is True
