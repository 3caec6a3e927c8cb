"""A whole check: the dialogues, the explorer and the stateful machine on one target, and what they say together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .dialogue import Dialogue, Differs, applies, dialogues, play
from .exploring import explore
from .quick import QuickReference
from .representations import Started
from .scope import Scope
from .shortening import Wrong, first_wrong, shortened
from .targets.adapted import started
from .targets.target import Target
from .verdict import PASSED, PROVED, REFUTED, UNDECIDED

NOT_RUN = "not run"
PARTS = ("dialogues", "explorer", "machine")
Progress = Callable[[str, str], object]
"""Told which part is at work, and how far it is."""


class Budget(NamedTuple):
    """How much is tried, and where chance begins. Times are in seconds; None is no limit."""

    examples: int = 200
    steps: int = 30
    seed: int = 0
    max_states: int | None = None
    time_limit: float | None = None
    once: bool = False
    """Whether the explorer leaves out its second run."""


class Part(NamedTuple):
    """What one part of the check says; `broken` has each rule that it saw broken, and how often."""

    name: str
    word: str
    said: str
    broken: dict[str, int]
    figures: dict[str, Any]
    assumptions: tuple[str, ...] = ()


class Found(NamedTuple):
    """A history that breaks a rule, which part found it, and whether none of the calls that were tried is shorter."""

    wrong: Wrong
    by: str
    shortest: bool


@dataclass(frozen=True)
class Report:
    """What a check says in the end."""

    target: Target
    exact_errors: bool
    parts: tuple[Part, ...]
    found: tuple[Found, ...]
    """For each rule that was seen broken the shortest history; those of what a call must do come first."""

    @property
    def word(self) -> str:
        """REFUTED if a part says so, UNDECIDED if one couldn't tell, PROVED if the explorer proved it, else PASSED."""
        words = [part.word for part in self.parts]
        return next((word for word in (REFUTED, UNDECIDED, PROVED) if word in words), PASSED)


def check(
    target: Target,
    scope: Scope,
    budget: Budget,
    *,
    parts: Sequence[str] = PARTS,
    exact_errors: bool | None = None,
    on_progress: Progress = lambda part, how_far: None,
) -> Report:
    """The report on the target. A part after one that refuted isn't run where it would only find the same again.

    `exact_errors` is by default what the target promised. Raises TargetFailed where it can't be asked any more.
    """
    exact = target.exact_errors if exact_errors is None else exact_errors
    made: list[Part] = []
    found: list[Found] = []
    if "dialogues" in parts:
        _play_dialogues(target, exact, made, found, on_progress)
    if "explorer" in parts:
        _explore(target, scope, budget, exact, made, found, on_progress)
    if "machine" in parts:
        if any(each.by == "explorer" for each in found):
            made.append(Part("machine", NOT_RUN, "the explorer has found enough", {}, {}))
        else:
            _sample(target, budget, exact, made, found, on_progress)
    found.sort(key=_weight)
    by_rule = {each.wrong.rule: each for each in reversed(found)}
    return Report(target, exact, tuple(made), tuple(each for each in found if each is by_rule[each.wrong.rule]))


def _weight(found: Found) -> tuple[bool, int, bool]:
    """What arguments may be, and what is raised, is the least of what can be wrong; then the shorter first."""
    return found.wrong.rule[:1] in ("V", "R"), len(found.wrong.history), not found.shortest


def _starting(target: Target) -> Callable[[], tuple[Started, QuickReference]]:
    return lambda: (started(target.factory()), QuickReference())


def _play_dialogues(target: Target, exact: bool, made: list[Part], found: list[Found], on_progress: Progress) -> None:
    every = dialogues()
    played = [dialogue for dialogue in every if applies(dialogue, target.abilities)]
    failed: list[Dialogue] = []
    for number, dialogue in enumerate(played):
        on_progress("dialogues", f"{number} of {len(played)}")
        try:
            play(dialogue, target.factory(), exact_errors=exact)
        except Differs:
            failed.append(dialogue)
            calls = [(step.op, step.arguments) for step in dialogue.steps if step.op != "restart"]
            wrong = first_wrong(_starting(target), calls, exact_errors=exact)
            if wrong is not None:
                wrong = shortened(_starting(target), wrong, exact_errors=exact)
                found.append(Found(wrong, f"dialogue: {dialogue.title}", False))
    broken = Counter(each.wrong.rule for each in found)
    left_out = f", {len(every) - len(played)} not asked" if len(played) < len(every) else ""
    said = f"{len(played) - len(failed)} of {len(played)} are answered as they must be{left_out}"
    figures = {"played": len(played), "failed": [dialogue.title for dialogue in failed], "all": len(every)}
    made.append(Part("dialogues", REFUTED if failed else PASSED, said, dict(broken), figures))


def _explore(
    target: Target,
    scope: Scope,
    budget: Budget,
    exact: bool,
    made: list[Part],
    found: list[Found],
    on_progress: Progress,
) -> None:
    verdict = explore(
        target.factory,
        scope,
        exact_errors=exact,
        doubt=not budget.once,
        max_states=budget.max_states,
        time_limit=budget.time_limit,
        on_progress=lambda states, waiting: on_progress("explorer", f"{states:,} states, {waiting:,} to expand"),
    )
    size = f"{verdict.states:,} states, {verdict.transitions:,} transitions, {verdict.calls:,} calls"
    said = f"{verdict.scope}: {size}"
    broken = {verdict.rule: 1} if verdict.word == REFUTED else {}
    if verdict.word == REFUTED:
        wrong = Wrong(verdict.history, verdict.expected, verdict.rule, verdict.reason)
        said = f"{verdict.scope}: {verdict.rule}, in {_calls(wrong)}"
        found.append(Found(wrong, "explorer", verdict.shortest))
    elif verdict.word == UNDECIDED:
        said = f"{said}; {verdict.reason}"
    figures = {"scope": verdict.scope, "states": verdict.states, "expanded": verdict.expanded}
    figures |= {"transitions": verdict.transitions, "calls": verdict.calls, "met": dict(verdict.met)}
    made.append(Part("explorer", verdict.word, said, broken, figures, verdict.assumptions))


def _calls(wrong: Wrong) -> str:
    return "1 call" if len(wrong.history) == 1 else f"{len(wrong.history)} calls"


def _sample(
    target: Target, budget: Budget, exact: bool, made: list[Part], found: list[Found], on_progress: Progress
) -> None:
    from .machine import agreement_machine
    from .representations import memory, quick
    from .sampling import Budget as Samples
    from .sampling import sample
    from .user_machine import contract_machine

    if target.factory is memory:  # it can also be started where ids and tokens soon run out
        machine = agreement_machine({"the contract": quick, "memory": memory})
    else:
        machine = contract_machine(target.factory, exact_errors=exact)
    samples = Samples(budget.examples, budget.steps, budget.seed)
    came = sample(machine, samples, lambda number: on_progress("machine", f"{number:,} of {budget.examples:,}"))
    said = f"{came.examples:,} examples, {came.calls:,} calls, seed {budget.seed}"
    figures = {"examples": came.examples, "calls": came.calls, "seed": budget.seed}
    if came.wrong is None:
        made.append(Part("machine", PASSED, said, {}, figures))
        return
    found.append(Found(came.wrong, "stateful machine", False))
    said = f"{came.wrong.rule}, in {_calls(came.wrong)}, after {said}"
    made.append(Part("machine", REFUTED, said, {came.wrong.rule: 1}, figures))
