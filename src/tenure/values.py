"""What a scheduler hands out: immutable, detached values. Nothing here decides anything. (V5)"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Status(Enum):
    """A task has exactly one status. (L1)"""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"


class Lease(NamedTuple):
    """One assignment of one task to one worker, live on [start, expiry). (L3, T4)

    `token` names it over the whole scheduler, for ever; `attempt` is the number of leases that the
    task had been granted with this one, so 1 is the first try. Times are in the caller's unit.
    """

    task_id: int
    worker: str
    token: int
    attempt: int
    start: int
    expiry: int
    payload: bytes | None = None


class Task(NamedTuple):
    """A task as it stood when it was asked for; `lease` is there exactly while it runs. (L3)

    `attempts` is the number of leases ever granted for it; a larger `priority` is more urgent.
    """

    id: int
    priority: int
    payload: bytes | None
    status: Status
    attempts: int
    lease: Lease | None


class Worker(NamedTuple):
    """A worker as it stood when it was asked for: `held` live leases of at most `capacity`. (P2)"""

    name: str
    capacity: int
    held: int


class Counts(NamedTuple):
    """How many tasks are in each status."""

    pending: int
    running: int
    done: int


class Internal(NamedTuple):
    """All that a representation keeps, as plain data, for a checker that must tell two states apart.

    What only makes answers faster, such as a heap's entries that no longer count, is no part of it: a
    representation's `check` must show that such things decide nothing.
    """

    now: int
    last_id: int
    last_token: int
    tasks: tuple[Task, ...]
    """In order of their ids."""
    workers: tuple[Worker, ...]
    """In order of their creation."""
    queue: tuple[int, ...]
    """The pending tasks in the order in which they would be dispatched."""
    ends: tuple[tuple[int, int], ...]
    """The (expiry, token) of each live lease in the order in which they would expire."""
