"""A foreign scheduler, in this process or another, asked through the contract's operations and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from inspect import iscoroutinefunction, signature
from itertools import takewhile
from typing import Any, NamedTuple, Protocol
from weakref import WeakSet

from ...errors import TargetFailed
from ...forwarding import Forwarding
from ...operations import PARAMETERS
from ...values import Internal
from ...wire import Event
from ..representations import Started
from ..views import QUERIED, View
from .abilities import NUMBERED, Abilities, Call, abilities_told, missing
from .numbering import Numbering
from .reading import Reader

UNREFUSED = ("add_task", "advance", "tasks")
"""What the contract never refuses; a scheduler that rejects by refusal may, and then answers None or False."""


class Came(NamedTuple):
    """What came of a call, as the scheduler told it: an answer, or what it raised."""

    answer: Any
    error: Exception | None = None


class Port(Protocol):
    """The way to one foreign scheduler, which is new when the port is; `from_json` is how its values are to be read."""

    from_json: bool

    def make(self, calls: Sequence[Call]) -> list[Came]:
        """Make these calls, their ids and tokens in the scheduler's own form, and tell what came of each."""


class Adapted(Forwarding):
    """A foreign scheduler's operations with plain values and the contract's numbers. Costs about 5 us a call."""

    def __init__(self, port: Port, abilities: Abilities) -> None:
        self.abilities = abilities
        self._port = port
        self._numbers = {name: Numbering(abilities.numbering) for name in NUMBERED}
        self._reader = Reader(*self._numbers.values(), from_json=port.from_json)
        self._waiting: list[Call] = []
        self._told: list[Any] = []
        """What came of the calls since answers were last asked for."""

    # -- asking

    def replay(self, calls: Iterable[Call]) -> None:
        """Make these calls, whatever comes of them; they may wait for the next one whose answer is wanted."""
        for call in calls:
            if self.abilities.has(call[0]):
                self._wait(*call)

    def look(self) -> View:
        """All that the queries tell, asked at once."""
        answers = self._answers([(op, {}) for op in QUERIED])
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return View(*answers)

    def perform_all(self, calls: Sequence[Call]) -> list[Event]:
        """What came of each of these calls, asked at once."""
        return [
            Event(op, arguments, error=type(answer).__name__)
            if isinstance(answer, Exception)
            else Event(op, arguments, answer)
            for (op, arguments), answer in zip(calls, self._answers(calls), strict=True)
        ]

    def _call(self, op: str, **arguments: Any) -> Any:
        if not self.abilities.has(op):
            return None
        (answer,) = self._answers([(op, arguments)])
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _answers(self, calls: Sequence[Call]) -> list[Any]:
        """The plain answer to each call, or what it raised, after all that waits."""
        before = len(self._waiting)
        self._told.clear()
        for call in calls:
            self._wait(*call)
        self._flush()
        return self._told[before:]

    def _wait(self, op: str, arguments: dict[str, Any]) -> None:
        """The call is made with the next ones, unless it names what only an answer to those will tell."""
        if "priority" in self.abilities.lacks and op == "add_task":
            arguments = {**arguments, "priority": 0}
        for name, numbers in self._numbers.items():
            if name in arguments:
                if self._waiting and not numbers.known(arguments[name]):
                    self._flush()
                arguments = {**arguments, name: numbers.given(arguments[name])}
        self._waiting.append((op, arguments))

    def _flush(self) -> None:
        """All that waits is made, and what came of it is read."""
        calls, self._waiting = self._waiting, []
        for (op, _), (own, error) in zip(calls, self._port.make(calls), strict=True):
            self._told.append(self._read(op, own) if error is None else error)

    def _read(self, op: str, own: Any) -> Any:
        if op == "advance" and "expired" in self.abilities.lacks:
            return ()
        if self.abilities.rejects == "refusal" and op in UNREFUSED and (own is None or own is False):
            return None
        return self._reader.answer(op, own)


# -- ports


class Local:
    """A scheduler in this process that has the same methods; values that have the same attributes will do."""

    from_json = False

    def __init__(self, target: Any) -> None:
        self._target = target

    def make(self, calls: Sequence[Call]) -> list[Came]:
        """Arguments are given by position where they can be, so that parameters may have other names."""
        return [self._made(*call) for call in calls]

    def _made(self, op: str, arguments: dict[str, Any]) -> Came:
        by_position, by_name = as_given(op, arguments)
        try:
            found = getattr(self._target, op)
            return Came(found(*by_position, **by_name) if op != "now" or callable(found) else found)
        except (TargetFailed, KeyboardInterrupt):
            raise
        except Exception as error:
            return Came(None, error)
        except BaseException as error:  # such as SystemExit, which would end the check with a code of its own
            raise TargetFailed(f"{type(self._target).__name__}.{op} raised {error!r}, which ends a program") from None


BY_NAME = ("now", "duration")
"""The parameters that are given by name, since all are integers and swap silently."""


def as_given(op: str, arguments: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments by position and by name, as a foreign method gets them."""
    first = list(takewhile(lambda name: name in arguments and name not in BY_NAME, PARAMETERS[op]))
    by_name = {name: value for name, value in arguments.items() if name not in first}
    return [arguments[name] for name in first], by_name


# -- starting


def started(target: Any) -> Started:
    """What a factory gave, ready to be checked: Tenure's own as it is, any other behind `Adapted`.

    A foreign one may say what it lacks by an attribute `abilities`, a mapping as in the adapter protocol's hello; an
    operation that is not there is lacking. `canonical` is used if it has it, as of `Started`. Raises TargetFailed
    where it can't be checked at all.
    """
    if isinstance(target, Started):
        return target
    canonical: Callable[[], Internal] | None = getattr(target, "canonical", None)
    if type(target).__module__.partition(".")[0] == "tenure":
        return Started(target, lambda: None, canonical)
    try:
        abilities = abilities_told(getattr(target, "abilities", {}))
        without = missing(op for op in PARAMETERS if _offers(target, op) or not abilities.has(op))
        abilities = replace(abilities, lacks=abilities.lacks | without)
        _require_callable(target, abilities)
    except ValueError as error:
        raise TargetFailed(f"what the factory makes, a {type(target).__name__}, can't be checked: {error}") from None
    return Started(Adapted(Local(target), abilities), lambda: None, canonical, abilities)


def _offers(target: Any, op: str) -> bool:
    try:
        getattr(target, op)
    except AttributeError:
        return False
    except Exception:  # a property that has a reason not to answer yet
        return True
    return True


BARE = ("add_task", "tasks")
"""The operations all of whose arguments may be left out."""
CALLABLE = WeakSet[type]()
"""The classes whose methods were seen to take what they are given."""


def _require_callable(target: Any, abilities: Abilities) -> None:
    """Raises ValueError if a method can't take the arguments, so that every call of it would go wrong."""
    if type(target) in CALLABLE:
        return
    for op in filter(abilities.has, (op for op in PARAMETERS if op != "now")):
        method = getattr(target, op)
        if not callable(method):
            raise ValueError(f"its {op} is no method, but {method!r:.80}")
        if iscoroutinefunction(method):
            raise ValueError(f"its {op} is a coroutine function; give a class whose methods run it to its end")
        try:
            found = signature(method)
        except (TypeError, ValueError):  # it can't be told, as of functions in C
            continue
        for names in (PARAMETERS[op], ()) if op in BARE else (PARAMETERS[op],):
            by_position, by_name = as_given(op, dict.fromkeys(names))
            try:
                found.bind(*by_position, **by_name)
            except TypeError as error:
                call = ", ".join([*names[: len(by_position)], *(f"{name}=..." for name in by_name)])
                raise ValueError(f"its {op} can't be called as {op}({call}): {error}") from None
    CALLABLE.add(type(target))
