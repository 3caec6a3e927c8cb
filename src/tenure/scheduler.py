"""The one shell around the rules: it reads a call's situation, lets `rules` decide, and writes the outcome.

Nothing is decided here and nothing is written before the decision, so a rejected call changes nothing
by construction. (R1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self, final

from . import rules
from .lifecycle import COMPLETED, RELEASED
from .store import Store
from .stores import MemoryStore, store_at
from .values import Counts, Lease, Status, Task, Worker


@final
class Scheduler:
    """Leases tasks to workers for a bounded time, as CONTRACT.md says (beside this package, and in spec/).

    All numbers are ints of 64 bits. Times and durations are in whatever unit the caller chooses, and
    only the caller says what time it is. Each call first checks its arguments and raises TypeError or
    ValueError for a bad one; a call that raises has changed nothing. (R1) A valid call whose request
    can't be met is refused: it returns None or False. (R2)

    Without a store everything is kept in memory. Costs are those of the memory store, with n tasks and k leases that
    expire in the call, amortised. Not thread-safe unless its store is,
    and no signal handler or finalizer may call it during a call (CallInProgress).

    >>> scheduler = Scheduler()
    >>> scheduler.add_worker("w1", capacity=1)
    >>> scheduler.add_task(priority=5)
    1
    >>> lease = scheduler.dispatch("w1", now=5, duration=5)
    >>> lease.token, lease.start, lease.expiry
    (1, 5, 10)
    >>> scheduler.complete(1, lease.token, now=10)
    False
    """

    __slots__ = ("_store",)

    def __init__(self, store: Store | None = None) -> None:
        if store is None:
            store = MemoryStore()
        elif not hasattr(store, "read_worker"):
            raise TypeError(
                f"store must be a store, not {rules.name_of(type(store))}; tenure.stores has them, and "
                "Scheduler.open('sqlite:///jobs.db') opens one by its URL"
            )
        if store.own_time:
            raise ValueError("the store was made for its own time, and here callers tell it; use another store")
        self._store: Final[Store] = store

    @classmethod
    def open(cls, url: str) -> Self:
        """The scheduler whose store the URL names, such as `sqlite:///jobs.db`, `sqlite:////absolute.db` or `memory:`.

        A file is made if there is none. Raises ValueError for another URL, StoreError for a file that can't be used.

        >>> with Scheduler.open("memory:") as scheduler:
        ...     scheduler.add_task()
        1
        """
        store = store_at(url)
        try:
            return cls(store)
        except BaseException:
            store.close()
            raise

    def close(self) -> None:
        """What the store holds, such as a file, is given back; a store in memory just goes on."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- workers and tasks

    def add_worker(self, worker: str, capacity: int) -> None:
        """A new name is known from now on, with room for `capacity` simultaneous leases. (O1)

        `worker` is a str of 1 to 255 characters (V3), `capacity` at least 1 (V2).
        Raises WorkerExists for a known name. O(1).
        """
        worker, capacity = rules.new_worker_arguments(worker, capacity)
        store = self._store
        try:
            rules.check_new(worker, store.read_load(worker))
        except BaseException:
            store.abandon()
            raise
        store.put_worker(worker, capacity)

    def set_capacity(self, worker: str, capacity: int) -> None:
        """A known worker has another capacity; live leases stay, and 0 drains it. (O2)

        Raises UnknownWorker. O(1).
        """
        worker, capacity = rules.set_capacity_arguments(worker, capacity)
        store = self._store
        try:
            rules.check_known(worker, store.read_load(worker))
        except BaseException:
            store.abandon()
            raise
        store.put_worker(worker, capacity)

    def forget_worker(self, worker: str) -> bool:
        """A worker that holds no lease is known no more, and its name is free. (O11)

        False for one that holds a lease, or an unknown one. O(1).
        """
        worker = rules.worker_argument("worker", worker)
        store = self._store
        try:
            dismissible = rules.dismissible(store.read_load(worker))
        except BaseException:
            store.abandon()
            raise
        if not dismissible:
            store.abandon()
            return False
        store.drop_worker(worker)
        return True

    def add_task(self, priority: int = 0, payload: bytes | None = None) -> int:
        """A new pending task has the next id, which is returned. (O3, I1)

        A larger `priority` is more urgent; `payload` is given back with each lease (V4).
        Raises OverflowError when ids are used up (I4). O(1), and O(log p) for the first of p priorities.
        """
        priority, payload = rules.task_arguments(priority, payload)
        store = self._store
        try:
            task_id = rules.next_number(store.read_last_id(), "task id")
        except BaseException:
            store.abandon()
            raise
        store.put_task(task_id, priority, payload)
        return task_id

    def forget(self, task_id: int) -> bool:
        """A pending or done task is gone, and its id is never used again. (O10)

        False for a running task or an unknown id. O(1).
        """
        task_id = rules.task_id_argument(task_id)
        store = self._store
        try:
            forgettable = rules.forgettable(store.read_status(task_id))
        except BaseException:
            store.abandon()
            raise
        if not forgettable:
            store.abandon()
            return False
        store.drop_task(task_id)
        return True

    # -- timed calls: each sets the time to `now` and expires what is over, then answers (T3)

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """The most urgent pending task, the oldest of equals, is leased on [now, now + duration). (O4, T4)

        None if the worker is unknown or full, or nothing is pending.
        Raises ClockWentBackwards (T1), and OverflowError when tokens are used up (I4). O(log n + k log k).
        """
        worker, now, expiry = rules.dispatch_arguments(worker, now, duration)
        store = self._store
        try:
            scheduler_now, last_token, ending, load, first, content = store.read_worker(rules.last_over(now), worker)
            lease = rules.granted(scheduler_now, last_token, ending, load, first, content, worker, now, expiry)
        except BaseException:
            store.abandon()
            raise
        if lease is None:
            store.write_time(now, ending)
        else:
            store.write_grant(now, ending, lease)
        return lease

    def complete(self, task_id: int, token: int, *, now: int) -> bool:
        """The task is done if its lease is live and the token is that lease's. (O5)

        False otherwise, whatever the reason; who calls is not asked.
        Raises ClockWentBackwards (T1). O(log n + k log k).
        """
        return self._end(COMPLETED, task_id, token, now)

    def release(self, task_id: int, token: int, *, now: int) -> bool:
        """The task is pending again, at once, if its lease is live and the token is that lease's. (O7)

        False otherwise. Raises ClockWentBackwards (T1). O(log n + k log k).
        """
        return self._end(RELEASED, task_id, token, now)

    def _end(self, status: Status, task_id: int, token: int, now: int) -> bool:
        task_id, token, now = rules.lease_arguments(task_id, token, now)
        ending, lease = self._read_current(task_id, token, now)
        if lease is None:
            self._store.write_time(now, ending)
            return False
        self._store.write_end(now, ending, lease, status)
        return True

    def renew(self, task_id: int, token: int, *, now: int, duration: int) -> Lease | None:
        """The lease ends at now + duration instead, later or earlier, if live and the token is its own. (O6, I3)

        None otherwise: what is over can't be renewed. Start, token and attempt stay.
        Raises ClockWentBackwards (T1). O(log n + k log k).
        """
        task_id, token, now, expiry = rules.renew_arguments(task_id, token, now, duration)
        ending, lease = self._read_current(task_id, token, now)
        if lease is None:
            self._store.write_time(now, ending)
            return None
        lease = rules.renewed(lease, expiry)
        self._store.write_renewal(now, ending, lease)
        return lease

    def _read_current(self, task_id: int, token: int, now: int) -> tuple[Sequence[Lease], Lease | None]:
        """What ends by now, and the lease that the token proves, if it does. (O5)"""
        store, bound = self._store, rules.last_over(now)
        try:
            scheduler_now, ending, lease = store.read_lease(bound, task_id)
            return ending, rules.current(scheduler_now, lease, token, now, bound)
        except BaseException:
            store.abandon()
            raise

    def advance(self, *, now: int) -> tuple[Lease, ...]:
        """The time is now, and the leases that this expired are told, by (expiry, token). (O8)

        Raises ClockWentBackwards (T1). O(k log k).
        """
        now = rules.now_argument(now)
        store = self._store
        try:
            scheduler_now, ending = store.read_ending(rules.last_over(now))
            rules.check_time(scheduler_now, now)
        except BaseException:
            store.abandon()
            raise
        store.write_time(now, ending)
        return tuple(ending)

    # -- queries: they take no time, change nothing, and answer as of the scheduler's time (T2, O9)

    @property
    def now(self) -> int:
        """The scheduler's time: the `now` of the last valid timed call, at first 0. (T1, O9)"""
        return self._store.now()

    def task(self, task_id: int) -> Task | None:
        """The task, or None for an unknown id. (O9) O(1)."""
        return self._store.task(rules.task_id_argument(task_id))

    def tasks(self, status: Status | None = None) -> tuple[Task, ...]:
        """All tasks, or those with the status, in order of their ids. (O9) O(n)."""
        return self._store.tasks(rules.status_argument(status))

    def worker(self, name: str) -> Worker | None:
        """The worker, or None for an unknown name. (O9) O(1)."""
        return self._store.worker(rules.worker_argument("name", name))

    def workers(self) -> tuple[Worker, ...]:
        """All workers, in order of their creation. (O9) O(workers)."""
        return self._store.workers()

    def leases(self) -> tuple[Lease, ...]:
        """All live leases, by (expiry, token). (O9) O(l log l) for l leases."""
        return self._store.leases()

    def counts(self) -> Counts:
        """How many tasks are pending, running and done. (O9) O(1)."""
        return self._store.counts()

    def next_expiry(self) -> int | None:
        """The smallest expiry of a live lease, or None if none is live. (O9) O(1)."""
        return self._store.next_expiry()
