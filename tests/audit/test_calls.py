"""A full log is judged as the reference answers, at the same line whichever way is taken, and the rule is named."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from contract.hostile import LyingInt
from hypothesis import given, settings
from hypothesis import strategies as st

from tenure import Scheduler
from tenure.audit.calls import Calls
from tenure.audit.findings import NotAllowed, Tally
from tenure.checking import Reference
from tenure.checking.faults import FAULTS
from tenure.checking.quick import QuickReference
from tenure.history import Event, from_line, perform, recorded, to_line
from tenure.operations import Operations

from .histories import Outcome, audited, changed, recorded_by, walked

WALKS, LENGTH, FEW = (1, 2), 100, 150


def lines_of(events: list[Event]) -> list[str]:
    return [to_line(event) for event in events]


def first_disagreement(reference: Operations, lines: list[str]) -> int | None:
    """The number of the first line that a new reference doesn't agree with; rejections all count as one."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            event = from_line(line)
            right = perform(reference, event.op, event.arguments)
            if event != right if event.error is None else right.error is None:
                return number
    return None


# -- which line


@pytest.mark.parametrize("seed", range(5))
def test_what_a_scheduler_of_ours_recorded_is_allowed(seed: int) -> None:
    """Refused and rejected calls too, whose classes are those of the contract. (R1, R2)"""
    events = walked(Scheduler(), seed, 150)
    judge = Calls("log", exact_errors=True)
    judge.judge(lines_of(events))
    tallies = judge.tallies()
    assert sum(map(sum, tallies.values())) == judge.accepted == len(events)
    assert sum(tally.rejected for tally in tallies.values()) == sum(event.error is not None for event in events)
    assert tallies["dispatch"].refused == sum(e.op == "dispatch" and e.error is None and not e.answer for e in events)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_refuted_exactly_where_the_reference_first_disagrees(name: str) -> None:
    """Whatever it is; what doesn't show in an answer passes."""
    for seed in WALKS:
        lines = list(recorded_by(name, seed, LENGTH)[:FEW])
        found = audited(lines)
        assert found.line == first_disagreement(QuickReference(), lines)
        assert found == audited(lines, fast=False)


def test_many_faults_are_found_and_most_of_them_by_a_sentence_that_they_break() -> None:
    """It is named from the answer and the state alone, so it may be another that explains it as well."""
    found, named = set(), set()
    for name, fault in FAULTS.items():
        for seed in WALKS:
            outcome = audited(list(recorded_by(name, seed, LENGTH)))
            if outcome.line is not None:
                found.add(name)
                if outcome.how in fault.breaks:
                    named.add(name)
    assert len(found) >= 35
    assert len(named) >= 0.75 * len(found)


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(["", *FAULTS]), st.sampled_from(WALKS), st.integers(0, 2**32))
def test_a_changed_history_gets_the_same_verdict_on_both_ways(name: str, seed: int, change: int) -> None:
    """Fast and slow: the same line, rule and reason, whether it is denied or malformed."""
    lines, random = list(recorded_by(name, seed, LENGTH)[:FEW]), Random(change)
    for _ in range(random.randrange(3)):
        lines = changed(lines, random)
    assert audited(lines) == audited(lines, fast=False)
    assert audited(lines, exact_errors=True) == audited(lines, fast=False, exact_errors=True)


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 4), st.integers(0, 2**32))
def test_a_changed_history_is_judged_as_the_reference_answers(seed: int, change: int) -> None:
    """Up to the first line that is malformed."""
    lines = changed(list(recorded_by("", seed, 20)), Random(change))
    found = audited(lines)
    judged = lines if found.line is None else lines[: found.line - (found.how == "bad")]
    assert first_disagreement(Reference(), judged) == (None if found.how == "bad" else found.line)


# -- which rule

BEGUN = [
    '{"op": "add_worker", "worker": "w1", "capacity": 1, "answer": null}',
    '{"op": "add_task", "priority": 0, "answer": 1}',
    '{"op": "add_task", "priority": 5, "answer": 2}',
    '{"op": "dispatch", "worker": "w1", "now": 5, "duration": 5, "answer": {"task_id": 2, "worker": "w1", "token": 1, '
    '"attempt": 1, "start": 5, "expiry": 10}}',
]
LEASE = {"task_id": 2, "worker": "w1", "token": 2, "attempt": 2, "start": 10, "expiry": 15}


def call(op: str, answer: Any = ..., **fields: Any) -> dict[str, Any]:
    return {"op": op, **fields} if answer is ... else {"op": op, **fields, "answer": answer}


def end(op: str, answer: Any, now: int, token: int = 1, **more: Any) -> dict[str, Any]:
    return call(op, answer, task_id=2, token=token, now=now, **more)


def grant(**other: Any) -> dict[str, Any]:
    return call("dispatch", {**LEASE, **other}, worker="w1", now=10, duration=5)


WRONG = [
    ("T4", end("complete", True, 10), "completed at 10 under a lease that was over at 10"),
    ("T4", end("release", True, 11), "released at 11 under a lease that was over at 10"),
    (
        "T4",
        end("renew", {**LEASE, "token": 1, "attempt": 1, "start": 5}, 10, duration=5),
        "renewed at 10 under a lease",
    ),
    ("O5", end("complete", False, 9), "refused, though the lease is live and 1 is its token"),
    ("O7", end("release", False, 9), "refused, though the lease is live"),
    ("O6", end("renew", None, 9, duration=5), "refused, though the lease is live"),
    ("O6", end("renew", {**LEASE, "token": 1, "attempt": 1, "start": 5, "expiry": 15}, 9, duration=5), "expiry is 15"),
    ("I3", end("renew", {**LEASE, "attempt": 1, "start": 5, "expiry": 14}, 9, duration=5), "token is 2, and must be 1"),
    ("O5", end("complete", True, 9, token=7), "completed with token 7, though the task's lease has token 1"),
    ("O5", call("complete", True, task_id=1, token=1, now=9), "task 1 is pending"),
    ("O5", call("complete", True, task_id=3, token=1, now=9), "there is no task 3"),
    ("T1", call("advance", [], now=4), "the scheduler's time is already 5"),
    ("T1", call("advance", now=6, error="ClockWentBackwards"), "nothing is wrong with the call"),
    ("T4", call("advance", [], now=10), "the lease with token 1, which is over at 10, isn't told"),
    ("T3", call("advance", [], now=12), "the lease with token 1, which is over at 10, isn't told"),
    ("T4", call("advance", [{**LEASE, "token": 1}], now=9), "is told, though it is live until 10"),
    ("O8", call("advance", [{**LEASE, "token": 3}], now=9), "expired none such"),
    ("O8", call("advance", [{**LEASE, "token": 1}], now=10), "other fields"),
    ("T4", call("dispatch", None, worker="w1", now=10, duration=5), "refused at 10, though the lease with token 1"),
    ("T3", call("dispatch", None, worker="w1", now=12, duration=5), "refused at 12, though the lease with token 1"),
    ("O4", call("dispatch", {**LEASE, "start": 6}, worker="w1", now=6, duration=5), "with a capacity of 1"),
    ("O4", call("dispatch", LEASE, worker="w2", now=10, duration=5), "a worker that is not known"),
    ("T4", grant(task_id=1, attempt=1), "task 2, whose lease was over, is before it"),
    ("I2", grant(token=1), "token is 1, and must be 2"),
    ("L4", grant(attempt=1), "attempt is 1, and must be 2"),
    ("T4", grant(expiry=16), "expiry is 16, and must be 15"),
    ("L3", grant(start=9), "start is 9"),
    ("O4", grant(worker="w2"), "worker is 'w2'"),
    ("V4", grant(payload="eA=="), "payload is b'x', and must be None"),
    ("I1", call("add_task", 7, priority=0), "answered 7 instead of 3"),
    ("I4", call("add_task", priority=0, error="OverflowError"), "nothing is wrong with the call"),
    ("R1", call("add_task", priority=0, error="TypeError"), "nothing is wrong with the call"),
    ("R2", call("forget", task_id=9, error="KeyError"), "a valid call is only refused"),
    ("O1", call("add_worker", None, worker="w1", capacity=1), "exists"),
    ("O2", call("set_capacity", None, worker="w2", capacity=1), "no worker 'w2'"),
    ("V2", call("add_worker", None, worker="w2", capacity=0), "capacity must be from 1"),
    ("V1", call("add_task", 3, priority={"type": "bool", "value": True}), "priority must be an int, not bool"),
    ("V1", call("add_task", 3, priority={"type": "int", "value": hex(2**63)}), "priority must be from"),
    ("V3", call("add_worker", None, worker="", capacity=1), "worker must be a str of 1 to 255"),
    ("V3", call("add_worker", None, worker={"type": "float", "value": "0x1p0"}, capacity=1), "worker must be a str"),
    (
        "V1",
        call("forget", True, task_id={"type": "Decimal", "repr": "Decimal('1')"}),
        "task_id must be an int, not Odd",
    ),
    ("O10", call("forget", True, task_id=2), "answered True instead of False"),
    ("O11", call("forget_worker", True, worker="w1"), "answered True instead of False"),
    ("T3", call("now", 4), "the time is 4, though the valid timed calls left it at 5"),
    ("T2", call("now", 6), "the time is 6"),
    ("P2", call("worker", {"name": "w1", "capacity": 1, "held": 0}, name="w1"), "held is 0, and must be 1"),
    ("O2", call("workers", [{"name": "w1", "capacity": 2, "held": 1}]), "capacity is 2"),
    ("O9", call("workers", []), "instead of"),
    ("O9", call("counts", {"pending": 1, "running": 0, "done": 0}), "instead of"),
    ("O9", call("next_expiry", None), "answered None instead of 10"),
    ("O9", call("task", None, task_id=1), "answered None"),
]


@pytest.mark.parametrize(("rule", "fields", "reason"), WRONG, ids=[f"{rule}: {why}" for rule, _, why in WRONG])
def test_a_wrong_answer_is_denied_by_the_most_specific_sentence(rule: str, fields: Any, reason: str) -> None:
    for fast in (True, False):
        found = audited([*BEGUN, json.dumps(fields)], fast=fast)
        assert (found.line, found.how) == (5, rule)
        assert reason in found.reason


TASK = {"id": 2, "priority": 5, "status": "running", "attempts": 1}
HELD = {"task_id": 2, "worker": "w1", "token": 1, "attempt": 1, "start": 5, "expiry": 10}


@pytest.mark.parametrize(
    ("rule", "before", "told"),
    [
        ("T4", [], {"status": "pending", "lease": None}),
        ("L4", [], {"attempts": 2, "lease": HELD}),
        ("L3", [], {"lease": None}),
        ("T4", [call("advance", [HELD], now=10)], {"lease": HELD}),
        ("T3", [call("advance", [HELD], now=12)], {"lease": HELD}),
        ("L1", [end("release", True, 9)], {"lease": None}),
        ("L2", [end("complete", True, 9)], {"status": "pending", "lease": None}),
    ],
)
def test_a_task_told_wrongly_is_denied_by_the_sentence_about_what_differs(rule: str, before: Any, told: Any) -> None:
    lines = [*BEGUN, *map(json.dumps, before), json.dumps(call("task", {**TASK, **told}, task_id=2))]
    assert audited(lines)[:2] == (len(lines), rule)
    assert audited([*lines[:-1], json.dumps(call("tasks", [{**TASK, **told}]))]).line == len(lines)


def test_a_done_or_running_task_given_out_again_is_no_matter_of_order() -> None:
    """L2 and P8 say more than O4."""
    more = '{"op": "set_capacity", "worker": "w1", "capacity": 2, "answer": null}'
    again = call("dispatch", {**LEASE, "start": 6, "expiry": 11}, worker="w1", now=6, duration=5)
    assert audited([*BEGUN, more, json.dumps(again)]).how == "P8"
    assert audited([*BEGUN, json.dumps(end("complete", True, 6)), json.dumps(again)]).how == "L2"


def test_a_refusal_that_should_have_been_none_tells_the_lease_that_was_live() -> None:
    with pytest.raises(NotAllowed) as denied:
        Calls("log").judge([*BEGUN, json.dumps(end("complete", False, 9))])
    assert dict(denied.value.context)["lease"] == "token 1 of 'w1', live on [5, 10), was the task's lease until now"


# -- what counts as a rejection


def test_any_error_is_a_rejection_unless_exact_ones_are_asked_for() -> None:
    """Of somebody else's scheduler it is asked only that a call is rejected. (R1)"""
    line = '{"op": "advance", "now": -1, "error": "IllegalArgumentException"}'
    assert audited([line]) == Outcome(None)
    assert audited([line], exact_errors=True)[:2] == (1, "R1")
    assert audited(['{"op": "advance", "now": -1, "error": "ValueError"}'], exact_errors=True) == Outcome(None)


def test_calls_with_arguments_of_wrong_types_are_made_again() -> None:
    """A subclass as its plain value, what can't be made again as what nobody accepts. (V1, R1)"""
    events: list[Event] = []
    scheduler: Any = recorded(Scheduler(), events.append)
    scheduler.add_task(LyingInt(4))
    for wrong in (True, 1.5, object(), None, 2**70, "1"):
        with pytest.raises((TypeError, ValueError)):
            scheduler.forget(wrong)
    judge = Calls("log", exact_errors=True)
    judge.judge(lines_of(events))
    assert judge.tallies() == {"add_task": Tally(1), "forget": Tally(0, 0, 6)}


# -- forms


@pytest.mark.parametrize(
    "line",
    [
        '{"op": "dispatch", "worker": "w1", "answer": null}',
        '{"op": "add_worker", "worker": "w1", "answer": null}',
        '{"op": "advance", "now": 5, "answer": true}',
        '{"op": "advance", "now": 5, "now": 6, "answer": []}',
        '{"op": "forget", "task_id": 01, "answer": false}',
        '{"op": "advance", "now": 05, "answer": []}',
        '{"op": "add_task", "priority": 0, "payload": "eA=", "answer": 1}',
        '{"op": "forget", "task_id": 1, "answer": false},',
        "x",
    ],
)
def test_a_line_that_is_no_call_is_malformed_not_denied(line: str) -> None:
    for fast in (True, False):
        assert audited(["", line], fast=fast)[:2] == (2, "bad")


def test_other_ways_to_write_the_same_json_get_the_same_verdict() -> None:
    """Blanks, order, escapes and line ends don't matter."""
    lines = lines_of(walked(Scheduler(), 7, 60))
    others = [
        [json.dumps(json.loads(line), separators=(",", ":")) for line in lines],
        [json.dumps(json.loads(line), sort_keys=True) for line in lines],
        [f"  {line}\r" for line in lines],
        [line.replace('"w1"', '"\\u0077\\u0031"') for line in lines],
        [line for each in lines for line in (each, "", " \r")],
    ]
    assert [audited(other) for other in [lines, *others]] == [Outcome(None)] * 6


def test_payloads_and_names_beyond_ascii_are_judged_on_both_ways() -> None:
    events: list[Event] = []
    scheduler = recorded(Scheduler(), events.append)
    scheduler.add_worker("wörker \u2028\U0001f600", capacity=3)
    for payload in (b"", b"x", b"xy", b"\xff\x00\x01", None):
        scheduler.add_task(payload=payload)
    for now in range(3):
        scheduler.dispatch("wörker \u2028\U0001f600", now=now, duration=3)
    scheduler.advance(now=7)
    lines = lines_of(events)
    raw = [json.dumps(json.loads(line), ensure_ascii=False) for line in lines]
    for each in (lines, raw):
        assert audited(each) == audited(each, fast=False) == Outcome(None)
        wrong = [line.replace('"eA=="', '"eQ=="') if "dispatch" in line else line for line in each]
        assert audited(wrong) == audited(wrong, fast=False)
        assert audited(wrong)[:2] == (8, "V4")


@pytest.mark.parametrize(
    "line",
    [
        '{"op": "add_task", "priority": 0, "answer": 42}',
        json.dumps(end("complete", True, 9)),
        json.dumps(grant()),
        json.dumps(call("advance", [HELD], now=10)),
    ],
)
def test_a_log_that_begins_in_the_middle_is_told_so(line: str) -> None:
    judge = Calls("log")
    with pytest.raises(NotAllowed) as denied:
        judge.judge([line])
    assert "seems to begin in the middle" in dict(denied.value.context)["hint"]
    with pytest.raises(NotAllowed) as denied:
        Calls("log").judge([*BEGUN, json.dumps(end("complete", True, 10))])
    assert "hint" not in dict(denied.value.context)
