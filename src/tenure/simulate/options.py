"""What each option of `tenure simulate` may be; a refusal says what was given and what is allowed."""

from __future__ import annotations

import re

import click

from ..commands import Given, whole
from .jobs import MOST
from .sizing import FORMS, Sizing, parse

MOST_CRASHES = 0.9
"""Of all attempts, the share that may fall silent."""

seconds = whole(1, MOST, "2**40")


def probability(context: click.Context, parameter: click.Parameter, given: str) -> float:
    """A number from 0 to what still lets a run end soon."""
    try:
        value = float(given)
    except ValueError:
        value = -1.0
    if not 0 <= value <= MOST_CRASHES:
        why = ": the nearer to 1, the more attempts each job takes, beyond all bounds" if value > MOST_CRASHES else ""
        raise click.BadParameter(f"must be a number from 0 to {MOST_CRASHES}, not {given[:40]!r}{why}")
    return value


def sizings(context: click.Context, parameter: click.Parameter, given: str) -> tuple[Sizing, ...]:
    """Sizings of leases, separated by commas, no two the same."""
    found: list[Sizing] = []
    for label in given.split(","):
        if not label.strip():
            where = f" between the commas of {given[:40]!r}" if "," in given else ""
            raise click.BadParameter(f"must be {FORMS}, and nothing is given{where}")
        try:
            sizing = parse(label.strip())
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
        if sizing in found:
            raise click.BadParameter(f"must not list {sizing.label} twice")
        found.append(sizing)
    return tuple(found)


def queues(context: click.Context, parameter: click.Parameter, given: Given) -> tuple[int, ...]:
    """Numbers of queues, separated by commas, no two the same."""
    found: list[int] = []
    for label in given.split(",") if given is not None else ():
        if not re.fullmatch(r"-?[0-9]{1,12}", label.strip(), re.ASCII):
            raise click.BadParameter(f"must be numbers of queues such as 1,2,3, not {(given or '')[:40]!r}")
        if int(label) in found:
            raise click.BadParameter(f"must not list queue {int(label)} twice")
        found.append(int(label))
    return tuple(found)
