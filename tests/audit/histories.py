"""Histories for audits: recorded from walks, changed at random, exported in the minimal form."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any, NamedTuple

from contract.walks import walk

from tenure import Scheduler
from tenure.audit.calls import Calls
from tenure.audit.findings import NotAllowed
from tenure.audit.lines import LogError
from tenure.audit.minimal import Events
from tenure.checking.faults import FAULTS
from tenure.history import Event, recorded, to_line
from tenure.operations import QUERIES, Operations


@cache
def recorded_by(name: str, seed: int, length: int) -> tuple[str, ...]:
    """The lines of a walk through a faulty scheduler, or one of ours without a name."""
    return tuple(map(to_line, walked(FAULTS[name]() if name else Scheduler(), seed, length)))


def walked(scheduler: Operations, seed: int, length: int = 80) -> list[Event]:
    """What comes of a walk through the scheduler, its looks at it included."""
    events: list[Event] = []
    walk(recorded(scheduler, events.append), seed, length)
    return events


class Outcome(NamedTuple):
    """What an audit came to: the first line that is at fault, if one is, and how."""

    line: int | None
    how: str = ""
    reason: str = ""


def audited(lines: list[str], *, fast: bool = True, exact_errors: bool = False) -> Outcome:
    """The outcome for a full log."""
    return outcome(Calls("log", exact_errors, fast), lines)


def outcome(judge: Calls | Events, lines: list[str]) -> Outcome:
    """The outcome of a judge for these lines."""
    try:
        judge.judge(lines)
    except NotAllowed as denied:
        return Outcome(judge.accepted + 1, denied.rule, denied.reason)
    except LogError as error:
        return Outcome(error.line, "bad", error.reason)
    assert judge.accepted == len(lines)
    return Outcome(None)


def exported(events: list[Event]) -> list[dict[str, Any]]:
    """The accepted calls of a history in the minimal form, with all that it may tell."""
    return [line for event in events if event.error is None and event.op not in QUERIES for line in _exported(event)]


def _exported(event: Event) -> list[dict[str, Any]]:
    op, given, answer, _ = event
    if op == "add_task":
        return [{"event": "added", "task": answer, "priority": given["priority"]}]
    if op in ("add_worker", "set_capacity"):
        return [{"event": "worker", "worker": given["worker"], "capacity": given["capacity"]}]
    if op == "advance":
        return [
            {"event": "expired", "task": lease.task_id, "token": lease.token, "at": given["now"]} for lease in answer
        ]
    if not answer:
        return []
    if op in ("forget", "forget_worker"):
        return [{"event": "forgotten", **({"task": given["task_id"]} if op == "forget" else given)}]
    if op in ("complete", "release"):
        return [{"event": f"{op}d", "task": given["task_id"], "token": given["token"], "at": given["now"]}]
    lease = {"task": answer.task_id, "token": answer.token, "at": given["now"], "expiry": answer.expiry}
    if op == "renew":
        return [{"event": "renewed", **lease}]
    return [{"event": "dispatched", **lease, "worker": answer.worker, "attempt": answer.attempt}]


OMISSIBLE = {
    "dispatched": ("worker", "expiry", "attempt"),
    "renewed": ("expiry",),
    "expired": ("token",),
}
"""What a line may leave out."""


def thinned(lines: list[dict[str, Any]], random: Random) -> list[dict[str, Any]]:
    """The same with less told: optional fields are gone, `expired` lines, some tasks' `added`, all about workers."""
    fields = {name: random.choice((0, 0, 0.5, 1)) for names in OMISSIBLE.values() for name in names}
    least = {event: random.choice((0, 0, 0.5, 1)) for event in ("added", "expired")}
    untold = ("w1", "w2", "w3", "w4")[: 4 * random.randrange(2)]
    left = []
    for line in lines:
        event = line["event"]
        if "capacity" in line or (event == "forgotten" and "worker" in line):
            if line["worker"] in untold:
                continue
        elif random.random() < least.get(event, 0):
            continue
        gone = {name for name in OMISSIBLE.get(event, ()) if random.random() < fields[name]}
        left.append({name: value for name, value in line.items() if name not in gone})
    return left


def text(lines: list[dict[str, Any]]) -> list[str]:
    """As lines of JSON."""
    return [json.dumps(line) for line in lines]


OTHERS: tuple[Any, ...] = (0, 1, 2, -1, 2**53, "w1", True, None, [], "9007199254740992", 1.0)


def changed(lines: list[str], random: Random) -> list[str]:
    """The log with one change: a line dropped, doubled, moved, or something in it replaced."""
    lines = list(lines)
    at = random.randrange(len(lines))
    match random.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(random.randrange(len(lines) + 1), lines[at])
        case 2:
            other = random.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            try:
                fields = json.loads(lines[at])
                fields[random.choice(sorted(fields))] = random.choice(OTHERS)
                lines[at] = json.dumps(fields)
            except ValueError:  # it was changed before
                lines[at] += "}"
        case _:
            digits = [i for i, character in enumerate(lines[at]) if character.isdigit()] or [0]
            i = random.choice(digits)
            lines[at] = lines[at][:i] + random.choice('0123456789-" }\r') + lines[at][i + 1 :]
    return lines
