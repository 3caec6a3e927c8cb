"""A store by its URL."""

from __future__ import annotations

from typing import Final

from ..rules import text
from ..store import Store
from .memory import MemoryStore

FORMS: Final = "sqlite:///relative.db, sqlite:////absolute.db (three slashes and the path) or memory:"


def store_at(url: str) -> Store:
    """The store that the URL names; a file is made if there is none.

    After `sqlite:///` stands the path as it is: nothing in it is escaped. Raises ValueError for any other URL, and what
    the store raises.
    """
    plain = text("url", url, "give a URL")
    if plain == "memory:":
        return MemoryStore()
    kind, slashes, path = plain.partition(":///")
    if kind != "sqlite" or not slashes or not path:
        raise ValueError(f"url must be {FORMS}, not {plain!r}")
    from .sqlite import SQLiteStore

    return SQLiteStore(path)
