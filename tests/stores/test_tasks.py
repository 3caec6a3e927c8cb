"""Tasks in pages, against a dict of all that is known of each."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

import pytest

from tenure.stores.tasks import FINISHED, FORGOTTEN, KEPT, PAGE_SIZE, Tasks


class Known(NamedTuple):
    """What is known of one task."""

    priority: int
    mark: int
    ended: int
    payload: bytes | None


class Pair:
    """The pages, and the plain data beside them."""

    def __init__(self, last_id: int = 0) -> None:
        self.tasks = Tasks(last_id)
        self.plain: dict[int, Known] = {}
        self.first = last_id + 1

    def add(self, priority: int, payload: bytes | None = None) -> int:
        task_id = self.tasks.last_id + 1
        self.tasks.add(task_id, priority, payload)
        self.plain[task_id] = Known(priority, KEPT, 0, payload)
        return task_id

    def count_ended(self, task_id: int) -> None:
        known = self.plain[task_id]
        self.tasks.count_ended(task_id)
        self.plain[task_id] = known._replace(ended=known.ended + 1)

    def finish(self, task_id: int) -> None:
        self.tasks.finish(task_id)
        self.plain[task_id] = self.plain[task_id]._replace(mark=FINISHED)

    def drop(self, task_id: int) -> None:
        self.tasks.drop(task_id)
        del self.plain[task_id]

    def compare(self) -> None:
        tasks, plain = self.tasks, self.plain
        tasks.check()
        assert list(tasks) == sorted(plain)
        assert tasks.kept == len(plain)
        assert tasks.finished == sum(known.mark == FINISHED for known in plain.values())
        for task_id, known in plain.items():
            assert tasks.mark(task_id) == known.mark
            assert tasks.priority(task_id) == known.priority
            assert tasks.past(task_id) == (known.ended, known.payload)
        for task_id in range(self.first - 3, tasks.last_id + 4):
            assert task_id in plain or tasks.mark(task_id) == FORGOTTEN


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("last_id", [0, 1, PAGE_SIZE - 2, PAGE_SIZE - 1, PAGE_SIZE, 300, 2**63 - 900])
def test_pages_agree_with_plain_data_after_each_step(last_id: int, seed: int) -> None:
    """Wherever the first id stands in its page. (I1, L4, V4)"""
    random = Random(seed)
    pair = Pair(last_id)
    for step in range(800):
        kept = list(pair.plain)
        match random.choice(("add", "add", "add", "ended", "finish", "drop")):
            case "ended" if kept:
                pair.count_ended(random.choice(kept))
            case "finish" if kept:
                pair.finish(random.choice([i for i in kept if pair.plain[i].mark == KEPT] or [pair.add(0)]))
            case "drop" if kept:
                pair.drop(random.choice(kept))
            case _:
                pair.add(random.randint(-3, 3), random.choice((None, b"", b"x")))
        if step % 10 == 0:
            pair.compare()
    pair.compare()
    for task_id in list(pair.plain):
        pair.drop(task_id)
    pair.compare()


def test_what_was_never_kept_counts_as_forgotten() -> None:
    """Also far from every page. (V1)"""
    tasks = Tasks(0)
    tasks.add(1, 0, None)
    for task_id in (0, -1, 2, PAGE_SIZE, PAGE_SIZE + 1, 2**63 - 1, -(2**63)):
        assert tasks.mark(task_id) == FORGOTTEN


def test_a_page_goes_with_its_last_task_and_a_straggler_keeps_only_its_own() -> None:
    """However many tasks came after. (O10)"""
    pair = Pair()
    for _ in range(5 * PAGE_SIZE + 7):
        pair.add(0)
    straggler = 2 * PAGE_SIZE + 9
    for task_id in list(pair.plain):
        if task_id != straggler:
            pair.drop(task_id)
    pair.compare()
    assert sorted(pair.tasks._pages) == [2, 5]
    pair.drop(straggler)
    pair.compare()
    assert sorted(pair.tasks._pages) == [5]


def test_a_full_newest_page_that_is_empty_goes_when_the_next_begins() -> None:
    """So forgetting each task at once leaves one page behind. (O10)"""
    pair = Pair()
    for number in range(1, 3 * PAGE_SIZE + 1):
        pair.drop(pair.add(number))
        assert len(pair.tasks._pages) == 1
    pair.compare()


def damaged_count(tasks: Tasks) -> None:
    tasks.kept += 1


def damaged_finished(tasks: Tasks) -> None:
    tasks.finished -= 1


def damaged_mark(tasks: Tasks) -> None:
    tasks._pages[0].marks[2] = FORGOTTEN


def damaged_priorities(tasks: Tasks) -> None:
    tasks._pages[0].priorities.pop()


def damaged_pasts(tasks: Tasks) -> None:
    tasks._pasts[4] = 1, None


def damaged_last_id(tasks: Tasks) -> None:
    tasks.last_id = 4


def damaged_empty_page(tasks: Tasks) -> None:
    page = tasks._pages[0]
    tasks.kept, tasks.finished, page.kept = tasks.kept - page.kept, 0, 0
    page.marks[:] = bytes(len(page.marks))
    tasks._pasts.clear()


@pytest.mark.parametrize(
    "damage",
    [
        *(damaged_count, damaged_finished, damaged_mark, damaged_priorities, damaged_pasts, damaged_last_id),
        damaged_empty_page,
    ],
)
def test_check_finds_damage(damage: Callable[[Tasks], None]) -> None:
    """Of each kind."""
    pair = Pair()
    for number in range(PAGE_SIZE + 9):
        pair.add(number, b"x")
    pair.finish(1)
    pair.drop(4)
    pair.compare()
    damage(pair.tasks)
    with pytest.raises(AssertionError):
        pair.tasks.check()
