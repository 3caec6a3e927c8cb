"""Words for a line of a minimal log that isn't allowed: why a lease doesn't serve, and what is known of it."""

from __future__ import annotations

from .. import rules
from ..values import Lease
from .events import Line, shown
from .ledger import Ledger
from .seen import Key

REFUSAL = "a refusal"


def stale(ledger: Ledger, line: Line, rule: str) -> tuple[str, str, str]:
    """The rule that a line breaks whose lease isn't live or isn't its token's, the reason, and what is allowed."""
    event, record = line.event, ledger.records.get(line.task) if line.task is not None else None
    if record is None:
        return rule, f"{event}, though {what_of(ledger, line.task)}", REFUSAL
    if record.last is not None and record.last_token == line.token and record.ended == "expired":
        known = record.last.expiry != rules.HIGHEST
        over = f"was over at {record.last.expiry}" if known else "was over, as an earlier line shows"
        return "T4", f"{event} at {line.at} under a lease that {over}", REFUSAL
    if record.lease is None:
        return rule, f"{event}, though the task is pending and has no lease", REFUSAL
    given, current = shown(line.token), shown(record.token)
    return rule, f"{event} with token {given}, though the task's lease has token {current}", REFUSAL


def what_of(ledger: Ledger, key: Key | None) -> str:
    """What is known of a task that is neither pending nor running."""
    assert key is not None
    if key in ledger.done:
        return f"task {shown(key)} is done"
    if key in ledger.forgotten:
        return f"task {shown(key)} was forgotten"
    return f"no line before added or dispatched task {shown(key)}"


def context_of(ledger: Ledger, line: Line) -> tuple[tuple[str, str], ...]:
    """The time, and what is known of the line's worker, task and leases."""
    found = [("time", str(ledger.now))]
    if line.worker in ledger.capacities:
        capacity, held = ledger.load(line.worker, rules.HIGHEST)
        found.append(("worker", f"{shown(line.worker)} holds {held:,} of {capacity:,}"))
    record = None if line.task is None else ledger.records.get(line.task)
    if record is None:
        return tuple(found)
    found.append(("task", f"{shown(record.key)} is {'pending' if record.lease is None else 'running'}"))
    if record.lease is not None:
        found.append(("lease", f"{_interval(record.lease, record.token)}, is its lease"))
    if record.last is not None:
        found.append(("lease", f"{_interval(record.last, record.last_token)}, {record.ended} before"))
    return tuple(found)


def _interval(lease: Lease, token: Key | None) -> str:
    end = "an expiry that no line tells" if lease.expiry == rules.HIGHEST else lease.expiry
    whose = f" of {shown(lease.worker)}" if lease.worker else ""
    return f"token {shown(token)}{whose}, live on [{lease.start}, {end})"
