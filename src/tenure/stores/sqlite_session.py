"""One thread's connection to a store's file, the call that is open on it, and what a fork does to connections."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from threading import Lock, get_ident
from typing import Any, Final, Self, TypeVar
from weakref import WeakSet

from ..errors import CallInProgress
from .sqlite_file import FAILURES, File

Value = TypeVar("Value")
IDLE, OPEN, TURNED_AWAY = range(3)
"""No call; a call from its read to the end of its write; the same while another call is turned away in between."""


class Session:
    """A connection, used by one thread; `with` closes the call that is open: by a commit, or a rollback if it raises.

    `serial` is the store's as of this thread's last call.
    """

    __slots__ = ("__weakref__", "_db", "_lock", "_wrote", "file", "serial", "state", "thread")

    def __init__(self, file: File) -> None:
        self.file = file
        self.serial = 0
        self.state = IDLE
        self.thread = get_ident()
        self._lock = Lock()
        """Held during a call, so that close and fork wait for its end."""
        self._wrote = False
        self._db: sqlite3.Connection | None = None

    def __del__(self) -> None:
        if self._db is not None:
            self._db.close()

    # -- statements

    def run(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Carry it out. Raises StoreError."""
        try:
            self.db.execute(statement, values)
        except FAILURES as error:
            self.file.fail(error)

    def run_all(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Carry it out for each row of values. Raises StoreError."""
        try:
            self.db.executemany(statement, rows)
        except FAILURES as error:
            self.file.fail(error)

    def row(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """Its one row. Raises StoreError."""
        rows = self.rows(statement, values)
        if not rows:
            self.file.damaged("a row that must be there isn't")
        return rows[0]

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """All its rows. Raises StoreError."""
        try:
            return self.db.execute(statement, values).fetchall()
        except FAILURES as error:
            self.file.fail(error)

    def values(self, make: Callable[[Any], Value], rows: Iterable[Any]) -> tuple[Value, ...]:
        """What is made of each. Raises StoreError where a damaged file holds what can't be."""
        try:
            return tuple(map(make, rows))
        except (KeyError, TypeError) as error:
            self.file.damaged(f"it holds {error}, which can't be")

    @property
    def db(self) -> sqlite3.Connection:
        """The connection, made now if there is none. Raises StoreError."""
        if self._db is None:
            self._db = self.file.connected()
        return self._db

    # -- calls

    def begin(self, how: str) -> Self:
        """A call is open from now on; one in the middle of another is turned away.

        What raises here leaves the call open, and `abandon` or `with` closes it, as after each read.
        """
        if self.state != IDLE:
            self.state = TURNED_AWAY
            raise CallInProgress
        self.state = OPEN  # before the lock: a signal in between must not leave a lock that nobody knows of
        self._lock.acquire()
        self.run(how)
        return self

    def look(self) -> Self:
        """A query is open, which `with` closes; in the middle of a call it is turned away."""
        if self.state != IDLE:
            raise CallInProgress
        self.state = OPEN
        self._lock.acquire()
        return self

    def next_serial(self) -> int:
        """The serial that a call which writes gives to the store; it becomes this thread's when that is committed."""
        self._wrote = True
        return self.serial + 1

    def __enter__(self) -> Self:
        assert self.state != IDLE, "a write follows a read"
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and self._db is not None and self._db.in_transaction:
                self.run("commit")
                self.serial += self._wrote
        finally:
            self._end()

    def abandon(self) -> None:
        """Close the call and change nothing; one that was turned away isn't the one that is open."""
        if self.state == TURNED_AWAY:
            self.state = OPEN
        elif self.state == OPEN:
            self._end()

    def _end(self) -> None:
        """The call is over; what it hasn't committed never was. A connection that can't even roll back is given up."""
        try:
            if self._db is not None and self._db.in_transaction:
                self._db.execute("rollback")
        except sqlite3.Error:
            self._drop()
        finally:
            self._wrote = False
            if self._lock.locked():
                self._lock.release()
            self.state = IDLE

    # -- closing

    def close(self) -> None:
        """The connection is closed; this thread's call is rolled back, another's waited for, but not for ever."""
        if self.state != IDLE and self.thread == get_ident():
            self._end()
        if self._lock.acquire(timeout=self.file.busy_seconds + 1):  # it may have been cut off
            self._drop()
            self._lock.release()

    def _drop(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            with suppress(sqlite3.Error):
                db.close()

    # -- forks: SQLite's locks must not be carried into a child, so no connection is

    def _before_fork(self) -> bool:
        """Whether the connection could be closed, and stays so until after the fork."""
        if self.state != IDLE and self.thread == get_ident():
            return False
        if not self._lock.acquire(timeout=self.file.busy_seconds + 1):
            return False
        self._drop()
        return True

    def _after_fork(self) -> None:
        self._lock.release()

    def _leave_to_parent(self) -> None:
        """In the child: what is still open is the parent's, and even closing it would break the parent's locks."""
        if self._db is not None:
            LEFT.append(self._db)
            self._db, self._lock, self.state = None, Lock(), IDLE


SESSIONS: Final[WeakSet[Session]] = WeakSet()
OPENING: Final = Lock()
"""Held while a session is added, and during a fork."""
LEFT: Final[list[sqlite3.Connection]] = []
"""The parent's connections in a child, kept for ever so that nothing closes them."""
_waiting: list[Session] = []


def session_of(file: File) -> Session:
    """A new session of this thread."""
    session = Session(file)
    with OPENING:
        SESSIONS.add(session)
    return session


def close_all(file: File) -> None:
    """Every thread's connection to the file is closed, and none is opened again."""
    file.is_closed = True
    with OPENING:
        sessions = [session for session in SESSIONS if session.file is file]
    for session in sessions:
        session.close()


def _before_fork() -> None:
    OPENING.acquire()
    _waiting[:] = [session for session in SESSIONS if session._before_fork()]


def _after_fork() -> None:
    for session in _waiting:
        session._after_fork()
    _waiting.clear()
    OPENING.release()


def _after_fork_in_child() -> None:
    _after_fork()
    for session in SESSIONS:
        session._leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child)
