"""What can be asked of a scheduler: the contract's operations as a type, and their parameters as data read off it."""

from __future__ import annotations

import inspect
from typing import Any, Protocol

from .values import Counts, Lease, Status, Task, Worker


class Operations(Protocol):
    """All that the contract lets a caller ask (O1 to O11), whoever answers: `Scheduler`, a reference, a recorder."""

    def add_worker(self, worker: str, capacity: int) -> None:
        """O1."""

    def set_capacity(self, worker: str, capacity: int) -> None:
        """O2."""

    def add_task(self, priority: int = 0, payload: bytes | None = None) -> int:
        """O3."""

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """O4."""

    def complete(self, task_id: int, token: int, *, now: int) -> bool:
        """O5."""

    def renew(self, task_id: int, token: int, *, now: int, duration: int) -> Lease | None:
        """O6."""

    def release(self, task_id: int, token: int, *, now: int) -> bool:
        """O7."""

    def advance(self, *, now: int) -> tuple[Lease, ...]:
        """O8."""

    @property
    def now(self) -> int:
        """O9."""

    def task(self, task_id: int) -> Task | None:
        """O9."""

    def tasks(self, status: Status | None = None) -> tuple[Task, ...]:
        """O9."""

    def worker(self, name: str) -> Worker | None:
        """O9."""

    def workers(self) -> tuple[Worker, ...]:
        """O9."""

    def leases(self) -> tuple[Lease, ...]:
        """O9."""

    def counts(self) -> Counts:
        """O9."""

    def next_expiry(self) -> int | None:
        """O9."""

    def forget(self, task_id: int) -> bool:
        """O10."""

    def forget_worker(self, worker: str) -> bool:
        """O11."""


def _parameters(operation: str) -> tuple[str, ...]:
    member = getattr(Operations, operation)
    if isinstance(member, property):
        return ()
    return tuple(inspect.signature(member).parameters)[1:]


PARAMETERS = {name: _parameters(name) for name in vars(Operations) if not name.startswith("_")}
"""The parameters of each operation, in order."""

TIMED = tuple(name for name, parameters in PARAMETERS.items() if "now" in parameters)
"""The operations that take a time. (T2)"""

QUERIES = ("now", "task", "tasks", "worker", "workers", "leases", "counts", "next_expiry")
"""The operations that change nothing. (O9)"""


def ask(scheduler: Operations, operation: str, arguments: dict[str, Any]) -> Any:
    """The scheduler's answer to the operation with these arguments; it raises what the scheduler raises."""
    if operation == "now":
        return scheduler.now
    return getattr(scheduler, operation)(**arguments)
