"""What auditing costs: against making the same calls bare, against recording them to a file, and in memory."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from tenure import Lease, Scheduler
from tenure.audit.run import audit
from tenure.history import Event, recorded
from tenure.operations import Operations
from tenure.simulate.record import HistoryFile

Figures = dict[str, float]
Call = tuple[str, dict[str, Any]]
TURNS = 3
WORKERS, UNFINISHED = 50, 100
FEWER = 10
"""Memory is compared with that of a log with so many times fewer lines."""


def work(scheduler: Operations, enough: Callable[[], bool]) -> None:
    """Calls, until it is enough, that leave little behind: at most a hundred tasks unfinished, done ones forgotten.

    All kinds of answers come: refused dispatches, renewals, expiries, completions that are too late.
    """
    chance, leases, unfinished, now = Random(1), list[Lease](), 0, 0
    for number in range(WORKERS):
        scheduler.add_worker(f"w{number}", capacity=2)
    while not enough():
        now += chance.randrange(3)
        if unfinished < UNFINISHED:
            unfinished += 1
            scheduler.add_task(chance.randrange(10))
        lease = scheduler.dispatch(f"w{chance.randrange(WORKERS)}", now=now, duration=chance.randrange(50, 400))
        if lease is not None:
            leases.append(lease)
        if leases and chance.random() < 0.15:
            lease = chance.choice(leases)
            scheduler.renew(lease.task_id, lease.token, now=now, duration=200)
        if chance.random() < 0.03:
            scheduler.advance(now=now)
        if len(leases) > UNFINISHED // 2:
            lease = leases.pop(chance.randrange(len(leases)))
            if scheduler.complete(lease.task_id, lease.token, now=now):
                scheduler.forget(lease.task_id)
                unfinished -= 1


def auditing(size: int) -> Figures:
    """Auditing a log of so many lines, full and minimal, and its peak memory against that of a tenth of it."""
    with tempfile.TemporaryDirectory() as folder:
        full, minimal, part = (str(Path(folder, name)) for name in ("full.jsonl", "minimal.jsonl", "part.jsonl"))
        calls = logged(size, full, minimal)
        logged(size // FEWER, part, str(Path(folder, "unused.jsonl")))
        figures = {"megabytes": peak(full) / 1000, "memory": peak(full) / peak(part)}
        gc.disable()
        turns = [(bare(calls), recording(calls, folder), timed(full), timed(minimal)) for _ in range(TURNS)]
    figures["ratio"] = median(whole / made for made, _, (whole, _), _ in turns)
    figures["of_recording"] = median(whole / written for _, written, (whole, _), _ in turns)
    figures["minimal"] = median((few / lines) / (made / len(calls)) for made, _, _, (few, lines) in turns)
    figures["microseconds"] = median(whole / lines for _, _, (whole, lines), _ in turns) * 1e6
    return figures


def logged(size: int, full: str, minimal: str) -> list[Call]:
    """The calls of a history of so many, which is then in these two files."""
    calls: list[Call] = []
    with HistoryFile(full) as file, open(minimal, "w") as events:

        def sink(event: Event) -> None:
            calls.append(event[:2])
            file.write(event)
            if line := as_event(event):
                events.write(json.dumps(line) + "\n")

        work(recorded(Scheduler(), sink), lambda: len(calls) >= size)
    return calls


def as_event(event: Event) -> dict[str, Any] | None:
    """The line of a minimal log for what was accepted."""
    op, given, answer, _ = event
    if op == "add_worker":
        return {"event": "worker", **given}
    if op == "add_task":
        return {"event": "added", "task": answer, "priority": given["priority"]}
    if op == "forget":
        return {"event": "forgotten", "task": given["task_id"]}
    if op == "advance" or not answer:
        return None
    if op == "complete":
        return {"event": "completed", "task": given["task_id"], "token": given["token"], "at": given["now"]}
    lease = {"task": answer.task_id, "token": answer.token, "at": given["now"], "expiry": answer.expiry}
    return {"event": "renewed", **lease} if op == "renew" else {"event": "dispatched", "worker": answer.worker, **lease}


def bare(calls: list[Call]) -> float:
    """Seconds to make the calls with their arguments at hand."""
    scheduler = Scheduler()
    made = [(getattr(scheduler, op), arguments) for op, arguments in calls]
    start = perf_counter()
    for method, arguments in made:
        method(**arguments)
    return perf_counter() - start


def recording(calls: list[Call], folder: str) -> float:
    """Seconds to make the calls and write them to a file, as a simulation with a history does."""
    with HistoryFile(str(Path(folder, "again.jsonl"))) as file:
        scheduler = recorded(Scheduler(), file.write)
        made = [(getattr(scheduler, op), arguments) for op, arguments in calls]
        start = perf_counter()
        for method, arguments in made:
            method(**arguments)
        return perf_counter() - start


def timed(log: str) -> tuple[float, int]:
    """Seconds to audit the log, and its lines, which are all allowed."""
    start = perf_counter()
    findings = audit(log)
    seconds = perf_counter() - start
    assert findings.word == "PASSED", findings
    return seconds, findings.accepted


PEAK = """
import re, sys
from pathlib import Path
from tenure.audit.run import audit
assert audit(sys.argv[1]).word == "PASSED"
print(*re.findall("VmHWM: *([0-9]+)", Path("/proc/self/status").read_text().replace(chr(9), "")))
"""
"""Not `ru_maxrss`, in which Linux counts the process that started this one."""


def peak(log: str) -> float:
    """The kilobytes that auditing the log takes at most, in a fresh process. Needs Linux."""
    told = subprocess.run([sys.executable, "-c", PEAK, log], capture_output=True, check=True, text=True).stdout
    return float(told)
