"""The contract's sentences by their numbers, read from its text."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

SENTENCE = re.compile(r"^- \*\*([A-Z][0-9]+)\*\* (.*(?:\n  .*)*)", re.MULTILINE)
EMPHASIS = re.compile(r"\*(\w+)\*")


def sentence(rule: str) -> str:
    """The sentence with this number, as one line of Markdown; empty if there is none, or no text of the contract.

    >>> sentence("I3")[:49]
    '`renew` keeps the token, for it is the same assig'
    """
    return _sentences().get(rule, "")


def told(rule: str) -> str:
    """The same without Markdown's marks."""
    return EMPHASIS.sub(r"\1", sentence(rule)).replace("`", "")


@cache
def _sentences() -> dict[str, str]:
    return {number: " ".join(text.split()) for number, text in SENTENCE.findall(_contract())}


def _contract() -> str:
    """The text, beside the package where it was installed, and in the sources where it wasn't."""
    places = (files("tenure") / "CONTRACT.md", Path(__file__).parents[3] / "spec" / "CONTRACT.md")
    for place in places:
        try:
            return place.read_text(encoding="utf-8")
        except OSError:
            continue
    return ""
