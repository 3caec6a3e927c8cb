"""What a representation must provide: it keeps and orders, and decides nothing.

Data flows in one direction. A call reads its whole situation in one step, `rules` decide, and one
step writes the outcome. A `read_*` opens the call on the store, and exactly one `write_*`,
`put_*`, `drop_*` or `abandon` closes it: between the two no other call may change anything. Nothing is
written before the decision, so a rejected call changes nothing by construction. (R1)

Nobody inherits from `Store`; one typed table of representations checks that each fits it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .rules import Content, Load
from .values import Counts, Lease, Status, Task, Worker


class Store(Protocol):
    """Tasks, workers, live leases, the time, and the last id and token used."""

    @property
    def own_time(self) -> bool:
        """Whether the store was made for a time of its own instead of the callers'."""

    def close(self) -> None:
        """Give back what is held outside this process, such as a file; a second time changes nothing."""

    # -- timed calls: what ends at or before `bound` is told, in order of (expiry, token)

    def read_worker(
        self, bound: int, worker: str
    ) -> tuple[int, int, Sequence[Lease], Load | None, int | None, Content]:
        """The time, the last token, the leases ending by `bound`, the worker's load, the first task and its content.

        The load still counts what ends. The first task is that with the greatest priority, then the
        smallest id, of the pending ones and those whose lease ends; its attempts count the lease that ends.
        """

    def read_lease(self, bound: int, task_id: int) -> tuple[int, Sequence[Lease], Lease | None]:
        """The time, the leases ending by `bound`, and the task's lease even if it is one of them."""

    def read_ending(self, bound: int) -> tuple[int, Sequence[Lease]]:
        """The time and the leases ending by `bound`."""

    def write_time(self, now: int, ending: Sequence[Lease]) -> None:
        """Set the time and end the leases that were read as ending; their tasks are pending."""

    def write_grant(self, now: int, ending: Sequence[Lease], lease: Lease) -> None:
        """As `write_time`, then keep the lease, whose token is the last one used; its task runs."""

    def write_renewal(self, now: int, ending: Sequence[Lease], lease: Lease) -> None:
        """As `write_time`, then keep the lease in place of the one with its token."""

    def write_end(self, now: int, ending: Sequence[Lease], lease: Lease, status: Status) -> None:
        """As `write_time`, then end the lease; its task gets the status, pending or done."""

    # -- untimed calls

    def read_last_id(self) -> int:
        """The last task id used."""

    def read_load(self, worker: str) -> Load | None:
        """The worker's load, or None if it isn't known."""

    def read_status(self, task_id: int) -> Status | None:
        """The task's status, or None if it isn't known."""

    def put_task(self, task_id: int, priority: int, payload: bytes | None) -> None:
        """Keep a new pending task; its id is the last one used."""

    def put_worker(self, worker: str, capacity: int) -> None:
        """Keep a new worker, which holds nothing, or set the capacity of a known one."""

    def drop_task(self, task_id: int) -> None:
        """Keep the task no longer; it holds no lease."""

    def drop_worker(self, worker: str) -> None:
        """Keep the worker no longer; it holds no lease."""

    def abandon(self) -> None:
        """Close the call and change nothing."""

    # -- queries: each a call of its own, answered as of the scheduler's time

    def now(self) -> int:
        """The scheduler's time."""

    def task(self, task_id: int) -> Task | None:
        """The task, or None if it isn't known."""

    def tasks(self, status: Status | None) -> tuple[Task, ...]:
        """All tasks, or those with the status, in order of their ids."""

    def worker(self, worker: str) -> Worker | None:
        """The worker, or None if it isn't known."""

    def workers(self) -> tuple[Worker, ...]:
        """All workers, in order of their creation."""

    def leases(self) -> tuple[Lease, ...]:
        """All live leases, by (expiry, token)."""

    def counts(self) -> Counts:
        """How many tasks are in each status."""

    def next_expiry(self) -> int | None:
        """The smallest expiry of a live lease, if any."""
