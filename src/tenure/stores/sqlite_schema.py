"""The tables of the SQLite store, the marks by which a file is known, and how a new file is made."""

from __future__ import annotations

import sqlite3
from typing import Final

from ..lifecycle import BORN, LEASED
from ..values import Status

APPLICATION_ID: Final = 0x54656E75
"""Stands in the header of each file of ours: "Tenu" in ASCII."""
VERSION: Final = 1
"""The schema's, in the header as `user_version`."""
OLDEST_SQLITE: Final = (3, 37, 0)
"""The first with STRICT tables."""

_STATUSES = ", ".join(f"'{status.value}'" for status in Status)

TABLES: Final = (
    """
    create table scheduler (
        one integer primary key check (one = 1),
        own_time integer not null check (own_time in (0, 1)),
        serial integer not null check (serial >= 0),
        now integer not null check (now >= 0),
        last_id integer not null check (last_id >= 0),
        last_token integer not null check (last_token >= 0),
        pending integer not null check (pending >= 0),
        running integer not null check (running >= 0),
        done integer not null check (done >= 0)
    ) strict""",
    """
    create table worker (
        rank integer primary key,
        name text not null unique check (length(name) between 1 and 255),
        capacity integer not null check (capacity >= 0),
        held integer not null check (held >= 0)
    ) strict""",
    f"""
    create table task (
        id integer primary key check (id > 0),
        priority integer not null,
        status text not null check (status in ({_STATUSES})),
        attempts integer not null check (attempts >= (status <> '{BORN.value}')),
        worker text,
        token integer check (token > 0),
        start integer check (start >= 0),
        expiry integer check (expiry > start),
        check ((status = '{LEASED.value}') = (worker is not null)),
        check ((status = '{LEASED.value}') = (token is not null)),
        check ((status = '{LEASED.value}') = (start is not null)),
        check ((status = '{LEASED.value}') = (expiry is not null))
    ) strict""",
    """
    create table payload (
        task_id integer primary key,
        payload blob not null
    ) strict""",
    f"create index queue on task (priority desc) where status = '{BORN.value}'",
    f"create index ends on task (expiry, token) where status = '{LEASED.value}'",
)
"""A payload stands apart, so that a change of its task doesn't write it again."""


class Unfit(Exception):
    """The file can't be used, and its only argument says why."""


def is_ours(db: sqlite3.Connection) -> bool:
    """Whether the file was made by this store; False for one that holds nothing yet.

    Raises Unfit for a file of a newer or unknown schema and for somebody else's.
    """
    (application,) = db.execute("pragma application_id").fetchone()
    (version,) = db.execute("pragma user_version").fetchone()
    if application == APPLICATION_ID:
        if version != VERSION:
            age = "a newer Tenure: use that, or another file" if version > VERSION else "no Tenure: use another file"
            raise Unfit(f"its schema has version {version}, this Tenure knows {VERSION}; it was made by {age}")
        return True
    if application or version or db.execute("select 1 from sqlite_schema limit 1").fetchone():
        raise Unfit("it is a SQLite database, but not Tenure's: use another file")
    return False


def make(db: sqlite3.Connection, own_time: bool, now: int, last_id: int, last_token: int) -> None:
    """The tables, the scheduler's row and the marks, all within the transaction that is open."""
    for statement in TABLES:
        db.execute(statement)
    db.execute("insert into scheduler values (1, ?, 0, ?, ?, ?, 0, 0, 0)", (int(own_time), now, last_id, last_token))
    db.execute(f"pragma application_id = {APPLICATION_ID}")
    db.execute(f"pragma user_version = {VERSION}")
