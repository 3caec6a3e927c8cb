"""A leased task scheduler whose contract is formally specified: see `Scheduler`."""

from .errors import CallInProgress, ClockWentBackwards, UnknownWorker, WorkerExists
from .scheduler import Scheduler
from .values import Counts, Lease, Status, Task, Worker

__all__ = [
    "CallInProgress",
    "ClockWentBackwards",
    "Counts",
    "Lease",
    "Scheduler",
    "Status",
    "Task",
    "UnknownWorker",
    "Worker",
    "WorkerExists",
]
