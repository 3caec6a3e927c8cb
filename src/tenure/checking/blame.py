"""Which sentence of the contract a wrong answer breaks, and the sentence that says so to a person."""

from __future__ import annotations

from typing import Any

from ..operations import TIMED
from ..values import Lease, Status, Task
from ..wire import Event, Odd
from .hostile import HIGHEST, LOWEST, plain
from .properties import is_late
from .views import View

RULE_OF = {"add_worker": "O1", "set_capacity": "O2", "add_task": "O3", "dispatch": "O4", "complete": "O5"} | {
    "renew": "O6", "release": "O7", "advance": "O8", "forget": "O10", "forget_worker": "O11",
}  # fmt: skip
"""The sentence about each operation; the queries have O9."""
REJECTED_BY = {"ClockWentBackwards": "T1", "WorkerExists": "O1", "UnknownWorker": "O2", "OverflowError": "I4"}
LEASE_RULES = {"task_id": "O4", "token": "I2", "attempt": "L4", "start": "T4", "expiry": "T4"}
RENEWED_RULES = {"token": "I3", "attempt": "O6", "start": "O6", "expiry": "O6"}


def rule_of_answer(before: View, expected: Event, came: Event) -> str:
    """The most specific sentence that the answer breaks; `before` is the state in which the call was made."""
    if expected.error is not None:
        return "R1" if came.error is not None else _rule_of_rejection(expected)
    expected = _plainly(expected)
    if _is_confusable(before, expected.arguments):
        return "V3"
    refused = expected.answer is None or expected.answer is False
    if came.error is not None:
        return "R2" if refused and expected.op in TIMED else RULE_OF.get(expected.op, "O9")
    if expected.op in ("complete", "release", "renew"):
        return _rule_of_use(before, expected, came, refused)
    if expected.op == "dispatch":
        return _rule_of_dispatch(before, expected, came)
    if expected.op == "advance":
        return _rule_of_advance(before, expected, came)
    if expected.op == "add_task":
        return "I1"
    return RULE_OF.get(expected.op, "O9")


def rule_of_state(before: View, expected: Event, then: View | None = None, found: View | None = None) -> str:
    """The sentence that a wrong state breaks after a call that was answered as it must be.

    With the view that must be seen then and the one that was found it is the most specific one.
    """
    if expected.error is not None:
        return "R1"
    if then is not None and found is not None and (rule := _rule_of_views(before, expected, then, found)):
        return rule
    if expected.op in TIMED and any(is_late(lease, expected.arguments["now"]) for lease in before.leases):
        return "T3"
    if expected.answer is None or expected.answer is False:
        return RULE_OF[expected.op] if expected.op in ("add_worker", "set_capacity") else "R2"
    return RULE_OF.get(expected.op, "O9")


def _plainly(event: Event) -> Event:
    """The event with plain arguments: a subclass could lie about what it equals."""
    return event._replace(arguments={name: plain(value) for name, value in event.arguments.items()})


def _rule_of_views(before: View, expected: Event, then: View, found: View) -> str | None:
    """By what is wrong in the view, where that says more than the call."""
    if found.now != then.now and expected.op not in TIMED:
        return "T2"
    if [task.id for task in found.tasks] == [task.id for task in then.tasks]:
        for was, task in zip(then.tasks, found.tasks, strict=True):
            if task != was:
                return _rule_of_task(before, was, task)
    names, found_names = ([worker.name for worker in seen.workers] for seen in (then, found))
    if found_names != names and [*map(_folded, found_names)] == [*map(_folded, names)]:
        return "V3"
    return "O9" if (found.now, found.tasks, found.workers) == (then.now, then.tasks, then.workers) else None


def _rule_of_task(before: View, expected: Task, found: Task) -> str | None:
    earlier = before.task(expected.id)
    if expected.status is Status.DONE and earlier is not None and earlier.status is Status.DONE:
        return "L2"
    if (found.status is Status.RUNNING) != (found.lease is not None):
        return "L3"
    if found.payload != expected.payload:
        return "V4"
    return "L4" if found.attempts != expected.attempts else None


def _folded(name: str) -> str:
    """The same for names that a person would confuse. (V3)"""
    return name.strip().casefold()


def _is_confusable(before: View, arguments: dict[str, Any]) -> bool:
    """Whether the call names an unknown worker that could be taken for a known one, or for another name."""
    name = arguments.get("worker", arguments.get("name"))
    if not isinstance(name, str) or before.worker(name) is not None:
        return False
    return name != name.strip() or any(_folded(worker.name) == _folded(name) for worker in before.workers)


def _rule_of_rejection(expected: Event) -> str:
    """What makes the call one that must be rejected."""
    if expected.error in REJECTED_BY:
        return REJECTED_BY[expected.error]
    arguments = expected.arguments
    if expected.error == "TypeError":
        for name, value in arguments.items():
            if name in ("worker", "name") and not isinstance(value, str):
                return "V3"
            if name == "payload" and not isinstance(value, bytes | None):
                return "V4"
            if name == "status" and not isinstance(value, Status | None):
                return "O9"
        return "V1"
    if any(
        issubclass(type(value), int) and not LOWEST <= int.__int__(value) <= HIGHEST for value in arguments.values()
    ):
        return "V1"
    numbers = [value for name, value in arguments.items() if name in ("now", "duration", "capacity")]
    least = {"now": 0, "duration": 1, "capacity": 0 if expected.op == "set_capacity" else 1}
    in_range = all(value >= least[name] for name, value in arguments.items() if name in least)
    within = len(numbers) < 2 or sum(numbers) <= HIGHEST
    return "V3" if in_range and within else "V2"


def _rule_of_use(before: View, expected: Event, came: Event, refused: bool) -> str:
    """Of complete, renew and release."""
    arguments, own = expected.arguments, RULE_OF[expected.op]
    task = before.task(arguments["task_id"])
    if not refused:
        if isinstance(came.answer, Lease):
            return _rule_of_fields(expected.answer, came.answer, RENEWED_RULES)
        last_instant = task and task.lease and is_late(task.lease, arguments["now"] + 1)
        return "T4" if last_instant else own
    if task is not None and task.status is Status.DONE:
        return "L2"
    if task is not None and task.lease is not None and task.lease.token == arguments["token"]:
        return "T4"
    return own


def _rule_of_dispatch(before: View, expected: Event, came: Event) -> str:
    now = expected.arguments["now"]
    over = {lease.task_id: lease for lease in before.leases if is_late(lease, now)}
    if isinstance(expected.answer, Lease) and isinstance(came.answer, Lease):
        if expected.answer.task_id not in over or came.answer.task_id == expected.answer.task_id:
            return _rule_of_fields(expected.answer, came.answer, LEASE_RULES)
    elif not over or expected.answer is None:
        return "O4"
    return "T3" if any(is_late(lease, now - 1) for lease in over.values()) else "T4"


def _rule_of_fields(expected: Lease, came: Lease, rules: dict[str, str]) -> str:
    """By the first field that is wrong."""
    wrong = [name for name in rules if getattr(expected, name) != getattr(came, name)]
    return rules[wrong[0]] if wrong else "L3"


def _rule_of_advance(before: View, expected: Event, came: Event) -> str:
    """T4 where all that ends at one instant ended earlier or later, T3 where some did or the order is wrong."""
    now = expected.arguments["now"]
    if came.answer and came.answer != expected.answer and {*came.answer} <= {*expected.answer}:
        return "T3"
    at_boundary = any(is_late(lease, now) != is_late(lease, now - 1) for lease in before.leases)
    soon_over = any(is_late(lease, now + 1) != is_late(lease, now) for lease in before.leases)
    return "T4" if at_boundary or soon_over else "T3"


# -- in words


def what_is_wrong(expected: Event, came: Event) -> str:
    """One sentence: what came, and what must come."""
    if expected.error is not None:
        must = f"must be rejected with {expected.error}"
        return f"{came.op} {_said(came)}, and {must}"
    if isinstance(expected.answer, Lease) and isinstance(came.answer, Lease):
        wrong = [name for name in Lease._fields if getattr(expected.answer, name) != getattr(came.answer, name)]
        return f"{came.op} gave {_fields(came.answer, wrong)}, and must give {_fields(expected.answer, wrong)}"
    return f"{came.op} {_said(came)}, and must have {_said(expected).replace('was ', 'been ')}"


def _said(event: Event) -> str:
    """What came of a call, as a past tense."""
    if event.error is not None:
        return f"raised {event.error}"
    answer = event.answer
    if event.op in ("complete", "renew", "release", "forget", "forget_worker", "dispatch"):
        if answer is None or answer is False:
            return "was refused"
        if answer is True:
            return "was accepted"
    if event.op in ("add_worker", "set_capacity"):
        return "was accepted" if answer is None else "was refused"
    if isinstance(answer, Lease):
        return f"granted {_fields(answer, ['task_id', 'token', 'expiry'])}"
    if event.op == "advance" and isinstance(answer, tuple):
        return f"told {_tokens(answer)}"
    return f"answered {_value(answer)}"


def _fields(lease: Lease, names: list[str]) -> str:
    return ", ".join(f"{name} {_value(getattr(lease, name))}" for name in names)


def _value(value: Any) -> str:
    """As Python writes it; what couldn't be read says so itself."""
    return value.repr if isinstance(value, Odd) else repr(value)


def _tokens(leases: tuple[Any, ...]) -> str:
    if not leases:
        return "that nothing expired"
    names = ", ".join(str(getattr(lease, "token", lease)) for lease in leases)
    return f"that {'token' if len(leases) == 1 else 'tokens'} {names} expired"
