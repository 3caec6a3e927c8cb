"""`explore`: what an exploration amounts to, said as a verdict, and what that stands on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

from ..history import perform
from .explorer import ALWAYS_MET, Exploration, Factory, Predicate, Refuted
from .quick import QuickReference
from .representations import Started
from .scope import Scope
from .shortening import first_wrong, shortened, simplified
from .targets.adapted import started
from .verdict import PASSED, PROVED, REFUTED, UNDECIDED, Verdict

SHIFTED_BASE, SCALED_GAP = 10**9 + 7, 1000


def explore(
    factory: Factory,
    scope: Scope | None = None,
    *,
    always: Mapping[str, Predicate] | None = None,
    sometimes: Mapping[str, Predicate] | None = None,
    exact_errors: bool = True,
    doubt: bool = True,
    max_states: int | None = None,
    time_limit: float | None = None,
    on_progress: Callable[[int, int], object] | None = None,
    **size: Any,
) -> Verdict:
    """The verdict on the scheduler that `factory` makes anew each time, over a scope of so many tasks and workers.

    `size` are the fields of `Scope`: tasks, workers, capacity, durations, arrivals, ... `always` must hold in each
    state, and each of `sometimes` in at least one, beside what always must: that something was granted, completed,
    released, renewed, expired, refused and rejected. `exact_errors` asks for the reference's exception classes and
    not just for any. `doubt` explores a second time, at another time and scale, where the counts must be
    the same. A factory may give a `Started` or an object with `canonical()`; then PROVED can be said.
    `time_limit` is in seconds; `on_progress` is told how many states are expanded and how many wait.
    """
    abilities = started(factory()).abilities
    scope = replace(scope or Scope(), **size).fitted(abilities.lacks)
    began = perf_counter()
    deadline = None if time_limit is None else began + time_limit

    def explored(part: Scope, most_steps: int | None = None) -> tuple[Exploration, str, Refuted | None]:
        run = Exploration(factory, part, always or {}, sometimes or {}, exact_errors, on_progress)
        try:
            return run, run.run(max_states, deadline, most_steps), None
        except Refuted as refuted:
            return run, "", refuted

    run, limit, refuted = explored(scope)
    told = Telling(run, scope, began)
    if refuted is not None:
        return told.refuted(factory, shortest(explored, scope, refuted), exact_errors, shortest=True)
    if limit:
        return told.verdict(UNDECIDED, f"ended by {limit}")
    wanted = [name for name in ALWAYS_MET if abilities.has(DONE_BY.get(name, name))]
    if never := [name for name in (*wanted, *(sometimes or {})) if not run.met[name]]:
        return told.verdict(UNDECIDED, f"nothing was ever {', '.join(never)}, so agreement says little")
    word = PROVED if run.hooked else PASSED
    if not doubt:
        return told.verdict(word, assumptions=assumptions(run, tested=False))
    other, limit, refuted = explored(replace(scope, base=SHIFTED_BASE, gap=SCALED_GAP))
    if refuted is not None:
        return told.refuted(factory, refuted, exact_errors, shortest=False)
    if limit:
        return told.verdict(UNDECIDED, f"ended by {limit}, the second time")
    if (run.merged, run.expanded, run.transitions) != (other.merged, other.expanded, other.transitions):
        counts = f"{len(run.merged):,} states and then {len(other.merged):,}"
        return told.verdict(UNDECIDED, f"{counts}: it depends on the time itself, or on chance")
    return told.verdict(word, assumptions=assumptions(run, tested=True))


DONE_BY = {"granted": "dispatch", "completed": "complete", "released": "release", "renewed": "renew"} | dict.fromkeys(
    ("expired", "refused", "rejected"), "advance"
)
"""The operation without which each of `ALWAYS_MET` can't come about."""


class Telling:
    """The figures of a run, put into verdicts."""

    def __init__(self, run: Exploration, scope: Scope, began: float) -> None:
        self.run, self.scope, self.began = run, scope, began

    def verdict(self, word: str, reason: str = "", assumptions: tuple[str, ...] = ()) -> Verdict:
        """The verdict with this word."""
        run = self.run
        return Verdict(
            word=word,
            scope=str(self.scope),
            states=len(run.merged),
            expanded=len(run.expanded),
            transitions=len(run.transitions),
            calls=run.calls,
            seconds=perf_counter() - self.began,
            assumptions=assumptions,
            met=dict(run.met),
            not_checked=run.abilities.not_checked(),
            reason=reason,
        )

    def refuted(self, factory: Factory, refuted: Refuted, exact_errors: bool, *, shortest: bool) -> Verdict:
        """The verdict with the history that refutes, its arguments as plain as they can be."""
        verdict = replace(self.verdict(REFUTED, refuted.reason), rule=refuted.rule, shortest=shortest)
        calls = (*refuted.path, refuted.call) if refuted.call else refuted.path

        def start() -> tuple[Started, QuickReference]:
            return started(factory()), QuickReference()

        wrong = first_wrong(start, calls, exact_errors=exact_errors)
        if wrong is None:  # a predicate of the caller's, or chance
            scheduler = started(factory()).scheduler
            return replace(verdict, history=tuple(perform(scheduler, *call) for call in calls))
        if not self.run.abilities.shows:  # whole rows of calls were tried at once, to see what can't be looked at
            wrong = shortened(start, wrong, exact_errors=exact_errors)
            verdict = replace(verdict, shortest=False)
        wrong = simplified(start, wrong, exact_errors=exact_errors)
        return replace(verdict, **wrong._asdict())


def shortest(
    explored: Callable[[Scope, int], tuple[Any, str, Refuted | None]], scope: Scope, found: Refuted
) -> Refuted:
    """The shortest of what is found with fewer tasks or workers too; calls of the set-up count.

    Breadth first, what is found in one scope has the fewest calls beyond its set-up.
    """
    sizes = ((tasks, workers) for tasks in range(scope.tasks + 1) for workers in range(scope.workers + 1))
    for tasks, workers in sorted(sizes, key=sum):
        steps = len(found.path) - tasks - workers
        if steps > 0 and (tasks, workers) != (scope.tasks, scope.workers):
            _, _, other = explored(replace(scope, tasks=tasks, workers=workers), steps)
            if other is not None and other.is_put_off == found.is_put_off:
                found = other
    return found


def assumptions(run: Exploration, tested: bool) -> tuple[str, ...]:
    """What the word stands on beside the calls that were made."""
    how = "a second run at another time and scale had the same states" if tested else "not tested: there was one run"
    found = [f"it is deterministic, and no length of time is special to it ({how})", "tokens are compared by equality"]
    if run.hooked:
        found.append("`canonical()` tells all that it keeps")
    else:
        found.append("states with equal views are alike; two paths to each were expanded where there were two")
    return tuple(found)
