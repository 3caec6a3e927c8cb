"""A store's file: opening and making it, and what each failure of SQLite's means for whoever called."""

from __future__ import annotations

import os
import sqlite3
from threading import Event
from typing import Final, NoReturn

from ..errors import StoreBusy, StoreError
from . import sqlite_schema as schema

FAILURES: Final = (sqlite3.Error, OverflowError, UnicodeDecodeError)
"""What may come of a statement: the second for a value that is too large, the third for damaged text."""
SYNCHRONOUS: Final = ("off", "normal", "full", "extra")
PAUSE_SECONDS: Final = 0.01
CORRUPT: Final = "it is damaged ({0}): restore it from a backup; nothing else may be relied on"
REASONS: Final = {
    sqlite3.SQLITE_FULL: "its disk is full, or the file may grow no further; make room and call again",
    sqlite3.SQLITE_READONLY: "it can't be written: the file, its folder or the file system is read-only ({0})",
    sqlite3.SQLITE_PERM: "it may not be used: the file's or the folder's permissions forbid it ({0})",
    sqlite3.SQLITE_NOTADB: "it is no SQLite database, or its beginning is damaged; use another file or a backup",
    sqlite3.SQLITE_CORRUPT: CORRUPT,
    sqlite3.SQLITE_IOERR: "the system failed to read or write it ({0}); see to the disk, then call again",
    sqlite3.SQLITE_TOOBIG: "the payload is larger than SQLite keeps in one value; put it elsewhere and its name here",
    sqlite3.SQLITE_CONSTRAINT: "what is in it contradicts itself ({0}): it was changed from outside or is damaged",
    sqlite3.SQLITE_NOMEM: "there is not enough memory; call again when there is",
}
"""By the primary code of what SQLite reported, which is filled in."""


class File:
    """Where a store keeps everything, and how it is to be opened."""

    __slots__ = ("begin_at", "busy_seconds", "create", "is_closed", "own_time", "path", "synchronous")

    def __init__(
        self,
        path: str,
        synchronous: str,
        busy_seconds: float,
        own_time: bool,
        create: bool,
        begin_at: tuple[int, int, int],
    ) -> None:
        self.path = path
        self.synchronous = synchronous
        self.busy_seconds = busy_seconds
        self.own_time = own_time
        self.create = create
        self.begin_at = begin_at
        self.is_closed = False

    def connected(self) -> sqlite3.Connection:
        """A new connection to the file, which is made if there is none. Raises StoreError."""
        self._check_place()
        try:
            db = sqlite3.connect(
                self.path, timeout=self.busy_seconds, isolation_level=None, check_same_thread=False
            )  # one thread uses it, but another may close it
        except sqlite3.Error as error:
            self.fail(error)
        try:
            self._prepare(db)
        except BaseException as error:
            db.close()
            if isinstance(error, FAILURES):
                self.fail(error)
            if isinstance(error, schema.Unfit):
                raise StoreError(self.path, str(error)) from None
            raise
        self.create, self.begin_at = False, (0, 0, 0)  # from now on it is there
        return db

    def fail(self, error: sqlite3.Error | OverflowError | UnicodeDecodeError) -> NoReturn:
        """What SQLite reported is raised as a StoreError that says what it means for the caller."""
        code: int | None = getattr(error, "sqlite_errorcode", None)
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        primary = None if code is None else code & 0xFF
        if isinstance(error, OverflowError) or (code is None and isinstance(error, sqlite3.DataError)):
            primary = sqlite3.SQLITE_TOOBIG
        if isinstance(error, UnicodeDecodeError):
            primary = sqlite3.SQLITE_CORRUPT
        if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreBusy(self.path, self.busy_seconds) from error
        if primary == sqlite3.SQLITE_CANTOPEN:
            self._check_place()
        told = REASONS.get(primary or 0, "SQLite can't use it: {0}")
        raise StoreError(self.path, told.format(f"{error}, {name}")) from error

    def damaged(self, what: str) -> NoReturn:
        """What was found and can't be is raised as a StoreError."""
        raise StoreError(self.path, CORRUPT.format(what))

    def _check_place(self) -> None:
        """What can be said of the path without SQLite, which says only that it can't open it."""
        folder = os.path.dirname(self.path)
        if self.is_closed:
            reason = "it was closed; make a new store"
        elif sqlite3.sqlite_version_info < schema.OLDEST_SQLITE:
            reason = f"it needs SQLite 3.37 or newer, and this Python has {sqlite3.sqlite_version}"
        elif os.path.isdir(self.path):
            reason = "it is a folder; name a file in it"
        elif os.path.exists(folder) and not os.path.isdir(folder):
            reason = f"{folder} is no folder; use another path"
        elif not os.path.isdir(folder):
            reason = f"there is no folder {folder}; make it first"
        elif not self.create and not os.path.exists(self.path):
            reason = "there is no such file"
        else:
            return
        raise StoreError(self.path, reason)

    def _prepare(self, db: sqlite3.Connection) -> None:
        db.execute(f"pragma synchronous = {self.synchronous}")
        made = not schema.is_ours(db) and self._made(db)
        (own_time,) = db.execute("select own_time from scheduler").fetchone()
        if bool(own_time) is not self.own_time:
            times = ("callers' time", "its own time")
            raise StoreError(
                self.path,
                f"it was made for {times[own_time]}, which doesn't mix with {times[not own_time]}; "
                f"open it with own_time={bool(own_time)}, or use another file",
            )
        if not made and any(self.begin_at):
            raise StoreError(self.path, "it was begun before: now, last_id and last_token are for a new file alone")
        self._journal(db)

    def _made(self, db: sqlite3.Connection) -> bool:
        """Make the tables, unless another process is faster."""
        self._journal(db)
        db.execute("begin immediate")
        made = not schema.is_ours(db)
        if made:
            schema.make(db, self.own_time, *self.begin_at)
        db.execute("commit")
        return made

    def _journal(self, db: sqlite3.Connection) -> None:
        """The journal is a write-ahead log; SQLite itself doesn't wait for the lock that the change to it needs."""
        for _ in range(1 + int(self.busy_seconds / PAUSE_SECONDS)):
            try:
                (mode,) = db.execute("pragma journal_mode = wal").fetchone()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                Event().wait(PAUSE_SECONDS)
            else:
                if mode != "wal":
                    raise StoreError(self.path, f"no write-ahead log is possible there, only {mode}: use a local disk")
                return
        raise StoreBusy(self.path, self.busy_seconds)
