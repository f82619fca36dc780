"""Settings: what a table is besides its keys, and the house standard that it keeps."""

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from sortkey import Alarms, DesignError, Export, Settings, Standard, Table, gsi, lsi

HOUSE = Standard(
    "house",
    project="desk-{environment}",
    table_name="{project}-{name}",
    key_names=("PK", "SK"),
    billing="on-demand",
    recovery=True,
    encryption="aws-managed",
    retained_in=frozenset({"prod"}),
    index_name="Index",
    index_key_names=("GSI{n}PK", "GSI{n}SK"),
    projection="ALL",
    ttl="ttl",
    prefixes=frozenset({"USER#"}),
    constants=frozenset({"CONFIG"}),
    exported_as="/{project}/{group}/{name}-table-name",
    grants_by_role=True,
)
NOTES = Export("desk", "notes", "Notes DynamoDB table name")


def test_a_table_stays_when_it_leaves_the_design_unless_an_environment_says_otherwise() -> None:
    assert Settings().removal_in("dev") == "retain"
    assert Settings(removal="destroy").removal_in("prod") == "destroy"
    mixed = Settings(removal={"dev": "destroy"})
    assert [mixed.removal_in(environment) for environment in ("dev", "prod")] == [
        "destroy",
        "retain",
    ]


@pytest.mark.parametrize("days", [0, 36])
def test_recovery_is_kept_for_one_to_thirty_five_days(days: int) -> None:
    with pytest.raises(DesignError, match=rf"SK111 .* recovery_days is {days}"):
        Settings(recovery_days=days)
    assert Settings(recovery_days=1).recovery_days == 1
    assert Settings(recovery_days=None).recovery_days is None


@pytest.mark.parametrize(
    "notify",
    [
        "desk@example.org",
        "",
        "desk",
        "arn:aws:sqs:eu-west-1:123456789012:desk",
        "arn:aws:sns:eu-west-1:desk",
        "arn:aws:sns:eu-west-1:123456789012:desk:0a1b",
    ],
)
def test_alarms_notify_nothing_but_a_topic(notify: str) -> None:
    with pytest.raises(DesignError, match=f'SK142 bad-topic at Alarms: notify is "{notify}"'):
        Alarms(notify=notify)


@pytest.mark.parametrize(
    "notify",
    [
        None,
        "arn:aws:sns:eu-west-1:123456789012:desk",
        "arn:aws-us-gov:sns:us-gov-west-1:123456789012:desk-alarms.fifo",
    ],
)
def test_alarms_notify_a_topic_by_its_arn_or_a_new_one(notify: str | None) -> None:
    assert Alarms(notify=notify).notify == notify


def test_a_ttl_is_set_only_where_one_is_named() -> None:
    assert Settings(ttl="a").with_ttl(None).ttl == "a"
    assert Settings(ttl="a").with_ttl("b").ttl == "b"


def test_a_standard_names_tables_and_parameters_by_environment() -> None:
    class Notes(Table, name=HOUSE.named("notes")):
        """What was noted."""

    assert Notes.definition.name_in("prod") == "desk-prod-notes"
    assert HOUSE.parameter_in("dev", NOTES) == "/desk-dev/desk/notes-table-name"


def test_a_standard_that_names_nothing_leaves_names_as_they_are() -> None:
    assert Standard("plain").table_name_in("prod", "notes") == "notes"
    assert Standard("plain").parameter_in("prod", NOTES) is None


def test_a_table_that_adopts_a_standard_has_its_settings() -> None:
    adopted = HOUSE.settings(exported=NOTES)

    assert (adopted.standard, adopted.exported) == (HOUSE, NOTES)
    assert (adopted.recovery_days, adopted.encryption) == (35, "aws-managed")
    assert [adopted.removal_in(each) for each in ("prod", "dev", "t7")] == [
        "retain",
        "destroy",
        "destroy",
    ]


def test_what_a_standard_leaves_open_is_as_a_new_table_has_it() -> None:
    plain = Standard("plain")

    assert plain.settings() == Settings(standard=plain)
    assert plain.settings().removal_in("dev") == "retain"


def test_an_ephemeral_table_is_not_restored_and_goes_everywhere() -> None:
    lost = HOUSE.settings(ephemeral=True)

    assert (lost.ephemeral, lost.recovery_days, lost.deletion_protection) == (True, None, False)
    assert [lost.removal_in(each) for each in ("prod", "dev")] == ["destroy", "destroy"]


def test_a_point_that_is_left_aside_has_its_reason() -> None:
    class Scores(
        Table,
        settings=HOUSE.settings(),
        ignore={"recovery": "nobody needs it after ten minutes", "SK421": "others read it"},
    ):
        top = gsi("GSI1PK", "GSI1SK", name="TopIndex", ignore={"index_key_names": "a number"})
        other = lsi("LSI1SK", ignore={"index_name": "as it was"})

    assert list(Scores.definition.points_left_aside) == [
        ("recovery", None, "nobody needs it after ten minutes"),
        ("index_key_names", "TopIndex", "a number"),
        ("index_name", "other", "as it was"),
    ]


@pytest.mark.parametrize("reason", ["", "  "])
def test_a_point_is_not_left_aside_without_a_reason(reason: str) -> None:
    with pytest.raises(DesignError, match=r"SK603 .* Scores.TopIndex: index_key_names is ignored"):

        class Scores(Table):  # pyright: ignore[reportUnusedClass]
            top = gsi("GSI1PK", "GSI1SK", name="TopIndex", ignore={"index_key_names": reason})


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"table_name": "{environment}"}, r"has no \{name\}, so two would have the same name"),
        ({"table_name": "{nmae}-{name}"}, r"a slot \{nmae\} that cannot be filled in"),
        ({"table_name": "{name"}, "is not a template"),
        ({"table_name": "{project}-{name}"}, "begins with a project, but the project has no name"),
        ({"project": "desk-{name}"}, r"a slot \{name\} that cannot be filled in"),
        ({"key_names": ("PK", "PK")}, "are not two names"),
        ({"key_names": ("PK", "")}, "are not two names"),
        ({"index_name": ""}, "no index can have a name"),
        ({"index_key_names": ("GSIPK", "GSI{n}SK")}, r"has no \{n\}"),
        ({"index_key_names": ("G{n}", "G{n}")}, "the same for partition and sort key"),
        ({"ttl": ""}, "its TTL attribute has no name"),
        ({"prefixes": frozenset({"USER"})}, "does not end in a delimiter"),
        ({"prefixes": frozenset({"#"})}, "does not end in a delimiter"),
        ({"prefixes": frozenset({""})}, "does not end in a delimiter"),
        ({"constants": frozenset({""})}, "a partition key cannot be empty"),
        ({"exported_as": "/{group}"}, r"has no \{name\}"),
    ],
)
def test_a_standard_that_no_table_could_keep_is_refused(said: dict[str, Any], fault: str) -> None:
    with pytest.raises(DesignError, match=rf'SK125 bad-standard at Standard "house": .*{fault}'):
        Standard("house", **said)


def test_a_standard_has_a_name() -> None:
    with pytest.raises(DesignError, match="SK125 bad-standard at Standard: it has no name"):
        Standard(" ")


def test_every_fault_of_a_standard_is_told_at_once() -> None:
    with pytest.raises(DesignError) as caught:
        Standard("house", table_name="x", prefixes=frozenset({"A", "B"}))

    assert len(caught.value.findings) == 3


@pytest.mark.parametrize(
    ("export", "fault"),
    [
        (("a/b", "notes", "Notes"), 'its group "a/b"'),
        (("desk", "", "Notes"), 'its name ""'),
        (("desk", "notes", " "), "it has no description"),
    ],
)
def test_an_export_has_a_path_and_a_description(export: tuple[str, str, str], fault: str) -> None:
    with pytest.raises(DesignError, match=f"SK125 bad-standard at Export: {fault}"):
        Export(*export)


def test_a_standard_cannot_be_changed_and_may_be_a_key() -> None:
    with pytest.raises(FrozenInstanceError):
        HOUSE.name = "other"  # pyright: ignore[reportAttributeAccessIssue]  # what is tested

    assert len({HOUSE, Standard("plain"), Standard("plain")}) == 2
