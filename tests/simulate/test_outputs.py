"""The pictures of a simulation: the drawing has every lease, the plot every figure, and neither destroys a file."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tenure.cli import main
from tenure.history import read
from tenure.simulate.drawn import HELD, PENDING, Drawn
from tenure.simulate.synthetic import text
from tenure.values import Lease

Ran = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ran(capsys: pytest.CaptureFixture[str]) -> Ran:
    """Runs `tenure simulate` in this process; gives the exit code, standard output and standard error."""

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["simulate", *arguments])
        assert isinstance(ended.value.code, int)
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.fixture
def log(tmp_path: Path) -> str:
    (tmp_path / "a.swf").write_text(text(80, 0))
    return str(tmp_path / "a.swf")


# -- the drawing


def test_each_lease_of_the_run_is_a_bar_that_says_how_it_ended(ran: Ran, log: str, tmp_path: Path) -> None:
    code, out, _ = ran(log, "--workers", "6", "--lease", "300", "--svg", str(tmp_path / "a.svg"), "--json")
    (run,) = json.loads(out)["runs"]
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    endings = Counter(re.findall(r'class="bar (\w+)', drawn))
    assert code == 0
    assert run["expiries"] > 5
    assert endings == {"completed": run["completions"], "expired": run["expiries"]}
    assert ET.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    assert "a.swf: 6 workers with 1 slot each; seed 0; lease 300" in drawn


def test_the_drawing_follows_the_history(ran: Ran, log: str, tmp_path: Path) -> None:
    """Bars are those that the recorded answers tell, and the lines beneath end where the history ends."""
    history, file = tmp_path / "h.jsonl", tmp_path / "a.svg"
    ran(log, "--workers", "3", "--capacity", "2", "--renew", "60", "--crash", "0.3", "--lease", "asked",
        "--history", str(history), "--svg", str(file))  # fmt: skip
    events = list(read(history.read_text().splitlines(), "h"))
    drawn = Drawn()
    for event in events:
        drawn.saw(event)
    drawing = drawn.drawing("it")
    granted = [event.answer for event in events if event.op == "dispatch" and event.answer is not None]
    assert [(bar.lane, bar.start) for bar in drawing.bars] == [(lease.worker, lease.start) for lease in granted]
    assert [lane.name for lane in drawing.lanes] == ["w1", "w2", "w3"]
    held, pending = drawing.series
    assert (held.name, held.most, pending.name) == (HELD, 6, PENDING)
    assert max(value for _, value in held.points) <= 6
    assert (held.points[-1][1], pending.points[-1][1]) == (0, 0)
    assert file.read_text(encoding="utf-8").count('class="bar ') == len(granted)


def test_a_lease_that_gets_its_length_as_it_is_granted_is_not_shown_as_renewed(ran: Ran, log: str) -> None:
    """The simulation knows how long a job's lease is to be only once it has the job."""
    drawn, lease = Drawn(), Lease(1, "w1", 1, 1, 5, 6)
    events = read(
        [
            '{"op": "add_worker", "worker": "w1", "capacity": 1, "answer": null}',
            '{"op": "add_task", "priority": 0, "answer": 1}',
            '{"op": "dispatch", "worker": "w1", "now": 5, "duration": 1, "answer": '
            '{"task_id": 1, "worker": "w1", "token": 1, "attempt": 1, "start": 5, "expiry": 6}}',
            '{"op": "renew", "task_id": 1, "token": 1, "now": 5, "duration": 30, "answer": '
            '{"task_id": 1, "worker": "w1", "token": 1, "attempt": 1, "start": 5, "expiry": 35}}',
            '{"op": "renew", "task_id": 1, "token": 1, "now": 20, "duration": 30, "answer": '
            '{"task_id": 1, "worker": "w1", "token": 1, "attempt": 1, "start": 5, "expiry": 50}}',
        ],
        "h",
    )
    for event in events:
        drawn.saw(event)
    (bar,) = drawn.drawing("it").bars
    assert bar.start == lease.start
    assert [phase.end for phase in bar.phases] == [35, 50]


# -- the plot


@pytest.mark.parametrize(("ending", "begins"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_the_plot_is_of_the_form_that_its_name_says(ending: str, begins: bytes, ran: Ran, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib isn't installed: pip install 'tenure[plot]'")
    file = tmp_path / f"p{ending}"
    code, _, _ = ran("--synthetic", "60", "--lease", "asked,600", "--priority", "queue", "--plot", str(file))
    assert code == 0
    assert file.read_bytes().startswith(begins)


def test_the_plot_shows_each_queue_and_what_each_lease_wasted(ran: Ran, log: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib isn't installed: pip install 'tenure[plot]'")
    from matplotlib import rc_context

    file = tmp_path / "p.svg"
    with rc_context({"svg.fonttype": "none"}):
        _, out, _ = ran(log, "--lease", "asked,300", "--priority", "queue", "--json", "--plot", str(file))
    shown = re.sub(r"\s+", " ", file.read_text(encoding="utf-8"))
    report = json.loads(out)
    for run in report["runs"]:
        assert f"{run['expiries']:,} expiries, {run['leases']:,} leases" in shown
        for queue in report["queues"]:
            assert f"queue {queue}, lease {run['lease']}" in shown


# -- what is refused


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--svg", "a.svg", "--lease", "asked,60"], "--svg holds one run: give one --lease, not asked,60"),
        (["--svg", "-"], "--svg needs a FILE: standard output is the report's"),
        (["--plot", ""], "--plot needs a FILE: nothing is given"),
        (["--plot", "p.jpg"], "--plot needs a FILE that ends with .png, .svg, .pdf, not 'p.jpg'"),
        (["--svg", "a.svg", "--plot", "./a.svg"], "--svg and --plot name the same FILE: give each its own"),
    ],
)
def test_what_can_not_be_written_is_a_mistake_of_usage(given: list[str], said: str, ran: Ran) -> None:
    code, out, err = ran("--synthetic", "5", *given)
    assert (code, out) == (2, "")
    assert err == f"tenure simulate: {said} (see tenure simulate --help)\n"


@pytest.mark.parametrize("option", ["--svg", "--plot", "--history"])
def test_a_folder_that_is_not_there_is_told_before_anything_runs(option: str, ran: Ran, tmp_path: Path) -> None:
    file = str(tmp_path / "no" / "p.svg")
    code, out, err = ran("--synthetic", "5", option, file)
    assert (code, out) == (3, "")
    assert err == f"tenure: {file}: can't be written: there is no such folder\n"


@pytest.mark.parametrize("option", ["--svg", "--plot"])
def test_a_picture_never_overwrites_the_log(option: str, ran: Ran, tmp_path: Path) -> None:
    log = tmp_path / "log.svg"
    log.write_text(text(5, 0))
    code, _, err = ran(str(log), option, str(log))
    assert code == 2
    assert f"{option} would overwrite the LOG" in err
    assert log.read_text() == text(5, 0)
