"""P1 to P9, in every state and at every call of long walks."""

from __future__ import annotations

import pytest

from tenure import Lease, Status
from tenure.checking.representations import REPRESENTATIONS
from tenure.checking.views import view
from tenure.operations import PARAMETERS, QUERIES

from .situations import Start, busy, leased, ready, task_of
from .walks import Step, reached, walk

SEEDS = range(6)
LENGTH = 250


@pytest.fixture(scope="module", params=REPRESENTATIONS)
def steps(request: pytest.FixtureRequest) -> list[Step]:
    """The steps of some walks, one walk after another."""
    every = []
    for seed in SEEDS:
        started = REPRESENTATIONS[request.param]()
        every += walk(started.scheduler, seed, LENGTH)
        started.check()
    return every


def test_the_walks_meet_every_kind_of_answer(steps: list[Step]) -> None:
    """So that no property holds for want of cases. (P1, P2, P3, P4, P5, P6, P7, P8, P9)"""
    changing = PARAMETERS.keys() - set(QUERIES)
    fine = {step.operation for step in steps if not step.refused and not step.rejected}
    assert fine == changing
    assert {step.operation for step in steps if step.refused} == changing - {
        *("add_worker", "set_capacity", "add_task", "advance")
    }
    assert {step.operation for step in steps if step.rejected} == changing - {"forget", "forget_worker"}
    assert sum(len(step.before.leases) - len(reached(step).leases) for step in steps) > 50
    assert any(len(step.after.leases) > 3 for step in steps)
    assert any(task.attempts > 2 for step in steps for task in step.after.tasks)
    assert any(worker.held > worker.capacity for step in steps for worker in step.after.workers)


def test_running_means_exactly_one_lease(steps: list[Step]) -> None:
    """And pending or done means none. (P1)"""
    for step in steps:
        holders = [lease.task_id for lease in step.after.leases]
        for task in step.after.tasks:
            assert holders.count(task.id) == (task.status is Status.RUNNING)
            assert (task.lease in step.after.leases) == (task.lease is not None) == (task.status is Status.RUNNING)
        assert set(holders) <= {task.id for task in step.after.tasks}


def test_each_worker_holds_its_leases_and_none_is_taken_above_its_capacity(steps: list[Step]) -> None:
    """And the worker of each lease is known. (P2)"""
    for step in steps:
        holders = [lease.worker for lease in step.after.leases]
        assert set(holders) <= {worker.name for worker in step.after.workers}
        for worker in step.after.workers:
            assert worker.held == holders.count(worker.name)
            if step.operation == "dispatch" and isinstance(step.answer, Lease) and step.answer.worker == worker.name:
                assert worker.held <= worker.capacity


def test_each_lease_spans_the_present(steps: list[Step]) -> None:
    """Start < expiry, and start <= now < expiry. (P3)"""
    for step in steps:
        for lease in step.after.leases:
            assert lease.start < lease.expiry
            assert lease.start <= step.after.now < lease.expiry


def test_tokens_are_granted_in_increasing_order(steps: list[Step]) -> None:
    """Without a gap, so no two are equal. (P4)"""
    granted = [step.answer.token for step in steps if step.operation == "dispatch" and isinstance(step.answer, Lease)]
    starts = [index for index, token in enumerate(granted) if token == 1]
    assert len(starts) == len(SEEDS)
    for start, end in zip(starts, [*starts[1:], len(granted)], strict=True):
        assert granted[start:end] == list(range(1, end - start + 1))


def test_a_granted_dispatch_took_the_first_in_order(steps: list[Step]) -> None:
    """Of what is pending after time has passed. (P5)"""
    for step in steps:
        if step.operation == "dispatch" and isinstance(step.answer, Lease):
            pending = [task for task in reached(step).tasks if task.status is Status.PENDING]
            assert step.answer.task_id == min(pending, key=lambda task: (-task.priority, task.id)).id


def test_done_stays_done_and_what_a_call_does_not_concern_stays_as_it_is(steps: list[Step]) -> None:
    """All but its own task and worker are what time alone makes them. (P6)"""
    for step in steps:
        tasks, workers = ({item[0]: item for item in seen} for seen in (step.after.tasks, step.after.workers))
        own_task = step.answer.task_id if isinstance(step.answer, Lease) else step.arguments.get("task_id")
        own_worker = step.answer.worker if isinstance(step.answer, Lease) else step.arguments.get("worker")
        for task in reached(step).tasks:
            if task.status is Status.DONE:
                assert tasks.get(task.id) == (None if step.operation == "forget" and task.id == own_task else task)
            if task.id == own_task:
                own_worker = task.lease.worker if task.lease else own_worker
            else:
                assert tasks[task.id] == task
        for worker in reached(step).workers:
            assert worker.name == own_worker or workers[worker.name] == worker


def test_a_rejected_call_changes_nothing_and_a_refused_one_only_lets_time_pass(steps: list[Step]) -> None:
    """What is seen after it is what was, or what an advance would have left. (P7)"""
    for step in steps:
        if step.rejected:
            assert step.after == step.before, step
        elif step.refused or step.operation == "advance":
            assert step.after == reached(step), step


def test_a_task_has_at_most_one_live_lease(steps: list[Step]) -> None:
    """Whoever asks, and whenever. (P8)"""
    for step in steps:
        holders = [lease.task_id for lease in step.after.leases]
        assert len(holders) == len(set(holders))


def test_one_token_completes_at_most_once(steps: list[Step]) -> None:
    """Over the whole of each walk. (P8)"""
    completed: list[tuple[int, int]] = []
    for index, step in enumerate(steps):
        if index % LENGTH == 0:
            completed = []
        if step.operation == "complete" and step.answer is True:
            completed.append((step.arguments["task_id"], step.arguments["token"]))
            assert len(completed) == len(set(completed)) == len({token for _, token in completed})


@pytest.mark.parametrize("calls", [["complete", "complete"], ["release", "complete"], ["complete", "release"]])
def test_of_several_calls_with_one_token_only_the_first_counts(start: Start, calls: list[str]) -> None:
    """Done or given back, the lease is used up. (P8)"""
    scheduler = busy(start)
    answers = [getattr(scheduler, call)(1, 3, now=7) for call in calls]
    assert answers == [True, False]


def test_a_free_slot_is_never_refused_while_something_is_pending(steps: list[Step]) -> None:
    """And a refusal has one of three reasons. (P9)"""
    for step in steps:
        if step.operation == "dispatch" and step.refused:
            seen = reached(step)
            free = {worker.name for worker in seen.workers if worker.held < worker.capacity}
            assert step.arguments["worker"] not in free or not seen.counts.pending


@pytest.mark.parametrize("seed", SEEDS)
def test_advancing_to_the_greatest_expiry_leaves_no_lease(start: Start, seed: int) -> None:
    """So everything pending can be had again by a worker with room. (P9)"""
    scheduler = ready(start)
    walk(scheduler, seed, 60)
    ends = [lease.expiry for lease in scheduler.leases()]
    scheduler.advance(now=max(ends, default=scheduler.now))
    assert scheduler.leases() == ()
    assert scheduler.counts().running == 0
    scheduler.add_task()
    scheduler.add_worker("w9", 1)
    lease = leased(scheduler, "w9", now=scheduler.now, duration=1)
    assert task_of(scheduler, lease.task_id).lease == lease
    assert view(scheduler).next_expiry == lease.expiry
