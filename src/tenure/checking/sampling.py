"""Runs a stateful machine and gives what it found as data, made short. It needs hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.errors import Flaky
from hypothesis.stateful import run_state_machine_as_test

from ..errors import TargetFailed
from .machine import AgreementMachine
from .properties import ContractBroken
from .quick import QuickReference
from .representations import Started
from .shortening import Wrong, replayed, shortened, simplified

Began = dict[str, int]
"""Where a scheduler was started: its time, last id and last token, if it wasn't new."""


class Budget(NamedTuple):
    """How much the stateful machine tries, and where it begins."""

    examples: int = 200
    steps: int = 30
    seed: int = 0


class Sample(NamedTuple):
    """What came of the examples: how many there were and their calls, and what was found, if something was."""

    examples: int
    calls: int
    wrong: Wrong | None
    began: Began
    """Where the scheduler of the history was started; empty if it was new."""


class Watching(AgreementMachine):
    """Counts its calls, and keeps what was broken first."""

    counted: ClassVar[list[int]]
    broken: ClassVar[list[tuple[Began, Wrong]]]
    failed: ClassVar[list[TargetFailed]]
    """Kept, since hypothesis makes the calls again, and what failed may then fail elsewhere."""
    on_example: ClassVar[Callable[[int], object]]

    def __init__(self) -> None:
        super().__init__()
        self.counted[0] += 1
        type(self).on_example(self.counted[0])

    def call(self, op: str, **arguments: Any) -> None:
        """The same, watched."""
        self.counted[1] += 1
        try:
            super().call(op, **arguments)
        except ContractBroken as broken:
            self.broken.append((dict(self.began), Wrong(tuple(self.history), None, broken.rule, str(broken))))
            raise
        except TargetFailed as failed:
            self.failed.append(failed)
            raise


def sample(
    machine: type[AgreementMachine], budget: Budget, on_example: Callable[[int], object] = lambda count: None
) -> Sample:
    """Runs so many examples of the machine, or up to the first that breaks something, less the calls that can go.

    Leaving out calls is quicker than hypothesis's way, which shortens by the choices that it drew, and its text needn't
    be parsed. `on_example` is told the number of each example as it begins. Raises TargetFailed.
    """
    parts: dict[str, Any] = {"counted": [0, 0], "broken": [], "failed": [], "on_example": staticmethod(on_example)}
    watched: Any = type("Watched", (Watching, machine), parts)
    limits = settings(
        max_examples=budget.examples,
        stateful_step_count=budget.steps,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    # Flaky, where the scheduler answers otherwise when the failing calls are made again.
    with suppress(ContractBroken, Flaky):
        run_state_machine_as_test(seed(budget.seed)(watched), settings=limits)
    if watched.failed:
        raise watched.failed[0]
    examples, calls = watched.counted
    if not watched.broken:
        return Sample(examples, calls, None, {})
    began, found = watched.broken[0]
    wrong, began = made_short(watched, began, found)
    return Sample(examples, calls, wrong, began)


def made_short(machine: type[AgreementMachine], began: Began, found: Wrong) -> tuple[Wrong, Began]:
    """The history with as few and as plain calls as can be, on a new scheduler where that breaks too."""
    first, last, exact = *(list(machine.starts.values())[place] for place in (0, -1)), machine.exact_errors
    for at in ({}, began):

        def start(at: Began = at) -> tuple[Started, QuickReference]:
            reference = first(**at).scheduler
            assert isinstance(reference, QuickReference)
            return last(**at), reference

        if wrong := replayed(start, found.history, exact_errors=exact):
            wrong = shortened(start, wrong, exact_errors=exact)
            return simplified(start, wrong, exact_errors=exact), at
    return found, began
