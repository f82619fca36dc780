"""The systems are what they say: nothing of them is refuted."""

import pytest
from tests.prove.designs import TRIED

from sortkey import load_design
from sortkey.prove.runner import prove
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, Settings
from sortkey.prove.verdict import Outcome

SYSTEMS = {
    "systems.oneonone.design": set[str](),
    "systems.shuttle.design": set[str](),
    # Claims.
    "systems.commitcollect.design": {"take_event", "give_back"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_nothing_of_a_system_is_refuted(name: str) -> None:
    design = load_design(name)
    report = prove(design, Settings(0, QUICK, Strategies(design.modules)), aspects=TRIED)

    assert list(report.of(Outcome.REFUTED)) == []
    unmeant = {v.subject for v in report.of(Outcome.UNPROVEN) if "call" not in v.reason}
    assert unmeant == SYSTEMS[name]
    assert report.count(Outcome.PROVED) > 0.9 * len(report.verdicts)
