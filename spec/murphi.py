"""The model spec/scheduler.m as rumur checks it: with other constants, with symmetry, or with one rule broken.

`python spec/murphi.py T=2 W=2 CAP=1` checks it with these constants. `--symmetric` makes the workers
interchangeable, `--fault NAME` breaks a rule, `--faults` lists what can be broken, `--source` prints the model instead,
`--closed-form` computes how many states it must have. The exit code is 0 if the model holds, 1 if it doesn't, 2 for a
usage error, 3 if it wasn't run.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

MODEL = Path(__file__).with_name("scheduler.m")
RUMUR = ("--deadlock-detection", "off", "--symmetry-reduction", "exhaustive", "--threads", "1")
"""Each call is possible in each state, so no state is stuck, and one that no call changes is no fault. One thread
meets the states breadth first, so that a counterexample is shortest."""

CONSTANT = re.compile(r"^  ([A-Z_]+): ([^;]+);", re.MULTILINE)
COUNTED = "transition: "
CLAIM = re.compile(r'"(([VLITROP][0-9]+): [^"]+)"')

FAULTS: dict[str, tuple[str, str]] = {
    # a lease is still live at its expiry
    "closed_interval": ("return s.lease[t].left <= gap;", "return s.lease[t].left < gap;"),
    # whatever is live expires as soon as time passes
    "expires_all": ("return s.lease[t].left <= gap;", "return gap > 0;"),
    # the slots are counted before what is over has freed its own
    "capacity_before_sweep": ("sweep(gap); free := room(w);", "free := room(w); sweep(gap);"),
    "capacity_ignored": ("return s.known[w] & s.held[w] < s.capacity[w];", "return s.known[w];"),
    # any token that the worker ever had for this task is as good as its current one
    "worker_as_proof": ("running & k = latest;", "running & (k = latest | k = own);"),
    "stale_token_accepted": ("running & k = latest;", "running & k != never & k != another;"),
    "other_tasks_token_accepted": ("running & k = latest;", "running & (k = latest | k = another);"),
    # nobody asks whether the task still runs
    "used_token_accepted": ("return s.status[t] = running & k = latest;", "return k = latest;"),
    # the token is judged before what is over has expired
    "late_completion": ("sweep(gap); accepted := proof(t, k);", "accepted := proof(t, k); sweep(gap);"),
    "refusal_stops_time": ("sweep(gap); accepted", "if proof(t, k) then sweep(gap); end; accepted"),
    "slot_leaked_on_expiry": ("        vacate(t); retire(t, pending);", "        retire(t, pending);"),
    "slot_leaked_on_completion": ("then vacate(t); retire(t, done);", "then retire(t, done);"),
    "slot_leaked_on_release": ("then vacate(t); retire(t, pending);", "then retire(t, pending);"),
    "completed_still_runs": ("then vacate(t); retire(t, done);", "then vacate(t); s.status[t] := running;"),
    "expired_is_done": ("        vacate(t); retire(t, pending);", "        vacate(t); retire(t, done);"),
    "granted_stays_pending": ("  s.status[t] := running;\n", ""),
    "done_re_entered": ("return s.status[t] = pending;", "return s.status[t] != running;"),
    "lowest_first": ("return priority(t) > priority(u)", "return priority(t) < priority(u)"),
    "priority_ignored": ("return t % 2;", "return 0;"),
    "youngest_first": ("priority(t) = priority(u) & t < u;", "priority(t) = priority(u) & t > u;"),
    "renew_only_prolongs": (
        "if accepted then s.lease[t].left := d; end;",
        "if accepted & d > s.lease[t].left then s.lease[t].left := d; end;",
    ),
    "lowering_revokes": (
        "if accepted then s.capacity[w] := c; end;",
        "if accepted then s.capacity[w] := c; if s.held[w] > c then sweep(D + 1); end; end;",
    ),
    "capacity_of_nobody": ("accepted := s.known[w];", "accepted := true;"),
    "running_forgotten": ("accepted := s.status[t] = done | ", "accepted := s.status[t] = running | "),
    "busy_worker_forgotten": ("accepted := s.known[w] & s.held[w] = 0;", "accepted := s.known[w];"),
}
"""One rule broken each: what stands in the model exactly once, and what is put in its place."""


class UsageError(ValueError):
    """What was asked for can't be made."""


def constants(given: list[str]) -> dict[str, int]:
    """What is set, each NAME=VALUE with a name that the model has; with any duration, D is what it must be."""
    names = dict(CONSTANT.findall(MODEL.read_text(encoding="utf-8").partition("\ntype")[0]))
    values: dict[str, int] = {}
    for setting in given:
        name, _, value = setting.partition("=")
        if name not in names or not value.isdecimal():
            raise UsageError(f"{setting!r} must be NAME=NUMBER with one of the names {', '.join(names)}")
        values[name] = int(value)
    full = {name: values.get(name, int(text)) for name, text in names.items() if text.isdecimal()}
    if full["ANY"] == 1:
        if full["LATE"] or values.get("D", 2 * full["T"] + 1) != 2 * full["T"] + 1:
            raise UsageError("with ANY=1, leave D and LATE alone")
        values["D"] = full["D"] = 2 * full["T"] + 1
    return values | {name: full[name] for name in ("T", "W", "CAP", "D")}


def source(values: dict[str, int], *, symmetric: bool = False, fault: str | None = None) -> str:
    """The model with these constants; one line of it differs for a fault, and one for symmetry."""
    text = MODEL.read_text(encoding="utf-8")
    if fault is not None:
        text = replaced(text, *FAULTS[fault])
    if symmetric:
        text = replaced(text, "Worker: 1..W;", "Worker: scalarset(W);")
    for name, value in values.items():
        text, found = re.subn(rf"^  {name}: [^;]+;", f"  {name}: {value};", text, count=1, flags=re.MULTILINE)
        assert found == 1, name
    return text


def replaced(text: str, old: str, new: str) -> str:
    """The text with one place changed."""
    if text.count(old) != 1:
        raise UsageError(f"{MODEL.name} has {old!r} {text.count(old)} times instead of once")
    return text.replace(old, new)


def missing() -> str | None:
    """What is needed to run a model and isn't there."""
    for tool in ("rumur", "gcc"):
        if shutil.which(tool) is None:
            return f"{tool} is not installed (Debian package {tool})"
    return None


def checked(text: str, *, effort: int) -> dict[str, Any]:
    """What rumur says of a model; compiling with effort pays only where the checking takes long."""
    with tempfile.TemporaryDirectory() as folder:
        model, code, program = (Path(folder) / name for name in ("model.m", "model.c", "model"))
        model.write_text(text, encoding="utf-8")
        ran("rumur", *RUMUR, "--output-format", "machine-readable", "--output", str(code), str(model))
        compile_command = ["gcc", f"-O{effort}", "-o", str(program), str(code), "-lpthread"]
        try:
            ran(*compile_command, "-mcx16")
        except UsageError:  # not x86-64
            ran(*compile_command, "-latomic")
        found = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    return answer(ET.fromstring(found.stdout), text)


def ran(*command: str) -> None:
    """Run a tool; if it fails, what it says is the reason why the model is none."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        told = [line for line in done.stderr.splitlines() if "error" in line] or [done.stderr.strip()]
        raise UsageError(f"{command[0]} fails: {told[0]}")


def answer(report: ET.Element, text: str) -> dict[str, Any]:
    """The report in short: which claim failed and after which calls, or the counts."""
    covers = {cover.get("message", ""): int(cover.get("count", "0")) for cover in report.iter("cover_result")}
    operations = {name[len(COUNTED) :]: hits for name, hits in covers.items() if name.startswith(COUNTED) and hits}
    never = [name for name, hits in covers.items() if name.startswith("sometimes ") and not hits]
    summary, error = report.find("summary"), report.find("error")
    assert summary is not None, "rumur gave no summary"
    short: dict[str, Any] = {"version": 1, "verdict": "holds", "violates": None, "history": []}
    short |= {"states": int(summary.get("states", "0")), "calls": int(summary.get("rules_fired", "0"))}
    if error is not None:
        message = error.findtext("message", "")
        violated = [claim for claim, _ in CLAIM.findall(text) if claim in message] or [message]
        history = [call(step) for step in error.iter("transition")][1:]
        return short | {"verdict": "fails", "violates": violated[0], "history": history, "transitions": None}
    if never:
        short |= {"verdict": "fails", "violates": f"never: {never[0]}"}
    return short | {"transitions": sum(operations.values()), "operations": operations}


def call(step: ET.Element) -> str:
    """A step of a counterexample as a call: dispatch(w=1, d=2, gap=0)."""
    name = re.sub(r'^Rule "(.*)"$', r"\1", (step.text or "").strip())
    given = [f"{parameter.get('name')}={parameter.text}" for parameter in step.iter("parameter")]
    return f"{name}({', '.join(given)})"


def closed_form(values: dict[str, int], *, symmetric: bool = False) -> int:
    """How many states there must be, if all slots together suffice for all tasks.

    What isn't leased is pending or done, what is leased is placed within capacity, and each lease has its time
    left, or its place in an order with ties.
    """
    tasks, workers, capacity = values["T"], values["W"], values["CAP"]
    if workers * capacity < tasks or set(values) - {"T", "W", "CAP", "D", "ANY", "DONE_LAST", "LATE"}:
        raise UsageError("the closed form holds only if W * CAP >= T, for fixed tasks, workers and capacities")

    def leased(count: int) -> int:
        times = orders_with_ties(count) if values.get("ANY") else values["D"] ** count
        return placements(count, workers, capacity, symmetric=symmetric) * times

    if values.get("DONE_LAST"):
        return sum(comb(left, k) * leased(k) for left in range(tasks + 1) for k in range(left + 1))
    return sum(comb(tasks, k) * 2 ** (tasks - k) * leased(k) for k in range(tasks + 1))


def placements(leases: int, workers: int, capacity: int, *, symmetric: bool) -> int:
    """The ways to place distinct leases within capacity, counted one by one, or up to the workers' names."""
    ways = [way for way in product(range(workers), repeat=leases) if all(way.count(w) <= capacity for w in way)]
    return len({tuple(way.index(w) for w in way) for way in ways} if symmetric else ways)


def orders_with_ties(count: int) -> int:
    """The orders in which so many leases can end, several together or not."""
    return sum(comb(count, first) * orders_with_ties(count - first) for first in range(1, count + 1)) if count else 1


def shown(found: dict[str, Any]) -> str:
    """What was found, to be read."""
    if found["verdict"] == "not run":
        return f"not run: {found['why']}"
    if found["verdict"] == "computed":
        return f"{found['states']} states, by the closed form"
    counts = f"{found['states']} states, {found['calls']} calls tried"
    if found["verdict"] == "fails":
        return "\n".join([f"fails: {found['violates']}", *found["history"], counts])
    operations = ", ".join(f"{name} {count}" for name, count in found["operations"].items())
    return f"holds: {counts}, {found['transitions']} transitions ({operations})"


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("constants", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--symmetric", action="store_true", help="workers are interchangeable")
    parser.add_argument("--fault", choices=FAULTS, metavar="NAME", help="break one rule")
    parser.add_argument("--faults", action="store_true", help="list what can be broken")
    parser.add_argument("--source", action="store_true", help="print the model instead")
    parser.add_argument("--closed-form", action="store_true", help="compute how many states there must be")
    parser.add_argument("--json", action="store_true", help="say it as JSON")
    return parser


def found_by(options: argparse.Namespace, values: dict[str, int]) -> dict[str, Any]:
    """What was asked for: a number, or a model's verdict."""
    if options.closed_form:
        return {"version": 1, "verdict": "computed", "states": closed_form(values, symmetric=options.symmetric)}
    if why := missing():
        return {"version": 1, "verdict": "not run", "why": why}
    text = source(values, symmetric=options.symmetric, fault=options.fault)
    return checked(text, effort=0 if options.fault else 1 if values["T"] <= 3 else 3)


def main(given: list[str]) -> int:
    """Do what the command line says."""
    parser = arguments()
    options = parser.parse_args(given)
    try:
        values = constants(options.constants)
        if options.faults or options.source:
            text = source(values, symmetric=options.symmetric, fault=options.fault)
            print("\n".join(FAULTS) if options.faults else text)
            return 0
        found = found_by(options, values)
    except UsageError as error:
        parser.error(str(error))
    print(json.dumps(found) if options.json else shown(found))
    return {"holds": 0, "computed": 0, "fails": 1, "not run": 3}[found["verdict"]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
