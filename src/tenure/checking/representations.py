"""The one table of all representations of a scheduler: the type check, the test matrix, the command line's choices."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from ..operations import Operations
from ..scheduler import Scheduler
from ..store import Store
from ..stores import MemoryStore
from ..values import Internal
from .quick import QuickReference
from .reference import Reference
from .targets.abilities import FULL, Abilities


class Started(NamedTuple):
    """A scheduler, what recomputes each of its structures, raising AssertionError, what tells all that it keeps,
    what it has, and what closes it and opens it again, if it outlives its process.
    """

    scheduler: Operations
    check: Callable[[], None]
    canonical: Callable[[], Internal] | None
    abilities: Abilities = FULL
    reopen: Callable[[], Started] | None = None


class Start(Protocol):
    """Starts a representation as new, or where an earlier scheduler left off."""

    def __call__(self, *, now: int = 0, last_id: int = 0, last_token: int = 0) -> Started:
        """A scheduler at time `now`, whose next id and token follow the given ones."""


def reference(*, now: int = 0, last_id: int = 0, last_token: int = 0) -> Started:
    """The textbook form, which has nothing but the plain data."""
    scheduler = Reference(now=now, last_id=last_id, last_token=last_token)
    return Started(scheduler, lambda: None, scheduler.canonical)


def quick(*, now: int = 0, last_id: int = 0, last_token: int = 0) -> Started:
    """The textbook form made quick, for what asks it a million times."""
    scheduler = QuickReference(now=now, last_id=last_id, last_token=last_token)
    return Started(scheduler, lambda: None, scheduler.canonical)


def memory(*, now: int = 0, last_id: int = 0, last_token: int = 0) -> Started:
    """The scheduler on a memory store."""
    kept = MemoryStore(now=now, last_id=last_id, last_token=last_token)
    store: Store = kept
    return Started(Scheduler(store), kept.check, kept.canonical)


def sqlite(*, now: int = 0, last_id: int = 0, last_token: int = 0) -> Started:
    """The scheduler on a SQLite store, in a folder that goes with the store, or when the interpreter ends.

    It doesn't wait for the disk: what is checked is what the store answers, not what survives a power failure.
    """
    from ..stores import SQLiteStore

    folder = tempfile.mkdtemp(prefix="tenure-")

    def opened(now: int = 0, last_id: int = 0, last_token: int = 0) -> Started:
        path = Path(folder, "scheduler.db")
        kept = SQLiteStore(path, synchronous="off", now=now, last_id=last_id, last_token=last_token)
        removal = weakref.finalize(kept, shutil.rmtree, folder, ignore_errors=True)

        def reopen() -> Started:
            removal.detach()
            kept.close()
            return opened()

        store: Store = kept
        return Started(Scheduler(store), kept.check, kept.canonical, reopen=reopen)

    try:
        return opened(now, last_id, last_token)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


REPRESENTATIONS: dict[str, Start] = {"reference": reference, "memory": memory, "sqlite": sqlite}
