"""A counterexample as text for a terminal, in so many columns, with colour or without."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import TYPE_CHECKING

from ...lanes import terminal, visible
from ..counterexample import Counterexample, Step, contract_says, drawing, headline, length, steps
from ..verdict import REFUTED

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

NARROW, WIDE_CALL = 110, 44
"""With fewer columns what changed stands beneath the call."""
FAIL, SOFT = "bold red", "dim"


def text(counterexample: Counterexample, width: int = 80, colour: bool = False, *, ascii_only: bool = False) -> str:
    """What went wrong first, then the steps, what the contract says, and the lanes; colour is for terminals.

    At least 40 columns. `ascii_only` is for streams that carry nothing else; see `tenure.lanes.needs_ascii`.
    """
    from rich.console import Console
    from rich.text import Text

    width = max(width, 40)
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        no_color=not colour,
        color_system="standard" if colour else None,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=False,
    )
    cross = "X" if ascii_only else "✗"
    fit = _ascii if ascii_only else str
    _head(console, counterexample, fit)
    console.print()
    rows = tuple(_fitted(step, fit) for step in steps(counterexample))
    if width < NARROW:
        _print_stacked(console, rows, cross)
    else:
        console.print(_table(rows, cross))
    console.print()
    _contract(console, counterexample, fit)
    drawn = drawing(counterexample)
    if drawn.bars:
        console.print()
        console.print(Text.from_ansi(terminal(drawn, width, ascii_only=ascii_only, colour=colour)), no_wrap=True)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _ascii(said: str) -> str:
    return said.encode("ascii", "backslashreplace").decode()


def _fitted(step: Step, fit: Callable[[str], str]) -> Step:
    """The step in characters that can be shown."""
    return step._replace(call=fit(step.call), answer=fit(step.answer), changes=tuple(map(fit, step.changes)))


def _head(console: Console, counterexample: Counterexample, fit: Callable[[str], str]) -> None:
    from rich.text import Text

    rule = f" {fit(visible(counterexample.rule))}" if counterexample.rule else ""
    console.print(Text.assemble((f"{REFUTED}{rule}", FAIL), "  ", (fit(headline(counterexample)), "bold")))
    console.print(Text(fit(visible(counterexample.target)), style=SOFT))
    console.print(Text(f"{length(counterexample)}; found by: {fit(visible(counterexample.found_by))}", style=SOFT))


def _table(rows: tuple[Step, ...], cross: str) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, expand=False, header_style=SOFT)
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("call", ratio=4, overflow="fold")
    table.add_column("answer", ratio=3, overflow="fold")
    table.add_column("what changed, by the contract", ratio=3, overflow="fold")
    for step in rows:
        table.add_row(_number(step, cross), _plain(step.call), _answer(step), _changes(step))
    return table


def _print_stacked(console: Console, rows: tuple[Step, ...], cross: str) -> None:
    """Call and answer on a line if there is room, what changed beneath."""
    from rich.padding import Padding
    from rich.text import Text

    wide = max(4, len(str(len(rows))) + 3)
    most = max((len(step.call) for step in rows if len(step.call) <= WIDE_CALL), default=0)
    for step in rows:
        said = Text.assemble(_number(step, cross), "  ")
        said.pad_left(wide + 2 - said.cell_len)
        together = max(most, len(step.call)) + 2 + len(step.answer) + said.cell_len
        first = Text(f"{step.call.ljust(most)}  " if together <= console.width else step.call)
        hanging = console.width - wide - 2
        if together <= console.width:
            console.print(Text.assemble(said, first, _answer(step)))
        else:
            lines = first.wrap(console, hanging)
            console.print(Text.assemble(said, lines[0]))
            for line in lines[1:]:
                console.print(Padding(line, (0, 0, 0, wide + 2)))
            console.print(Padding(Text.assemble("-> ", _answer(step)), (0, 0, 0, wide + 2)))
        if step.changes:
            console.print(Padding(Text("; ".join(step.changes), style=SOFT), (0, 0, 0, wide + 4)))


def _plain(said: str) -> Text:
    """As it stands, whatever brackets are in it."""
    from rich.text import Text

    return Text(said)


def _number(step: Step, cross: str) -> Text:
    from rich.text import Text

    return Text(f"{cross} {step.number}", style=FAIL) if step.failing else Text(str(step.number), style=SOFT)


def _answer(step: Step) -> Text:
    from rich.text import Text

    return Text(step.answer, style=FAIL if step.failing else "")


def _changes(step: Step) -> Text:
    from rich.text import Text

    return Text("; ".join(step.changes) or "nothing", style="" if step.changes else SOFT)


def _contract(console: Console, counterexample: Counterexample, fit: Callable[[str], str]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    said, sentence = contract_says(counterexample)
    console.print(Text.assemble(("The contract: ", "bold"), fit(said)))
    if sentence:
        console.print(Padding(Text.assemble((f"{counterexample.rule}  ", "bold"), fit(sentence)), (0, 0, 0, 2)))
    if counterexample.aside and counterexample.expected is not None:
        console.print(Padding(Text(fit(visible(counterexample.aside)), style=SOFT), (0, 0, 0, 2)))
