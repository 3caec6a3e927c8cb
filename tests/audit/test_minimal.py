"""A minimal log is judged by what its lines tell: denied only if no reading is allowed, and open where several are."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from tenure import Lease, Scheduler
from tenure.audit import notes
from tenure.audit.findings import NotAllowed
from tenure.audit.minimal import Events
from tenure.checking.faults import FAULTS
from tenure.checking.quick import QuickReference
from tenure.history import from_line

from .histories import Outcome, exported, outcome, recorded_by, text, thinned, walked

Fields = dict[str, Any]


def worker(capacity: int, name: str = "w1") -> Fields:
    return {"event": "worker", "worker": name, "capacity": capacity}


def added(task: Any, priority: int = 0) -> Fields:
    return {"event": "added", "task": task, "priority": priority}


def dispatched(task: Any, token: Any, at: int, **more: Any) -> Fields:
    return {"event": "dispatched", "task": task, "token": token, "at": at, **more}


def of_lease(event: str, task: Any, token: Any, at: int, **more: Any) -> Fields:
    return {"event": event, "task": task, "token": token, "at": at, **more}


def header(**fields: Any) -> Fields:
    return {"form": "minimal", **fields}


def judged(*lines: Fields) -> Events:
    """The judge, after lines that are allowed."""
    events = Events("log")
    events.judge(text(list(lines)))
    events.ledger.check()
    return events


def found(*lines: Fields) -> Outcome:
    return outcome(Events("log"), text(list(lines)))


BEGUN = (worker(1), added("a", 1), added("b", 5), dispatched("b", 1, 5, worker="w1", expiry=10))
"""`b` runs on w1 during [5, 10), and `a` is pending."""


# -- what is denied


@pytest.mark.parametrize(
    ("rule", "line", "reason"),
    [
        ("T4", of_lease("completed", "b", 1, 10), "completed at 10 under a lease that was over at 10"),
        ("T4", of_lease("released", "b", 1, 12), "released at 12 under a lease that was over at 10"),
        ("T4", of_lease("renewed", "b", 1, 10, expiry=20), "renewed at 10 under a lease that was over at 10"),
        ("T4", of_lease("expired", "b", 1, 9), "expired at 9 under a lease that is live until 10"),
        ("T1", of_lease("completed", "b", 1, 4), "at 4, though the line before was at 5"),
        ("T1", {**added("c"), "at": 4}, "at 4, though the line before was at 5"),
        ("O5", of_lease("completed", "b", 2, 9), "with token 2, though the task's lease has token 1"),
        ("O5", of_lease("completed", "a", 1, 9), "the task is pending and has no lease"),
        ("O5", of_lease("completed", "c", 1, 9), 'no line before added or dispatched task "c"'),
        ("O6", of_lease("renewed", "b", 2, 9, expiry=20), "token 2"),
        ("O7", of_lease("released", "b", 2, 9), "token 2"),
        ("T3", of_lease("expired", "b", 2, 9), "no live lease is meant"),
        ("T3", {"event": "expired", "task": "a", "at": 9}, "no live lease is meant"),
        ("T3", {"event": "expired", "task": "c", "at": 9}, "no line before"),
        ("P8", dispatched("b", 2, 9, expiry=20), "though its lease is live until 10"),
        ("O4", dispatched("a", 2, 9, worker="w1", expiry=20), "holds 1 live leases, with a capacity of 1"),
        ("O4", dispatched("a", 2, 9, expiry=20), "no worker has a free slot"),
        ("O4", dispatched("a", 2, 10, worker="w1", expiry=20), 'task "b" of priority 5 is pending'),
        ("I2", dispatched("b", 1, 10, worker="w1", expiry=20), "token 1 after token 1"),
        ("V2", dispatched("b", 2, 10, worker="w1", expiry=10), "duration must be from 1"),
        ("V2", of_lease("renewed", "b", 1, 9, expiry=9), "duration must be from 1"),
        ("V2", of_lease("renewed", "b", 1, 9, duration=2**63 - 1), "now + duration must be at most"),
        ("V2", worker(0, "w2"), "capacity must be from 1"),
        ("T4", dispatched("b", 2, 10, worker="w1", expiry=20, duration=9), "expiry 20, though a duration is told"),
        ("L4", dispatched("b", 2, 10, worker="w1", expiry=20, attempt=1), "dispatched 1 times before"),
        ("I1", added("a"), "there was one before"),
        ("O10", {"event": "forgotten", "task": "b", "at": 9}, "a task that is running"),
        ("O11", {"event": "forgotten", "worker": "w1", "at": 9}, "a worker that holds a lease"),
    ],
)
def test_what_the_contract_forbids_is_denied_by_its_sentence(rule: str, line: Fields, reason: str) -> None:
    denied = found(*BEGUN, line)
    assert denied[:2] == (5, rule)
    assert reason in denied.reason


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("L2", dispatched("b", 2, 9, worker="w1", expiry=20)),
        ("O5", of_lease("completed", "b", 1, 9)),
        ("I1", added("b")),
        ("T3", {"event": "expired", "task": "b", "at": 10}),
    ],
)
def test_done_is_the_end(rule: str, line: Fields) -> None:
    """Also after it was forgotten, since an id is never used again. (L2, I1, O10)"""
    done = (*BEGUN, of_lease("completed", "b", 1, 8))
    gone = {"event": "forgotten", "task": "b"}
    assert found(*done, line)[:2] == (6, rule)
    assert found(*done, gone, line)[:2] == (7, rule)
    assert found(*done, gone, gone)[:2] == (7, "O10")


def test_a_denial_tells_what_came_what_is_allowed_and_the_lease_concerned() -> None:
    line = of_lease("completed", "b", 1, 10)
    with pytest.raises(NotAllowed) as raised:
        judged(*BEGUN, line)
    denied = raised.value
    assert (denied.came, denied.allowed) == (json.dumps(line), "a refusal")
    assert dict(denied.context) == {
        "time": "10",
        "task": '"b" is pending',
        "lease": 'token 1 of "w1", live on [5, 10), expired before',
    }


# -- what is inferred


def test_an_expiry_that_nobody_wrote_down_has_happened_when_time_has_come_to_it() -> None:
    """The task is pending again and its slot free at the very instant. (T3, T4)"""
    events = judged(*BEGUN, dispatched("b", 2, 10, worker="w1", expiry=20, attempt=2))
    assert {what: note.lines for what, note in events.inferred.items()} == {notes.OVER: [5]}


@pytest.mark.parametrize("late", [0, 1])
def test_an_expiry_that_a_line_tells_is_not_inferred(late: int) -> None:
    """Even if it comes after another line has shown it. (T3)"""
    tell = {"event": "expired", "task": "b", "at": 10}
    other = dispatched("b", 2, 10, worker="w1", expiry=20)
    lines = (other, {**tell, "token": 1}) if late else (tell, other)
    assert not any(note.count for note in judged(*BEGUN, *lines).inferred.values())
    assert found(*BEGUN, *lines, {**tell, "token": 1})[:2] == (7, "T3")


def test_a_lease_without_expiry_was_over_if_its_task_is_dispatched_again() -> None:
    begun = (dispatched("a", 1, 5), dispatched("a", 2, 6, expiry=9))
    assert judged(*begun).inferred[notes.OVER_SINCE_AGAIN].lines == [2]
    assert found(*begun, of_lease("completed", "a", 1, 6))[:2] == (3, "T4")


def test_a_lease_without_expiry_was_over_if_its_slot_is_needed() -> None:
    """And its task is pending, so in its place of the order. (O4)"""
    begun = (worker(1), added("a", 1), added("b", 1), dispatched("a", 1, 5, worker="w1"))
    again = dispatched("a", 2, 6, worker="w1", expiry=9)
    assert judged(*begun, again).inferred[notes.OVER_SINCE_AGAIN].lines == [5]
    assert found(*begun, dispatched("b", 2, 6, worker="w1", expiry=9))[:2] == (5, "O4")
    fresh = (worker(1), dispatched("a", 1, 5, worker="w1"), dispatched("b", 2, 6, worker="w1", expiry=9))
    assert judged(*fresh).inferred[notes.OVER_SINCE_FULL].lines == [3]
    assert found(*fresh, of_lease("completed", "a", 1, 6))[:2] == (4, "T4")


def test_what_is_forgotten_holds_no_lease_so_time_has_come_to_its_end() -> None:
    """Unless the line tells the time; what comes after it can't be before. (O10, O11, T1)"""
    for gone in ({"event": "forgotten", "task": "b"}, {"event": "forgotten", "worker": "w1"}):
        events = judged(*BEGUN, gone)
        assert (events.ledger.now, events.inferred[notes.OVER].lines) == (10, [5])
        assert found(*BEGUN, gone, dispatched("a", 2, 9, expiry=20))[:2] == (6, "T1")
        assert judged(*BEGUN, {**gone, "at": 11}).ledger.now == 11
    endless = (worker(1), dispatched("a", 1, 5, worker="w1"))
    for gone in ({"event": "forgotten", "task": "a"}, {"event": "forgotten", "worker": "w1"}):
        assert judged(*endless, gone).inferred[notes.OVER_SINCE_FORGOTTEN].lines == [3]


def test_a_worker_that_no_line_names_is_the_only_one_with_a_free_slot() -> None:
    begun = (worker(1, "w1"), worker(1, "w2"), dispatched("a", 1, 5, worker="w1", expiry=9))
    events = judged(*begun, dispatched("b", 2, 6, expiry=9))
    assert events.inferred[notes.ONLY_WORKER].lines == [4]
    assert found(*begun, dispatched("b", 2, 6, expiry=9), dispatched("c", 3, 7, worker="w2", expiry=9))[:2] == (5, "O4")


def test_an_expiry_follows_from_a_duration() -> None:
    """The line's or else the header's. (T4)"""
    own = (dispatched("a", 1, 5, duration=5), of_lease("completed", "a", 1, 10))
    assert found(*own)[:2] == (2, "T4")
    of_header = (header(duration=5), dispatched("a", 1, 5), of_lease("renewed", "a", 1, 9))
    assert found(*of_header, of_lease("completed", "a", 1, 14))[:2] == (4, "T4")
    assert judged(*of_header, of_lease("completed", "a", 1, 13)).inferred[notes.FROM_HEADER].lines == [2, 3]


# -- what is left open


@pytest.mark.parametrize("event", ["completed", "released", "renewed"])
def test_whether_the_end_of_a_lease_without_expiry_was_in_time_is_undecided(event: str) -> None:
    more = {"expiry": 20} if event == "renewed" else {}
    events = judged(dispatched("a", 1, 5), of_lease(event, "a", 1, 9, **more))
    assert {what: note.lines for what, note in events.undecided.items()} == {notes.IN_TIME.format(event=event): [2]}
    if event == "renewed":
        events.judge(text([of_lease("completed", "a", 1, 19)]))
        assert sum(note.count for note in events.undecided.values()) == 1


def test_which_of_several_leases_is_over_is_undecided() -> None:
    begun = (worker(2), dispatched("a", 1, 5, worker="w1"), dispatched("b", 2, 5, worker="w1"))
    events = judged(*begun, dispatched("c", 3, 6, worker="w1", expiry=9))
    assert events.undecided[notes.WHICH_OVER].lines == [4]
    assert found(*begun, worker(1), dispatched("c", 3, 6, worker="w1", expiry=9)) == Outcome(None)


@pytest.mark.parametrize(
    ("note", "lines", "where"),
    [
        (notes.LEFT_OUT, BEGUN, []),
        (notes.CAPACITY, (dispatched("a", 1, 5, worker="w1", expiry=9),), [1]),
        (notes.CAPACITY, (dispatched("a", 1, 5, expiry=9),), [1]),
        (notes.ORDER, (added("b", 9), dispatched("a", 1, 5, expiry=9)), [2]),
        (notes.HOLDER, (worker(1, "w1"), worker(1, "w2"), dispatched("a", 1, 5, expiry=9)), [3]),
        (notes.TOKEN_ORDER, (dispatched("a", "x", 5, expiry=9),), [1]),
        (notes.UNKNOWN, ({"event": "forgotten", "task": "a"}, {"event": "forgotten", "worker": "w1"}), [1, 2]),
        (notes.EARLIER, (header(begins="middle"), of_lease("completed", "a", 8, 5)), [2]),
    ],
)
def test_what_can_not_be_checked_is_told(note: str, lines: tuple[Fields, ...], where: list[int]) -> None:
    assert judged(*lines).unchecked[note].lines == where


def test_what_is_told_in_full_leaves_nothing_open() -> None:
    events = judged(*BEGUN, of_lease("completed", "b", 1, 9), dispatched("a", 2, 9, worker="w1", expiry=12))
    assert list(events.unchecked) == [notes.LEFT_OUT, notes.NUMBERING]
    assert not events.undecided and not events.inferred


# -- tokens


def test_integers_increase_unless_declared_otherwise() -> None:
    """Gaps are fine, since refusals of another queue may use some up; `exact` has none. (I2)"""
    begun = (dispatched("a", 3, 5, expiry=9), dispatched("b", 7, 5, expiry=9))
    assert found(*begun) == Outcome(None)
    assert found(*begun, dispatched("c", 5, 5, expiry=9))[:2] == (3, "I2")
    assert found(header(tokens="opaque"), *begun, dispatched("c", 5, 5, expiry=9)) == Outcome(None)
    assert found(header(tokens="opaque"), *begun, dispatched("c", 3, 5, expiry=9))[:2] == (4, "I2")
    assert found(header(tokens="exact"), *begun)[:2] == (2, "I2")
    assert found(header(tokens="exact"), dispatched("a", 1, 5, expiry=9), dispatched("b", 3, 5, expiry=9))[:2] == (
        3,
        "I2",
    )


def test_strings_are_opaque_but_new_each_time() -> None:
    begun = (dispatched("a", "f00", 5, expiry=9), dispatched("b", "abc", 5, expiry=9))
    assert found(*begun) == Outcome(None)
    assert found(*begun, dispatched("c", "f00", 9, expiry=12))[:2] == (3, "I2")


def test_tokens_of_two_kinds_are_declared_or_malformed() -> None:
    """A string never equals an integer."""
    mixed = (dispatched("a", 1, 5, expiry=9), dispatched("b", "1", 5, expiry=9))
    for lines in (mixed, mixed[::-1]):
        assert found(*lines)[:2] == (2, "bad")
        assert '{"form": "minimal", "tokens": "opaque"}' in found(*lines).reason
        assert found(header(tokens="opaque"), *lines) == Outcome(None)
    assert found(header(tokens="opaque"), *mixed, of_lease("completed", "a", "1", 6))[:2] == (4, "O5")


# -- where the log begins


def test_a_log_that_begins_in_the_middle_may_speak_of_earlier_leases() -> None:
    ends = [
        of_lease(event, "z", 8, 5, **({"expiry": 9} if event == "renewed" else {})) for event in ("renewed", "expired")
    ]
    lines = [*ends, of_lease("completed", "z", 8, 5), dispatched("a", 40, 6, expiry=9, attempt=7)]
    assert found(header(begins="middle"), *lines) == Outcome(None)
    assert found(*lines)[:2] == (1, "O6")
    assert found(header(begins="middle"), *lines, of_lease("completed", "z", 8, 6))[:2] == (6, "O5")


# -- walks


@pytest.mark.parametrize("seed", range(40))
def test_what_a_scheduler_of_ours_accepted_is_allowed_however_little_is_told(seed: int) -> None:
    """No reading may be denied that has one; the ledger stays what its records make it."""
    lines = exported(walked(Scheduler(), seed, 60))
    full = judged(*lines)
    assert list(full.unchecked) == [notes.LEFT_OUT, notes.NUMBERING] and not full.undecided
    for number in range(3):
        judged(*thinned(lines, Random(100 * seed + number)))


def agreed(lines: list[Fields]) -> int | None:
    """The number of the first line that a reference, making the call that the line tells of, doesn't agree with."""
    reference = QuickReference()
    for number, line in enumerate(lines, 1):
        if not agrees(reference, line):
            return number
    return None


def agrees(reference: QuickReference, line: Fields) -> bool:
    match line:
        case {"event": "worker", "worker": name, "capacity": capacity}:
            if reference.worker(name) is None:
                reference.add_worker(name, capacity)
            else:
                reference.set_capacity(name, capacity)
            return True
        case {"event": "added", "task": task, "priority": priority}:
            return bool(reference.add_task(priority) == task)
        case {"event": "dispatched", "worker": name, "at": at, "expiry": expiry}:
            lease = reference.dispatch(name, now=at, duration=expiry - at)
            due = (line["task"], name, line["token"], line["attempt"], at, expiry)
            return lease is not None and lease == Lease(*due)
        case {"event": "renewed", "task": task, "token": token, "at": at, "expiry": expiry}:
            return reference.renew(task, token, now=at, duration=expiry - at) is not None
        case {"event": "completed" | "released" as event, "task": task, "token": token, "at": at}:
            ended: bool = getattr(reference, event[:-1])(task, token, now=at)
            return ended
        case _:
            raise AssertionError(line)


REPLAYED = {"add_worker", "set_capacity", "add_task", "dispatch", "renew", "complete", "release"}


@pytest.mark.parametrize("name", [name for name in FAULTS if "I1" not in FAULTS[name].breaks])
def test_a_fault_is_denied_exactly_where_a_reference_that_makes_the_calls_disagrees(name: str) -> None:
    """Of a log with all that the form tells but what was forgotten and which leases an advance expired."""
    for seed in (1, 2):
        events = [event for event in map(from_line, recorded_by(name, seed, 120)) if event.op in REPLAYED]
        lines = exported(events)
        try:
            first = agreed(lines)
        except (TypeError, ValueError):
            continue
        assert outcome(Events("log"), text([header(tokens="exact"), *lines])).line == (
            None if first is None else first + 1
        )
