"""On a raw table an entity's faults are findings, even where no key can be made of it."""

import pytest

from sortkey import DesignError, Entity, Refused, Table, gsi
from sortkey.design.declaring.entity import kind_of


class Legacy(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class Milestone(Entity, table=Legacy):
    user_id: str
    milestone_id: str
    primary = Legacy.primary.key("USER#{user_id}", "MILESTONE#{milestone_id}")


class Award(Entity, table=Legacy):
    user_id: str
    milestone_id: str
    part_index: int
    primary = Legacy.primary.key("USER#{user_id}", "MILESTONE#{milestone_id}#AWARD#{part_index}")


class Badge(Entity, table=Legacy):
    user_id: str | None = None
    badge_id: str
    primary = Legacy.primary.key("USER#{user_id}", "MILESTONE#{badge_id}")


class Score(Entity, table=Legacy, name="SCORE"):
    user_id: str
    value: float
    primary = Legacy.primary.key("SCORES", "SCORE#{value}")
    by_user = Legacy.gsi1.key("USER#{user_id}", "SCORE")


class Signal(Entity, table=Legacy):
    user_id: str
    wave: complex
    primary = Legacy.primary.key("SIGNAL", "{user_id}")


class Trophy(Entity, table=Legacy):
    trophy_id: str
    primary = Legacy.primary.key("TROPHY#{user_id}", "TROPHY#{trophy_id}")
    by_user = Legacy.gsi1.key("TROPHIES#{user_id}", "{shelf}")


def found(where: str) -> list[str]:
    return [f.code for f in Legacy.definition.findings if f.where.startswith(where)]


def test_an_entity_whose_key_lies_or_collides_is_built_all_the_same() -> None:
    assert found("Milestone") == []
    assert found("Award") == ["SK201"]
    assert found("Badge") == ["SK103", "SK101"]
    assert [kind.name for kind in Legacy.definition.entities] == [
        *("Milestone", "Award", "Badge", "Trophy")
    ]
    assert Badge.get(user_id="u", badge_id="b").params()["Key"]["SK"] == {"S": "MILESTONE#b"}


def test_a_field_that_only_templates_name_is_one_finding_and_taken_for_a_text() -> None:
    kind = kind_of(Trophy)

    assert [(f.code, f.where) for f in Legacy.definition.findings if "Trophy" in f.where] == [
        ("SK200", "Trophy.primary.PK"),
        ("SK200", "Trophy.by_user.GSI1SK"),
    ]
    assert kind.lacking == {"user_id", "shelf"}
    assert kind.primary.partition[0].fields == ("user_id",)
    # One in an index only may be absent, so that nothing is said to need it.
    assert kind.required() == {"user_id", "trophy_id"}
    assert list(Trophy.model_fields) == ["trophy_id"]


def test_an_entity_without_a_key_is_kept_as_it_was_declared() -> None:
    score, signal = Legacy.definition.unbuilt

    assert score.model is Score
    assert score.name == "SCORE"
    assert score.keys["primary"].sort == ("SCORE#{value}",)
    assert list(score.keys) == ["primary", "by_user"]
    assert [finding.code for finding in score.findings] == ["SK200"]
    assert "which a key cannot contain" in str(score.findings[0])
    assert [finding.code for finding in signal.findings] == ["SK112"]


def test_its_findings_are_the_tables_too_and_told_once() -> None:
    assert found("Score") == ["SK200"]
    assert found("Signal") == ["SK112"]


def test_nothing_can_be_asked_of_it() -> None:
    with pytest.raises(Refused, match="Score belongs to no table, or to a raw one"):
        kind_of(Score)


def test_a_table_that_is_not_raw_raises_the_same_findings() -> None:
    class App(Table):
        pass

    with pytest.raises(DesignError) as refusal:

        class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
            order_id: str
            primary = App.primary.key("ORDER#{order}", "ORDER")

    assert [finding.code for finding in refusal.value.findings] == ["SK200"]
    assert App.definition.entities == App.definition.unbuilt == App.definition.findings == []
