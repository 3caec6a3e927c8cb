"""Three lines in a user's test file check a scheduler, and what fails names the rule and the shortest calls."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from foreign import Foreign, Refusing, WithUuids, blind, wrong
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tenure import Scheduler
from tenure.checking import Scope, contract_machine
from tenure.checking.properties import BROKEN, ContractBroken
from tenure.checking.quick import QuickReference
from tenure.errors import TargetFailed

TESTS = Path(__file__).parents[1]
THREE_LINES = """
from tenure.checking import contract_machine
from ours import Queue
TestQueue = contract_machine(Queue).TestCase
"""
SMALL = settings(
    max_examples=40,
    stateful_step_count=20,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    report_multiple_bugs=False,
)
NO_SHRINKING = settings(SMALL, phases=[Phase.generate], max_examples=200)


def run_by_pytest(folder: Path, ours: str) -> subprocess.CompletedProcess[str]:
    """Runs pytest on a user's test file of three lines, beside `ours.py` of this text."""
    (folder / "ours.py").write_text(f"import sys\nsys.path.append({str(TESTS)!r})\nfrom foreign import *\n{ours}\n")
    (folder / "test_ours.py").write_text(THREE_LINES)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_ours.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def test_three_lines_pass_for_a_right_scheduler(tmp_path: Path) -> None:
    done = run_by_pytest(tmp_path, "class Queue(WithUuids): pass")
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


def test_three_lines_fail_for_a_wrong_one_with_the_rule_s_own_class_and_the_calls(tmp_path: Path) -> None:
    """A person sees what went wrong in the output of pytest."""
    done = run_by_pytest(tmp_path, "Queue = wrong('late-completion')")
    assert done.returncode == 1, done.stdout
    assert re.search(r"Broken(T4|O5): yours: complete was accepted, and must have been refused", done.stdout)
    assert re.search(r"REFUTED (T4|O5)  complete\(1, 1, now=\d+\) answered True, and must be refused", done.stdout)
    assert re.search(r"[45] steps; found by: stateful machine", done.stdout)


def broken(machine: Any, budget: settings = NO_SHRINKING) -> ContractBroken:
    with pytest.raises(ContractBroken) as found:
        run_state_machine_as_test(machine, settings=budget)
    return found.value


@pytest.mark.parametrize("kind", [Foreign, WithUuids, Refusing, blind(QuickReference), Scheduler])
def test_a_right_one_passes_whatever_its_form(kind: Any) -> None:
    run_state_machine_as_test(contract_machine(kind), settings=SMALL)


@pytest.mark.parametrize(
    ("fault", "rule"), [("closed-interval", "T4"), ("lowest-first", "O4"), ("token-not-asked", "O")]
)
def test_a_wrong_one_raises_the_class_of_the_rule(fault: str, rule: str) -> None:
    found = broken(contract_machine(wrong(fault)))
    assert type(found) is BROKEN[found.rule]
    assert found.rule.startswith(rule)
    assert found.__notes__[0].startswith(f"REFUTED {found.rule}")


@pytest.mark.slow
def test_shrinking_stays_with_the_rule_that_was_found() -> None:
    """Of two faults at once, the simpler isn't slipped to."""

    class Two(wrong("closed-interval")):  # type: ignore[misc]
        def renew(self, *values: Any, **named: Any) -> Any:
            lease = super().renew(*values, **named)
            if lease:
                lease.start += 1
            return lease

    first, last = (broken(contract_machine(Two), settings(SMALL, max_examples=200, phases=p)) for p in (
        [Phase.generate], [Phase.generate, Phase.shrink]))  # fmt: skip
    assert last.rule in {"T4", "O6", "I3"}
    assert type(last) is BROKEN[last.rule]
    assert first.rule in {"T4", "O6", "I3"}


def test_what_can_not_be_looked_at_is_asked_for_in_the_end() -> None:
    """A slot that is never freed shows in what is granted later."""
    found = broken(contract_machine(blind(wrong_maker("slot-leaked-on-completion"))))
    assert found.rule.startswith("O")


def wrong_maker(fault: str) -> Any:
    from tenure.checking.faults import FAULTS

    return FAULTS[fault]


def test_on_request_it_says_how_much_it_reached() -> None:
    machine = contract_machine(Foreign, count=Scope(tasks=2, workers=2))
    assert machine.reach is not None and machine.reach.total == 18
    run_state_machine_as_test(machine, settings=settings(SMALL, max_examples=100))
    assert 4 <= len(machine.reach.met) <= 18
    assert (
        str(machine.reach)
        == f"{len(machine.reach.met)} of the 18 states of 2 tasks, 2 workers of capacity 1, any duration"
    )


def test_what_can_not_be_counted_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="only scopes of a fixed number"):
        contract_machine(Foreign, count=Scope(arrivals=True))


def test_what_is_no_scheduler_is_said_at_once() -> None:
    with pytest.raises(TargetFailed, match="it has no add_task"):
        contract_machine(object)


def test_the_contract_s_classes_are_asked_for_on_request() -> None:
    class Rough(Foreign):
        def set_capacity(self, who: str, slots: int) -> None:
            try:
                super().set_capacity(who, slots)
            except KeyError:
                raise ValueError("who?") from None

    run_state_machine_as_test(contract_machine(Rough), settings=SMALL)
    assert broken(contract_machine(Rough, exact_errors=True)).rule in ("R1", "O2")
