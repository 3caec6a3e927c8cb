"""What all tests share: each representation of a scheduler, started as new or where an earlier one left off."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator

import pytest

from tenure.checking.representations import REPRESENTATIONS, Started
from tenure.operations import Operations


@pytest.fixture(params=REPRESENTATIONS)
def start(request: pytest.FixtureRequest) -> Iterator[Callable[..., Operations]]:
    """Starts one representation, as often as wanted; whatever was started is checked when the test is over."""
    every: list[Started] = []

    def begin(*, now: int = 0, last_id: int = 0, last_token: int = 0) -> Operations:
        started = REPRESENTATIONS[request.param](now=now, last_id=last_id, last_token=last_token)
        every.append(started)
        return started.scheduler

    yield begin
    for started in every:
        started.check()


@pytest.fixture
def scheduler(start: Callable[..., Operations]) -> Operations:
    """A new scheduler of each representation."""
    return start()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where everything that a test may need is said to be there, a test that is skipped has failed."""
    report = yield
    if report.skipped and os.environ.get("TENURE_NO_SKIPS") and not item.get_closest_marker("may_skip"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but TENURE_NO_SKIPS is set: {report.longrepr}"
    return report
