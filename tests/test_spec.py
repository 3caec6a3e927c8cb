"""The contract's text, and that code and tests cite it truly."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenure import Counts, Lease, Task, Worker
from tenure.operations import PARAMETERS

ROOT = Path(__file__).parents[1]
CONTRACT = ROOT / "spec" / "CONTRACT.md"

SERIES = {"V": 5, "L": 4, "I": 4, "T": 4, "R": 2, "O": 11, "P": 9}
NUMBERS = [f"{letter}{number}" for letter, most in SERIES.items() for number in range(1, most + 1)]
NUMBER = re.compile(r"\b[VLITROP][0-9]+\b")
CITATION = re.compile(r"\(([VLITROP][0-9]+(?:(?:, | to )[VLITROP][0-9]+)*)\)")

PYTHON = sorted(path for part in ("src", "tests", "spec") for path in (ROOT / part).rglob("*.py"))
TEXTS = sorted(path for part in ("src", "tests", "spec") for path in (ROOT / part).rglob("*") if path.suffix != ".py")


def docstrings(path: Path) -> Iterator[tuple[ast.AST, str]]:
    """Each definition of a module, and the module, with its docstring."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, ast.get_docstring(node) or ""


def comments(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.string


def cited_tests() -> Iterator[tuple[str, str]]:
    """Each test under tests/contract, with its docstring."""
    for path in sorted((ROOT / "tests" / "contract").glob("test_*.py")):
        for node, docstring in docstrings(path):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield f"{path.name}: {node.name}", docstring


def ending(docstring: str) -> set[str]:
    """The numbers that stand in brackets at a docstring's end."""
    *_, last = docstring.strip().splitlines() or [""]
    cited = re.search(CITATION.pattern + "$", last)
    return set(NUMBER.findall(cited[1])) if cited else set()


def test_the_contract_has_each_number_once_and_in_order() -> None:
    """No number is missing, and none is new without its place here. (V1, P9)"""
    stated = re.findall(r"^- \*\*([A-Z][0-9]+)\*\* ", CONTRACT.read_text(encoding="utf-8"), re.MULTILINE)
    assert stated == NUMBERS


@pytest.mark.parametrize("number", NUMBERS)
def test_each_rule_has_a_test_that_cites_it(number: str) -> None:
    """On every representation, in tests/contract."""
    assert any(number in ending(docstring) for _, docstring in cited_tests())


def test_each_test_of_the_contract_ends_with_the_rules_that_it_shows() -> None:
    """So that what fails says what was broken."""
    assert [name for name, docstring in cited_tests() if not ending(docstring)] == []


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_docstring_or_comment_cites_a_rule_that_does_not_exist(path: Path) -> None:
    """In code, tests and drawings alike."""
    texts = [*(docstring for _, docstring in docstrings(path)), *comments(path)]
    assert {number for text in texts for number in NUMBER.findall(text)} <= set(NUMBERS)


def test_no_other_text_cites_a_rule_that_does_not_exist() -> None:
    """Dialogues, models and the contract itself."""
    wrong = []
    for path in TEXTS:
        if path.is_file() and "__pycache__" not in path.parts:
            cited = CITATION.findall(path.read_bytes().decode(errors="replace"))
            wrong += [(path.name, number) for text in cited for number in NUMBER.findall(text) if number not in NUMBERS]
    assert wrong == []


def draw(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "draw.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_drawings_are_as_declared() -> None:
    """Otherwise run: python spec/draw.py"""
    done = draw(CONTRACT.parent, "--check")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_drawing_that_is_not_as_declared_is_found_and_redrawn(tmp_path: Path) -> None:
    """The check fails on a damaged text and leaves it alone; drawing mends it."""
    for name in ("CONTRACT.md", "draw.py", "drawing.py"):
        shutil.copy(CONTRACT.with_name(name), tmp_path)
    copy = tmp_path / "CONTRACT.md"
    intact = copy.read_text(encoding="utf-8")
    damaged = intact.replace("running --> done", "running --> pending").replace("| **done** |", "| **over** |")
    assert damaged.count("over** |") == 1
    copy.write_text(damaged, encoding="utf-8")

    done = draw(tmp_path, "--check")
    assert done.returncode == 1
    assert "python spec/draw.py" in done.stderr
    assert copy.read_text(encoding="utf-8") == damaged

    assert draw(tmp_path).returncode == 0
    assert copy.read_text(encoding="utf-8") == intact
    assert draw(tmp_path, "--chekc").returncode == 2


@pytest.mark.parametrize("value", [Lease, Task, Worker, Counts])
def test_the_contract_names_the_fields_of_what_is_handed_out(value: type[Any]) -> None:
    """In their order; dialogues compare them by name."""
    (row,) = [
        line for line in CONTRACT.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{value.__name__}` |")
    ]
    assert tuple(re.findall("`([a-z_]+)`", row)) == value._fields


@pytest.mark.parametrize("path", [CONTRACT, ROOT / "README.md"], ids=lambda path: path.stem)
@pytest.mark.parametrize("operation", [name for name, parameters in PARAMETERS.items() if parameters])
def test_contract_and_readme_show_each_operation_with_its_parameters(operation: str, path: Path) -> None:
    """As one calls it."""
    found = re.findall(rf"`{operation}\(([^)]*)\)", path.read_text(encoding="utf-8"))
    names = [tuple(re.findall(r"([a-z_]+)(?:=[^,]+)?(?:, |$)", arguments)) for arguments in found]
    assert PARAMETERS[operation] in names, found
