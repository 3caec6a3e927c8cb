"""The synthetic workload is what its number and seed make it, and has what real ones have."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tenure.simulate import swf
from tenure.simulate.choices import slots_for
from tenure.simulate.jobs import Job, Workload
from tenure.simulate.synthetic import synthetic, text

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "synthetic.swf"


def test_the_shipped_example_is_exactly_what_the_command_in_its_header_prints() -> None:
    command = [sys.executable, "-m", "tenure.simulate.synthetic", "200", "--seed", "1"]
    shipped = EXAMPLE.read_text()
    assert "python -m tenure.simulate.synthetic 200 --seed 1\n" in shipped
    assert "SYNTHETIC" in shipped
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == shipped


@pytest.mark.parametrize("count", ["-5", "0", "1000001", "five", "9" * 5000])
def test_a_count_out_of_bounds_is_refused_in_one_line(count: str) -> None:
    command = [sys.executable, "-m", "tenure.simulate.synthetic", count]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = f"argument count: must be a whole number from 1 to 1,000,000, not {count[:40]!r} (see --help)\n"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"python -m tenure.simulate.synthetic: {said}"


def test_the_name_counts_one_job_as_one() -> None:
    assert [synthetic(count, 0).name for count in (1, 1000)] == ["1 synthetic job", "1,000 synthetic jobs"]


def test_the_text_reads_back_as_the_same_jobs(tmp_path: Path) -> None:
    (tmp_path / "a.swf").write_text(text(500, 3))
    log = swf.read(str(tmp_path / "a.swf"))
    assert log.jobs == synthetic(500, 3).jobs
    assert log.was_sorted and not log.unusable


def test_the_seed_alone_determines_the_jobs_and_fewer_are_the_first_of_more() -> None:
    assert synthetic(100, 5).jobs == synthetic(200, 5).jobs[:100]
    assert synthetic(100, 5).jobs != synthetic(100, 6).jobs


def test_the_workload_has_ties_a_heavy_tail_round_times_exact_and_outrunning_jobs_and_three_queues() -> None:
    jobs = synthetic(1000, 0).jobs
    runs = sorted(job.run for job in jobs)
    assert len(jobs) == 1000
    assert sum(a.submit == b.submit for a, b in pairwise(jobs)) > 200
    assert sum(runs[-100:]) > sum(runs[:900])
    assert all(job.asked % 60 == 0 and job.asked > 0 for job in jobs)
    assert 20 < sum(job.run == job.asked for job in jobs) < 70
    assert 10 < sum(job.run > job.asked for job in jobs) < 60
    assert {job.queue for job in jobs} == {1, 2, 3}


def test_by_default_slots_are_as_many_as_the_jobs_keep_four_fifths_busy() -> None:
    def workload(*jobs: Job) -> Workload:
        return Workload("", jobs, {}, was_sorted=True)

    assert slots_for(workload(*[Job(i, i * 10, 40, 0, 0) for i in range(101)])) == 6  # 4040 / (1000 * 0.8)
    assert slots_for(workload(Job(1, 5, 100, 0, 0), Job(2, 5, 100, 0, 0))) == 2  # never more than jobs
    assert slots_for(workload(Job(1, 5, 0, 0, 0))) == 1
