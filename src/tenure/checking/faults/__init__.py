"""Faulty schedulers, each with one difference from the contract that its name tells; whoever checks must find them.

A fault is a small class in one of these modules, one module for each chapter of the contract. To try a check of your
own, let it judge each of them:

>>> from tenure.checking.faults import FAULTS
>>> scheduler = FAULTS["closed-interval"]()
>>> scheduler.add_worker("w1", capacity=1)
>>> scheduler.add_task()
1
>>> scheduler.dispatch("w1", now=0, duration=10).expiry
10
>>> scheduler.complete(1, 1, now=10), FAULTS["closed-interval"].breaks
(True, ('T4',))
"""

from __future__ import annotations

import re

from . import ending, forgetting, granting, identity, lifecycle, queries, refusal, time, values
from .base import Fault

__all__ = ["FAULTS", "Fault"]

CHAPTERS = (values, lifecycle, identity, time, refusal, granting, ending, queries, forgetting)


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


FAULTS: dict[str, type[Fault]] = {
    _kebab(fault.__name__): fault
    for chapter in CHAPTERS
    for fault in vars(chapter).values()
    if isinstance(fault, type) and issubclass(fault, Fault) and fault.breaks
}
"""Each fault by its name, in the order of the contract."""
