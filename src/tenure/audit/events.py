"""The lines of a minimal log: what each may hold, and reading it. Nothing here judges."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ..rules import HIGHEST, LOWEST, new, number, within, worker_argument
from .seen import Key

FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "added": (("task",), ("priority", "at")),
    "dispatched": (("task", "token", "at"), ("worker", "expiry", "duration", "attempt")),
    "renewed": (("task", "token", "at"), ("expiry", "duration")),
    "completed": (("task", "token", "at"), ()),
    "released": (("task", "token", "at"), ()),
    "expired": (("task", "at"), ("token",)),
    "worker": (("worker", "capacity"), ("at",)),
    "forgotten": ((), ("task", "worker", "at")),
}
"""What each event needs, and what else it may have."""
LEAST = {"at": 0, "expiry": 0, "duration": 1, "capacity": 0, "attempt": 1, "priority": LOWEST}
"""The least that each number may be."""
EXAMPLE = '{"event": "dispatched", "task": 1, "worker": "w1", "token": 1, "at": 5, "expiry": 10}'
TOKENS = ("increasing", "exact", "opaque")
BEGINS = ("new", "middle")


class Header(NamedTuple):
    """What a minimal log may say of itself in its first line."""

    tokens: str | None = None
    """One of TOKENS; None where the first token is to tell: integers increase, strings are opaque."""
    duration: int | None = None
    """Of leases and renewals that tell neither expiry nor duration."""
    begins: str = "new"
    """One of BEGINS."""


class Line(NamedTuple):
    """One event; what its line doesn't hold is None."""

    event: str
    task: Key | None = None
    token: Key | None = None
    at: int | None = None
    worker: str | None = None
    expiry: int | None = None
    duration: int | None = None
    priority: int | None = None
    capacity: int | None = None
    attempt: int | None = None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return fields


_decoder = json.JSONDecoder(object_pairs_hook=_object)


def fields_of(text: str) -> dict[str, Any]:
    """The fields of a line of any form. Raises ValueError saying what is wrong."""
    try:
        fields, end = _decoder.raw_decode(text) if text[:1] == "{" else (None, -1)
        if end != len(text):
            fields = _decoder.decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("not an event: nested too deeply") from None
    if not isinstance(fields, dict):
        raise ValueError(f"a line is an object such as {EXAMPLE}, not {shown(fields)}")
    return fields


def header_of(fields: dict[str, Any]) -> Header:
    """The header that these fields make. Raises ValueError saying what is wrong."""
    rest = dict(fields)
    if rest.pop("form", None) != "minimal":
        raise ValueError(f'"form" must be "minimal", not {shown(fields.get("form"))}')
    if unknown := rest.keys() - set(Header._fields):
        raise ValueError(f"a header has no {_listed(sorted(unknown))}; it may have: {', '.join(Header._fields)}")
    for name, allowed in (("tokens", TOKENS), ("begins", BEGINS)):
        if name in rest and rest[name] not in allowed:
            raise ValueError(f'"{name}" must be {" or ".join(map(json.dumps, allowed))}, not {shown(rest[name])}')
    if "duration" in rest:
        _number("duration", rest["duration"])
    return Header(**rest)


def line_of(text: str) -> Line:
    """The event that a line holds. Raises ValueError saying what is wrong. O(its size)."""
    fields = fields_of(text)
    event = fields.get("event")
    if tuple(fields) not in _SHAPES.get(event if type(event) is str else "", ()):
        _check_names(fields)
    for name, value in fields.items():
        if name in LEAST:
            if type(value) is not int or not LEAST[name] <= value <= HIGHEST:
                _number(name, value)
        elif name == "worker":
            _name(value)
        elif type(value) is not int and type(value) is not str:
            raise ValueError(f"{name} must be a string or an integer, not {shown(value)}")
    given = fields.get
    return new(Line, [given(name) for name in Line._fields])


_SHAPES: dict[str, set[tuple[str, ...]]] = {event: set() for event in FIELDS}
"""The names that lines of an event were found to have, in their order, since most lines are like others."""
SHAPES_MOST = 100


def _check_names(fields: dict[str, Any]) -> None:
    """The line has the fields of its event."""
    event = fields.get("event")
    if not isinstance(event, str) or event not in FIELDS:
        hint = "; a log holds calls or events, not both" if "op" in fields else ""
        raise ValueError(f'"event" must be one of {", ".join(FIELDS)}, not {shown(event)}{hint}')
    required, optional = FIELDS[event]
    if missing := [name for name in required if name not in fields]:
        raise ValueError(f"{event} needs {_listed(missing)}")
    if unknown := fields.keys() - {"event", *required, *optional}:
        allowed = ", ".join(required + optional)
        raise ValueError(f"{event} has no {_listed(sorted(unknown))}; its fields are: {allowed}")
    if event == "forgotten" and ("task" in fields) == ("worker" in fields):
        raise ValueError('forgotten needs either a "task" or a "worker"')
    if len(_SHAPES[event]) < SHAPES_MOST:
        _SHAPES[event].add(tuple(fields))


def _number(name: str, value: Any) -> None:
    if type(value) is float:
        raise ValueError(f"{name} must be a whole number, not {shown(value)}; use a finer unit, such as microseconds")
    try:
        within(name, number(name, value), LEAST[name])
    except TypeError:
        raise ValueError(f"{name} must be a whole number, not {shown(value)}") from None


def _name(value: Any) -> None:
    if type(value) is not str:
        raise ValueError(f"worker must be a string, not {shown(value)}")
    worker_argument("worker", value)


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names))


def shown(value: Any) -> str:
    """A value of JSON as a message may show it."""
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
