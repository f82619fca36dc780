"""A table is held to each point of the standard that it adopts, unless it says why not."""

import pytest

from sortkey.check.examples import report_of

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
    return [f.finding.message for f in report_of(design).open if f.finding.code == "SK616"]


def test_a_table_that_keeps_it_is_silent() -> None:
    assert found(HOUSE + KEPT) == []


@pytest.mark.parametrize("point", DIFFERING)
def test_a_table_that_differs_in_one_point_is_found(point: str) -> None:
    design = KEPT.replace(*DIFFERING[point])
    if point == "ttl":
        design = design.replace("    ttl: TTL", "    gone: TTL")

    assert len(found(HOUSE + design)) == 1


@pytest.mark.parametrize("point", DIFFERING)
def test_an_exemption_is_taken_and_an_idle_one_found(point: str) -> None:
    index = 'index="{}"'.format("ByMail" if point == "index_name" else "MailIndex")
    of_index = f", {index}" if point in {"index_name", "index_key_names", "prefixes"} else ""
    exempt = f'exemptions=(Exemption("{point}", "so it was"{of_index}),),\n        removal={{'
    design = KEPT.replace(*DIFFERING[point]).replace("removal={", exempt)
    if point == "ttl":
        design = design.replace("    ttl: TTL", "    gone: TTL")
    idle = KEPT.replace("removal={", exempt.replace("ByMail", "MailIndex"))

    assert found(HOUSE + design) == []
    assert len(found(HOUSE + idle)) == 1
    assert found(HOUSE + idle)[0].startswith(f'it is exempt from "{point}"')


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
