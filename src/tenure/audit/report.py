"""Findings as a reader or a program wants them: text, or one line of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ..checking.sentences import sentence, told
from .findings import PASSED, REFUTED, UNDECIDED, Breach, Findings, Note

if TYPE_CHECKING:
    from rich.console import Console

VERSION = 1
NARROWEST = 40
"""No line is folded for fewer columns, since words would fall apart."""
STYLES = {PASSED: "bold green", REFUTED: "bold red", UNDECIDED: "bold yellow"}


def as_json(findings: Findings) -> str:
    """One line of JSON: the verdict and what it stands on."""
    breach = findings.breach
    data: dict[str, Any] = {
        "version": VERSION,
        "verdict": findings.word,
        "file": findings.file,
        "form": findings.form,
        "accepted_lines": findings.accepted,
        "counts": {name: tally._asdict() for name, tally in findings.tallies.items()},
        "breach": None if breach is None else _breach_data(breach),
        "inferred": _notes_data(findings.inferred),
        "not_checked": _notes_data(findings.unchecked),
        "undecided": _notes_data(findings.undecided),
    }
    return json.dumps(data)


def _breach_data(breach: Breach) -> dict[str, Any]:
    context = [{"about": about, "text": text} for about, text in breach.context]
    return breach._asdict() | {"sentence": sentence(breach.rule), "context": context}


def _notes_data(notes: dict[str, Note]) -> list[dict[str, Any]]:
    return [{"what": what, "lines": note.count, "first_lines": note.lines} for what, note in notes.items()]


def show(console: Console, findings: Findings) -> None:
    """The verdict first, then why, then what was counted and what wasn't checked."""
    from rich.text import Text

    verdict = Text.assemble((findings.word, STYLES[findings.word]), f": {_verdict(findings)}")
    console.print(verdict, soft_wrap=False)
    if findings.breach is not None:
        console.print()
        _show_breach(console, findings.breach)
    if findings.tallies:
        console.print()
        _show_tallies(console, findings)
    notes = list(_notes(findings))
    if notes:
        console.print()
    for note in notes:
        console.print(fill(note, max(NARROWEST, console.width), subsequent_indent="  "), soft_wrap=True)


def _verdict(findings: Findings) -> str:
    lines = counted(findings.accepted, "line")
    if findings.breach is not None:
        before = f"after {lines} that {'is' if findings.accepted == 1 else 'are'} allowed"
        return f"{findings.file}:{findings.breach.line}, {before if findings.accepted else 'the very first line'}"
    if findings.word == UNDECIDED:
        return f"{findings.file}: whether its {lines} are allowed depends on what no line tells"
    return f"{findings.file}: {lines}, all allowed"


def _show_breach(console: Console, breach: Breach) -> None:
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for about, text in (
        (breach.rule, breach.reason),
        ("came", breach.came),
        ("allowed", breach.allowed),
        *breach.context,
    ):
        table.add_row(about, text)
    console.print(table)
    if said := told(breach.rule):
        console.print()
        width = max(NARROWEST, console.width)
        console.print(fill(f"The contract says, {breach.rule}: {said}", width), soft_wrap=True)


def _show_tallies(console: Console, findings: Findings) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    calls = findings.form == "calls"
    heads = ("calls", "refused", "rejected") if calls else ("lines",)
    table.add_column("operation" if calls else "event")
    for head in heads:
        table.add_column(head, justify="right")
    rows: dict[str, tuple[int, ...]] = {
        name: (sum(tally), *tally[1:]) if calls else tally[:1] for name, tally in findings.tallies.items()
    }
    if len(rows) > 1:
        rows["in all"] = tuple(map(sum, zip(*rows.values(), strict=True)))
    for name, numbers in rows.items():
        table.add_row(name, *[f"{number:,}" for number in numbers])
    console.print(table)


def _notes(findings: Findings) -> Iterator[str]:
    for heading, notes in (
        ("undecided", findings.undecided),
        ("inferred", findings.inferred),
        ("not checked", findings.unchecked),
    ):
        for what, note in notes.items():
            yield f"{heading}: {what}{_where(note)}"


def _where(note: Note) -> str:
    """How many lines, and which are the first."""
    if not note.count:
        return ""
    more = ", ..." if note.count > len(note.lines) else ""
    if not note.lines:
        return f": {counted(note.count, 'line')}"
    which = f"line{'' if note.count == 1 else 's'} {', '.join(map(str, note.lines))}{more}"
    return f": {which}" if note.count == 1 else f": {counted(note.count, 'time')}, {which}"


def counted(number: int, noun: str) -> str:
    """So many of them: `1 line`, `1,134 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
