"""The house rules: what may import what, no clock, documented names, short pieces, texts that run."""

from __future__ import annotations

import ast
import doctest
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure import Scheduler
from tenure.operations import PARAMETERS, Operations

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "tenure"
MODULES = sorted(PACKAGE.rglob("*.py"))
PYTHON = sorted(path for part in ("src", "tests", "spec", "docs") for path in (ROOT / part).rglob("*.py"))

ORDER = (
    *(
        "values",
        "errors",
        "lifecycle",
        "rules",
        "store",
        "stores",
        "scheduler",
        "operations",
        "wire",
        "forwarding",
        "recorder",
        "history",
        "lanes",
    ),
    *("files", "commands", "checking", "audit", "simulate", "cli", "__main__"),
)
"""Each imports only from those before it."""
PURE = {
    *("__future__", "abc", "collections.abc", "enum", "heapq", "inspect", "typing"),
    *("statemachine", "statemachine.exceptions"),
}
"""What the core may import from outside: nothing that knows a clock, chance, files or the network."""
TEXT = {"json", "re", "base64"}
DRAWING = {"bisect", "html", "itertools", "unicodedata"}
CORE = dict.fromkeys(ORDER[: ORDER.index("files")], PURE) | {"wire": PURE | TEXT, "lanes": PURE | DRAWING}
DATABASE = {"collections", "contextlib", "os", "sqlite3", "threading", "weakref"}
"""What the SQLite store may import too; still nothing that knows a clock or chance."""
INDEPENDENT = {"errors", "lifecycle", "values"}
"""All that the reference shares with what it judges."""
LINES_MOST, FUNCTION_LINES_MOST = 400, 60


def name_of(path: Path) -> tuple[str, ...]:
    """A module's place in the package, such as ("stores", "memory")."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def imports(path: Path) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """What a module imports, anywhere in it: whether from this package, and the module's place."""
    package = PACKAGE.relative_to(PACKAGE.parent).parts + path.relative_to(PACKAGE).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[tuple[str, ...]] = []
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            module = base + tuple((node.module or "").split(".")) if node.module else base
            whole = not node.module
            names = [(*module, alias.name) for alias in node.names] if whole else [module]
        for name in names:
            yield name[0] == "tenure", name[1:] if name[0] == "tenure" else name


def identifier(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=identifier)
def test_a_module_imports_only_what_stands_before_it(path: Path) -> None:
    """Read from the top, the tree is the explanation."""
    name = name_of(path)
    if not name:
        return
    assert name[0] in ORDER, f"{identifier(path)} has no place in ORDER"
    for own, imported in imports(path):
        if own:
            assert imported, f"{identifier(path)} imports the whole package"
            assert ORDER.index(imported[0]) <= ORDER.index(name[0]), f"{name} imports {imported}"


@pytest.mark.parametrize("path", MODULES, ids=identifier)
def test_the_core_knows_no_clock_no_chance_and_no_machine(path: Path) -> None:
    """It imports nothing from which it could learn one. (T1)"""
    name = name_of(path)
    if name and name[0] in CORE:
        allowed = CORE[name[0]] | (DATABASE if name[-1].startswith("sqlite") else set())
        assert {".".join(imported) for own, imported in imports(path) if not own} <= allowed


def test_the_reference_shares_no_rule_with_what_it_judges() -> None:
    """Neither itself nor by way of what it imports."""
    met: set[str] = set()
    waiting = [PACKAGE / "checking" / "reference.py"]
    while waiting:
        path = waiting.pop()
        for own, imported in imports(path):
            if own and imported[0] not in met:
                met.add(imported[0])
                waiting.append(PACKAGE.joinpath(*imported).with_suffix(".py"))
    assert met == INDEPENDENT


LOADED = "import sys; import {module}; print(*sys.modules)"


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("tenure", {"click", "rich", "hypothesis", "matplotlib", "pytest", "tenure.checking", "tenure.simulate"}),
        ("tenure.stores", {"sqlite3", "tenure.stores.sqlite"}),
        ("tenure.checking", {"click", "rich", "hypothesis", "matplotlib", "pytest"}),
        ("tenure.history", {"click", "rich", "hypothesis", "matplotlib", "pytest"}),
    ],
)
def test_importing_the_package_loads_no_extra(module: str, unwanted: set[str]) -> None:
    """Extras are imported by what needs them, when it does."""
    command = [sys.executable, "-c", LOADED.format(module=module)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert module in loaded
    assert unwanted & set(loaded) == set()


Definition = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def definitions(node: Definition, outer: str = "") -> Iterator[tuple[str, Definition]]:
    """What a module or class defines in public, by its name."""
    for child in node.body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not child.name.startswith("_"):
            yield f"{outer}{child.name}", child
            if isinstance(child, ast.ClassDef):
                yield from definitions(child, f"{outer}{child.name}.")


@pytest.mark.parametrize("path", MODULES, ids=identifier)
def test_every_public_name_has_a_docstring(path: Path) -> None:
    """Modules too; a method that a store must have is described by `Store`."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(module), "the module says nothing"
    store = ast.parse((PACKAGE / "store.py").read_text(encoding="utf-8"))
    described = (
        {name.partition(".")[2] for name, _ in definitions(store)} if name_of(path)[:1] == ("stores",) else set()
    )
    bare = {name for name, node in definitions(module) if not ast.get_docstring(node)}
    assert {name for name in bare if name.rpartition(".")[2] not in described} == set()


@pytest.mark.parametrize("operation", PARAMETERS)
def test_each_operation_of_the_scheduler_states_its_rule(operation: str) -> None:
    """The one that stands at the operation itself, where a reader of the help sees it."""
    (rule,) = re.findall(r"O[0-9]+", getattr(Operations, operation).__doc__)
    told = getattr(Scheduler, operation).__doc__
    assert re.search(rf"\(([A-Z][0-9]+, )*{rule}(, [A-Z][0-9]+)*\)", told)


@pytest.mark.parametrize("path", PYTHON, ids=identifier)
def test_modules_and_functions_stay_short(path: Path) -> None:
    """A function fits a screen."""
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LINES_MOST
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < FUNCTION_LINES_MOST, node.name


@pytest.mark.parametrize("name", ["README.md", "spec/CONTRACT.md"])
def test_the_python_in_a_document_runs(name: str) -> None:
    """Its blocks one after another, as a reader would type them."""
    text = (ROOT / name).read_text(encoding="utf-8")
    scope: dict[str, object] = {"__name__": "__main__"}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text[: match.start()].count("\n") + 1
        if ">>>" in match[1]:
            example = doctest.DocTestParser().get_doctest(match[1], scope, name, name, line)
            assert runner.run(example, clear_globs=False).failed == 0
            scope = example.globs
        else:
            exec(compile("\n" * line + match[1], name, "exec"), scope)
    assert name == "README.md" or runner.tries > 0


MACHINE_PATH = re.compile(rb"(?<![\w.~}$-])/(?:work|home|root|tmp|Users|mnt|srv|opt|var|private)/[\w.]")
LEFT_OUT = {"__pycache__", "build", "dist", "node_modules"}


def kept_files(folder: Path) -> Iterator[Path]:
    """The project's files, without what tools leave behind."""
    for path in sorted(folder.iterdir()):
        hidden = path.name.startswith(".") and path.name not in (".ci", ".gitignore")
        if hidden or path.name in LEFT_OUT or path.suffix == ".egg-info" or (path / "pyvenv.cfg").exists():
            continue
        if path.is_dir():
            yield from kept_files(path)
        else:
            yield path


def test_no_file_names_a_path_of_some_machine() -> None:
    """What is written here holds on every machine."""
    assert [identifier(path) for path in kept_files(ROOT) if MACHINE_PATH.search(path.read_bytes())] == []
