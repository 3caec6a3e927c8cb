"""Explores a scheduler from the command line: `python -m tenure.checking [MODULE:FACTORY] --tasks 3 --workers 2 ...`.

Without a factory it explores Tenure's own in-memory scheduler. Exit codes: 0 proved or passed, 1 refuted, 2 usage,
3 the factory can't be used, 4 undecided.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from .explorer import Factory
from .exploring import explore
from .representations import memory
from .scope import Scope
from .verdict import PASSED, PROVED, REFUTED

UNUSABLE, UNDECIDED_CODE = 3, 4
OPTIONS = [field.name for field in fields(Scope) if field.type == "bool"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Explore, print the verdict, and give the exit code."""
    chosen = _parser().parse_args(arguments)
    try:
        factory = _factory(chosen.factory)
    except (ImportError, AttributeError, ValueError) as error:
        print(
            f"{chosen.factory}: can't be used: {error}; give MODULE:FACTORY, which makes a scheduler", file=sys.stderr
        )
        return UNUSABLE
    scope = Scope(**{field.name: getattr(chosen, field.name) for field in fields(Scope) if hasattr(chosen, field.name)})
    try:
        verdict = explore(
            factory, scope, doubt=not chosen.once, exact_errors=not chosen.any_error, max_states=chosen.max_states,
            time_limit=chosen.time_limit, on_progress=_progress() if sys.stderr.isatty() else None,
        )  # fmt: skip
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    print(verdict)
    return {PROVED: 0, PASSED: 0, REFUTED: 1}.get(verdict.word, UNDECIDED_CODE)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tenure.checking",
        description="Drive a scheduler into every state of a scope, and compare each call with the reference.",
        epilog="Exit codes: 0 proved or passed, 1 refuted, 2 usage, 3 the factory can't be used, 4 undecided.",
    )
    parser.add_argument(
        "factory", nargs="?", metavar="MODULE:FACTORY", help="makes a scheduler (default: Tenure's own)"
    )
    parser.add_argument("--tasks", type=_from(0), default=2, help="how many (default: 2)")
    parser.add_argument("--workers", type=_from(1), default=2, help="how many (default: 2)")
    parser.add_argument("--capacity", type=_from(1), default=1, help="of each worker (default: 1)")
    parser.add_argument("--durations", type=_from(1), metavar="D", help="whole durations 1..D (default: any duration)")
    for name in OPTIONS:
        parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=HELP[name])
    parser.add_argument("--any-error", action="store_true", help="a rejection may raise whatever it likes")
    parser.add_argument("--once", action="store_true", help="don't explore a second time, at another time and scale")
    parser.add_argument("--max-states", type=_from(1), metavar="N", help="undecided beyond so many")
    parser.add_argument("--time-limit", type=_from(1), metavar="SECONDS", help="undecided after so long")
    return parser


HELP = {
    "arrivals": "tasks of two priorities come at any moment",
    "set_capacity": "capacities change at any moment",
    "forget": "tasks are forgotten at any moment",
    "forget_worker": "workers are forgotten and come back at any moment",
    "symmetric_workers": "states that differ in the workers' names count once",
    "symmetric_tasks": "states that differ in where done tasks stood count once",
}


def _from(least: int) -> Callable[[str], int]:
    def whole(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number from {least}, not {text[:40]!r}")
        return int(text)

    return whole


def _factory(given: str | None) -> Factory:
    if given is None:
        return memory
    module, colon, name = given.partition(":")
    if not colon:
        raise ValueError("there is no colon in it")
    sys.path.insert(0, "")
    found: Any = getattr(importlib.import_module(module), name)
    if not callable(found):
        raise ValueError(f"{name} can't be called")
    found()
    return found  # type: ignore[no-any-return]


def _progress() -> Callable[[int, int], None]:
    def show(states: int, waiting: int) -> None:
        print(f"\r\x1b[K{states:,} states, {waiting:,} of them to expand", end="", file=sys.stderr, flush=True)

    return show


if __name__ == "__main__":
    sys.exit(main())
