"""A queue as one writes it first, and the adapter with which `tenure check` asks it: docs/how-to/check-your-queue.md.

A job belongs to the worker whose name is in it, until it has timed out. It looks fine, and it breaks the contract.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar


@dataclass
class Job:
    """A piece of work and, while `owner` has it, since when and until when."""

    id: int
    priority: int
    payload: bytes | None
    owner: str | None = None
    since: int = 0
    until: int = 0
    tries: int = 0
    done: bool = False


class NaiveQueue:
    """Jobs are put, taken for a time, and finished by whoever took them."""

    def __init__(self) -> None:
        self._now = 0
        self._jobs: dict[int, Job] = {}

    def put(self, payload: bytes | None = None, priority: int = 0) -> int:
        """The number of the new job."""
        job = Job(len(self._jobs) + 1, priority, payload)
        self._jobs[job.id] = job
        return job.id

    def take(self, worker: str, now: int, timeout: int) -> Job | None:
        """The most urgent free job is the worker's until it has timed out; None if none is free."""
        if timeout < 1:
            raise ValueError(f"a timeout is 1 or more, not {timeout}")
        self.requeue(now)
        free = [job for job in self._jobs.values() if job.owner is None and not job.done]
        if not free:
            return None
        job = max(free, key=lambda job: job.priority)
        job.owner, job.since, job.until, job.tries = worker, now, now + timeout, job.tries + 1
        return replace(job)

    def finish(self, job_id: int, worker: str | None, now: int) -> bool:
        """The job is done, if it is the worker's."""
        self._pass(now)
        job = self._jobs.get(job_id)
        if job is None or job.owner is None or job.owner != worker:
            return False
        job.owner, job.done = None, True
        return True

    def requeue(self, now: int) -> None:
        """Frees what has timed out; each take does this first."""
        self._pass(now)
        for job in self._jobs.values():
            if job.until < now:
                job.owner = None

    def _pass(self, now: int) -> None:
        if now < self._now:
            raise ValueError(f"it is {self._now} already, not {now}")
        self._now = now


class Adapter:
    """The queue by the names of the contract. It has no tokens: each grant gets a number for its owner.

    What has no method here, such as renew, is lacking without a word.
    """

    abilities: ClassVar[dict[str, Any]] = {
        "lacks": ["workers", "expired", "limits"],
        "typed_arguments": False,  # whoever calls it is checked by mypy
    }

    def __init__(self) -> None:
        self._queue = NaiveQueue()
        self._owners: dict[int, str] = {}

    def add_task(self, priority: int = 0, payload: bytes | None = None) -> int:
        """O3."""
        return self._queue.put(payload, priority)

    def dispatch(self, worker: str, *, now: int, duration: int) -> dict[str, Any] | None:
        """O4."""
        job = self._queue.take(worker, now, duration)
        if job is None:
            return None
        token = len(self._owners) + 1
        self._owners[token] = worker
        return {
            "task_id": job.id, "worker": worker, "token": token, "attempt": job.tries,
            "start": job.since, "expiry": job.until, "payload": job.payload,
        }  # fmt: skip

    def complete(self, task_id: int, token: int, *, now: int) -> bool:
        """O5."""
        return self._queue.finish(task_id, self._owners.get(token), now)

    def advance(self, *, now: int) -> None:
        """O8."""
        self._queue.requeue(now)
