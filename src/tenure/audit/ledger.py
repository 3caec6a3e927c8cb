"""What a minimal log has told so far of tasks, leases and workers: kept and ordered here, judged elsewhere.

It grows with the tasks that are pending or running, and by the keys of those that are done or forgotten.
"""

from __future__ import annotations

from ..rules import Load
from ..stores.leases import Leases
from ..stores.pending import Pending
from ..values import Lease
from .seen import Key, Seen

Holder = str | None
"""A worker's name, or None for whoever holds the leases of which no line says who does."""


class Record:
    """A task that is pending or running."""

    __slots__ = ("attempts", "ended", "key", "last", "last_token", "lease", "number", "priority", "swept", "token")

    def __init__(self, key: Key, number: int, priority: int | None) -> None:
        self.key = key
        self.number = number
        """Its place in the order of creation. (I1)"""
        self.priority = priority
        """None if no line tells it."""
        self.attempts = 0
        self.lease: Lease | None = None
        """The current one, under the task's number and a number of its own for a token."""
        self.token: Key | None = None
        """The current lease's, as the log gives it."""
        self.last: Lease | None = None
        self.last_token: Key | None = None
        """The lease before, and its token as the log gives it."""
        self.ended = ""
        """How that lease ended: expired or released."""
        self.swept = 0
        """The line at which it was inferred that it had expired; 0 once a line tells so."""


class Ledger:
    """The state that a minimal log leads to, as far as it tells."""

    def __init__(self) -> None:
        self.now = 0
        self.records: dict[Key, Record] = {}
        self.tokens: dict[Key, int] = {}
        """The number of the live lease with this token."""
        self.done = Seen()
        self.forgotten = Seen()
        self.pending = Pending()
        """The numbers of the pending tasks whose priority is known. (O4)"""
        self.last_number = 0
        self.last_grant = 0
        self.capacities: dict[str, int] = {}
        """Of the workers that a line has declared."""
        self.held: dict[Holder, int] = {}
        self.open: dict[Holder, dict[int, Record]] = {}
        """The running tasks whose lease has an expiry that no line tells, by worker."""
        self._numbered: dict[int, Record] = {}
        self._leases = Leases()
        """Those whose expiry is known, by number."""

    def numbered(self, number: int) -> Record:
        """The pending or running task with this number."""
        return self._numbered[number]

    def load(self, worker: Holder, most: int) -> Load:
        """The worker's (capacity, held), with `most` for a capacity that no line tells. (P2)"""
        capacity = most if worker is None else self.capacities.get(worker, most)
        return capacity, self.held.get(worker, 0)

    def over(self, bound: int) -> list[Record]:
        """The running tasks with a known expiry <= bound, by (expiry, order of grants)."""
        return [self._numbered[lease.task_id] for lease in self._leases.ending(bound)]

    def is_open(self, record: Record) -> bool:
        """Whether the task runs under a lease whose expiry no line tells."""
        return record.lease is not None and record.number not in self._leases.by_task

    def add(self, key: Key, priority: int | None) -> Record:
        """A task that was not known is pending. O(1)."""
        self.last_number += 1
        record = self.records[key] = self._numbered[self.last_number] = Record(key, self.last_number, priority)
        if priority is not None:
            self.pending.add(priority, record.number)
        return record

    def grant(self, record: Record, lease: Lease, token: Key, known: bool) -> None:
        """The pending task, the first in order if its priority is known, runs under the lease. O(log l)."""
        if record.priority is not None:
            self.pending.take(record.number)
        self.last_grant = lease.token
        self.tokens[token] = lease.token
        record.token = token
        record.attempts = lease.attempt
        holder = lease.worker or None
        self.held[holder] = self.held.get(holder, 0) + 1
        self._keep(record, lease, known)

    def renew(self, record: Record, lease: Lease, known: bool) -> None:
        """The running task's lease has another expiry. O(log l) amortised."""
        self._lose(record)
        self._keep(record, lease, known)

    def end(self, record: Record, how: str) -> None:
        """The running task is pending again. O(log n)."""
        record.last, record.last_token, record.ended = record.lease, record.token, how
        self._free(record)
        if record.priority is not None:
            self.pending.add_again(record.priority, [record.number])

    def finish(self, record: Record) -> None:
        """The running task is done. O(1) amortised."""
        self._free(record)
        self._drop(record)
        self.done.add(record.key)

    def forget(self, record: Record) -> None:
        """The pending task is forgotten. O(1) amortised."""
        if record.priority is not None:
            self.pending.forget(record.number)
        self._drop(record)
        self.forgotten.add(record.key)

    def _keep(self, record: Record, lease: Lease, known: bool) -> None:
        record.lease = lease
        if known:
            self._leases.replace(lease)
        else:
            self.open.setdefault(lease.worker or None, {})[record.number] = record

    def _lose(self, record: Record) -> None:
        """The lease is kept no longer, wherever it is kept."""
        assert record.lease is not None
        if self.is_open(record):
            holder = record.lease.worker or None
            del self.open[holder][record.number]
            if not self.open[holder]:
                del self.open[holder]
        else:
            self._leases.remove(record.number)
        record.lease = None

    def _free(self, record: Record) -> None:
        assert record.lease is not None and record.token is not None
        holder = record.lease.worker or None
        self._lose(record)
        del self.tokens[record.token]
        record.token = None
        self.held[holder] -= 1
        if not self.held[holder]:
            del self.held[holder]

    def _drop(self, record: Record) -> None:
        del self.records[record.key], self._numbered[record.number]

    def check(self) -> None:
        """Each structure is what the records make it; raises AssertionError otherwise. O(n log n)."""
        self._leases.check()
        running = [record for record in self.records.values() if record.lease is not None]
        assert sorted(self._numbered) == sorted(record.number for record in self.records.values())
        assert {r.token: r.lease.token for r in running if r.lease is not None} == self.tokens
        held: dict[Holder, int] = {}
        for record in running:
            assert record.lease is not None
            holder = record.lease.worker or None
            held[holder] = held.get(holder, 0) + 1
            assert (record.number in self.open.get(holder, {})) == self.is_open(record)
        assert held == self.held
        assert sum(map(len, self.open.values())) + len(self._leases.by_task) == len(running)
        waiting = [r for r in self.records.values() if r.lease is None and r.priority is not None]
        self.pending.check({r.number: r.priority for r in waiting if r.priority is not None})
        assert not any(key in self.done or key in self.forgotten for key in self.records)
