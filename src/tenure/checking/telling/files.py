"""A counterexample as files in a folder, a form each."""

from __future__ import annotations

import json
from pathlib import Path

from ...wire import to_line
from ..counterexample import Counterexample
from .page import page, svg
from .reproduction import reproduction
from .terminal import text
from .written import as_json


def save(counterexample: Counterexample, folder: str | Path) -> list[Path]:
    """Write it in every form, and tell where. The folder is made if it isn't there. Raises OSError."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    forms = {
        "counterexample.txt": text(counterexample),
        "counterexample.svg": svg(counterexample),
        "counterexample.html": page(counterexample),
        "counterexample.json": json.dumps(as_json(counterexample), indent=2) + "\n",
        "counterexample.jsonl": "".join(f"{to_line(event)}\n" for event in counterexample.history),
        "test_counterexample.py": reproduction(counterexample),
    }
    written = []
    for name, form in forms.items():
        path = folder / name
        path.write_text(form, encoding="utf-8", newline="\n")
        written.append(path)
    return written
