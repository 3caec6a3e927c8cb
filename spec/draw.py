"""Draws the life cycle into spec/CONTRACT.md, from the declaration.

`python spec/draw.py` writes the drawings; with `--check` it writes nothing and fails if one isn't current.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tenure.lifecycle import TABLE, TaskLifecycle
from tenure.values import Status

CONTRACT = Path(__file__).with_name("CONTRACT.md")
DRAWN = re.compile(r"(<!-- drawn: (\w+) -->\n).*?(<!-- end drawn -->)", re.DOTALL)


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


def drawn(text: str) -> str:
    """The text with each drawing made anew between its marks."""
    return DRAWN.sub(lambda match: f"{match[1]}{DRAWINGS[match[2]]()}{match[3]}", text)


def main(arguments: list[str]) -> int:
    """Write the drawings, or with --check only compare."""
    text = CONTRACT.read_text(encoding="utf-8")
    current = drawn(text)
    if arguments == ["--check"]:
        if text != current:
            print("spec/CONTRACT.md: the life cycle isn't as declared; run: python spec/draw.py", file=sys.stderr)
        return int(text != current)
    if arguments:
        print("usage: python spec/draw.py [--check]", file=sys.stderr)
        return 2
    CONTRACT.write_text(current, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
