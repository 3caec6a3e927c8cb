"""A simulation as it is drawn: each call's answer becomes a bar of its worker's lane, or changes one."""

from __future__ import annotations

from ..lanes import Bar, Drawing, Lane, Phase, Series, svg
from ..lanes.course import bar_of
from ..lanes.drawing import COMPLETED, EXPIRED, LIVE, RELEASED
from ..values import Lease
from ..wire import Event

WIDTH = 1200
HELD, PENDING = "leases held", "pending"


class Drawn:
    """Told each call, it gives the drawing. It goes by the answers; what expired, `advance` tells.

    O(1) a call, and as much memory as there are leases.
    """

    def __init__(self) -> None:
        self._step = 0
        self._lanes: list[Lane] = []
        self._capacity = 0
        self._bars: dict[int, Bar] = {}
        self._now = 0
        self._counts = {HELD: 0, PENDING: 0}
        self._points: dict[str, dict[int, int]] = {HELD: {}, PENDING: {}}

    def saw(self, event: Event) -> None:
        """The call was made, and that came of it."""
        self._step += 1
        self._now = event.arguments.get("now", self._now)
        answer, token = event.answer, event.arguments.get("token", 0)
        if event.op == "add_worker":
            self._lanes.append(Lane(event.arguments["worker"], f"capacity {event.arguments['capacity']}"))
            self._capacity += event.arguments["capacity"]
        elif event.op == "add_task":
            self._count(pending=1)
        elif event.op == "dispatch" and isinstance(answer, Lease):
            self._bars[answer.token] = bar_of(answer, self._step)
            self._count(held=1, pending=-1)
        elif event.op == "renew" and isinstance(answer, Lease):
            self._renew(answer)
        elif event.op == "advance":
            for lease in answer:
                self._end(lease.token, lease.expiry, EXPIRED)
        elif event.op in ENDINGS and answer is True:
            self._end(token, self._now, ENDINGS[event.op])

    def _renew(self, lease: Lease) -> None:
        """A lease that is renewed as it is granted was only then given its length."""
        bar = self._bars[lease.token]
        kept = () if self._now == lease.start else bar.phases
        self._bars[lease.token] = bar._replace(phases=(*kept, Phase(self._step, lease.expiry, LIVE)))

    def _end(self, token: int, at: int, ending: str) -> None:
        bar = self._bars[token]
        self._bars[token] = bar._replace(phases=(*bar.phases, Phase(self._step, at, ending)))
        self._count(held=-1, pending=int(ending != COMPLETED))

    def _count(self, held: int = 0, pending: int = 0) -> None:
        for name, more in ((HELD, held), (PENDING, pending)):
            self._counts[name] += more
            self._points[name][self._now] = self._counts[name]

    def drawing(self, title: str) -> Drawing:
        """Everything up to now."""
        held, pending = (tuple(self._points[name].items()) for name in (HELD, PENDING))
        series = (Series(HELD, held, self._capacity), Series(PENDING, pending))
        return Drawing(title, tuple(self._lanes), tuple(self._bars.values()), (), series)

    def svg(self, title: str) -> str:
        """The same as SVG."""
        return svg(self.drawing(title), WIDTH, caption=True)


ENDINGS = {"complete": COMPLETED, "release": RELEASED}
