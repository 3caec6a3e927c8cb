"""How long a lease each attempt at a job is given."""

from __future__ import annotations

import re
from typing import NamedTuple

from .jobs import MOST, Job

LONGEST = 2 * MOST
"""No doubling goes beyond it: it outlasts every run time that a log may hold."""
FORMS = "asked, asked+SECONDS or SECONDS"
_FORM = re.compile(r"asked(?:\+([0-9]{1,40}))?|([0-9]{1,40})")


class Sizing(NamedTuple):
    """A first lease of `seconds`, or of what the job asked for and `seconds` more."""

    by_job: bool
    seconds: int

    @property
    def label(self) -> str:
        """As it is written: `asked`, `asked+60` or `3600`."""
        if not self.by_job:
            return str(self.seconds)
        return f"asked+{self.seconds}" if self.seconds else "asked"

    def usable(self, job: Job) -> bool:
        """Whether it gives the job a lease: only a job that asked for a time can be given the time asked."""
        return job.asked > 0 or not self.by_job

    def first(self, job: Job) -> int:
        """The seconds of the first attempt's lease."""
        return job.asked + self.seconds if self.by_job else self.seconds


def doubled(first: int, attempt: int) -> int:
    """Each further attempt is given twice the lease of the one before, so no job is tried for ever."""
    return min(first << min(attempt - 1, 64), max(first, LONGEST))


def parse(text: str) -> Sizing:
    """What the label says. Raises ValueError saying what is allowed."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"must be {FORMS}, not {text[:40]!r}")
    by_job = text.startswith("asked")
    sizing = Sizing(by_job, int(found[1] or found[2] or 0))
    least = 0 if by_job else 1
    if not least <= sizing.seconds <= MOST:
        raise ValueError(f"must have SECONDS from {least} to 2**40, not {text[:40]!r}")
    return sizing
