"""Checking schedulers, Tenure's own and others, against the contract."""

from .exploring import explore
from .reference import Reference
from .scope import Scope
from .verdict import Verdict

__all__ = ["Reference", "Scope", "Verdict", "explore"]
