"""A counterexample as JSON, in the forms in which histories are written."""

from __future__ import annotations

import json
from typing import Any

from ...history import Event, to_line
from ..counterexample import Counterexample, contract_says, headline, steps
from ..verdict import REFUTED

VERSION = 1


def as_json(counterexample: Counterexample) -> dict[str, Any]:
    """Everything about it, for programs; `version` says which form this is."""
    said, sentence = contract_says(counterexample)
    expected = counterexample.expected
    return {
        "version": VERSION,
        "verdict": REFUTED,
        "target": counterexample.target,
        "rule": counterexample.rule,
        "sentence": sentence,
        "summary": headline(counterexample),
        "reason": counterexample.reason,
        "aside": counterexample.aside,
        "shortest": counterexample.shortest,
        "found_by": counterexample.found_by,
        "contract": said,
        "expected": None if expected is None else as_fields(expected),
        "steps": [
            {
                "number": step.number,
                "event": as_fields(event),
                "call": step.call,
                "answer": step.answer,
                "changes": list(step.changes),
                "failing": step.failing,
            }
            for step, event in zip(steps(counterexample), counterexample.history, strict=True)
        ],
    }


def as_fields(event: Event) -> dict[str, Any]:
    """The event as its line of JSON holds it."""
    fields: dict[str, Any] = json.loads(to_line(event))
    return fields
