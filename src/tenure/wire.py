"""A call and its answer as a line of JSON, and back.

The form is `{"op": ..., arguments by name, "answer": ...}`, or `"error"` and the class of what was raised
instead of an answer. Integers beyond 2**53 - 1 are decimal strings, since other readers of JSON would
round them; payloads are base64. An argument that its place can't hold, such as True for a number, is
`{"type": ..., "value": ...}`, so that rejected calls can be recorded and made again; a string with a
surrogate is so too, its code points in a list.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from .operations import PARAMETERS
from .values import Counts, Lease, Status, Task, Worker

EXACT_MOST = 2**53 - 1
"""The greatest integer that every reader of JSON keeps exactly."""
WIDE = re.compile(r"-?[1-9][0-9]{15,18}")
EXAMPLE = '{"op": "add_task", "priority": 5, "answer": 1}'


class Event(NamedTuple):
    """One call and what came of it: an answer, or the class name of what was raised."""

    op: str
    arguments: dict[str, Any]
    answer: Any = None
    error: str | None = None


class Odd(NamedTuple):
    """Stands for a recorded argument that can't be made again; no scheduler accepts it."""

    type: str
    repr: str


# -- writing


def to_line(event: Event) -> str:
    """The event as a line of JSON, without the line's end. O(its size)."""
    fields = call_fields(event.op, event.arguments)
    if event.error is None:
        fields["answer"] = _answer(event.answer)
    else:
        fields["error"] = event.error
    return json.dumps(fields)


def call_fields(op: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The call as an object of JSON, its arguments in the operation's order."""
    fields: dict[str, Any] = {"op": op}
    for name in PARAMETERS[op]:
        if name in arguments:
            fields[name] = _written(name, arguments[name])
    return fields


def is_tagged(name: str, value: Any) -> bool:
    """Whether the argument's place can't hold the value, so that it is written with its type."""
    return isinstance(_written(name, value), dict)


_HOLDS: dict[str, type] = {"worker": str, "name": str, "payload": bytes, "status": Status}
"""The type that an argument's place holds; the others hold numbers of 64 bits."""
_OPTIONAL = ("payload", "status")


def _written(name: str, value: Any) -> Any:
    """An argument in the form of its place, or tagged with its type."""
    held, kind = _HOLDS.get(name, int), type(value)
    if value is None and name in _OPTIONAL:
        return None
    if not issubclass(kind, held) or kind is bool:
        return _tagged(value)
    if held is int:
        value = int.__int__(value)
        if not -(2**63) <= value < 2**63:
            return _tagged(value)
    if held is str:
        value = str.__str__(value)
        if not _encodes(value):
            return _tagged(value)
    return _answer(value)


def _tagged(value: Any) -> dict[str, Any]:
    kind = type(value)
    if kind is Odd:
        return {"type": value.type, "repr": value.repr}
    if kind is str and not _encodes(value):
        return {"type": "str", "value": [ord(character) for character in value]}
    if value is None or kind in (bool, str):
        return {"type": kind.__name__, "value": value}
    if issubclass(kind, int):
        return {"type": "int", "value": hex(int.__int__(value))}
    if kind is float:
        return {"type": "float", "value": value.hex()}
    if kind is bytes:
        return {"type": "bytes", "value": _answer(value)}
    try:
        shown = repr(value)
    except Exception:
        shown = "it can't be shown"
    return {"type": kind.__name__, "repr": shown.encode("ascii", "backslashreplace").decode()[:200]}


def _encodes(text: str) -> bool:
    """Whether JSON keeps the string: its readers join two surrogates into one character."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _answer(value: Any) -> Any:
    """An answer in its form; one of no known form, as a wrong scheduler may give it, is tagged with its type."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            return _tagged(value)
        return value if -EXACT_MOST <= value <= EXACT_MOST else str(value)
    if isinstance(value, bytes):
        return b64encode(bytes.__getitem__(value, slice(None))).decode()
    if isinstance(value, Status):
        return value.value
    if isinstance(value, Lease | Task | Worker | Counts):
        fields = value._asdict()
        if isinstance(value, Lease | Task) and value.payload is None:
            del fields["payload"]
        return {name: _answer(field) for name, field in fields.items()}
    if isinstance(value, tuple | list) and not isinstance(value, Odd):
        return [_answer(item) for item in value]
    return _tagged(value)


# -- reading


def from_line(line: str) -> Event:
    """The event that a line of JSON holds. Raises ValueError saying what is wrong. O(its size)."""
    try:
        fields = json.loads(line, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("not a call: nested too deeply") from None
    if not isinstance(fields, dict):
        raise ValueError(f"a line is an object such as {EXAMPLE}, not {_short(fields)}")
    op = fields.pop("op", None)
    if not isinstance(op, str) or op not in PARAMETERS:
        raise ValueError(f'"op" must be one of {", ".join(PARAMETERS)}, not {_short(op)}')
    if ("answer" in fields) == ("error" in fields):
        raise ValueError(f'{op} needs either an "answer" or an "error"')
    if not isinstance(fields.get("error", ""), str):
        raise ValueError(f'"error" must be the name of an exception class, not {_short(fields["error"])}')
    error_name = fields.pop("error", None)
    answer = _read_answer(op, fields.pop("answer")) if "answer" in fields else None
    if unknown := fields.keys() - set(PARAMETERS[op]):
        allowed = ", ".join(PARAMETERS[op]) or "none"
        raise ValueError(f"{op} has no {', '.join(map(repr, sorted(unknown)))}; its arguments are: {allowed}")
    return Event(op, {name: _read_argument(name, value) for name, value in fields.items()}, answer, error_name)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return fields


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _wrong(what: str, allowed: str, value: Any) -> NoReturn:
    raise ValueError(f"{what} must be {allowed}, not {_short(value)}")


def _read_argument(name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return _read_tagged(name, value)
    if name in ("worker", "name"):
        return _read_name(name, value)
    if name == "payload":
        return _read_payload(value)
    if name == "status":
        return None if value is None else _read_status(value)
    return _read_number(name, value)


def _read_tagged(name: str, value: dict[str, Any]) -> Any:
    match value:
        case {"type": "NoneType", "value": None}:
            return None
        case {"type": "bool", "value": bool(plain)} | {"type": "str", "value": str(plain)}:
            return plain
        case {"type": "int", "value": str(digits)} if re.fullmatch("-?0x[0-9a-f]+", digits):
            return int(digits, 16)
        case {"type": "str", "value": list(points)} if all(isinstance(p, int) and 0 <= p <= 0x10FFFF for p in points):
            return "".join(map(chr, points))
        case {"type": "float", "value": str(digits)}:
            return _read_float(name, digits)
        case {"type": "bytes", "value": str() as encoded}:
            return _read_payload(encoded)
        case {"type": str(kind), "repr": str(text)}:
            return Odd(kind, text)
        case _:
            return _wrong(name, 'its value or {"type": ..., "value": ...}', value)


def _read_float(name: str, digits: str) -> float:
    try:
        return float.fromhex(digits)
    except (ValueError, OverflowError):
        return _wrong(name, "a float in hexadecimal", digits)


def _read_number(name: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and -EXACT_MOST <= value <= EXACT_MOST:
        return value
    if isinstance(value, str) and WIDE.fullmatch(value) and -(2**63) <= int(value) < 2**63:
        return int(value)
    return _wrong(name, "a number, as a string of digits if beyond 2**53 - 1", value)


def _read_name(what: str, value: Any) -> str:
    return value if isinstance(value, str) else _wrong(what, "a string", value)


def _read_payload(value: Any) -> bytes | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            return b64decode(value, validate=True)
        except ValueError:
            pass
    return _wrong("payload", "base64 or null", value)


def _read_status(value: Any) -> Status:
    try:
        return Status(value)
    except ValueError:
        return _wrong("status", '"pending", "running" or "done"', value)


def _read_fields(what: str, value: Any, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    if not isinstance(value, dict) or not set(required) <= value.keys() <= {*required, *optional}:
        _wrong(what, "an object with " + ", ".join(required), value)
    return value


def _read_lease(value: Any) -> Lease:
    numbers = ("task_id", "token", "attempt", "start", "expiry")
    fields = _read_fields("a lease", value, (*numbers, "worker"), ("payload",))
    plain = {name: _read_number(name, fields[name]) for name in numbers}
    return Lease(worker=_read_name("worker", fields["worker"]), payload=_read_payload(fields.get("payload")), **plain)


def _read_task(value: Any) -> Task:
    numbers = ("id", "priority", "attempts")
    fields = _read_fields("a task", value, (*numbers, "status", "lease"), ("payload",))
    plain = {name: _read_number(name, fields[name]) for name in numbers}
    lease = None if fields["lease"] is None else _read_lease(fields["lease"])
    payload, status = _read_payload(fields.get("payload")), _read_status(fields["status"])
    return Task(payload=payload, status=status, lease=lease, **plain)


def _read_worker(value: Any) -> Worker:
    fields = _read_fields("a worker", value, ("name", "capacity", "held"))
    numbers = {name: _read_number(name, fields[name]) for name in ("capacity", "held")}
    return Worker(name=_read_name("name", fields["name"]), **numbers)


def _read_counts(value: Any) -> Counts:
    fields = _read_fields("counts", value, Counts._fields)
    return Counts(**{name: _read_number(name, field) for name, field in fields.items()})


def _maybe(reader: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else reader(value)


def _many(reader: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def read_all(value: Any) -> Any:
        return tuple(map(reader, value)) if isinstance(value, list) else _wrong("the answer", "a list", value)

    return read_all


def _read_nothing(value: Any) -> None:
    return None if value is None else _wrong("the answer", "null", value)


def _read_truth(value: Any) -> bool:
    return value if isinstance(value, bool) else _wrong("the answer", "true or false", value)


def _read_answered_number(value: Any) -> int:
    return _read_number("the answer", value)


_ANSWERS: dict[str, Callable[[Any], Any]] = {
    "add_worker": _read_nothing,
    "set_capacity": _read_nothing,
    "add_task": _read_answered_number,
    "dispatch": _maybe(_read_lease),
    "complete": _read_truth,
    "renew": _maybe(_read_lease),
    "release": _read_truth,
    "advance": _many(_read_lease),
    "now": _read_answered_number,
    "task": _maybe(_read_task),
    "tasks": _many(_read_task),
    "worker": _maybe(_read_worker),
    "workers": _many(_read_worker),
    "leases": _many(_read_lease),
    "counts": _read_counts,
    "next_expiry": _maybe(_read_answered_number),
    "forget": _read_truth,
    "forget_worker": _read_truth,
}


def _read_answer(op: str, value: Any) -> Any:
    return _ANSWERS[op](value)
