"""All that is tried in a state: every operation, at every instant that could matter, with good and bad arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..values import Status
from .scope import Scope
from .targets.abilities import Call
from .views import View

GHOST = "ghost"


def trials(seen: View, granted: dict[int, list[int]], scope: Scope) -> Iterator[Call]:
    """The calls, those that may change something and those that must not. `granted` has each task's tokens so far."""
    for now in instants(seen, scope):
        yield ("advance", {"now": now})
        yield from dispatches(seen, scope, now)
        yield from uses(seen, granted, scope, now)
    yield from untimed(seen, scope)
    yield from rejected(seen)


def instants(seen: View, scope: Scope) -> list[int]:
    """Now, and one before, at and one after each expiry; or all, where durations are bounded."""
    if scope.durations is not None:
        return list(range(seen.now, seen.now + scope.durations + 2))
    ends = {lease.expiry + step for lease in seen.leases for step in (-1, 0, 1)}
    return sorted({seen.now, seen.now + 1, *ends})


def lengths(seen: View, scope: Scope, now: int) -> list[int]:
    """Durations that end before, at and after each live lease, the shortest, and one beyond all.

    At a later instant the shortest alone: that a call there is `advance` and then the call doesn't depend on it.
    """
    if now > seen.now:
        return [1]
    if scope.durations is not None:
        return list(range(1, scope.durations + 1))
    later = {lease.expiry for lease in seen.leases if lease.expiry > now}
    ends = {end + step for end in later for step in (-1, 0, 1)} | {now + 1, max(later, default=now) + scope.gap}
    return sorted(end - now for end in ends if end > now)


def dispatches(seen: View, scope: Scope, now: int) -> Iterator[Call]:
    """To each worker, for each length, and to one that isn't there."""
    for worker in seen.workers:
        for duration in lengths(seen, scope, now):
            yield ("dispatch", {"worker": worker.name, "now": now, "duration": duration})
    if "workers" not in scope.lacks:
        yield ("dispatch", {"worker": GHOST, "now": now, "duration": 1})


def uses(seen: View, granted: dict[int, list[int]], scope: Scope, now: int) -> Iterator[Call]:
    """Of each task, and one that isn't there, with its token, a stale one, another task's, and one never issued.

    At a later instant with its own and a stale one alone, and none of what isn't there but one.
    """
    later = now > seen.now
    live = {lease.task_id: lease for lease in seen.leases}
    newest = max((token for tokens in granted.values() for token in tokens), default=0)
    ids = [task.id for task in seen.tasks]
    unknown = max(ids, default=0) + 1
    for task_id in [*ids, unknown] if later else [*ids, unknown, 0]:
        current = live[task_id].token if task_id in live else 0
        stale = [token for token in granted.get(task_id, []) if token != current][-2:]
        foreign = [lease.token for other, lease in live.items() if other != task_id][:1]
        others = [] if later and (current or stale) else [*foreign, newest + 1]
        for token in dict.fromkeys([*([current] if current else []), *stale, *others]):
            use = {"task_id": task_id, "token": token, "now": now}
            yield ("complete", use)
            yield ("release", use)
            good = token == current and task_id in live and live[task_id].expiry > now
            for duration in lengths(seen, scope, now) if good else [1]:
                yield ("renew", {**use, "duration": duration})


def untimed(seen: View, scope: Scope) -> Iterator[Call]:
    """What takes no time, and the queries that take an argument."""
    ids = [task.id for task in seen.tasks]
    for task_id in [*ids, max(ids, default=0) + 1, 0, -1]:
        yield ("forget", {"task_id": task_id})
        yield ("task", {"task_id": task_id})
    for name in [*scope.names, GHOST]:
        yield ("forget_worker", {"worker": name})
        yield ("worker", {"name": name})
        for capacity in sorted({-1, 0, 1, scope.capacity, scope.capacity + 1}):
            yield ("set_capacity", {"worker": name, "capacity": capacity})
        yield ("add_worker", {"worker": name, "capacity": scope.capacity})
    for priority in scope.priorities:
        yield ("add_task", {"priority": priority})
    for status in (*Status, None):
        yield ("tasks", {"status": status})


def rejected(seen: View) -> Iterator[Call]:
    """Arguments that must be rejected, and time that goes back."""
    now = seen.now
    yield from backwards(seen)
    good = {"worker": "w1", "now": now + 1, "duration": 1}  # later, since a rejected call must not move the time
    use = {"task_id": 1, "token": 1, "now": now + 1}
    for name, value in (("worker", ""), ("worker", 1), ("now", -1), ("now", True), ("now", 1.5), ("now", 2**63)):
        yield ("dispatch", {**good, name: value})
    for odd in (0, -1, True, "1", None, 2**63 - now - 1):
        yield ("dispatch", {**good, "duration": odd})
        yield ("renew", {**use, "duration": odd})
    for name in ("task_id", "token", "now"):
        for bad in (True, 1.0, "1", 2**63):
            yield ("complete", {**use, name: bad})
            yield ("release", {**use, name: bad})
    yield from ((("advance", {"now": bad})) for bad in (-1, True, "1", 2**63))
    yield from ((("add_task", {"priority": bad})) for bad in (True, 1.5, "1", 2**63))
    yield from ((("add_task", {"payload": bad})) for bad in ("text", bytearray(b"x"), 1))
    yield from ((("add_worker", {"worker": bad, "capacity": 1})) for bad in ("", "a\0", "\ud800", "x" * 256, 1, None))
    yield from ((("add_worker", {"worker": "new", "capacity": bad})) for bad in (0, -1, True, 1.0, 2**63))
    yield from ((("tasks", {"status": bad})) for bad in ("pending", 0))


def backwards(seen: View) -> Sequence[Call]:
    """Each timed call one instant too early, with arguments that would be good a little later."""
    if not seen.now:
        return ()
    past = seen.now - 1
    lease = seen.leases[0] if seen.leases else None
    use = {"task_id": lease.task_id if lease else 1, "token": lease.token if lease else 1, "now": past}
    return (
        ("advance", {"now": past}),
        ("dispatch", {"worker": "w1", "now": past, "duration": 1}),
        ("complete", use),
        ("release", use),
        ("renew", {**use, "duration": 5}),
    )


def is_step(call: Call, seen: View, scope: Scope) -> bool:
    """Whether the call leads on to another state of the scope; the others are tried and compared."""
    op, arguments = call
    if op == "advance":
        return True
    if "now" in arguments:
        return bool(arguments["now"] == seen.now)
    if op == "add_task":
        return scope.arrivals and len(seen.tasks) < scope.tasks
    if op == "set_capacity":
        return scope.set_capacity and arguments["capacity"] <= scope.capacity
    if op == "add_worker":
        return scope.forget_worker and arguments["worker"] in scope.names
    return (op == "forget" and scope.forget) or (op == "forget_worker" and scope.forget_worker)


def drains(seen: View, scope: Scope, names: Sequence[str] | None = None) -> tuple[list[Call], list[Call]]:
    """Calls whose answers tell two states apart that can't be looked at, by what is pending, held, live and when over.

    What time it is and which id comes next are asked too. `names` are those of the workers, if they aren't the scope's.
    """
    now, later = seen.now, max([seen.now, *(lease.expiry for lease in seen.leases)]) + 1
    repeated = [name for name in names or scope.names for _ in range(min(scope.capacity, scope.tasks) + 1)]

    def granting(at: int) -> list[Call]:
        return [("dispatch", {"worker": name, "now": at, "duration": 1}) for name in repeated]

    back: list[Call] = [("advance", {"now": now - 1})] if now else []
    live = [(lease.task_id, lease.token) for lease in seen.leases]
    completing: list[Call] = [("complete", {"task_id": task, "token": token, "now": now}) for task, token in live]
    passed: list[Call] = [("advance", {"now": later}), *granting(later), ("add_task", {"priority": 0})]
    return [*back, *granting(now), *passed], [*completing, *granting(now)]
