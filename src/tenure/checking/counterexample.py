"""A counterexample: the history that breaks a rule, and what the contract says at each of its steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..history import Event, perform
from ..lanes import Course, Drawing, Mark, visible
from ..lanes.course import bar_of
from ..lanes.drawing import CONCERNED, WRONG, Bar
from ..operations import TIMED
from ..values import Lease, Task
from .literals import answer, answered, call, must
from .quick import QuickReference
from .seeing import seen_otherwise
from .sentences import told
from .targets.abilities import UNLIMITED
from .verdict import Verdict
from .views import View

REASON_MOST = 240


class Counterexample(NamedTuple):
    """A history whose last call breaks the contract, and how it was found."""

    target: str
    """How a person names it: `package.module:factory`, `java -cp out Adapter`, `Tenure's in-memory scheduler`."""
    rule: str
    """Such as `T4`; may also be `check` or `always`, or empty when no sentence fits."""
    reason: str
    """One sentence: what went wrong."""
    history: tuple[Event, ...]
    """The calls with the target's answers; the last one is the failing one."""
    expected: Event | None
    """What the contract answers to the last call; None if the answers agree and the state shown afterwards differs."""
    shortest: bool
    """Whether no shorter history breaks a rule; only then may it be said."""
    found_by: str
    """`explorer`, `stateful machine`, `dialogue: <title>`."""
    make: str = ""
    """Python source that defines `make()`, which returns the scheduler under test, with its imports."""
    aside: str = ""
    """What the state shows and must show, for instance."""
    exact_errors: bool = True
    """Whether a rejection must raise the contract's class, and not just something. (R1)"""
    has_workers: bool = True
    """Whether the target knows workers; to one that doesn't, any name is a worker that is never full."""


class Step(NamedTuple):
    """A call of the history, and what the contract says came of it."""

    number: int
    call: str
    answer: str
    """The target's."""
    changes: tuple[str, ...]
    """Only what changed, by the contract."""
    failing: bool
    expected: Event
    """The contract's answer."""
    before: View
    after: View


def steps(counterexample: Counterexample) -> tuple[Step, ...]:
    """The history, step by step, beside the reference. O(n m) for n calls and m tasks."""
    return tuple(_steps(counterexample))


def _steps(counterexample: Counterexample) -> Iterator[Step]:
    reference = QuickReference()
    before, _ = reference.snapshot()
    last = len(counterexample.history)
    for number, event in enumerate(counterexample.history, 1):
        if event.op == "dispatch" and not counterexample.has_workers:
            perform(reference, "add_worker", {"worker": event.arguments["worker"], "capacity": UNLIMITED})
            before, _ = reference.snapshot()
        expected = perform(reference, event.op, event.arguments)
        after, _ = reference.snapshot()
        changes = tuple(_changes(before, after))
        yield Step(number, call(event), answer(event), changes, number == last, expected, before, after)
        before = after


def from_verdict(verdict: Verdict, target: str, make: str = "", found: View | None = None) -> Counterexample:
    """What an exploration refuted, as a counterexample; the verdict must be REFUTED, with a history.

    `found` is what the target's queries show after the history, if that is known.
    """
    reference = QuickReference()
    for event in verdict.history:
        perform(reference, event.op, event.arguments)
    return Counterexample(
        target,
        verdict.rule,
        verdict.reason,
        verdict.history,
        verdict.expected,
        verdict.shortest,
        found_by="explorer",
        make=make,
        aside="" if found is None or verdict.expected else seen_otherwise(reference.snapshot()[0], found),
    )


# -- what is said of it


def headline(counterexample: Counterexample) -> str:
    """What went wrong in one sentence: the call, what it answered and what it must answer, or what the state shows."""
    last, expected = counterexample.history[-1], counterexample.expected
    if expected is None:
        reason = visible(counterexample.aside or counterexample.reason)
        reason = reason if len(reason) <= REASON_MOST else f"{reason[: REASON_MOST - 3]}..."
        return f"After {call(last)}, which {answered(last)} as it must: {reason.rstrip('.')}."
    return f"{call(last)} {answered(last, expected)}, and must {_required(counterexample, expected)}."


def _required(counterexample: Counterexample, expected: Event) -> str:
    """What must come of the last call."""
    last = counterexample.history[-1]
    if expected.error is not None and last.error is None and not counterexample.exact_errors:
        return "be rejected"
    return must(expected, last)


def contract_says(counterexample: Counterexample) -> tuple[str, str]:
    """What must come of the failing call, and the sentence of the rule (empty if there is none)."""
    if counterexample.expected is None:
        said = "the answer is right; the state that it leaves isn't."
    else:
        last, expected = counterexample.history[-1], counterexample.expected
        said = f"{call(last)} must {_required(counterexample, expected)}."
    return said, told(counterexample.rule)


def length(counterexample: Counterexample) -> str:
    """How many steps it has, and whether there is no shorter one."""
    count = len(counterexample.history)
    number = "1 step" if count == 1 else f"{count} steps"
    return f"{number}, the shortest" if counterexample.shortest and count > 1 else number


# -- what changed


def _changes(before: View, after: View) -> Iterator[str]:
    """What differs between two views, in the order in which a person asks: time, tasks, leases, workers."""
    if before.now != after.now:
        yield f"time {before.now} -> {after.now}"
    earlier = {task.id: task for task in before.tasks}
    for task in after.tasks:
        if task.id not in earlier:
            yield f"task {task.id} is {task.status.value}"
        elif task != earlier[task.id]:
            yield from _task_changes(earlier[task.id], task)
    kept = {task.id for task in after.tasks}
    yield from (f"task {task_id} is forgotten" for task_id in earlier if task_id not in kept)
    workers = {worker.name: worker for worker in before.workers}
    for worker in after.workers:
        if worker != workers.get(worker.name) and worker.capacity < UNLIMITED:
            yield f"{visible(worker.name)} holds {worker.held} of {worker.capacity}"
    known = {worker.name for worker in after.workers}
    yield from (f"{visible(name)} is forgotten" for name in workers if name not in known)


def _task_changes(before: Task, after: Task) -> Iterator[str]:
    if before.status is not after.status:
        yield f"task {after.id}: {before.status.value} -> {after.status.value}"
    old, new = before.lease, after.lease
    if old is not None and new is not None and old.token == new.token:
        yield f"token {new.token}: expiry {old.expiry} -> {new.expiry}"
    elif old is not None:
        yield f"token {old.token} is over"


# -- how it is drawn


def drawing(counterexample: Counterexample) -> Drawing:
    """The contract's leases, and what the target says beside them, with the failing instant marked."""
    every = steps(counterexample)
    course = Course()
    for step in every:
        after = step.after
        course.saw(step.expected, after.now, after.leases, after.workers)
    failing = every[-1]
    last = counterexample.history[-1]
    marks = [
        Mark(step.after.now, f"step {step.number}", step.number, step.number + 1)
        for step in every
        if step.expected.op in TIMED and not step.failing
    ]
    expected = counterexample.expected
    required = "but the state is wrong" if expected is None else f"and must {_required(counterexample, expected)}"
    label = f"step {failing.number}, {last.op} {answered(last, expected)}, {required}"
    marks.append(Mark(_instant(last, failing), label, failing.number, failing=True))
    title = f"{visible(counterexample.target)}: {counterexample.rule} broken at step {failing.number}"
    wrong = _wrong(counterexample, failing)
    return course.drawing(title, marks, wrong, {} if wrong else _concerned(counterexample, failing))


def _instant(event: Event, step: Step) -> int:
    """When the failing call was made: its own time if it is one, else the scheduler's."""
    now = event.arguments.get("now")
    return now if type(now) is int and 0 <= now < 2**63 else step.after.now


def _leases(value: Any) -> tuple[Lease, ...]:
    """The leases in an answer."""
    if isinstance(value, Lease):
        return (value,) if _drawable(value) else ()
    if isinstance(value, tuple | list):
        return tuple(one for one in value if isinstance(one, Lease) and _drawable(one))
    return ()


def _drawable(lease: Lease) -> bool:
    numbers = (lease.task_id, lease.token, lease.start, lease.expiry)
    return all(type(one) is int for one in numbers) and type(lease.worker) is str and lease.start < lease.expiry


def _wrong(counterexample: Counterexample, step: Step) -> list[Bar]:
    """The lease that the target granted or renewed, where the contract has another or none."""
    last = counterexample.history[-1]
    if counterexample.expected is None or last.op not in ("dispatch", "renew"):
        return []
    return [bar_of(lease, step.number, WRONG) for lease in _leases(last.answer)]


def _concerned(counterexample: Counterexample, step: Step) -> dict[int, str]:
    """The tokens of the leases that the failing call is about."""
    last = counterexample.history[-1]
    told_of = {lease.token for one in (last, step.expected) for lease in _leases(one.answer)}
    at_stake = step.before.leases + step.after.leases
    task_id, token = last.arguments.get("task_id"), last.arguments.get("token")
    if type(token) is int and any(lease.token == token for lease in at_stake):
        told_of.add(token)
    elif type(task_id) is int:
        told_of |= {lease.token for lease in at_stake if lease.task_id == task_id}
    if last.op == "dispatch" or (counterexample.expected is None and last.op == "advance"):
        before, after = ({lease.token: lease for lease in view.leases} for view in (step.before, step.after))
        told_of |= before.keys() ^ after.keys()
    return dict.fromkeys(told_of, CONCERNED)
