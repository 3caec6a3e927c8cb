"""Golden dialogues: calls and the answers that must come, as text, and what reads and plays them.

A dialogue begins with a new scheduler, so anybody's can play it. Its form, one thing a line:

    # Of a slow worker and its replacement, only the holder of the current lease completes (O5, I2)
    source OptimalBits/bull#308
    add_worker a 1
    add_task 5 -> 1
    dispatch a now=0 duration=10 -> task_id=1 token=1 expiry=10
    dispatch a now=9 duration=10 -> refused full
    advance now=10 -> (token=1)
    restart
    dispatch a now=10 duration=10 -> token=2 attempt=2
    complete 1 1 now=12 -> refused
    complete 1 2 now=9 -> rejected ClockWentBackwards
    complete 1 2 now=15 -> True

The title says what must be true, and ends with the sentences of spec/CONTRACT.md that it shows. Each source is
a public report of the bug in another program. A call is that of Python without its punctuation; a value is a
Python literal as `ascii` writes it, or a plain word: the status of that name, else a string. What must come is

- a literal; without an arrow it is None;
- some fields of what is handed out, as `name=value`; what isn't named isn't compared;
- `(fields, fields, ...)` for a tuple of those, the same fields of each;
- `refused`, which stands for False or None, and for `dispatch` also why: a reason that holds after the call;
- `rejected` and the class of what was raised.

`restart` closes a durable scheduler and opens it again. A text tells each value in one way only, so an answer is
compared by telling it.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from importlib import resources
from typing import Any, NamedTuple

from ..errors import BadFile
from ..history import perform
from ..operations import PARAMETERS, QUERIES, Operations
from ..values import Counts, Status, Worker
from ..wire import Event
from .representations import Started
from .targets.abilities import Abilities
from .targets.adapted import started

TITLE = re.compile(r"# (?P<title>\S.*) \((?P<rules>[A-Z][0-9]+(, [A-Z][0-9]+)*)\)")
SOURCE = re.compile(r"source ([\w.-]+/[\w.-]+#[0-9]+)")
PAIR = re.compile(r"[a-z_]+=")
WORD = re.compile(r"[a-z][a-z0-9_]*")
REASONS = ("unknown worker", "full", "nothing pending")
ANSWER = re.compile(rf"None|True|\(\)|-?[0-9]+|refused( ({'|'.join(REASONS)}))?|rejected [A-Z][A-Za-z]*")
"""What may come, beside fields."""
REFUSALS = {"dispatch": None, "renew": None} | dict.fromkeys(("complete", "release", "forget", "forget_worker"), False)
"""What an operation answers when it is refused. (R2)"""
STATUSES = {status.value: status for status in Status}


class Step(NamedTuple):
    """One call and the text of what must come; `fields` are those that it names, and `op` may be "restart"."""

    line: int
    text: str
    op: str
    arguments: dict[str, Any]
    wanted: str
    fields: tuple[str, ...]


class Dialogue(NamedTuple):
    """One truth, the contract's sentences that it shows, reports of its breach, and the calls that show it."""

    title: str
    rules: tuple[str, ...]
    sources: tuple[str, ...]
    steps: tuple[Step, ...]
    file: str
    line: int


class DialogueError(BadFile):
    """A line of a dialogue is not of the form."""


class Differs(AssertionError):
    """A step of a dialogue was answered otherwise than it must be."""

    def __init__(self, dialogue: Dialogue, step: Step, came: str) -> None:
        super().__init__(dialogue, step, came)
        self.dialogue = dialogue
        self.step = step
        self.came = came

    def __str__(self) -> str:
        return (
            f"{self.dialogue.file}:{self.step.line}: {self.dialogue.title} ({', '.join(self.dialogue.rules)})\n"
            f"  step       {self.step.text}\n"
            f"  must come  {self.step.wanted}\n"
            f"  came       {self.came}"
        )


# -- playing


def play(
    dialogue: Dialogue,
    scheduler: Any,
    restart: Callable[[Any], Any] | None = None,
    *,
    exact_errors: bool = True,
) -> None:
    """Each step is answered as it must be; Differs is raised at the first that isn't.

    `scheduler` is as new: Tenure's, or anything with the same methods. `restart` closes it and gives the one opened
    again; without it nothing happens there. Of somebody else's scheduler, without `exact_errors`, a rejection is asked
    to be one, of whatever class. (R1)
    """
    played = started(scheduler)
    for step in dialogue.steps:
        if step.op == "restart":
            played = started(restart(scheduler)) if restart else played
            continue
        if step.op in QUERIES and not played.abilities.shows:
            continue
        event = perform(played.scheduler, step.op, step.arguments)
        came = _told(played, step, event)
        rejected = came.startswith("rejected ") and step.wanted.startswith("rejected ")
        if came != step.wanted and (exact_errors or not rejected) and not _is_shown(played.abilities, step, event):
            raise Differs(dialogue, step, came)


def applies(dialogue: Dialogue, abilities: Abilities) -> bool:
    """Whether the dialogue can be played with a scheduler of these abilities, if need be without its queries."""
    wanted = {step.wanted for step in dialogue.steps}
    priorities = {step.arguments.get("priority", 0) for step in dialogue.steps if step.op == "add_task"}
    if "workers" in abilities.lacks and wanted & {"refused full", "refused unknown worker"}:
        return False
    if "priority" in abilities.lacks and (len(priorities) > 1 or any("priority=" in what for what in wanted)):
        return False
    asked = [step for step in dialogue.steps if step.op not in ("restart", *_silent(abilities))]
    telling = any(step.wanted != "None" for step in asked)
    return telling and all(abilities.takes((step.op, step.arguments)) for step in asked)


def _silent(abilities: Abilities) -> tuple[str, ...]:
    """What needs no asking: workers where they are unlimited, and queries where nothing can be looked at."""
    workers = ("add_worker",) if "workers" in abilities.lacks else ()
    return workers if abilities.shows else (*workers, *QUERIES)


def _is_shown(abilities: Abilities, step: Step, event: Event) -> bool:
    """Whether that is as near to what must come as the scheduler can show."""
    if step.wanted.startswith("rejected "):
        return abilities.shows_as_rejected(event)
    return step.op == "advance" and "expired" in abilities.lacks and event.error is None


def _told(played: Started, step: Step, event: Event) -> str:
    """What came, as the step would have to be written for it."""
    answer = event.answer
    if event.error is not None:
        return f"rejected {event.error}"
    if step.op in REFUSALS and answer is REFUSALS[step.op]:
        return _refusal(played, step)
    if step.fields and type(answer) is tuple and answer:
        return "(" + ", ".join(_named(item, step.fields) for item in answer) + ")"
    return _named(answer, step.fields)


def _refusal(played: Started, step: Step) -> str:
    """A refused dispatch is told with the reason that must come if that holds, else with those that do."""
    if step.op != "dispatch":
        return "refused"
    if not played.abilities.shows:
        return step.wanted if step.wanted.startswith("refused") else "refused"
    worker = perform(played.scheduler, "worker", {"name": step.arguments["worker"]}).answer
    counts = perform(played.scheduler, "counts", {}).answer
    full = isinstance(worker, Worker) and worker.held >= worker.capacity
    holds = (worker is None, full, isinstance(counts, Counts) and counts.pending == 0)
    reasons = [f"refused {reason}" for reason, true in zip(REASONS, holds, strict=True) if true]
    return step.wanted if step.wanted in reasons else " or ".join(reasons) or "refused without a reason"


def _named(answer: Any, fields: tuple[str, ...]) -> str:
    if fields and all(hasattr(answer, name) for name in fields):
        return " ".join(f"{name}={_written(getattr(answer, name))}" for name in fields)
    return ascii(answer)


# -- values as text


def _written(value: Any) -> str:
    if type(value) is Status:
        return value.value
    plain = type(value) is str and WORD.fullmatch(value) and value not in STATUSES
    return value if plain else ascii(value)


def _value(text: str) -> Any:
    """The one value that is written so. Raises ValueError."""
    if WORD.fullmatch(text):
        return STATUSES.get(text, text)
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise ValueError(f"{text!r} is neither a word in small letters nor a Python literal") from None
    if ascii(value) != text:
        raise ValueError(f"{text} must be written {value!a}")
    return value


# -- reading


def dialogues() -> tuple[Dialogue, ...]:
    """The project's own, file by file."""
    files = {file.name: file for file in (resources.files(__package__) / "dialogues").iterdir()}
    names = sorted(name for name in files if name.endswith(".txt"))
    return tuple(dialogue for name in names for dialogue in read(files[name].read_text("utf-8"), name))


def read(text: str, file: str) -> tuple[Dialogue, ...]:
    """The dialogues of a text, in order; `file` is its name for messages.

    Raises DialogueError at the first line that is not of the form. A title is not used twice.
    """
    found: list[Dialogue] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.startswith("#"):
                found.append(_opened(line, file, number))
                if found[-1].title in [dialogue.title for dialogue in found[:-1]]:
                    raise ValueError("another dialogue has this title")
            elif line.strip():
                if not found:
                    raise ValueError("a dialogue begins with its title: # What must be true (O5, T3)")
                found.append(_extended(found.pop(), line, number))
        except ValueError as error:
            raise DialogueError(file, number, str(error)) from None
    for dialogue in found:
        if not dialogue.steps:
            raise DialogueError(file, dialogue.line, "this dialogue has no steps")
    return tuple(found)


def _opened(line: str, file: str, number: int) -> Dialogue:
    match = TITLE.fullmatch(line)
    if not match:
        raise ValueError("a title ends with the sentences that it shows: # What must be true (O5, T3)")
    return Dialogue(match["title"], tuple(match["rules"].split(", ")), (), (), file, number)


def _extended(dialogue: Dialogue, line: str, number: int) -> Dialogue:
    if line.startswith("source"):
        source = SOURCE.fullmatch(line)
        if not source or dialogue.steps:
            raise ValueError("a source stands before the steps, as: source owner/repository#number")
        return dialogue._replace(sources=(*dialogue.sources, source[1]))
    return dialogue._replace(steps=(*dialogue.steps, _step(line, number)))


def _step(line: str, number: int) -> Step:
    call, arrow, wanted = line.partition(" -> ")
    op, *words = call.split(" ")
    if op == "restart" and line == op:
        return Step(number, line, op, {}, "", ())
    if op not in PARAMETERS:
        raise ValueError(f"{op} is no operation; there are {', '.join(PARAMETERS)}, and restart alone on its line")
    wanted = wanted if arrow else "None"
    return Step(number, line, op, _arguments(op, words), wanted, _fields(wanted))


def _arguments(op: str, words: list[str]) -> dict[str, Any]:
    """The arguments by name, as Python would bind them."""
    member = getattr(Operations, op)
    function: Any = member.fget if isinstance(member, property) else member
    named = [word for word in words if PAIR.match(word)]
    values = [_value(word) for word in words if word not in named]
    try:
        bound = inspect.signature(function).bind(None, *values, **_pairs(named))
    except TypeError as error:
        raise ValueError(f"{op}: {error}") from None
    return {name: value for name, value in bound.arguments.items() if name != "self"}


def _pairs(words: list[str]) -> dict[str, Any]:
    pairs = {}
    for word in words:
        name, _, value = word.partition("=")
        if not PAIR.match(word) or name in pairs:
            raise ValueError(f"{word!r} must be name=value, one space before it, and each name once")
        pairs[name] = _value(value)
    return pairs


def _fields(wanted: str) -> tuple[str, ...]:
    """The fields that the answer names."""
    if ANSWER.fullmatch(wanted):
        return ()
    bare = wanted[1:-1] if wanted[:1] + wanted[-1:] == "()" else wanted
    if "=" not in bare:
        raise ValueError(f"an answer is a literal, name=value, refused and a known reason, or rejected, not {wanted}")
    first, *others = (tuple(_pairs(item.split(" "))) for item in bare.split(", "))
    if any(fields != first for fields in others) or (others and bare == wanted):
        raise ValueError(f"items stand in brackets and name the same fields each, not {wanted}")
    return first
