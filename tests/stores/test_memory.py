"""The memory store as a whole: its check, and that what leaves is gone."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from random import Random
from typing import Any

import pytest
from contract.walks import walk

from tenure import CallInProgress, Lease, Scheduler, Status
from tenure.checking.quick import QuickReference
from tenure.history import perform
from tenure.lifecycle import FINAL
from tenure.stores import MemoryStore


def some(seed: int, steps: int, check: bool = True) -> tuple[Scheduler, MemoryStore]:
    """A store after many calls, checked after each."""
    random = Random(seed)
    store = MemoryStore()
    scheduler = Scheduler(store)
    for worker in ("w1", "w2", "w3"):
        scheduler.add_worker(worker, 40)
    now = 0
    for _ in range(steps):
        now += random.choice((*(0,) * 20, 1, 5))
        leases = scheduler.leases()
        lease = random.choice(leases) if leases else Lease(1, "w1", 0, 1, 0, 1)
        worker = random.choice(("w1", "w2", "w3"))
        match random.choice(
            ("add", "add", "dispatch", "dispatch", "dispatch", "complete", "release", "renew", "forget")
        ):
            case "add":
                scheduler.add_task(random.randint(-2, 2), random.choice((None, b"x")))
            case "dispatch":
                scheduler.dispatch(worker, now=now, duration=random.randint(1, 60))
            case "renew":
                scheduler.renew(lease.task_id, lease.token, now=now, duration=random.randint(1, 60))
            case "forget":
                scheduler.forget(random.randint(1, scheduler.counts().pending + 9))
            case way:
                getattr(scheduler, way)(lease.task_id, lease.token, now=now)
        if check:
            store.check()
    return scheduler, store


@pytest.mark.parametrize("seed", range(5))
def test_the_store_agrees_with_its_plain_data_after_each_call(seed: int) -> None:
    """Each structure is recomputed. (P1, P2)"""
    scheduler, store = some(seed, 600)
    assert scheduler.counts().running
    scheduler.advance(now=scheduler.now + 100)
    store.check()
    assert scheduler.leases() == ()


def test_many_leases_expire_at_once_and_are_granted_again() -> None:
    """In order, and the store is whole. (T3, O4)"""
    store = MemoryStore()
    scheduler = Scheduler(store)
    scheduler.add_worker("w1", 10_000)
    for number in range(3000):
        scheduler.add_task(number % 7)
    for now in range(3000):
        scheduler.dispatch("w1", now=now // 10, duration=1000)
    expired = scheduler.advance(now=10_000)
    store.check()
    assert [(lease.expiry, lease.token) for lease in expired] == sorted(
        (lease.expiry, lease.token) for lease in expired
    )
    again = [scheduler.dispatch("w1", now=10_000, duration=1) for _ in range(3000)]
    store.check()
    assert [lease.task_id for lease in again if lease] == sorted(range(1, 3001), key=lambda i: (-((i - 1) % 7), i))


def test_a_life_leaves_nothing_behind() -> None:
    """Added, dispatched, completed and forgotten, over and over. (O10)"""
    store = MemoryStore()
    scheduler = Scheduler(store)
    scheduler.add_worker("w1", 1)
    for now in range(3000):
        task_id = scheduler.add_task(now % 5)
        lease = scheduler.dispatch("w1", now=now, duration=9)
        assert lease is not None
        assert scheduler.complete(task_id, lease.token, now=now)
        assert scheduler.forget(task_id)
    store.check()
    assert len(store._tasks._pages) == 1
    assert sum(len(level.fresh) for level in store._pending._levels.values()) < 2000
    assert store._leases.ends == []


def damaged_pending(store: MemoryStore) -> None:
    task_id = store._pending.first()
    assert task_id is not None
    store._pending.take(task_id)


def damaged_forgotten(store: MemoryStore) -> None:
    store._tasks.drop(next(iter(store._leases.by_task)))


def damaged_finished(store: MemoryStore) -> None:
    store._tasks.finish(next(iter(store._leases.by_task)))


def damaged_attempt(store: MemoryStore) -> None:
    store._tasks.count_ended(next(iter(store._leases.by_task)))


def damaged_held(store: MemoryStore) -> None:
    capacity, held = store._workers["w1"]
    store._workers["w1"] = capacity, held + 1


def damaged_time(store: MemoryStore) -> None:
    store._now = max(lease.expiry for lease in store._leases.by_task.values())


def damaged_token(store: MemoryStore) -> None:
    store._last_token = 0


def damaged_lease(store: MemoryStore) -> None:
    store._leases.by_task.popitem()


@pytest.mark.parametrize(
    "damage",
    [
        *(damaged_pending, damaged_forgotten, damaged_finished, damaged_attempt, damaged_held, damaged_time),
        *(damaged_token, damaged_lease),
    ],
)
def test_check_finds_damage(damage: Callable[[MemoryStore], None]) -> None:
    """Of each kind that lies between the structures."""
    scheduler, store = some(3, 300, check=False)
    assert scheduler.leases()
    assert scheduler.counts().pending
    store.check()
    damage(store)
    with pytest.raises(AssertionError):
        store.check()


def closed(store: MemoryStore, read: Any) -> Any:
    """What was read, and the call is closed."""
    store.abandon()
    return read


def test_the_store_alone_keeps_what_it_is_told_and_decides_nothing() -> None:
    """A lease is kept though nobody asked whether it may be. (R1)"""
    store = MemoryStore(now=4, last_id=9, last_token=2)
    store.put_worker("w1", 1)
    store.put_task(10, 0, b"x")
    lease = Lease(10, "w1", 3, 1, 5, 8, b"x")
    store.write_grant(5, (), lease)
    store.check()
    assert closed(store, store.read_worker(7, "w1")) == (5, 3, (), (1, 1), None, (0, None))
    assert closed(store, store.read_worker(8, "w1")) == (5, 3, [lease], (1, 1), 10, (1, b"x"))
    assert closed(store, store.read_lease(8, 10)) == (5, [lease], lease)
    assert closed(store, store.read_ending(8)) == (5, [lease])
    assert closed(store, store.read_status(10)) is Status.RUNNING
    store.write_end(6, (), lease, FINAL)
    store.check()
    assert closed(store, store.read_status(10)) is Status.DONE
    assert closed(store, store.read_last_id()) == 10
    assert closed(store, store.read_load("w1")) == (1, 0)


def test_canonical_tells_all_that_is_kept_as_the_reference_has_it() -> None:
    """After each call of a walk. (P1, P2, P3)"""
    reference, store = QuickReference(), MemoryStore()
    scheduler = Scheduler(store)
    for step in walk(QuickReference(), seed=5, length=300):
        for each in (scheduler, reference):
            perform(each, step.operation, step.arguments)
        assert store.canonical() == reference.canonical()
    assert store.canonical() != QuickReference().canonical()


READS: list[Callable[[MemoryStore], Any]] = [
    lambda store: store.read_worker(0, "w1"),
    lambda store: store.read_lease(0, 1),
    lambda store: store.read_ending(0),
    lambda store: store.read_last_id(),
    lambda store: store.read_load("w1"),
    lambda store: store.read_status(1),
]


@pytest.mark.parametrize("first", READS)
@pytest.mark.parametrize("second", READS)
def test_a_read_in_the_middle_of_a_call_is_turned_away_and_the_call_goes_on(
    first: Callable[[MemoryStore], Any], second: Callable[[MemoryStore], Any]
) -> None:
    """However often; and once the call is closed the next one is let in. (R1)"""
    store = MemoryStore()
    first(store)
    for _ in range(2):
        with pytest.raises(CallInProgress, match="in the middle of a call"):
            second(store)
        store.abandon()
    store.abandon()
    assert second(store) == second(MemoryStore())


def test_a_store_is_not_copied() -> None:
    """Both would grant the same tokens. (I2)"""
    with pytest.raises(TypeError, match=r"^a memory store is not copied or pickled: .* the same tokens \(I2\)$"):
        copy(MemoryStore())
