"""Records are read back as stored, and no two share a key; a counterexample has at most two."""

from pathlib import Path

import pytest
from tests.prove.designs import design, proved, refuted, verdict

from sortkey.prove.verdict import ProofOutcome

AUDIT = """
class Audit(Table, raw={raw}):
    pass

class Event(Entity, table=Audit, identity=("event_id",)):
    user_id: str
    event_id: str
    at: datetime
    primary = Audit.primary.key("USER#{{user_id}}", "{key}")
"""


def test_an_identity_that_is_not_in_the_key_is_lost(tmp_path: Path) -> None:
    loaded = design(tmp_path, AUDIT.format(raw=True, key="AT#{at}"))

    found = refuted(loaded, "Event", "two records share the key USER#", records=2)

    assert found.counterexample is not None
    assert len(found.counterexample.wanted) == 2
    assert len(found.counterexample.found) == 1


def test_an_identity_that_is_in_the_key_is_kept(tmp_path: Path) -> None:
    proved(design(tmp_path, AUDIT.format(raw=False, key="AT#{at}#{event_id}")), "Event")


def test_two_entities_with_one_key_overwrite_each_other(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
class Old(Table, raw=True, type_attribute=None):
    pass

class User(Entity, table=Old):
    user_id: str
    primary = Old.primary.key("{user_id}", "PROFILE")

class Team(Entity, table=Old):
    team_id: str
    primary = Old.primary.key("{team_id}", "PROFILE")
""",
    )

    refuted(loaded, "User", "two records share the key", records=2)
    refuted(loaded, "Team", "two records share the key", records=2)


def test_a_constant_that_a_text_may_be_is_tried(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
class Old(Table, raw=True, type_attribute=None):
    pass

class Part(Entity, table=Old):
    thing_id: str
    name: str
    primary = Old.primary.key("THING#{thing_id}", "{name}")

class Thing(Entity, table=Old):
    number: str
    primary = Old.primary.key("THING#{number}", "METADATA")
""",
    )

    refuted(loaded, "Part", "two records share the key THING#", records=2)
    refuted(loaded, "Thing", "two records share the key THING#", records=2)


@pytest.mark.parametrize("kind", ["str", "int", "Annotated[int, Field(ge=10, le=999)]"])
def test_values_side_by_side_can_make_the_same_key(tmp_path: Path, kind: str) -> None:
    loaded = design(
        tmp_path,
        f"""
class Old(Table, raw=True):
    pass

class Pair(Entity, table=Old):
    one: {kind}
    two: {kind}
    primary = Old.primary.key("PAIR", "P#{{one}}{{two}}")
""",
    )

    refuted(loaded, "Pair", "two records share the key PAIR / P#", records=2)


def test_values_of_fixed_length_side_by_side_are_distinct(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
class Old(Table, raw=True):
    pass

class Pair(Entity, table=Old):
    one: Annotated[int, Field(ge=0, le=999)]
    two: date
    primary = Old.primary.key("PAIR", "P#{one:03d}{two:%Y%m%d}")
""",
    )

    proved(loaded, "Pair")


@pytest.mark.parametrize(
    "field",
    [
        "value: Decimal",
        "value: dict[str, list[int]]",
        "value: set[str] | None = None",
        "value: Annotated[str, secret]",
        "value: datetime",
        "value: bytes",
        "value: int | str",
        "value: TTL | None = None",
        "value: Version = 0",
        "value: Annotated[str | None, unique] = None",
    ],
)
def test_values_of_every_type_come_back(tmp_path: Path, field: str) -> None:
    loaded = design(
        tmp_path,
        f"""
class App(Table, ttl="value" if "TTL" in {field!r} else None):
    pass

class Thing(Entity, table=App):
    thing_id: str
    {field}
    primary = App.primary.key("THING#{{thing_id}}", "THING")
""",
    )

    proved(loaded, "Thing")


def test_a_value_that_is_read_back_differently_is_lost(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
from pydantic import AfterValidator

class App(Table):
    pass

class Thing(Entity, table=App):
    thing_id: str
    price: Annotated[int, AfterValidator(lambda price: price * 2)]
    primary = App.primary.key("THING#{thing_id}", "THING")
""",
    )

    refuted(loaded, "Thing", "a record is read back with different values", records=1)


def test_an_entity_without_a_valid_record_is_unproven(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
from pydantic import model_validator

class App(Table):
    pass

class Thing(Entity, table=App):
    thing_id: str
    primary = App.primary.key("THING#{thing_id}", "THING")

    @model_validator(mode="after")
    def _refuse(self):
        raise ValueError("never")
""",
    )

    found = verdict(loaded, "Thing", tries=5)

    assert found.outcome is ProofOutcome.UNPROVEN
    assert "no valid record could be generated" in found.reason


def test_an_entity_whose_key_uses_an_undeclared_field_is_unproven(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
class Old(Table, raw=True):
    pass

class Note(Entity, table=Old):
    user_id: str
    primary = Old.primary.key("USER#{user_id}", "NOTE#{note_id}")
""",
    )

    found = verdict(loaded, "Note", tries=5)

    assert found.outcome is ProofOutcome.UNPROVEN
    assert "its keys use note_id, which it does not declare" in found.reason
