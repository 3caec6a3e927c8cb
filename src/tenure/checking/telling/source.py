"""Python source of calls and values, as a test file has it: short lines, and imports for what is no literal."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ...history import Event
from .. import hostile
from ..literals import arguments, literal

LINE_MOST = 88
LYING = (hostile.LyingInt, hostile.Huge, hostile.LyingStr, hostile.LyingBytes)


class Source:
    """Lines of a test's body, and the imports that they need."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.imports: set[str] = set()

    def add(self, line: str, depth: int = 1) -> None:
        """A line of the body."""
        self.lines.append("    " * depth + line)

    def value(self, value: Any) -> str:
        """The expression that makes the value again, or something that no scheduler accepts either."""
        kind = type(value)
        if kind in LYING:
            self.imports.add(f"from tenure.checking.hostile import {kind.__name__}")
            return literal(value)
        if kind is hostile.Indexed:
            self.imports.add("from tenure.checking.hostile import Indexed")
            return "Indexed()"
        if kind is Decimal or kind is Fraction:
            self.imports.add(f"from {kind.__module__} import {kind.__name__}")
            return f'{kind.__name__}("{value}")'
        if kind is bytearray or kind is memoryview:
            return f"{kind.__name__}({literal(bytes(value))})"
        written = literal(value)
        if written.startswith("Status."):
            self.imports.add("from tenure import Status")
        if kind in (list, tuple) and value:
            inner = ", ".join(map(self.value, value))
            return f"[{inner}]" if kind is list else f"({inner}{',' if len(value) == 1 else ''})"
        return written if evaluates(written) else "object()"

    def call(self, event: Event, before: str, after: str = "", depth: int = 1) -> None:
        """A statement that makes the call, on several lines if one would be too long."""
        indent = "    " * depth
        if event.op == "now":
            self.add(f"{before}scheduler.now{after}", depth)
            return
        given = list(arguments(event, self.value))
        head = f"{before}scheduler.{event.op}("
        line = f"{indent}{head}{', '.join(given)}){after}"
        if len(line) <= LINE_MOST:
            self.lines.append(line)
            return
        if after:
            self.call(event, "answer = ", depth=depth)
            self.add(f"assert answer{after}", depth)
            return
        inner = f"{indent}    {', '.join(given)}"
        body = [inner] if len(inner) <= LINE_MOST else [f"{indent}    {one}," for one in given]
        self.lines += [f"{indent}{head}", *body, f"{indent})"]

    def fields(self, name: str, value: Any, fields: Sequence[str]) -> None:
        """Assert that these fields are those of the value, in one line if it isn't too long."""
        if len(fields) > 1:
            written = [self.value(getattr(value, field)) for field in fields]
            line = f"assert ({', '.join(f'{name}.{field}' for field in fields)}) == ({', '.join(written)})"
            if len(line) + 4 <= LINE_MOST:
                self.add(line)
                return
        for field in fields:
            one = getattr(value, field)
            self.add(f"assert {name}.{field} {'is' if one is None else '=='} {self.value(one)}")


def evaluates(written: str) -> bool:
    """Whether it is an expression."""
    try:
        ast.parse(written, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def split(source: str) -> tuple[list[str], str]:
    """The imports at the beginning of a piece of source, a line each, and the rest."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return [], source.strip()
    imports: list[str] = []
    for node in body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            return imports, "\n".join(source.splitlines()[_first_line(node) - 1 :]).strip()
        imports.append(ast.unparse(node))
    return imports, ""


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def ordered(imports: Iterable[str]) -> str:
    """The imports as linters want them: the future, the standard library, the rest, each sorted."""
    groups: dict[int, set[str]] = {0: set(), 1: set(), 2: set()}
    for line in _merged(imports):
        root = line.split()[1].partition(".")[0]
        groups[0 if root == "__future__" else 1 if root in sys.stdlib_module_names else 2].add(line)
    return "\n\n".join("\n".join(sorted(group, key=_place)) for group in groups.values() if group)


def _merged(imports: Iterable[str]) -> list[str]:
    """Imports from one module are one line."""
    plain, names = [], dict[str, set[str]]()
    for line in imports:
        if line.startswith("from "):
            module, _, wanted = line.removeprefix("from ").partition(" import ")
            names.setdefault(module, set()).update(wanted.split(", "))
        else:
            plain.append(line)
    return plain + [f"from {module} import {', '.join(sorted(wanted))}" for module, wanted in names.items()]


def _place(line: str) -> tuple[bool, str]:
    return line.startswith("from "), line.split()[1]
