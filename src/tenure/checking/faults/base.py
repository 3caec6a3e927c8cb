"""What faulty schedulers are made of: a base that keeps the whole contract, and pieces that several of them share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar, Self

from ...operations import PARAMETERS
from ...values import Lease
from ..quick import QuickReference, QuickTask
from ..reference import whole

BREAKS = re.compile(r"\(breaks ([A-Z][0-9]+(?:, [A-Z][0-9]+)*)\)$")


class Fault(QuickReference):
    """A scheduler that keeps the contract but for one difference, which a subclass makes.

    The first line of the subclass's docstring says what is wrong, and ends with the sentences that this breaks.
    What a fault remembers beside the reference's state is replaced and never changed, so that copies stay apart.
    """

    breaks: ClassVar[tuple[str, ...]] = ()
    """The sentences of the contract that the fault breaks; none in the pieces that faults are made of."""

    def __init_subclass__(cls) -> None:
        said = BREAKS.search((cls.__doc__ or "").partition("\n")[0])
        cls.breaks = tuple(said[1].split(", ")) if said else ()

    def _restore(self, before: Self) -> None:
        """All is again as it was."""
        self.__dict__ = before.__dict__


class Remembering(QuickTask):
    """A task that remembers its latest lease, also when that is over."""

    last: Lease | None = None

    def on_dispatch(self, lease: Lease) -> None:
        """The lease is kept twice."""
        super().on_dispatch(lease)
        self.last = self.lease

    def had(self, token: int) -> bool:
        """Whether the token was that of the latest lease."""
        return self.last is not None and self.last.token == token


class Admitting(Fault):
    """Each argument of each call is passed through `_admit` before the contract sees it."""

    def _admit(self, value: Any) -> Any:
        return value


def _admitted(operation: str) -> Callable[..., Any]:
    def call(self: Admitting, *values: Any, **named: Any) -> Any:
        admitted = {name: self._admit(value) for name, value in named.items()}
        return getattr(super(Admitting, self), operation)(*map(self._admit, values), **admitted)

    return call


for _operation, _parameters in PARAMETERS.items():
    if _parameters:
        setattr(Admitting, _operation, _admitted(_operation))


class Miscounting(Fault):
    """Slots are counted, and whenever a lease ends by `event`, its worker's count is wrong by one more `slot`."""

    event = ""
    slot = 1
    _wrong: tuple[str, ...] = ()

    def _held(self, worker: str) -> int:
        return max(0, super()._held(worker) + self.slot * self._wrong.count(worker))

    def _sweep(self, now: int) -> tuple[Lease, ...]:
        told = super()._sweep(now)
        if self.event == "expire":
            self._wrong += tuple(lease.worker for lease in told)
        return told

    def _end(self, event: str, task_id: int, token: int, now: int) -> bool:
        holders = {lease.token: lease.worker for lease in self.leases()}
        ended = super()._end(event, task_id, token, now)
        if ended and event == self.event:
            self._wrong += (holders[whole(token)],)
        return ended
