"""What a scheduler says that it has decides what is asked of it, what counts as agreement, and what is reported."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.checking.targets.abilities import (
    FULL,
    LACKABLE,
    OPTIONAL,
    UNCHECKED,
    Abilities,
    Call,
    abilities_of,
    abilities_told,
    missing,
)
from tenure.operations import PARAMETERS, QUERIES
from tenure.wire import Event

DISPATCH = {"worker": "w1", "now": 0, "duration": 5}


def lacking(*names: str, **others: Any) -> Abilities:
    return Abilities(lacks=frozenset(names), **others)


# -- what it says


def test_what_is_not_told_is_as_the_contract_has_it() -> None:
    assert abilities_of({}) == FULL
    assert abilities_of({"protocol": 1, "more": "ignored"}, Abilities(typed_arguments=False)).typed_arguments is False


def test_all_that_can_be_told_is_read() -> None:
    told = {"lacks": ["renew", "queries"], "numbering": "opaque", "typed_arguments": False, "rejects": "refusal"}
    assert abilities_of(told) == lacking(
        "renew", "queries", numbering="opaque", typed_arguments=False, rejects="refusal"
    )


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"lacks": ["dispatch"]}, "lacks must be a list of names from renew, release"),
        ({"lacks": "renew"}, "not 'renew'"),
        ({"lacks": 5}, "not 5"),
        ({"lacks": [["renew"]]}, "lacks must be"),
        ({"numbering": "random"}, "numbering must be one of exact, increasing, opaque, not 'random'"),
        ({"numbering": ["exact"]}, "numbering must be one of"),
        ({"rejects": "never"}, "rejects must be one of error, refusal, not 'never'"),
        ({"typed_arguments": "yes"}, "typed_arguments must be true or false, not 'yes'"),
        ({"typed_arguments": 1}, "typed_arguments must be true or false, not 1"),
    ],
)
def test_what_makes_no_sense_is_said_with_what_is_allowed(told: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the text is looked at
        abilities_of(told)
    assert said in str(refused.value)


@pytest.mark.parametrize("told", [{"lack": ["renew"]}, ["renew"], None, dict])
def test_a_python_attribute_with_a_name_that_nobody_reads_is_a_mistake(told: Any) -> None:
    """Else a scheduler that misspells `lacks` would be blamed for what it lacks."""
    with pytest.raises(ValueError, match="abilities"):
        abilities_told(told)


def test_an_operation_that_is_not_there_is_lacking_if_it_may_be() -> None:
    assert missing(PARAMETERS) == frozenset()
    assert missing(op for op in PARAMETERS if op not in OPTIONAL) == {*OPTIONAL}
    assert missing(op for op in PARAMETERS if op not in QUERIES) == {"queries"}
    assert missing(op for op in PARAMETERS if op != "counts") == {"queries"}  # a view needs all of them
    with pytest.raises(ValueError, match="it has no advance, dispatch, which every scheduler needs"):
        missing(op for op in PARAMETERS if op not in ("dispatch", "advance"))


# -- what is asked


@pytest.mark.parametrize("op", OPTIONAL)
def test_what_is_lacking_is_not_asked(op: str) -> None:
    abilities = lacking(op)
    assert [other for other in PARAMETERS if not abilities.has(other)] == [op]


def test_without_queries_nothing_is_looked_at() -> None:
    abilities = lacking("queries")
    assert not abilities.shows
    assert [op for op in PARAMETERS if not abilities.has(op)] == [op for op in PARAMETERS if op in QUERIES]


@pytest.mark.parametrize(
    ("abilities", "call", "takes"),
    [
        (FULL, ("dispatch", {**DISPATCH, "now": True}), True),
        (lacking(typed_arguments=False), ("dispatch", {**DISPATCH, "now": True}), False),
        (lacking(typed_arguments=False), ("dispatch", {**DISPATCH, "now": 2**63}), False),
        (lacking(typed_arguments=False), ("add_worker", {"worker": "\ud800", "capacity": 1}), False),
        (lacking(typed_arguments=False), ("dispatch", {**DISPATCH, "now": -1}), True),
        (lacking(typed_arguments=False), ("add_worker", {"worker": "a\0", "capacity": 0}), True),
        (lacking("workers"), ("dispatch", {**DISPATCH, "worker": ""}), False),
        (lacking("workers"), ("dispatch", {**DISPATCH, "worker": 5}), False),
        (lacking("workers"), ("dispatch", {**DISPATCH, "worker": "é" * 255}), False),
        (lacking("workers"), ("dispatch", DISPATCH), True),
        (lacking("limits"), ("dispatch", {**DISPATCH, "now": 1, "duration": 2**63 - 1}), False),
        (lacking("limits"), ("dispatch", {**DISPATCH, "duration": 2**63 - 1}), True),
        (lacking("limits"), ("add_task", {"priority": 2**63}), False),
        (lacking("limits"), ("add_task", {"priority": True}), True),
        (lacking("workers"), ("add_worker", {"worker": "w", "capacity": 1}), False),
        (lacking("priority"), ("add_task", {"priority": True}), False),
        (lacking("priority"), ("add_task", {}), True),
        (lacking(numbering="opaque"), ("complete", {"task_id": "1", "token": 1, "now": 0}), False),
        (lacking(numbering="opaque"), ("complete", {"task_id": 1, "token": 1, "now": True}), True),
        (lacking("renew"), ("renew", {"task_id": 1, "token": 1, "now": 0, "duration": 1}), False),
    ],
)
def test_a_call_is_asked_only_where_it_can_be_said(abilities: Abilities, call: Call, takes: bool) -> None:
    assert abilities.takes(call) is takes


# -- what agrees


def event(op: str, answer: Any = None, error: str | None = None) -> Event:
    return Event(op, {}, answer, error)


@pytest.mark.parametrize("exact", [True, False])
def test_a_rejection_agrees_with_an_error_of_any_class_unless_the_class_was_promised(exact: bool) -> None:
    wanted, came = event("advance", error="ClockWentBackwards"), event("advance", error="IllegalArgumentException")
    assert FULL.agree(wanted, wanted, exact)
    assert FULL.agree(wanted, came, exact) is not exact
    assert not FULL.agree(wanted, event("advance", ()), exact)


@pytest.mark.parametrize(
    ("op", "answer", "agrees"),
    [
        ("complete", False, True),
        ("dispatch", None, True),
        ("add_task", None, True),
        ("advance", None, True),
        ("add_worker", False, True),
        ("set_capacity", False, True),
        ("add_worker", None, False),  # that is what it answers when all is well
        ("set_capacity", None, False),
        ("complete", True, False),
        ("add_task", 1, False),
        ("advance", (), False),
    ],
)
def test_a_rejection_may_show_as_a_refusal_where_that_was_said(op: str, answer: Any, agrees: bool) -> None:
    wanted, came = event(op, error="ValueError"), event(op, answer)
    assert lacking(rejects="refusal").agree(wanted, came, False) is agrees
    assert not FULL.agree(wanted, came, False)


def test_a_refusal_agrees_with_no_error_and_an_error_with_no_answer() -> None:
    refused = event("complete", False)
    assert FULL.agree(refused, refused, False)
    assert not FULL.agree(refused, event("complete", error="KeyError"), False)
    assert not lacking(rejects="refusal").agree(refused, event("complete", error="KeyError"), False)


def test_what_advance_cannot_tell_is_not_compared_but_that_it_fails_is() -> None:
    abilities, wanted = lacking("expired"), event("advance", ("a lease",))
    assert abilities.agree(wanted, event("advance", ()), False)
    assert not abilities.agree(wanted, event("advance", error="ValueError"), False)


# -- what is reported


def test_each_thing_that_can_be_lacking_is_reported_in_words() -> None:
    assert FULL.not_checked() == ()
    assert lacking(*LACKABLE).not_checked() == tuple(UNCHECKED[name] for name in LACKABLE)
    assert {*UNCHECKED} == {*LACKABLE}


@pytest.mark.parametrize(
    ("abilities", "said"),
    [
        (lacking(numbering="increasing"), ["(I1, I2)"]),
        (lacking(numbering="opaque"), ["(I1, I2)", "(I2)"]),
        (lacking(typed_arguments=False), ["(V1, V3, V4)"]),
    ],
)
def test_what_can_not_be_compared_is_reported_too(abilities: Abilities, said: list[str]) -> None:
    found = abilities.not_checked()
    assert len(found) == len(said)
    assert all(part in line for part, line in zip(said, found, strict=True))
