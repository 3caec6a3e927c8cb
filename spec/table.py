"""Draws the tables of spec/README.md: the models of the manifest, and where each sentence of the contract is said.

`python spec/table.py` writes them; with `--check` it writes nothing and fails if one isn't current.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import drawing
from verify import ROOT, SPEC, TLA, Model, manifest

README = SPEC / "README.md"
SENTENCE = re.compile(r"^- \*\*([A-Z][0-9]+)\*\* ", re.MULTILINE)
NUMBER = re.compile(r"\b[VLITROP][0-9]+\b")
CITATION = re.compile(r"\(([VLITROP][0-9]+(?:(?:, | to )[VLITROP][0-9]+)*)\)")
NUMBERS_ONLY = re.compile(r"[VLITROP][0-9]+(?: [VLITROP][0-9]+)*")
MURPHI_NAME = re.compile(r'^\s*(?:function|procedure) (\w+)|^\s*rule "(\w+)"')
MURPHI_CLAIM = re.compile(r'(?:assert|invariant) "([A-Z][0-9]+): ')
TLA_NAME = re.compile(r"^([A-Za-z]\w*)(?:\([^)]*\))?\s*==")
TLA_COMMENT = re.compile(r"\\\*(.*)|\(\*(.*)\*\)")

Said = tuple[str, str]
"""A sentence's number, and a name under which something says it."""


def murphi() -> Iterator[Said]:
    """The rules of the model, by the comment on their first line, and its claims."""
    for line in text_of(SPEC / "scheduler.m").splitlines():
        name = MURPHI_NAME.match(line)
        for cited in CITATION.findall(line.partition(" -- ")[2]) if name else ():
            for number in NUMBER.findall(cited):
                yield number, f"`{name[1] or name[2]}`" if name else ""
        for number in MURPHI_CLAIM.findall(line):
            yield number, "a claim"


def proof() -> Iterator[Said]:
    """The claims of the proof: a string, or strings, of numbers stand beside a claim's name."""
    for path in sorted((SPEC / "proof").glob("*.py")):
        for node in ast.walk(ast.parse(text_of(path))):
            if isinstance(node, ast.Call):
                yield from proof_claim([string for argument in node.args for string in strings(argument)])


def proof_claim(told: list[str]) -> Iterator[Said]:
    """The numbers among a call's strings, each with the strings before them."""
    name = ": ".join(string for string in told if not NUMBERS_ONLY.fullmatch(string))
    for string in told:
        for number in NUMBER.findall(string) if name and NUMBERS_ONLY.fullmatch(string) else ():
            yield number, name


def strings(node: ast.expr) -> Iterator[str]:
    """The strings that an argument consists of."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Tuple):
        for element in node.elts:
            yield from strings(element)


def tla() -> Iterator[Said]:
    """The operators of the specification, by the comments within them."""
    for path in sorted(TLA.glob("[!M]*.tla")):  # not the models, which have MC in front
        name = ""
        for line in text_of(path).splitlines():
            if defined := TLA_NAME.match(line):
                name = defined[1]
            elif not line.startswith(" "):
                name = ""
            for comment in TLA_COMMENT.finditer(line) if name else ():
                for number in NUMBER.findall(comment[1] or comment[2] or ""):
                    yield number, f"`{name}`"


def rules() -> Iterator[Said]:
    """The functions of the rules, by their docstrings."""
    for name, docstring in docstrings(ROOT / "src" / "tenure" / "rules.py"):
        for number in cited(docstring):
            yield number, f"`{name}`"


def tests() -> Iterator[Said]:
    """The files with tests of the contract."""
    for path in sorted((ROOT / "tests" / "contract").glob("test_*.py")):
        for _, docstring in docstrings(path):
            for number in cited(docstring):
                yield number, path.stem.removeprefix("test_")


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """A module's functions with their docstrings."""
    for node in ast.walk(ast.parse(text_of(path) or "pass")):
        if isinstance(node, ast.FunctionDef):
            yield node.name, ast.get_docstring(node) or ""


def cited(text: str) -> Iterator[str]:
    """The numbers that stand in brackets."""
    for group in CITATION.findall(text):
        yield from NUMBER.findall(group)


def text_of(path: Path) -> str:
    """A file's text, or nothing if it isn't there."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


COLUMNS: dict[str, Callable[[], Iterable[Said]]] = {
    "Murphi: `scheduler.m`": murphi,
    "z3: `proof`": proof,
    "TLA+: `tla`": tla,
    "`rules.py`": rules,
    "`tests/contract`": tests,
}
SHOWN_MOST = 4


def cell(names: list[str]) -> str:
    """Names, each once, with how often if more than once, and no more than fit."""
    once = list(dict.fromkeys(names))
    told = [name if name != "a claim" or names.count(name) == 1 else f"{names.count(name)} claims" for name in once]
    more = [f"and {len(told) - SHOWN_MOST} more"] if len(told) > SHOWN_MOST else []
    return "; ".join(told[:SHOWN_MOST] + more) or "-"


def sentences() -> str:
    """A row for each sentence: where it is said again, decided and tested."""
    said: dict[str, dict[str, list[str]]] = {column: defaultdict(list) for column in COLUMNS}
    for column, find in COLUMNS.items():
        for number, name in find():
            said[column][number].append(name)
    numbers = SENTENCE.findall(text_of(SPEC / "CONTRACT.md"))
    rows = [[f"**{number}**", *(cell(said[column][number]) for column in COLUMNS)] for number in numbers]
    return table(["sentence", *COLUMNS], rows)


def models() -> str:
    """A row for each model of the manifest; TLC's are too many and have a table of their own."""
    rows = [[f"`{model.name}`", f"`{written(model)}`", *expected(model), model.shows] for model in own_models()]
    return table(["model", "command", "expected", "states", "transitions", "shows"], rows)


def written(model: Model) -> str:
    """The command, or the call that is made."""
    given = ", ".join(f"{name}={value!r}" for name, value in model.arguments.items())
    return f"{model.command}({given})" if given else model.command


def own_models() -> list[Model]:
    """The models that aren't TLC's."""
    return [model for model in manifest(SPEC / "manifest.toml") if model.kind != "tlc"]


def expected(model: Model) -> list[str]:
    """The verdict and the counts; of a model that must fail, what it must violate."""
    verdict = f"{model.expected}: {model.violates.partition(':')[0]}" if model.violates else model.expected
    return [verdict, *(f"{count:,}" if count is not None else "-" for count in (model.states, model.transitions))]


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


DRAWINGS = {"models": models, "sentences": sentences}


if __name__ == "__main__":
    sys.exit(drawing.main("table.py", README, DRAWINGS, sys.argv[1:]))
