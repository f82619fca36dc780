"""The systems are what they say: nothing of them is refuted."""

import pytest
from tests.prove.designs import TRIED

from sortkey import load_design
from sortkey.prove.runner import ASPECTS, prove
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


MEASURED = [aspect for aspect in ASPECTS if aspect not in TRIED]
# Their values belong together in ways that types do not tell.
UNHIT = {
    "systems.agentcore.design": {
        "add_state",
        "consume_state",
        "SignInState",
        "assignments_of_app_role",
        "assignments_of_role",
        "assignments_of_domain",
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["agentcore", "commitcollect", "gymcoach", "oneonone", "shuttle"])
def test_every_system_is_affordable_scalable_and_safe(name: str) -> None:
    module = f"systems.{name}.design"
    design = load_design(module)
    report = prove(design, Settings(0, QUICK, Strategies(design.modules)), aspects=MEASURED)

    assert list(report.of(Outcome.REFUTED)) == []
    unproven = {verdict.subject for verdict in report.of(Outcome.UNPROVEN)}
    assert unproven <= UNHIT.get(module, set()), unproven
