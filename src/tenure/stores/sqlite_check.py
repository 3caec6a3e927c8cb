"""What the SQLite store keeps, as plain data, and whether its indexes and counters are what these make them."""

from __future__ import annotations

from collections import Counter
from typing import Final

from ..lifecycle import BORN, LEASED
from ..values import Internal, Lease, Worker
from . import sqlite_statements as sql
from .sqlite_rows import task_from
from .sqlite_session import Session

SCHEDULER: Final = "select now, last_id, last_token, pending, running, done from scheduler"
QUEUE: Final = f"select id from task indexed by queue where status = '{BORN.value}' order by priority desc, id"
ENDS: Final = f"select expiry, token from task indexed by ends where status = '{LEASED.value}' order by expiry, token"
STRAY: Final = "select count(*) from payload where task_id not in (select id from task)"


def internal(session: Session) -> Internal:
    """All that is kept, each part read where it is kept. O(n log n)."""
    now, last_id, last_token, *_ = session.row(SCHEDULER)
    return Internal(
        now,
        last_id,
        last_token,
        session.values(task_from, session.rows(sql.TASKS)),
        tuple(map(Worker._make, session.rows(sql.WORKERS))),
        tuple(task_id for (task_id,) in session.rows(QUEUE)),
        tuple(session.rows(ENDS)),
    )


def check(session: Session) -> None:
    """Each index and counter is what the plain data make it; raises AssertionError otherwise. O(n log n)."""
    assert session.rows("pragma integrity_check") == [("ok",)]
    now, last_id, last_token, tasks, workers, queue, ends = internal(session)
    every = Counter(task.status for task in tasks)
    assert session.row(SCHEDULER)[3:] == tuple(every[status] for status in type(BORN))
    pending = [task for task in tasks if task.status is BORN]
    leases: list[Lease] = [task.lease for task in tasks if task.lease is not None]
    assert queue == tuple(task.id for task in sorted(pending, key=lambda task: (-task.priority, task.id)))
    assert ends == tuple(sorted((lease.expiry, lease.token) for lease in leases))
    held = Counter(lease.worker for lease in leases)
    assert held.keys() <= {worker.name for worker in workers}
    assert all(held[worker.name] == worker.held for worker in workers)
    assert all(task.id <= last_id for task in tasks)
    assert len({lease.token for lease in leases}) == len(leases)
    assert all(lease.start <= now < lease.expiry and lease.token <= last_token for lease in leases)
    assert session.row(STRAY) == (0,)
