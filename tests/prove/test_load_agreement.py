"""`check` and `prove` agree on the hottest keys, since both use the same calculation."""

from collections import defaultdict
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.prove.designs import design

from sortkey import Design, load_design
from sortkey.check.load import loads
from sortkey.check.model import Model
from sortkey.check.runner import check
from sortkey.prove import scale
from sortkey.prove.trial import ProofSettings
from sortkey.prove.verdict import ProofOutcome

SYSTEMS = ("agentcore", "commitcollect", "gymcoach", "oneonone", "shuttle")
SCANS = """
from sortkey import About, Expected

class Gates(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Scan(Entity, table=Gates, expected=Expected(count={count}, per_partition=100)):
    gate: str
    number: int
    state: str
    primary = Gates.primary.key("GATE#{{gate}}", "{{number:012d}}")
    by_state = Gates.gsi1.key("STATE#{{state}}", "{{number:012d}}")

@pattern("A ticket is scanned", rate="{rate}/s")
def scanned(gate: str, number: int) -> Op[Scan]:
    return Scan(gate=gate, number=number, state="in").create()

@pattern("Tickets that are in", rate="1/s")
def inside() -> Op[Page[Scan]]:
    return Scan.query(Scan.by_state, state="in").page(20)
"""


Units: TypeAlias = dict[tuple[str, str], float]


def in_check(of: Design) -> tuple[Units, set[str]]:
    """Return the units a second of each form of key, as the rules SK801 and SK802 add them up.

    Then the keys that only the names of fields let it take for hot, which is for information.
    """
    found: Units = defaultdict(float)
    by_name: set[str] = set()
    for load in loads(Model(of)):
        name = f"{load.index} {load.template}"
        if load.by_name:
            by_name.add(name)
        elif load.index.kind != "local":
            found[name, load.limit] += load.per_second
    return {place: round(units, 3) for place, units in found.items() if round(units, 3)}, by_name


def in_prove(of: Design) -> Units:
    """Return the units a second of each form of key, as the `scalable` verdicts have them."""
    found: Units = {}
    for place in scale.subjects(of):
        detail = scale.judge(place, of, ProofSettings()).detail
        assert isinstance(detail, scale.KeyScaling)
        found[place.name, "writes"] = round(detail.now.writes, 3)
        found[place.name, "reads"] = round(detail.now.reads, 3)
    return {place: units for place, units in found.items() if units}


@pytest.mark.parametrize("system", SYSTEMS)
def test_both_report_the_same_units_for_each_key_of_a_system(system: str) -> None:
    of = load_design(f"sortkey_systems.{system}.design")
    checked, by_name = in_check(of)
    proved = {place: units for place, units in in_prove(of).items() if place[0] not in by_name}

    assert checked
    assert checked == proved


@pytest.mark.parametrize(
    ("count", "rate", "hot"),
    [
        (1_000_000, 900, set[str]()),
        # Every request writes the same state, so one key of the index takes the whole load.
        (1_000_000, 1_100, {"Gates.gsi1"}),
        # Two partitions are expected, and each takes half.
        (200, 2_200, {"Gates.primary", "Gates.gsi1"}),
    ],
)
def test_both_find_the_same_keys_too_hot(
    tmp_path: Path, count: int, rate: int, hot: set[str]
) -> None:
    of = design(tmp_path, SCANS.format(count=count, rate=rate))
    verdicts = [scale.judge(place, of, ProofSettings()) for place in scale.subjects(of)]
    refuted = {v.subject.partition(" ")[0] for v in verdicts if v.outcome is ProofOutcome.REFUTED}
    errors = {
        finding.where
        for finding in check(of).open
        if finding.code in {"SK801", "SK802"} and finding.weight.value == "error"
    }

    assert refuted == errors == hot
