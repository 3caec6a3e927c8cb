"""The peer: the page's commands print what the page shows, and each finding stands as calls of the adapter."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from commands import TENURE

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "examples"
TEXT = (ROOT / "docs" / "how-to" / "check-a-peer.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n\$ tenure (.*)\n((?:.*\n)*?)```", TEXT)
QUICK = [block for block in BLOCKS if "careful --only dialogues" in block[0]]
SLOW = [block for block in BLOCKS if block not in QUICK]
CUT = "..."
"""A line for any that were left out."""
HOUR, DAY = 3600, 86_400
NEEDED = ("boto3", "moto", "time_machine")
NOWHERE = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
"""A setting that would send every call to a port where nobody listens."""

pytestmark = pytest.mark.skipif(
    any(find_spec(name) is None for name in NEEDED),
    reason="the peer needs moto and time-machine: pip install 'moto[sqs]' time-machine",
)


# -- the page


def has_lines(shown: str, came: str) -> bool:
    """Whether that is what came, but for the lines that were cut."""
    parts = [re.escape(part) for part in re.split(rf"^{re.escape(CUT)}\n", shown, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)*".join(parts), came) is not None


def prints_what_is_shown(command: str, shown: str) -> None:
    words = shlex.split(command)
    ended = subprocess.run(
        [*TENURE, *words],
        cwd=FOLDER,
        env={**os.environ, "COLUMNS": "80", **NOWHERE},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    came = "".join(f"{line.rstrip()}\n" for line in ended.stdout.splitlines())
    assert ended.returncode == (1 if shown.startswith("REFUTED") else 0), ended.stderr
    assert has_lines(shown, came), f"the page shows\n{shown}\nand what came is\n{came}"


def test_the_page_has_its_commands() -> None:
    assert (len(QUICK), len(SLOW)) == (1, 6)


@pytest.mark.parametrize(("command", "shown"), QUICK)
def test_a_command_that_is_quick_prints_what_the_page_shows(command: str, shown: str) -> None:
    prints_what_is_shown(command, shown)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "shown"), SLOW)
def test_a_command_prints_what_the_page_shows(command: str, shown: str) -> None:
    prints_what_is_shown(command, shown)


def test_lines_are_left_out_only_where_the_page_says_so() -> None:
    assert has_lines("a\n...\nd\n", "a\nb\nc\nd\n")
    assert has_lines("a\n...\n", "a\n")
    assert not has_lines("a\n...\nd\n", "a\nb\nc\n")
    assert not has_lines("a\nd\n", "a\nb\nd\n")
    assert not has_lines("a\n...\n", "b\na\n")


# -- the findings, call by call


@pytest.fixture(scope="module")
def peer() -> Iterator[Any]:
    """The adapter's module; moto is stopped when the tests are over."""
    sys.path.insert(0, str(FOLDER))
    try:
        module = importlib.import_module("sqs_queue")
    finally:
        sys.path.remove(str(FOLDER))
    yield module
    module.AWS.stop()


KINDS = ("standard", "fifo")
EACH_KIND = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.parametrize("kind", [*KINDS, "careful"])
def test_a_message_is_received_again_once_its_timeout_is_over(peer: Any, kind: str) -> None:
    """Hidden for the timeout, then received with a new handle and counted; deleted once. (T4, L4, O5)"""
    queue = getattr(peer, kind)()
    task = queue.add_task(payload=b"\x00\xff")
    first = queue.dispatch("a", now=0, duration=5)
    assert queue.dispatch("b", now=4, duration=5) is None
    second = queue.dispatch("b", now=5, duration=5)
    assert (first.task_id, first.attempt, first.payload) == (task, 1, b"\x00\xff")
    assert (second.task_id, second.attempt, second.payload) == (task, 2, b"\x00\xff")
    assert second.token != first.token
    assert [queue.complete(task, second.token, now=9) for _ in range(2)] == [True, False]
    assert queue.dispatch("a", now=100, duration=5) is None


def test_at_the_very_millisecond_of_its_end_a_message_is_still_hidden(peer: Any) -> None:
    """The interval of moto is closed; the contract's is half-open. (T4)"""
    queue = peer.on_the_second()
    task = queue.add_task()
    queue.dispatch("a", now=0, duration=5)
    assert queue.dispatch("a", now=5, duration=5) is None
    lease = queue.dispatch("a", now=6, duration=5)
    assert queue.release(task, lease.token, now=6)
    assert queue.dispatch("a", now=6, duration=5) is None


@EACH_KIND
def test_a_handle_deletes_after_its_timeout(peer: Any, kind: str) -> None:
    """As documented of standard queues; not as documented of FIFO queues. (T4)"""
    queue = getattr(peer, kind)()
    task = queue.add_task()
    lease = queue.dispatch("a", now=0, duration=5)
    assert queue.complete(task, lease.token, now=50)


@EACH_KIND
def test_an_old_handle_deletes_what_another_consumer_holds(peer: Any, kind: str) -> None:
    """The holder's own delete then changes nothing. (O5)"""
    queue = getattr(peer, kind)()
    task = queue.add_task()
    old, new = (queue.dispatch("a", now=now, duration=5) for now in (0, 5))
    assert queue.complete(task, old.token, now=6)
    assert not queue.complete(task, new.token, now=6)


@EACH_KIND
def test_an_old_handle_shows_and_hides_what_another_consumer_holds(peer: Any, kind: str) -> None:
    """Released by a consumer that was too slow, a third one receives it; and renewed, nobody does. (O7, O6)"""
    queue = getattr(peer, kind)()
    task = queue.add_task()
    old, _ = (queue.dispatch("a", now=now, duration=5) for now in (0, 5))
    assert queue.release(task, old.token, now=6)
    assert queue.dispatch("c", now=6, duration=5).attempt == 3
    assert queue.renew(task, old.token, now=7, duration=100)
    assert queue.dispatch("d", now=106, duration=5) is None
    assert queue.dispatch("d", now=107, duration=5).attempt == 4


@EACH_KIND
def test_a_message_that_is_not_in_flight_is_hidden_again(peer: Any, kind: str) -> None:
    """Its timeout was over and nobody had it, yet it can be renewed. (O6)"""
    queue = getattr(peer, kind)()
    task = queue.add_task()
    lease = queue.dispatch("a", now=0, duration=5)
    assert queue.renew(task, lease.token, now=20, duration=10)
    assert queue.dispatch("b", now=29, duration=5) is None


def test_12_hours_are_the_longest_timeout(peer: Any) -> None:
    """As documented. (O4)"""
    queue = peer.standard()
    queue.add_task()
    with pytest.raises(peer.ClientError, match="maximum visibility timeout is 43200"):
        queue.dispatch("a", now=0, duration=12 * HOUR + 1)
    assert queue.dispatch("a", now=0, duration=12 * HOUR)


@EACH_KIND
def test_the_12_hours_are_counted_from_sending(peer: Any, kind: str) -> None:
    """The guide counts them from receiving: a message that waited so long can be neither renewed nor released."""
    queue = getattr(peer, kind)()
    task = queue.add_task()
    lease = queue.dispatch("a", now=12 * HOUR, duration=60)
    with pytest.raises(peer.ClientError, match="beyond the limit"):
        queue.renew(task, lease.token, now=12 * HOUR + 30, duration=60)
    with pytest.raises(peer.ClientError, match="beyond the limit"):
        queue.release(task, lease.token, now=12 * HOUR + 30)


def test_after_14_days_a_message_is_gone(peer: Any) -> None:
    """As documented, and however long the wait is. (O4)"""
    for wait, kept in ((14 * DAY - 1, True), (14 * DAY, False), (2**63 - 2, False)):
        queue = peer.standard()
        queue.add_task()
        assert (queue.dispatch("a", now=wait, duration=1) is not None) == kept


def test_a_careful_consumer_uses_no_handle_after_its_timeout(peer: Any) -> None:
    """What it gave up is left to the next one, and what is renewed in time is still its own. (T4, O5, O6, O7)"""
    queue = peer.careful()
    task = queue.add_task()
    old, new = (queue.dispatch("a", now=now, duration=5) for now in (0, 5))
    assert not queue.complete(task, old.token, now=6)
    assert not queue.release(task, old.token, now=6)
    assert queue.renew(task, old.token, now=6, duration=5) is None
    assert queue.renew(task, new.token, now=9, duration=5).expiry == 14
    assert not queue.complete(task, new.token, now=14)
    newest = queue.dispatch("a", now=14, duration=5)
    assert queue.complete(task, newest.token, now=18)


# -- the adapter


def test_a_fifo_queue_is_one_and_a_standard_queue_is_none(peer: Any) -> None:
    """What is found of both is found of two kinds."""
    for make, found in ((peer.fifo, "true"), (peer.standard, None)):
        make()
        newest = max(peer.SQS.list_queues()["QueueUrls"], key=lambda url: int(re.findall("[0-9]+", url)[-1]))
        attributes = peer.SQS.get_queue_attributes(QueueUrl=newest, AttributeNames=["All"])["Attributes"]
        assert attributes.get("FifoQueue") == found


def test_a_handle_that_was_never_given_and_one_of_another_message_are_refused(peer: Any) -> None:
    """SQS calls the first invalid; the second can't be said to it. (O5, O6, O7)"""
    queue = peer.standard()
    one, two = queue.add_task(), queue.add_task()
    lease = queue.dispatch("a", now=0, duration=5)
    assert lease.task_id == one
    for task, token in ((one, "unknown-1"), (two, lease.token)):
        assert not queue.complete(task, token, now=1)
        assert not queue.release(task, token, now=1)
        assert queue.renew(task, token, now=1, duration=5) is None
    assert queue.complete(one, lease.token, now=1)


@pytest.mark.parametrize(("now", "duration"), [(9, 5), (10, 0), (10, -1)])
def test_what_sqs_could_not_reject_the_adapter_does(peer: Any, now: int, duration: int) -> None:
    """A time that goes back, and no duration; neither changes anything. (T1, V2, R1)"""
    queue = peer.standard()
    queue.add_task()
    queue.advance(now=10)
    with pytest.raises(ValueError, match=f"not {now} and {duration}"):
        queue.dispatch("a", now=now, duration=duration)
    assert queue.dispatch("a", now=10, duration=5)
