"""What a scheduler says that it has, so that a check asks no more of it and reports the rest as not checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from ...operations import PARAMETERS, QUERIES
from ...wire import Event, is_tagged

Call = tuple[str, dict[str, Any]]
"""An operation and its arguments by name."""
OPTIONAL = ("renew", "release", "set_capacity", "forget", "forget_worker")
"""The operations that a scheduler may lack."""
LACKABLE = (*OPTIONAL, "queries", "priority", "workers", "expired", "limits")
UNLIMITED = 10**6
"""The capacity of a worker in the reference, where the scheduler has no limit."""
NUMBERINGS = ("exact", "increasing", "opaque")
REJECTIONS = ("error", "refusal")
NUMBERED = ("task_id", "token")
ANSWERLESS = ("add_worker", "set_capacity")
WORKERS_ONLY = ("add_worker", "set_capacity", "forget_worker", "worker", "workers")


@dataclass(frozen=True)
class Abilities:
    """What a scheduler has and how it shows it; docs/reference/adapter-protocol.md says what each field means."""

    lacks: frozenset[str] = frozenset()
    numbering: str = "exact"
    typed_arguments: bool = True
    rejects: str = "error"

    @property
    def shows(self) -> bool:
        """Whether the state can be looked at, and not just be told from answers."""
        return "queries" not in self.lacks

    def has(self, op: str) -> bool:
        """Whether the operation can be asked for at all."""
        if op in QUERIES and "queries" in self.lacks:
            return False
        return op not in self.lacks and not (op in WORKERS_ONLY and "workers" in self.lacks)

    def takes(self, call: Call) -> bool:
        """Whether the call can be made: it has the operation, and its language can say the arguments."""
        if self == FULL:
            return True
        op, arguments = call
        if not self.has(op):
            return False
        if "workers" in self.lacks and op == "dispatch" and not _is_ordinary(arguments.get("worker")):
            return False
        if "priority" in self.lacks and op == "add_task" and is_tagged("priority", arguments.get("priority", 0)):
            return False
        if "limits" in self.lacks and _is_beyond(arguments):
            return False
        tagged = [name for name, value in arguments.items() if is_tagged(name, value)]
        if self.numbering != "exact" and any(name in tagged for name in NUMBERED):
            return False
        return self.typed_arguments or not tagged

    def agree(self, expected: Event, came: Event, exact_errors: bool) -> bool:
        """Whether what came is what the contract says, as far as this scheduler can show it. (R1, R2)"""
        if expected.error is not None:
            if came.error is not None:
                return not exact_errors or came.error == expected.error
            return self.shows_as_rejected(came)
        if came.op == "advance" and "expired" in self.lacks:
            return came.error is None
        return came.error is None and came.answer == expected.answer

    def shows_as_rejected(self, came: Event) -> bool:
        """Whether an answer can be how it rejects: False or None, but for what answers None when all is well."""
        refused = came.answer is False or (came.answer is None and came.op not in ANSWERLESS)
        return self.rejects == "refusal" and came.error is None and refused

    def not_checked(self) -> tuple[str, ...]:
        """What these abilities leave out, in words."""
        said = [UNCHECKED[name] for name in LACKABLE if name in self.lacks]
        if self.numbering != "exact":
            said.append("that ids and tokens are 1, 2, 3, ... (I1, I2): they are compared up to renaming")
        if self.numbering == "opaque":
            said.append("that a later token is the larger (I2), so that a destination could fence on it")
        if not self.typed_arguments:
            said.append("that arguments of a wrong type are rejected (V1, V3, V4): its language can't express them")
        return tuple(said)


def _is_ordinary(name: Any) -> bool:
    """Whether it is such a name as the checks give to workers, and not one that tries a name's limits."""
    return type(name) is str and name.isascii() and name.isalnum() and len(name) < 16


def _is_beyond(arguments: dict[str, Any]) -> bool:
    """Whether a number, or the end of a lease, doesn't fit into 64 bits."""
    numbers = {name: int.__int__(value) for name, value in arguments.items() if issubclass(type(value), int)}
    end = numbers.get("now", 0) + numbers.get("duration", 0)
    return any(not -(2**63) <= number < 2**63 for number in (*numbers.values(), end))


UNCHECKED = {
    "renew": "renew (O6, I3)",
    "release": "release (O7)",
    "set_capacity": "set_capacity (O2)",
    "forget": "forget (O10)",
    "forget_worker": "forget_worker (O11)",
    "queries": "the queries (O9): what a call left behind was asked of later calls instead",
    "priority": "priorities (O4): all tasks had the same",
    "workers": "workers and their capacity (O1, O2, O4, O11): any name could dispatch",
    "expired": "that advance tells what expired (O8)",
    "limits": "that numbers, and ends of leases, beyond 64 bits are rejected (V1, V2)",
}
FULL = Abilities()
NAMES = tuple(field.name for field in fields(Abilities))


def abilities_of(told: Mapping[str, Any], default: Abilities = FULL) -> Abilities:
    """The abilities in what a scheduler told of itself. Raises ValueError that says what is wrong with it."""
    lacks = told.get("lacks", sorted(default.lacks))
    if isinstance(lacks, str | Mapping) or not isinstance(lacks, Iterable) or not {*map(str, lacks)} <= {*LACKABLE}:
        raise ValueError(f"lacks must be a list of names from {', '.join(LACKABLE)}, not {lacks!r}")
    numbering, rejects = told.get("numbering", default.numbering), told.get("rejects", default.rejects)
    typed = told.get("typed_arguments", default.typed_arguments)
    if numbering not in NUMBERINGS:
        raise ValueError(f"numbering must be one of {', '.join(NUMBERINGS)}, not {numbering!r}")
    if rejects not in REJECTIONS:
        raise ValueError(f"rejects must be one of {', '.join(REJECTIONS)}, not {rejects!r}")
    if not isinstance(typed, bool):
        raise ValueError(f"typed_arguments must be true or false, not {typed!r}")
    return Abilities(frozenset(map(str, lacks)), numbering, typed, rejects)


def abilities_told(told: Any) -> Abilities:
    """The same of a Python scheduler's attribute, in which nothing that isn't known may stand. Raises ValueError."""
    if not isinstance(told, Mapping):
        raise ValueError(f'its abilities must be a mapping such as {{"lacks": ["renew"]}}, not {told!r:.80}')
    if unknown := [name for name in told if name not in (*NAMES, "protocol", "name")]:
        raise ValueError(f"its abilities have {unknown[0]!r}, and may have only {', '.join(NAMES)}")
    return abilities_of(told)


def missing(has: Iterable[str]) -> frozenset[str]:
    """What something lacks that has these operations. Raises ValueError if that can't be lacking."""
    absent = PARAMETERS.keys() - set(has)
    needed = sorted(absent - {*OPTIONAL, *QUERIES})
    if needed:
        raise ValueError(f"it has no {', '.join(needed)}, which every scheduler needs")
    return frozenset({*absent & {*OPTIONAL}, *({"queries"} if absent & {*QUERIES} else ())})
