"""The drawing as SVG: one string that needs nothing else, in light and in dark, for a page or as a file."""

from __future__ import annotations

from html import escape

from .drawing import (
    COMPLETED,
    EXPIRED,
    LIVE,
    RELEASED,
    WRONG,
    Bar,
    Drawing,
    Mark,
    Phase,
    Series,
    cells,
    cut,
    instant,
    wrapped,
)
from .drawing import visible as seen
from .layout import Axis, Layout, Row, labelled, laid_out
from .style import STYLE

CHARACTER, BOLD = 7.0, 8.0
"""How wide a character is taken to be, at 12 pixels, so that other fonts have room too."""
LEAST, TOP, SERIES, LINE = 30, 40, 46, 18
FULL, DENSE, THIN = 44, 22, 8
"""How high a row is: with labels, without, and where there are very many."""
LABELLED_MOST, DENSE_MOST = 12, 60
"""So many bars of a row have labels; so many rows are not thin."""
NARROW = 16
"""A bar of fewer pixels has no room for its signs."""


def svg(drawing: Drawing, width: int = 800, *, name: str = "lanes", steps: bool = False, caption: bool = False) -> str:
    """The drawing, so many pixels wide and as high as it must be.

    `name` begins the ids in it, so that one page can hold several. With `steps` everything carries the steps from
    and until which it is there (`data-from`, `data-until`), and what was superseded is there too, hidden. With
    `caption` the title is written above it.
    """
    return _Svg(drawing, width, name, steps, caption).drawn()


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _text(x: float, y: float, said: str, kind: str = "", anchor: str = "") -> str:
    classed = f' class="{kind}"' if kind else ""
    anchored = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{_number(x)}" y="{_number(y)}"{classed}{anchored}>{escape(seen(said))}</text>'


def _path(shape: str, kind: str) -> str:
    return f'<path class="{kind}" d="{shape}"/>'


def _wide(text: str, character: float = CHARACTER) -> float:
    return cells(text) * character


class _Svg:
    def __init__(self, drawing: Drawing, width: int, name: str, steps: bool, caption: bool) -> None:
        self.drawing, self.width, self.name, self.steps = drawing, width, name, steps
        self.caption = wrapped(seen(drawing.title), int(width / BOLD) - 4) if caption else []
        self.top = TOP + LINE * len(self.caption)
        names = [*(lane.name for lane in drawing.lanes), *(series.name for series in drawing.series)]
        details = [*(lane.detail for lane in drawing.lanes), *map(_bound, drawing.series)]
        wide = [_wide(seen(name), BOLD) for name in names] + [_wide(seen(detail)) for detail in details]
        most = max(wide, default=0)
        self.left = min(most, width / 4) + 24
        self.layout: Layout = laid_out(drawing, width - self.left - 34, LEAST)
        self.axis: Axis = self.layout.axis
        most_bars = max((len(row.bars) for row in self.layout.rows), default=0)
        self.high = FULL if most_bars <= LABELLED_MOST else DENSE
        if len(self.layout.rows) > DENSE_MOST:
            self.high = THIN
        self.named_until = 0.0
        self.bottom = self.top + self.high * len(self.layout.rows) + 6
        self.failing = [mark for mark in drawing.marks if mark.failing]
        self.parts: list[str] = []
        self.used: dict[str, str] = {}

    def x(self, at: int) -> float:
        """The place of an instant, in pixels."""
        return self.left + self.axis.at(at)

    def drawn(self) -> str:
        """The whole element."""
        for number, line in enumerate(self.caption):
            self.parts.append(_text(12, LINE * (number + 1), line, "name"))
        self._axis()
        below = float(self.bottom)
        for mark in self.drawing.marks:
            below = max(below, self._mark(mark))
        for number, row in enumerate(self.layout.rows):
            self._row(row, self.top + number * self.high)
        for series in self.drawing.series:
            below = self._series(series, below)
        height = self._notes(below + 8)
        title, said = f"{self.name}-title", f"{self.name}-said"
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tenure-lanes" viewBox="0 0 {self.width} {height:.0f}" '
            f'width="{self.width}" height="{height:.0f}" role="img" aria-labelledby="{title} {said}">'
            f'<title id="{title}">{escape(seen(self.drawing.title))}</title>'
            f'<desc id="{said}">{escape(self._described())}</desc><style>{STYLE}</style>'
            f'<defs><pattern id="{self.name}-hatch" width="7" height="7" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)"><path class="hatch" d="M0 0V7"/></pattern></defs>'
        )
        return f'{head}<rect class="ground" width="{self.width}" height="{height:.0f}"/>{"".join(self.parts)}</svg>\n'

    def _described(self) -> str:
        """What a reader who doesn't see it is told."""
        bars = [f"{bar.lane}: {bar.label}, {_told(bar)}" for bar in self.drawing.bars[:20]]
        more = len(self.drawing.bars) - len(bars)
        marks = [f"at {mark.at}: {mark.label}" for mark in self.failing]
        return seen("; ".join([*bars, *([f"and {more:,} more leases"] if more else []), *marks]) or "No lease.")

    def _there(self, step: int, until: int | None = None) -> str:
        """The attributes that say at which steps a thing is there."""
        if not self.steps:
            return ""
        return f' data-from="{step}"' + ("" if until is None else f' data-until="{until}"')

    # -- the axis

    def _axis(self) -> None:
        first, last = self.x(self.axis.instants[0]), self.x(self.axis.instants[-1])
        self.parts.append(_path(f"M{_number(first)} {self.top - 8}H{_number(last)}", "axis"))
        failing = {mark.at for mark in self.failing}
        ends = self.axis.instants[0], self.axis.instants[-1]
        order = sorted(self.axis.instants, key=lambda at: (at not in failing, at not in ends, at))
        wanted = [(at, self._middle(at) - _wide(instant(at)) / 2, _wide(instant(at))) for at in order]
        for at in labelled(wanted, 6):
            kind = "fail" if at in failing else "time"
            self.parts.append(_text(self._middle(at), self.top - 16, instant(at), kind, "middle"))
            grid = f"M{_number(self.x(at))} {self.top - 12}V{_number(self.bottom)}"
            self.parts.append(_path(grid, "grid"))
        for place in self.axis.breaks:
            x = self.left + place
            self.parts.append(f'<rect class="ground" x="{_number(x - 5)}" y="{self.top - 14}" width="10" height="12"/>')
            cut = f"M{_number(x - 6)} {self.top - 3}l5 -10M{_number(x + 1)} {self.top - 3}l5 -10"
            self.parts.append(_path(cut, "axis"))

    def _middle(self, at: int) -> float:
        """Where the middle of an instant's label stands."""
        return min(self.x(at), self.width - 2 - _wide(instant(at)) / 2)

    # -- lanes

    def _row(self, row: Row, top: float) -> None:
        if row.first:
            if top > self.top and self.high > THIN:
                self.parts.append(_path(f"M12 {_number(top)}H{self.width - 12}", "grid"))
            self._lane_name(row, top)
        starts = sorted(self.x(bar.start) for bar in row.bars)
        merged_until = -1.0
        for bar in row.bars:
            right = self.x(bar.phases[-1].end)
            if self.high == THIN and not self.steps and right - merged_until < 0.5 and not bar.flag:
                continue  # it would be drawn on pixels that are taken
            merged_until = max(merged_until, right)
            later = next((start for start in starts if start > self.x(bar.start)), float(self.width))
            self._bar(bar, top, later)

    def _lane_name(self, row: Row, top: float) -> None:
        """The lane's name, if there is room for it below the one above."""
        if top < self.named_until:
            return
        name = cut(seen(row.lane.name), max(int((self.left - 23) / BOLD), 3))
        self.parts.append(_text(12, top + (19 if self.high == FULL else 14), name, "name"))
        if self.high == FULL:
            detail = cut(seen(row.lane.detail), max(int((self.left - 23) / CHARACTER), 3))
            self.parts.append(_text(12, top + 35, detail, "detail"))
        self.named_until = top + 15

    def _bar(self, bar: Bar, top: float, later: float) -> None:
        for number, phase in enumerate(bar.phases):
            final = number == len(bar.phases) - 1
            if final or self.steps:
                until = None if final else bar.phases[number + 1].step
                renewed = [old.end for old in bar.phases[:number] if phase.ending == LIVE or old is not bar.phases[-2]]
                flag = bar.flag if final or bar.flag == WRONG else ""
                inner = self._phase(bar, phase, renewed, top, later, flag)
                told = f"<title>{escape(seen(f'{bar.label}, {_told(bar, number)}'))}</title>"
                kind = f"bar {phase.ending} {flag}".strip()
                self.parts.append(f'<g class="{kind}"{self._there(phase.step, until)}>{told}{inner}</g>')

    def _phase(self, bar: Bar, phase: Phase, renewed: list[int], top: float, later: float, flag: str) -> str:
        left, right = self.x(bar.start), self.x(phase.end)
        up = top + {FULL: 22, DENSE: 3, THIN: 1}[self.high]
        tall = THIN - 2 if self.high == THIN else 16
        if self.high != FULL and right - left < NARROW:
            wide = _number(max(right - left - 0.5, 0.9))
            return f'<rect class="block" x="{_number(left)}" y="{_number(up)}" width="{wide}" height="{tall}"/>'
        left, right = left + 1, max(right - 3, left + 9)
        down = up + tall
        body = f'x="{_number(left)}" y="{up}" width="{_number(right - left)}" height="{tall}"'
        fill = f' style="fill:url(#{self.name}-hatch)"' if flag == WRONG else ""
        inner = f'<rect class="body" {body}{fill}/>'
        inner += _path(f"M{_number(left + 5)} {up - 1}H{_number(left + 1)}V{down + 1}H{_number(left + 5)}", "edge")
        inner += _path(
            f"M{_number(right - 4)} {up - 1}Q{_number(right + 1)} {up + tall / 2} {_number(right - 4)} {down + 1}",
            "edge",
        )
        for at in renewed:
            if left < self.x(at) < right:
                inner += _path(f"M{_number(self.x(at))} {up}V{down}", "renewed")
                self.used["renewed"] = "an expiry before it was renewed"
        if self.high == THIN:
            return inner
        inner += self._sign(phase, left, right, up)
        if self.high == DENSE:
            return inner
        said = [f"{bar.label} {_ended(phase)}".strip(), bar.label, bar.short]
        said = [f"✗ {text}" if flag else text for text in said if text]
        room = later - left - 7
        text = next((text for text in said if _wide(text, BOLD if flag else CHARACTER) <= room), "")
        return inner + (_text(left + 3, top + 16, text, "label") if text else "")

    def _sign(self, phase: Phase, left: float, right: float, up: float) -> str:
        """The sign of what ended the lease, at its end."""
        if right - left < 24:
            return ""
        x = right - 18
        if phase.ending == COMPLETED:
            return _path(f"M{_number(x)} {up + 8}l4 4l7 -8", "sign")
        if phase.ending == RELEASED:
            return _path(f"M{_number(x + 11)} {up + 11}V{up + 7}H{_number(x + 1)}m4 -4l-4 4l4 4", "sign")
        return ""

    # -- marks and series

    def _mark(self, mark: Mark) -> float:
        """The line at the instant; for a failing one a flag beneath too. Returns where it ends."""
        x = self.x(mark.at)
        there = self._there(mark.step, mark.until)
        if not mark.failing:
            if self.steps:
                line = _path(f"M{_number(x)} {self.top - 8}V{_number(self.bottom)}", "now")
                self.parts.append(f'<g class="moment"{there}>{line}</g>')
            return self.bottom
        line = _path(f"M{_number(x)} {self.top - 12}V{_number(self.bottom + 4)}", "failing")
        sign = f'<circle class="spot" cx="{_number(x)}" cy="{_number(self.bottom + 12)}" r="8"/>'
        cross = _path(f"M{_number(x - 3)} {_number(self.bottom + 9)}l6 6m0 -6l-6 6", "cross")
        lines = wrapped(f"{instant(mark.at)}: {seen(mark.label)}", int((self.width - 24) / BOLD))
        widest = max(_wide(line, BOLD) for line in lines)
        start = min(max(x, 12.0), max(12.0, self.width - widest - 12))
        said = "".join(_text(start, self.bottom + 37 + 16 * n, text, "fail") for n, text in enumerate(lines))
        self.parts.append(f'<g class="moment"{there}>{line}{sign}{cross}{said}</g>')
        return self.bottom + 30 + 16 * len(lines)

    def _series(self, series: Series, top: float) -> float:
        most = series.most or max((value for _, value in series.points), default=0) or 1
        base = top + SERIES - 6
        shape, height = "", 0.0
        for at, value in series.points:
            x, height = self.x(at), base - (SERIES - 16) * min(value / most, 1)
            shape += f"H{_number(x)}V{_number(height)}" if shape else f"M{_number(x)} {_number(height)}"
        last = self.x(self.axis.instants[-1])
        self.parts.append(_path(f"M{_number(self.left)} {_number(base)}H{_number(last)}", "grid"))
        if shape:
            self.parts.append(_path(f"{shape}H{_number(last)}", "series"))
        self.parts.append(_text(12, base - 16, series.name, "name"))
        self.parts.append(_text(12, base - 1, _bound(series), "detail"))
        return top + SERIES

    def _notes(self, top: float) -> float:
        """What the signs mean, and what isn't there; returns the height of it all."""
        parts = []
        if any(row.bars for row in self.layout.rows):
            parts.append("[ from here on, ) up to and not at")
        if any(bar.flag == WRONG for bar in self.drawing.bars):
            parts.append("hatched: not by the contract")
        if "renewed" in self.used:
            parts.append(f"dotted: {self.used['renewed']}")
        if self.axis.breaks:
            parts.append("// time left out")
        elif not self.axis.to_scale:
            parts.append("not to scale")
        if self.layout.lanes_left_out:
            parts.append(f"{self.layout.lanes_left_out:,} more lanes aren't drawn")
        if self.layout.bars_left_out:
            parts.append(f"{self.layout.bars_left_out:,} more leases aren't drawn")
        lines = wrapped(" · ".join(parts), int((self.width - 24) / CHARACTER)) if parts else []
        for number, line in enumerate(lines):
            self.parts.append(_text(12, top + 14 + 15 * number, line, "detail"))
        return top + 8 + 15 * len(lines) + 6


def _bound(series: Series) -> str:
    """What the number was at most, or may be."""
    return f"at most {series.most or max((value for _, value in series.points), default=0):,}"


def _ended(phase: Phase) -> str:
    return "" if phase.ending in (LIVE, EXPIRED) else phase.ending


def _told(bar: Bar, number: int = -1) -> str:
    """When the lease holds, and what ended it, as a title says it."""
    phase = bar.phases[number]
    ending = {COMPLETED: f", completed at {phase.end}", RELEASED: f", released at {phase.end}", EXPIRED: ", expired"}
    wrong = ", which the contract doesn't have" if bar.flag == WRONG else ""
    return f"[{bar.start}, {phase.end}){ending.get(phase.ending, '')}{wrong}"
