"""The rule-based stateful machine: one sequence of calls drives several schedulers at once, and all must agree.

It needs hypothesis. The first scheduler of the table, the reference, says what is right; the properties are
asked of it too, so that an error that all share is found as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from ..errors import TargetFailed
from ..history import Event, perform, to_line
from ..operations import PARAMETERS
from ..values import Status
from .blame import rule_of_answer, rule_of_state, what_is_wrong
from .hostile import (
    FAR_NUMBERS,
    HIGHEST,
    ODD_NAMES,
    ODD_PAYLOADS,
    WRONG_NAMES,
    WRONG_NUMBERS,
    WRONG_PAYLOADS,
    LyingInt,
    LyingStr,
    is_plain,
    plain,
)
from .properties import BROKEN, ContractBroken, check_state, check_step, demand
from .reach import Reach
from .representations import Start, Started
from .scope import Scope
from .seeing import seen_otherwise
from .targets.abilities import FULL, UNLIMITED, Abilities
from .trials import drains
from .views import View, view

WORKERS = ("a", "b", "c")
NAMES = (*WORKERS, "A", "ghost")
WEIGHTS = {"use_current": 4, "dispatch": 3, "use_any": 2, "add_task": 2, "hostile": 2, "change": 3} | dict.fromkeys(
    ("dispatch_all", "advance", "forget", "query"), 1
)
"""How often each kind of call is drawn, in proportion."""
KINDS = [kind for kind, weight in WEIGHTS.items() for _ in range(weight)]
NEW: dict[str, int] = {}
NEARLY_USED_UP = {"now": HIGHEST - 40, "last_id": HIGHEST - 4, "last_token": HIGHEST - 3}
"""Ids, tokens and times soon run out. (I4, V2)"""
SPOILED = [op for op in PARAMETERS if PARAMETERS[op]]
NEARLY_TEN = {"last_id": 8}
"""Ids soon have two digits, which as text come before those of one. (O4)"""


class AgreementMachine(RuleBasedStateMachine):
    """Valid, refused and rejected calls, made on all schedulers; `history` keeps what the first one said."""

    starts: ClassVar[Mapping[str, Start]]
    abilities: ClassVar[Abilities] = FULL
    """What all of them have."""
    anywhere: ClassVar[bool] = True
    """Whether they can be started where an earlier scheduler left off."""
    exact_errors: ClassVar[bool] = True
    reach: ClassVar[Reach | None] = None
    """Counts the states that are met, if that was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.history: list[Event] = []
        self.started: dict[str, Started] = {}
        self.began: Mapping[str, int] = NEW
        self.is_broken = False
        self.tokens: list[tuple[int, int]] = []
        """The (task id, token) of each lease ever granted."""
        self.expiries: list[int] = []
        """Each expiry ever set."""

    @initialize(
        at=st.sampled_from([*[NEW] * 6, NEARLY_TEN, NEARLY_USED_UP]),
        capacities=st.sampled_from([(1,), (1, 2), (2, 1), (3, 2), ()]),
        tasks=st.sampled_from([1, 2, 3, 4]),
    )
    def start(self, at: dict[str, int], capacities: tuple[int, ...], tasks: int) -> None:
        """Start all, and check them as they are; most calls do nothing without a worker and a task."""
        if not self.anywhere:
            at = NEW
        if self.reach is not None:
            capacities, tasks = (self.reach.scope.capacity,) * self.reach.scope.workers, self.reach.scope.tasks
        if "workers" in self.abilities.lacks:
            capacities = (UNLIMITED,) * len(NAMES)
        self.began = at
        self.last_token = at.get("last_token", 0)
        self.started = {name: start(**at) for name, start in self.starts.items()}
        self.seen = self._agree_on_view("the start", lambda then, found: "O9")
        for worker, capacity in zip(NAMES, capacities, strict=False):
            self.call("add_worker", worker=worker, capacity=capacity)
        for _ in range(tasks):
            self.call("add_task")

    def teardown(self) -> None:
        """Of a scheduler that can't be looked at, what it holds in the end is asked for."""
        if self.started and not self.abilities.shows and not self.is_broken:
            scope = Scope(workers=len(self.seen.workers), capacity=len(self.seen.tasks), tasks=len(self.seen.tasks))
            for call in drains(self.seen, scope, [worker.name for worker in self.seen.workers])[0]:
                self.call(call[0], **call[1])

    # -- the calls: one rule that draws which, since hypothesis leaves out some rules in each example,
    #    and without dispatch there is little to see

    @rule(data=st.data(), kind=st.sampled_from(KINDS))
    def step(self, data: st.DataObject, kind: str) -> None:
        """One call, or a few dispatches at one instant."""
        getattr(self, kind)(data)

    def dispatch(self, data: st.DataObject) -> None:
        """Any worker at any time."""
        self.call("dispatch", worker=self.name(data), now=self.time(data), duration=self.duration(data))

    def dispatch_all(self, data: st.DataObject) -> None:
        """Several grants at one instant, so that leases are many and end together or in another order."""
        for _ in range(data.draw(st.integers(1, 3), "times")):
            self.call("dispatch", worker=self.name(data), now=self.seen.now, duration=self.duration(data))

    def use_current(self, data: st.DataObject) -> None:
        """A live lease with its own token: now, and one before, at and one after its own expiry."""
        if not self.seen.leases:
            self.dispatch(data)
            return
        lease, now = data.draw(st.sampled_from(self.seen.leases), "lease"), self.seen.now
        times = [now, max(now, lease.expiry - 1), now, lease.expiry, min(lease.expiry + 1, HIGHEST)]
        self.use(data, lease.task_id, lease.token, data.draw(st.sampled_from(times), "now"))

    def use_any(self, data: st.DataObject) -> None:
        """With the current token, a stale one, another task's, or one never issued."""
        task_id, token = data.draw(self.proofs(), "task and token")
        self.use(data, task_id, token, self.time(data))

    def use(self, data: st.DataObject, task_id: int, token: int, now: int) -> None:
        """Complete, release or renew."""
        op = data.draw(st.sampled_from(["complete", "release", "renew"]), "op")
        more = {"duration": self.duration(data)} if op == "renew" else {}
        self.call(op, task_id=task_id, token=token, now=now, **more)

    def advance(self, data: st.DataObject) -> None:
        """Only time passes."""
        self.call("advance", now=self.time(data))

    def add_task(self, data: st.DataObject) -> None:
        """Few priorities, so that there are ties."""
        payload = data.draw(st.sampled_from([None, *ODD_PAYLOADS]), "payload")
        priorities = [*[1, 0, 2, -1] * 2, HIGHEST - 1, HIGHEST]
        self.call("add_task", priority=data.draw(st.sampled_from(priorities), "priority"), payload=payload)

    def forget(self, data: st.DataObject) -> None:
        """Pending, running, done or unknown."""
        self.call("forget", task_id=self.task_id(data))

    def change(self, data: st.DataObject) -> None:
        """What takes no time and may change a worker."""
        op = data.draw(st.sampled_from(["set_capacity", "forget_worker", "add_worker", "add_again"]), "op")
        worker = self.name(data)
        if op in ("forget_worker", "add_again"):
            self.call("forget_worker", worker=worker)
        if op != "forget_worker":
            capacity = data.draw(st.sampled_from([1, 2, 0, 3, -1]), "capacity")
            self.call(op.replace("again", "worker"), worker=worker, capacity=capacity)

    def query(self, data: st.DataObject) -> None:
        """The queries that take an argument; the others are asked after each call."""
        op = data.draw(st.sampled_from(["task", "worker", "tasks"]), "op")
        if op == "task":
            self.call(op, task_id=self.task_id(data))
        elif op == "worker":
            self.call(op, name=self.name(data))
        else:
            self.call(op, status=data.draw(st.sampled_from([None, *Status, "pending", 0]), "status"))

    def hostile(self, data: st.DataObject) -> None:
        """A few calls with good arguments, but for one or two that are wrong, far or lying: most change nothing."""
        for _ in range(data.draw(st.integers(1, 4), "times")):
            op = data.draw(st.sampled_from(["dispatch", "add_task", *SPOILED]), "op")
            task_id, token = data.draw(self.proofs(), "task and token")
            good = {
                "worker": "a", "name": "a", "capacity": 1, "priority": 0, "payload": None, "status": None,
                "task_id": task_id, "token": token, "now": self.seen.now, "duration": 5,
            }  # fmt: skip
            arguments = {name: good[name] for name in PARAMETERS[op]}
            spoiled = st.lists(st.sampled_from(PARAMETERS[op]), min_size=1, max_size=2, unique=True)
            for name in data.draw(spoiled, "spoiled"):
                arguments[name] = data.draw(hostile_values(name, arguments[name]), name)
            self.call(op, **arguments)

    # -- the arguments

    def name(self, data: st.DataObject) -> str:
        """A name, known or not."""
        return data.draw(st.sampled_from([*WORKERS[:2] * 3, *NAMES]), "worker")

    def time(self, data: st.DataObject) -> int:
        """Now, soon, one before, at and one after an expiry that is or was, sometimes the past or much later."""
        now = self.seen.now
        boundaries = {expiry + step for expiry in self.expiries[-4:] for step in (-1, 0, 1)}
        usual = [*[now] * 5, now + 1, *sorted(time for time in boundaries if time >= now)] * 3
        return data.draw(st.sampled_from([*usual, now - 1, now + 1000]), "now")

    def duration(self, data: st.DataObject) -> int:
        """Short ones, so that leases end together; sometimes one at the end of the range."""
        usual = [3, 2, 4, 1, 8, 5, 10]
        return data.draw(st.sampled_from([*usual * 4, 0, -1, 100, HIGHEST - self.seen.now]), "duration")

    def task_id(self, data: st.DataObject) -> int:
        """One that is known, was forgotten, or was never given."""
        known = [task.id for task in self.seen.tasks]
        last = max(known, default=0)
        ids: list[int] = [*known * 2, *range(max(1, last - 3), last + 1), last + 1, 0, -1]
        return data.draw(st.sampled_from(ids), "task_id")

    def proofs(self) -> st.SearchStrategy[tuple[int, int]]:
        """Task ids and tokens, of live leases for the most part."""
        live = [(lease.task_id, lease.token) for lease in self.seen.leases]
        known = [*self.tokens[-6:], (1, 1), (2, 1), (0, 0), (1, self.last_token + 1), (1, 2**63)]
        foreign = [(one, token) for one, _ in live for _, token in live]
        return st.sampled_from([*live * 2, *foreign, *known])

    # -- what must hold after each call

    def call(self, op: str, **arguments: Any) -> None:
        """Make the call on all; they must agree, and the properties hold. One that not all can be asked isn't made."""
        if "priority" in self.abilities.lacks and op == "add_task" and type(arguments.get("priority")) is int:
            arguments["priority"] = 0
        if not self.abilities.takes((op, arguments)) and not self._is_taken_for_granted(op):
            return
        events = {name: perform(each.scheduler, op, arguments) for name, each in self.started.items()}
        first, *others = events.values()
        self.history.append(others[-1] if others else first)
        before = self.seen
        try:
            self._agree_on_events(before, events)
            plainly = Event(op, {name: plain(value) for name, value in arguments.items()}, first.answer, first.error)
            self.seen = self._agree_on_view(op, partial(rule_of_state, before, plainly))
            check_step(before, plainly, self.seen, self.last_token)
        except ContractBroken as broken:
            self.is_broken = True
            broken.add_note(self.told(broken))
            raise
        if self.reach is not None:
            self.reach.meet(self.seen)
        if op in ("dispatch", "renew") and first.answer is not None:
            self.last_token = max(self.last_token, first.answer.token)
            self.tokens.append((first.answer.task_id, first.answer.token))
            self.expiries.append(first.answer.expiry)

    def told(self, broken: ContractBroken) -> str:
        """What is said of a broken rule beside its message: the calls that led there."""
        return "\n".join(map(to_line, self.history))

    def _is_taken_for_granted(self, op: str) -> bool:
        """Workers are there from the start for a scheduler that knows none."""
        return op == "add_worker" and "workers" in self.abilities.lacks and len(self.seen.workers) < len(NAMES)

    def _agree_on_events(self, before: View, events: Mapping[str, Event]) -> None:
        (name, first), *others = events.items()
        demand("V5", is_plain(first.answer), f"{name} answered {first.answer!r}")
        for other, came in others:
            if not self.started[other].abilities.agree(first, came, self.exact_errors):
                raise BROKEN[rule_of_answer(before, first, came)](f"{other}: {what_is_wrong(first, came)}")
            demand("V5", is_plain(came.answer), f"{other} answered {came.answer!r}")

    def _agree_on_view(self, op: str, rule: Callable[[View, View], str]) -> View:
        (_, first), *others = self.started.items()
        expected = view(first.scheduler)
        for other, each in others:
            if each.abilities.shows:
                try:
                    seen = view(each.scheduler)
                except TargetFailed:
                    raise
                except Exception as error:
                    raise BROKEN["O9"](f"{other}: after {op}, a query raises {type(error).__name__}: {error}") from None
                if seen != expected:
                    raise BROKEN[rule(expected, seen)](f"{other}: after {op}, {seen_otherwise(expected, seen)}")
                demand("V5", is_plain(seen), f"{other} shows {seen!r}")
        check_state(expected)
        for each in self.started.values():
            each.check()
        return expected


def hostile_values(name: str, good: Any) -> st.SearchStrategy[Any]:
    """Values that don't fit the parameter, or only just, or lie about themselves."""
    if name in ("worker", "name"):
        return st.sampled_from([*WRONG_NAMES, *ODD_NAMES, *[LyingStr(good)] * 16, *[LyingStr("ghost")] * 4])
    if name == "payload":
        return st.sampled_from([*WRONG_PAYLOADS, *ODD_PAYLOADS])
    if name == "status":
        return st.sampled_from(["pending", 0, True, *Status])
    return st.sampled_from([*WRONG_NUMBERS, *FAR_NUMBERS, *[LyingInt(good), LyingInt(3)] * 6])


def agreement_machine(starts: Mapping[str, Start]) -> type[AgreementMachine]:
    """A machine class for these schedulers; its `TestCase` is what pytest and unittest run."""
    return type("Agreement", (AgreementMachine,), {"starts": starts})
