"""What the SQLite store's rows say, as values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..lifecycle import LEASED
from ..rules import Load
from ..values import Lease, Status, Task

STATUSES: Final = {status.value: status for status in Status}


def load_from(capacity: int | None, held: int | None) -> Load | None:
    """A worker's load, or None where no worker was found."""
    return None if capacity is None or held is None else (capacity, held)


def task_from(row: Sequence[Any]) -> Task:
    """The task of a row with the columns `sqlite_statements.TASK`."""
    task_id, priority, payload, text, attempts, worker, token, start, expiry = row
    status = STATUSES[text]
    lease = Lease(task_id, worker, token, attempts, start, expiry, payload) if status is LEASED else None
    return Task(task_id, priority, payload, status, attempts, lease)
