"""What a rejected call raises, beyond TypeError, ValueError and OverflowError (R1), and what a bad file does.

Each carries its fields, pickles, and says what was given, what is allowed and what to do.
"""

from __future__ import annotations


class ClockWentBackwards(ValueError):
    """The call's `now` lies before the scheduler's time. (T1)"""

    def __init__(self, now: int, scheduler_now: int) -> None:
        super().__init__(now, scheduler_now)
        self.now = now
        self.scheduler_now = scheduler_now

    def __str__(self) -> str:
        return (
            f"now is {self.now}, but the scheduler's time is already {self.scheduler_now}: "
            f"time never goes back; call again with now={self.scheduler_now} or later"
        )


class WorkerExists(ValueError):
    """The worker to be added is known already. (O1)"""

    def __init__(self, worker: str) -> None:
        super().__init__(worker)
        self.worker = worker

    def __str__(self) -> str:
        return f"worker {self.worker!r} exists: a name is added once; change it with set_capacity"


class UnknownWorker(KeyError):
    """The worker whose capacity is to be set is not known. (O2)"""

    def __init__(self, worker: str) -> None:
        super().__init__(worker)
        self.worker = worker

    def __str__(self) -> str:
        return f"no worker {self.worker!r}: only a known worker has a capacity; add it with add_worker"


class CallInProgress(RuntimeError):
    """The scheduler is in the middle of a call, or one was cut off in the middle; neither is within the contract."""

    def __str__(self) -> str:
        return (
            "the scheduler is in the middle of a call: no signal handler, finalizer or other thread may call it then; "
            "or an earlier call was cut off while it wrote, and its state can't be trusted: start a new one"
        )


class TargetFailed(Exception):
    """What is being checked can't be asked any more; `reason` says why, and `log` is the end of what it said itself."""

    def __init__(self, reason: str, log: str = "") -> None:
        super().__init__(reason, log)
        self.reason = reason
        self.log = log

    def __str__(self) -> str:
        return self.reason


class BadFile(ValueError):
    """A file can't be used; `file` and `line` say where, and `line` is None when it is no single line's fault."""

    def __init__(self, file: str, line: int | None, reason: str) -> None:
        super().__init__(file, line, reason)
        self.file = file
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.reason}"


class StoreError(Exception):
    """A store's file can't be used, or a call couldn't be made on it, and has changed nothing."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class StoreBusy(StoreError):
    """Others kept the store's file locked for longer than a call waits, and the call has changed nothing."""

    def __init__(self, path: str, waited_seconds: float) -> None:
        reason = (
            f"others kept it locked for {waited_seconds:g} seconds, which is as long as a call waits; "
            "call again, or wait longer with busy_seconds"
        )
        super().__init__(path, reason)
        self.args = (path, waited_seconds)
        self.waited_seconds = waited_seconds
