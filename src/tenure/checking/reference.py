"""The contract in its textbook form: slow, obviously right, and sharing no rule with `tenure.rules`.

Each task has its own lifecycle machine, whose guards say when an event may happen. What has expired, what
a worker holds and which task is first are each a scan over all tasks. Every faster representation must
agree with it, call by call.
"""

from __future__ import annotations

from typing import Any

from statemachine.exceptions import TransitionNotAllowed

from ..errors import ClockWentBackwards, UnknownWorker, WorkerExists
from ..lifecycle import TaskLifecycle
from ..values import Counts, Internal, Lease, Status, Task, Worker


class TaskRules:
    """What a task's events need and do; a machine that knows when they may happen is added to it.

    The names are those that python-statemachine looks for: guards as the lifecycle declares them, and
    `on_` before an event for what it does.
    """

    def __init__(self, task_id: int, priority: int, payload: bytes | None) -> None:
        self.task_id = task_id
        self.priority = priority
        self.payload = payload
        self.attempts = 0
        self.lease: Lease | None = None
        super().__init__()

    # guards

    def worker_has_room(self, held: int = 0, capacity: int = 1) -> bool:
        """A worker takes no more leases than its capacity. (O4)"""
        return held < capacity

    def token_is_current(self, token: int = 0) -> bool:
        """The token is that of the lease; what is over is gone before anybody asks. (T3, O5)"""
        return self.lease is not None and self.lease.token == token

    def lease_is_over(self, now: int = 0) -> bool:
        """The lease was live on [start, expiry). (T4)"""
        return self.lease is not None and not now < self.lease.expiry

    # actions

    def on_dispatch(self, lease: Lease) -> None:
        """One more lease was granted. (L4)"""
        self.attempts += 1
        self.lease = lease

    def on_renew(self, expiry: int) -> None:
        """Only the expiry changes. (I3, O6)"""
        assert self.lease is not None
        self.lease = self.lease._replace(expiry=expiry)

    def on_release(self) -> None:
        """A pending task holds no lease. (L3)"""
        self.lease = None

    def on_complete(self) -> None:
        """A done task holds no lease. (L3)"""
        self.lease = None

    def on_expire(self) -> None:
        """A pending task holds no lease. (L3)"""
        self.lease = None

    # what others see

    @property
    def status(self) -> Status:
        """The state that the machine is in. (L1)"""
        raise NotImplementedError

    def take(self, event: str, **facts: Any) -> bool:
        """Whether the event happened, given the facts; if not, nothing has changed."""
        raise NotImplementedError

    def seen(self) -> Task:
        """A detached picture. (V5)"""
        return Task(self.task_id, self.priority, self.payload, self.status, self.attempts, self.lease)


class TaskMachine(TaskRules, TaskLifecycle):
    """A task that is its own lifecycle machine: about 200 us to make and 100 us an event."""

    @property
    def status(self) -> Status:
        """The state that the machine is in. (L1)"""
        (state,) = self.configuration
        return Status(state.id)

    def take(self, event: str, **facts: Any) -> bool:
        """Whether the machine takes the event: it is in a state for it, and the guard holds."""
        try:
            self.send(event, **facts)
        except TransitionNotAllowed:
            return False
        return True


class Reference:
    """The whole contract, one scan after another.

    It starts as new, or with `now`, `last_id` and `last_token` where an earlier scheduler left off. Every call
    is O(tasks).
    """

    new_task: type[TaskRules] = TaskMachine

    def __init__(self, *, now: int = 0, last_id: int = 0, last_token: int = 0) -> None:
        self._now = now
        self._last_id = last_id
        self._last_token = last_token
        self._tasks: dict[int, TaskRules] = {}
        self._capacities: dict[str, int] = {}

    # -- workers and tasks

    def add_worker(self, worker: str, capacity: int) -> None:
        """O1."""
        worker, capacity = chars(worker), whole(capacity)
        require_name(worker)
        require_word(capacity, 1)
        if worker in self._capacities:
            raise WorkerExists(worker)
        self._capacities[worker] = capacity

    def set_capacity(self, worker: str, capacity: int) -> None:
        """O2."""
        worker, capacity = chars(worker), whole(capacity)
        require_name(worker)
        require_word(capacity, 0)
        if worker not in self._capacities:
            raise UnknownWorker(worker)
        self._capacities[worker] = capacity

    def forget_worker(self, worker: str) -> bool:
        """O11."""
        worker = chars(worker)
        require_name(worker)
        if worker not in self._capacities or self._held(worker) > 0:
            return False
        del self._capacities[worker]
        return True

    def add_task(self, priority: int = 0, payload: bytes | None = None) -> int:
        """O3."""
        priority, payload = whole(priority), octets(payload)
        require_word(priority)
        if self._last_id == 2**63 - 1:
            raise OverflowError("ids are used up")
        self._last_id += 1
        self._tasks[self._last_id] = self.new_task(self._last_id, priority, payload)
        return self._last_id

    def forget(self, task_id: int) -> bool:
        """O10."""
        task_id = whole(task_id)
        require_word(task_id)
        if task_id not in self._tasks or self._tasks[task_id].status is Status.RUNNING:
            return False
        del self._tasks[task_id]
        return True

    # -- timed calls

    def dispatch(self, worker: str, *, now: int, duration: int) -> Lease | None:
        """O4."""
        worker, now, duration = chars(worker), whole(now), whole(duration)
        require_name(worker)
        require_period(now, duration)
        self._reach(now, grants=True)
        task = self._first()
        if worker not in self._capacities or task is None:
            return None
        token = self._next_token(task)
        lease = Lease(task.task_id, worker, token, task.attempts + 1, now, now + duration, task.payload)
        held, capacity = self._held(worker), self._capacities[worker]
        if not happens(task, "dispatch", held=held, capacity=capacity, lease=lease):
            return None
        self._last_token += 1
        return task.lease

    def complete(self, task_id: int, token: int, *, now: int) -> bool:
        """O5."""
        return self._end("complete", task_id, token, now)

    def release(self, task_id: int, token: int, *, now: int) -> bool:
        """O7."""
        return self._end("release", task_id, token, now)

    def _end(self, event: str, task_id: int, token: int, now: int) -> bool:
        task_id, token, now = whole(task_id), whole(token), whole(now)
        require_word(task_id)
        require_word(token)
        require_word(now, 0)
        self._reach(now)
        return happens(self._tasks.get(task_id), event, token=token)

    def renew(self, task_id: int, token: int, *, now: int, duration: int) -> Lease | None:
        """O6."""
        task_id, token, now, duration = whole(task_id), whole(token), whole(now), whole(duration)
        require_word(task_id)
        require_word(token)
        require_period(now, duration)
        self._reach(now)
        if not happens(self._tasks.get(task_id), "renew", token=token, expiry=now + duration):
            return None
        return self._tasks[task_id].lease

    def advance(self, *, now: int) -> tuple[Lease, ...]:
        """O8."""
        now = whole(now)
        require_word(now, 0)
        return self._reach(now)

    def _reach(self, now: int, grants: bool = False) -> tuple[Lease, ...]:
        """The time is now, and what is over has expired, unless the call is rejected. (T1, I4, T3)"""
        if now < self._now:
            raise ClockWentBackwards(now, self._now)
        if grants and self._last_token == 2**63 - 1:
            raise OverflowError("tokens are used up")
        self._now = now
        return self._sweep(now)

    def _sweep(self, now: int) -> tuple[Lease, ...]:
        """What is over expires, in the order of (expiry, token). (T3)"""
        return tuple(lease for lease in self.leases() if happens(self._tasks[lease.task_id], "expire", now=now))

    def _first(self) -> TaskRules | None:
        """The pending task to be dispatched next. (O4)"""
        return min(self._pending(), key=self._place, default=None)

    def _pending(self) -> list[TaskRules]:
        return [task for task in self._tasks.values() if task.status is Status.PENDING]

    def _place(self, task: TaskRules) -> Any:
        """The greatest priority is first, and of equals the smallest id. (O4)"""
        return -task.priority, task.task_id

    def _next_token(self, task: TaskRules) -> int:
        """It is that of no lease before. (I2)"""
        return self._last_token + 1

    # -- queries

    @property
    def now(self) -> int:
        """T1."""
        return self._now

    def task(self, task_id: int) -> Task | None:
        """O9."""
        task_id = whole(task_id)
        require_word(task_id)
        return self._tasks[task_id].seen() if task_id in self._tasks else None

    def tasks(self, status: Status | None = None) -> tuple[Task, ...]:
        """O9."""
        if status is not None and type(status) is not Status:
            raise TypeError(f"a Status or None is needed, not {type(status).__name__}")
        return tuple(task.seen() for task in self._tasks.values() if status in (None, task.status))

    def worker(self, name: str) -> Worker | None:
        """O9."""
        name = chars(name)
        require_name(name)
        return Worker(name, self._capacities[name], self._held(name)) if name in self._capacities else None

    def workers(self) -> tuple[Worker, ...]:
        """O9."""
        return tuple(Worker(name, capacity, self._held(name)) for name, capacity in self._capacities.items())

    def leases(self) -> tuple[Lease, ...]:
        """O9."""
        leases = [task.lease for task in self._tasks.values() if task.lease is not None]
        return tuple(sorted(leases, key=lambda lease: (lease.expiry, lease.token)))

    def counts(self) -> Counts:
        """O9."""
        statuses = [task.status for task in self._tasks.values()]
        return Counts(*(statuses.count(status) for status in (Status.PENDING, Status.RUNNING, Status.DONE)))

    def next_expiry(self) -> int | None:
        """O9."""
        return min((lease.expiry for lease in self.leases()), default=None)

    def canonical(self) -> Internal:
        """All that is kept."""
        return Internal(
            self._now,
            self._last_id,
            self._last_token,
            self.tasks(),
            self.workers(),
            tuple(task.task_id for task in sorted(self._pending(), key=self._place)),
            tuple((lease.expiry, lease.token) for lease in self.leases()),
        )

    def _held(self, worker: str) -> int:
        return sum(lease.worker == worker for lease in self.leases())


def happens(task: TaskRules | None, event: str, **facts: Any) -> bool:
    """Whether there is such a task and the event happened to it; if not, nothing has changed."""
    return task is not None and task.take(event, **facts)


# -- arguments: each operation asks for all types first, then for all ranges (R1)


def whole(value: Any) -> int:
    """A number without what a subclass of int adds; bool is none. (V1)"""
    if type(value) is bool or not issubclass(type(value), int):
        raise TypeError(f"an int is needed, not {type(value).__name__}")
    return int.__add__(value, 0)


def chars(value: Any) -> str:
    """A name without what a subclass of str adds. (V3, V5)"""
    if not issubclass(type(value), str):
        raise TypeError(f"a str is needed, not {type(value).__name__}")
    return "".join([value])


def octets(value: Any) -> bytes | None:
    """A payload without what a subclass of bytes adds. (V4, V5)"""
    if value is not None and not issubclass(type(value), bytes):
        raise TypeError(f"bytes or None is needed, not {type(value).__name__}")
    return None if value is None else bytes.__mul__(value, 1)


def require(met: bool, what: str) -> None:
    """A range is kept."""
    if not met:
        raise ValueError(f"{what} is out of range")


def require_word(number: int, least: int = -(2**63)) -> None:
    """A number of 64 bits, and at least what its kind needs. (V1, V2)"""
    require(least <= number < 2**63, "a number")


def require_period(now: int, duration: int) -> None:
    """A time, a duration, and then their sum. (V2)"""
    require_word(now, 0)
    require_word(duration, 1)
    require_word(now + duration)


def require_name(worker: str) -> None:
    """1 to 255 characters that encode as UTF-8, and no NUL. (V3)"""
    require(1 <= len(worker) <= 255, "the length of a name")
    require(all(character != "\0" and not "\ud800" <= character <= "\udfff" for character in worker), "a character")
