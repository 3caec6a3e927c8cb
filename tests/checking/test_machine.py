"""All representations agree, whatever is asked of them, and P1 to P9 hold in every state on the way."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tenure.checking.machine import agreement_machine
from tenure.checking.representations import REPRESENTATIONS

TestAgreement = agreement_machine(REPRESENTATIONS).TestCase
TestAgreement.settings = settings(
    max_examples=200,
    stateful_step_count=30,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
