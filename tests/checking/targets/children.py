"""Programs that tests start: adapters that are right, and what goes wrong with others."""

from __future__ import annotations

import sys
from pathlib import Path
from time import monotonic, sleep

ADAPTER = """
import json, sys
from tenure.checking.quick import QuickReference
from tenure.history import perform
from tenure.wire import call_fields, from_line, to_line

HELLO = {"protocol": 1, "name": "a child", "lacks": [], "typed_arguments": True}
LINES = 0

def came(request):
    global scheduler
    if request["op"] == "hello":
        return {"answer": HELLO}
    if request["op"] == "reset":
        scheduler = QuickReference()
        return {"answer": None}
    event = from_line(json.dumps({**request, "answer": WITHOUT.get(request["op"])}))
    event = perform(scheduler, event.op, event.arguments)
    return {name: value for name, value in json.loads(to_line(event)).items() if name in ("answer", "error")}

WITHOUT = {"add_task": 0, "now": 0, "counts": {"pending": 0, "running": 0, "done": 0}}
WITHOUT |= dict.fromkeys(("advance", "tasks", "workers", "leases"), [])
WITHOUT |= dict.fromkeys(("complete", "release", "forget", "forget_worker"), False)

def answered(line):
    return json.dumps([came(request) for request in json.loads(line)])

def run():
    global LINES
    for line in sys.stdin:
        LINES += 1
        before()
        say(answered(line))
        after()

def say(text):
    print(text, flush=True)

def before(): pass
def after(): pass
"""
"""A right adapter; what is written below it changes a part, and then calls `run()`."""


def program(folder: Path, text: str, *, adapter: bool = True) -> list[str]:
    """The command for a Python program of this text, after that of the adapter if so said."""
    file = folder / "child.py"
    file.write_text((ADAPTER if adapter else "") + text, encoding="utf-8")
    return [sys.executable, str(file)]


def is_alive(pid: int) -> bool:
    """Whether the process is there, and isn't just one that nobody has asked for its exit code."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def is_gone(pid: int) -> bool:
    """Whether the process ends within ten seconds: one that was killed takes a moment."""
    deadline = monotonic() + 10
    while is_alive(pid) and monotonic() < deadline:
        sleep(0.01)
    return not is_alive(pid)
