"""The stateful machine for anybody's scheduler, as a test file uses it. It needs hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import Phase, Verbosity, settings

from .counterexample import Counterexample
from .machine import AgreementMachine
from .properties import ContractBroken
from .reach import Reach
from .representations import Started, quick
from .sampling import made_short
from .scope import Scope
from .shortening import Wrong
from .targets.adapted import started
from .telling import text


class ContractMachine(AgreementMachine):
    """What is broken is told by its shortest history, drawn."""

    def told(self, broken: ContractBroken) -> str:
        """The counterexample, as text."""
        wrong, _ = made_short(type(self), {}, Wrong(tuple(self.history), None, broken.rule, str(broken)))
        aside = "" if wrong.expected else wrong.reason
        told = Counterexample("yours", *wrong[2:], *wrong[:2], False, "stateful machine", aside=aside,
                              has_workers="workers" not in self.abilities.lacks)  # fmt: skip
        return text(told)


def contract_machine(
    factory: Callable[[], Any], *, exact_errors: bool = False, count: Scope | None = None
) -> type[ContractMachine]:
    """A machine class that drives what `factory` makes beside the reference; they must agree in every call.

    The factory makes a new scheduler each time: anything with the same methods, whose values have the same attributes;
    docs/how-to/check-your-queue.md says how it tells what it lacks. With `exact_errors` a rejection must raise the
    contract's class and not just something. With `count` the machine's `reach` says how many states of that scope its
    examples reached. A broken rule raises its own class, and the history is told that is left when calls are left out;
    `TestCase.settings` may have hypothesis's own shrinking too, which stays with the rule it found.

    >>> from tenure import Scheduler
    >>> TestScheduler = contract_machine(Scheduler).TestCase
    """
    abilities = started(factory()).abilities

    def checked(*, now: int = 0, last_id: int = 0, last_token: int = 0) -> Started:
        return started(factory())

    parts: dict[str, Any] = {
        "starts": {"the contract": quick, "yours": checked},
        "abilities": abilities,
        "anywhere": False,
        "exact_errors": exact_errors,
        "reach": None if count is None else Reach(count.fitted(abilities.lacks)),
    }
    machine: Any = type("Contract", (ContractMachine,), parts)
    # The calls are made short by leaving some out; hypothesis, which goes by what it drew, would take minutes.
    phases = [phase for phase in settings().phases if phase not in (Phase.shrink, Phase.explain)]
    machine.TestCase.settings = settings(
        machine.TestCase.settings, phases=phases, report_multiple_bugs=False, verbosity=Verbosity.quiet
    )
    return machine  # type: ignore[no-any-return]
