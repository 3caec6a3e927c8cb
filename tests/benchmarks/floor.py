"""The floor: what one task's life costs in pure Python with two heaps and a dict, and no rule checked."""

from __future__ import annotations

from heapq import heappop, heappush
from time import perf_counter


def floor(priorities: list[int]) -> float:
    """Seconds for one life of each of these tasks."""
    start = perf_counter()
    ready: list[tuple[int, int]] = []
    status: dict[int, int] = {}
    for task, priority in enumerate(priorities):
        status[task] = 0
        heappush(ready, (-priority, task))
    ends: list[tuple[int, int]] = []
    for now in range(len(priorities)):
        _, task = heappop(ready)
        status[task] = 1
        heappush(ends, (now + 10, task))
        heappop(ends)
        status[task] = 2
    return perf_counter() - start
