"""The models in TLA+: they parse, the manifest says truly what TLC ran, and TLC runs them where it can be had.

TLC is no Python package, so what only it can tell is tested where the environment variable TENURE_TLC is a
command that runs it, such as `java -cp tla2tools.jar:CommunityModules-deps.jar tlc2.TLC` with whole paths.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import pytest

from tenure import Scheduler
from tenure.history import Event, recorded
from tenure.operations import QUERIES, Operations, ask
from tenure.wire import to_line

FOLDER = Path(__file__).parents[2] / "spec" / "tla"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
MODELS: dict[str, dict[str, Any]] = {model["config"]: model for model in MANIFEST["models"]}
HISTORIES: dict[str, dict[str, Any]] = {history["name"]: history for history in MANIFEST["histories"]}
MODULES = sorted(path.name for path in FOLDER.glob("*.tla"))
CONFIGURATIONS = sorted(path.name for path in FOLDER.glob("*.cfg"))
COUNTS = ("distinct", "generated", "depth")


# -- the texts


@cache
def parsed(module: str) -> Any:
    """The syntax tree of a module."""
    tla = pytest.importorskip("tla", reason="not parsed: the package tla isn't installed")
    return tla.parse((FOLDER / module).read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", MODULES)
def test_every_module_parses(module: str) -> None:
    """And is called as its file is."""
    assert parsed(module).name == module.removesuffix(".tla")


def test_a_module_that_is_damaged_does_not_parse() -> None:
    """So the test above can fail."""
    tla = pytest.importorskip("tla", reason="not parsed: the package tla isn't installed")
    text = (FOLDER / "Scheduler.tla").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="parsing"):
        tla.parse(text.replace("IF Pending # {}", "IF Pending # {", 1))


def own_modules(module: str) -> list[str]:
    """The module and all of ours that it extends or instantiates, so that a change of any of them is one of it."""
    text = (FOLDER / module).read_text(encoding="utf-8")
    named = re.findall(r"\w+", " ".join(re.findall(r"^EXTENDS (.*)$", text, re.MULTILINE)))
    named += re.findall(r"\bINSTANCE (\w+)", text)
    found = [module]
    for name in named:
        if f"{name}.tla" in MODULES:
            found += own_modules(f"{name}.tla")
    return sorted(set(found))


def extended(module: str) -> set[str]:
    """The module and all of ours that it extends."""
    names = [f"{extendee.operator}.tla" for extendee in parsed(module).extendees or ()]
    return {module}.union(*[extended(name) for name in names if name in MODULES])


def declared(module: str) -> tuple[set[str], set[str]]:
    """The constants, and the operators, of a module and what it extends."""
    constants: set[str] = set()
    operators: set[str] = set()
    for name in extended(module):
        for unit in parsed(name).units:
            kind = type(unit).__name__
            if kind == "Constants":
                constants |= {constant.operator for constant in unit.names}
            elif kind == "OperatorDefinition":
                operators.add(unit.name)
    return constants, operators


ONE_NAME = ("SPECIFICATION", "VIEW", "CONSTRAINT", "SYMMETRY", "ALIAS", "CHECK_DEADLOCK")
SECTIONS = ("CONSTANTS", "INVARIANTS", "PROPERTIES", *ONE_NAME)


def sections(configuration: str) -> dict[str, list[str]]:
    """What a configuration says, by section; a set counts as one word."""
    text = re.sub(r"\\\*.*", "", (FOLDER / configuration).read_text(encoding="utf-8"))
    said: dict[str, list[str]] = {}
    section = ""
    for word in re.findall(r"\{[^}]*\}|\S+", text):
        name = {"CONSTANT": "CONSTANTS", "INVARIANT": "INVARIANTS", "PROPERTY": "PROPERTIES"}.get(word, word)
        if name in SECTIONS:
            section = name
            said.setdefault(section, [])
        else:
            said[section].append(word)
    return said


def module_of(configuration: str) -> str:
    trace: dict[str, Any] = MANIFEST["trace"]
    entry = trace if configuration == trace["config"] else MODELS[configuration]
    return str(entry["file"])


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_a_configuration_names_what_its_module_defines(configuration: str) -> None:
    """Each constant has one value, and each operator exists."""
    said = sections(configuration)
    constants, operators = declared(module_of(configuration))
    words = said.pop("CONSTANTS")
    assignments = [tuple(words[at : at + 3]) for at in range(0, len(words), 3)]
    assert all(sign in ("=", "<-") for _, sign, _ in assignments)
    assert [
        name for name, sign, _ in assignments if name not in constants | (operators if sign == "<-" else set())
    ] == []
    assert [value for _, sign, value in assignments if sign == "<-" and value not in operators] == []
    assigned = [name for name, _, _ in assignments]
    assert len(set(assigned)) == len(assigned)
    assert constants <= set(assigned)
    said.pop("CHECK_DEADLOCK", None)
    assert {len(names) for section, names in said.items() if section in ONE_NAME} <= {1}
    assert [name for names in said.values() for name in names if name not in operators] == []


# -- the manifest


def test_the_manifest_lists_every_configuration_once() -> None:
    """And every module, but those that others use, belongs to one."""
    listed = [*[model["config"] for model in MANIFEST["models"]], MANIFEST["trace"]["config"]]
    assert sorted(listed) == CONFIGURATIONS
    used = {name for configuration in CONFIGURATIONS for name in own_modules(module_of(configuration))}
    assert used == set(MODULES)


def digest(configuration: str) -> str:
    """What identifies the text of a model: its configuration and modules."""
    names = sorted({*own_modules(module_of(configuration)), configuration})
    return hashlib.sha256(b"".join((FOLDER / name).read_bytes() for name in names)).hexdigest()[:16]


@pytest.mark.parametrize("entry", [*MODELS.values(), MANIFEST["trace"]], ids=lambda entry: str(entry["config"]))
def test_a_model_counts_as_run_exactly_if_its_text_is_what_tlc_ran(entry: dict[str, Any]) -> None:
    """One that isn't has no verdict, and its old counts stand apart from those that hold."""
    assert entry["run"] is (digest(entry["config"]) == entry.get("ran"))
    if entry["config"] in MODELS:
        assert all((count in entry) == entry["run"] for count in COUNTS)


def test_a_history_counts_as_run_only_with_the_trace_spec() -> None:
    """Since its verdict is that spec's."""
    assert {history["run"] for history in HISTORIES.values()} == {MANIFEST["trace"]["run"]}


def counted(configuration: str) -> int:
    """The distinct states that TLC found, now or before the extension, which leaves those of `Spec` as they are."""
    model = MODELS[configuration]
    found = model if model["run"] else model["before"]
    return int(found["distinct"])


TABLE = {
    "MCQuotient221": 68,
    "MCQuotient221Symmetric": 36,
    "MCQuotient322": 872,
    "MCQuotient322Symmetric": 440,
    "MCQuotient432": 29_968,
    "MCQuotient432Symmetric": 5_264,
    "MCOrder221": 18,
    "MCOrder221Symmetric": 11,
    "MCOrder322": 182,
    "MCOrder322Symmetric": 95,
    "MCOrder432": 7_306,
    "MCOrder432Symmetric": 1_283,
    "MCOrder422": 1_442,
    "MCScheduler": 68,
    "MCSchedulerLarger": 872,
    "MCSchedulerOrbit": 440,
}
"""The counts that every tool must agree on, here without symmetry and up to the names of the workers."""


@pytest.mark.parametrize("name", TABLE)
def test_the_counts_are_those_of_the_other_tools(name: str) -> None:
    """Murphi's and the explorer's."""
    assert counted(f"{name}.cfg") == TABLE[name]


def placements(leases: int, workers: int, capacity: int) -> int:
    """The ways to give so many distinct leases to workers, none more than its capacity."""
    taken = (
        dict.fromkeys(range(workers), 0) | {w: who.count(w) for w in who}
        for who in product(range(workers), repeat=leases)
    )
    return sum(max(held.values()) <= capacity for held in taken)


def weak_orders(leases: int) -> int:
    """The ways in which so many leases can end: some first, and then the rest."""
    return sum(comb(leases, first) * weak_orders(leases - first) for first in range(1, leases + 1)) if leases else 1


def closed_form(tasks: int, workers: int, capacity: int, ends: list[int]) -> int:
    """The states with any k tasks leased, which may end in `ends[k]` ways, and each other pending or done."""
    return sum(comb(tasks, k) * 2 ** (tasks - k) * placements(k, workers, capacity) * ends[k] for k in range(tasks + 1))


@pytest.mark.parametrize("size", ["221", "322", "432", "422"])
def test_the_counts_are_those_of_the_closed_form(size: str) -> None:
    """Durations 1 to 4, where that was run, and any duration."""
    tasks, workers, capacity = map(int, size)
    orders = [weak_orders(k) for k in range(tasks + 1)]
    assert counted(f"MCOrder{size}.cfg") == closed_form(tasks, workers, capacity, orders)
    if size != "422":
        four = [4**k for k in range(tasks + 1)]
        assert counted(f"MCQuotient{size}.cfg") == closed_form(tasks, workers, capacity, four)


# -- histories, as Trace.tla reads them


def traced(event: Event) -> dict[str, Any] | None:
    """A call in the form of Trace.tla; None for one that has no line there: a query, or a rejected one."""
    if event.error is not None or event.op in QUERIES:
        return None
    fields: dict[str, Any] = json.loads(to_line(event))
    fields.pop("payload", None)
    answer = fields["answer"]
    if event.op in ("add_worker", "set_capacity"):
        del fields["answer"]
    elif event.op == "advance":
        fields["answer"] = [[lease["task_id"], lease["token"]] for lease in answer]
    elif isinstance(answer, dict):
        fields["answer"] = {name: answer[name] for name in ("task_id", "worker", "token", "start", "expiry")}
    return fields


def replayed(history: list[dict[str, Any]]) -> Iterator[tuple[int, bool]]:
    """Each line's number, and whether the scheduler does as the line says."""
    scheduler = Scheduler()
    for number, line in enumerate(history, 1):
        arguments = {name: value for name, value in line.items() if name not in ("op", "answer")}
        try:
            event = Event(line["op"], arguments, ask(scheduler, line["op"], arguments))
        except (ValueError, KeyError):
            yield number, False
            continue
        does = traced(event)
        assert does is not None
        told, answered = line.get("answer"), does.get("answer")
        if isinstance(told, dict) and isinstance(answered, dict):
            answered = {name: answered[name] for name in told}
        yield number, told == answered


@pytest.mark.parametrize("history", HISTORIES.values(), ids=lambda history: str(history["name"]))
def test_the_scheduler_agrees_with_the_verdict_on_each_history(history: dict[str, Any]) -> None:
    """It does what the accepted ones say, and departs from the others at the line that is wrong."""
    wrong = next((number for number, right in replayed(history["history"]) if not right), None)
    assert wrong == (history["line"] if history["expected"] == "rejected" else None)


def step(scheduler: Operations, chance: random.Random, now: int) -> None:
    """One call of any kind, right or wrong."""
    worker = chance.choice(["w1", "w2", "w3"])
    task_id, token = chance.randint(0, 6), chance.randint(0, 9)
    leases = scheduler.leases()
    if leases and chance.random() < 0.7:
        lease = chance.choice(leases)
        task_id, token = lease.task_id, lease.token
    duration = chance.randint(1, 4)
    calls: dict[str, Callable[[], object]] = {
        "add_worker": lambda: scheduler.add_worker(worker, chance.randint(1, 2)),
        "set_capacity": lambda: scheduler.set_capacity(worker, chance.randint(0, 2)),
        "forget_worker": lambda: scheduler.forget_worker(worker),
        "add_task": lambda: scheduler.add_task(chance.randint(-2, 2)),
        "forget": lambda: scheduler.forget(chance.randint(0, 6)),
        "dispatch": lambda: scheduler.dispatch(worker, now=now, duration=duration),
        "again": lambda: scheduler.dispatch(worker, now=now, duration=duration),
        "complete": lambda: scheduler.complete(task_id, token, now=now),
        "release": lambda: scheduler.release(task_id, token, now=now),
        "renew": lambda: scheduler.renew(task_id, token, now=now, duration=duration),
        "advance": lambda: scheduler.advance(now=now),
    }
    chance.choice(list(calls.values()))()


def walk(seed: int, calls: int = 60) -> list[dict[str, Any]]:
    """A recorded history of a real scheduler, as Trace.tla reads it."""
    events: list[Event] = []
    scheduler = recorded(Scheduler(), events.append)
    chance, now = random.Random(seed), 0
    for _ in range(calls):
        now = max(0, now + chance.choice([-1, 0, 0, 0, 1, 2]))
        try:
            step(scheduler, chance, now)
        except (ValueError, KeyError):
            now = scheduler.now
    return [line for line in map(traced, events) if line is not None]


SEEDS = range(20)


def test_recorded_histories_have_both_answers_of_each_call_and_no_number_that_tlc_would_change() -> None:
    """Else there would be little to check; TLC takes numbers modulo 2**32."""
    lines = [line for seed in SEEDS for line in walk(seed)]
    met = {(line["op"], bool(line["answer"])) for line in lines if "answer" in line}
    asked = ("dispatch", "complete", "renew", "release", "advance", "forget", "forget_worker")
    assert met == {(op, answer) for op in asked for answer in (False, True)} | {("add_task", True)}
    assert max(int(digits) for digits in re.findall("[0-9]+", json.dumps(lines))) < 2**31


# -- TLC


TLC = shlex.split(os.environ.get("TENURE_TLC", ""))


def needs_tlc(test: Any) -> Any:
    """No package registry has TLC, so this may be skipped even where nothing else may."""
    not_run = pytest.mark.skipif(not TLC, reason="not run: TENURE_TLC names no command that runs TLC")
    return pytest.mark.may_skip(not_run(test))


def run_tlc(module: str, configuration: str, scratch: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """TLC with one worker, which leaves its files in the scratch folder."""
    command = [*TLC, "-workers", "1", "-metadir", str(scratch), "-config", configuration, module]
    return subprocess.run(
        command, cwd=FOLDER, env=os.environ | environment, capture_output=True, text=True, check=False
    )


def printed_counts(output: str) -> dict[str, int]:
    """What TLC says at the end: the states and the depth."""
    found = re.findall(r"^(\d+) states generated, (\d+) distinct states found", output, re.MULTILINE)
    generated, distinct = map(int, found[-1])
    depth = re.search(r"^The depth of the complete state graph search is (\d+)\.", output, re.MULTILINE)
    return {"generated": generated, "distinct": distinct} | ({"depth": int(depth[1])} if depth else {})


@needs_tlc
@pytest.mark.parametrize("configuration", MODELS)
def test_tlc_finds_what_the_manifest_says(configuration: str, tmp_path: Path) -> None:
    """The same verdict, and where the text is what was run before, the same counts."""
    model = MODELS[configuration]
    done = run_tlc(model["file"], configuration, tmp_path)
    assert done.returncode == model["exit_code"], done.stdout + done.stderr
    if done.returncode == 12:
        assert f"Invariant {model['violates']} is violated" in done.stdout
    if model["run"] and model["expected"] == "holds":
        assert printed_counts(done.stdout) == {name: model[name] for name in COUNTS}


def verdict_on(history: list[dict[str, Any]], scratch: Path) -> subprocess.CompletedProcess[str]:
    """TLC's, on a history in a file."""
    file = scratch / "history.ndjson"
    lines = [json.dumps({**line, "answer": "null"} if line.get("answer", 0) is None else line) for line in history]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return run_tlc(MANIFEST["trace"]["file"], MANIFEST["trace"]["config"], scratch / "states", HISTORY=str(file))


@needs_tlc
@pytest.mark.parametrize("history", HISTORIES.values(), ids=lambda history: str(history["name"]))
def test_tlc_judges_each_history_as_the_manifest_says(history: dict[str, Any], tmp_path: Path) -> None:
    """Accepted, or rejected at the line that is wrong."""
    done = verdict_on(history["history"], tmp_path)
    assert done.returncode == history["exit_code"], done.stdout + done.stderr
    if history["expected"] == "rejected":
        assert "Invariant Allowed is violated" in done.stdout
        assert (
            re.findall(r"\bline \|-> (\d+)|^/\\ line = (\d+)", done.stdout, re.MULTILINE)[-1].count(
                str(history["line"])
            )
            == 1
        )


@needs_tlc
@pytest.mark.parametrize("seed", SEEDS)
def test_tlc_accepts_what_a_scheduler_did(seed: int, tmp_path: Path) -> None:
    """Whatever the calls were, forgotten tasks and workers among them."""
    done = verdict_on(walk(seed), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
