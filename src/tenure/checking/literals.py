"""Calls, arguments and answers as a person reads them: Python text, short, and nothing that can't be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..history import Event
from ..lanes import visible
from ..operations import PARAMETERS
from ..values import Counts, Lease, Status, Task, Worker
from ..wire import Odd
from .hostile import plain

POSITIONAL = ("worker", "task_id", "token", "name", "status")
"""Arguments that are written without their names, where they stand in their order."""
LONGEST = 80


def literal(value: Any) -> str:
    r"""The value as Python writes it, strings in double quotes; what can't be written is described.

    >>> print(literal("press\n"), literal(True), literal(b"x"), literal(2**63 - 1), literal(2**64))
    "press\n" True b"x" 2**63 - 1 2**64
    """
    kind = type(value)
    if kind is str:
        return _string(value)
    if kind is bytes:
        return _quoted(repr(value)[1:], "b")
    if kind is int:
        return _integer(value)
    if kind is float and value != value:
        return 'float("nan")'
    if value is None or kind in (bool, float):
        return repr(value)
    if kind is Status:
        return f"Status.{value.name}"
    if kind in (list, tuple):
        inner = ", ".join(map(literal, value))
        return f"[{inner}]" if kind is list else f"({inner}{',' if len(value) == 1 else ''})"
    if issubclass(kind, int | str | bytes):
        return f"{kind.__name__}({literal(plain(value))})"
    return shown(value)


def _string(value: str) -> str:
    return _quoted("".join(_escaped(one) for one in repr(value)))


def _escaped(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def _quoted(written: str, prefix: str = "") -> str:
    """Python's own form, in double quotes where that needs no further escapes."""
    if written.startswith("'") and '"' not in written:
        inner = written[1:-1].replace("\\'", "'")
        return f'{prefix}"{inner}"'
    return prefix + written


def _integer(value: int) -> str:
    """Numbers near or beyond the ends of 64 bits are told from there."""
    size = abs(value)
    if size < 10**15:
        return str(value)
    sign = "-" if value < 0 else ""
    for power in (62, 63, 64):
        beyond = size - 2**power
        if abs(beyond) < 1000:
            rest = "" if not beyond else f" {'+' if beyond > 0 else '-'} {abs(beyond)}"
            return f"{sign}(2**{power}{rest})" if sign else f"2**{power}{rest}"
    if size < 2**128:
        return str(value)
    for base, power in ((2, size.bit_length() - 1), (10, round(size.bit_length() * 0.30103))):
        if size == base**power:
            return f"{sign}({base}**{power})" if sign else f"{base}**{power}"
    return hex(value)


def shown(value: Any) -> str:
    """Any value in a few words, whatever it does when it is asked; never longer than a line."""
    if type(value) is Odd:
        return visible(f"<{value.type}: {value.repr}>")
    try:
        said = repr(value)
    except Exception:
        said = f"<{type(value).__name__}, which can't be shown>"
    said = visible(said)
    said = f"{type(value).__name__}({said})" if said.isdigit() else said
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 3]}..."


def call(event: Event) -> str:
    """The call as it is written in Python: `dispatch("w1", now=5, duration=5)`."""
    if event.op == "now":
        return "now"
    return f"{event.op}({', '.join(arguments(event, brief))})"


def arguments(event: Event, write: Callable[[Any], str] = literal) -> Iterator[str]:
    """The arguments as a call has them, by position where that is clear."""
    by_position = True
    for name in PARAMETERS[event.op]:
        if name not in event.arguments or (name == "payload" and event.arguments[name] is None):
            by_position = False
        elif by_position and name in POSITIONAL:
            yield write(event.arguments[name])
        else:
            yield f"{name}={write(event.arguments[name])}"


def brief(value: Any) -> str:
    """The value in at most a line; a lease by its first fields."""
    if type(value) is Lease:
        return lease_text(value)
    said = literal(value)
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 3]}..."


def lease_text(lease: Lease) -> str:
    """The fields of a lease that one looks at first."""
    return f"task {brief(lease.task_id)}, token {brief(lease.token)}, [{brief(lease.start)}, {brief(lease.expiry)})"


def leases_text(leases: tuple[Any, ...]) -> str:
    """Several leases, one after another."""
    return "; ".join(map(brief, leases))


def answer(event: Event) -> str:
    """What came of the call, in as few words as tell it."""
    if event.error is not None:
        return f"rejected {visible(event.error)}"
    value = event.answer
    if (value is None and event.op in ("dispatch", "renew")) or (value is False and event.op in REFUSING):
        return "refused"
    if type(value) is Lease:
        return lease_text(value)
    if event.op == "advance" and type(value) is tuple and all(type(one) is Lease for one in value):
        return f"expired {leases_text(value)}" if value else "nothing expired"
    if event.op == "add_task" and type(value) is int:
        return f"id {literal(value)}"
    return _plainly(value)


REFUSING = ("complete", "release", "forget", "forget_worker")
VERBS = {"dispatch": ("granted", "grant"), "advance": ("expired", "expire")}


def answered(event: Event, other: Event | None = None) -> str:
    """What came of a call, in the past tense; with the fields that differ, if the other answer reads the same."""
    return _verbally(event, other, 0, "was refused", "was rejected with", "answered")


def must(event: Event, other: Event | None = None) -> str:
    """What has to come of a call, behind `must`; with the fields that differ, if the other answer reads the same."""
    return _verbally(event, other, 1, "be refused", "be rejected with", "answer")


def _verbally(event: Event, other: Event | None, form: int, refused: str, rejected: str, plainly: str) -> str:
    if event.error is not None:
        return f"{rejected} {visible(event.error)}"
    said = answer(event)
    if said == "refused":
        return refused
    more = "" if other is None or other.error or answer(other) != said else _differing(event.answer, other.answer)
    if event.op in VERBS and type(event.answer) in (Lease, tuple):
        leases = (event.answer,) if type(event.answer) is Lease else event.answer
        return f"{VERBS[event.op][form]} {leases_text(leases) or 'nothing'}{more}"
    return f"{plainly} {said}{more}"


def _differing(one: Any, other: Any) -> str:
    """The fields of the one that the other has otherwise."""
    if type(one) is not type(other) or not isinstance(one, Lease | Task | Worker):
        return ""
    fields = one._asdict().items()
    return "".join(f" with {name} {brief(value)}" for name, value in fields if value != getattr(other, name))


def _plainly(value: Any) -> str:
    if type(value) is Task:
        lease = "" if value.lease is None else f", {lease_text(value.lease)}"
        return f"task {brief(value.id)} {_status(value.status)}, attempts {brief(value.attempts)}{lease}"
    if type(value) is Worker:
        return f"{visible(str(value.name))} holds {brief(value.held)} of {brief(value.capacity)}"
    if type(value) is Counts:
        return ", ".join(f"{brief(number)} {name}" for name, number in value._asdict().items())
    if type(value) is tuple:
        return "; ".join(map(_plainly, value)) or "none"
    if type(value) is Lease:
        return lease_text(value)
    return brief(value)


def _status(status: Any) -> str:
    return status.value if type(status) is Status else shown(status)
