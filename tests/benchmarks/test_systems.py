"""The systems' patterns are measured on what their generators make."""

import pytest
from benchmarks.figures import Series
from benchmarks.systems import SYSTEMS, Asked, System, systems_table
from benchmarks.table import as_text

from sortkey import DB, Keyring, LocalKey
from sortkey.access.filling import fill


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_every_question_is_answered_about_the_first_person(system: System) -> None:
    people = list(system.generator.records(3))
    with DB.memory(*system.generator.TABLES, secrets=Keyring(LocalKey.new("k"))) as db:
        for records in people:
            fill(db, records)

        for question in system.questions.values():
            assert db(question(system.person(people[0]))) is not None


def test_what_many_others_cost_is_a_ratio() -> None:
    asked = [Asked("Shuttle", "shop", Series((40.0,)), Series((42.0,)))]

    assert "1.05 x" in as_text(systems_table(asked))
