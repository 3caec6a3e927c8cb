"""The report says what came of each run, to a reader at any width and to a program."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from tenure.simulate.jobs import Job, Workload
from tenure.simulate.outcome import Run
from tenure.simulate.play import play
from tenure.simulate.report import Settings, as_json, clock, percent, show
from tenure.simulate.sizing import parse

SETTINGS = Settings(workers=1, capacity=1, seed=7, renew=None, crash=0.0, queues=None)
WORKLOAD = Workload("some.swf", (Job(4, 0, 10, 10, 2), Job(5, 0, 10, 0, 1)), {"no run time": (1, 2)}, was_sorted=False)


def runs(*leases: str, settings: Settings = SETTINGS) -> list[Run]:
    return [play(WORKLOAD, parse(lease), **settings._asdict()) for lease in leases]


def shown(reported: list[Run], width: int = 80, settings: Settings = SETTINGS, **options: Any) -> str:
    output = StringIO()
    options = {"color_system": None, **options}
    show(Console(file=output, width=width, **options), WORKLOAD, settings, reported)
    return output.getvalue()


TABLE = """\
some.swf: 1 worker with 1 slot each; seed 7

lease                asked   asked+1        11
jobs                     1         1         2
not usable               3         3         2
leases granted           2         1         2
  doubled                1         0         0
  to jobs                1         0         0
  most to one            2         1         1
completions              1         1         2
expiries                 1         0         0
late, refused            1         0         0
  just at expiry         1         0         0
late, accepted           0         0         0
work wasted       00:00:10  00:00:00  00:00:00
  of all work       50.0 %     0.0 %     0.0 %
utilisation         50.0 %   100.0 %   100.0 %
makespan          00:00:20  00:00:10  00:00:20
wait p50          00:00:00  00:00:00  00:00:00
wait p90          00:00:00  00:00:00  00:00:10
wait max          00:00:00  00:00:00  00:00:10

Not usable, no run time: 2 jobs, number 1, 2.
Not usable under lease asked, asked+1, no asked time: 1 job, number 5.
The log was not in order of submit time; its jobs were sorted.
Doubled: each further attempt at a job gets twice the lease of the one before.
Just at expiry: that second no longer belongs to the lease; one second more
would have done.
Nothing was accepted under a lease that was over, and every usable job is done.
"""


def test_the_table_has_a_column_for_each_run_and_notes_say_the_rest() -> None:
    assert [line.rstrip() for line in shown(runs("asked", "asked+1", "11")).splitlines()] == TABLE.splitlines()


def test_rows_that_say_nothing_are_left_out_but_never_those_of_late_completions() -> None:
    text = shown(runs("11"))
    assert "crashes" not in text and "heartbeats" not in text and "doubled" not in text
    assert "late, refused" in text and "late, accepted" in text


def test_columns_that_do_not_fit_beside_each_other_follow_below() -> None:
    text = shown(runs("asked", "asked+1", "11"), width=40)
    assert max(map(len, text.splitlines())) <= 40
    assert [line.split() for line in text.splitlines() if line.startswith("lease ")] == [
        ["lease", "asked", "asked+1"],
        ["lease", "11"],
    ]
    assert sum(line.startswith("makespan") for line in text.splitlines()) == 2


@pytest.mark.parametrize("width", [1, 10, 20, 30])
def test_on_a_very_narrow_terminal_words_stay_whole_as_for_40_columns(width: int) -> None:
    text = shown(runs("asked"), width=width)
    assert text == shown(runs("asked"), width=40)
    assert max(map(len, text.splitlines())) <= 40
    assert "…" not in text
    assert "Nothing was accepted under a lease that" in text and "late, accepted" in text


def test_colour_is_only_what_the_terminal_shows_and_marks_what_broke() -> None:
    broken = [run._replace(late_accepted=2) for run in runs("11")]
    coloured = shown(broken, color_system="standard", force_terminal=True)
    assert "\x1b[1;31mlate, accepted" in coloured
    assert "\x1b" not in shown(broken)
    assert "The contract is broken, lease 11: 2 accepted after the lease was over." in shown(broken)
    assert "Nothing was accepted" not in shown(broken)


def test_the_title_tells_every_setting_that_is_not_as_always() -> None:
    settings = SETTINGS._replace(workers=3, capacity=1000, renew=60, crash=0.25, queues=(2, 1, -1))
    title = " ".join(shown(runs("11", settings=settings), settings=settings).split("\n\n")[0].split())
    assert title == (
        "some.swf: 3 workers with 1,000 slots each; a heartbeat every 60 s; a crash in 0.25 of all attempts; "
        "most urgent first: queue 2, 1, unknown; seed 7"
    )


def test_waits_are_told_for_each_queue_where_queues_count() -> None:
    settings = SETTINGS._replace(queues=(1, 2))
    lines = shown(runs("11", settings=settings), settings=settings).splitlines()
    assert [line.split() for line in lines if "queue" in line and "max" in line] == [
        ["queue", "1", "max", "00:00:00"],
        ["queue", "2", "max", "00:00:10"],
    ]


def test_many_unusable_jobs_are_counted_and_the_first_of_them_named() -> None:
    many = [run._replace(unusable={"no run time": tuple(range(100, 1234))}) for run in runs("11")]
    text = " ".join(shown(many).split())
    assert "1,134 jobs, number 100, 101, 102, 103, 104, 105, 106, 107, ... (--json names all)." in text


def test_a_name_that_looks_like_markup_is_shown_as_it_is() -> None:
    output = StringIO()
    console = Console(file=output, width=80, markup=False, emoji=False)
    show(console, WORKLOAD._replace(name="[bold]:smile:.swf"), SETTINGS, runs("11"))
    assert output.getvalue().startswith("[bold]:smile:.swf: 1 worker")


def test_the_json_is_one_line_with_a_version_and_everything_by_name() -> None:
    text = as_json(WORKLOAD, SETTINGS, runs("asked", "11"))
    data = json.loads(text)
    assert "\n" not in text
    reported = data.pop("runs")
    assert data == {
        "version": 1,
        "workload": "some.swf",
        "was_sorted": False,
        "workers": 1,
        "capacity": 1,
        "seed": 7,
        "renew": None,
        "crash": 0.0,
        "queues": None,
    }
    assert [run["lease"] for run in reported] == ["asked", "11"]
    assert reported[0] == {
        "lease": "asked",
        "jobs": 1,
        "leases": 2,
        "completions": 1,
        "expiries": 1,
        "late_refused": 1,
        "late_at_expiry": 1,
        "late_accepted": 0,
        "live_refused": 0,
        "crashes": 0,
        "heartbeats": 0,
        "heartbeats_refused": 0,
        "doubled_leases": 1,
        "doubled_jobs": 1,
        "most_attempts": 2,
        "worked_seconds": 20,
        "wasted_seconds": 10,
        "utilisation": 0.5,
        "makespan_seconds": 20,
        "unusable": [
            {"reason": "no run time", "count": 2, "jobs": [1, 2]},
            {"reason": "no asked time", "count": 1, "jobs": [5]},
        ],
        "waits": [{"queue": None, "jobs": 1, "p50": 0, "p90": 0, "max": 0}],
    }


def test_times_and_shares_are_written_exactly() -> None:
    assert [clock(seconds) for seconds in (0, 59, 3600, 86399, 86400, 10**9)] == [
        *("00:00:00", "00:00:59", "01:00:00", "23:59:59", "1d 00:00:00", "11,574d 01:46:40"),
    ]
    assert [percent(share) for share in (None, 0.0, 0.1234, 1.0)] == ["-", "0.0 %", "12.3 %", "100.0 %"]
