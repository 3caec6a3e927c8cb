"""A scheduler's state in plain Python: tasks in pages, pending ones in order, live leases, workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from ..errors import CallInProgress
from ..lifecycle import BORN, FINAL, LEASED
from ..rules import Content, Load, start_arguments
from ..values import Counts, Internal, Lease, Status, Task, Worker
from .leases import Leases
from .pending import Pending
from .tasks import FINISHED, FORGOTTEN, FRESH, Tasks


class MemoryStore:
    """Keeps everything in this process, and nothing beyond it.

    It starts as new, or with `now`, `last_id` and `last_token` where an earlier scheduler left off, so that no
    id or token is used again (I1, I2); each is a number from 0. It is made for the time that callers tell, or with
    `own_time` for its own. Not thread-safe.
    """

    __slots__ = ("_last_token", "_leases", "_now", "_open", "_own_time", "_pending", "_tasks", "_workers")

    def __init__(self, *, now: int = 0, last_id: int = 0, last_token: int = 0, own_time: bool = False) -> None:
        self._own_time = own_time
        self._now, last_id, self._last_token = start_arguments(now, last_id, last_token)
        self._tasks = Tasks(last_id)
        self._pending = Pending()
        self._leases = Leases()
        self._workers: dict[str, Load] = {}
        """By name, in order of creation."""
        self._open = 0
        """1 from a call's read to the end of its write, and 2 while another call is turned away in between."""

    def __reduce__(self) -> NoReturn:
        raise TypeError("a memory store is not copied or pickled: both would grant the same tokens (I2)")

    @property
    def own_time(self) -> bool:
        return self._own_time

    def close(self) -> None:
        """Nothing is held outside this process, so nothing changes."""

    def _turn_away(self) -> NoReturn:
        self._open = 2
        raise CallInProgress

    # -- timed calls

    def read_worker(
        self, bound: int, worker: str
    ) -> tuple[int, int, Sequence[Lease], Load | None, int | None, Content]:
        if self._open:
            self._turn_away()
        self._open = 1
        load = self._workers.get(worker)
        task_id = self._pending.first()
        if ending := self._leases.ending(bound):
            return self._now, self._last_token, ending, load, *self._first_with(ending, task_id)
        content = FRESH if task_id is None else self._tasks.past(task_id)
        return self._now, self._last_token, (), load, task_id, content

    def _first_with(self, ending: Sequence[Lease], task_id: int | None) -> tuple[int, Content]:
        """The first of the pending task and those whose lease ends. O(ending)."""
        priority = self._tasks.priority
        lease = min(ending, key=lambda lease: (-priority(lease.task_id), lease.task_id))
        if task_id is not None and (-priority(task_id), task_id) < (-priority(lease.task_id), lease.task_id):
            return task_id, self._tasks.past(task_id)
        return lease.task_id, (lease.attempt, lease.payload)

    def read_lease(self, bound: int, task_id: int) -> tuple[int, Sequence[Lease], Lease | None]:
        if self._open:
            self._turn_away()
        self._open = 1
        return self._now, self._leases.ending(bound), self._leases.by_task.get(task_id)

    def read_ending(self, bound: int) -> tuple[int, Sequence[Lease]]:
        if self._open:
            self._turn_away()
        self._open = 1
        return self._now, self._leases.ending(bound)

    def write_time(self, now: int, ending: Sequence[Lease]) -> None:
        self._now = now
        if ending:
            self._expire(ending)
        self._open = 0

    def write_grant(self, now: int, ending: Sequence[Lease], lease: Lease) -> None:
        self._now = now
        if ending:
            self._expire(ending)
        self._last_token = lease.token
        self._pending.take(lease.task_id)
        self._leases.add(lease)
        worker = lease.worker
        capacity, held = self._workers[worker]
        self._workers[worker] = capacity, held + 1
        self._open = 0

    def write_renewal(self, now: int, ending: Sequence[Lease], lease: Lease) -> None:
        self._now = now
        if ending:
            self._expire(ending)
        self._leases.replace(lease)
        self._open = 0

    def write_end(self, now: int, ending: Sequence[Lease], lease: Lease, status: Status) -> None:
        self._now = now
        if ending:
            self._expire(ending)
        task_id = lease.task_id
        self._leases.remove(task_id)
        self._free_slot(lease.worker)
        if status is FINAL:
            self._tasks.finish(task_id)
        else:
            self._tasks.count_ended(task_id)
            self._pending.add_again(self._tasks.priority(task_id), [task_id])
        self._open = 0

    def _expire(self, ending: Sequence[Lease]) -> None:
        self._leases.remove_ending(ending)
        returning: dict[int, list[int]] = {}
        for lease in ending:
            self._free_slot(lease.worker)
            self._tasks.count_ended(lease.task_id)
            returning.setdefault(self._tasks.priority(lease.task_id), []).append(lease.task_id)
        for priority, task_ids in returning.items():
            self._pending.add_again(priority, task_ids)

    def _free_slot(self, worker: str) -> None:
        capacity, held = self._workers[worker]
        self._workers[worker] = capacity, held - 1

    # -- untimed calls

    def read_last_id(self) -> int:
        if self._open:
            self._turn_away()
        self._open = 1
        return self._tasks.last_id

    def read_load(self, worker: str) -> Load | None:
        if self._open:
            self._turn_away()
        self._open = 1
        return self._workers.get(worker)

    def read_status(self, task_id: int) -> Status | None:
        if self._open:
            self._turn_away()
        self._open = 1
        return self._status(task_id)

    def put_task(self, task_id: int, priority: int, payload: bytes | None) -> None:
        self._tasks.add(task_id, priority, payload)
        self._pending.add(priority, task_id)
        self._open = 0

    def put_worker(self, worker: str, capacity: int) -> None:
        load = self._workers.get(worker)
        self._workers[worker] = capacity, 0 if load is None else load[1]
        self._open = 0

    def drop_task(self, task_id: int) -> None:
        if self._tasks.mark(task_id) != FINISHED:
            self._pending.forget(task_id)
        self._tasks.drop(task_id)
        self._open = 0

    def drop_worker(self, worker: str) -> None:
        del self._workers[worker]
        self._open = 0

    def abandon(self) -> None:
        self._open = 1 if self._open == 2 else 0

    # -- queries

    def now(self) -> int:
        return self._now

    def task(self, task_id: int) -> Task | None:
        status = self._status(task_id)
        if status is None:
            return None
        ended, payload = self._tasks.past(task_id)
        attempts = ended if status is BORN else ended + 1
        return Task(
            task_id, self._tasks.priority(task_id), payload, status, attempts, self._leases.by_task.get(task_id)
        )

    def tasks(self, status: Status | None) -> tuple[Task, ...]:
        every = (self.task(task_id) for task_id in self._tasks)
        return tuple(task for task in every if task and (status is None or task.status is status))

    def worker(self, worker: str) -> Worker | None:
        load = self._workers.get(worker)
        return load and Worker(worker, *load)

    def workers(self) -> tuple[Worker, ...]:
        return tuple(Worker(name, *load) for name, load in self._workers.items())

    def leases(self) -> tuple[Lease, ...]:
        return self._leases.in_order()

    def counts(self) -> Counts:
        running, done = len(self._leases.by_task), self._tasks.finished
        return Counts(self._tasks.kept - running - done, running, done)

    def next_expiry(self) -> int | None:
        return self._leases.next_expiry()

    def _status(self, task_id: int) -> Status | None:
        mark = self._tasks.mark(task_id)
        if mark == FORGOTTEN:
            return None
        if mark == FINISHED:
            return FINAL
        return LEASED if task_id in self._leases.by_task else BORN

    # -- proof

    def canonical(self) -> Internal:
        """All that is kept, each part read where it is kept. O(n log n)."""
        return Internal(
            self._now,
            self._tasks.last_id,
            self._last_token,
            self.tasks(None),
            self.workers(),
            tuple(self._pending.in_order()),
            tuple(self._leases.ends_in_order()),
        )

    def check(self) -> None:
        """Each structure is what the plain data make it; raises AssertionError otherwise. O(n log n)."""
        self._tasks.check()
        self._leases.check()
        leases = self._leases.by_task
        pending = {}
        for task_id in self._tasks:
            if self._tasks.mark(task_id) == FINISHED:
                assert task_id not in leases
            elif task_id not in leases:
                pending[task_id] = self._tasks.priority(task_id)
        self._pending.check(pending)
        held = dict.fromkeys(self._workers, 0)
        for task_id, lease in leases.items():
            assert lease.task_id == task_id and self._tasks.mark(task_id) != FORGOTTEN
            assert (lease.attempt - 1, lease.payload) == self._tasks.past(task_id)
            assert lease.expiry > self._now and lease.token <= self._last_token
            held[lease.worker] += 1
        assert held == {name: load[1] for name, load in self._workers.items()}
