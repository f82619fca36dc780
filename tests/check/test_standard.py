"""A table is held to each point of the standard that it adopts, unless it says why not."""

import re

import pytest

from sortkey.check.examples import report_of
from sortkey.check.rules import RULES
from sortkey.design.acknowledging import PROVED_ASPECTS
from sortkey.design.tables.settings import POINTS

HOUSE = """
house = Standard(
    "house",
    project="app-{environment}",
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
    exported_as="/{project}/{group}/{name}",
    grants_by_role=True,
)
about = About(environments=("dev", "prod"), standard=house)
role = Role("all", [])
"""
KEPT = """
class Users(
    Table,
    name=lambda environment: f"app-{environment}-users",
    ttl="ttl",
    settings=Settings(
        encryption="aws-managed",
        removal={"dev": "destroy", "prod": "retain"},
        exported=Export("people", "users", "who there is"),
    ),
):
    by_mail = gsi("GSI1PK", "GSI1SK", name="MailIndex")

class User(Entity, table=Users):
    user_id: str
    mail: str
    ttl: TTL
    primary = Users.primary.key("USER#{user_id}", "USER")
    of_mail = Users.by_mail.key("USER#{mail}", "USER")
"""

DIFFERING = {
    "table_name": ("app-{environment}-users", "users-{environment}"),
    "key_names": ("    Table,\n", '    Table,\n    partition="pk",\n    sort="sk",\n'),
    "billing": (
        'encryption="aws-managed"',
        'encryption="aws-managed", billing=Provisioned(reads=1, writes=1)',
    ),
    "recovery": ('encryption="aws-managed"', 'encryption="aws-managed", recovery_days=None'),
    "encryption": ('encryption="aws-managed"', 'encryption="service"'),
    "removal": ('"dev": "destroy"', '"dev": "retain"'),
    "index_name": ("MailIndex", "ByMail"),
    "index_key_names": ('"GSI1PK", "GSI1SK"', '"GSI1PK", "GSI2SK"'),
    "ttl": ('ttl="ttl"', 'ttl="gone"'),
    "prefixes": ("USER#{mail}", "MAIL#{mail}"),
    "exported_as": ('exported=Export("people", "users", "who there is"),', ""),
}


def found(design: str) -> list[str]:
    return [f.message for f in report_of(design).open if f.code == "SK616"]


def test_a_table_that_keeps_it_is_silent() -> None:
    assert found(HOUSE + KEPT) == []


@pytest.mark.parametrize("point", DIFFERING)
def test_a_table_that_differs_in_one_point_is_found(point: str) -> None:
    design = KEPT.replace(*DIFFERING[point])
    if point == "ttl":
        design = design.replace("    ttl: TTL", "    gone: TTL")

    assert len(found(HOUSE + design)) == 1


def acknowledged(design: str, point: str) -> str:
    """The design with a reason why the table, or its index, does not keep the point."""
    ignore = f'ignore={{"{point}": "so it was"}}'
    if point in {"index_name", "index_key_names", "prefixes"}:
        return re.sub(r'(name="(MailIndex|ByMail)")', rf"\1, {ignore}", design)
    return design.replace("    settings=", f"    {ignore},\n    settings=")


@pytest.mark.parametrize("point", DIFFERING)
def test_a_point_is_acknowledged_and_an_idle_reason_found(point: str) -> None:
    design = acknowledged(KEPT.replace(*DIFFERING[point]), point)
    if point == "ttl":
        design = design.replace("    ttl: TTL", "    gone: TTL")
    idle = report_of(HOUSE + acknowledged(KEPT, point))

    assert found(HOUSE + design) == []
    assert [f.reason for f in report_of(HOUSE + design).acknowledged] == ["so it was"]
    assert [f.message for f in idle.open if f.code == "SK604"] == [
        f"{point} is ignored, but finds nothing here"
    ]


def test_a_reason_for_one_point_is_none_for_another() -> None:
    design = acknowledged(KEPT.replace(*DIFFERING["encryption"]), "recovery")

    assert len(found(HOUSE + design)) == 1


def test_a_table_acknowledges_for_its_indexes() -> None:
    design = KEPT.replace(*DIFFERING["prefixes"]).replace(
        "    settings=", '    ignore={"off-standard": "older"},\n    settings='
    )

    assert found(HOUSE + design) == []


def test_no_rule_has_the_name_of_a_point() -> None:
    assert POINTS.isdisjoint({rule.name for rule in RULES} | PROVED_ASPECTS)


def test_an_index_may_hold_less_and_not_more() -> None:
    narrow = HOUSE.replace('projection="ALL"', 'projection="KEYS_ONLY"')
    keys_only = KEPT.replace('name="MailIndex"', 'name="MailIndex", project="KEYS_ONLY"')

    assert found(HOUSE + keys_only) == []
    assert found(narrow + keys_only) == []
    assert len(found(narrow + KEPT)) == 1


def test_grants_by_role_want_roles() -> None:
    assert len(found(HOUSE.replace('role = Role("all", [])', "") + KEPT)) == 1


def test_an_ephemeral_table_is_neither_restored_nor_retained() -> None:
    lost = 'ephemeral=True, recovery_days=None, removal={"dev": "destroy", "prod": "destroy"}'
    design = KEPT.replace('removal={"dev": "destroy", "prod": "retain"}', lost)

    assert found(HOUSE + design) == []
