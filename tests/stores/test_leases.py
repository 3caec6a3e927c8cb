"""The live leases, against a plain dict of them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from tenure import Lease
from tenure.stores.leases import Leases


class Pair:
    """The leases, and the plain data beside them: the lease of each task."""

    def __init__(self) -> None:
        self.leases = Leases()
        self.plain: dict[int, Lease] = {}
        self.token = 0

    def add(self, expiry: int, task_id: int | None = None) -> Lease:
        self.token += 1
        lease = Lease(task_id or self.token, "w1", self.token, 1, 0, expiry, None)
        self.leases.add(lease)
        self.plain[lease.task_id] = lease
        return lease

    def renew(self, task_id: int, expiry: int) -> None:
        lease = self.plain[task_id] = self.plain[task_id]._replace(expiry=expiry)
        self.leases.replace(lease)

    def remove(self, task_id: int) -> None:
        del self.plain[task_id]
        self.leases.remove(task_id)

    def expire(self, bound: int) -> int:
        ending = self.leases.ending(bound)
        assert list(ending) == [lease for lease in self.in_order() if lease.expiry <= bound]
        self.leases.remove_ending(ending)
        for lease in ending:
            del self.plain[lease.task_id]
        return len(ending)

    def in_order(self) -> list[Lease]:
        return sorted(self.plain.values(), key=lambda lease: (lease.expiry, lease.token))

    def check(self) -> None:
        self.leases.check()
        assert self.leases.by_task == self.plain
        assert list(self.leases.in_order()) == self.in_order()
        assert self.leases.next_expiry() == min((lease.expiry for lease in self.plain.values()), default=None)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("spread", [1, 10, 10_000])
def test_the_leases_agree_with_plain_data_after_each_step(spread: int, seed: int) -> None:
    """Many of one expiry or all distinct, in phases of granting, renewing, ending and expiring. (T3, O6)"""
    random = Random(seed)
    pair = Pair()
    now = 0
    for _ in range(6):
        weights = {"add": random.randint(1, 9), "renew": random.choice((0, 3, 20)), "remove": random.randint(1, 5)}
        weights["expire"] = random.choice((0, 1, 3))
        for _ in range(150):
            ends = now + 1 + random.randrange(spread)
            match random.choices(list(weights), list(weights.values()))[0]:
                case "add":
                    pair.add(ends)
                case "renew" if pair.plain:
                    pair.renew(random.choice(list(pair.plain)), ends)
                case "remove" if pair.plain:
                    pair.remove(random.choice(list(pair.plain)))
                case "expire":
                    now += random.randrange(spread // 5 + 2)
                    pair.expire(now)
                case _:
                    continue
            pair.check()
    pair.expire(now + spread)
    pair.check()
    assert pair.plain == {}


def test_many_expire_at_once_in_order() -> None:
    """Of (expiry, token), whatever the order of their grants. (T3)"""
    random = Random(1)
    pair = Pair()
    for _ in range(3000):
        pair.add(random.randint(1, 50))
    assert pair.expire(0) == 0
    assert pair.expire(25) > 1000
    pair.check()
    assert pair.expire(50) > 1000
    pair.check()
    assert pair.leases.ends == []


def test_a_task_that_is_granted_again_is_not_taken_for_its_former_lease() -> None:
    """Entries of leases that ended don't count. (T3)"""
    pair = Pair()
    for expiry in (9, 3, 7, 5):
        pair.add(expiry, task_id=1)
        pair.check()
        pair.remove(1)
        pair.check()
    pair.add(6, task_id=1)
    assert pair.expire(5) == 0
    assert pair.expire(6) == 1
    pair.check()


def test_renewals_to_the_same_end_are_one_lease() -> None:
    """Equal (expiry, token) compare equal, and only the last one counts. (O6)"""
    pair = Pair()
    for task_id in (1, 2, 3):
        pair.add(9, task_id)
    for _ in range(300):
        for task_id in (2, 1, 3, 2):
            pair.renew(task_id, 9)
            pair.check()
    assert len(pair.leases.ends) <= 2 * 3 + 64
    assert pair.expire(9) == 3
    pair.check()


@pytest.mark.parametrize("direction", [1, -1])
def test_renewals_pile_up_only_to_a_bound(direction: int) -> None:
    """Later each time, or earlier each time. (O6)"""
    pair = Pair()
    for _ in range(10):
        pair.add(100_000)
    for step in range(2000):
        pair.renew(step % 10 + 1, 100_000 + direction * step)
        assert len(pair.leases.ends) <= 2 * 10 + 64
    pair.check()
    assert pair.expire(200_000) == 10
    pair.check()


def test_what_ended_piles_up_only_to_a_bound() -> None:
    """When the leases that would end last are completed first. (O5)"""
    pair = Pair()
    for expiry in range(1, 2001):
        pair.add(expiry)
    for task_id in range(2000, 0, -1):
        pair.remove(task_id)
        assert len(pair.leases.ends) <= 2 * len(pair.plain) + 64
    pair.check()


@pytest.mark.parametrize("renewed", [64, 63, 1, 0])
def test_stale_ends_stay_within_the_bound_while_leases_leave_in_order(renewed: int) -> None:
    """Also when each that leaves is the next to end, and the stale entries stand behind. (O5, O6)"""
    pair = Pair()
    for _ in range(200):
        pair.add(10**6)
    for task_id in range(1, 201):
        pair.renew(task_id, 1000 + task_id)
    for task_id in range(201 - renewed, 201):
        pair.renew(task_id, 999 + task_id)
    pair.check()
    for lease in pair.in_order():
        pair.remove(lease.task_id)
        pair.check()


def test_stale_ends_that_are_over_are_met_once() -> None:
    """Not in every later call, or a heartbeat of many leases makes each call cost their number. (O6, O8)"""
    pair = Pair()
    for _ in range(1000):
        pair.add(100)
    for task_id in range(1, 1001):
        pair.renew(task_id, 1000)
    assert pair.expire(500) == 0
    assert sum(entry[0] <= 500 for entry in pair.leases.ends) <= 64
    pair.check()


def damaged_entry_missing(leases: Leases) -> None:
    leases.ends.pop()


def damaged_entry_twice(leases: Leases) -> None:
    leases.ends.append(leases.ends[-1])


def damaged_heap(leases: Leases) -> None:
    leases.ends.reverse()


def damaged_end(leases: Leases) -> None:
    expiry, token, lease = leases.ends[-1]
    leases.ends[-1] = expiry + 1, token, lease


def damaged_lease(leases: Leases) -> None:
    leases.by_task[3] = leases.by_task[3]._replace(expiry=77)


def damaged_size(leases: Leases) -> None:
    stale = leases.by_task[3]._replace(expiry=99)
    leases.ends += [(99, 3, stale)] * 200


@pytest.mark.parametrize(
    "damage",
    [damaged_entry_missing, damaged_entry_twice, damaged_heap, damaged_end, damaged_lease, damaged_size],
)
def test_check_finds_damage(damage: Callable[[Leases], None]) -> None:
    """Of each kind."""
    pair = Pair()
    for expiry in range(1, 20):
        pair.add(expiry)
    pair.check()
    damage(pair.leases)
    with pytest.raises(AssertionError):
        pair.leases.check()
