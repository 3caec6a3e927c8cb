"""A counterexample in words: the call's arguments, and the workers, tasks and leases before and after it."""

from __future__ import annotations

from collections.abc import Iterator

import z3
from claim import Case
from logic import SMALL
from state import State, number_of


class Shown:
    """What a model of the small universe says, each worker, task and lease by name."""

    def __init__(self, model: z3.ModelRef) -> None:
        self._model = model

    def value(self, term: z3.ExprRef) -> str:
        """The term's value: a task by its id."""
        value = self._model.eval(term, model_completion=True)
        if value.sort() == SMALL.tasks.sort:
            return f"task {self._model.eval(number_of(SMALL, value), model_completion=True)}"
        return str(value)

    def _true(self, term: z3.BoolRef) -> bool:
        return bool(z3.is_true(self._model.eval(term, model_completion=True)))

    def _workers(self, state: State) -> Iterator[str]:
        for worker in SMALL.workers.members or ():
            if self._true(state.known(worker)):
                yield f"{worker} holds {self.value(state.held(worker))} of {self.value(state.capacity(worker))}"

    def _tasks(self, state: State) -> Iterator[str]:
        for task in SMALL.tasks.members or ():
            status = self.value(state.status(task))
            if status != "unborn":
                yield f"{self.value(task)} is {status}, priority {self.value(state.priority(task))}"

    def _leases(self, state: State) -> Iterator[str]:
        for lease in SMALL.leases.members or ():
            if self._true(state.granted(lease)):
                token, start, expiry = (self.value(field(lease)) for field in (state.token, state.start, state.expiry))
                ended = "live" if self._true(state.live(lease)) else "over"
                holder = f"{self.value(state.worker(lease))} has {self.value(state.task(lease))}"
                yield f"token {token}: {holder} on [{start}, {expiry}), {ended}"

    def _state(self, state: State) -> list[str]:
        parts = ["; ".join(sorted(what(state))) for what in (self._workers, self._tasks, self._leases)]
        first = f"time {self.value(state.now)}, last token {self.value(state.last_token)}"
        return [first, *(f"    {part}" for part in parts if part)]

    def lines(self, case: Case) -> Iterator[str]:
        """The arguments, then each state; one that is like the one before is only named."""
        if case.given:
            yield ", ".join(
                f"{'' if name == 'task' else name} {self.value(term)}".strip() for name, term in case.given.items()
            )
        shown: list[str] = []
        for name, state in case.states.items():
            last, shown = shown, self._state(state)
            if shown == last:
                yield f"{name}: the same"
            else:
                yield f"{name}: {shown[0]}"
                yield from shown[1:]
