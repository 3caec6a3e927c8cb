"""A counterexample as a pytest file: it fails on the faulty scheduler, and passes on one that keeps the contract."""

from __future__ import annotations

import builtins
from textwrap import wrap
from typing import Any

from ... import errors
from ...history import Event, perform
from ...lanes import visible
from ...values import Counts, Lease, Status, Task, Worker
from ..counterexample import Counterexample, headline, steps
from ..literals import answer, must
from ..quick import QuickReference
from ..sentences import told
from ..views import View
from .source import Source, ordered, split

FIRST_FIELDS = ("task_id", "token", "start", "expiry")
PROBED_MOST = 20
"""With more tasks pending, the file doesn't ask in which order they would be granted."""
NO_MAKE = '''def make():
    """Return the scheduler under test, anew each time."""
    raise NotImplementedError("return your scheduler here")'''
FIELDS = '''def fields(value, names):
    """The fields of a value, a status by its name and a lease by its token."""
    found = [getattr(value, name) for name in names]
    return tuple(getattr(one, "token", getattr(one, "value", one)) for one in found)'''
NAMES: dict[type, str] = {Task: "TASK", Worker: "WORKER", Lease: "LEASE", Counts: "COUNTS"}


def reproduction(counterexample: Counterexample) -> str:
    """The file's text: `make()`, and one test that makes the calls and says at each what must come of it."""
    writer = _Writer(counterexample)
    writer.write()
    imports, rest = split(counterexample.make) if counterexample.make.strip() else ([], NO_MAKE)
    source = writer.source
    constants = [f"{NAMES[kind]} = {_names(kind)}" for kind in NAMES if NAMES[kind] in writer.needed]
    helpers = [FIELDS] if constants else []
    head = [_docstring(counterexample), ordered([*imports, *source.imports]), "\n".join(constants)]
    test = "\n".join([f"def {_name(counterexample)}():", *source.lines])
    return "\n\n".join(part for part in head if part) + "\n\n\n" + "\n\n\n".join([rest, *helpers, test]) + "\n"


def _names(kind: Any) -> str:
    return "(" + ", ".join(f'"{name}"' for name in kind._fields) + ")"


def _name(counterexample: Counterexample) -> str:
    last, expected = counterexample.history[-1], counterexample.expected
    rule = f"{counterexample.rule.lower()}_" if counterexample.rule.isalnum() else ""
    if expected is None:
        return f"test_{rule}after_{last.op}_the_state_is_right"
    if expected.error is not None:
        return f"test_{rule}{last.op}_is_rejected"
    if answer(expected) == "refused":
        return f"test_{rule}{last.op}_is_refused"
    return f"test_{rule}{last.op}_gives_the_right_answer"


def _docstring(counterexample: Counterexample) -> str:
    facts = [headline(counterexample)]
    facts.append(f"Target: {visible(counterexample.target)}. Found by: {visible(counterexample.found_by)}.")
    if sentence := told(counterexample.rule):
        facts.append(f"{counterexample.rule}: {sentence}")
    paragraphs = ["\n".join(wrap(fact, 84, break_long_words=False, break_on_hyphens=False)) for fact in facts]
    said = "\n\n".join(paragraphs).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{said}\n"""'


class _Writer:
    def __init__(self, counterexample: Counterexample) -> None:
        self.counterexample = counterexample
        self.source = Source()
        self.needed: set[str] = set()

    def write(self) -> None:
        """The test's body."""
        source = self.source
        source.add("scheduler = make()")
        *earlier, last = self.counterexample.history
        for event in earlier:
            self._step(event, whole=False)
        expected = self.counterexample.expected
        if expected is not None:
            source.add(f"# the contract: must {must(expected)}")
            self._step(expected._replace(arguments=last.arguments), whole=True, found=last)
            return
        self._step(last, whole=False)
        after = steps(self.counterexample)[-1].after
        source.add("# the contract: what is seen now")
        self._state(after)
        if len(after.pending()) <= PROBED_MOST:
            self._probes()

    def _step(self, event: Event, whole: bool, found: Event | None = None) -> None:
        """The call, and that this comes of it."""
        value = event.answer
        if event.error is not None:
            self._rejected(event, found)
        elif value is None or isinstance(value, bool):
            self.source.call(event, "assert ", f" is {value}")
        elif type(value) is int:
            self.source.call(event, "assert ", f" == {self.source.value(value)}")
        elif type(value) is Lease:
            self.source.call(event, "lease = ")
            if whole:
                self.source.add("assert lease is not None")
            self.source.fields("lease", value, Lease._fields if whole else FIRST_FIELDS)
        elif type(value) in (Task, Worker, Counts):
            self.source.call(event, "answer = ")
            self._same("answer", value)
        elif type(value) is tuple and all(type(one) in NAMES for one in value):
            self.source.call(event, "answer = ")
            self._all("answer", value)
        else:
            self.source.call(event, "")

    def _rejected(self, event: Event, found: Event | None) -> None:
        """Any error will do, unless the very class is at stake, or the scheduler is one of Tenure's."""
        self.source.imports.add("import pytest")
        name = str(event.error)
        exact = found is None or found.error is not None or self.counterexample.exact_errors
        if exact and isinstance(getattr(errors, name, None), type):
            self.source.imports.add(f"from tenure.errors import {name}")
        elif not (exact and isinstance(getattr(builtins, name, None), type)):
            name = "Exception"
        self.source.add(f"with pytest.raises({name}):")
        self.source.call(event, "", depth=2)

    def _written(self, value: Any) -> str:
        """The value as `fields` gives it."""
        parts = []
        for one in value:
            part = one.value if type(one) is Status else one.token if type(one) is Lease else one
            parts.append(self.source.value(part))
        return f"({', '.join(parts)})"

    def _same(self, name: str, value: Any) -> None:
        kind = NAMES[type(value)]
        self.needed.add(kind)
        self.source.add(f"assert fields({name}, {kind}) == {self._written(value)}")

    def _all(self, name: str, values: tuple[Any, ...]) -> None:
        if not values:
            self.source.add(f"assert len({name}) == 0")
            return
        kind = NAMES[type(values[0])]
        self.needed.add(kind)
        self.source.add(f"assert [fields(one, {kind}) for one in {name}] == [")
        for value in values:
            self.source.add(f"{self._written(value)},", 2)
        self.source.add("]")

    def _state(self, after: View) -> None:
        """What each query must show."""
        self.source.add(f"assert scheduler.now == {self.source.value(after.now)}")
        self._all("scheduler.tasks()", after.tasks)
        self._all("scheduler.workers()", after.workers)
        self._all("scheduler.leases()", after.leases)
        self._same("scheduler.counts()", after.counts)
        if after.next_expiry is None:
            self.source.add("assert scheduler.next_expiry() is None")
        else:
            self.source.add(f"assert scheduler.next_expiry() == {self.source.value(after.next_expiry)}")

    def _probes(self) -> None:
        """What only later calls show: the next id, the next token, the order of what is pending."""
        reference = QuickReference()
        for event in self.counterexample.history:
            perform(reference, event.op, event.arguments)
        now = reference.now
        if now >= 2**63 - 1 or reference.worker("probe") is not None:
            return
        self.source.add("# and what calls from here on must answer")
        waiting = len(reference.tasks(Status.PENDING)) + 1
        calls: list[tuple[str, dict[str, Any]]] = [("add_worker", {"worker": "probe", "capacity": waiting})]
        calls.append(("add_task", {"priority": 0}))
        calls += [("dispatch", {"worker": "probe", "now": now, "duration": 1})] * waiting
        for op, arguments in calls:
            expected = perform(reference, op, arguments)
            if type(expected.answer) is Lease:
                self.source.call(expected, "lease = ")
                self.source.fields("lease", expected.answer, ("task_id", "token"))
            else:
                self._step(expected, whole=False)
