"""The Java examples: they compile without a warning, speak the protocol as its page shows, agree with the reference."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from select import select
from typing import Any

import pytest
from contract.walks import walk
from hypothesis import given, settings
from hypothesis import strategies as st

from tenure.checking.reference import Reference
from tenure.checking.views import QUERIED
from tenure.history import perform
from tenure.operations import PARAMETERS
from tenure.wire import Event, call_fields, from_line, is_tagged

ROOT = Path(__file__).parents[2]
SOURCES = [*(ROOT / "docs" / "examples" / "java").glob("*.java"), Path(__file__).with_name("Values.java")]
PAGE = ROOT / "docs" / "reference" / "adapter-protocol.md"
NEEDED = ("javac", "java")
LOWEST, HIGHEST = -(2**63), 2**63 - 1

pytestmark = pytest.mark.skipif(
    any(shutil.which(command) is None for command in NEEDED),
    reason="the Java examples need a JDK of 17 or newer: javac and java were not found on the PATH",
)

Call = dict[str, Any]


class Adapter:
    """A running adapter."""

    def __init__(self, compiled: Path, which: str) -> None:
        self._process = subprocess.Popen(
            ["java", "-cp", str(compiled), "Adapter", which],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def line(self, line: str) -> Any:
        """What it answers to one line."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        assert select([self._process.stdout], [], [], 20)[0], "it wrote nothing within 20 seconds"
        return json.loads(self._process.stdout.readline())

    def results(self, *calls: Call) -> list[Any]:
        """What comes of the calls on a new scheduler: each answer, or the error's name in a tuple."""
        _, *results = self.line(json.dumps([{"op": "reset"}, *calls]))
        return [result["answer"] if "answer" in result else (result["error"],) for result in results]

    def events(self, calls: list[tuple[str, Call]]) -> list[Event]:
        """The same as events, which refuse what isn't of the form."""
        fields = [call_fields(op, arguments) for op, arguments in calls]
        _, *results = self.line(json.dumps([{"op": "reset"}, *fields]))
        return [from_line(json.dumps(call | result)) for call, result in zip(fields, results, strict=True)]

    def ended(self) -> int:
        """How it ended, its input being over."""
        try:
            self._process.communicate(timeout=20)
        finally:
            self._process.kill()
        return self._process.returncode


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The classes, compiled without a warning."""
    folder = tmp_path_factory.mktemp("java")
    command = ["javac", "-Xlint:all", "-Werror", "-d", str(folder), *map(str, SOURCES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


def running(compiled: Path, which: str) -> Iterator[Adapter]:
    adapter = Adapter(compiled, which)
    yield adapter
    assert adapter.ended() == 0


@pytest.fixture(scope="module")
def right(compiled: Path) -> Iterator[Adapter]:
    """The right scheduler's adapter; it ends well when its input ends."""
    yield from running(compiled, "right")


@pytest.fixture(scope="module")
def naive(compiled: Path) -> Iterator[Adapter]:
    """The naive scheduler's adapter; it ends well when its input ends."""
    yield from running(compiled, "naive")


# -- the protocol


def conversation() -> list[tuple[str, str]]:
    """What the protocol's page says is read and written."""
    lines = re.findall(r"^([><]) (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    read, written = lines[::2], lines[1::2]
    assert {mark for mark, _ in read} == {">"}
    assert {mark for mark, _ in written} == {"<"}
    return [(asked, told) for (_, asked), (_, told) in zip(read, written, strict=True)]


def test_the_page_s_conversation_goes_as_the_page_shows(right: Adapter) -> None:
    """Every answer is the page's, but for what `hello` says of the scheduler itself."""
    (greeting, greeted), *scripts = conversation()
    told = {"name": None, "lacks": None}
    (shown,), (said,) = json.loads(greeted), right.line(greeting)
    assert said["answer"] | told == shown["answer"] | told
    assert len(scripts) >= 3
    for script, results in scripts:
        assert right.line(script) == json.loads(results)


def test_what_the_naive_one_says_it_lacks_are_words_of_the_page(naive: Adapter) -> None:
    """A word that the page doesn't have would say nothing to the check."""
    (said,) = naive.line('[{"op": "hello", "protocol": 1}]')
    section = PAGE.read_text(encoding="utf-8").partition("| in `lacks` | then |")[2].partition("\n\n")[0]
    words = {word for row in section.splitlines()[2:] for word in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert {"renew", "queries"} < words
    assert set(said["answer"]["lacks"]) <= words


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "not JSON: at column 1, expected a value"),
        ("{}", "a line must be an array of operations"),
        ("[1]", "an operation must be an object"),
        ('[{"op": "now"}, ]', "not JSON: at column 17, expected a value"),
        ('[{"op": "now"}] x', "not JSON: at column 17, expected nothing more"),
        ('[{"op": "now", "op": "now"}]', "not JSON: at column 21, expected another name than"),
        ('[{"op": "now\n"}]', "not JSON: at column 13, expected a string's characters and its end"),
        ('[{"op": "\\u12x4"}]', "not JSON: at column 14, expected four hexadecimal digits"),
        ('[{"op": "no"}]', "unknown operation: no"),
        ('[{"op": "forget"}]', '"task_id" must be an integer of 64 bits'),
        ('[{"op": "forget", "task_id": 01}]', "expected no number that begins with 0"),
        ('[{"op": "forget", "task_id": 1.5}]', '"task_id" must be an integer of 64 bits'),
        ('[{"op": "forget", "task_id": "9223372036854775808"}]', '"task_id" must be an integer of 64 bits'),
        ('[{"op": "add_task", "priority": 1, "payload": "?"}]', '"payload" must be base64 or null'),
        ('[{"op": "tasks", "status": "lost"}]', '"status" must be a status or null'),
        ("[" * 5000, "not JSON: at column 102, expected at most 100 levels"),
    ],
)
def test_a_line_that_is_not_of_the_protocol_ends_the_adapter_in_one_sentence(
    compiled: Path, line: str, said: str
) -> None:
    """It is no rejected call, so nothing is answered."""
    command = ["java", "-cp", str(compiled), "Adapter", "right"]
    done = subprocess.run(command, input=line + "\n", capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert done.stderr.startswith("Adapter: ")
    assert len(done.stderr.splitlines()) == 1


def test_what_is_not_utf_8_ends_the_adapter(compiled: Path) -> None:
    """To replace it would make another name of it."""
    command = ["java", "-cp", str(compiled), "Adapter", "right"]
    line = b'[{"op": "add_worker", "worker": "\xff", "capacity": 1}]\n'
    done = subprocess.run(command, input=line, capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"Adapter: ")


@pytest.mark.parametrize("arguments", [[], ["wrong"], ["right", "naive"]])
def test_without_a_scheduler_s_name_it_says_how_it_is_used(compiled: Path, arguments: list[str]) -> None:
    """Exit code 2, nothing on standard output."""
    command = ["java", "-cp", str(compiled), "Adapter", *arguments]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "usage: java -cp out Adapter right|naive\n")


def test_fields_that_it_does_not_know_are_ignored(right: Adapter) -> None:
    """Whatever JSON they hold."""
    (answer,) = right.results({"op": "now", "x": [1.5, -2e300, True, {"y": None, "z": []}], "beyond": 10**40})
    assert answer == 0


# -- the contract


def expected(calls: list[tuple[str, Call]]) -> list[Event]:
    """What the reference does."""
    reference = Reference()
    return [perform(reference, op, arguments) for op, arguments in calls]


def any_error(events: list[Event]) -> list[Event]:
    """Each language has errors of its own."""
    return [event._replace(error="some error" if event.error else None) for event in events]


LOOKS = [*((query, {"status": None} if query == "tasks" else {}) for query in QUERIED)]


def test_long_walks_get_the_reference_s_answers(right: Adapter) -> None:
    """Call by call, and after each everything that can be seen; every operation that answers does so."""
    met: set[tuple[str, str]] = set()
    for seed in range(6):
        steps = walk(Reference(), seed, 200)
        sent = [step for step in steps if not any(is_tagged(*argument) for argument in step.arguments.items())]
        calls = [call for step in sent for call in [(step.operation, step.arguments), *LOOKS]]
        events = any_error(right.events(calls))
        assert events == any_error(expected(calls))
        met |= {(event.op, "error" if event.error else "met" if event.answer else "refused") for event in events}
    timed = {"dispatch", "complete", "renew", "release", "advance"}
    assert {(op, kind) for op in timed for kind in ("error", "met", "refused")} <= met
    assert {("forget", "met"), ("forget", "refused"), ("forget_worker", "met"), ("set_capacity", "error")} <= met


names = st.sampled_from(["w1", "w2", "", "\0", "\u00e9", "e\u0301", "\U0001f600" * 255, "\U0001f600" * 256, 'a"\\\n'])
names |= st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
small = st.integers(-1, 4)
numbers = small | st.sampled_from([LOWEST, HIGHEST, HIGHEST - 1, 2**53, -(2**53), 2**53 - 1])
ARGUMENTS: dict[str, st.SearchStrategy[Any]] = {
    "worker": names,
    "name": names,
    "payload": st.none() | st.binary(max_size=4),
    "status": st.none(),
}


@st.composite
def scripts(draw: st.DrawFn) -> list[tuple[str, Call]]:
    """Calls with any arguments that the protocol can say, after some that make the first ones known."""
    calls: list[tuple[str, Call]] = [("add_worker", {"worker": "w1", "capacity": 2})]
    for op in draw(st.lists(st.sampled_from([*PARAMETERS, "add_task", "dispatch", "dispatch"]), max_size=30)):
        calls.append((op, {name: draw(ARGUMENTS.get(name, numbers)) for name in PARAMETERS[op]}))
    return [*calls, *LOOKS]


@settings(deadline=None)
@given(calls=scripts())
def test_any_script_gets_the_reference_s_answers(right: Adapter, calls: list[tuple[str, Call]]) -> None:
    """Names, payloads and numbers come back as they were sent."""
    assert any_error(right.events(calls)) == any_error(expected(calls))


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("\U0001f600" * 255, True),
        ("\U0001f600" * 256, False),
        ("a" * 255, True),
        ('"\\/\b\f\n\r\t\x01\x7f\u00e9\u2028\ufeff\uffff\U0010ffff', True),
        ("a" * 256, False),
        ("", False),
        ("a\0", False),
        ("\ud800", False),
        ("\udc00a", False),
        ("\udc00\ud800", False),
        ("a\ud83d", False),
    ],
)
def test_a_name_has_1_to_255_code_points_that_utf_8_can_write(right: Adapter, name: str, fits: bool) -> None:
    """Not as many UTF-16 units; and a surrogate is half a character. (V3)"""
    added, known = right.results({"op": "add_worker", "worker": name, "capacity": 1}, {"op": "workers"})
    assert added == (None if fits else ("IllegalArgumentException",))
    assert known == ([{"name": name, "capacity": 1, "held": 0}] if fits else [])


def test_a_name_in_utf_8_and_in_escapes_is_the_same(right: Adapter) -> None:
    """Two escaped surrogates are one character. (V3)"""
    results = right.line(
        '[{"op": "reset"}, {"op": "add_worker", "worker": "\U0001f600", "capacity": 1},'
        ' {"op": "worker", "name": "\\ud83d\\ude00"}]'
    )
    assert results[2]["answer"]["name"] == "\U0001f600"


def test_the_end_of_a_lease_does_not_overflow(right: Adapter) -> None:
    """It may be the last number; beyond, the call is rejected and no time has passed. (V2, R1)"""
    begin = [{"op": "add_worker", "worker": "w", "capacity": 1}, {"op": "add_task", "priority": 0, "payload": None}]
    grant = {"op": "dispatch", "worker": "w", "now": str(HIGHEST - 1)}
    *_, beyond, now, lease = right.results(*begin, grant | {"duration": 2}, {"op": "now"}, grant | {"duration": 1})
    assert (beyond, now, lease["expiry"]) == (("IllegalArgumentException",), 0, str(HIGHEST))


def test_an_unknown_worker_has_its_own_exception(right: Adapter) -> None:
    """As Java's collections have it. (O2)"""
    assert right.results({"op": "set_capacity", "worker": "w", "capacity": 1}) == [("NoSuchElementException",)]


# -- what only Java can see


def test_values_are_cut_off_from_the_scheduler_and_numbers_run_out(compiled: Path) -> None:
    """Values.java says a sentence and whether it holds, line by line. (V5, I4, R1)"""
    command = ["java", "-cp", str(compiled), "Values"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.splitlines()
    assert len(said) == 32
    assert [sentence for sentence in said if not sentence.endswith(": true")] == []
