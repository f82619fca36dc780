"""The five systems: nothing is refuted, and nothing is unproven except what has no example."""

from collections.abc import Sequence

import pytest
from tests.prove.designs import TRIED

from sortkey import load_design
from sortkey.prove.runner import ASPECTS, Aspect, prove
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, ProofSettings
from sortkey.prove.verdict import ProofOutcome

pytestmark = [pytest.mark.acceptance, pytest.mark.first]

FEW = 10
SYSTEMS = ("agentcore", "commitcollect", "gymcoach", "oneonone", "shuttle")
# The result of a claim depends on which caller is first: it is proved safe, but has no one answer.
CLAIMS = {"take_event", "release_event"}
# The searches before deletions find none of the records that the system writes, or also those that
# have expired.
UNPROVEN = {
    ("commitcollect", True): {"unlisted_sessions", *CLAIMS},
    ("commitcollect", False): {"unlisted_sessions"},
    ("gymcoach", True): {"unfilled_items"},
    ("gymcoach", False): {"unfilled_items"},
    ("shuttle", True): {"searched_sessions"},
}
# These share an example of each pattern; test_invariants.py has what is "kept".
MEASURED = [aspect for aspect in ASPECTS if aspect not in TRIED and aspect.name != "kept"]


@pytest.mark.parametrize(
    ("aspects", "tries"),
    [
        pytest.param(TRIED, FEW, id="tried"),
        pytest.param(TRIED, QUICK, id="tried more", marks=pytest.mark.slow),
        pytest.param(MEASURED, QUICK, id="measured"),
    ],
)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_pattern_and_entity_of_a_system_is_proved(
    system: str, aspects: Sequence[Aspect], tries: int
) -> None:
    design = load_design(f"sortkey_systems.{system}.design")
    how = ProofSettings(0, tries, Strategies(design.modules))
    report = prove(design, how, aspects=aspects)

    assert list(report.of(ProofOutcome.REFUTED)) == []
    unproven = {verdict.subject: verdict.reason for verdict in report.of(ProofOutcome.UNPROVEN)}
    assert set(unproven) == UNPROVEN.get((system, aspects is TRIED), set()), unproven
    assert report.count(ProofOutcome.PROVED) == len(report.verdicts) - len(unproven)
