"""Every rule of the contract, once, pure: no storage, no I/O, no clock.

The numbers are those of spec/CONTRACT.md. First what an argument may be, then the arguments of each
operation in the order in which R1 checks them, then the decisions. A function that runs in every
call tests first whether all is well, and only then looks for what isn't.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .errors import ClockWentBackwards, UnknownWorker, WorkerExists
from .lifecycle import LEASED
from .values import Lease, Status

LOWEST = -(2**63)
HIGHEST = 2**63 - 1

# What a decision is made on, as plain tuples, since named ones would double the cost of a call.
Load = tuple[int, int]
"""A worker's (capacity, held)."""
Content = tuple[int, bytes | None]
"""A task's (attempts, payload)."""

new = tuple.__new__


# -- what an argument may be


def number(name: str, value: Any) -> int:
    """A number is an int; a subclass counts as its plain value, and bool is none. (V1)"""
    if type(value) is int:
        return value
    kind = type(value)
    if issubclass(kind, int) and kind is not bool:
        return int.__int__(value)
    raise TypeError(f"{name} must be an int, not {name_of(kind)}; give it as a plain int")


def text(name: str, value: Any, remedy: str = "give the worker's name") -> str:
    """A name is a str; a subclass counts as its plain value. (V3, V5)"""
    if type(value) is str:
        return value
    kind = type(value)
    if issubclass(kind, str):
        return str.__str__(value)
    raise TypeError(f"{name} must be a str, not {name_of(kind)}; {remedy}")


def opaque(name: str, value: Any) -> bytes | None:
    """A payload is bytes or None; a subclass of bytes counts as its plain value. (V4, V5)"""
    if value is None or type(value) is bytes:
        return value
    kind = type(value)
    if issubclass(kind, bytes):
        return bytes.__getitem__(value, slice(None))
    raise TypeError(f"{name} must be bytes or None, not {name_of(kind)}; make it bytes first")


def name_of(kind: type) -> str:
    """The name of a type as a message may print it, whatever its metaclass makes of the question."""
    name: str = type.__dict__["__name__"].__get__(kind)
    return name if len(name) <= 100 else f"{name[:100]}..."


def shown(value: int) -> str:
    """An integer as a message may print it: Python refuses to print one of too many digits."""
    if LOWEST <= value <= HIGHEST:
        return str(value)
    return f"an integer of {value.bit_length()} bits"


def within(name: str, value: int, lowest: int) -> None:
    """A number lies between what its kind allows and the end of the signed 64 bits. (V1, V2)"""
    if not lowest <= value <= HIGHEST:
        least = "-2**63" if lowest == LOWEST else lowest
        raise ValueError(f"{name} must be from {least} to 2**63 - 1, not {shown(value)}")


def named(worker: str) -> None:
    """A worker's name has 1 to 255 characters, encodes as UTF-8 and holds no NUL. (V3)"""
    if 0 < len(worker) < 256 and "\0" not in worker:
        if worker.isascii():
            return
        try:
            worker.encode()
        except UnicodeEncodeError:
            pass
        else:
            return
    given = repr(worker) if len(worker) < 256 else f"one of {len(worker)} characters"
    raise ValueError(f"worker must be a str of 1 to 255 characters that encodes as UTF-8 and has no NUL, not {given}")


def expiry_of(now: int, duration: int) -> int:
    """A lease granted at now for duration is over at now + duration, which must fit. (V2, T4)"""
    expiry = now + duration
    if not 0 <= now < expiry <= HIGHEST:
        within("now", now, 0)
        within("duration", duration, 1)
        room = f"a duration of at most {HIGHEST - now}" if now < HIGHEST else "no duration"
        raise ValueError(f"now + duration must be at most 2**63 - 1, not {now} + {duration}; at this time {room} fits")
    return expiry


# -- the arguments of each operation: types, then ranges, then now + duration (R1)


def worker_argument(parameter: str, worker: Any) -> str:
    """The name, plain and well formed. (V3)"""
    name = text(parameter, worker)
    named(name)
    return name


def capacity_arguments(worker: Any, capacity: Any, lowest: int) -> tuple[str, int]:
    """The name and the capacity, which is at least `lowest`. (V2, V3)"""
    worker, capacity = text("worker", worker), number("capacity", capacity)
    named(worker)
    within("capacity", capacity, lowest)
    return worker, capacity


def new_worker_arguments(worker: Any, capacity: Any) -> tuple[str, int]:
    """A new worker has room for at least one lease. (V2)"""
    return capacity_arguments(worker, capacity, 1)


def set_capacity_arguments(worker: Any, capacity: Any) -> tuple[str, int]:
    """A known worker may be drained by a capacity of 0. (V2)"""
    return capacity_arguments(worker, capacity, 0)


def task_arguments(priority: Any, payload: Any) -> tuple[int, bytes | None]:
    """The priority, any number of 64 bits, and the payload. (V1, V2, V4)"""
    if type(priority) is not int or payload is not None:
        priority, payload = number("priority", priority), opaque("payload", payload)
    if not LOWEST <= priority <= HIGHEST:
        within("priority", priority, LOWEST)
    return priority, payload


def task_id_argument(task_id: Any) -> int:
    """The id, any number of 64 bits: one that was never given is simply unknown. (V1)"""
    plain = number("task_id", task_id)
    within("task_id", plain, LOWEST)
    return plain


def status_argument(status: Any) -> Status | None:
    """A Status, or None for all; a string is neither. (O9)"""
    if status is None or type(status) is Status:
        return status
    kind = name_of(type(status))
    raise TypeError(f"status must be a Status or None, not {kind}; Status('pending') makes one")


def now_argument(now: Any) -> int:
    """The time, at least 0. (V2)"""
    time = number("now", now)
    within("now", time, 0)
    return time


def start_arguments(now: Any, last_id: Any, last_token: Any) -> tuple[int, int, int]:
    """The time at which a store begins, and the last id and token used before: each at least 0. (V1, V2, I1, I2)"""
    now, last_id, last_token = number("now", now), number("last_id", last_id), number("last_token", last_token)
    within("now", now, 0)
    within("last_id", last_id, 0)
    within("last_token", last_token, 0)
    return now, last_id, last_token


def dispatch_arguments(worker: Any, now: Any, duration: Any) -> tuple[str, int, int]:
    """The name, the time and the expiry of a lease granted then. (V1, V2, V3)"""
    if type(worker) is not str or type(now) is not int or type(duration) is not int:
        worker, now, duration = text("worker", worker), number("now", now), number("duration", duration)
    named(worker)
    return worker, now, expiry_of(now, duration)


def lease_arguments(task_id: Any, token: Any, now: Any) -> tuple[int, int, int]:
    """The id and the token, any numbers of 64 bits, and the time. (V1, V2)"""
    if type(task_id) is not int or type(token) is not int or type(now) is not int:
        task_id, token, now = number("task_id", task_id), number("token", token), number("now", now)
    if not (LOWEST <= task_id <= HIGHEST and LOWEST <= token <= HIGHEST and 0 <= now <= HIGHEST):
        within("task_id", task_id, LOWEST)
        within("token", token, LOWEST)
        within("now", now, 0)
    return task_id, token, now


def renew_arguments(task_id: Any, token: Any, now: Any, duration: Any) -> tuple[int, int, int, int]:
    """The id, the token, the time and the expiry that a renewal then would set. (V1, V2)"""
    task_id, token = number("task_id", task_id), number("token", token)
    now, duration = number("now", now), number("duration", duration)
    within("task_id", task_id, LOWEST)
    within("token", token, LOWEST)
    return task_id, token, now, expiry_of(now, duration)


# -- the decisions


def last_over(now: int) -> int:
    """The greatest expiry that is over at now: a lease is over at its expiry, not after it. (T3, T4)"""
    return now


def check_time(scheduler_now: int, now: int) -> None:
    """Time never goes back; an equal now is fine. (T1)"""
    if now < scheduler_now:
        raise ClockWentBackwards(now, scheduler_now)


def next_number(last: int, what: str) -> int:
    """Ids and tokens are 1, 2, 3, ...; after 2**63 - 1 there is none. (I1, I2, I4)"""
    if last < HIGHEST:
        return last + 1
    raise OverflowError(
        f"no {what} is left: 2**63 - 1 was the last, and none is used twice; a new scheduler begins again at 1, "
        "so give it another name wherever tokens or ids are kept"
    )


def granted(
    scheduler_now: int,
    last_token: int,
    ending: Sequence[Lease],
    load: Load | None,
    task_id: int | None,
    content: Content,
    worker: str,
    now: int,
    expiry: int,
) -> Lease | None:
    """A known worker with a free slot gets a lease on the first task; what expires by now frees its slot. (T3, O4)

    `load` still counts the `ending` leases as held; `task_id` is already the first of the pending
    tasks and those of the `ending` leases. None is a refusal, which uses no token. (R2)
    Raises ClockWentBackwards (T1) and OverflowError (I4). O(ending).
    """
    check_time(scheduler_now, now)
    token = next_number(last_token, "token")
    if load is None or task_id is None:
        return None
    capacity, held = load
    if ending:
        held -= sum([lease.worker == worker for lease in ending])
    if held >= capacity:
        return None
    attempts, payload = content
    return new(Lease, (task_id, worker, token, attempts + 1, now, expiry, payload))


def current(scheduler_now: int, lease: Lease | None, token: int, now: int, bound: int) -> Lease | None:
    """The task's lease, if it is live at now and the token is its own: the token alone is the proof. (T3, O5)

    `bound` is `last_over(now)`. None is a refusal. (R2) Raises ClockWentBackwards. (T1) O(1).
    """
    check_time(scheduler_now, now)
    if lease is not None and lease.token == token and lease.expiry > bound:
        return lease
    return None


def renewed(lease: Lease, expiry: int) -> Lease:
    """The same assignment with another expiry: task, worker, token, attempt, start and payload stay. (I3, O6)"""
    return lease._replace(expiry=expiry)


def check_new(worker: str, load: Load | None) -> None:
    """A worker is added once. (O1)"""
    if load is not None:
        raise WorkerExists(worker)


def check_known(worker: str, load: Load | None) -> None:
    """Only a known worker's capacity is set. (O2)"""
    if load is None:
        raise UnknownWorker(worker)


def forgettable(status: Status | None) -> bool:
    """A known task that holds no lease may be forgotten. (O10)"""
    return status is not None and status is not LEASED


def dismissible(load: Load | None) -> bool:
    """A known worker that holds no lease may be forgotten. (O11)"""
    return load is not None and load[1] == 0
