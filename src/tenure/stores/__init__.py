"""The representations of a scheduler's state; each fits `tenure.store.Store`."""

from typing import TYPE_CHECKING, Any

from .memory import MemoryStore
from .urls import store_at

if TYPE_CHECKING:
    from .sqlite import SQLiteStore

__all__ = ["MemoryStore", "SQLiteStore", "store_at"]


def __getattr__(name: str) -> Any:
    """A store that needs a database's library is imported when it is asked for."""
    if name == "SQLiteStore":
        from .sqlite import SQLiteStore

        return SQLiteStore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
