"""The systems' patterns are measured on their generated data."""

import pytest
from benchmarks.figures import Series
from benchmarks.systems import SYSTEMS, PatternTimes, System, systems_table
from benchmarks.table import as_text

from sortkey import DB, Keyring, LocalKey
from sortkey.access.filling import fill


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_pattern_runs_for_the_first_user(system: System) -> None:
    people = list(system.generator.records(3))
    with DB.memory(*system.generator.TABLES, secrets=Keyring(LocalKey.new("k"))) as db:
        for records in people:
            fill(db, records)

        for question in system.questions.values():
            assert db(question(system.person(people[0]))) is not None


def test_the_table_has_the_ratio_of_both_sizes() -> None:
    measured = [PatternTimes("Shuttle", "shop", Series((40.0,)), Series((42.0,)))]

    assert "1.05 x" in as_text(systems_table(measured))
