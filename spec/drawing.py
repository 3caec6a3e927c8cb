"""What stands between marks in a document is drawn from the code: writing it, and checking that it is current."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

DRAWN = re.compile(r"(<!-- drawn: (\w+) -->\n).*?(<!-- end drawn -->)", re.DOTALL)


def main(script: str, document: Path, drawings: Mapping[str, Callable[[], str]], arguments: list[str]) -> int:
    """Write the drawings into the document, or with --check only compare; the exit code."""
    text = document.read_text(encoding="utf-8")
    current = DRAWN.sub(lambda match: f"{match[1]}{drawings[match[2]]()}{match[3]}", text)
    if arguments == ["--check"]:
        if text != current:
            print(f"spec/{document.name} isn't current; run: python spec/{script}", file=sys.stderr)
        return int(text != current)
    if arguments:
        print(f"usage: python spec/{script} [--check]", file=sys.stderr)
        return 2
    document.write_text(current, encoding="utf-8")
    return 0
