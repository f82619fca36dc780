"""The systems are what they say: nothing of them is refuted, and next to nothing is unproven."""

from collections.abc import Sequence

import pytest
from tests.prove.designs import TRIED

from sortkey import load_design
from sortkey.prove.runner import ASPECTS, Aspect, prove
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, Settings
from sortkey.prove.verdict import Outcome

pytestmark = pytest.mark.acceptance

SYSTEMS = ("agentcore", "commitcollect", "gymcoach", "oneonone", "shuttle")
# A claim goes to whoever comes first: that is explored, and found safe, but has no one answer.
CLAIMS = {("commitcollect", True): {"take_event", "give_back"}}
# These share an example of each pattern; test_invariants.py has what is "kept".
MEASURED = [aspect for aspect in ASPECTS if aspect not in TRIED and aspect.name != "kept"]


@pytest.mark.parametrize("aspects", [TRIED, MEASURED], ids=["tried", "measured"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_pattern_and_entity_of_a_system_is_proved(
    system: str, aspects: Sequence[Aspect]
) -> None:
    design = load_design(f"sortkey_systems.{system}.design")
    how = Settings(0, QUICK, Strategies(design.modules))
    report = prove(design, how, aspects=aspects)

    assert list(report.of(Outcome.REFUTED)) == []
    unproven = {verdict.subject: verdict.reason for verdict in report.of(Outcome.UNPROVEN)}
    assert set(unproven) == CLAIMS.get((system, aspects is TRIED), set()), unproven
    assert report.count(Outcome.PROVED) == len(report.verdicts) - len(unproven)
