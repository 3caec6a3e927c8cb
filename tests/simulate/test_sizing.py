"""A sizing is written as it is read, and each further attempt gets twice the lease."""

from __future__ import annotations

import pytest

from tenure.simulate.sizing import LONGEST, doubled, parse


@pytest.mark.parametrize("label", ["asked", "asked+1", "asked+1099511627776", "1", "3600"])
def test_a_sizing_is_written_as_it_is_read(label: str) -> None:
    assert parse(label).label == label


def test_zeros_say_nothing_in_a_sizing() -> None:
    assert (parse("asked+0"), parse("060")) == (parse("asked"), parse("60"))


@pytest.mark.parametrize(
    "label", ["", "ask", "asked+", "asked-1", "asked60", "+60", "1.5", "-1", "6 0", "\u0661", "9" * 99]
)
def test_what_is_no_sizing_is_told_with_the_forms(label: str) -> None:
    with pytest.raises(ValueError, match=r"must be asked, asked\+SECONDS or SECONDS, not "):
        parse(label)


@pytest.mark.parametrize(("label", "least"), [("0", 1), ("1099511627777", 1), ("asked+1099511627777", 0)])
def test_a_sizing_out_of_range_is_told_with_the_range(label: str, least: int) -> None:
    with pytest.raises(ValueError, match=rf"must have SECONDS from {least} to 2\*\*40, not "):
        parse(label)


def test_each_further_lease_is_twice_as_long_up_to_what_outlasts_every_job() -> None:
    assert [doubled(10, attempt) for attempt in (1, 2, 3, 4)] == [10, 20, 40, 80]
    assert [doubled(1, attempt) for attempt in (41, 42, 43, 10**6)] == [2**40, LONGEST, LONGEST, LONGEST]
    assert doubled(LONGEST, 9) == LONGEST
