"""`explore`: what an exploration amounts to, said as a verdict, and what that stands on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

from ..history import Event, perform
from .explorer import ALWAYS_MET, Exploration, Factory, Predicate, Refuted
from .representations import Started
from .scope import Scope
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
    scope = replace(scope or Scope(), **size)
    began = perf_counter()
    deadline = None if time_limit is None else began + time_limit

    def explored(part: Scope) -> tuple[Exploration, str, Refuted | None]:
        run = Exploration(factory, part, always or {}, sometimes or {}, exact_errors, on_progress)
        try:
            return run, run.run(max_states, deadline), None
        except Refuted as refuted:
            return run, "", refuted

    run, limit, refuted = explored(scope)
    told = Telling(run, scope, began)
    if refuted is not None:
        return told.verdict(REFUTED, refuted.reason, refuted.rule, history_of(factory, refuted))
    if limit:
        return told.verdict(UNDECIDED, f"ended by {limit}")
    if never := [name for name in (*ALWAYS_MET, *(sometimes or {})) if not run.met[name]]:
        return told.verdict(UNDECIDED, f"nothing was ever {', '.join(never)}, so agreement says little")
    if not doubt:
        return told.verdict(PROVED if run.hooked else PASSED, assumptions=assumptions(run, tested=False))
    other, limit, refuted = explored(replace(scope, base=SHIFTED_BASE, gap=SCALED_GAP))
    if refuted is not None:
        return told.verdict(REFUTED, refuted.reason, refuted.rule, history_of(factory, refuted))
    if limit:
        return told.verdict(UNDECIDED, f"ended by {limit}, the second time")
    if (run.merged, run.expanded, run.transitions) != (other.merged, other.expanded, other.transitions):
        counts = f"{len(run.merged):,} states and then {len(other.merged):,}"
        return told.verdict(UNDECIDED, f"{counts}: it depends on the time itself, or on chance")
    return told.verdict(PROVED if run.hooked else PASSED, assumptions=assumptions(run, tested=True))


class Telling:
    """The figures of a run, put into verdicts."""

    def __init__(self, run: Exploration, scope: Scope, began: float) -> None:
        self.run, self.scope, self.began = run, scope, began

    def verdict(
        self,
        word: str,
        reason: str = "",
        rule: str = "",
        history: tuple[Event, ...] = (),
        assumptions: tuple[str, ...] = (),
    ) -> Verdict:
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
            rule=rule,
            reason=reason,
            history=history,
        )


def assumptions(run: Exploration, tested: bool) -> tuple[str, ...]:
    """What the word stands on beside the calls that were made."""
    how = "a second run at another time and scale had the same states" if tested else "not tested here: doubt=False"
    found = [f"it is deterministic, and no length of time is special to it ({how})", "tokens are compared by equality"]
    if run.hooked:
        found.append("`canonical()` tells all that it keeps")
    else:
        found.append("states with equal views are alike; two paths to each were expanded where there were two")
    return tuple(found)


def history_of(factory: Factory, refuted: Refuted) -> tuple[Event, ...]:
    """The calls of the counterexample with the scheduler's own answers."""
    started = factory()
    scheduler = started.scheduler if isinstance(started, Started) else started
    calls = (*refuted.path, refuted.call) if refuted.call else refuted.path
    return tuple(perform(scheduler, *call) for call in calls)
