"""All claims in their order, and the weakened specs with the claims that they must not keep."""

from __future__ import annotations

from collections.abc import Iterator

from claim import Claim
from granting import dispatching, with_a_token
from inductive import at_the_start, kept_by_calls, swept_rightly
from later import going_on
from others import tasks_and_workers
from timing import rejected_and_refused, time
from weakened import WEAKENED, Weakened

PARTS = (
    *(at_the_start, swept_rightly, kept_by_calls, going_on),
    *(rejected_and_refused, time, dispatching, with_a_token, tasks_and_workers),
)


def all_claims() -> dict[str, Claim]:
    """Each claim by its name."""
    made = [claim for part in PARTS for claim in part()]
    by_name = {claim.name: claim for claim in made}
    assert len(by_name) == len(made), "two claims have one name"
    return by_name


def refusals() -> Iterator[tuple[Weakened, Claim]]:
    """Each weakened spec with the claim that is refused of it."""
    claims = all_claims()
    for spec in WEAKENED:
        yield spec, claims[spec.refuses]
