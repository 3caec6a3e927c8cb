"""Checking schedulers, Tenure's own and others, against the contract. What is exported is imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .exploring import explore
    from .faults import FAULTS
    from .reference import Reference
    from .scope import Scope
    from .user_machine import contract_machine
    from .verdict import Verdict

__all__ = ["FAULTS", "Reference", "Scope", "Verdict", "contract_machine", "explore"]

_HOME = {"FAULTS": "faults", "Reference": "reference", "Scope": "scope", "Verdict": "verdict"} | {
    "contract_machine": "user_machine",
    "explore": "exploring",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        found = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise ModuleNotFoundError(f"{name} needs hypothesis: pip install 'tenure[check]'", name=error.name) from None
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
