"""A call and its answer as a line of JSON: what is written reads back equal, and what is malformed says why."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure import Counts, Lease, Status, Task, Worker
from tenure.operations import PARAMETERS
from tenure.wire import EXACT_MOST, Event, Odd, from_line, to_line

LOWEST, HIGHEST = -(2**63), 2**63 - 1
LEASE = Lease(2, "w1", 7, 3, 5, 9, b"x")


def typed(value: Any) -> Any:
    """The value with all its types, since 1 == True == 1.0 and a Lease equals a tuple."""
    if isinstance(value, tuple):
        return type(value), tuple(map(typed, value))
    if isinstance(value, dict):
        return {name: typed(item) for name, item in value.items()}
    return type(value), value


def assert_same(one: Event, other: Event) -> None:
    assert typed(one) == typed(other)


words = st.integers(LOWEST, HIGHEST) | st.sampled_from([LOWEST, HIGHEST, EXACT_MOST, EXACT_MOST + 1, -EXACT_MOST - 1])
huge = st.integers() | st.sampled_from([2**63, LOWEST - 1, 10**5000, -(10**5000)])
anything_written = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(["\ud800", "a\udfff", "\0", ""])
other = st.none() | st.booleans() | st.floats(allow_nan=False) | anything_written | st.binary() | huge
arguments_by_name: dict[str, st.SearchStrategy[Any]] = {
    "worker": anything_written | other,
    "name": anything_written | other,
    "payload": st.none() | st.binary() | other,
    "status": st.none() | st.sampled_from(Status) | other,
}

names, payloads = anything_written, st.none() | st.binary()
leases = st.builds(Lease, words, names, words, words, words, words, payloads)
tasks = st.builds(Task, words, words, payloads, st.sampled_from(Status), words, st.none() | leases)
workers = st.builds(Worker, names, words, words)
truths = st.booleans()
ANSWERS: dict[str, st.SearchStrategy[Any]] = {
    "add_worker": st.none(),
    "set_capacity": st.none(),
    "add_task": words,
    "dispatch": st.none() | leases,
    "complete": truths,
    "renew": st.none() | leases,
    "release": truths,
    "advance": st.lists(leases, max_size=3).map(tuple),
    "now": words,
    "task": st.none() | tasks,
    "tasks": st.lists(tasks, max_size=3).map(tuple),
    "worker": st.none() | workers,
    "workers": st.lists(workers, max_size=3).map(tuple),
    "leases": st.lists(leases, max_size=3).map(tuple),
    "counts": st.builds(Counts, words, words, words),
    "next_expiry": st.none() | words,
    "forget": truths,
    "forget_worker": truths,
}


@st.composite
def events(draw: st.DrawFn) -> Event:
    """A call with any arguments, and an answer or an error."""
    op = draw(st.sampled_from(sorted(PARAMETERS)))
    arguments = {name: draw(arguments_by_name.get(name, words | other)) for name in PARAMETERS[op]}
    if draw(st.booleans()):
        return Event(op, arguments, error=draw(st.sampled_from(["ValueError", "ClockWentBackwards", "Odd name"])))
    return Event(op, arguments, draw(ANSWERS[op]))


def test_every_operation_has_an_answer_here() -> None:
    """So the property below is of all of them. (O9)"""
    assert ANSWERS.keys() == PARAMETERS.keys()


@given(events())
def test_an_event_reads_back_as_it_was(event: Event) -> None:
    """With its types, whatever the arguments; and a line is one line of ASCII. (V1, V3, V4)"""
    line = to_line(event)
    assert line.isascii()
    assert line.isprintable()
    assert_same(from_line(line), event)


@given(events())
def test_numbers_that_others_would_round_are_strings(event: Event) -> None:
    """No reader of JSON meets an integer beyond 2**53 - 1. (V1)"""

    def exact(digits: str) -> int:
        assert abs(int(digits)) <= EXACT_MOST
        return int(digits)

    json.loads(to_line(event), parse_int=exact, parse_float=lambda text: pytest.fail(text))


def test_two_surrogates_stay_two() -> None:
    """JSON's escapes would make one character of them, and a rejected name a fit one. (V3)"""
    event = Event("add_worker", {"worker": "\ud83d\ude00", "capacity": 1}, error="ValueError")
    assert_same(from_line(to_line(event)), event)


class Unprintable:
    """Can't be told by its text."""

    def __repr__(self) -> str:
        raise ZeroDivisionError


UNMAKEABLE: tuple[Any, ...] = (
    [1],
    {},
    object(),
    int,
    1j,
    bytearray(b"x"),
    Status.DONE,
    Event("now", {}),
    Odd("a", "b"),
)


@pytest.mark.parametrize("value", UNMAKEABLE, ids=lambda value: type(value).__name__)
def test_an_argument_that_cannot_be_made_again_is_kept_as_its_type_and_text(value: Any) -> None:
    """And what was read is written as it was. (R1)"""
    line = to_line(Event("add_task", {"priority": value}, error="TypeError"))
    event = from_line(line)
    odd = event.arguments["priority"]
    assert type(odd) is Odd
    if type(value) is not Odd:
        assert odd == Odd(type(value).__name__, repr(value)[:200])
    assert to_line(event) == line


@pytest.mark.parametrize("value", [[10**5000], Unprintable()], ids=["too long a number", "no text"])
def test_an_argument_without_a_text_can_be_recorded_all_the_same(value: Any) -> None:
    """A recorder must not fail where the scheduler only rejects. (R1)"""
    event = from_line(to_line(Event("add_task", {"priority": value}, error="TypeError")))
    assert event.arguments["priority"].type == type(value).__name__


@pytest.mark.parametrize(
    "value", [object(), {1: 2}, {1}, 1.5, 10**5000, Odd("Thing", "it"), [object()], lambda: None], ids=lambda _: ""
)
def test_an_answer_of_no_known_form_is_written_with_its_type(value: Any) -> None:
    """A wrong scheduler may answer anything, and that is to be told."""
    assert json.loads(to_line(Event("advance", {"now": 1}, value)))["answer"]


def test_the_form_is_the_documented_one() -> None:
    """Arguments by name in their order, then the answer or the error. (O4, O5, T1)"""
    granted = Lease(1, "w1", 1, 1, 5, 10)
    for event, line in (
        (
            Event("add_worker", {"worker": "w1", "capacity": 1}),
            '{"op": "add_worker", "worker": "w1", "capacity": 1, "answer": null}',
        ),
        (Event("add_task", {"priority": 5}, 1), '{"op": "add_task", "priority": 5, "answer": 1}'),
        (
            Event("dispatch", {"worker": "w1", "now": 5, "duration": 5}, granted),
            '{"op": "dispatch", "worker": "w1", "now": 5, "duration": 5, "answer": '
            '{"task_id": 1, "worker": "w1", "token": 1, "attempt": 1, "start": 5, "expiry": 10}}',
        ),
        (
            Event("complete", {"task_id": 1, "token": 1, "now": 10}, False),
            '{"op": "complete", "task_id": 1, "token": 1, "now": 10, "answer": false}',
        ),
        (
            Event("advance", {"now": 4}, error="ClockWentBackwards"),
            '{"op": "advance", "now": 4, "error": "ClockWentBackwards"}',
        ),
        (Event("task", {"task_id": HIGHEST}), f'{{"op": "task", "task_id": "{HIGHEST}", "answer": null}}'),
        (Event("add_task", {"payload": b"\xff\x00"}, 2), '{"op": "add_task", "payload": "/wA=", "answer": 2}'),
        (Event("tasks", {"status": Status.DONE}, ()), '{"op": "tasks", "status": "done", "answer": []}'),
        (
            Event("advance", {"now": True}, error="TypeError"),
            '{"op": "advance", "now": {"type": "bool", "value": true}, "error": "TypeError"}',
        ),
    ):
        assert to_line(event) == line
        assert_same(from_line(line), event)


def worker(answer: str) -> str:
    return f'{{"op": "worker", "name": "w1", "answer": {answer}}}'


def answered(op: str, fields: dict[str, Any]) -> str:
    return json.dumps({"op": op, "answer": {name: field for name, field in fields.items() if field != "left out"}})


def granted(**fields: Any) -> str:
    lease = {"task_id": 1, "worker": "w1", "token": 1, "attempt": 1, "start": 5, "expiry": 10}
    return answered("dispatch", lease | fields)


def told(**fields: Any) -> str:
    task = {"id": 1, "priority": 0, "status": "done", "attempts": 0, "lease": None}
    return answered("task", task | fields)


MALFORMED = {
    "": "not JSON",
    "{": "not JSON",
    "nonsense": "not JSON: Expecting value at column 1",
    '{"op": "now", "answer": 1} x': "not JSON: Extra data",
    "[" * 100_000: "nested too deeply",
    "[]": "an object",
    "17": "an object",
    "null": "an object",
    "{}": '"op" must be one of add_worker,',
    '{"op": 5, "answer": 1}': '"op" must be one of',
    '{"op": [], "answer": 1}': '"op" must be one of',
    '{"op": "take", "answer": 1}': 'not "take"',
    '{"op": "now"}': 'needs either an "answer" or an "error"',
    '{"op": "now", "answer": 1, "error": "ValueError"}': "either",
    '{"op": "now", "error": 5}': '"error" must be the name',
    '{"op": "now", "error": null}': '"error" must be the name',
    '{"op": "now", "op": "now", "answer": 1}': "stands twice",
    '{"op": "advance", "now": 1, "now": 1, "answer": []}': "stands twice",
    '{"op": "advance", "now": 1, "until": 2, "answer": []}': "advance has no 'until'; its arguments are: now",
    '{"op": "counts", "x": 1, "answer": {"pending": 0, "running": 0, "done": 0}}': "its arguments are: none",
    '{"op": "advance", "now": 1.5, "answer": []}': "now must be a number",
    '{"op": "advance", "now": true, "answer": []}': "now must be a number",
    '{"op": "advance", "now": null, "answer": []}': "now must be a number",
    '{"op": "advance", "now": [1], "answer": []}': "now must be a number",
    '{"op": "advance", "now": NaN, "answer": []}': "now must be a number",
    '{"op": "advance", "now": 1e999, "answer": []}': "now must be a number",
    '{"op": "advance", "now": 9007199254740992, "answer": []}': "beyond 2**53 - 1",
    '{"op": "advance", "now": "7", "answer": []}': "now must be a number",
    '{"op": "advance", "now": "9223372036854775808", "answer": []}': "now must be a number",
    '{"op": "advance", "now": "0009007199254740993", "answer": []}': "now must be a number",
    '{"op": "advance", "now": "٩٠٠٧١٩٩٢٥٤٧٤٠٩٩٣", "answer": []}': "now must be a number",
    '{"op": "advance", "now": ' + "1" * 5000 + ', "answer": []}': "digits",
    '{"op": "advance", "now": {}, "answer": []}': "now must be its value or",
    '{"op": "advance", "now": {"type": "int", "value": 5}, "answer": []}': "now must be its value or",
    '{"op": "advance", "now": {"type": "bool", "value": 1}, "answer": []}': "now must be its value or",
    '{"op": "advance", "now": {"type": "float", "value": "x"}, "answer": []}': "float",
    '{"op": "advance", "now": {"type": "float", "value": "0x1p99999"}, "answer": []}': "float",
    '{"op": "advance", "now": {"type": "bytes", "value": "?"}, "answer": []}': "base64",
    '{"op": "advance", "now": 1, "answer": null}': "the answer must be a list",
    '{"op": "advance", "now": 1, "answer": [null]}': "a lease must be an object",
    '{"op": "worker", "name": 5, "answer": null}': "name must be a string",
    '{"op": "add_task", "payload": 5, "answer": 1}': "payload must be base64 or null",
    '{"op": "add_task", "payload": "?", "answer": 1}': "payload must be base64 or null",
    '{"op": "add_task", "payload": "eA", "answer": 1}': "payload must be base64 or null",
    '{"op": "add_task", "payload": "eA==\\n", "answer": 1}': "payload must be base64 or null",
    '{"op": "tasks", "status": "over", "answer": []}': 'status must be "pending", "running" or "done"',
    '{"op": "tasks", "status": 1, "answer": []}': "status must be",
    '{"op": "complete", "answer": null}': "the answer must be true or false",
    '{"op": "complete", "answer": 1}': "the answer must be true or false",
    '{"op": "add_worker", "answer": 1}': "the answer must be null",
    '{"op": "add_task", "answer": true}': "the answer must be a number",
    '{"op": "now", "answer": null}': "the answer must be a number",
    '{"op": "counts", "answer": {"pending": 1}}': "counts must be an object with pending, running, done",
    '{"op": "counts", "answer": {"pending": true, "running": 0, "done": 0}}': "pending must be a number",
    worker('{"name": "w1", "capacity": 1}'): "a worker must be an object with name, capacity, held",
    worker('{"name": "w1", "capacity": 1, "held": 0, "x": 1}'): "a worker must be an object",
    worker('{"name": null, "capacity": 1, "held": 0}'): "name must be a string",
    worker('{"name": {"type": "bool", "value": true}, "capacity": 1, "held": 0}'): "name must be a string",
    granted(task_id="left out"): "a lease must be an object with task_id",
    granted(worker=7): "worker must be a string",
    granted(token=True): "token must be a number",
    granted(payload=7): "payload must be base64 or null",
    told(status="gone"): "status must be",
    told(status={}): "status must be",
    told(lease=5): "a lease must be",
    told(attempts="left out"): "a task must be an object with id",
}


@pytest.mark.parametrize("line", MALFORMED, ids=lambda line: line[:60] or "nothing")
def test_a_malformed_line_says_what_is_wrong(line: str) -> None:
    """In one short sentence."""
    with pytest.raises(ValueError, match=re.escape(MALFORMED[line])) as raised:
        from_line(line)
    assert len(str(raised.value)) < 300
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("depth", [100, 300, 900, 960, 980, 990])
def test_however_deep_it_is_nested_a_line_is_malformed_and_no_more(depth: int) -> None:
    """Wherever the interpreter's own limit is met."""
    with pytest.raises(ValueError, match=r"op|nested"):
        from_line('{"op": ' + "[" * depth + "]" * depth + ', "answer": 1}')


KINDS = st.none() | st.booleans() | st.floats() | st.integers() | st.text()
KEYS = st.sampled_from(["op", "now", "answer", "error", "type", "value", "worker", "repr"]) | st.text()
OBJECTS = st.recursive(KINDS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=12)
CALLS = st.fixed_dictionaries(
    {"op": st.sampled_from(sorted(PARAMETERS))},
    optional=dict.fromkeys(("answer", "error", "now", "worker", "payload", "status", "token", "name"), OBJECTS),
)


@given(st.text() | (OBJECTS | CALLS).map(json.dumps))
def test_whatever_stands_in_a_line_only_a_value_error_comes_of_it(line: str) -> None:
    """Never another exception."""
    try:
        event = from_line(line)
    except ValueError:
        return
    assert_same(from_line(to_line(event)), event)
