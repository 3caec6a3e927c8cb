"""What comes of small workloads is what one works out by hand."""

from __future__ import annotations

import inspect
import re
from typing import Any, cast

import pytest

from tenure import Scheduler
from tenure.checking import properties
from tenure.checking.quick import QuickReference, QuickTask
from tenure.history import Event, from_line, perform, recorded, to_line
from tenure.operations import Operations
from tenure.simulate import play as playing
from tenure.simulate.choices import ordered_queues
from tenure.simulate.jobs import Job, Workload
from tenure.simulate.outcome import Run, Wait
from tenure.simulate.play import LAST, OutOfTime, play
from tenure.simulate.sizing import Sizing, parse
from tenure.simulate.synthetic import synthetic
from tenure.values import Lease

ASKED = parse("asked")


def workload(*jobs: tuple[int, int, int] | tuple[int, int, int, int]) -> Workload:
    """Jobs given by submit, run and asked time, and perhaps a queue."""
    made = [Job(i, *job) if len(job) == 4 else Job(i, *job, -1) for i, job in enumerate(jobs, 1)]
    return Workload("by hand", tuple(made), {}, was_sorted=True)


def figures(run: Run, names: str) -> list[Any]:
    return [getattr(run, name) for name in names.split()]


class Faulty:
    """A scheduler of which some operations answer otherwise."""

    def __init__(self, **operations: Any) -> None:
        self._scheduler = Scheduler()
        self._operations = operations

    def __getattr__(self, name: str) -> Any:
        if name in self._operations:
            return lambda *args, **kwargs: self._operations[name](self._scheduler, *args, **kwargs)
        return getattr(self._scheduler, name)


# -- the boundary (T4)


def test_a_job_that_runs_exactly_as_long_as_its_lease_is_refused_at_that_second() -> None:
    run = play(workload((0, 10, 10)), ASKED, workers=1)
    assert figures(run, "leases completions expiries late_refused late_at_expiry") == [2, 1, 1, 1, 1]
    assert figures(run, "doubled_leases doubled_jobs most_attempts") == [1, 1, 2]
    assert figures(run, "worked_seconds wasted_seconds makespan_seconds utilisation") == [20, 10, 20, 0.5]
    assert run.breaches == ()


def test_one_second_more_accepts_it() -> None:
    run = play(workload((0, 10, 10)), parse("asked+1"), workers=1)
    assert figures(run, "leases completions expiries late_refused late_at_expiry") == [1, 1, 0, 0, 0]
    assert figures(run, "worked_seconds wasted_seconds makespan_seconds utilisation") == [10, 0, 10, 1.0]


@pytest.mark.parametrize(("seconds", "late"), [(9, 1), (10, 1), (11, 0)])
def test_a_lease_of_fixed_seconds_has_the_same_boundary(seconds: int, late: int) -> None:
    run = play(workload((5, 10, -1)), Sizing(by_job=False, seconds=seconds), workers=1)
    assert figures(run, "late_refused late_accepted completions") == [late, 0, 1]
    assert run.late_at_expiry == (seconds == 10)


def test_jobs_without_a_run_time_of_their_own_are_done_where_they_start() -> None:
    run = play(workload((3, 0, 1), (3, 0, 1), (3, 0, 1)), ASKED, workers=1)
    assert figures(run, "leases completions expiries makespan_seconds utilisation") == [3, 3, 0, 0, None]


# -- late workers


def test_a_worker_goes_on_after_its_lease_is_over_and_its_report_is_refused() -> None:
    # w1 works [0, 30) under [0, 10); w2 works [10, 40) under [10, 30); w1 again [30, 60) under [30, 70).
    run = play(workload((0, 30, 10)), ASKED, workers=2)
    assert figures(run, "leases completions expiries late_refused late_at_expiry") == [3, 1, 2, 2, 0]
    assert figures(run, "doubled_leases doubled_jobs most_attempts") == [2, 1, 3]
    assert figures(run, "worked_seconds wasted_seconds makespan_seconds utilisation") == [90, 60, 60, 0.25]


def test_a_worker_that_is_late_takes_no_work_meanwhile() -> None:
    # w1 works at the first job [0, 30), [30, 60) and [60, 90), and only then at the second.
    run = play(workload((0, 30, 10), (5, 5, 6)), ASKED, workers=1)
    assert figures(run, "leases late_refused makespan_seconds") == [4, 2, 95]
    assert run.waits == (Wait(None, 2, 0, 85, 85),)


def test_a_worker_takes_as_many_jobs_at_once_as_its_capacity() -> None:
    jobs = workload(*[(0, 10, 11)] * 4)
    assert play(jobs, ASKED, workers=2, capacity=2).makespan_seconds == 10
    assert play(jobs, ASKED, workers=1, capacity=3).makespan_seconds == 20


# -- heartbeats (O6)


def test_heartbeats_within_the_lease_keep_it_alive_to_the_end() -> None:
    run = play(workload((0, 30, 10)), ASKED, workers=1, renew=9)
    assert figures(run, "leases completions expiries heartbeats heartbeats_refused") == [1, 1, 0, 3, 0]


def test_a_heartbeat_at_the_expiry_comes_too_late_and_is_the_last() -> None:
    # Refused at 10; works on to 30 and is refused; then, under [30, 50), heartbeats at 40 and 50 and done at 60.
    run = play(workload((0, 30, 10)), ASKED, workers=1, renew=10)
    assert figures(run, "leases expiries late_refused heartbeats heartbeats_refused") == [2, 1, 1, 2, 1]
    assert figures(run, "live_refused late_accepted makespan_seconds") == [0, 0, 60]


def test_a_heartbeat_renews_by_the_length_of_its_attempts_lease() -> None:
    events: list[Event] = []
    play(workload((0, 30, 10)), ASKED, workers=1, renew=8, scheduler=recorded(Scheduler(), events.append))
    renewals = [(event.arguments["now"], event.arguments["duration"]) for event in events if event.op == "renew"]
    assert renewals == [(0, 10), (8, 10), (16, 10), (24, 10)]
    play(workload((0, 30, 10)), ASKED, workers=1, renew=15, scheduler=recorded(Scheduler(), events.append))
    renewals = [(event.arguments["now"], event.arguments["duration"]) for event in events if event.op == "renew"]
    assert renewals[4:] == [(0, 10), (15, 10), (30, 20), (45, 20)]


def test_no_heartbeat_is_sent_when_the_work_is_done() -> None:
    assert play(workload((0, 10, 11)), ASKED, workers=1, renew=10).heartbeats == 0
    assert play(workload((0, 10, 11)), ASKED, workers=1, renew=5).heartbeats == 1


# -- crashes


def test_the_slot_of_a_crashed_attempt_is_free_once_its_lease_is_over() -> None:
    seen = set()
    for seed in range(40):
        run = play(workload((0, 100, 200)), ASKED, workers=1, crash=0.5, seed=seed)
        seen.add(run.crashes)
        assert figures(run, "leases expiries late_refused") == [run.crashes + 1, run.crashes, 0]
        assert run.makespan_seconds == 200 * (2**run.crashes - 1) + 100
        assert run.wasted_seconds <= 99 * run.crashes
    assert seen > {0, 1, 2}


def test_an_attempt_that_crashes_after_its_lease_leaves_its_slot_at_once() -> None:
    points = []
    for seed in range(100):
        run = play(workload((0, 100, 60)), ASKED, workers=1, crash=0.5, seed=seed)
        if (run.leases, run.crashes) == (2, 1):
            points.append(run.wasted_seconds)
            assert run.makespan_seconds == max(60, run.wasted_seconds) + 100
    assert min(points) < 60 < max(points)


def test_a_crashed_attempt_sends_no_heartbeat_after_its_crash() -> None:
    for seed in range(20):
        run = play(workload((0, 100, 200)), ASKED, workers=1, crash=0.5, seed=seed, renew=1)
        assert figures(run, "expiries heartbeats_refused") == [run.crashes, 0]
        assert run.heartbeats <= 99 + run.wasted_seconds


def test_equal_seeds_give_equal_results_and_others_do_not() -> None:
    jobs = synthetic(300, 0)
    runs = [play(jobs, ASKED, workers=5, crash=0.2, seed=seed, renew=60) for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_every_sizing_meets_the_same_crashes() -> None:
    jobs = synthetic(60, 0)
    crashes = {play(jobs, parse(lease), workers=5, crash=0.2, renew=1).crashes for lease in ("asked", "900", "60")}
    assert len(crashes) == 1 and crashes != {0}


def test_a_job_meets_the_same_crashes_where_others_can_not_be_used() -> None:
    alone = workload((0, 50, 0), (0, 100, 200))
    for seed in range(10):
        asked = play(alone, ASKED, workers=1, crash=0.5, seed=seed)
        fixed = play(alone._replace(jobs=alone.jobs[1:]), parse("200"), workers=1, crash=0.5, seed=seed)
        assert (asked.crashes, asked.wasted_seconds) == (fixed.crashes, fixed.wasted_seconds)


# -- doubling


def test_the_longest_job_under_the_shortest_lease_is_done() -> None:
    run = play(workload((2**40, 2**40, 1)), ASKED, workers=1)
    assert figures(run, "completions leases late_refused") == [1, 42, 41]  # 2**41 seconds are the 42nd lease


def test_simulated_time_that_runs_out_is_told_before_a_lease_no_longer_fits() -> None:
    with pytest.raises(OutOfTime, match="ran out with 1 of 2 jobs done"):
        play(workload((0, 10, 11), (LAST + 1, 10, 11)), ASKED, workers=1)
    with pytest.raises(OutOfTime, match="ran out with 0 of 1 job done"):
        play(workload((LAST + 1, 10, 11)), ASKED, workers=1)


# -- order and waits


def test_by_queue_the_most_urgent_goes_first_and_waits_are_told_for_each() -> None:
    jobs = workload((0, 10, 11, 1), (0, 10, 11, 2), (0, 10, 11, 3))
    run = play(jobs, ASKED, workers=1, queues=(3, 1, 2))
    assert run.waits == (Wait(None, 3, 10, 20, 20), Wait(3, 1, 0, 0, 0), Wait(1, 1, 10, 10, 10), Wait(2, 1, 20, 20, 20))


def test_without_priority_jobs_go_in_the_order_of_their_submits() -> None:
    run = play(workload((0, 10, 11, 2), (0, 10, 11, 1)), ASKED, workers=1)
    assert run.waits == (Wait(None, 2, 0, 10, 10),)


def test_a_wait_ends_with_the_first_lease_and_percentiles_are_waits_that_occurred() -> None:
    run = play(workload(*[(0, 10, 11)] * 10), ASKED, workers=1)
    assert run.waits == (Wait(None, 10, 40, 80, 90),)


def test_unlisted_queues_follow_ascending_and_the_unknown_one_is_last() -> None:
    jobs = workload(*[(0, 1, 2, queue) for queue in (5, -1, 0, 3, 9)])
    assert ordered_queues(jobs, ()) == (0, 3, 5, 9, -1)
    assert ordered_queues(jobs, (9, 7, 3)) == (9, 3, 0, 5, -1)


def test_the_utilisation_counts_idle_slots_and_the_makespan_starts_at_the_first_submit() -> None:
    run = play(workload((100, 10, 11), (105, 10, 11)), ASKED, workers=2)
    assert figures(run, "makespan_seconds utilisation") == [15, 20 / 30]


# -- what can't be used


def test_jobs_that_asked_for_no_time_are_named_where_the_lease_is_what_they_asked() -> None:
    jobs = workload((0, 10, 11), (0, 10, 0), (0, 10, -1))
    asked, fixed = play(jobs, ASKED, workers=1), play(jobs, parse("20"), workers=1)
    assert (asked.jobs, asked.unusable) == (1, {"no asked time": (2, 3)})
    assert (fixed.jobs, fixed.unusable) == (3, {})


def test_what_the_log_could_not_use_is_named_as_well() -> None:
    jobs = workload((0, 10, 0), (0, 10, 20))._replace(unusable={"no run time": (8, 9)})
    assert play(jobs, ASKED, workers=1).unusable == {"no run time": (8, 9), "no asked time": (1,)}


# -- what asks nothing but the scheduler


def test_a_history_of_everything_replays_with_equal_answers_on_a_fresh_scheduler() -> None:
    lines: list[str] = []

    def keep(event: Event) -> None:
        lines.append(to_line(event))

    jobs = synthetic(200, 2)
    settings: dict[str, Any] = {"workers": 4, "capacity": 2, "crash": 0.2, "renew": 50, "queues": (3, 1, 2)}
    run = play(jobs, parse("60"), scheduler=recorded(Scheduler(), keep), **settings)
    events = list(map(from_line, lines))
    scheduler = Scheduler()
    for event in events:
        assert perform(scheduler, event.op, event.arguments) == event
        asked_in_vain = event.op == "dispatch" and event.answer is None
        assert not asked_in_vain or scheduler.counts().pending == 0  # an idle slot is one that may take work
    assert scheduler.counts() == (0, 0, 200)
    assert run == play(jobs, parse("60"), **settings)
    granted = [event for event in events if event.op == "dispatch" and event.answer]
    assert run.leases == len(granted) == scheduler.counts().done + run.late_refused + run.crashes
    assert run.expiries == sum(len(event.answer) for event in events if event.op == "advance")


def test_the_simulation_never_looks_at_an_expiry_to_decide_something_itself() -> None:
    """It only doubts, and the rule by which it does stands among the properties."""
    assert re.findall(r"\.expiry\b|\.start\b", inspect.getsource(playing)) == []
    assert inspect.getsource(properties.is_late).count("lease.expiry") == 1


def test_every_representation_gives_the_same_figures(scheduler: Operations) -> None:
    jobs = synthetic(60, 4)
    settings: dict[str, Any] = {"workers": 3, "crash": 0.1, "renew": 90, "queues": (1, 2, 3)}
    assert play(jobs, parse("120"), scheduler=scheduler, **settings) == play(jobs, parse("120"), **settings)


def test_progress_is_told_from_none_to_all() -> None:
    told: list[tuple[int, int]] = []
    play(synthetic(1000, 0), ASKED, workers=10, on_progress=lambda done, jobs: told.append((done, jobs)))
    assert told == [(done, 1000) for done in range(0, 1001, 5)]


# -- schedulers that break the contract


def faulty(**operations: Any) -> Operations:
    return cast(Operations, Faulty(**operations))


def test_a_scheduler_that_accepts_a_late_completion_is_found() -> None:
    run = play(workload((0, 10, 10)), ASKED, workers=1, scheduler=faulty(complete=lambda *args, **kwargs: True))
    assert run.late_accepted == 1
    assert run.breaches == ("1 accepted after the lease was over", "1 completion beyond one a job")


def test_a_scheduler_that_accepts_a_late_heartbeat_is_found() -> None:
    real = Scheduler.renew

    def renew(scheduler: Scheduler, task_id: int, token: int, *, now: int, duration: int) -> object:
        renewed = real(scheduler, task_id, token, now=now, duration=duration)
        return renewed or Lease(task_id, "w1", token, 1, 0, now + duration, None)

    run = play(workload((0, 15, 10)), ASKED, workers=1, renew=10, scheduler=faulty(renew=renew))
    assert run.late_accepted == 1


class LateTask(QuickTask):
    """A lease is live at its expiry, too."""

    def lease_is_over(self, now: int = 0) -> bool:
        return self.lease is not None and now > self.lease.expiry


class Late(QuickReference):
    """A scheduler of such: whatever it answers, `advance` agrees with it."""

    new_task = LateTask


@pytest.mark.parametrize("lease", [ASKED, parse("10")])
def test_a_scheduler_that_takes_the_interval_for_closed_is_found_whatever_its_advance_says(lease: Sizing) -> None:
    run = play(workload((0, 10, 10), (50, 9, 10)), lease, workers=1, scheduler=Late())
    assert figures(run, "late_accepted completions expiries late_refused") == [1, 2, 0, 0]
    assert run.breaches == ("1 accepted after the lease was over",)


def test_a_heartbeat_accepted_at_the_expiry_is_found_whatever_advance_says() -> None:
    run = play(workload((0, 35, 10)), ASKED, workers=1, renew=10, scheduler=Late())
    assert figures(run, "late_accepted heartbeats completions") == [3, 3, 1]


def test_a_lease_is_late_by_its_latest_renewal() -> None:
    run = play(workload((0, 19, 10)), ASKED, workers=1, renew=9, scheduler=Late())
    assert figures(run, "late_accepted heartbeats") == [0, 2]


def test_a_lease_that_does_not_end_when_it_should_holds_nothing_up() -> None:
    run = play(workload((0, 30, 10)), ASKED, workers=1, scheduler=Late())
    assert figures(run, "late_refused completions") == [2, 1]
    assert play(workload((0, 9, 10)), ASKED, workers=1, crash=1.0, scheduler=Late()).breaches == ("1 job never done",)


def test_a_scheduler_that_refuses_what_is_live_is_found() -> None:
    refused = iter([False])

    def complete(scheduler: Scheduler, task_id: int, token: int, *, now: int) -> bool:
        return next(refused, None) is None and scheduler.complete(task_id, token, now=now)

    run = play(workload((0, 10, 20)), ASKED, workers=1, scheduler=faulty(complete=complete))
    assert figures(run, "live_refused late_refused completions") == [1, 0, 1]
    assert run.breaches == ("1 refused while the lease was live",)


def test_a_scheduler_that_refuses_a_heartbeat_of_a_live_lease_is_found() -> None:
    faults = iter([False, True])  # the first renewal is the one that sizes the lease

    def renew(scheduler: Scheduler, task_id: int, token: int, *, now: int, duration: int) -> object:
        return None if next(faults, False) else scheduler.renew(task_id, token, now=now, duration=duration)

    run = play(workload((0, 15, 20)), ASKED, workers=1, renew=10, scheduler=faulty(renew=renew))
    assert figures(run, "live_refused heartbeats_refused completions") == [1, 1, 1]


@pytest.mark.parametrize(("jobs", "said"), [(1, "1 job never done"), (2, "2 jobs never done")])
def test_a_scheduler_that_leaves_jobs_undone_is_found(jobs: int, said: str) -> None:
    idle = faulty(dispatch=lambda *args, **kwargs: None)
    assert play(workload(*[(0, 10, 20)] * jobs), ASKED, workers=1, scheduler=idle).breaches == (said,)


class EarlyTask(QuickTask):
    """Its lease is over one second too early."""

    def lease_is_over(self, now: int = 0) -> bool:
        return self.lease is not None and now >= self.lease.expiry - 1


class Early(QuickReference):
    """A scheduler of such tasks, whose `advance` tells them over as if all were well."""

    new_task = EarlyTask


def test_a_scheduler_that_ends_leases_too_early_is_found_whatever_its_advance_says() -> None:
    run = play(workload((0, 9, 10)), parse("10"), workers=1, scheduler=Early())
    assert (run.live_refused, run.late_refused, run.late_accepted) == (1, 0, 0)
    assert run.breaches == ("1 refused while the lease was live",)


def test_a_scheduler_that_never_keeps_a_lease_does_not_hold_the_simulation_for_ever() -> None:
    """With leases by job each begins with one second, which is over at once."""
    run = play(workload((0, 9, 10)), ASKED, workers=1, scheduler=Early())
    assert run.breaches == ("2 refused while the lease was live", "1 job never done")
