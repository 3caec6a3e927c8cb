"""A set of keys is a set, whatever they are, and small where integers lie close together."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from tenure.audit.seen import Key, Seen

KEYS = st.one_of(st.integers(-3, 3), st.integers(), st.integers(1020, 1030), st.sampled_from(["", "1", "a", "é"]))


@given(st.lists(st.tuples(st.booleans(), KEYS)))
def test_it_holds_what_was_added_and_not_removed(steps: list[tuple[bool, Key]]) -> None:
    """A string never equals an integer."""
    seen, model = Seen(), set[Key]()
    for adds, key in steps:
        if adds:
            seen.add(key)
            model.add(key)
        elif key in model:
            seen.remove(key)
            model.remove(key)
        assert (key in seen) == (key in model)
    assert sorted(map(repr, seen)) == sorted(map(repr, model))


def test_a_hundred_thousand_integers_in_a_row_take_less_than_a_byte_each() -> None:
    seen = Seen()
    tracemalloc.start()
    for key in range(100_000):
        seen.add(key)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 100_000
