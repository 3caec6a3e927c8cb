"""A scheduler's state in one SQLite file, shared by the threads and processes of one machine."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from threading import local
from typing import Any, NoReturn

from .. import rules
from ..lifecycle import BORN, EXPIRED, FINAL
from ..rules import Content, Load
from ..values import Counts, Internal, Lease, Status, Task, Worker
from . import sqlite_statements as sql
from .sqlite_check import check, internal
from .sqlite_file import SYNCHRONOUS, File
from .sqlite_rows import STATUSES, load_from, task_from
from .sqlite_session import Session, close_all, session_of
from .tasks import FRESH


class SQLiteStore:
    """Keeps everything in the file at `path`, which is made if there is none; each call is one transaction.

    Any number of threads and processes on one machine may share the file, by one store for each process or by several:
    calls happen one after another. A call waits up to `busy_seconds` for those of others and then raises StoreBusy;
    whatever else is wrong with the file is a StoreError. A call that raised has changed nothing.

    `synchronous` says what a call waits for before it answers, and so what a crash of the machine may take. A killed
    process takes nothing that was answered, whichever is chosen.

    - `"full"`: each call is on the disk when it returns; nothing is lost. `"extra"` is the same in this journal mode.
    - `"normal"`: power failure or a crash of the system may take the last calls that were answered, each whole. A lease
      that was lost so can be granted again under the same token: destinations must not fence on it.
    - `"off"`: power failure or a crash of the system may also damage the file.

    A store is made for the time that callers tell, or with `own_time` for its own, and remembers which. With
    `create=False` the file must be there. A new file begins at `now`, `last_id` and `last_token`, where an earlier
    scheduler left off; for a file that has begun they must be left out.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        synchronous: str = "full",
        busy_seconds: float = 5.0,
        own_time: bool = False,
        create: bool = True,
        now: int = 0,
        last_id: int = 0,
        last_token: int = 0,
    ) -> None:
        if synchronous not in SYNCHRONOUS:
            raise ValueError(f"synchronous must be one of {', '.join(SYNCHRONOUS)}, not {synchronous!r}")
        if type(busy_seconds) not in (int, float) or not 0 <= busy_seconds <= 86400:
            raise ValueError(f"busy_seconds must be a number from 0 to 86400, not {busy_seconds!r}")
        begin_at = rules.start_arguments(now, last_id, last_token)
        self._file = File(_place(path), synchronous, busy_seconds, own_time, create, begin_at)
        self._local = local()
        with self._session().look() as session:  # what is wrong with the file shows here
            session.serial, _ = session.row(sql.READ_TIME)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a SQLite store is not copied or pickled: make another one with the same path")

    @property
    def path(self) -> str:
        """The file's absolute path."""
        return self._file.path

    @property
    def own_time(self) -> bool:
        """Whether the store was made for its own time instead of the callers'."""
        return self._file.own_time

    @property
    def serial(self) -> int:
        """How many calls had changed the file as of this thread's last call, that one included if it did.

        So a call that wrote stands at its own serial, and one that didn't after the writer of its serial and before
        the next. A call that was turned away before it looked leaves the serial as it was.
        """
        return self._session().serial

    def close(self) -> None:
        """The file is closed, for all threads; later calls raise StoreError. Calls that go on are waited for."""
        close_all(self._file)

    def _session(self) -> Session:
        session: Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = session_of(self._file)
        return session

    def _begun(self) -> Session:
        return self._session().begin("begin immediate")

    # -- timed calls

    def read_worker(
        self, bound: int, worker: str
    ) -> tuple[int, int, Sequence[Lease], Load | None, int | None, Content]:
        session = self._begun()
        row = session.row(sql.READ_WORKER, (worker,))
        session.serial, now, last_token, capacity, held, task_id, priority, attempts, payload = row
        load = load_from(capacity, held)
        rows = session.rows(sql.READ_ENDING, (bound,))
        first = FRESH if task_id is None else (attempts, payload)
        if not rows:
            return now, last_token, (), load, task_id, first
        ending = [Lease._make(row[:-1]) for row in rows]
        places = list(session.values(_place_of, rows))
        if task_id is not None:
            places.append((-priority, task_id, first))
        _, task_id, first = min(places)
        return now, last_token, ending, load, task_id, first

    def read_lease(self, bound: int, task_id: int) -> tuple[int, Sequence[Lease], Lease | None]:
        session = self._begun()
        session.serial, now, *row = session.row(sql.READ_LEASE, (task_id,))
        return now, self._ending(session, bound), None if row[0] is None else Lease._make(row)

    def read_ending(self, bound: int) -> tuple[int, Sequence[Lease]]:
        session = self._begun()
        session.serial, now = session.row(sql.READ_TIME)
        return now, self._ending(session, bound)

    def _ending(self, session: Session, bound: int) -> list[Lease]:
        return [Lease._make(row[:-1]) for row in session.rows(sql.READ_ENDING, (bound,))]

    def write_time(self, now: int, ending: Sequence[Lease]) -> None:
        with self._session() as session:
            expired = _expire(session, ending)
            session.run(sql.SET_TIME, (session.next_serial(), now, expired, -expired, 0))

    def write_grant(self, now: int, ending: Sequence[Lease], lease: Lease) -> None:
        with self._session() as session:
            expired = _expire(session, ending)
            task_id, worker, token, attempt, start, expiry, _ = lease
            session.run(sql.GRANT, (worker, token, attempt, start, expiry, task_id))
            session.run(sql.ADD_HELD, (1, worker))
            session.run(sql.SET_TIME_AND_TOKEN, (session.next_serial(), now, expired - 1, 1 - expired, token))

    def write_renewal(self, now: int, ending: Sequence[Lease], lease: Lease) -> None:
        with self._session() as session:
            expired = _expire(session, ending)
            session.run(sql.RENEW, (lease.expiry, lease.task_id))
            session.run(sql.SET_TIME, (session.next_serial(), now, expired, -expired, 0))

    def write_end(self, now: int, ending: Sequence[Lease], lease: Lease, status: Status) -> None:
        with self._session() as session:
            expired = _expire(session, ending)
            session.run(sql.END, (status.value, lease.task_id))
            session.run(sql.ADD_HELD, (-1, lease.worker))
            back = status is not FINAL
            session.run(sql.SET_TIME, (session.next_serial(), now, expired + back, -1 - expired, 1 - back))

    # -- untimed calls

    def read_last_id(self) -> int:
        session = self._begun()
        session.serial, last_id = session.row(sql.READ_LAST_ID)
        return int(last_id)

    def read_load(self, worker: str) -> Load | None:
        session = self._begun()
        session.serial, capacity, held = session.row(sql.READ_LOAD, (worker,))
        return load_from(capacity, held)

    def read_status(self, task_id: int) -> Status | None:
        session = self._begun()
        session.serial, status = session.row(sql.READ_STATUS, (task_id,))
        return None if status is None else session.values(STATUSES.__getitem__, [status])[0]

    def put_task(self, task_id: int, priority: int, payload: bytes | None) -> None:
        with self._session() as session:
            session.run(sql.PUT_TASK, (task_id, priority))
            if payload is not None:
                session.run(sql.PUT_PAYLOAD, (task_id, payload))
            session.run(sql.COUNT_TASK, (session.next_serial(), task_id))

    def put_worker(self, worker: str, capacity: int) -> None:
        with self._session() as session:
            session.run(sql.PUT_WORKER, (worker, capacity))
            session.run(sql.SET_SERIAL, (session.next_serial(),))

    def drop_task(self, task_id: int) -> None:
        with self._session() as session:
            (status,) = session.row(sql.DROP_TASK, (task_id,))
            session.run(sql.DROP_PAYLOAD, (task_id,))
            waited = status == BORN.value
            session.run(sql.COUNT_DROPPED, (session.next_serial(), waited, not waited))

    def drop_worker(self, worker: str) -> None:
        with self._session() as session:
            session.run(sql.DROP_WORKER, (worker,))
            session.run(sql.SET_SERIAL, (session.next_serial(),))

    def abandon(self) -> None:
        self._session().abandon()

    # -- queries

    def now(self) -> int:
        return int(self._seen(sql.READ_TIME)[0])

    def task(self, task_id: int) -> Task | None:
        row = self._seen(sql.TASK_OF, (task_id,))
        return None if row[0] is None else self._session().values(task_from, [row])[0]

    def tasks(self, status: Status | None) -> tuple[Task, ...]:
        rows = self._seen_all(sql.TASKS) if status is None else self._seen_all(sql.TASKS_WITH, (status.value,))
        return self._session().values(task_from, rows)

    def worker(self, worker: str) -> Worker | None:
        load = load_from(*self._seen(sql.READ_LOAD, (worker,)))
        return load and Worker(worker, *load)

    def workers(self) -> tuple[Worker, ...]:
        return tuple(map(Worker._make, self._seen_all(sql.WORKERS)))

    def leases(self) -> tuple[Lease, ...]:
        return tuple(map(Lease._make, self._seen_all(sql.LEASES)))

    def counts(self) -> Counts:
        return Counts._make(self._seen(sql.COUNTS))

    def next_expiry(self) -> int | None:
        expiry: int | None = self._seen(sql.NEXT_EXPIRY)[0]
        return expiry

    def _seen(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The one row of a statement, which tells the serial first."""
        answer: list[Any]
        with self._session().look() as session:
            session.serial, *answer = session.row(statement, values)
        return answer

    def _seen_all(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of a statement, and the serial as of the same instant."""
        with self._session().look() as session:
            session.run("begin")
            session.serial, _ = session.row(sql.READ_TIME)
            return session.rows(statement, values)

    # -- proof

    def canonical(self) -> Internal:
        """All that is kept, each part read where it is kept. O(n log n)."""
        with self._session().look() as session:
            session.run("begin")
            return internal(session)

    def check(self) -> None:
        """Each index and counter is what the plain data make it; raises AssertionError otherwise. O(n log n)."""
        with self._session().look() as session:
            session.run("begin")
            check(session)


def _place(path: object) -> str:
    """The absolute path. Raises TypeError and ValueError."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be a str or a path, not {rules.name_of(type(path))}; name the store's file")
    plain = os.fspath(path)
    if not isinstance(plain, str):
        raise TypeError("path must be a str or a path of str, not of bytes; os.fsdecode makes one")
    if plain in ("", ":memory:") or "\0" in plain:
        raise ValueError(f"path must name a file, not {plain!r}; what is kept in memory alone is a MemoryStore")
    return os.path.abspath(plain)


def _place_of(row: Sequence[Any]) -> tuple[int, int, Content]:
    """Where the task of a lease that ends stands among the pending ones, and its content. (O4)"""
    task_id, _, _, attempts, _, _, payload, priority = row
    return -priority, task_id, (attempts, payload)


def _expire(session: Session, ending: Sequence[Lease]) -> int:
    """The leases end, and how many these are."""
    if ending:
        session.run_all(sql.END, [(EXPIRED.value, lease.task_id) for lease in ending])
        freed = Counter(lease.worker for lease in ending)
        session.run_all(sql.ADD_HELD, [(-held, worker) for worker, held in freed.items()])
    return len(ending)
