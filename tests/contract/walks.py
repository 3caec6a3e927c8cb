"""Long seeded walks through a scheduler's states, with what was seen before and after each call."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from tenure import Lease
from tenure.checking.views import View, view
from tenure.operations import TIMED, Operations

from .situations import HIGHEST, outcome

OPERATIONS = (
    *("dispatch",) * 10,
    *("add_task", "renew", "advance") * 4,
    *("complete", "release", "add_worker") * 2,
    *("set_capacity", "forget", "forget_worker"),
)


class Step(NamedTuple):
    """One call of a walk; `answer` is the error's class if it was rejected."""

    before: View
    operation: str
    arguments: dict[str, Any]
    answer: Any
    after: View

    @property
    def rejected(self) -> bool:
        return isinstance(self.answer, type)

    @property
    def refused(self) -> bool:
        return self.answer is False or (self.answer is None and self.operation in ("dispatch", "renew"))

    @property
    def timed(self) -> bool:
        return self.operation in TIMED


def walk(scheduler: Operations, seed: int, length: int) -> list[Step]:
    """Calls near every boundary: valid, refused and rejected ones."""
    random = Random(seed)
    steps = []
    before = view(scheduler)
    last_token = 0
    for _ in range(length):
        operation = random.choice(OPERATIONS)
        arguments = drawn(random, operation, before, last_token)
        answer = outcome(scheduler, operation, arguments)
        if isinstance(answer, Lease):
            last_token = max(last_token, answer.token)
        after = view(scheduler)
        steps.append(Step(before, operation, arguments, answer, after))
        before = after
    return steps


def drawn(random: Random, operation: str, seen: View, last_token: int) -> dict[str, Any]:
    """Arguments that make sense more often than not."""
    worker = random.choice(("w1", "w2", "w3", "w4"))
    lease = random.choice(seen.leases) if seen.leases and random.random() < 0.8 else None
    task_id = lease.task_id if lease else random.randint(0, len(seen.tasks) + 2)
    token = lease.token if lease and random.random() < 0.8 else random.randint(0, last_token + 1)
    end = seen.next_expiry or seen.now
    now = random.choice((*(seen.now,) * 9, seen.now + 1, seen.now - 1, end - 1, end, end + 1))
    duration = random.choice((1, 2, 3, 5, 8, 13, 21, 34, 0, HIGHEST))
    match operation:
        case "add_worker" | "set_capacity":
            return {"worker": worker, "capacity": random.randint(-1 if operation == "add_worker" else 0, 3)}
        case "forget_worker":
            return {"worker": worker}
        case "add_task":
            return {"priority": random.choice((0, 0, 1, 1, -1, 2**62, 2**63)), "payload": random.choice((None, b"x"))}
        case "forget":
            return {"task_id": random.randint(0, len(seen.tasks) + 2)}
        case "dispatch":
            return {"worker": worker, "now": now, "duration": duration}
        case "advance":
            return {"now": now}
        case "renew":
            return {"task_id": task_id, "token": token, "now": now, "duration": duration}
        case _:
            return {"task_id": task_id, "token": token, "now": now}


def reached(step: Step) -> View:
    """What the call was answered on: after time has passed, if the call is a timed one."""
    return step.before.advanced(step.arguments["now"]) if step.timed and not step.rejected else step.before
