"""A scheduler in another program, asked by the adapter protocol: docs/reference/adapter-protocol.md."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Self

from ...wire import call_fields
from ..representations import Started
from .abilities import NUMBERED, Abilities, Call, abilities_of
from .adapted import Adapted, Came
from .child import Child

PROTOCOL = 1
DEFAULTS: dict[str, dict[str, Any]] = {"add_task": {"priority": 0, "payload": None}, "tasks": {"status": None}}
"""Arguments that a caller may leave out; an adapter is always sent them."""
MOST_CALLS = 500
"""Operations in one line."""
SAID_ITSELF = Abilities(typed_arguments=False)
"""What an adapter has unless it says otherwise."""


class Program:
    """An adapter that was started, and what it said of itself. Raises TargetFailed if it can't be used."""

    def __init__(self, command: Sequence[str], line_seconds: float = 10.0) -> None:
        self._child = Child(command, line_seconds)
        self._session: Remote | None = None
        try:
            self._greet()
        except BaseException:  # an interrupt too: nobody else knows the child yet
            self._child.close()
            raise

    def _greet(self) -> None:
        hello = self._accepted("hello", self.made([{"op": "hello", "protocol": PROTOCOL}])[0])
        protocol = hello.get("protocol") if isinstance(hello, dict) else None
        if type(protocol) is not int or protocol != PROTOCOL:
            raise self._child.failed(
                f'must answer hello with {{"protocol": {PROTOCOL}, ...}}, not {ascii(hello)[:120]}'
            )
        self.name = shown_name(hello.get("name")) or self._child.command
        try:
            self.abilities = abilities_of(hello, SAID_ITSELF)
        except ValueError as error:
            raise self._child.failed(f"hello: {error}") from None

    def start(self) -> Started:
        """A new scheduler in it; the one before can't be asked any more."""
        self._session = Remote(self)
        return Started(Adapted(self._session, self.abilities), lambda: None, None, self.abilities)

    def made(self, requests: list[dict[str, Any]]) -> list[Came]:
        """What came of these operations, sent as one line."""
        results = self._child.ask(requests)
        if not isinstance(results, list) or len(results) != len(requests):
            what = f"{len(results)} results" if isinstance(results, list) else ascii(results)[:80]
            raise self._child.failed(f"must answer a script of {len(requests)} with an array of as many, not {what}")
        return [self._came(*each) for each in zip(requests, results, strict=True)]

    def reset(self, requests: list[dict[str, Any]]) -> list[Came]:
        """The same of a new scheduler."""
        first, *came = self.made([{"op": "reset"}, *requests])
        self._accepted("reset", first)
        return came

    def _accepted(self, op: str, came: Came) -> Any:
        """The answer to what no adapter may reject."""
        if came.error is not None:
            raise self._child.failed(f"rejected {op} with {type(came.error).__name__[:80]!a}")
        return came.answer

    def _came(self, request: dict[str, Any], result: Any) -> Came:
        if isinstance(result, dict) and isinstance(result.get("error"), str) and "answer" not in result:
            return Came(None, raised(result["error"])())
        if isinstance(result, dict) and "answer" in result and result.get("error") is None:
            return Came(result["answer"])
        what = f'{request["op"]} with {ascii(result)[:80]}, which is neither {{"answer": ...}} nor {{"error": "..."}}'
        raise self._child.failed(f"answered {what}")

    def is_current(self, session: Remote) -> bool:
        """Whether this is the last one started."""
        return session is self._session

    def close(self) -> None:
        """End the program."""
        self._child.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Remote:
    """The port to one scheduler in a program."""

    from_json = True

    def __init__(self, program: Program) -> None:
        self._program = program
        self._begun = False

    def make(self, calls: Sequence[Call]) -> list[Came]:
        """In as few lines as may be."""
        assert self._program.is_current(self), "another scheduler was started in the program since"
        came: list[Came] = []
        for first in range(0, len(calls), MOST_CALLS):
            requests = [self._request(*call) for call in calls[first : first + MOST_CALLS]]
            if self._begun:
                came += self._program.made(requests)
            else:
                came += self._program.reset(requests)
                self._begun = True
        return came

    def _request(self, op: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The call as the protocol has it; opaque ids and tokens are the program's own, strings too."""
        fields = call_fields(op, {**DEFAULTS.get(op, {}), **arguments})
        if self._program.abilities.numbering == "opaque":
            fields |= {name: arguments[name] for name in NUMBERED if name in arguments}
        return fields


def shown_name(told: Any) -> str:
    """What it calls itself, in as many characters as a line of a report has room for; empty if it doesn't say."""
    return "".join(each for each in told if each.isprintable())[:60] if isinstance(told, str) else ""


@cache
def raised(name: str) -> type[Exception]:
    """An exception class of this name, for what was raised elsewhere."""
    return type(name, (Exception,), {"__doc__": "Raised in another program."})
