"""A check's report as a person or a program wants it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ..lanes import needs_ascii
from .check import NOT_RUN, Part, Report
from .counterexample import Counterexample, headline
from .verdict import PROVED, REFUTED, UNDECIDED

if TYPE_CHECKING:
    from rich.console import Console

VERSION = 1
STYLES = {REFUTED: "bold red", UNDECIDED: "bold yellow", NOT_RUN: "dim"}
NARROWEST = 40
LABEL = 11


def counterexamples(report: Report) -> tuple[Counterexample, ...]:
    """The histories that refute, one for each broken rule, the shortest first."""
    return tuple(
        Counterexample(
            target=report.target.name,
            rule=each.wrong.rule,
            reason=each.wrong.reason,
            history=each.wrong.history,
            expected=each.wrong.expected,
            shortest=each.shortest,
            found_by=each.by,
            make=report.target.make,
            aside=each.wrong.reason if each.wrong.expected is None else "",
            exact_errors=report.exact_errors,
            has_workers="workers" not in report.target.abilities.lacks,
        )
        for each in report.found
    )


def as_json(report: Report) -> dict[str, Any]:
    """The whole report as plain data."""
    from .telling import as_json as written

    return {
        "version": VERSION,
        "target": report.target.name,
        "verdict": report.word,
        "parts": [
            {"part": part.name, "verdict": part.word, "said": part.said, "broken": part.broken, **part.figures}
            for part in report.parts
        ],
        "not_checked": list(report.target.abilities.not_checked()),
        "assumptions": [assumption for part in report.parts for assumption in part.assumptions],
        "counterexamples": [written(each) for each in counterexamples(report)],
    }


def show(console: Console, report: Report, rule: str | None = None) -> None:
    """What went wrong first, then each part's word, what was not checked and what is assumed.

    The history that is shown breaks `rule`, if one does, else it is the shortest.
    """
    from rich.text import Text

    console.width = max(console.width, NARROWEST)
    found = counterexamples(report)
    counterexample = chosen(found, rule)
    if counterexample is None:
        console.print(Text.assemble((report.word, STYLES.get(report.word, "bold")), "  ", report.target.name))
    else:
        from .telling import text

        colour = console.is_terminal and not console.no_color
        shown = text(counterexample, console.width, colour, ascii_only=needs_ascii(console.encoding))
        console.print(Text.from_ansi(shown), end="", no_wrap=True, crop=False)
    console.print()
    for part in report.parts:
        _print_part(console, part)
    console.print()
    if len(found) > 1:
        console.print("Broken, each by a short history (--rule shows one):")
        for each in found:
            told = fill(headline(each), console.width - 6, break_on_hyphens=False).splitlines()
            for number, line in enumerate(told):
                console.print(Text.assemble((f"  {each.rule if number == 0 else '':4}", STYLES[REFUTED]), line))
    for line in _notes(report):
        console.print(fill(line, console.width, subsequent_indent="  ", break_on_hyphens=False))


def chosen(found: Sequence[Counterexample], rule: str | None) -> Counterexample | None:
    """The one that breaks this rule, else the shortest; None if there is none."""
    return next((each for each in found if each.rule == rule), found[0] if found else None)


def _print_part(console: Console, part: Part) -> None:
    from rich.text import Text

    lines = fill(part.said, console.width - 2 * LABEL, break_on_hyphens=False).splitlines()
    for number, line in enumerate(lines):
        name, word = (part.name, part.word) if number == 0 else ("", "")
        console.print(Text.assemble(f"{name:{LABEL}}", (f"{word:{LABEL}}", STYLES.get(part.word, "")), line))


def _notes(report: Report) -> Iterator[str]:
    for what in report.target.abilities.not_checked():
        yield f"Not checked: {what}."
    for part in report.parts:
        for assumption in part.assumptions:
            yield f"Assumed by the {part.name}: {assumption}."
    if report.word == PROVED:
        yield "PROVED holds for the explorer's scope: every state of it was explored, for every duration."
