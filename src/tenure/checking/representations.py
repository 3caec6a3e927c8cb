"""The one table of all representations of a scheduler: the type check, the test matrix, the command line's choices."""

from __future__ import annotations

from collections.abc import Callable
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
    """A scheduler, what recomputes each of its structures, raising AssertionError, what tells all that it keeps, and
    what it has.
    """

    scheduler: Operations
    check: Callable[[], None]
    canonical: Callable[[], Internal] | None
    abilities: Abilities = FULL


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


REPRESENTATIONS: dict[str, Start] = {"reference": reference, "memory": memory}
