"""The drawing as text for a terminal: in colour or without, in box characters or in ASCII."""

from __future__ import annotations

from typing import NamedTuple

from .drawing import (
    COMPLETED,
    CONCERNED,
    RELEASED,
    WRONG,
    Bar,
    Drawing,
    Mark,
    Series,
    cells,
    cut,
    instant,
    visible,
    wrapped,
)
from .layout import Axis, Layout, Row, labelled, laid_out

LEAST = 4
"""Columns between two instants, where they are few."""
FAILING, FAINT, PLAIN, BUSY = "1;31", "2", "", "36"


class Signs(NamedTuple):
    """The characters that are drawn with."""

    line: str
    wrong: str
    tick: str
    first: str
    rule: str
    completed: str
    released: str
    renewed: str
    failing: str
    fail: str
    up: str
    more: str
    dot: str
    steps: str


BOXES = Signs(
    "━", "\N{BOX DRAWINGS LIGHT DIAGONAL CROSS}", "┼", "├", "─", "✓", "↩", "┆", "╏", "✗", "▲", "…", "·", "▁▂▃▄▅▆▇█"
)
ASCII = Signs("=", "x", "+", "+", "-", "v", "<", ":", "!", "X", "^", "~", ".", "_.-=+*%#")


def needs_ascii(encoding: str | None) -> bool:
    """Whether a stream of this encoding can't carry the signs, so that `ascii_only` must be asked for.

    >>> needs_ascii("utf-8"), needs_ascii("cp1252"), needs_ascii(None)
    (False, True, True)
    """
    try:
        "".join(BOXES).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


class Canvas:
    """Rows of characters, each with its colour, of one width."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.rows: list[list[tuple[str, str]]] = []

    def row(self) -> int:
        """A new row at the bottom, by its number."""
        self.rows.append([(" ", PLAIN)] * self.width)
        return len(self.rows) - 1

    def put(self, row: int, left: int, text: str, style: str = PLAIN) -> None:
        """Write over what is there, as far as there is room."""
        for character in text:
            wide = cells(character)
            if wide and 0 <= left <= self.width - wide:
                self.rows[row][left : left + wide] = [(character, style), *[("", style)] * (wide - 1)]
            left += wide

    def free(self, row: int, left: int, wide: int) -> bool:
        """Whether nothing stands there."""
        return left + wide <= self.width and all(one == " " for one, _ in self.rows[row][left : left + wide])

    def text(self, colour: bool) -> list[str]:
        """The rows, with escapes for the terminal's colours if wanted."""
        lines = []
        for row in self.rows:
            line, now = "", PLAIN
            last = max((place for place, (one, _) in enumerate(row) if one != " "), default=-1)
            for one, style in row[: last + 1]:
                if colour and style != now:
                    line += "\033[0m" if not style else f"\033[0;{style}m"
                    now = style
                line += one
            lines.append(line + ("\033[0m" if now else ""))
        return lines


def terminal(drawing: Drawing, width: int = 80, *, ascii_only: bool = False, colour: bool = False) -> str:
    """The drawing in so many columns, at least 40; colour, as ANSI escapes, says nothing that a sign doesn't.

    A column holds the instants from its own up to the next, so a bar's `)` stands before its expiry.
    """
    return _Terminal(drawing, max(width, 40), ASCII if ascii_only else BOXES).drawn(colour)


class _Terminal:
    def __init__(self, drawing: Drawing, width: int, signs: Signs) -> None:
        self.drawing, self.signs = drawing, signs
        self.used: dict[str, str] = {}
        names = [*(lane.name for lane in drawing.lanes), *(series.name for series in drawing.series)]
        most = max((cells(self._fit(name)) for name in names), default=0)
        self.left = min(most, width // 4) + 2
        room = width - self.left
        tail = max((len(instant(mark.at)) for mark in drawing.marks), default=0)
        self.layout: Layout = laid_out(drawing, room - max(2, tail + 1), LEAST)
        self.axis: Axis = self.layout.axis
        self.canvas = Canvas(width)
        self.failing = [mark for mark in drawing.marks if mark.failing]

    def _fit(self, text: str) -> str:
        """The text in characters that the signs allow."""
        shown = visible(text)
        if self.signs is ASCII:
            shown = shown.replace(" · ", ", ").encode("ascii", "backslashreplace").decode()
        return shown

    def column(self, at: int) -> int:
        """Where the column of an instant is."""
        return self.left + round(self.axis.at(at))

    def drawn(self, colour: bool) -> str:
        """All of it, from the axis to the key of signs."""
        self._axis()
        for row in self.layout.rows:
            self._row(row)
        self._marks()
        for series in self.drawing.series:
            self._series(series)
        return "\n".join([*self.canvas.text(colour), *self._notes()])

    # -- the axis

    def _axis(self) -> None:
        labels, rule = self.canvas.row(), self.canvas.row()
        first, last = self.left, self.column(self.axis.instants[-1])
        self.canvas.put(rule, first, self.signs.first + self.signs.rule * (last - first), FAINT)
        failing = {mark.at for mark in self.failing}
        ends = self.axis.instants[0], self.axis.instants[-1]
        order = sorted(self.axis.instants, key=lambda at: (at not in failing, at not in ends, at))
        wanted = [(at, float(self._label_left(at)), float(len(instant(at)))) for at in order]
        for at in labelled(wanted, 1):
            style = FAILING if at in failing else PLAIN
            self.canvas.put(labels, self._label_left(at), self._fit(instant(at)), style)
            if self.column(at) > first:
                self.canvas.put(rule, self.column(at), self.signs.tick, style or FAINT)
        for place in self.axis.breaks:
            self.canvas.put(rule, self.left + round(place), "//")

    def _label_left(self, at: int) -> int:
        return min(self.column(at), self.canvas.width - len(instant(at)))

    # -- lanes

    def _row(self, row: Row) -> None:
        number = self.canvas.row()
        for mark in self.failing:
            self.canvas.put(number, self.column(mark.at), self.signs.failing, FAILING)
        if row.first:
            name = cut(self._fit(row.lane.name), self.left - 2, self.signs.more)
            self.canvas.put(number, self.left - 1 - cells(name), name)
        elif any(bar.flag == WRONG for bar in row.bars):
            self.canvas.put(number, self.left - 2, self.signs.fail, FAILING)
        for bar in row.bars:
            self._bar(number, bar)
        for bar in row.bars:
            self._beside(number, bar)
        for mark in self.failing:
            if self.canvas.rows[number][self.column(mark.at)][0] in (self.signs.line, self.signs.wrong):
                self.canvas.put(number, self.column(mark.at), self.signs.failing, FAILING)

    def _span(self, bar: Bar) -> tuple[int, int]:
        """The bar's first column and the one after its last."""
        left = self.column(bar.start)
        return left, max(self.column(bar.phases[-1].end), left + 2)

    def _bar(self, number: int, bar: Bar) -> None:
        left, right = self._span(bar)
        style = FAILING if bar.flag else BUSY
        fill = self.signs.wrong if bar.flag == WRONG else self.signs.line
        self.canvas.put(number, left, fill * (right - left), style)
        for phase in bar.phases[:-1]:
            if left < self.column(phase.end) - 1 < right - 1 and self._was_renewed(bar):
                self.canvas.put(number, self.column(phase.end) - 1, self.signs.renewed, style)
                self.used[self.signs.renewed] = "an expiry before it was renewed"
        self.canvas.put(number, left, "[", style)
        self.canvas.put(number, right - 1, self._end(bar), style)
        if bar.flag == WRONG:
            self.used[self.signs.wrong] = "not by the contract"
        text = self._inside(bar, right - left - 4)
        if text:
            self.canvas.put(number, left + (right - left - cells(text)) // 2, text, FAILING if bar.flag else PLAIN)

    @staticmethod
    def _was_renewed(bar: Bar) -> bool:
        return len([phase for phase in bar.phases if phase.ending == "live"]) > 1

    def _end(self, bar: Bar) -> str:
        ending = bar.phases[-1].ending
        if ending == COMPLETED:
            self.used[self.signs.completed] = "completed"
            return self.signs.completed
        if ending == RELEASED:
            self.used[self.signs.released] = "released"
            return self.signs.released
        return ")"

    def _words(self, bar: Bar) -> list[str]:
        fail = f"{self.signs.fail} " if bar.flag in (WRONG, CONCERNED) else ""
        texts = (f"{fail}{bar.label}", f"{fail}{bar.short}", bar.short)
        return [self._fit(text) for text in texts if text.strip()]

    def _inside(self, bar: Bar, room: int) -> str:
        """What is written into the bar, if its label finds room there."""
        return next((f" {text} " for text in self._words(bar)[:1] if cells(text) + 2 <= room), "")

    def _beside(self, number: int, bar: Bar) -> None:
        """The label of a short bar stands to its right, or into it as short as can be, if there is room."""
        left, right = self._span(bar)
        if self._inside(bar, right - left - 4):
            return
        style = FAILING if bar.flag else PLAIN
        rest = [one for one, _ in self.canvas.rows[number][right:]]
        room = next((place for place, one in enumerate(rest) if one not in (" ", self.signs.failing)), len(rest))
        for text in self._words(bar):
            if cells(text) + 3 <= room:
                crossed = right < self.canvas.width and self.canvas.rows[number][right][0] != " "
                self.canvas.put(number, right + 1 + crossed, text, style)
                return
            if cells(text) + 2 <= right - left - 2:
                self.canvas.put(number, left + (right - left - cells(text) - 2) // 2, f" {text} ", style)
                return

    # -- marks and series

    def _marks(self) -> None:
        for mark in self.failing:
            row = self.canvas.row()
            column = self.column(mark.at)
            self.canvas.put(row, column, self.signs.up, FAILING)
            self._tell(mark, row, column)

    def _tell(self, mark: Mark, row: int, column: int) -> None:
        """The mark's words beside it; where there is no room, beneath."""
        before, after = column - 1, self.canvas.width - column - 2
        text = self._fit(f"{instant(mark.at)}: {mark.label}")
        if cells(text) <= after:
            self.canvas.put(row, column + 2, text, FAILING)
        elif cells(text) <= before:
            self.canvas.put(row, column - 1 - cells(text), text, FAILING)
        else:
            lines = wrapped(text, self.canvas.width - 2)
            left = max(2, min(column, self.canvas.width - max(map(cells, lines))))
            for line in lines:
                self.canvas.put(self.canvas.row(), left, line, FAILING)

    def _series(self, series: Series) -> None:
        row = self.canvas.row()
        name = cut(self._fit(series.name), self.left - 2, self.signs.more)
        self.canvas.put(row, self.left - 1 - cells(name), name, FAINT)
        most = series.most or max((value for _, value in series.points), default=0) or 1
        levels = len(self.signs.steps)
        for place, (at, value) in enumerate(series.points):
            later = series.points[place + 1][0] if place + 1 < len(series.points) else self.axis.instants[-1]
            level = 0 if value == 0 else min(levels - 1, max(1, round(value * (levels - 1) / most)))
            wide = max(1, self.column(later) - self.column(at))
            self.canvas.put(row, self.column(at), self.signs.steps[level] * wide, BUSY)

    def _notes(self) -> list[str]:
        """What the signs mean, and what isn't there."""
        ends = {"[": "from here on", ")": "up to, not at"} if any(row.bars for row in self.layout.rows) else {}
        if self.axis.breaks:
            self.used["//"] = "time left out"
        parts = [f"{sign} {meaning}" for sign, meaning in {**ends, **self.used}.items()]
        if not self.axis.to_scale and not self.axis.breaks:
            parts.append("not to scale")
        if self.layout.lanes_left_out:
            parts.append(f"{self.layout.lanes_left_out:,} more lanes aren't drawn")
        if self.layout.bars_left_out:
            parts.append(f"{self.layout.bars_left_out:,} more leases aren't drawn")
        lines = [""] if parts else []
        for part in parts:
            if lines[-1] and len(lines[-1]) + len(part) + 3 <= self.canvas.width:
                lines[-1] += "   " + part
            else:
                lines.append("  " + part)
        return [line.rstrip() for line in lines]
