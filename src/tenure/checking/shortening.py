"""Histories made shorter and simpler: calls made again beside the reference, up to the first that goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations
from typing import Any, NamedTuple

from ..errors import TargetFailed
from ..history import Event, perform
from ..values import Lease
from .blame import rule_of_answer, rule_of_state, what_is_wrong
from .hostile import is_plain
from .quick import QuickReference
from .representations import Started
from .seeing import kept_otherwise, seen_otherwise
from .targets.abilities import UNLIMITED, Abilities, Call
from .targets.adapted import Adapted
from .views import View, view

Starting = Callable[[], tuple[Started, QuickReference]]
"""Starts the scheduler in question, and the reference in the same state."""


class Wrong(NamedTuple):
    """A history whose last call breaks `rule`, with the scheduler's answers.

    `expected` is what must have come of the last call, or None where that was right and the state afterwards is not.
    """

    history: tuple[Event, ...]
    expected: Event | None
    rule: str
    reason: str


def first_wrong(start: Starting, calls: Sequence[Call], *, exact_errors: bool) -> Wrong | None:
    """What came of these calls up to the first that breaks something, if one does.

    Calls that the scheduler can't be asked are left out. Ids and tokens are those of the history in which the calls
    were made before: where a task or lease has another now, the calls name it by that (see `replayed`).
    """
    started, reference = start()
    history: list[Event] = []
    for call in calls:
        if not started.abilities.has(call[0]):
            _referred(reference, call, started.abilities)
            continue
        before, _ = reference.snapshot()
        expected = _referred(reference, call, started.abilities)
        came = perform(started.scheduler, *call)
        history.append(came)
        if not started.abilities.agree(expected, came, exact_errors):
            rule, reason = rule_of_answer(before, expected, came), what_is_wrong(expected, came)
            return Wrong(tuple(history), expected, rule, reason)
        if wrong := _wrong_state(started, reference, before, expected, came):
            return Wrong(tuple(history), None, *wrong)
    return None


def _referred(reference: QuickReference, call: Call, abilities: Abilities) -> Event:
    """What comes of the call on the reference, to which any worker is known where a scheduler has none."""
    op, arguments = call
    if "workers" in abilities.lacks and op == "dispatch":
        perform(reference, "add_worker", {"worker": arguments["worker"], "capacity": UNLIMITED})
    return perform(reference, op, arguments)


def _wrong_state(
    started: Started, reference: QuickReference, before: View, expected: Event, came: Event
) -> tuple[str, str] | None:
    """The rule that the state breaks now, and in what, where it can be looked at."""
    if not started.abilities.shows:
        return None
    then, kept = reference.snapshot()
    try:
        seen = view(started.scheduler)
    except TargetFailed:
        raise
    except Exception as error:
        return "O9", f"a query raises {type(error).__name__}: {error}"
    if seen != then:
        return rule_of_state(before, expected, then, seen), seen_otherwise(then, seen)
    if not isinstance(started.scheduler, Adapted) and not (is_plain(came.answer) and is_plain(seen)):
        return "V5", f"{came.op} answered {came.answer!r}, and the queries show {seen!r}: not all of it is plain"
    if started.canonical is not None and (own := started.canonical()) != kept:
        return "P7", kept_otherwise(kept, own)
    try:
        started.check()
    except AssertionError as error:
        return "check", f"a structure isn't what the plain data make it: {error}"
    return None


# -- shorter


def shortened(start: Starting, wrong: Wrong, *, exact_errors: bool) -> Wrong:
    """A part of the history that still breaks the rule, and wouldn't with any one or two calls less."""
    places = range(len(wrong.history))
    for left_out in chain(combinations(places, 1), combinations(places, 2)):
        kept = [event for place, event in enumerate(wrong.history) if place not in left_out]
        shorter = replayed(start, kept, exact_errors=exact_errors)
        if shorter is not None and _alike(shorter, wrong):
            return shortened(start, shorter, exact_errors=exact_errors)
    return wrong


def _alike(one: Wrong, other: Wrong) -> bool:
    """Whether both break the same rule by the same kind of call and of answer."""
    return _kind(one) == _kind(other)


def _kind(wrong: Wrong) -> tuple[Any, ...]:
    last, expected = wrong.history[-1], wrong.expected
    return wrong.rule, last.op, type(last.answer), last.error, expected is None, expected and expected.error


def replayed(start: Starting, events: Sequence[Event], *, exact_errors: bool) -> Wrong | None:
    """What comes of the same calls, naming tasks and leases as they are called now that some calls are gone."""
    started, reference = start()
    ids, leases = dict[int, int](), dict[tuple[int, int], Lease]()
    calls: list[Call] = []
    for event in events:
        call = event.op, renamed(event.arguments, ids, leases)
        calls.append(call)
        now = _referred(reference, call, started.abilities).answer
        if event.op == "add_task" and type(event.answer) is int and now:
            ids[event.answer] = now
        if event.op == "dispatch" and isinstance(event.answer, Lease) and now:
            leases[event.answer.task_id, event.answer.token] = now
    return first_wrong(start, calls, exact_errors=exact_errors)


def renamed(arguments: dict[str, Any], ids: dict[int, int], leases: dict[tuple[int, int], Lease]) -> dict[str, Any]:
    """The arguments with another lease's id and token for these, or another task's id."""
    task_id, token = arguments.get("task_id"), arguments.get("token")
    if type(task_id) is type(token) is int and (lease := leases.get((task_id, token))):
        return {**arguments, "task_id": lease.task_id, "token": lease.token}
    return {**arguments, "task_id": ids.get(task_id, task_id)} if type(task_id) is int else arguments


# -- simpler


def simplified(start: Starting, wrong: Wrong, *, exact_errors: bool) -> Wrong:
    """The same calls with plainer arguments, as long as the same rule is broken at the same call."""
    for place, event in enumerate(wrong.history):
        for simpler in _simpler(event.op, event.arguments):
            calls = [(event.op, event.arguments) for event in wrong.history]
            calls[place] = event.op, simpler
            found = first_wrong(start, calls, exact_errors=exact_errors)
            if found and found.rule == wrong.rule and len(found.history) == len(wrong.history):
                return simplified(start, found, exact_errors=exact_errors)
    return wrong


def _simpler(op: str, arguments: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Without a payload or a priority, or with a small one."""
    if op != "add_task":
        return
    if arguments.get("payload") is not None:
        yield {name: value for name, value in arguments.items() if name != "payload"}
    priority = arguments.get("priority", 0)
    if type(priority) is int and priority not in (0, 1):
        yield from ({**arguments, "priority": small} for small in (0, 1))
    elif priority == 1:
        yield {**arguments, "priority": 0}
