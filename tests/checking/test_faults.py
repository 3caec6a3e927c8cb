"""Every planted fault is one small difference and is found; what faults are made of is not."""

from __future__ import annotations

import ast
import doctest
import inspect
import json
import re
import textwrap
from pathlib import Path

import pytest

from tenure.checking import fault_table
from tenure.checking.fault_table import SCOPES, Row, as_json, as_markdown, by_dialogues, by_explorer, by_machine
from tenure.checking.faults import CHAPTERS, FAULTS, Fault
from tenure.checking.faults.base import Admitting, Miscounting
from tenure.checking.quick import QuickReference
from tenure.checking.sampling import Budget
from tenure.history import perform

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "faults.md"
SENTENCES = {"V": 5, "L": 4, "I": 4, "T": 4, "R": 2, "O": 11}
"""How many sentences each chapter of the contract has, of those that a scheduler keeps or breaks."""
LINES_MOST = 15
FULL = Budget()
SMALL = Budget(examples=50)


def page_rows() -> dict[str, list[str]]:
    """The cells of the page's table, by the name of the fault."""
    cells = [line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if "|" in line]
    return {name: rest for name, *rest in cells if name in FAULTS}


# -- what they are


def test_every_sentence_that_a_scheduler_can_break_has_a_fault() -> None:
    sentences = {f"{chapter}{number}" for chapter, last in SENTENCES.items() for number in range(1, last + 1)}
    assert {sentence for fault in FAULTS.values() for sentence in fault.breaks} == sentences


def test_every_class_of_a_chapter_is_a_fault_that_says_what_it_breaks() -> None:
    own = {
        thing
        for chapter in CHAPTERS
        for thing in vars(chapter).values()
        if isinstance(thing, type) and thing.__module__ == chapter.__name__
    }
    assert own == set(FAULTS.values())


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_small_difference(name: str) -> None:
    """At most fifteen lines beside its docstring, on a base that has no fault."""
    fault = FAULTS[name]
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(fault))).body
    assert isinstance(tree, ast.ClassDef)
    lines = [line for part in tree.body[1:] for line in range(part.lineno, (part.end_lineno or 0) + 1)]
    assert 0 < len(lines) <= LINES_MOST
    assert fault.__base__ in (Fault, Admitting, Miscounting)


@pytest.mark.parametrize("module", [*CHAPTERS, inspect.getmodule(Fault)], ids=lambda module: module.__name__)
def test_a_fault_shares_no_rule_with_the_core(module: object) -> None:
    source = Path(inspect.getfile(module)).read_text(encoding="utf-8")  # type: ignore[arg-type]
    modules = [node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    assert not [name for name in modules if name and re.search(r"\b(rules|stores?|scheduler)\b", name)]


# -- whether they are found


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_by_the_dialogues_or_else_by_the_machine(name: str) -> None:
    assert by_dialogues(FAULTS[name]) or any(by_machine(FAULTS[name], FULL._replace(seed=seed)) for seed in range(10))


@pytest.mark.parametrize("base", [QuickReference, Fault, Admitting, Miscounting])
def test_what_faults_are_made_of_is_no_fault(base: type[QuickReference]) -> None:
    assert by_dialogues(base) is None
    assert by_machine(base, SMALL) is None


@pytest.mark.slow
@pytest.mark.parametrize("base", [QuickReference, Admitting, Miscounting])
def test_what_faults_are_made_of_is_no_fault_however_long_one_looks(base: type[QuickReference]) -> None:
    assert [by_machine(base, FULL._replace(seed=seed)) for seed in range(3)] == [None] * 3
    assert by_explorer(base) is None


def test_a_history_that_was_found_shows_the_fault_again_and_has_no_call_too_many() -> None:
    """One worker, one task, its lease, and the end of that."""
    history = by_machine(FAULTS["closed-interval"], FULL)
    assert history is not None
    assert [event.op for event in history[:3]] == ["add_worker", "add_task", "dispatch"]
    assert len(history) == 4
    assert history[3].arguments["now"] == history[2].answer.expiry
    right, wrong = QuickReference(), FAULTS["closed-interval"]()
    assert [perform(wrong, event.op, event.arguments) for event in history] == [*history]
    assert [perform(right, event.op, event.arguments) for event in history][:-1] == [*history[:-1]]
    assert perform(right, history[-1].op, history[-1].arguments) != history[-1]


# -- the table


def test_the_python_on_the_page_runs() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    example = doctest.DocTestParser().get_doctest(block, {}, PAGE.name, str(PAGE), 0)
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_page_lists_every_fault_with_what_the_dialogues_find() -> None:
    rows = page_rows()
    assert list(rows) == list(FAULTS)
    for name, (what, dialogues, _, _) in rows.items():
        assert what == str(FAULTS[name].__doc__).partition("\n")[0]
        assert dialogues == str(by_dialogues(FAULTS[name]) or "-")


def test_the_page_says_of_every_fault_that_some_check_finds_it() -> None:
    """And of each that the machine or the explorer does, which need nobody to have thought of it."""
    assert not [name for name, (_, _, *found) in page_rows().items() if set(found) == {"-"}]


@pytest.mark.slow
def test_the_machine_finds_what_the_page_says_that_it_finds() -> None:
    """At one of ten seeds: what a seed draws depends on hypothesis's version and on where the code lies."""
    told = [name for name, (_, _, machine, _) in page_rows().items() if machine != "-"]
    assert len(told) > 70
    lost = [name for name in told if not any(by_machine(FAULTS[name], FULL._replace(seed=n)) for n in range(10))]
    assert lost == []


def test_a_table_shows_what_was_not_found_and_counts_what_was() -> None:
    made = [Row("closed-interval", "It is.", 4, 5, None), Row("late-renewal", "Too late.", None, 12, None)]
    assert as_markdown(made).splitlines()[2:] == [
        "| closed-interval | It is. | 4 | 5 | - |",
        "| late-renewal | Too late. | - | 12 | - |",
        "| | found | 1 of 2 | 2 of 2 | 0 of 2 |",
    ]
    first, _ = json.loads(as_json(made, SMALL))["faults"]
    assert first["breaks"] == ["T4"]
    assert first["explorer"] is None


def test_the_command_writes_the_table_between_the_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fault_table, "SCOPES", SCOPES[:1])
    page = tmp_path / "page.md"
    page.write_text("# Before\n<!-- drawn: faults -->\nold\n<!-- end drawn -->\nafter\n", encoding="utf-8")
    assert fault_table.main(["ids-from-zero", "--examples", "5", "--write", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "old" not in text
    assert "\n| ids-from-zero | The first task has the id 0. (breaks I1) | 1 | 1 |" in text
    assert text.startswith("# Before\n") and text.endswith("<!-- end drawn -->\nafter\n")


@pytest.mark.parametrize("arguments", [["no-such-fault"], ["--json", "--write", "page.md"]])
def test_the_command_refuses_what_makes_no_sense(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fault_table, "rows", None)
    with pytest.raises(SystemExit) as left:
        fault_table.main(arguments)
    assert left.value.code == 2


@pytest.mark.parametrize("text", [None, "# A page without marks\n"])
def test_the_command_refuses_a_document_that_it_cannot_use(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before it makes anything."""
    monkeypatch.setattr(fault_table, "rows", None)
    page = tmp_path / "page.md"
    if text is not None:
        page.write_text(text, encoding="utf-8")
    assert fault_table.main(["--write", str(page)]) == 3
    assert "page.md" in capsys.readouterr().err
