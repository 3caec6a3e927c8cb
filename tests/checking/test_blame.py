"""What is found is blamed on the sentence that the fault breaks, or on one that the same answer breaks as well."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.checking.blame import rule_of_answer, rule_of_state, what_is_wrong
from tenure.checking.check import Budget, check
from tenure.checking.faults import FAULTS
from tenure.checking.hostile import LyingInt
from tenure.checking.quick import QuickReference
from tenure.checking.representations import Started, quick
from tenure.checking.scope import Scope
from tenure.checking.targets.abilities import FULL, Call
from tenure.checking.targets.target import Target
from tenure.checking.views import View, view
from tenure.history import perform
from tenure.wire import Event, Odd

RELATED = {
    "expiry-clamped": "V1",  # a number beyond 64 bits is the range of all of them
    "live-task": "O9",  # a record instead of a value: the query answers something else
    "answers-number-of-tasks": "I1",  # the wrong number is not the next id
    "completed-twice": "L2",  # done is the end
    "slot-freed-twice": "O4",  # one more is granted than there is room for
    "advance-tells-nothing": "T4",  # nothing told looks like nothing over
    "asking-expires": "O4 O8",  # what a query changed shows in the next call
    "old-place-kept": "O1",  # the worker that was added again stands elsewhere
    "capacity-before-expiry": "T4",  # at the very instant of an expiry the two can't be told apart
    "only-dispatch-sweeps": "T4",
}
"""Faults that are blamed on another sentence than their own by a part at least, and why that one is broken too."""


def blamed(fault: str, part: str, scope: Scope) -> set[str]:
    """The sentences on which this part of a check blames the fault."""
    make = FAULTS[fault]
    target = Target(fault, lambda: Started(make(), lambda: None, None), FULL, False, "")
    return {each.wrong.rule for each in check(target, scope, Budget(), parts=(part,)).found}


@pytest.mark.parametrize(
    ("part", "agree", "found"), [("dialogues", 65, 73), pytest.param("explorer", 52, 59, marks=pytest.mark.slow)]
)
def test_so_many_faults_are_blamed_on_a_sentence_that_they_break_and_the_rest_explainably(
    part: str, agree: int, found: int
) -> None:
    rules = {fault: blamed(fault, part, Scope(tasks=1)) for fault in FAULTS}
    other = {fault for fault in FAULTS if rules[fault] and not rules[fault] & {*FAULTS[fault].breaks}}
    assert {
        fault: bool({*RELATED.get(fault, "").split()} & rules[fault]) or rules[fault] for fault in other
    } == dict.fromkeys(other, True)
    count = sum(map(bool, rules.values()))
    assert (count - len(other), count) == (agree, found)


# -- of an answer


SETUP: list[Call] = [
    ("add_worker", {"worker": "w1", "capacity": 1}),
    ("add_task", {}),
    ("add_task", {}),
    ("dispatch", {"worker": "w1", "now": 5, "duration": 5}),
]
USE = {"task_id": 1, "token": 1}


def before(*more: Call) -> QuickReference:
    """The reference with a lease [5, 10) of the first of two tasks."""
    reference = QuickReference()
    for op, arguments in (*SETUP, *more):
        perform(reference, op, arguments)
    return reference


DONE: Call = ("complete", {**USE, "now": 6})


@pytest.mark.parametrize(
    ("more", "call", "answer", "rule"),
    [
        ((), ("complete", {**USE, "now": 10}), True, "T4"),
        ((), ("complete", {**USE, "now": 9}), False, "T4"),
        ((), ("complete", {**USE, "now": 8}), False, "O5"),
        ((), ("complete", {**USE, "token": 2, "now": 8}), True, "O5"),
        ((DONE,), ("complete", {**USE, "now": 7}), True, "L2"),
        ((), ("release", {**USE, "now": 11}), True, "T4"),
        ((), ("renew", {**USE, "now": 8, "duration": 1}), None, "O6"),
        ((), ("dispatch", {"worker": "w1", "now": 8, "duration": 1}), "lease", "O4"),
        ((), ("dispatch", {"worker": "w1", "now": 10, "duration": 1}), None, "T4"),
        ((), ("dispatch", {"worker": "w1", "now": 11, "duration": 1}), None, "T3"),
        ((), ("advance", {"now": 10}), (), "T4"),
        ((), ("advance", {"now": 12}), (), "T3"),
        ((), ("add_task", {}), 7, "I1"),
        ((), ("forget", {"task_id": 1}), True, "O10"),
        ((), ("forget_worker", {"worker": "w1"}), True, "O11"),
        ((), ("worker", {"name": "W1"}), "w1", "V3"),
        ((), ("counts", {}), None, "O9"),
    ],
)
def test_a_wrong_answer_is_blamed_on_the_most_specific_sentence(
    more: tuple[Call, ...], call: Call, answer: Any, rule: str
) -> None:
    reference = before(*more)
    seen = view(reference)
    if answer == "lease":
        answer = seen.leases[0]
    expected = perform(reference, *call)
    came = expected._replace(answer=answer)
    assert came != expected
    assert rule_of_answer(seen, expected, came) == rule


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"task_id": 2}, "O4"), ({"token": 9}, "I2"), ({"attempt": 0}, "L4"), ({"start": 4}, "T4"),
        ({"expiry": 9}, "T4"), ({"worker": "w"}, "L3"), ({"payload": b""}, "L3"),
    ],
)  # fmt: skip
def test_a_wrong_lease_is_blamed_by_its_field(change: dict[str, Any], rule: str) -> None:
    reference = before(DONE)
    seen = view(reference)
    expected = perform(reference, "dispatch", {"worker": "w1", "now": 7, "duration": 3})
    came = expected._replace(answer=expected.answer._replace(**change))
    if change == {"task_id": 2}:
        came = expected._replace(answer=expected.answer._replace(task_id=1))
    assert rule_of_answer(seen, expected, came) == rule


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (("advance", {"now": 1}), "T1"),
        (("advance", {"now": -1}), "V2"),
        (("advance", {"now": True}), "V1"),
        (("advance", {"now": 2**63}), "V1"),
        (("dispatch", {"worker": "w1", "now": 5, "duration": 2**63 - 1}), "V2"),
        (("dispatch", {"worker": "", "now": 5, "duration": 1}), "V3"),
        (("dispatch", {"worker": 5, "now": 5, "duration": 1}), "V3"),
        (("add_task", {"payload": "text"}), "V4"),
        (("add_worker", {"worker": "w1", "capacity": 1}), "O1"),
        (("set_capacity", {"worker": "nobody", "capacity": 1}), "O2"),
        (("tasks", {"status": "pending"}), "O9"),
    ],
)
def test_what_should_have_been_rejected_is_blamed_on_why(call: Call, rule: str) -> None:
    reference = before()
    seen, expected = view(reference), perform(reference, *call)
    assert expected.error is not None
    assert rule_of_answer(seen, expected, Event(*call, answer=None)) == rule
    assert rule_of_answer(seen, expected, Event(*call, error="OSError")) == "R1"


def test_an_error_where_a_refusal_belongs_is_none() -> None:
    reference = before()
    call: Call = ("complete", {**USE, "token": 7, "now": 6})
    seen, expected = view(reference), perform(reference, *call)
    assert rule_of_answer(seen, expected, Event(*call, error="KeyError")) == "R2"


# -- of a state


@pytest.mark.parametrize(
    ("call", "changed", "rule"),
    [
        (("add_task", {}), {"now": 6}, "T2"),
        (("advance", {"now": 4}), {"now": 4}, "R1"),
        (("advance", {"now": 7}), {"now": 5}, "O8"),
        (("advance", {"now": 12}), {"now": 5}, "T3"),
        (("renew", {**USE, "now": 6, "duration": 9}), {"next_expiry": 10}, "O9"),
        (("complete", {**USE, "token": 7, "now": 6}), {"now": 5}, "R2"),
    ],
)
def test_a_wrong_state_is_blamed_on_what_is_wrong_in_it(call: Call, changed: dict[str, Any], rule: str) -> None:
    reference = before()
    seen, expected = view(reference), perform(reference, *call)
    then = view(reference)
    assert rule_of_state(seen, expected, then, then._replace(**changed)) == rule


def changed_task(then: View, **fields: Any) -> View:
    first, *rest = then.tasks
    return then._replace(tasks=(first._replace(**fields), *rest))


@pytest.mark.parametrize(
    ("fields", "rule"),
    [({"payload": b""}, "V4"), ({"attempts": 3}, "L4"), ({"lease": None}, "L3"), ({"priority": 1}, "O8")],
)
def test_a_wrong_task_is_blamed_by_its_field(fields: dict[str, Any], rule: str) -> None:
    reference = before()
    seen, expected = view(reference), perform(reference, "advance", {"now": 6})
    then = view(reference)
    assert rule_of_state(seen, expected, then, changed_task(then, **fields)) == rule


# -- in words


@pytest.mark.parametrize(
    ("call", "came", "said"),
    [
        (("complete", {**USE, "now": 10}), {"answer": True}, "complete was accepted, and must have been refused"),
        (("advance", {"now": 1}), {"answer": ()}, "advance told that nothing expired, and must be rejected with Clock"),
        (("advance", {"now": 10}), {"answer": ()}, "advance told that nothing expired, and must have told that "),
        (("add_task", {}), {"answer": Odd("str", "'x' is no id")}, "add_task answered 'x' is no id, and must have "),
        (("forget", {"task_id": 9}), {"error": "KeyError"}, "forget raised KeyError, and must have been refused"),
    ],
)  # fmt: skip
def test_it_is_said_in_a_sentence(call: Call, came: dict[str, Any], said: str) -> None:
    expected = perform(before(), *call)
    assert what_is_wrong(expected, Event(*call, **came)).startswith(said)


def test_an_argument_that_lies_about_what_it_equals_is_taken_for_what_it_is() -> None:
    """The lease's token is 1 and the call's 7, whatever the call's says. (V1, O5)"""
    started = quick()
    scheduler = started.scheduler
    scheduler.add_worker("a", 1)
    scheduler.add_task()
    scheduler.dispatch("a", now=0, duration=5)
    arguments = {"task_id": LyingInt(1), "token": LyingInt(7), "now": LyingInt(5)}
    expected, came = Event("complete", arguments, False), Event("complete", arguments, True)
    assert rule_of_answer(view(scheduler), expected, came) == "O5"
