"""Real failures of faulty schedulers, as counterexamples that tests tell in each form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tenure.checking.counterexample import Counterexample
from tenure.checking.faults import FAULTS
from tenure.checking.hostile import Huge, LyingInt, LyingStr
from tenure.checking.quick import QuickReference
from tenure.checking.seeing import seen_otherwise
from tenure.checking.views import view
from tenure.history import perform

Calls = Sequence[tuple[str, dict[str, Any]]]

ODD = "press [bold]\n\x1b[31m😀</script>"
ONE: Calls = [
    ("add_worker", {"worker": "w1", "capacity": 1}),
    ("add_task", {"priority": 5, "payload": b"rebuild index 7"}),
    ("dispatch", {"worker": "w1", "now": 5, "duration": 5}),
]
BUSY: Calls = [
    ("add_worker", {"worker": ODD, "capacity": 2}),
    ("add_worker", {"worker": "w2", "capacity": 1}),
    ("add_task", {"priority": 5, "payload": b'"quoted" \x00'}),
    ("add_task", {}),
    ("add_task", {"priority": -(2**63)}),
    ("dispatch", {"worker": ODD, "now": 5, "duration": 5}),
    ("dispatch", {"worker": ODD, "now": 6, "duration": 2**62}),
    ("dispatch", {"worker": "w2", "now": 7, "duration": 9}),
    ("renew", {"task_id": 1, "token": 1, "now": 9, "duration": 30}),
    ("complete", {"task_id": 3, "token": 3, "now": 12}),
    ("release", {"task_id": 2, "token": 2, "now": 20}),
    ("dispatch", {"worker": "w2", "now": 20, "duration": 4}),
    ("advance", {"now": 24}),
]


TIED: Calls = [
    ("add_worker", {"worker": "w1", "capacity": 2}),
    ("add_task", {}),
    ("add_task", {"priority": 1}),
    ("dispatch", {"worker": "w1", "now": 0, "duration": 4}),
    ("dispatch", {"worker": "w1", "now": 0, "duration": 4}),
]


def after(*, now: int, **more: int) -> dict[str, Any]:
    return {"task_id": 1, "token": 1, "now": now, **more}


FAILURES: dict[str, tuple[str, str, Calls]] = {
    "late completion": ("late-completion", "T4", [*ONE, ("complete", after(now=10))]),
    "late renewal": ("late-renewal", "O6", [*ONE, ("renew", after(now=10, duration=5))]),
    "closed interval": ("closed-interval", "T4", [*ONE, ("advance", {"now": 10})]),
    "one early": ("over-one-early", "T4", [*ONE, ("advance", {"now": 9})]),
    "too many": (
        "one-too-many",
        "O4",
        [*ONE, ("add_task", {}), ("dispatch", {"worker": "w1", "now": 6, "duration": 1})],
    ),
    "new token": ("renewal-makes-token", "I3", [*ONE, ("renew", after(now=6, duration=5))]),
    "attempt": ("attempts-from-zero", "L4", ONE),
    "a bool": ("bool-accepted", "V1", [*ONE, ("advance", {"now": True})]),
    "a big number": (
        "expiry-clamped",
        "V2",
        [*ONE, ("dispatch", {"worker": "w1", "now": 2**63 - 2, "duration": 2**63 - 1})],
    ),
    "a raise": ("unknown-task-raises", "O5", [*ONE, ("complete", {"task_id": 7, "token": 1, "now": 6})]),
    "another error": ("unknown-worker-added", "O2", [("set_capacity", {"worker": "ghost", "capacity": 0})]),
    "order of leases": ("told-in-task-order", "O9", TIED),
    "lying counts": ("forgotten-still-counted", "O9", [("add_task", {}), ("forget", {"task_id": 1})]),
    "what shows later": ("lowest-first", "O4", [("add_task", {}), ("add_task", {"priority": 1})]),
    "a query": ("status-as-text", "O9", [("add_task", {}), ("tasks", {"status": "pending"})]),
    "busy": ("late-completion", "T4", [*BUSY, ("complete", after(now=39))]),
    "hostile": (
        "bool-accepted",
        "V1",
        [
            ("add_worker", {"worker": LyingStr("honest"), "capacity": LyingInt(2)}),
            ("add_worker", {"worker": "\ud800", "capacity": 1}),
            ("add_task", {"priority": Huge(10**5000)}),
            ("add_task", {"payload": bytearray(b"x")}),
            ("add_task", {"priority": float("nan")}),
            ("add_task", {"priority": True}),
        ],
    ),
}
"""What is wrong: the fault, the rule that it breaks, and the calls that show it."""


def failure(name: str, **changes: Any) -> Counterexample:
    """The failure as a counterexample, its history made on the faulty scheduler."""
    fault, rule, calls = FAILURES[name]
    return made(fault, rule, calls)._replace(**changes)


def made(fault: str, rule: str, calls: Calls) -> Counterexample:
    scheduler, reference = FAULTS[fault](), QuickReference()
    history = tuple(perform(scheduler, op, arguments) for op, arguments in calls)
    expected = [perform(reference, op, arguments) for op, arguments in calls][-1]
    agree = (expected.answer, expected.error) == (history[-1].answer, history[-1].error)
    return Counterexample(
        target=f"tenure.checking.faults:{fault}",
        rule=rule,
        reason="it differs from the contract",
        history=history,
        expected=None if agree else expected,
        shortest=False,
        found_by="a test",
        make=f'from tenure.checking.faults import FAULTS\n\n\ndef make():\n    return FAULTS["{fault}"]()\n',
        aside=seen_otherwise(view(reference), view(scheduler)) if agree else "",
    )
