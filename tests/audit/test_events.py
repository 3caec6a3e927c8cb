"""A line of a minimal log is of its form, or it is said what is wrong with it."""

from __future__ import annotations

import re

import pytest

from tenure.audit.events import EXAMPLE, Header, Line, fields_of, header_of, line_of
from tenure.rules import HIGHEST


def test_a_line_is_read_with_what_it_holds() -> None:
    assert line_of(EXAMPLE) == Line("dispatched", task=1, token=1, at=5, worker="w1", expiry=10)
    assert line_of(f' {{"event":"completed","at":{HIGHEST},"token":"x","task":-7}}\r') == Line(
        "completed", task=-7, token="x", at=HIGHEST
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x", "not JSON: Expecting value at column 1"),
        ("{}x", "not JSON: Extra data at column 3"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("5", "a line is an object such as"),
        ('{"event": "expired", "task": 1, "at": 5, "at": 6}', "a name stands twice"),
        ('{"event": "lost", "task": 1}', '"event" must be one of added'),
        ('{"event": ["added"], "task": 1}', '"event" must be one of added'),
        ('{"op": "now", "answer": 0}', "a log holds calls or events, not both"),
        ('{"event": "completed", "task": 1}', "completed needs 'token', 'at'"),
        ('{"event": "dispatched", "task": 1, "token": 1, "at": 5, "expires": 9}', "dispatched has no 'expires'"),
        ('{"event": "forgotten"}', 'needs either a "task" or a "worker"'),
        ('{"event": "forgotten", "task": 1, "worker": "w"}', 'needs either a "task" or a "worker"'),
        ('{"event": "expired", "task": 1, "at": 5.5}', "at must be a whole number, not 5.5; use a finer unit"),
        ('{"event": "expired", "task": 1, "at": NaN}', "at must be a whole number"),
        ('{"event": "expired", "task": 1, "at": "5"}', 'at must be a whole number, not "5"'),
        ('{"event": "expired", "task": 1, "at": true}', "at must be a whole number, not true"),
        ('{"event": "expired", "task": 1, "at": null}', "at must be a whole number, not null"),
        ('{"event": "expired", "task": 1, "at": -1}', "at must be from 0"),
        (f'{{"event": "expired", "task": 1, "at": {2**63}}}', "at must be from 0"),
        ('{"event": "expired", "task": 1, "at": ' + "1" * 5000 + "}", "digits"),
        ('{"event": "expired", "task": 1.0, "at": 5}', "task must be a string or an integer, not 1.0"),
        ('{"event": "expired", "task": null, "at": 5}', "task must be a string or an integer, not null"),
        ('{"event": "worker", "worker": 5, "capacity": 1}', "worker must be a string, not 5"),
        ('{"event": "worker", "worker": "", "capacity": 1}', "1 to 255 characters"),
        ('{"event": "worker", "worker": "w", "capacity": -1}', "capacity must be from 0"),
        ('{"event": "renewed", "task": 1, "token": 1, "at": 5, "duration": 0}', "duration must be from 1"),
    ],
)
def test_a_line_that_is_not_of_the_form_is_told_what_is_wrong(text: str, reason: str) -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match=re.escape(reason)) as raised:
            line_of(text)
        assert len(str(raised.value)) < 300


def test_a_header_says_what_is_special() -> None:
    assert header_of(fields_of('{"form": "minimal"}')) == Header()
    told = '{"form": "minimal", "tokens": "opaque", "duration": 60, "begins": "middle"}'
    assert header_of(fields_of(told)) == Header("opaque", 60, "middle")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"form": "full"}', '"form" must be "minimal", not "full"'),
        ('{"form": "minimal", "event": "added"}', "a header has no 'event'; it may have: tokens"),
        ('{"form": "minimal", "tokens": "odd"}', '"tokens" must be "increasing" or "exact" or "opaque"'),
        ('{"form": "minimal", "begins": []}', '"begins" must be "new" or "middle", not []'),
        ('{"form": "minimal", "duration": 0}', "duration must be from 1"),
    ],
)
def test_a_header_that_is_not_of_the_form_is_told_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        header_of(fields_of(text))
