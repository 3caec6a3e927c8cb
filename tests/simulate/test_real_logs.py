"""Real logs show what small ones can't; they are found in the folder that TENURE_TRACES names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tenure.simulate import swf
from tenure.simulate.choices import slots_for
from tenure.simulate.jobs import Workload, total
from tenure.simulate.play import play
from tenure.simulate.sizing import parse


def log(name: str) -> Workload:
    folder = os.environ.get("TENURE_TRACES")
    if not folder:
        pytest.skip("TENURE_TRACES does not name a folder of real workload logs")
    path = Path(folder) / name
    if not path.exists():
        pytest.skip(f"TENURE_TRACES has no {name}")
    return swf.read(str(path))


def test_sdsc_jobs_that_outran_the_time_they_asked_for_are_refused_and_all_jobs_are_done() -> None:
    workload = log("sdsc-sp2-sample.swf")
    run = play(workload, parse("asked"), workers=64)
    assert (run.jobs, total(run.unusable)) == (4606, 355)
    assert (run.doubled_jobs, run.late_refused, run.late_accepted) == (309, 314, 0)
    assert run.completions == run.jobs
    assert run.breaches == ()


def test_sdsc_with_express_jobs_first_lets_them_wait_less_than_others() -> None:
    run = play(log("sdsc-sp2-sample.swf"), parse("asked"), workers=7, queues=(1, 2, 3, 4, 5))
    waits = {wait.queue: wait for wait in run.waits}
    assert waits[1].p90 < waits[3].p90 < waits[5].p90
    assert run.breaches == ()


def test_hpc2n_and_nasa_jobs_are_all_done() -> None:
    for name, lease, jobs in (("hpc2n-sample.swf", "asked", 3145), ("nasa-ipsc-1993.swf.gz", "3600", 18239)):
        workload = log(name)
        run = play(workload, parse(lease), workers=slots_for(workload))
        assert run.completions == run.jobs == jobs
        assert run.breaches == ()


@pytest.mark.slow
def test_lcg_jobs_that_ran_exactly_as_long_as_they_asked_are_refused_and_one_second_more_accepts_them() -> None:
    workload = log("lcg-2005.swf.gz")
    asked, longer = (play(workload, parse(lease), workers=1977) for lease in ("asked", "asked+1"))
    assert (asked.jobs, asked.completions, asked.late_accepted) == (188041, 188041, 0)
    assert (asked.late_refused, asked.late_at_expiry, asked.doubled_jobs) == (2199, 2199, 2199)
    assert (longer.completions, longer.late_refused, longer.expiries) == (188041, 0, 0)
