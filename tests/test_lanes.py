"""The drawing of leases: half-open, readable in any width, never wrong about what there is no room for."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from xml.etree import ElementTree

import pytest

from tenure import Scheduler
from tenure.history import recorded
from tenure.lanes import Bar, Course, Drawing, Lane, Mark, Phase, Series, svg, terminal
from tenure.lanes.drawing import COMPLETED, CONCERNED, EXPIRED, RELEASED, WRONG, cells, cut, instant, visible
from tenure.lanes.layout import axis_of, laid_out
from tenure.operations import Operations

SVG = "{http://www.w3.org/2000/svg}"


def course(play: Callable[[Operations], object], by: str = "worker") -> Course:
    drawn = Course("task" if by == "task" else "worker")
    scheduler = Scheduler()
    told = recorded(
        scheduler,
        lambda event: drawn.saw(
            event, scheduler.now, scheduler.leases(), scheduler.workers(), scheduler.counts().pending
        ),
    )
    play(told)
    return drawn


def one_lease(scheduler: Operations) -> None:
    scheduler.add_worker("w1", 1)
    scheduler.add_task()
    scheduler.dispatch("w1", now=5, duration=5)


def bars(play: Callable[[Operations], object]) -> tuple[Bar, ...]:
    return course(play).drawing("").bars


def lines(drawing: Drawing, width: int = 80, **options: bool) -> list[str]:
    return terminal(drawing, width, **options).splitlines()


def drawing_of(*made: Bar, marks: tuple[Mark, ...] = (), series: tuple[Series, ...] = ()) -> Drawing:
    names = dict.fromkeys(bar.lane for bar in made)
    return Drawing("a drawing", tuple(map(Lane, names)), made, marks, series)


def bar(lane: str, start: int, end: int, label: str = "task 1 · token 1", ending: str = "live", flag: str = "") -> Bar:
    return Bar(lane, start, label, (Phase(1, end, ending),), flag, "task 1")


# -- what a course becomes


def test_a_granted_dispatch_opens_a_bar_from_start_to_expiry() -> None:
    """[start, expiry). (T4)"""
    (found,) = bars(one_lease)
    assert (found.lane, found.start, found.label, found.phases) == ("w1", 5, "task 1 · token 1", (Phase(3, 10),))


@pytest.mark.parametrize(("call", "ending"), [("complete", COMPLETED), ("release", RELEASED)])
def test_a_bar_ends_when_its_lease_is_completed_or_released(call: str, ending: str) -> None:
    def play(scheduler: Operations) -> None:
        one_lease(scheduler)
        getattr(scheduler, call)(1, 1, now=7)

    (found,) = bars(play)
    assert found.phases[1:] == (Phase(4, 7, ending),)


@pytest.mark.parametrize("call", ["complete", "release"])
def test_a_bar_whose_lease_was_over_before_the_call_ends_at_its_expiry(call: str) -> None:
    """A refused completion ended nothing. (T3, O5)"""

    def play(scheduler: Operations) -> None:
        one_lease(scheduler)
        getattr(scheduler, call)(1, 1, now=12)

    (found,) = bars(play)
    assert found.phases[1:] == (Phase(4, 10, EXPIRED),)


def test_a_renewal_is_a_phase_that_moves_the_end() -> None:
    """Later or earlier. (O6)"""

    def play(scheduler: Operations) -> None:
        one_lease(scheduler)
        scheduler.renew(1, 1, now=6, duration=20)
        scheduler.renew(1, 1, now=7, duration=1)

    (found,) = bars(play)
    assert [(phase.step, phase.end) for phase in found.phases] == [(3, 10), (4, 26), (5, 8)]


def test_lanes_are_the_workers_in_their_order_or_the_tasks() -> None:
    def play(scheduler: Operations) -> None:
        scheduler.add_worker("b", 2)
        scheduler.add_worker("a", 1)
        scheduler.add_task()
        scheduler.dispatch("a", now=0, duration=1)

    assert course(play).drawing("").lanes == (Lane("b", "capacity 2"), Lane("a", "capacity 1"))
    by_task = course(play, "task").drawing("")
    assert (by_task.lanes, by_task.bars[0].label) == ((Lane("task 1"),), "a · token 1")


# -- the layout


def test_leases_that_overlap_stand_in_rows_of_their_own_and_a_slot_is_taken_again_at_once() -> None:
    """One that begins at the instant at which another is over stands in its row. (T4)"""
    made = [bar("w", 0, 10), bar("w", 2, 5), bar("w", 5, 9), bar("w", 10, 12)]
    layout = laid_out(drawing_of(*made), 100, 4)
    assert [[(one.start, one.phases[-1].end) for one in row.bars] for row in layout.rows] == [
        [(0, 10), (10, 12)],
        [(2, 5), (5, 9)],
    ]


def test_a_lease_that_the_contract_does_not_have_stands_below_the_others() -> None:
    layout = laid_out(drawing_of(bar("w", 0, 4, flag=WRONG), bar("w", 1, 5)), 100, 4)
    assert [row.bars[0].flag for row in layout.rows] == ["", WRONG]


def test_an_axis_is_true_to_scale_where_all_instants_can_be_told_apart() -> None:
    axis = axis_of([0, 10, 40], 80, 4)
    assert (axis.places, axis.breaks, axis.to_scale) == ((0, 20, 80), (), True)


def test_a_gap_that_would_hide_all_others_is_cut_and_the_cut_is_shown() -> None:
    """Instants may be as far apart as numbers go."""
    axis = axis_of([0, 1, 2, 3, 2**63 - 2, 2**63 - 1], 80, 4)
    widths = [later - earlier for earlier, later in zip(axis.places, axis.places[1:], strict=False)]
    assert min(widths) >= 4
    assert axis.places[-1] == pytest.approx(80)
    assert len(axis.breaks) == 1
    assert axis.places[3] < axis.breaks[0] < axis.places[4]
    assert not axis.to_scale


def test_instants_too_many_for_the_width_still_come_in_their_order() -> None:
    axis = axis_of([*range(1000), 10**9], 80, 4)
    assert list(axis.places) == sorted(axis.places)
    assert axis.places[999] > 60
    assert len(axis.breaks) == 1


# -- in a terminal


def test_a_bar_is_closed_at_its_start_and_open_before_its_expiry() -> None:
    """The column of the expiry itself is free. (T4)"""
    labels, _, lane, *_ = lines(drawing_of(bar("w1", 5, 10)))
    assert lane.index("[") == labels.index("5")
    assert lane.index(")") == labels.index("10") - 1


def test_a_lease_may_begin_in_the_column_in_which_another_is_over() -> None:
    drawn = drawing_of(bar("w1", 0, 5), bar("w1", 5, 10))
    _, _, lane, *_ = lines(drawn)
    assert ")[" in lane


def test_the_failing_instant_runs_through_all_lanes_and_is_told() -> None:
    mark = Mark(10, "complete answered True", failing=True)
    labels, _, first, second, told, *_ = lines(drawing_of(bar("w1", 5, 10), bar("w2", 6, 7), marks=(mark,)))
    column = labels.index("10")
    assert (first[column], second[column], told[column]) == ("╏", "╏", "▲")
    assert "10: complete answered True" in told


def test_signs_tell_what_ended_a_lease_and_are_explained_where_they_are_used() -> None:
    said = terminal(drawing_of(bar("a", 0, 9, ending=COMPLETED), bar("b", 0, 9, ending=RELEASED), bar("c", 0, 9)))
    assert [line[-1] for line in said.splitlines()[2:5]] == ["✓", "↩", ")"]
    assert "✓ completed" in said
    assert "↩ released" in said
    assert "✓" not in terminal(drawing_of(bar("c", 0, 9)))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_no_line_is_wider_than_asked_for(width: int, ascii_only: bool) -> None:
    """Whatever the names, the times and the labels are."""
    long = "名前 😀 " * 20
    made = drawing_of(
        bar(long, 0, 2**63 - 1, long, flag=CONCERNED),
        bar("\x1b[31mred\n", 3, 4, ending=COMPLETED),
        bar("w", 4, 4, ending=RELEASED),
        marks=(Mark(4, long, failing=True),),
        series=(Series(long, ((0, 0), (3, 7), (4, 2))),),
    )
    said = lines(made, width, ascii_only=ascii_only)
    assert max(map(cells, said)) <= width
    assert not ascii_only or all(map(str.isascii, said))
    assert all(map(str.isprintable, said))


def test_colour_changes_no_character() -> None:
    made = drawing_of(bar("w1", 5, 10, flag=CONCERNED), marks=(Mark(10, "late", failing=True),))
    coloured = terminal(made, colour=True)
    assert "\033[" in coloured
    assert re.sub(r"\033\[[0-9;]*m", "", coloured) == terminal(made)
    assert "✗" in terminal(made)


def test_a_series_is_drawn_on_the_same_axis() -> None:
    labels, _, _, pending, *_ = lines(course(one_lease).drawing(""))
    assert pending.strip().startswith("pending")
    at = labels.index("5")
    assert (pending[at - 1], pending[at]) == ("█", "▁")


def test_the_leases_held_are_drawn_beside_the_capacity_of_all_workers() -> None:
    def play(scheduler: Operations) -> None:
        one_lease(scheduler)
        scheduler.add_worker("w2", 3)
        scheduler.complete(1, 1, now=7)

    _, held = course(play).drawing("").series
    assert held == Series("leases held", ((0, 0), (5, 1), (7, 0)), most=4)
    assert "at most 4" in svg(course(play).drawing(""))


def test_a_drawing_of_nothing_is_drawn() -> None:
    nothing = Drawing("nothing", (), ())
    assert terminal(nothing).split() == ["0", "├"]
    assert ElementTree.fromstring(svg(nothing)).tag == f"{SVG}svg"


# -- as SVG


def test_an_svg_is_well_formed_whatever_the_names_hold_and_says_what_it_shows() -> None:
    hostile = "<script>&\"'\x00\x1b[31m\ud800]]>"
    root = ElementTree.fromstring(svg(drawing_of(bar(hostile, 0, 5, hostile, flag=WRONG))))
    title, described = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text == "a drawing"
    assert described is not None
    assert "[0, 5)" in str(described.text)
    assert root.attrib["aria-labelledby"] == f"{title.attrib['id']} {described.attrib['id']}"
    assert root.find(f".//{SVG}script") is None


def test_an_svg_loads_nothing_and_no_text_in_it_is_small() -> None:
    made = svg(course(one_lease).drawing("", [Mark(10, "late", failing=True)]))
    assert re.findall(r"https?://[^\"]*", made) == ["http://www.w3.org/2000/svg"]
    assert min(map(float, re.findall(r"font-size:([0-9.]+)px", made))) >= 11
    assert "prefers-color-scheme:dark" in made


def test_with_steps_each_phase_says_from_and_until_when_it_is_there() -> None:
    def play(scheduler: Operations) -> None:
        one_lease(scheduler)
        scheduler.renew(1, 1, now=6, duration=20)
        scheduler.complete(1, 1, now=8)

    made = course(play).drawing("")
    groups = ElementTree.fromstring(svg(made, steps=True)).findall(f"{SVG}g")
    assert [(group.get("data-from"), group.get("data-until")) for group in groups] == [
        ("3", "4"),
        ("4", "5"),
        ("5", None),
    ]
    assert len(ElementTree.fromstring(svg(made)).findall(f"{SVG}g")) == 1


def test_an_old_expiry_is_dotted_only_where_the_lease_was_renewed() -> None:
    def completed(scheduler: Operations) -> None:
        one_lease(scheduler)
        scheduler.complete(1, 1, now=8)

    def renewed(scheduler: Operations) -> None:
        one_lease(scheduler)
        scheduler.renew(1, 1, now=6, duration=20)

    assert 'class="renewed"' not in svg(course(completed).drawing(""))
    assert 'class="renewed"' in svg(course(renewed).drawing(""))
    assert "┆" not in terminal(course(completed).drawing(""))
    assert "┆ an expiry before it was renewed" in terminal(course(renewed).drawing(""))


@pytest.mark.parametrize("draw", [terminal, svg])
def test_thousands_of_leases_are_drawn_and_what_is_left_out_is_counted(draw: Callable[[Drawing], str]) -> None:
    made = [bar(f"w{number % 500}", number, number + 700) for number in range(5000)]
    said = draw(drawing_of(*made))
    left_out = laid_out(drawing_of(*made), 700, 30)
    assert f"{left_out.lanes_left_out:,} more lanes aren't drawn" in unescape(said)
    assert left_out.lanes_left_out > 0
    assert sum(len(row.bars) for row in left_out.rows) + left_out.bars_left_out == 5000


def test_a_lane_with_something_flagged_is_never_the_one_that_is_left_out() -> None:
    made = [bar(f"w{number}", number, number + 7, flag=CONCERNED if number == 499 else "") for number in range(500)]
    layout = laid_out(drawing_of(*made), 700, 30)
    assert "w499" in {row.lane.name for row in layout.rows}


# -- words


@pytest.mark.parametrize(
    ("text", "most", "short"),
    [("worker", 6, "worker"), ("worker", 4, "wor…"), ("名前前", 5, "名前…"), ("名前前", 4, "名…")],
)
def test_text_is_cut_by_the_columns_that_it_takes(text: str, most: int, short: str) -> None:
    assert cut(text, most) == short
    assert cells(short) <= most


def test_what_would_move_the_cursor_is_written_as_an_escape() -> None:
    assert visible("a\n\x1b[0m\u202eb\ud800") == "a\\n\\x1b[0m\\u202eb\\ud800"
    assert visible("名前 😀") == "名前 😀"


@pytest.mark.parametrize(
    ("at", "said"), [(0, "0"), (2**53, "9007199254740992"), (2**63 - 1, "2^63-1"), (2**62, "2^62"), (-5, "-5")]
)
def test_an_instant_is_told_in_few_characters(at: int, said: str) -> None:
    assert instant(at) == said
