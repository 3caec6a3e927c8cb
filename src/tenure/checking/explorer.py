"""The explorer: a real scheduler, driven through its public calls into every state of a scope, breadth first.

In each state everything in `trials` is asked of it, and answer, error and view must equal those of the
reference, for which P1 to P9 are checked as well. A state is reached by making the calls that lead to it
anew, so a scheduler need not offer snapshots. States are merged by `Scope.key`.

The abstraction is complete for every duration: the contract knows no length of time, so what can follow
depends on the order of instants alone, and each order is tried with room before, at and after each expiry.
A call at a later instant is tried as it is, but leads on only as `advance` and then the call, which by T3 is
the same; that it is the same is part of what is compared.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, NamedTuple

from ..history import Event, perform
from ..operations import TIMED, Operations, ask
from ..values import Internal
from .hostile import plain
from .properties import ContractBroken, check_state, check_step, difference
from .quick import QuickReference
from .representations import Started
from .scope import Call, Key, Scope
from .trials import is_step, trials
from .views import View, view

Factory = Callable[[], Operations | Started]
Predicate = Callable[[View], bool]
ALWAYS_MET = ("granted", "completed", "released", "renewed", "expired", "refused", "rejected")
RULE_OF = {"add_worker": "O1", "set_capacity": "O2", "add_task": "O3", "dispatch": "O4", "complete": "O5"} | {
    "renew": "O6", "release": "O7", "advance": "O8", "forget": "O10", "forget_worker": "O11",
}  # fmt: skip


class Refuted(Exception):
    """The scheduler's history breaks a rule."""

    def __init__(self, path: tuple[Call, ...], call: Call | None, rule: str, reason: str) -> None:
        super().__init__(rule, reason)
        self.path = path
        self.call = call
        self.rule = rule
        self.reason = reason


class Node(NamedTuple):
    """A state to expand: the calls that lead to it."""

    key: Key
    path: tuple[Call, ...]


class Exploration:
    """One breadth-first run over a scope; `run` ends it with what was counted."""

    def __init__(
        self,
        factory: Factory,
        scope: Scope,
        always: Mapping[str, Predicate],
        sometimes: Mapping[str, Predicate],
        exact_errors: bool,
        on_progress: Callable[[int, int], object] | None,
    ) -> None:
        self.factory, self.scope, self.always, self.sometimes = factory, scope, always, sometimes
        self.exact_errors, self.on_progress = exact_errors, on_progress
        self.calls = 0
        self.met: Counter[str] = Counter()
        self.merged: set[Key] = set()
        self.expanded: Counter[Key] = Counter()
        self.transitions: set[tuple[Key, Any, Key]] = set()
        self.hooked = self._start().canonical is not None
        self.paths_each = 1 if self.hooked else 2
        self.frontier: deque[Node] = deque()

    # -- the run

    def run(self, max_states: int | None, deadline: float | None) -> str:
        """Explore until nothing is left, or give the limit that ended it. Raises Refuted."""
        self._meet(Node(self.scope.key(view(self._referred(self.scope.setup())[0])), self.scope.setup()), None, None)
        while self.frontier:
            if max_states is not None and len(self.expanded) > max_states:
                return f"more than {max_states:,} states"
            if deadline is not None and perf_counter() > deadline:
                return "the time limit"
            self._expand(self.frontier.popleft())
            if self.on_progress is not None:
                self.on_progress(len(self.expanded), len(self.frontier))
        return ""

    def _meet(self, node: Node, source: Key | None, label: Any) -> None:
        """A state was reached: it is expanded if it is new, or on a second path where that may matter."""
        merged = self.scope.merged(node.key)
        self.merged.add(merged)
        if source is not None and merged != source:
            self.transitions.add((source, label, merged))
        if self.expanded[node.key] < self.paths_each:
            self.expanded[node.key] += 1
            self.frontier.append(node)

    def _expand(self, node: Node) -> None:
        """Everything is tried in this state; calls that change nothing follow each other on one scheduler."""
        path = self.scope.retimed(node.path)
        reference, granted = self._referred(path)
        seen, _ = reference.snapshot()
        self._check_state(path, seen)
        quiet = self._reached(path, seen)
        merged, ends = self.scope.merged(node.key), sorted({lease.expiry for lease in seen.leases})
        tried_quietly = []
        for call in trials(seen, granted, self.scope):
            after = reference.copy()
            expected = perform(after, *call)
            then, kept = after.snapshot()
            self._count(expected, len(seen.leases) - len(then.leases))
            if then == seen:
                self._compare(path, call, quiet, expected, then, kept)
                tried_quietly.append(call)
                continue
            tried = self._replayed(path)
            self._compare(path, call, tried, expected, then, kept)
            if is_step(call, seen, self.scope):
                self._recompute(path, call, tried)
                self._check_step(path, call, seen, expected, then, granted)
                child = Node(self.scope.key(then), (*path, call))
                self._meet(child, merged, label(call, seen, ends, self.scope))
        self._recompute(path, None, quiet)
        if not self.hooked:
            self._probe(path, tried_quietly, quiet, reference)

    def _probe(self, path: tuple[Call, ...], quietly: list[Call], tried: Started, reference: QuickReference) -> None:
        """What was refused or rejected must not have used an id or a token, which only a later call can show."""
        now = reference.now
        probes: list[Call] = [("dispatch", {"worker": name, "now": now, "duration": 1}) for name in self.scope.names]
        probes.append(("add_task", {"priority": 9}))
        try:
            after = reference.copy()
            for number, probe in enumerate(probes):
                self._compare((*path, *probes[:number]), probe, tried, perform(after, *probe), *after.snapshot())
        except Refuted:
            for call in quietly:
                for probe in probes:
                    after, fresh = reference.copy(), self._replayed((*path, call))
                    self._compare((*path, call), probe, fresh, perform(after, *probe), *after.snapshot())
            raise

    # -- making calls

    def _start(self) -> Started:
        """A new scheduler, and its hook if it has one."""
        started = self.factory()
        if isinstance(started, Started):
            return started
        return Started(started, lambda: None, getattr(started, "canonical", None))

    def _replayed(self, path: tuple[Call, ...]) -> Started:
        """A scheduler on which these calls were made, whatever it said."""
        started = self._start()
        for op, arguments in path:
            perform(started.scheduler, op, arguments)
        self.calls += len(path)
        return started

    def _reached(self, path: tuple[Call, ...], seen: View) -> Started:
        """The same, and it must be where the reference is; if not, the first call that differs is found."""
        started = self._replayed(path)
        found = seen_of(started.scheduler)
        if found == seen:
            return started
        started = self._start()
        reference = QuickReference()
        for number, call in enumerate(path):
            expected = perform(reference, *call)
            self._compare(path[:number], call, started, expected, *reference.snapshot())
        what = found if isinstance(found, str) else difference(seen, found)
        raise Refuted(path, None, "P7", f"the same calls don't always lead to the same state: {what}")

    def _referred(self, path: tuple[Call, ...]) -> tuple[QuickReference, dict[int, list[int]]]:
        """The reference after these calls, and each task's tokens."""
        reference = QuickReference()
        granted: dict[int, list[int]] = {}
        for op, arguments in path:
            answer = ask(reference, op, arguments)
            if op == "dispatch" and answer is not None:
                granted.setdefault(answer.task_id, []).append(answer.token)
        return reference, granted

    # -- what must be so

    def _compare(
        self, path: tuple[Call, ...], call: Call, tried: Started, expected: Event, then: View, kept: Internal
    ) -> None:
        """Make the call: answer, error, view and all that is kept must be the reference's."""
        self.calls += 1
        event = perform(tried.scheduler, *call)
        rule = "R1" if expected.error else RULE_OF.get(call[0], "O9")
        same_error = event.error == expected.error if self.exact_errors else bool(event.error) == bool(expected.error)
        if not same_error:
            raise Refuted(path, call, rule, f"{event.error or 'no error'}, not {expected.error or 'accepted'}")
        if event.answer != expected.answer:
            raise Refuted(path, call, rule, f"the answer is {event.answer!r}, and must be {expected.answer!r}")
        found = seen_of(tried.scheduler)
        if isinstance(found, str):
            raise Refuted(path, call, "O9", found)
        if found != then:
            raise Refuted(path, call, "R1" if expected.error else "P6", difference(then, found))
        if tried.canonical is not None and (found_kept := tried.canonical()) != kept:
            raise Refuted(path, call, "P7", f"it keeps {found_kept}, and must keep {kept}")

    def _recompute(self, path: tuple[Call, ...], call: Call | None, tried: Started) -> None:
        """Each structure is what the plain data make it, where the scheduler can tell."""
        try:
            tried.check()
        except AssertionError as error:
            raise Refuted(path, call, "check", f"a structure isn't what the plain data make it: {error}") from None

    def _check_state(self, path: tuple[Call, ...], seen: View) -> None:
        for name, predicate in self.always.items():
            if not predicate(seen):
                raise Refuted(path, None, "always", f"not so: {name}")
        for name, predicate in self.sometimes.items():
            self.met[name] += predicate(seen)
        try:
            check_state(seen)
        except ContractBroken as broken:
            raise Refuted(path, None, broken.rule, str(broken)) from None

    def _check_step(
        self, path: tuple[Call, ...], call: Call, seen: View, event: Event, then: View, granted: dict[int, list[int]]
    ) -> None:
        last = max((token for tokens in granted.values() for token in tokens), default=0)
        plainly = event._replace(arguments={name: plain(value) for name, value in event.arguments.items()})
        try:
            check_step(seen, plainly, then, last)
        except ContractBroken as broken:
            raise Refuted(path, call, broken.rule, str(broken)) from None

    def _count(self, event: Event, fewer: int) -> None:
        if event.error is not None:
            self.met["rejected"] += 1
        elif event.answer is None or event.answer is False:
            self.met["refused"] += event.op in TIMED
        elif event.op in COUNTED:
            self.met[COUNTED[event.op]] += 1
        elif event.op == "advance" and fewer:
            self.met["expired"] += 1


def seen_of(scheduler: Operations) -> View | str:
    """What the queries show, or what went wrong."""
    try:
        return view(scheduler)
    except Exception as error:
        return f"a query raises {type(error).__name__}: {error}"


COUNTED = {"dispatch": "granted", "complete": "completed", "release": "released", "renew": "renewed"}


def label(call: Call, seen: View, ends: list[int], scope: Scope) -> tuple[Any, ...]:
    """The event as the abstraction sees it: who and what, and where among the expiries."""
    op, arguments = call

    def place(instant: int) -> int:
        if scope.durations is not None:
            return instant - seen.now
        return 2 * bisect_left(ends, instant) + (instant in ends)

    ids = [task.id for task in seen.tasks]
    task_id = arguments.get("task_id")
    who = ids.index(task_id) if task_id in ids else arguments.get("worker")
    if op == "advance":
        return op, place(arguments["now"])
    if "duration" in arguments:
        return op, who, place(arguments["now"] + arguments["duration"])
    return op, who, arguments.get("capacity", arguments.get("priority"))
