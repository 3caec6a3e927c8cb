"""The order of the pending tasks, against sorting them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest

from tenure.stores.pending import SPENT_MOST, Pending, check_heap

LOWEST, HIGHEST = -(2**63), 2**63 - 1


class Pair:
    """The queue, and the plain data beside it: priorities by id."""

    def __init__(self) -> None:
        self.queue = Pending()
        self.pending: dict[int, int] = {}
        self.taken: dict[int, int] = {}
        self.last_id = 0

    def add(self, priority: int) -> None:
        self.last_id += 1
        self.queue.add(priority, self.last_id)
        self.pending[self.last_id] = priority

    def take(self) -> int | None:
        task_id = self.queue.first()
        assert task_id == self.expected()
        if task_id is not None:
            self.queue.take(task_id)
            self.taken[task_id] = self.pending.pop(task_id)
        return task_id

    def add_again(self, *task_ids: int) -> None:
        """All are of one priority."""
        for task_id in task_ids:
            self.pending[task_id] = self.taken.pop(task_id)
        self.queue.add_again(self.pending[task_ids[0]], list(task_ids))

    def forget(self, task_id: int) -> None:
        del self.pending[task_id]
        self.queue.forget(task_id)

    def expected(self) -> int | None:
        return min(self.pending, key=lambda task_id: (-self.pending[task_id], task_id), default=None)

    def check(self) -> None:
        self.queue.check(self.pending)

    def entries(self) -> int:
        return sum(len(level.fresh) + len(level.back or ()) for level in self.queue._levels.values())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("priorities", [(0,), (0, 1), range(-5, 5), range(1000), (LOWEST, -1, 0, 1, HIGHEST)])
def test_the_queue_agrees_with_sorting_after_each_step(priorities: Sequence[int], seed: int) -> None:
    """Few priorities or many, in phases of growing, shrinking and forgetting. (O4, O10)"""
    random = Random(seed)
    pair = Pair()
    for phase in range(6):
        weights = {"add": random.randint(1, 9), "take": random.randint(1, 9), "forget": random.choice((0, 1, 9))}
        weights["again"] = random.randint(1, 9)
        for _ in range(120):
            match random.choices(list(weights), list(weights.values()))[0]:
                case "add":
                    pair.add(random.choice(priorities))
                case "take":
                    pair.take()
                case "forget" if pair.pending:
                    pair.forget(random.choice(list(pair.pending)))
                case "again" if pair.taken:
                    priority = random.choice(list(pair.taken.values()))
                    away = [task_id for task_id, its in pair.taken.items() if its == priority]
                    pair.add_again(*random.sample(away, random.choice((1, len(away)))))
                case _:
                    continue
            pair.check()
        if phase % 3 == 2:
            while pair.take() is not None:
                pair.check()
    assert pair.queue.first() is None


def test_a_long_queue_gives_back_the_room_of_what_left() -> None:
    """So a scheduler may live for ever. (O4)"""
    pair = Pair()
    for _ in range(3 * SPENT_MOST):
        pair.add(0)
    longest = 0
    for _ in range(5 * SPENT_MOST):
        pair.take()
        pair.add(0)
        longest = max(longest, pair.entries())
    pair.check()
    assert longest <= 2 * len(pair.pending) + SPENT_MOST
    while pair.take() is not None:
        pass
    pair.check()
    assert pair.entries() <= SPENT_MOST + 1


@pytest.mark.parametrize("order", [1, -1])
def test_forgetting_everything_leaves_little(order: int) -> None:
    """From either end, at one priority and at many. (O10)"""
    for spread in (1, 10_000):
        pair = Pair()
        for number in range(2000):
            pair.add(number % spread)
        for step, task_id in enumerate(list(pair.pending)[::order]):
            pair.forget(task_id)
            if step % 50 == 0:
                pair.check()
        pair.check()
        assert pair.entries() <= 200
        assert len(pair.queue._forgotten) <= 200
        pair.add(5)
        assert pair.take() == 2001


def test_forgetting_after_each_addition_leaves_little() -> None:
    """Over and over, with a task before them all that stays. (O10)"""
    pair = Pair()
    pair.add(9)
    for _ in range(3000):
        pair.add(random_priority(pair.last_id))
        pair.forget(pair.last_id)
        assert pair.entries() <= 150
        assert len(pair.queue._levels) <= 150
    pair.check()
    assert pair.take() == 1


@pytest.mark.parametrize("away", [1, 2, 100, 999, 1000])
def test_many_that_come_back_at_once_stand_in_their_places(away: int) -> None:
    """Few or all of the level, one after another or together, forgotten ones among them. (O4, T3)"""
    for together in (True, False):
        pair = Pair()
        for _ in range(1000):
            pair.add(0)
        taken = [pair.take() or 0 for _ in range(away)]
        if away < 1000:
            pair.forget(1000)
        if together:
            pair.add_again(*reversed(taken))
        else:
            for task_id in reversed(taken):
                pair.add_again(task_id)
                pair.check()
        pair.check()
        pair.add(0)
        expected = [*range(1, 1000 + (away == 1000)), 1001]
        assert [pair.take() for _ in expected] == expected


def random_priority(number: int) -> int:
    return number * 7919 % 4001 - 2000


def test_all_priorities_distinct_in_any_order() -> None:
    """A level each, closed when its task is gone. (O4)"""
    pair = Pair()
    for number in range(500):
        pair.add(random_priority(number))
    pair.check()
    taken = [pair.take() for _ in range(500)]
    assert None not in taken
    pair.check()
    assert pair.queue.first() is None
    assert pair.queue._levels == {}


def test_a_task_that_came_back_and_was_forgotten_is_not_given() -> None:
    """Wherever it stood. (O10, O4)"""
    pair = Pair()
    for _ in range(40):
        pair.add(0)
    for _ in range(3):
        pair.take()
    pair.add_again(2)
    pair.add_again(1)
    pair.forget(1)
    pair.check()
    assert [pair.take(), pair.take()] == [2, 4]


def damaged_level(queue: Pending) -> None:
    queue._levels[1].fresh.append(99)


def damaged_order(queue: Pending) -> None:
    queue._order.pop()


def damaged_order_heap(queue: Pending) -> None:
    queue._order.reverse()


def damaged_top(queue: Pending) -> None:
    queue._top = queue._levels[0]


def damaged_forgotten(queue: Pending) -> None:
    queue._forgotten.clear()


def damaged_forgotten_most(queue: Pending) -> None:
    queue._forgotten_most = 0


def damaged_fresh(queue: Pending) -> None:
    queue._levels[1].fresh.reverse()


def damaged_spent(queue: Pending) -> None:
    queue._levels[1].spent += 1


def damaged_back(queue: Pending) -> None:
    back = queue._levels[2].back
    assert back is not None
    back.reverse()


def damaged_twice(queue: Pending) -> None:
    queue._levels[2].back = [*(queue._levels[2].back or []), queue._levels[1].fresh[-1]]


def damaged_empty_level(queue: Pending) -> None:
    queue._levels[-9] = type(queue._levels[0])()
    queue._order.append(9)


@pytest.mark.parametrize(
    "damage",
    [
        *(damaged_level, damaged_order, damaged_order_heap, damaged_top, damaged_forgotten, damaged_forgotten_most),
        *(damaged_fresh, damaged_spent, damaged_back, damaged_twice, damaged_empty_level),
    ],
)
def test_check_finds_damage(damage: Callable[[Pending], None]) -> None:
    """Of each kind."""
    pair = Pair()
    for number in range(60):
        pair.add(number % 3)
    for _ in range(3):
        pair.take()
    for task_id in (9, 6, 3):
        pair.add_again(task_id)
    pair.forget(2)
    pair.check()
    damage(pair.queue)
    with pytest.raises(AssertionError):
        pair.check()


def test_a_heap_is_checked_by_its_parents() -> None:
    """An entry below a larger one is found."""
    check_heap([1, 3, 2, 4])
    with pytest.raises(AssertionError):
        check_heap([1, 3, 2, 2])
