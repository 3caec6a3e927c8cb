"""Which sentence of the contract a wrong answer breaks, and the sentence that says so to a person."""

from __future__ import annotations

from typing import Any

from ..operations import TIMED
from ..values import Lease, Status
from ..wire import Event
from .hostile import HIGHEST, LOWEST
from .properties import is_late
from .views import View

RULE_OF = {"add_worker": "O1", "set_capacity": "O2", "add_task": "O3", "dispatch": "O4", "complete": "O5"} | {
    "renew": "O6", "release": "O7", "advance": "O8", "forget": "O10", "forget_worker": "O11",
}  # fmt: skip
"""The sentence about each operation; the queries have O9."""
REJECTED_BY = {"ClockWentBackwards": "T1", "WorkerExists": "O1", "UnknownWorker": "O2", "OverflowError": "I4"}
LEASE_RULES = {"task_id": "O4", "token": "I2", "attempt": "L4", "start": "T4", "expiry": "T4"}
RENEWED_RULES = {"token": "I3", "attempt": "I3", "start": "I3", "expiry": "O6"}


def rule_of_answer(before: View, expected: Event, came: Event) -> str:
    """The most specific sentence that the answer breaks; `before` is the state in which the call was made."""
    if expected.error is not None:
        return "R1" if came.error is not None else _rule_of_rejection(expected)
    refused = expected.answer is None or expected.answer is False
    if came.error is not None:
        return "R2" if refused and expected.op in TIMED else RULE_OF.get(expected.op, "O9")
    if expected.op in ("complete", "release", "renew"):
        return _rule_of_use(before, expected, came, refused)
    if expected.op == "dispatch":
        return _rule_of_dispatch(before, expected, came)
    if expected.op == "advance":
        return _rule_of_advance(before, expected)
    if expected.op == "add_task":
        return "I1"
    return RULE_OF.get(expected.op, "O9")


def rule_of_state(before: View, expected: Event) -> str:
    """The sentence that a wrong state breaks after a call that was answered as it must be."""
    if expected.error is not None:
        return "R1"
    if expected.op in TIMED and any(is_late(lease, expected.arguments["now"]) for lease in before.leases):
        return "T3"
    if expected.answer is None or expected.answer is False:
        return RULE_OF[expected.op] if expected.op in ("add_worker", "set_capacity") else "R2"
    return RULE_OF.get(expected.op, "O9")


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
    over = any(is_late(lease, expected.arguments["now"]) for lease in before.leases)
    if isinstance(expected.answer, Lease) and isinstance(came.answer, Lease):
        return _rule_of_fields(expected.answer, came.answer, LEASE_RULES)
    return "T3" if over and expected.answer is not None else "O4"


def _rule_of_fields(expected: Lease, came: Lease, rules: dict[str, str]) -> str:
    """By the first field that is wrong."""
    wrong = [name for name in rules if getattr(expected, name) != getattr(came, name)]
    return rules[wrong[0]] if wrong else "L3"


def _rule_of_advance(before: View, expected: Event) -> str:
    now = expected.arguments["now"]
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
    return f"answered {answer!r}"


def _fields(lease: Lease, names: list[str]) -> str:
    return ", ".join(f"{name} {getattr(lease, name)!r}" for name in names)


def _tokens(leases: tuple[Any, ...]) -> str:
    if not leases:
        return "that nothing expired"
    names = ", ".join(str(getattr(lease, "token", lease)) for lease in leases)
    return f"that {'token' if len(leases) == 1 else 'tokens'} {names} expired"
