"""Every table follows the standard, or gives a reason for each exception."""

import os
import re
import subprocess
import sys

import pytest

from sortkey import OnDemand, Table, load_design
from sortkey.check.load import loads
from sortkey.check.model import Model
from sortkey.design.tables.settings import Settings
from sortkey.design.tables.table import Attribute, Index
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.quotas import UserQuotas
from sortkey_systems.agentcore.design.sessions import SessionsMetadata
from sortkey_systems.agentcore.design.sign_in import OidcState
from sortkey_systems.agentcore.design.standard import STANDARD
from sortkey_systems.agentcore.design.summaries import UserCostSummary

DESIGN = load_design("sortkey_systems.agentcore.design")
GROUPS = {
    "user-quotas": "quota",
    "quota-events": "quota",
    "sessions-metadata": "cost-tracking",
    "user-cost-summary": "cost-tracking",
    "oidc-state": "auth",
    "assistants": "assistants",
}
INDEXES = {
    "user-quotas": ("TierLookupIndex", "SubjectIndex", "AssignmentTypeIndex"),
    "quota-events": ("TierEventIndex",),
    "sessions-metadata": ("UserTimestampIndex", "SessionLookupIndex"),
    "user-cost-summary": ("TopSpendersIndex",),
    "oidc-state": (),
    "assistants": ("OwnerStatusIndex", "EmailDomainIndex", "CreatedAtIndex"),
}
tables = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)


def settings(table: type[Table]) -> Settings:
    return table.definition.settings


def short(table: type[Table]) -> str:
    """Return the name of a table without that of the project."""
    return table.definition.name_in("prod").removeprefix("agentcore-prod-")


def test_the_design_adopts_the_standard_and_has_the_six_documented_tables() -> None:
    assert DESIGN.about.standard is STANDARD
    assert [short(table) for table in TABLES] == [*GROUPS]
    assert all(settings(table).standard is STANDARD for table in TABLES)


@tables
def test_a_table_has_string_keys_is_billed_on_demand_and_encrypted_with_the_managed_key(
    table: type[Table],
) -> None:
    assert table.definition.primary.attributes == (Attribute("PK", "S"), Attribute("SK", "S"))
    assert isinstance(settings(table).billing, OnDemand)
    assert settings(table).encryption == "aws-managed"


@tables
def test_a_table_can_be_restored_and_is_retained_in_production_unless_it_is_ephemeral(
    table: type[Table],
) -> None:
    own = settings(table)
    kept = table is not OidcState

    assert STANDARD.recovery
    assert own.ephemeral is not kept
    assert (own.recovery_days is not None) is kept
    assert own.removal_in("prod") == ("retain" if kept else "destroy")
    assert own.removal_in("dev") == "destroy"
    assert kept or "may be lost" in table.definition.doc


@tables
def test_a_tables_name_and_its_parameter_come_from_the_configuration(table: type[Table]) -> None:
    own, name = settings(table), short(table)

    assert table.definition.name_in("dev") == f"agentcore-dev-{name}"
    assert own.exported is not None
    group = GROUPS[name]
    path = STANDARD.parameter_in("prod", own.exported)
    assert path == f"/agentcore-prod/{group}/{name}-table-name"
    assert own.exported.description.endswith("DynamoDB table name")


def names_with(prefix: str) -> str:
    """Return the names in production, of a program that is started with this prefix."""
    script = (
        "from sortkey_systems.agentcore.design import TABLES\n"
        "from sortkey_systems.agentcore.design.standard import STANDARD\n"
        "for table in TABLES:\n"
        "    own = table.definition\n"
        "    print(own.name_in('prod'), STANDARD.parameter_in('prod', own.settings.exported))"
    )
    settings = {**os.environ, "AGENTCORE_PROJECT_PREFIX": prefix}
    command = [sys.executable, "-c", script]
    return subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout


def test_the_prefix_of_all_names_is_a_setting() -> None:
    names = names_with("chat").splitlines()

    assert names[0] == "chat-prod-user-quotas /chat-prod/quota/user-quotas-table-name"
    assert len(names) == len(TABLES)
    assert all(name.startswith("chat-prod-") and " /chat-prod/" in name for name in names)


def test_without_a_prefix_names_begin_with_that_of_the_system() -> None:
    assert names_with("").startswith("agentcore-prod-user-quotas /agentcore-prod/")


@tables
def test_indexes_have_the_documented_names_and_numbered_keys(table: type[Table]) -> None:
    indexes = table.definition.indexes

    assert tuple(indexes) == INDEXES[short(table)]
    for number, index in enumerate(indexes.values(), 1):
        assert index.name.endswith("Index")
        assert index.projection == "ALL"
        if "index_key_names" not in index.ignore:
            assert index.attributes == (Attribute(f"GSI{number}PK"), Attribute(f"GSI{number}SK"))


def test_top_spenders_are_sorted_by_a_number_and_the_design_says_why() -> None:
    index: Index = UserCostSummary.top_spenders_index

    assert index.attributes == (Attribute("GSI1PK"), Attribute("totalCostMicros", "N"))
    assert "the number totalCostMicros itself" in index.ignore["index_key_names"]


def test_the_design_says_that_all_costs_change_the_sum_of_one_month() -> None:
    hottest = [
        load.per_second
        for load in loads(Model(DESIGN))
        if load.index is UserCostSummary.top_spenders_index and load.limit == "writes"
    ]

    # Two sums for each of 20 costs a second, half of them in the month.
    assert sum(hottest) == 20


def test_a_redundant_index_is_kept_and_the_design_says_why() -> None:
    assert "it is documented" in SessionsMetadata.user_timestamp_index.ignore["SK421"]


@tables
def test_expiry_has_one_name_and_is_set_on_records_that_expire(table: type[Table]) -> None:
    expiring = {kind.name for kind in DESIGN.kinds_of(table) if kind.expires is not None}

    wanted = {
        "quota-events": {"QuotaEvent"},
        "sessions-metadata": {"CostRecord"},
        "oidc-state": {"SignInState"},
    }
    assert expiring == wanted.get(short(table), set())
    assert settings(table).ttl == ("ttl" if expiring else None)


@tables
def test_partitions_begin_with_a_prefix_or_are_a_constant_of_the_standard(
    table: type[Table],
) -> None:
    for kind in DESIGN.kinds_of(table):
        for key in kind.keys.values():
            text = key.partition[0].template.text
            found = re.match(r"[A-Z_]+#", text)
            named = text in STANDARD.constants or (found and found[0] in STANDARD.prefixes)
            is_exempt = table is UserQuotas and key.index == "SubjectIndex"
            assert named or is_exempt, (kind.name, text)


def test_subjects_carry_the_prefix_of_their_type() -> None:
    assert "the prefix of its type" in UserQuotas.subject_index.ignore["prefixes"]


def test_every_prefix_of_the_document_is_in_the_standard() -> None:
    documented = {"USER#", "SESSION#", "ROLE#", "QUOTA#", "TIMESTAMP#", "MESSAGE#"}

    assert documented <= STANDARD.prefixes
    assert "CONFIG" in STANDARD.constants


def test_grants_are_to_roles_and_the_quota_check_may_write_events() -> None:
    assert STANDARD.grants_by_role
    roles = {role.name: {pattern.name for pattern in role.patterns} for role in DESIGN.roles}

    assert {"add_event", "warn_once"} <= roles["quota-check"]
    assert not {"add_event", "warn_once"} & roles["quota-reader"]
