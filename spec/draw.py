"""Draws the life cycle into spec/CONTRACT.md, from the declaration.

`python spec/draw.py` writes the drawings; with `--check` it writes nothing and fails if one isn't current.
"""

from __future__ import annotations

import sys
from pathlib import Path

import drawing

from tenure.lifecycle import TABLE, TaskLifecycle
from tenure.values import Status

CONTRACT = Path(__file__).with_name("CONTRACT.md")


def chart() -> str:
    """The declared machine with its guards, as a Mermaid diagram."""
    return f"```mermaid\n{f'{TaskLifecycle:mermaid}'.strip()}\n```\n"


def table() -> str:
    """The compiled table: a row for each status, a column for each event."""
    events = list(dict.fromkeys(event for _, event in TABLE))
    rows = [["", *events], ["---"] * (len(events) + 1)]
    for status in Status:
        targets = [TABLE.get((status, event)) for event in events]
        rows.append([f"**{status.value}**", *(target.value if target else "" for target in targets)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


DRAWINGS = {"chart": chart, "table": table}


if __name__ == "__main__":
    sys.exit(drawing.main("draw.py", CONTRACT, DRAWINGS, sys.argv[1:]))
