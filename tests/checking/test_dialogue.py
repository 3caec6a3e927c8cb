"""The golden dialogues hold on every representation; their reader and their player find what is wrong."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from tenure import Lease, Scheduler, Status
from tenure.checking import Reference
from tenure.checking import dialogue as module
from tenure.checking.dialogue import Dialogue, DialogueError, Differs, dialogues, play, read
from tenure.checking.representations import REPRESENTATIONS, Started
from tenure.operations import PARAMETERS, Operations

OWN = dialogues()
SENTENCES = {"V": 5, "L": 4, "I": 4, "T": 4, "R": 2, "O": 11, "P": 9}
"""How many sentences each chapter of the contract has."""
ELSEWHERE = {"V5", "I4"}
"""Sentences that calls on a new scheduler can't show: values are detached, and ids and tokens end at 2**63 - 1."""
TITLE = "# It is so (O5)\n"
RUNNING = "add_worker a 1\nadd_task 5 -> 1\ndispatch a now=0 duration=10 -> token=1\n"


def only(steps: str) -> Dialogue:
    (dialogue,) = read(TITLE + steps, "some.txt")
    return dialogue


class Answering:
    """Answers each call with the same value, whatever it is."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __getattr__(self, op: str) -> Any:
        return self.answer if op == "now" else lambda **arguments: self.answer


# -- the dialogues


@pytest.mark.parametrize("name", REPRESENTATIONS)
@pytest.mark.parametrize("dialogue", OWN, ids=lambda dialogue: f"{dialogue.file}: {dialogue.title}")
def test_every_representation_answers_as_the_dialogue_says(dialogue: Dialogue, name: str) -> None:
    started = REPRESENTATIONS[name]()

    def restart(_: Operations) -> Operations:
        nonlocal started
        assert started.reopen
        started = started.reopen()
        return started.scheduler

    play(dialogue, started.scheduler, restart if started.reopen else None)
    started.check()


def test_all_the_reported_sequences_are_there() -> None:
    sourced = [dialogue for dialogue in OWN if dialogue.sources]
    assert len(sourced) == 31
    assert sum(len(dialogue.steps) for dialogue in sourced) == 269
    assert sum(len(dialogue.sources) for dialogue in sourced) == 45


def test_a_title_stands_once_in_all_files() -> None:
    titles = [dialogue.title for dialogue in OWN]
    assert sorted(set(titles)) == sorted(titles)


def test_the_dialogues_show_every_sentence_that_calls_can_show_and_no_other() -> None:
    sentences = {f"{chapter}{number}" for chapter, last in SENTENCES.items() for number in range(1, last + 1)}
    assert {rule for dialogue in OWN for rule in dialogue.rules} == sentences - ELSEWHERE


def test_the_dialogues_make_every_call() -> None:
    assert {step.op for dialogue in OWN for step in dialogue.steps} == {*PARAMETERS, "restart"}


def test_the_example_of_the_form_is_itself_a_dialogue() -> None:
    indented = [line.strip() for line in str(module.__doc__).splitlines() if line.startswith("    ")]
    (example,) = read("\n".join(indented), "dialogue.py")
    play(example, Scheduler())


# -- reading


def test_a_dialogue_is_read_with_all_that_its_lines_say() -> None:
    text = "\n# One (O5, T3)\nsource a/b#1\nsource c/d.e#22\nadd_task 5\n\nnow -> 0\n\n# Two (L1)\nrestart\n"
    one, two = read(text, "some.txt")
    assert (one.title, one.rules, one.sources, one.file, one.line) == (
        "One",
        ("O5", "T3"),
        ("a/b#1", "c/d.e#22"),
        "some.txt",
        2,
    )
    assert [(step.line, step.text) for step in one.steps] == [(5, "add_task 5"), (7, "now -> 0")]
    assert (two.title, two.line, [step.op for step in two.steps]) == ("Two", 9, ["restart"])


@pytest.mark.parametrize(
    ("line", "op", "arguments"),
    [
        ("now -> 0", "now", {}),
        ("add_task -> 1", "add_task", {}),
        ("add_task high -> rejected TypeError", "add_task", {"priority": "high"}),
        ("add_task '7' -> rejected TypeError", "add_task", {"priority": "7"}),
        ("add_task 1.5 -> rejected TypeError", "add_task", {"priority": 1.5}),
        ("add_task True -> rejected TypeError", "add_task", {"priority": True}),
        ("add_task -9223372036854775809 -> rejected ValueError", "add_task", {"priority": -(2**63) - 1}),
        (r"add_task 5 payload=b'\x00' -> 1", "add_task", {"priority": 5, "payload": b"\0"}),
        (r"add_worker '\xe4' 1", "add_worker", {"worker": "ä", "capacity": 1}),
        ("worker 'a=b' -> None", "worker", {"name": "a=b"}),
        ("tasks pending -> ()", "tasks", {"status": Status.PENDING}),
        ("tasks 'pending' -> rejected TypeError", "tasks", {"status": "pending"}),
        ("complete 1 2 now=3 -> refused", "complete", {"task_id": 1, "token": 2, "now": 3}),
    ],
)
def test_a_call_is_read_as_python_would_take_it(line: str, op: str, arguments: dict[str, Any]) -> None:
    (step,) = only(line).steps
    assert (step.op, step.arguments) == (op, arguments)
    assert list(map(type, step.arguments.values())) == list(map(type, arguments.values()))


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("now -> 0\n", 1, "begins with its title"),
        ("# It is so\n", 1, "a title ends with the sentences"),
        ("#It is so (O5)\n", 1, "a title ends with the sentences"),
        ("# It is so ()\n", 1, "a title ends with the sentences"),
        ("# It is so (O5,T3)\n", 1, "a title ends with the sentences"),
        ("\n" + TITLE, 2, "no steps"),
        (TITLE + "now -> 0\n" + TITLE + "now -> 0\n", 3, "another dialogue has this title"),
        (TITLE + "source somewhere\n", 2, "source owner/repository#number"),
        (TITLE + "now -> 0\nsource a/b#1\n", 3, "a source stands before the steps"),
        (TITLE + "finish 1 1 now=3 -> True\n", 2, "finish is no operation"),
        (TITLE + "restart now\n", 2, "restart alone on its line"),
        (TITLE + " now -> 0\n", 2, "is no operation"),
        (TITLE + "now 5 -> 0\n", 2, "now: too many positional arguments"),
        (TITLE + "complete 1 now=3 -> True\n", 2, "complete: missing a required argument: 'token'"),
        (TITLE + "complete 1 1 3 -> True\n", 2, "complete: too many positional arguments"),
        (TITLE + "complete 1 1 time=3 -> True\n", 2, "complete: missing a required"),
        (TITLE + "add_task prio=3 -> 1\n", 2, "add_task: got an unexpected keyword argument 'prio'"),
        (TITLE + "add_task 3 priority=3 -> 1\n", 2, "add_task: multiple values for argument 'priority'"),
        (TITLE + "advance now=3 now=3 -> ()\n", 2, "each name once"),
        (TITLE + "add_task 007 -> 1\n", 2, "neither a word in small letters nor a Python literal"),
        (TITLE + "add_task High -> 1\n", 2, "neither a word in small letters nor a Python literal"),
        (TITLE + "add_task 2**63 -> 1\n", 2, "neither a word in small letters nor a Python literal"),
        (TITLE + "add_task  5 -> 1\n", 2, "neither a word in small letters nor a Python literal"),
        (TITLE + "add_task 1_000 -> 1\n", 2, "must be written 1000"),
        (TITLE + "add_worker 'ä' 1\n", 2, r"must be written '\xe4'"),
        (TITLE + "complete 1 1 now=3 -> False\n", 2, "an answer is"),
        (TITLE + "complete 1 1 now=3 -> done\n", 2, "an answer is"),
        (TITLE + "complete 1 1 now=3 -> \n", 2, "an answer is"),
        (TITLE + "dispatch a now=0 duration=1 -> refused busy\n", 2, "an answer is"),
        (TITLE + "add_task True -> rejected\n", 2, "an answer is"),
        (TITLE + "task 1 -> status=running attempts\n", 2, "name=value"),
        (TITLE + "task 1 -> status=running status=done\n", 2, "each name once"),
        (TITLE + "leases -> token=1, token=2\n", 2, "items stand in brackets"),
        (TITLE + "leases -> (token=1, expiry=2)\n", 2, "name the same fields"),
    ],
)
def test_a_line_that_is_not_of_the_form_is_named_with_its_reason(text: str, line: int, reason: str) -> None:
    with pytest.raises(DialogueError) as caught:
        read(text, "some.txt")
    assert (caught.value.file, caught.value.line) == ("some.txt", line)
    assert reason in caught.value.reason
    assert str(caught.value) == f"some.txt:{line}: {caught.value.reason}"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


# -- playing


@pytest.mark.parametrize(
    ("step", "came"),
    [
        ("add_task 5 -> 3", "2"),
        ("add_task 5", "2"),
        ("add_task 5 -> rejected TypeError", "2"),
        ("add_worker b 1 -> rejected WorkerExists", "None"),
        ("add_worker a 1", "rejected WorkerExists"),
        ("add_worker a 1 -> rejected ValueError", "rejected WorkerExists"),
        ("advance now=0 -> rejected ClockWentBackwards", "()"),
        ("advance now=9 -> (token=1)", "()"),
        (
            "advance now=10 -> ()",
            "(Lease(task_id=1, worker='a', token=1, attempt=1, start=0, expiry=10, payload=None),)",
        ),
        ("advance now=10 -> (token=2)", "(token=1)"),
        ("advance now=10 -> (token=1, token=2)", "(token=1)"),
        ("advance now=10 -> token=1", "(token=1)"),
        ("complete 1 1 now=9 -> refused", "True"),
        ("complete 1 1 now=10 -> True", "refused"),
        ("renew 1 1 now=9 duration=9 -> expiry=19", "expiry=18"),
        ("renew 1 1 now=10 duration=9 -> expiry=19", "refused"),
        (
            "renew 1 1 now=9 duration=9 -> refused",
            "Lease(task_id=1, worker='a', token=1, attempt=1, start=0, expiry=18, payload=None)",
        ),
        ("dispatch a now=9 duration=9 -> token=2", "refused full or refused nothing pending"),
        ("dispatch a now=9 duration=9 -> refused", "refused full or refused nothing pending"),
        ("dispatch a now=9 duration=9 -> refused unknown worker", "refused full or refused nothing pending"),
        ("dispatch b now=10 duration=9 -> refused nothing pending", "refused unknown worker"),
        ("dispatch a now=10 duration=9 -> task_id=1 token=3", "task_id=1 token=2"),
        ("task 1 -> status=pending", "status=running"),
        ("task 1 -> status='running'", "status=running"),
        ("task 2 -> status=pending", "None"),
        (
            "task 1 -> held=1",
            "Task(id=1, priority=5, payload=None, status=<Status.RUNNING: 'running'>, attempts=1, lease="
            "Lease(task_id=1, worker='a', token=1, attempt=1, start=0, expiry=10, payload=None))",
        ),
        ("worker a -> held=0", "held=1"),
        ("workers -> (name=b)", "(name=a)"),
        ("counts -> pending=1 running=0", "pending=0 running=1"),
        ("next_expiry -> None", "10"),
        ("now -> 1", "0"),
        ("forget 1 -> True", "refused"),
        ("forget_worker b -> True", "refused"),
    ],
)
def test_a_step_that_is_answered_otherwise_differs(step: str, came: str) -> None:
    with pytest.raises(Differs) as caught:
        play(only(RUNNING + step), Scheduler())
    assert (caught.value.step.text, caught.value.came) == (step, came)


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("complete 1 1 now=0 -> refused", None),
        ("complete 1 1 now=0 -> refused", 0),
        ("complete 1 1 now=0 -> refused", "refused"),
        ("complete 1 1 now=0 -> True", 1),
        ("renew 1 1 now=0 duration=1 -> refused", False),
        ("add_task -> 1", True),
        ("add_task -> 1", "1"),
        ("add_worker a 1", False),
        ("leases -> ()", []),
        ("leases -> ()", None),
        ("leases -> (token=1)", Lease(1, "a", 1, 1, 0, 9)),
        ("leases -> (token=1)", [Lease(1, "a", 1, 1, 0, 9)]),
        ("renew 1 1 now=0 duration=1 -> token=1", (Lease(1, "a", 1, 1, 0, 9),)),
        ("renew 1 1 now=0 duration=1 -> task_id=1 token=1", (1, 1)),
        ("renew 1 1 now=0 duration=1 -> token=1", Lease(1, "a", True, 1, 0, 9)),
        ("now -> 0", 0.0),
    ],
)
def test_an_answer_that_only_resembles_the_right_one_differs(step: str, answer: object) -> None:
    """Of a scheduler whose values are Tenure's own; what others may answer is read first. (V5)"""
    scheduler: Operations = Answering(answer)
    with pytest.raises(Differs):
        play(only(step), Started(scheduler, lambda: None, None))


def test_a_refused_dispatch_is_believed_only_if_its_reason_holds() -> None:
    class Lazy:
        def __getattr__(self, op: str) -> Any:
            return (lambda *_, **__: None) if op == "dispatch" else getattr(idle, op)

    idle = Scheduler()
    idle.add_worker("a", 1)
    idle.add_task()
    with pytest.raises(Differs, match="refused without a reason"):
        play(only("dispatch a now=0 duration=1 -> refused full"), Started(Lazy(), lambda: None, None))


def test_the_difference_says_where_what_must_come_and_what_came() -> None:
    with pytest.raises(Differs) as caught:
        play(only(RUNNING + "complete 1 1 now=10 -> True"), Scheduler())
    assert str(caught.value).splitlines() == [
        "some.txt:5: It is so (O5)",
        "  step       complete 1 1 now=10 -> True",
        "  must come  True",
        "  came       refused",
    ]
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_restart_goes_on_with_the_scheduler_that_was_opened_again() -> None:
    first, second = Scheduler(), Scheduler()
    closed: list[Operations] = []

    def reopen(scheduler: Operations) -> Operations:
        closed.append(scheduler)
        return second

    play(only("add_task -> 1\nrestart\nadd_task -> 1\nadd_task -> 2"), first, reopen)
    assert closed == [first]
    assert (first.counts().pending, second.counts().pending) == (1, 2)


def test_a_restart_of_what_keeps_nothing_changes_nothing() -> None:
    play(only("add_task -> 1\nrestart\nadd_task -> 2"), Scheduler())


class Foreign(Reference):
    """Somebody else's, which rejects by an exception of its own."""

    def advance(self, *, now: int) -> tuple[Lease, ...]:
        try:
            return super().advance(now=now)
        except ValueError as error:
            raise RuntimeError from error


def test_of_a_foreign_scheduler_a_rejection_of_any_class_will_do_if_that_is_said() -> None:
    """R1."""
    text = "# Time never goes back (T1)\nadvance now=5 -> ()\nadvance now=4 -> rejected ClockWentBackwards\n"
    (dialogue,) = read(text, "f")
    play(dialogue, Foreign(), exact_errors=False)
    with pytest.raises(Differs):
        play(dialogue, Foreign())
