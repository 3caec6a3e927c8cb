"""Where everything stands, in any unit of width: the axis, the rows of each lane, and what there is no room for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from .drawing import WRONG, Bar, Drawing, Lane

LANES_MOST, ROWS_MOST = 60, 120


class Axis(NamedTuple):
    """The instants that occur, each with its place from the left edge."""

    instants: tuple[int, ...]
    places: tuple[float, ...]
    breaks: tuple[float, ...]
    """Where time is left out, because nothing happens and the rest would be too small to see."""
    to_scale: bool
    crowded: bool = False
    """Whether there are more instants than can stand apart."""

    def at(self, instant: int) -> float:
        """The place of an instant that occurs."""
        return self.places[bisect_left(self.instants, instant)]


class Row(NamedTuple):
    """The bars of a lane that don't overlap: one slot of a worker."""

    lane: Lane
    first: bool
    """Whether it is the lane's first row, where its name stands."""
    bars: tuple[Bar, ...]


class Layout(NamedTuple):
    """A drawing, laid out."""

    axis: Axis
    rows: tuple[Row, ...]
    lanes_left_out: int
    bars_left_out: int


def laid_out(drawing: Drawing, width: float, least: float) -> Layout:
    """The layout in so much width, with neighbouring instants `least` apart where they are few enough.

    O(n log n + n r) for n bars in r rows.
    """
    axis = axis_of(sorted(_instants(drawing)), width, least)
    by_lane: dict[str, list[Bar]] = {lane.name: [] for lane in drawing.lanes}
    for bar in drawing.bars:
        by_lane[bar.lane].append(bar)
    rows: list[Row] = []
    drawn, left_out = 0, 0
    for lane in _worth_drawing(drawing.lanes, by_lane):
        slots = _slots(by_lane[lane.name], axis, 0 if axis.crowded else least / 2)
        room = max(1, ROWS_MOST - len(rows))
        rows += [Row(lane, number == 0, tuple(slot)) for number, slot in enumerate(slots[:room])]
        left_out += sum(map(len, slots[room:]))
        drawn += 1
        if len(rows) >= ROWS_MOST:
            break
    shown = {row.lane.name for row in rows}
    left_out += sum(len(bars) for name, bars in by_lane.items() if name not in shown)
    return Layout(axis, tuple(rows), len(drawing.lanes) - drawn, left_out)


def _worth_drawing(lanes: Sequence[Lane], by_lane: dict[str, list[Bar]]) -> list[Lane]:
    """All lanes in their order; of too many, first those in which something is flagged or happens at all."""
    if len(lanes) <= LANES_MOST:
        return list(lanes)

    def worth(lane: Lane) -> int:
        bars = by_lane[lane.name]
        return 0 if any(bar.flag for bar in bars) else 1 if bars else 2

    kept = {lane.name for lane in sorted(lanes, key=worth)[:LANES_MOST]}
    return [lane for lane in lanes if lane.name in kept]


def _instants(drawing: Drawing) -> set[int]:
    found = {mark.at for mark in drawing.marks}
    for bar in drawing.bars:
        found.add(bar.start)
        found.update(phase.end for phase in bar.phases)
    for series in drawing.series:
        found.update(at for at, _ in series.points)
    return found or {0}


def axis_of(instants: Sequence[int], width: float, least: float) -> Axis:
    """An axis true to scale if all can be told apart on it; if not, long gaps are cut, visibly."""
    gaps = [later - earlier for earlier, later in pairwise(instants)]
    if not gaps:
        return Axis(tuple(instants), (0.0,), (), True)
    crowded = len(gaps) * least > width
    weights: list[float] = list(map(float, gaps))
    if min(gaps) * width / sum(gaps) < least:
        weights = _crowded_weights(weights) if crowded else _sparse_weights(weights)
        base = 0.0 if crowded else least
    else:
        base = 0.0
    spare, total = width - base * len(gaps), sum(weights)
    places, breaks = [0.0], []
    for gap, weight in zip(gaps, weights, strict=True):
        drawn = base + spare * weight / total
        if weight < gap:
            breaks.append(places[-1] + drawn / 2)
        places.append(places[-1] + drawn)
    return Axis(tuple(instants), tuple(places), tuple(breaks), not breaks and base == 0, crowded)


def _sparse_weights(gaps: list[float]) -> list[float]:
    """No gap counts for more than four usual ones."""
    most = 4 * sorted(gaps)[(len(gaps) - 1) // 2]
    return [min(gap, most) for gap in gaps]


def _crowded_weights(gaps: list[float]) -> list[float]:
    """A gap that is longer than all others together counts for an eighth of them."""
    weights = list(gaps)
    for _ in range(8):
        longest = max(range(len(weights)), key=weights.__getitem__)
        others = sum(weights) - weights[longest]
        if weights[longest] <= others or len(weights) < 3:
            break
        weights[longest] = others / 8
    return weights


def _slots(bars: list[Bar], axis: Axis, least: float) -> list[list[Bar]]:
    """The bars in as few rows as their order allows; those that the contract doesn't have come below the others.

    Where instants stand apart, a bar that ended as it began takes as much room as its signs.
    """
    slots: list[list[Bar]] = []
    free_from: list[float] = []
    for bar in sorted(bars, key=lambda bar: (bar.flag == WRONG, bar.start, bar.phases[0].step)):
        left = axis.at(bar.start)
        right = max(axis.at(bar.phases[-1].end), left + least)
        for number, free in enumerate(free_from):
            if free <= left:
                slots[number].append(bar)
                free_from[number] = right
                break
        else:
            slots.append([bar])
            free_from.append(right)
    return slots or [[]]


def labelled(wanted: Sequence[tuple[int, float, float]], apart: float) -> list[int]:
    """Those of the labels that stand clear of each other, the most wanted first; each is (instant, left, width)."""
    lefts: list[float] = []
    rights: list[float] = []
    kept = []
    for at, left, wide in wanted:
        place = bisect_left(lefts, left)
        clear = place == len(lefts) or left + wide + apart <= lefts[place]
        if clear and (place == 0 or rights[place - 1] + apart <= left):
            lefts.insert(place, left)
            rights.insert(place, left + wide)
            kept.append(at)
    return kept
