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
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple

from ..errors import TargetFailed
from ..history import Event, perform
from ..operations import TIMED, Operations, ask
from ..values import Internal
from .blame import rule_of_answer, rule_of_state, what_is_wrong
from .hostile import plain
from .properties import ContractBroken, check_state, check_step
from .quick import QuickReference
from .representations import Started
from .scope import Key, Scope
from .seeing import kept_otherwise, seen_otherwise
from .targets.abilities import Call
from .targets.adapted import Adapted, started
from .trials import drains, is_step, trials
from .views import View, view

Factory = Callable[[], Any]
"""Makes a new scheduler each time: a `Started`, Tenure's own, or anything with the same methods."""
Granted = dict[int, list[int]]
"""The tokens of each task so far."""
Drained = list[tuple[list[Call], list[Event]]]
"""Calls in a row, and what must come of them; several such rows, each from the same state."""
Predicate = Callable[[View], bool]
ALWAYS_MET = ("granted", "completed", "released", "renewed", "expired", "refused", "rejected")


class Refuted(Exception):
    """The scheduler's history breaks a rule."""

    def __init__(self, path: tuple[Call, ...], call: Call | None, rule: str, reason: str) -> None:
        super().__init__(rule, reason)
        self.path = path
        self.call = call
        self.rule = rule
        self.reason = reason
        self.is_put_off = False
        """Whether it is told only if nothing worse is found."""


class Trial(NamedTuple):
    """A call, and the reference's answer, itself afterwards, what it then shows and all that it keeps."""

    call: Call
    expected: Event
    after: QuickReference
    then: View
    kept: Internal


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
        first = started(self.factory())
        self.hooked, self.abilities = first.canonical is not None, first.abilities
        self.paths_each = 1 if self.hooked else 2
        self.frontier: deque[Node] = deque()
        self.put_off: Refuted | None = None

    # -- the run

    def run(self, max_states: int | None, deadline: float | None, most_steps: int | None = None) -> str:
        """Explore until nothing is left, or give the limit that ended it. Raises Refuted.

        States that lie `most_steps` steps or more from the first are met and not expanded.
        """
        limit = self._run(max_states, deadline, most_steps)
        if self.put_off is not None:
            raise self.put_off
        return limit

    def _run(self, max_states: int | None, deadline: float | None, most_steps: int | None) -> str:
        setup = self.scope.setup()
        self._meet(Node(self.scope.key(view(self._referred(setup)[0])), setup), None, None)
        while self.frontier:
            if max_states is not None and len(self.expanded) > max_states:
                return f"more than {max_states:,} states"
            if deadline is not None and perf_counter() > deadline:
                return "the time limit"
            node = self.frontier.popleft()
            if most_steps is not None and len(node.path) - len(setup) >= most_steps:
                return ""
            self._expand(node)
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
        quietly: list[Call] = []
        stepping: list[Trial] = []
        for call in filter(self.abilities.takes, trials(seen, granted, self.scope)):
            after = reference.copy()
            expected = perform(after, *call)
            tried = Trial(call, expected, after, *after.snapshot())
            self._count(expected, len(seen.leases) - len(tried.then.leases))
            if tried.then == seen and self.abilities.shows:
                quiet = self._try_quietly(path, seen, tried, quiet, quietly)
            else:
                stepping.append(tried)
        # The quiet ones come first, since a scheduler in another program ends where the next one starts.
        self._recompute(path, None, quiet)
        if not self.hooked and self.abilities.shows:
            self._probe(path, quietly, quiet, reference)
        drained = [] if self.abilities.shows else self._drained(reference, seen)
        for tried in stepping:
            self._try(node, path, seen, granted, tried, drained)

    def _try_quietly(
        self, path: tuple[Call, ...], seen: View, tried: Trial, scheduler: Started, quietly: list[Call]
    ) -> Started:
        """A call that must change nothing; gives the scheduler for the next one."""
        try:
            self._compare(path, seen, tried, scheduler)
        except Refuted as refuted:
            self._put_off(refuted, tried)
            return self._replayed(path)
        quietly.append(tried.call)
        return scheduler

    def _put_off(self, refuted: Refuted, tried: Trial) -> None:
        """That bad arguments are accepted is told in the end, if nothing worse is found. Raises anything else."""
        if tried.expected.error is None or not refuted.rule.startswith("V"):
            raise refuted
        if self.put_off is None:
            self.put_off = refuted
            refuted.is_put_off = True

    def _try(
        self, node: Node, path: tuple[Call, ...], seen: View, granted: Granted, tried: Trial, drained: Drained
    ) -> None:
        """A call that may change the state, on a scheduler of its own; `drained` is for one that doesn't."""
        call = tried.call
        scheduler = self._replayed(path)
        try:
            self._compare(path, seen, tried, scheduler)
        except Refuted as refuted:
            self._put_off(refuted, tried)
            return
        if not self.abilities.shows:
            changed = tried.then != seen
            self._drain((*path, call), scheduler, self._drained(tried.after, tried.then) if changed else drained)
        if is_step(call, seen, self.scope):
            self._recompute(path, call, scheduler)
            self._check_step(path, call, seen, tried.expected, tried.then, granted)
            if tried.then != seen:
                ends = sorted({lease.expiry for lease in seen.leases})
                child = Node(self.scope.key(tried.then), (*path, call))
                self._meet(child, self.scope.merged(node.key), label(call, seen, ends, self.scope))

    def _probe(self, path: tuple[Call, ...], quietly: list[Call], tried: Started, reference: QuickReference) -> None:
        """What was refused or rejected must not have used an id or a token, which only a later call can show."""
        now = reference.now
        probes: list[Call] = [("dispatch", {"worker": name, "now": now, "duration": 1}) for name in self.scope.names]
        probes.append(("add_task", {"priority": 9}))
        try:
            self._follow(path, probes, performed(reference.copy(), probes), tried)
        except Refuted:
            for call in quietly:
                for probe in probes:
                    expected = performed(reference.copy(), [call, probe])[1:]
                    self._follow((*path, call), [probe], expected, self._replayed((*path, call)))
            raise

    def _drain(self, path: tuple[Call, ...], scheduler: Started, drained: Drained) -> None:
        """What can't be looked at is asked for: all that would be granted now and when all is over, or completed."""
        for number, (calls, expected) in enumerate(drained):
            self._follow(path, calls, expected, self._replayed(path) if number else scheduler)

    def _drained(self, reference: QuickReference, seen: View) -> Drained:
        """The calls that drain this state, and what must come of them."""
        asked = [[call for call in drain if self.abilities.takes(call)] for drain in drains(seen, self.scope)]
        return [(calls, performed(reference.copy(), calls)) for calls in asked]

    def _follow(
        self, path: tuple[Call, ...], calls: Sequence[Call], expected: Sequence[Event], scheduler: Started
    ) -> None:
        """These calls one after another, each answered as it must be."""
        self.calls += len(calls)
        for number, (wanted, came) in enumerate(zip(expected, performed(scheduler.scheduler, calls), strict=True)):
            if not self.abilities.agree(wanted, came, self.exact_errors):
                self._judge((*path, *calls[:number]), self._seen_after((*path, *calls[:number])), wanted, came)

    def _seen_after(self, path: tuple[Call, ...]) -> View:
        """What the reference shows after these calls, whatever came of them."""
        reference = QuickReference()
        performed(reference, path)
        return view(reference)

    # -- making calls

    def _replayed(self, path: tuple[Call, ...]) -> Started:
        """A scheduler on which these calls were made, whatever it said."""
        new = started(self.factory())
        if isinstance(new.scheduler, Adapted):
            new.scheduler.replay(path)
        else:
            for op, arguments in path:
                perform(new.scheduler, op, arguments)
        self.calls += len(path)
        return new

    def _reached(self, path: tuple[Call, ...], seen: View) -> Started:
        """The same, and it must be where the reference is; if not, the first call that differs is found."""
        reached = self._replayed(path)
        if not self.abilities.shows or (found := seen_of(reached.scheduler)) == seen:
            return reached
        again, reference = started(self.factory()), QuickReference()
        for number, call in enumerate(path):
            before, _ = reference.snapshot()
            expected = perform(reference, *call)
            if self.abilities.has(call[0]):
                self._compare(path[:number], before, Trial(call, expected, reference, *reference.snapshot()), again)
        what = found if isinstance(found, str) else seen_otherwise(seen, found)
        raise Refuted(path, None, "P7", f"the same calls don't always lead to the same state: {what}")

    def _referred(self, path: tuple[Call, ...]) -> tuple[QuickReference, Granted]:
        """The reference after these calls, and each task's tokens."""
        reference = QuickReference()
        granted: Granted = {}
        for op, arguments in path:
            answer = ask(reference, op, arguments)
            if op == "dispatch" and answer is not None:
                granted.setdefault(answer.task_id, []).append(answer.token)
        return reference, granted

    # -- what must be so

    def _compare(self, path: tuple[Call, ...], before: View, tried: Trial, scheduler: Started) -> None:
        """Make the call: answer, error, view and all that is kept must be the reference's."""
        self.calls += 1
        event = perform(scheduler.scheduler, *tried.call)
        self._judge(path, before, tried.expected, event)
        if not self.abilities.shows:
            return
        call, found = tried.call, seen_of(scheduler.scheduler)
        if isinstance(found, str):
            raise Refuted(path, call, "O9", found)
        if found != tried.then:
            rule = rule_of_state(before, tried.expected, tried.then, found)
            raise Refuted(path, call, rule, seen_otherwise(tried.then, found))
        if scheduler.canonical is not None and (kept := scheduler.canonical()) != tried.kept:
            raise Refuted(path, call, "P7", kept_otherwise(tried.kept, kept))

    def _judge(self, path: tuple[Call, ...], before: View, expected: Event, came: Event) -> None:
        """The answer must be the reference's, as far as the scheduler can show it."""
        if not self.abilities.agree(expected, came, self.exact_errors):
            rule, reason = rule_of_answer(before, expected, came), what_is_wrong(expected, came)
            raise Refuted(path, (came.op, came.arguments), rule, reason)

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
        self, path: tuple[Call, ...], call: Call, seen: View, event: Event, then: View, granted: Granted
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


def performed(scheduler: Operations, calls: Sequence[Call]) -> list[Event]:
    """What came of these calls, asked at once where that is possible."""
    return scheduler.perform_all(calls) if isinstance(scheduler, Adapted) else [perform(scheduler, *c) for c in calls]


def seen_of(scheduler: Operations) -> View | str:
    """What the queries show, or what went wrong."""
    try:
        return view(scheduler)
    except TargetFailed:
        raise
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
