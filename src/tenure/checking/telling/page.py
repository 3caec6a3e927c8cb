"""A counterexample as a drawing, and as one page that plays it and needs nothing else."""

from __future__ import annotations

import re
from html import escape
from importlib.resources import files

from ... import lanes
from ...lanes import visible
from ..counterexample import Counterexample, Step, contract_says, drawing, headline, length, steps
from ..sentences import sentence

WIDE, SLIM = 760, 340
ICONS = {
    "first": "M5 5v14M19 5 9 12l10 7z",
    "back": "M16 5 6 12l10 7z",
    "play": "M7 4.5v15L20 12z",
    "pause": "M8 5v14M16 5v14",
    "forward": "M8 5l10 7-10 7z",
    "last": "M19 5v14M5 5l10 7-10 7z",
    "fails": "M6 6l12 12M18 6 6 18",
}
CONTROLS = (
    ("first", "First step"),
    ("back", "Step back"),
    ("play", "Play"),
    ("forward", "Step forward"),
    ("last", "Last step"),
)
CITED = re.compile(r"\b[VLITROP][0-9]+\b")


def svg(counterexample: Counterexample) -> str:
    """The lanes as they are in the end, with the failing instant marked."""
    return lanes.svg(drawing(counterexample))


def page(counterexample: Counterexample) -> str:
    """One HTML page: what went wrong, the lanes, the steps to play, and what the contract says."""
    every = steps(counterexample)
    rule = visible(counterexample.rule)
    title = f"REFUTED {rule}: {visible(counterexample.target)}"
    return "".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="color-scheme" content="light dark">\n',
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; ',
            "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n",
            f'<link rel="icon" href="data:,">\n<title>{escape(title)}</title>\n',
            f"<style>\n{_asset('page.css')}</style>\n</head>\n<body>\n<main>\n",
            _head(counterexample),
            _figure(counterexample),
            _controls(len(every)),
            '<div class="columns">\n<section aria-labelledby="steps-title">\n<h2 id="steps-title">Steps</h2>\n',
            f'<ol class="steps">\n{"".join(map(_step, every))}</ol>\n</section>\n',
            _contract(counterexample),
            f"</div>\n</main>\n<script>\n{_asset('page.js')}</script>\n</body>\n</html>\n",
        ]
    )


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _icon(name: str) -> str:
    return f'<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="{ICONS[name]}"/></svg>'


def _said(text: str) -> str:
    return escape(visible(text))


def _head(counterexample: Counterexample) -> str:
    rule = f' <span class="rule">{_said(counterexample.rule)}</span>' if counterexample.rule else ""
    facts = [
        f"<li><span>Target</span> {_said(counterexample.target)}</li>",
        f"<li><span>Length</span> {_said(length(counterexample))}</li>",
        f"<li><span>Found by</span> {_said(counterexample.found_by)}</li>",
    ]
    return (
        f'<header>\n<h1><span class="verdict">{_icon("fails")}REFUTED</span>{rule}</h1>\n'
        f'<p class="headline">{_said(headline(counterexample))}</p>\n<ul class="facts">{"".join(facts)}</ul>\n'
        "</header>\n"
    )


def _figure(counterexample: Counterexample) -> str:
    """The drawing twice: as wide as a window, and as slim as a phone; a page shows one of them."""
    drawn = drawing(counterexample)
    if not drawn.lanes:
        return '<p class="empty">No worker and no lease: there is nothing to draw.</p>\n'
    wide = lanes.svg(drawn, WIDE, name="wide", steps=True)
    slim = lanes.svg(drawn, SLIM, name="slim", steps=True)
    both = f'<div class="wide">{wide}</div>\n<div class="slim">{slim}</div>\n'
    return f'<figure aria-label="Leases over time">\n{both}</figure>\n'


def _controls(count: int) -> str:
    buttons = "".join(
        f'<button type="button" id="{name}" aria-label="{label}" title="{label}">{_icon(name)}'
        f"{_icon('pause') if name == 'play' else ''}</button>"
        for name, label in CONTROLS
    )
    return (
        f'<div class="controls" role="group" aria-label="Play the history">\n<div class="buttons">{buttons}</div>\n'
        f'<input type="range" id="scrub" min="0" max="{count}" step="1" value="{count}" aria-label="Step">\n'
        f'<output id="place" for="scrub">{count} of {count}</output>\n'
        '<p class="keys">Keys: <kbd>←</kbd> <kbd>→</kbd> step, <kbd>Home</kbd> <kbd>End</kbd>, '
        "<kbd>Space</kbd> play</p>\n"
        '<p id="live" class="unseen" role="status" aria-live="polite"></p>\n</div>\n'
    )


def _step(step: Step) -> str:
    failing = ' class="failing"' if step.failing else ""
    sign = f'<span class="sign">{_icon("fails")}<span class="unseen">fails: </span></span>' if step.failing else ""
    changes = "".join(f"<li>{_said(change)}</li>" for change in step.changes)
    changed = f'<ul class="changes" aria-label="What changed, by the contract">{changes}</ul>' if changes else ""
    number = f'{sign}<span class="number">{step.number}</span>'
    return (
        f'<li data-step="{step.number}"{failing}>'
        f'<button type="button" class="go">{number}<code>{_said(step.call)}</code></button>'
        f'<p class="answer"><span class="arrow" aria-hidden="true">→</span> {_said(step.answer)}</p>{changed}</li>\n'
    )


def _marked_up(text: str) -> str:
    """A sentence's Markdown: code and emphasis are all that it has."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", _said(text))
    return re.sub(r"\*\*?(\w[^*<]*)\*?\*", r"<em>\1</em>", marked)


def _contract(counterexample: Counterexample) -> str:
    said, _ = contract_says(counterexample)
    parts = [f'<p class="must">{_said(said[0].upper() + said[1:] if said[:4] == "the " else said)}</p>']
    text = sentence(counterexample.rule)
    if text:
        parts.append(f"<blockquote><strong>{_said(counterexample.rule)}</strong> {_marked_up(text)}</blockquote>")
        cited = [rule for rule in dict.fromkeys(CITED.findall(text)) if rule != counterexample.rule and sentence(rule)]
        for rule in cited:
            parts.append(
                f"<details><summary>{rule}, which it cites</summary><blockquote><strong>{rule}</strong> "
                f"{_marked_up(sentence(rule))}</blockquote></details>"
            )
    if counterexample.expected is None:
        parts.append(f'<p class="more"><strong>In full:</strong> {_said(counterexample.reason)}</p>')
    head = '<section aria-labelledby="contract-title">\n<h2 id="contract-title">The contract</h2>\n'
    return f"{head}{''.join(parts)}\n</section>\n"
