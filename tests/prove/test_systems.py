"""The systems are what they say: nothing of them is refuted, and next to nothing is unproven."""

import pytest

from sortkey import load_design
from sortkey.prove.runner import ASPECTS, Aspect, prove
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, Settings
from sortkey.prove.verdict import Outcome

SYSTEMS = ("agentcore", "commitcollect", "gymcoach", "oneonone", "shuttle")
# A claim goes to whoever comes first: that is explored, and found safe, but has no one answer.
CLAIMS = {("commitcollect", "right"): {"take_event", "give_back"}}


@pytest.mark.parametrize("aspect", ASPECTS, ids=lambda aspect: aspect.name)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_pattern_and_entity_of_a_system_is_proved(system: str, aspect: Aspect) -> None:
    design = load_design(f"systems.{system}.design")
    how = Settings(0, QUICK, Strategies(design.modules))
    report = prove(design, how, aspects=[aspect])

    assert list(report.of(Outcome.REFUTED)) == []
    unproven = {verdict.subject: verdict.reason for verdict in report.of(Outcome.UNPROVEN)}
    assert set(unproven) == CLAIMS.get((system, aspect.name), set()), unproven
    assert report.count(Outcome.PROVED) == len(report.verdicts) - len(unproven)
