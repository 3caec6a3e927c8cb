"""Values of a foreign scheduler read as Tenure's own: whatever has the same attributes, or the same fields of JSON."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

from ...values import Counts, Lease, Status, Task, Worker
from ...wire import WIDE, Odd
from .numbering import Numbering

STATUSES = {name: status for status in Status for name in (status.value, status.name)}


class Unreadable(Exception):
    """An answer isn't of its form; the exception says in what."""


class Reader:
    """Reads answers; what can't be read becomes Odd, which agrees with nothing.

    `from_json` is whether wide integers are strings and payloads base64.
    """

    def __init__(self, ids: Numbering, tokens: Numbering, *, from_json: bool) -> None:
        self._ids, self._tokens, self._from_json = ids, tokens, from_json
        many = self._many
        self._reads: dict[str, Callable[[Any], Any]] = {
            "add_task": self._id,
            "dispatch": self._granted,
            "renew": self._granted,
            "advance": many(self._lease),
            "now": self._number,
            "task": _maybe(self._task),
            "tasks": many(self._task),
            "worker": _maybe(self._worker),
            "workers": many(self._worker),
            "leases": many(self._lease),
            "counts": self._counts,
            "next_expiry": _maybe(self._number),
        } | dict.fromkeys(("complete", "release", "forget", "forget_worker"), _truth)

    def answer(self, op: str, own: Any) -> Any:
        """The answer to the operation as a plain value of Tenure's."""
        if op in ("add_worker", "set_capacity"):
            return False if own is False else None
        try:
            return self._reads[op](own)
        except Unreadable as error:
            return Odd(type(own).__name__, f"{_short(own)}: {error}")
        except Exception as error:
            return Odd(type(own).__name__, f"{_short(own)}: reading it raises {_short(error)}")

    # -- the parts of a value

    def _id(self, own: Any) -> Any:
        return self._ids.told(self._widened(own, self._ids))

    def _token(self, own: Any) -> Any:
        return self._tokens.told(self._widened(own, self._tokens))

    def _widened(self, own: Any, numbers: Numbering) -> Any:
        """In JSON an integer beyond 2**53 - 1 is a string, unless the scheduler's ids may be any string."""
        if self._from_json and numbers.how != "opaque" and isinstance(own, str) and WIDE.fullmatch(own):
            return int(own)
        return own

    def _number(self, own: Any) -> int:
        if isinstance(own, int) and not isinstance(own, bool):
            return int.__int__(own)
        if self._from_json and isinstance(own, str) and WIDE.fullmatch(own):
            return int(own)
        raise Unreadable(f"{_short(own)} is no integer")

    def _payload(self, own: Any) -> bytes | None:
        if own is None:
            return None
        if self._from_json and isinstance(own, str):
            try:
                return b64decode(own, validate=True)
            except ValueError:
                raise Unreadable(f"payload {_short(own)} is not base64") from None
        if isinstance(own, bytes):
            return bytes.__getitem__(own, slice(None))
        raise Unreadable(f"payload {_short(own)} is no bytes")

    def _granted(self, own: Any) -> Lease | None:
        return None if own is None or own is False else self._lease(own)

    def _lease(self, own: Any) -> Lease:
        number = self._number
        return Lease(
            self._id(_field(own, "task_id")),
            _text(_field(own, "worker")),
            self._token(_field(own, "token")),
            number(_field(own, "attempt")),
            number(_field(own, "start")),
            number(_field(own, "expiry")),
            self._payload(_field(own, "payload", None)),
        )

    def _task(self, own: Any) -> Task:
        lease = _field(own, "lease")
        return Task(
            self._id(_field(own, "id")),
            self._number(_field(own, "priority")),
            self._payload(_field(own, "payload", None)),
            _status(_field(own, "status")),
            self._number(_field(own, "attempts")),
            None if lease is None else self._lease(lease),
        )

    def _worker(self, own: Any) -> Worker:
        numbers = (self._number(_field(own, name)) for name in ("capacity", "held"))
        return Worker(_text(_field(own, "name")), *numbers)

    def _counts(self, own: Any) -> Counts:
        return Counts(*(self._number(_field(own, name)) for name in Counts._fields))

    def _many(self, read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
        def read_all(own: Any) -> tuple[Any, ...]:
            if isinstance(own, str | Mapping) or not isinstance(own, Iterable):
                raise Unreadable("it is no list")
            return tuple(map(read, own))

        return read_all


def _field(own: Any, name: str, *default: Any) -> Any:
    """An attribute, or what a mapping has by this name."""
    if isinstance(own, Mapping):
        if name in own or default:
            return own.get(name, *default)
    elif hasattr(own, name) or default:
        return getattr(own, name, *default)
    raise Unreadable(f"it has no {name}")


def _text(own: Any) -> str:
    if isinstance(own, str):
        return "".join([own])
    raise Unreadable(f"{_short(own)} is no name")


def _status(own: Any) -> Status:
    """A Status, its name, or an enumeration's member of such a name or value."""
    if isinstance(own, Status):
        return own
    for name in (own.value, own.name) if isinstance(own, Enum) else (own,):
        if isinstance(name, str) and name in STATUSES:
            return STATUSES[name]
    raise Unreadable(f"{_short(own)} is no status: pending, running or done")


def _truth(own: Any) -> bool:
    if own is None or own is False or own is True:
        return bool(own)
    raise Unreadable("it is neither true nor false")


def _maybe(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda own: None if own is None else read(own)


def _short(own: Any) -> str:
    try:
        text = ascii(own)
    except Exception:
        text = f"a {type(own).__name__} that can't be shown"
    return text if len(text) <= 160 else text[:157] + "..."
