"""What a user asked to be checked: Tenure's own scheduler, a Python factory by its name, or a program."""

from __future__ import annotations

import importlib
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from ...errors import TargetFailed
from ..representations import memory
from .abilities import Abilities
from .adapted import started
from .program import Program

SPEC = re.compile(r"(?P<module>\w+(\.\w+)*):(?P<factory>\w+(\.\w+)*)")
OWN = "Tenure's in-memory scheduler"


class Target(NamedTuple):
    """What is checked, by the name that people call it."""

    name: str
    factory: Callable[[], Any]
    """Makes a new scheduler."""
    abilities: Abilities
    exact_errors: bool
    """Whether a rejection must raise the contract's class: only Tenure's own scheduler promised that. (R1)"""
    make: str
    """Python source that defines `make()`, for a test that makes the calls again."""


def own() -> Target:
    """Tenure's in-memory scheduler."""
    return Target(OWN, memory, memory().abilities, True, "from tenure import Scheduler as make\n")


def of_python(spec: str) -> Target:
    """What `package.module:factory` names, imported from the folder in which one is, or from where Python looks.

    Raises TargetFailed where it can't be imported or called, or where what it makes can't be checked.
    """
    named = SPEC.fullmatch(spec)
    if named is None:
        raise TargetFailed(f"{spec!r} must be MODULE:FACTORY, such as queues.ours:Scheduler")
    module, name = named["module"], named["factory"]
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: Any = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        raise TargetFailed(f"{spec}: importing {module} raised {_said(error)}") from None
    try:
        for part in name.split("."):
            found = getattr(found, part)
    except AttributeError:
        file = getattr(sys.modules[module], "__file__", None) or "built in"
        raise TargetFailed(f"{spec}: module {module} ({file}) has no {name}") from None
    if not callable(found):
        raise TargetFailed(f"{spec}: {name} is no class or function that makes a scheduler, but {_kind(found)}")

    def factory() -> Any:
        try:
            return found()
        except TargetFailed:
            raise
        except (Exception, SystemExit) as error:
            raise TargetFailed(f"{spec}: {name}() raised {_said(error)}; it must make a new scheduler") from None

    imported = f"from {module} import {name.partition('.')[0]}\n"
    make = f"{STARTED}{imported}\n\ndef make():\n    return started({name}()).scheduler\n"
    return Target(spec, factory, _abilities(spec, factory), False, make)


def _abilities(spec: str, factory: Callable[[], Any]) -> Abilities:
    """Those of what the factory makes, which is tried once."""
    try:
        return started(factory()).abilities
    except TargetFailed as failed:
        raise TargetFailed(failed.reason if failed.reason.startswith(spec) else f"{spec}: {failed.reason}") from None


STARTED = "from tenure.checking.targets.adapted import started\n"


@contextmanager
def of_program(command: Sequence[str], line_seconds: float = 10.0) -> Iterator[Target]:
    """The adapter that this command starts; it is ended with the context. Raises TargetFailed."""
    with Program(command, line_seconds) as program:
        make = (
            "import atexit\n\nfrom tenure.checking.targets.program import Program\n\n"
            f"PROGRAM = Program({list(command)!r})\natexit.register(PROGRAM.close)\n\n\n"
            "def make():\n    return PROGRAM.start().scheduler\n"
        )
        shown = shlex.join(command)
        name = shown if program.name == shown else f"{program.name} ({shown})"
        yield Target(name, program.start, program.abilities, False, make)


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _kind(thing: object) -> str:
    return f"{'an' if type(thing).__name__[0] in 'aeiou' else 'a'} {type(thing).__name__}"
