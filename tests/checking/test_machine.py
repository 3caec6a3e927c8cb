"""All representations agree, whatever is asked of them, and P1 to P9 hold in every state on the way."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from tenure.checking.machine import KINDS, AgreementMachine
from tenure.checking.representations import REPRESENTATIONS


class Agreement(AgreementMachine):
    """All of the table; what outlives its process is closed and opened again now and then."""

    starts = REPRESENTATIONS

    @rule(data=st.data(), kind=st.sampled_from([*KINDS, "restart"]))
    def step(self, data: st.DataObject, kind: str) -> None:
        """One call, or a few dispatches at one instant, or a restart."""
        getattr(self, kind)(data)

    def restart(self, _: st.DataObject) -> None:
        """Nothing that can be seen changes."""
        self.started = {name: each.reopen() if each.reopen else each for name, each in self.started.items()}
        before = self.seen
        assert self._agree_on_view("a restart", lambda expected, found: "O9") == before


TestAgreement = Agreement.TestCase
TestAgreement.settings = settings(
    max_examples=200,
    stateful_step_count=30,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
