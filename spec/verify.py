"""Runs every formal model of the project and compares what each yields with what spec/manifest.toml expects.

`python spec/verify.py` prints a line for each model; `--only NAME` or `--only KIND` picks some, several with commas.
A model whose tool is missing is "not run", which is never the same as passed; with `--require KIND` it is an error.
The exit code is 0 if all that ran is as expected, 1 if not, 2 for a usage error, 3 if what is required isn't run.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

SPEC = Path(__file__).parent
ROOT = SPEC.parent
TLA = SPEC / "tla"
SHOWN = [(verdict, expected) for verdict in ("proved", "refused") for expected in (verdict, None)]
TLC_COUNTS = re.compile(r"^(\d+) states generated, (\d+) distinct states found", re.MULTILINE)
TLC_VIOLATED = re.compile(r"(?:Invariant|[Pp]roperty) (\w+) is violated")


@dataclass(frozen=True)
class Model:
    """One entry of the manifest: what is run, what must come out, and what that shows."""

    name: str
    kind: str
    command: str
    expected: str
    shows: str
    states: int | None = None
    transitions: int | None = None
    violates: str | None = None
    steps: int | None = None
    """How many calls the shortest history has that shows what is wrong."""
    tlc: str | None = None
    """The TLC model that has the same states."""
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What came out. `why` says what there is to say of a model that wasn't run or didn't end."""

    verdict: str
    states: int | None = None
    transitions: int | None = None
    violates: str | None = None
    steps: int | None = None
    why: str = ""


Result = tuple[Model, Outcome, str]


def manifest(path: Path) -> list[Model]:
    """All models: those of the manifest itself, and those of the manifests that it includes."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    models = [Model(**entry) for entry in content["model"]]
    for included in content.get("include", []):
        models += tlc_models(path.parent / included["manifest"])
    names = [model.name for model in models]
    assert len(set(names)) == len(names), "two models have one name"
    return models


def tlc_models(path: Path) -> Iterator[Model]:
    """The models of the TLA+ specification, and its histories, from a manifest of their own."""
    if not path.exists():
        return
    content = json.loads(path.read_text(encoding="utf-8"))
    for entry in content["models"]:
        command, name = f"$TENURE_TLC -config {entry['config']} {entry['file']}", entry["config"].removesuffix(".cfg")
        counted = {"states": entry.get("distinct"), "violates": entry.get("violates")}
        yield Model(name, "tlc", command, entry["expected"], entry["shows"], **counted, arguments=entry)
    for entry in content.get("histories", []):
        command = f"HISTORY={entry['name']}.ndjson $TENURE_TLC -config Trace.cfg Trace.tla"
        counted = {"states": entry.get("distinct"), "arguments": entry | {"config": "Trace.cfg", "file": "Trace.tla"}}
        yield Model(entry["name"], "tlc", command, entry["expected"], entry["shows"], **counted)


def command_output(command: str, *more: str) -> tuple[int, str, str]:
    """The exit code, the output and the errors of a command, run by the Python that runs this."""
    words = [sys.executable if word == "python" else word for word in shlex.split(command)]
    done = subprocess.run([*words, *more], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def run_murphi(model: Model) -> Outcome:
    """Murphi models and the closed form: murphi.py says all of it."""
    _, output, errors = command_output(model.command, "--json")
    if not output.startswith("{"):
        return Outcome("error", why=last_line(errors))
    found = json.loads(output)
    if found["verdict"] == "fails":  # how many states were met until then is an accident of their order
        return Outcome("fails", violates=found["violates"], steps=len(found["history"]))
    return Outcome(found["verdict"], found.get("states"), found.get("transitions"), why=found.get("why", ""))


def run_proof(model: Model) -> Outcome:
    """The proof: every claim must be proved and every weakened spec refused, and there must be some of both."""
    if not (SPEC / "proof").exists():
        return Outcome("not run", why="there is no spec/proof")
    if importlib.util.find_spec("z3") is None:
        return Outcome("not run", why="z3 is not installed (PyPI package z3-solver)")
    code, output, errors = command_output(model.command, "--json")
    if not output.startswith("{"):
        return Outcome("error", why=last_line(errors))
    claims = {claim["name"]: (claim["verdict"], claim.get("expected")) for claim in json.loads(output)["claims"]}
    wrong = [name for name, verdicts in claims.items() if verdicts not in SHOWN]
    told = [verdict for verdict, _ in claims.values()]
    if code or wrong or not {"proved", "refused"} <= set(told):
        return Outcome("fails", why=f"wrong: {', '.join(wrong)}" if wrong else last_line(errors))
    return Outcome(
        "proved", why=f"{told.count('proved')} claims proved, {told.count('refused')} weakened specs refused"
    )


def run_parser(model: Model) -> Outcome:
    """The syntax of every TLA+ module."""
    modules = sorted(TLA.glob("*.tla"))
    if not modules:
        return Outcome("not run", why="there is no spec/tla")
    if getattr(importlib.util.find_spec("tla"), "origin", None) is None:  # spec/tla itself is found, without one
        return Outcome("not run", why="tla is not installed (PyPI package tla)")
    for module in modules:
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # it prints its stack
                assert importlib.import_module("tla").parse(module.read_text(encoding="utf-8")) is not None
        except Exception as error:  # whatever a parser of version 0.0 raises
            return Outcome("fails", violates=module.name, why=f"{module.name}: {last_line(str(error))}")
    return Outcome("parses", why=f"{len(modules)} modules")


def run_tlc(model: Model) -> Outcome:
    """One model, or one history, of the TLA+ specification."""
    tlc, asked = os.environ.get("TENURE_TLC"), model.arguments
    if not tlc:
        changed = "" if asked.get("run", True) else "; its text has changed since TLC ran it"
        return Outcome("not run", why=f"TENURE_TLC names no command that runs TLC{changed}")
    with tempfile.TemporaryDirectory() as folder:
        history = Path(folder) / "history.ndjson"
        calls = "".join(json.dumps(call) + "\n" for call in asked.get("history", []))
        history.write_text(calls.replace(": null", ': "null"'), encoding="utf-8")  # TLC's Json module can't read null
        command = [*shlex.split(tlc), "-metadir", folder, "-config", asked["config"], asked["file"]]
        environment = os.environ | {"HISTORY": str(history)}
        done = subprocess.run(command, cwd=TLA, env=environment, capture_output=True, text=True, check=False)
    return tlc_outcome(done.returncode, done.stdout, accepted="history" in asked)


def tlc_outcome(code: int, output: str, *, accepted: bool) -> Outcome:
    """What TLC's exit code and last lines say."""
    verdicts = ("accepted", "rejected") if accepted else ("holds", "fails")
    counts, violated = TLC_COUNTS.findall(output), TLC_VIOLATED.search(output)
    if code not in (0, 12, 13):
        return Outcome("error", why=f"exit code {code}: {last_line(output)}")
    states = int(counts[-1][1]) if counts else None
    violates = violated[1] if violated and not accepted else None
    return Outcome(verdicts[code != 0], states, violates=violates)


def run_explorer(model: Model) -> Outcome:
    """The explorer of the real code: `command` names module:function, which is called with the arguments."""
    (module, _, function), size = model.command.partition(":"), dict(model.arguments)
    try:
        explore = getattr(importlib.import_module(module), function)
        known = importlib.import_module("tenure.checking.representations").REPRESENTATIONS
    except (ImportError, AttributeError) as error:
        return Outcome("not run", why=f"{model.command} can't be imported: {error}")
    try:
        found = explore(known[size.pop("representation")], **size)
    except Exception as error:  # whatever it raises is told, and the other models still run
        return Outcome("error", why=f"{type(error).__name__}: {error}")
    return Outcome(found.word, found.states, found.transitions, why=found.reason)


def last_line(text: str) -> str:
    """The line that says what was wrong, as tools have it."""
    return next(reversed(text.strip().splitlines()), "it said nothing")


RUNNERS: dict[str, Callable[[Model], Outcome]] = {
    "murphi": run_murphi,
    "formula": run_murphi,
    "z3": run_proof,
    "tla": run_parser,
    "tlc": run_tlc,
    "explorer": run_explorer,
}


def judged(model: Model, outcome: Outcome) -> str:
    """Either "ok", or "not run", or what differs. What TLC doesn't name can't differ."""
    if outcome.verdict == "not run":
        return "not run"
    if outcome.verdict != model.expected:
        return f"differs: {outcome.verdict}, not {model.expected}"
    wrong = []
    for name in ("states", "transitions", "violates", "steps"):
        wanted, found = getattr(model, name), getattr(outcome, name)
        unnamed = model.kind == "tlc" and name == "violates" and found is None
        if wanted is not None and found != wanted and not unnamed:
            wrong.append(f"{name} {found}, not {wanted}")
    return f"differs: {'; '.join(wrong)}" if wrong else "ok"


WIDTHS = (34, 9, 8, 12, 9, 0)


def line(*cells: object) -> str:
    """A row of the table."""
    texts = ["-" if cell is None else str(cell) for cell in cells]
    return "  ".join(text.ljust(width) for text, width in zip(texts, WIDTHS, strict=True)).rstrip()


def row(model: Model, outcome: Outcome, judgement: str) -> str:
    """What came out for a model, beside what was expected."""
    told = ": ".join(filter(None, [judgement, outcome.why or outcome.violates]))
    return line(model.name, outcome.verdict, outcome.states, outcome.transitions, model.expected, told)


def picked(models: list[Model], only: str | None) -> list[Model]:
    """The models that are asked for, by name or kind."""
    wanted = set(only.split(",")) if only else {model.kind for model in models}
    if unknown := wanted - {model.name for model in models} - set(RUNNERS):
        raise ValueError(f"no model and no kind is called {', '.join(sorted(unknown))}")
    return [model for model in models if wanted & {model.name, model.kind}]


def code_of(results: list[Result], required: set[str]) -> int:
    """The exit code."""
    if any(judgement.startswith("differs") for *_, judgement in results):
        return 1
    return 3 if any(judgement == "not run" and model.kind in required for model, _, judgement in results) else 0


def as_data(results: list[Result], summary: dict[str, int]) -> dict[str, Any]:
    """The table for a program to read."""
    models = [
        {name: getattr(model, name) for name in ("name", "kind", "command", "expected")}
        | asdict(outcome)
        | {"judgement": judgement}
        for model, outcome, judgement in results
    ]
    return {"version": 1, "summary": summary, "models": models}


def options(given: list[str]) -> argparse.Namespace:
    """The command line; a usage error ends the program."""
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", metavar="NAME|KIND", help=f"a model, or one of {', '.join(RUNNERS)}; or several")
    parser.add_argument("--require", metavar="KIND", default="", help="what of these kinds isn't run is an error")
    parser.add_argument("--manifest", type=Path, default=SPEC / "manifest.toml", help="another manifest")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    asked = parser.parse_args(given)
    asked.required = set(filter(None, asked.require.split(",")))
    try:
        asked.models = picked(manifest(asked.manifest), asked.only)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    if unknown := asked.required - set(RUNNERS):
        parser.error(f"no kind is called {', '.join(sorted(unknown))}")
    return asked


def main(given: list[str]) -> int:
    """Run what is asked for, and print what comes out as soon as it does."""
    asked = options(given)
    results: list[Result] = []
    if not asked.json:
        print(line("model", "verdict", "states", "transitions", "expected", ""))
    for model in asked.models:
        outcome = RUNNERS[model.kind](model)
        results.append((model, outcome, judged(model, outcome)))
        if not asked.json:
            print(row(*results[-1]), flush=True)
    told = [judgement.partition(":")[0] for *_, judgement in results]
    summary = {word: told.count(word) for word in ("ok", "differs", "not run")}
    in_words = ", ".join(f"{count} {word}" for word, count in summary.items())
    print(json.dumps(as_data(results, summary), indent=1) if asked.json else in_words)
    return code_of(results, asked.required)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
