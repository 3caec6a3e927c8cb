"""Judging plain lines, of which nearly all histories consist, without parsing JSON: matched, called, compared as text.

Only a line that stands exactly as `tenure.wire` writes it is judged here. Any other is left to `tenure.audit.calls`,
which reads it as JSON, together with the call's answer if it was made: so no verdict depends on the way taken.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from json.encoder import encode_basestring_ascii as quoted

from ..scheduler import Scheduler
from ..values import Lease

Step = Callable[[str], int | None]
"""Judges a line: the place where it is counted, or None if the line isn't plain and nothing was done.

Raises Answered if the call was made and its answer isn't plainly the recorded one, and what the call raises."""

MET, REFUSED, REJECTED, KINDS = 0, 1, 2, 3
"""What a call may come to. An operation has so many places to count in."""


class Answered(Exception):
    """The call was made, and this is its answer; whether it is the recorded one must be seen by reading the line."""

    def __init__(self, answer: object) -> None:
        super().__init__(answer)
        self.answer = answer


_SIZE = "(0|[1-9][0-9]{0,14})"
_NUMBER = "(0|-?[1-9][0-9]{0,14})"  # so short, they are exact in every JSON and far from 64 bits
_NAME = r'("[^"\\\x00-\x1f\ud800-\udfff]{1,255}")'
_PAYLOAD = '(?:, "payload": "([A-Za-z0-9+/]*={0,2})")?'
_TRUTH = "(true|false)"
_LEASE = r"(null|\{.*\})"
_OF_LEASE = f'"task_id": {_NUMBER}, "token": {_NUMBER}, "now": {_SIZE}'

Matcher = Callable[[str], re.Match[str] | None]


def _plain(op: str, arguments: str, answer: str) -> Matcher:
    return re.compile(rf'\{{"op": "{op}", {arguments}, "answer": {answer}\}}\s*').fullmatch


_ADD_TASK = _plain("add_task", f'"priority": {_NUMBER}{_PAYLOAD}', _SIZE)
_DISPATCH = _plain("dispatch", f'"worker": {_NAME}, "now": {_SIZE}, "duration": {_SIZE}', _LEASE)
_RENEW = _plain("renew", f'{_OF_LEASE}, "duration": {_SIZE}', _LEASE)
_ADVANCE = _plain("advance", f'"now": {_SIZE}', r"(\[.*\])")
_NEXT_EXPIRY = re.compile(rf'\{{"op": "next_expiry", "answer": (null|{_SIZE[1:-1]})\}}\s*').fullmatch
_FORGET = _plain("forget", f'"task_id": {_NUMBER}', _TRUTH)


def steps(scheduler: Scheduler, places: dict[str, int]) -> dict[str, Step]:
    """The step for each kind of plain line, by the first four letters of its operation.

    `places` says where an operation's calls that are met are counted; refused ones are counted at the next place.
    """
    return {
        "add_": _adding(scheduler, places["add_task"]),
        "disp": _dispatching(scheduler, places["dispatch"]),
        "comp": _ending(scheduler.complete, "complete", places["complete"]),
        "rele": _ending(scheduler.release, "release", places["release"]),
        "rene": _renewing(scheduler, places["renew"]),
        "adva": _advancing(scheduler, places["advance"]),
        "forg": _forgetting(scheduler, places["forget"]),
        "next": _asking_next_expiry(scheduler, places["next_expiry"]),
    }


def _text(lease: Lease) -> str:
    """The lease as `tenure.wire` writes it; its numbers aren't wide, since no plain line leads there."""
    task_id, worker, token, attempt, start, expiry, payload = lease
    kept = "" if payload is None else f', "payload": "{b64encode(payload).decode()}"'
    return (
        f'{{"task_id": {task_id}, "worker": {quoted(worker)}, "token": {token}, "attempt": {attempt}, '
        f'"start": {start}, "expiry": {expiry}{kept}}}'
    )


def _adding(scheduler: Scheduler, met: int) -> Step:
    add_task = scheduler.add_task

    def step(line: str) -> int | None:
        match = _ADD_TASK(line)
        if match is None:
            return None
        priority, payload, recorded = match.groups()
        if payload is None:
            answer = add_task(int(priority))
        elif len(payload) % 4:
            return None
        else:
            answer = add_task(int(priority), b64decode(payload))
        if answer != int(recorded):
            raise Answered(answer)
        return met

    return step


def _dispatching(scheduler: Scheduler, met: int) -> Step:
    dispatch, refused = scheduler.dispatch, met + REFUSED

    def step(line: str) -> int | None:
        match = _DISPATCH(line)
        if match is None:
            return None
        worker, now, duration, recorded = match.groups()
        answer = dispatch(worker[1:-1], now=int(now), duration=int(duration))
        if answer is None:
            if recorded == "null":
                return refused
        elif recorded == _text(answer):
            return met
        raise Answered(answer)

    return step


def _ending(method: Callable[..., bool], op: str, met: int) -> Step:
    plain, refused = _plain(op, _OF_LEASE, _TRUTH), met + REFUSED

    def step(line: str) -> int | None:
        match = plain(line)
        if match is None:
            return None
        task_id, token, now, recorded = match.groups()
        answer = method(int(task_id), int(token), now=int(now))
        if answer is not (recorded == "true"):
            raise Answered(answer)
        return met if answer else refused

    return step


def _renewing(scheduler: Scheduler, met: int) -> Step:
    renew, refused = scheduler.renew, met + REFUSED

    def step(line: str) -> int | None:
        match = _RENEW(line)
        if match is None:
            return None
        task_id, token, now, duration, recorded = match.groups()
        answer = renew(int(task_id), int(token), now=int(now), duration=int(duration))
        if answer is None:
            if recorded == "null":
                return refused
        elif recorded == _text(answer):
            return met
        raise Answered(answer)

    return step


def _advancing(scheduler: Scheduler, met: int) -> Step:
    advance = scheduler.advance

    def step(line: str) -> int | None:
        match = _ADVANCE(line)
        if match is None:
            return None
        now, recorded = match.groups()
        answer = advance(now=int(now))
        if recorded != f"[{', '.join(map(_text, answer))}]":
            raise Answered(answer)
        return met

    return step


def _forgetting(scheduler: Scheduler, met: int) -> Step:
    forget, refused = scheduler.forget, met + REFUSED

    def step(line: str) -> int | None:
        match = _FORGET(line)
        if match is None:
            return None
        task_id, recorded = match.groups()
        answer = forget(int(task_id))
        if answer is not (recorded == "true"):
            raise Answered(answer)
        return met if answer else refused

    return step


def _asking_next_expiry(scheduler: Scheduler, met: int) -> Step:
    next_expiry = scheduler.next_expiry

    def step(line: str) -> int | None:
        match = _NEXT_EXPIRY(line)
        if match is None:
            return None
        answer = next_expiry()
        if match[1] != ("null" if answer is None else str(answer)):
            raise Answered(answer)
        return met

    return step
