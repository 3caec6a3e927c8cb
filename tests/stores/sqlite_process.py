"""Another process at a store's file, `python sqlite_process.py WHAT PATH [SEED]`; it prints what it did."""

from __future__ import annotations

import sys
from random import Random

from tenure import Scheduler
from tenure.stores import SQLiteStore
from tenure.stores import sqlite_statements as sql


def tell(text: str) -> None:
    """One line, out at once."""
    print(text, flush=True)


def hold(store: SQLiteStore, _: Random) -> None:
    """Be in the middle of a call until a line comes."""
    store.read_last_id()
    tell("held")
    sys.stdin.readline()
    store.put_task(1, 0, b"other")
    tell("done")


def half(store: SQLiteStore, _: Random) -> None:
    """Be in the middle of a write for ever: the lease is there, and nothing else is."""
    session = store._session().begin("begin immediate")
    session.run(sql.GRANT, ("w1", 9, 1, 5, 10, 3))
    session.run(sql.PUT_PAYLOAD, (77, bytes(5_000_000)))
    tell("half")
    sys.stdin.readline()


def work(store: SQLiteStore, chance: Random) -> None:
    """Live lives for ever, and tell of each call that was answered; a call is told of before it is made, too."""
    scheduler = Scheduler(store)
    while True:
        tell("try add")
        task_id = scheduler.add_task(chance.randrange(3), bytes(chance.choice((0, 10, 9000))))
        tell(f"added {task_id} {store.serial}")
        tell("try dispatch")
        lease = scheduler.dispatch("w1", now=scheduler.now, duration=10**9)
        if lease is None:
            continue
        tell(f"granted {lease.task_id} {lease.token} {store.serial}")
        if chance.random() < 0.5:
            tell(f"try complete {lease.task_id}")
            assert scheduler.complete(lease.task_id, lease.token, now=lease.start)
            tell(f"completed {lease.task_id} {lease.token} {store.serial}")


def main() -> None:
    """As the arguments say."""
    what, path, *seed = sys.argv[1:]
    store = SQLiteStore(path, synchronous="off", busy_seconds=30)
    {"hold": hold, "half": half, "work": work}[what](store, Random(*map(int, seed)))


if __name__ == "__main__":
    main()
