"""A leased task scheduler whose contract is formally specified: see `Scheduler`."""

from .errors import CallInProgress, ClockWentBackwards, StoreBusy, StoreError, UnknownWorker, WorkerExists
from .scheduler import Scheduler
from .values import Counts, Lease, Status, Task, Worker

__all__ = [
    "CallInProgress",
    "ClockWentBackwards",
    "Counts",
    "Lease",
    "Scheduler",
    "Status",
    "StoreBusy",
    "StoreError",
    "Task",
    "UnknownWorker",
    "Worker",
    "WorkerExists",
]
