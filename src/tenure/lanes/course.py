"""From what was seen after each call of a history to a drawing: nothing here decides when a lease is over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ..values import Lease, Worker
from ..wire import Event
from .drawing import COMPLETED, EXPIRED, LIVE, RELEASED, Bar, Drawing, Lane, Mark, Phase, Series

ENDED_BY = {"complete": COMPLETED, "release": RELEASED}


class Course:
    """A history as it is drawn: told each call and the leases that are live after it, it gives the drawing.

    A lease that was there and is gone was ended by the call if that answered so, and else by its expiry. So whoever
    tells the leases decides which are over; here only their comings and goings are written down.

    >>> from tenure import Scheduler
    >>> from tenure.history import recorded
    >>> from tenure.lanes import terminal
    >>> course, events = Course(), []
    >>> scheduler = Scheduler()
    >>> told = recorded(scheduler, lambda event: course.saw(event, scheduler.now, scheduler.leases()))
    >>> told.add_worker("w1", 1)
    >>> task_id, lease = told.add_task(), told.dispatch("w1", now=5, duration=5)
    >>> expired = told.advance(now=10)
    >>> print(terminal(course.drawing("one lease"), width=40))
        5                                 10
        ├─────────────────────────────────┼
     w1 [━━━━━━━ task 1 · token 1 ━━━━━━━)
    <BLANKLINE>
      [ from here on   ) up to, not at
    """

    def __init__(self, by: Literal["worker", "task"] = "worker") -> None:
        self.step = 0
        self.instants: list[int] = []
        """The time after each step."""
        self._by = by
        self._bars: dict[int, Bar] = {}
        self._live: dict[int, Lease] = {}
        self._lanes: dict[str, Lane] = {}
        self._pending: dict[int, int] = {}
        self._held: dict[int, int] = {}
        self._capacity = 0

    def saw(
        self,
        event: Event,
        now: int,
        leases: Iterable[Lease],
        workers: Iterable[Worker] = (),
        pending: int | None = None,
    ) -> None:
        """After this call the time is `now`, and just these leases are live. O(their number).

        Where it is told how many tasks are pending, that and the leases held of all capacity are drawn too.
        """
        workers = tuple(workers)
        self.step += 1
        self.instants.append(now)
        if self._by == "worker":
            for worker in workers:
                self._lanes[worker.name] = Lane(worker.name, f"capacity {worker.capacity}")
        if pending is not None:
            self._pending[now] = pending
            self._held[now] = sum(worker.held for worker in workers)
            self._capacity = max(self._capacity, sum(worker.capacity for worker in workers))
        live = {lease.token: lease for lease in leases}
        for token in self._live.keys() - live.keys():
            ending = ENDED_BY.get(event.op, EXPIRED) if token == self._used(event) else EXPIRED
            self._changed(token, now if ending is not EXPIRED else self._live[token].expiry, ending)
        for token, lease in live.items():
            before = self._live.get(token)
            if before is None:
                self._granted(lease)
            elif before.expiry != lease.expiry:
                self._changed(token, lease.expiry)
        self._live = live

    @staticmethod
    def _used(event: Event) -> int | None:
        """The token that the call was made with, if it did what it asked for."""
        return event.arguments.get("token") if event.answer is True else None

    def _granted(self, lease: Lease) -> None:
        self._bars[lease.token] = bar_of(lease, self.step, by=self._by)
        name = self._bars[lease.token].lane
        self._lanes.setdefault(name, Lane(name))

    def _changed(self, token: int, end: int, ending: str = LIVE) -> None:
        bar = self._bars[token]
        self._bars[token] = bar._replace(phases=(*bar.phases, Phase(self.step, end, ending)))

    def drawing(
        self, title: str, marks: Iterable[Mark] = (), extra: Iterable[Bar] = (), flags: dict[int, str] | None = None
    ) -> Drawing:
        """The drawing so far, with these marks and bars beside; `flags` are those of the bars by token."""
        bars = [bar._replace(flag=(flags or {}).get(token, "")) for token, bar in self._bars.items()]
        bars += extra
        lanes = dict(self._lanes)
        for bar in bars:
            lanes.setdefault(bar.lane, Lane(bar.lane))
        series: tuple[Series, ...] = ()
        if self._pending:
            held = Series("leases held", tuple(self._held.items()), self._capacity or None)
            series = (Series("pending", tuple(self._pending.items())), held)
        return Drawing(title, tuple(lanes.values()), tuple(bars), tuple(marks), series)


def bar_of(lease: Lease, step: int, flag: str = "", by: str = "worker") -> Bar:
    """The lease as it was granted at this step."""
    lane = lease.worker if by == "worker" else f"task {lease.task_id}"
    label = f"task {lease.task_id} · token {lease.token}" if by == "worker" else f"{lease.worker} · token {lease.token}"
    short = f"task {lease.task_id}" if by == "worker" else f"token {lease.token}"
    return Bar(lane, lease.start, label, (Phase(step, lease.expiry),), flag, short)
