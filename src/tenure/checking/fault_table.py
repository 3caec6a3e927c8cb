"""Which check finds which planted fault, in how many calls; the command prints it, or writes it into a document.

It needs hypothesis.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..history import Event, recorded
from ..operations import Operations
from .dialogue import Differs, dialogues, play
from .exploring import explore
from .faults import FAULTS
from .machine import agreement_machine
from .quick import QuickReference
from .representations import Start, Started
from .sampling import Budget, sample
from .scope import Scope

Make = type[QuickReference]
"""A fault, or the base that has none."""
SCOPES = (
    Scope(),
    Scope(tasks=3),
    Scope(tasks=1, arrivals=True, set_capacity=True, forget=True, forget_worker=True),
)
"""What the explorer covers, one after another until it finds the fault."""
MARKED = re.compile(r"(<!-- drawn: faults -->\n).*?(<!-- end drawn -->)", re.DOTALL)
PROGRAM = "python -m tenure.checking.fault_table"


class Row(NamedTuple):
    """One fault, and for each check the calls of the shortest history that it found, or None."""

    fault: str
    what: str
    dialogues: int | None
    machine: int | None
    explorer: int | None


# -- the checks


def by_dialogues(make: Make) -> int | None:
    """The fewest calls after which a golden dialogue is answered otherwise."""
    found = []
    for dialogue in dialogues():
        try:
            play(dialogue, make())
        except Differs as differs:
            calls = [step for step in dialogue.steps if step.op != "restart"]
            found.append(calls.index(differs.step) + 1)
    return min(found, default=None)


def by_machine(make: Make, budget: Budget) -> tuple[Event, ...] | None:
    """The history with which the stateful machine found it, less the calls that can be left out."""
    starts = {"the contract": starting(QuickReference), "the fault": starting(make)}
    wrong = sample(agreement_machine(starts), budget).wrong
    return None if wrong is None else wrong.history


def starting(make: Make) -> Start:
    """What starts it as a representation."""

    def start(*, now: int = 0, last_id: int = 0, last_token: int = 0) -> Started:
        scheduler = make(now=now, last_id=last_id, last_token=last_token)
        return Started(scheduler, lambda: None, scheduler.canonical)

    return start


def by_explorer(make: Make) -> tuple[Event, ...] | None:
    """The shortest history that the explorer finds in the first of the scopes where it finds one."""

    def bare() -> Operations:
        """Without the hook, which says nothing of what a fault keeps beside the reference's state."""
        return recorded(make(), lambda event: None)

    for scope in SCOPES:
        verdict = explore(bare, scope, doubt=scope == SCOPES[0])
        if verdict.word == "REFUTED":
            return verdict.history
    return None


# -- the table


def rows(names: Sequence[str], budget: Budget) -> Iterator[Row]:
    """A row for each of these faults."""
    for name in names:
        fault = FAULTS[name]
        machine, explorer = by_machine(fault, budget), by_explorer(fault)
        yield Row(name, str(fault.__doc__).partition("\n")[0], by_dialogues(fault), calls(machine), calls(explorer))


def calls(history: tuple[Event, ...] | None) -> int | None:
    """Its length, if there is one."""
    return None if history is None else len(history)


def as_markdown(made: Sequence[Row]) -> str:
    """A line for each row; "-" is not found, and the last line counts what each check found."""
    lines = ["| fault | what is wrong | dialogues | machine | explorer |", "|---|---|--:|--:|--:|"]
    for row in made:
        lines.append("| " + " | ".join("-" if cell is None else str(cell) for cell in row) + " |")
    columns = [[row[place] for row in made] for place in (2, 3, 4)]
    found = [f"{sum(cell is not None for cell in column)} of {len(made)}" for column in columns]
    return "\n".join([*lines, f"| | found | {' | '.join(found)} |", ""])


def as_json(made: Sequence[Row], budget: Budget) -> str:
    """The same for programs."""
    told = [row._asdict() | {"breaks": FAULTS[row.fault].breaks} for row in made]
    return json.dumps({"version": 1, "budget": budget._asdict(), "faults": told}, indent=1) + "\n"


def written(text: str, table: str) -> str:
    """The document with the table between its marks. Raises ValueError if it has none."""
    if not MARKED.search(text):
        raise ValueError("the document has no <!-- drawn: faults --> and <!-- end drawn -->")
    return MARKED.sub(lambda match: f"{match[1]}{table}{match[2]}", text)


# -- the command


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the table and print or write it; the exit code is 0, or 3 if the document can't be used."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__)
    parser.add_argument("fault", nargs="*", metavar="FAULT", help="only these; else all")
    parser.add_argument("--examples", type=int, default=200, help="examples that the stateful machine tries")
    parser.add_argument("--steps", type=int, default=30, help="steps of each example")
    parser.add_argument("--seed", type=int, default=0, help="where the stateful machine begins")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for programs")
    form.add_argument("--write", type=Path, metavar="FILE", help="into this document, between its marks")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.fault if name not in FAULTS]:
        parser.error(f"no fault {', '.join(unknown)}; there are {', '.join(FAULTS)}")
    budget = Budget(given.examples, given.steps, given.seed)
    try:
        text = given.write and written(given.write.read_text(encoding="utf-8"), "")
    except (OSError, ValueError) as error:
        print(f"{given.write}: {error}", file=sys.stderr)
        return 3
    made = list(shown(rows(given.fault or list(FAULTS), budget)))
    if given.write:
        given.write.write_text(written(text, as_markdown(made)), encoding="utf-8")
    else:
        sys.stdout.write(as_json(made, budget) if given.json else as_markdown(made))
    return 0


def shown(made: Iterator[Row]) -> Iterator[Row]:
    """The same, and on a terminal the name of each as it is done."""
    for row in made:
        if sys.stderr.isatty():
            print(row.fault, file=sys.stderr)
        yield row


if __name__ == "__main__":
    sys.exit(main())
