"""AgentCore's table standard, point by point, in what is written for its tables."""

import re
from functools import cache
from typing import Any

import pytest
from tests.synth.iam.requests import ARN
from tests.synth.outputs import output
from tests.synth.readers.cloudformation import template
from tests.synth.test_policies import granted, policy_of

from sortkey import load_design

TABLES = {
    "UserQuotasTable": "user-quotas",
    "QuotaEventsTable": "quota-events",
    "SessionsMetadataTable": "sessions-metadata",
    "UserCostSummaryTable": "user-cost-summary",
    "OidcStateTable": "oidc-state",
    "AssistantsTable": "assistants",
}
EPHEMERAL = "OidcStateTable"
LASTING = [name for name in TABLES if name != EPHEMERAL]
READS = {"BatchGetItem", "ConditionCheckItem", "GetItem", "Query", "Scan"}
WRITES = {"BatchWriteItem", "DeleteItem", "PutItem", "UpdateItem"}


@cache
def resources(environment: str = "prod") -> dict[str, Any]:
    return template(output("cloudformation", "agentcore", environment)["template.yaml"])[
        "Resources"
    ]


def properties(table: str, environment: str = "prod") -> dict[str, Any]:
    return resources(environment)[table]["Properties"]


@pytest.mark.parametrize("table", TABLES)
class TestEveryTable:
    def test_has_a_partition_key_pk_and_a_sort_key_sk_that_are_text(self, table: str) -> None:
        declared = properties(table)
        types = {a["AttributeName"]: a["AttributeType"] for a in declared["AttributeDefinitions"]}

        assert declared["KeySchema"] == [
            {"AttributeName": "PK", "KeyType": "HASH"},
            {"AttributeName": "SK", "KeyType": "RANGE"},
        ]
        assert (types["PK"], types["SK"]) == ("S", "S")

    def test_is_billed_by_request(self, table: str) -> None:
        assert properties(table)["BillingMode"] == "PAY_PER_REQUEST"

    def test_is_encrypted_with_the_key_that_aws_manages(self, table: str) -> None:
        assert properties(table)["SSESpecification"] == {"SSEEnabled": True, "SSEType": "KMS"}

    @pytest.mark.parametrize("environment", ["dev", "prod"])
    def test_is_named_by_the_project_and_its_short_name(self, table: str, environment: str) -> None:
        name = properties(table, environment)["TableName"]

        assert name == f"agentcore-{environment}-{TABLES[table]}"


@pytest.mark.parametrize("table", LASTING)
class TestEveryTableThatLasts:
    def test_is_restored_to_a_point_in_time(self, table: str) -> None:
        recovery = properties(table)["PointInTimeRecoverySpecification"]

        assert recovery["PointInTimeRecoveryEnabled"] is True

    def test_is_retained_in_production_and_destroyed_elsewhere(self, table: str) -> None:
        ends = {
            environment: (
                resources(environment)[table]["DeletionPolicy"],
                resources(environment)[table]["UpdateReplacePolicy"],
            )
            for environment in ("prod", "dev")
        }

        assert ends == {"prod": ("Retain", "Retain"), "dev": ("Delete", "Delete")}


@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_an_ephemeral_table_is_not_restored_and_is_destroyed_everywhere(environment: str) -> None:
    table = resources(environment)[EPHEMERAL]
    recovery = table["Properties"]["PointInTimeRecoverySpecification"]

    assert recovery == {"PointInTimeRecoveryEnabled": False}
    assert table["DeletionPolicy"] == "Delete"
    assert table["Properties"]["DeletionProtectionEnabled"] is False


def test_indexes_have_descriptive_names_numbered_keys_and_hold_everything() -> None:
    for table in TABLES:
        indexes = properties(table).get("GlobalSecondaryIndexes", [])
        for number, index in enumerate(indexes, 1):
            names = [key["AttributeName"] for key in index["KeySchema"]]

            assert re.fullmatch(r"[A-Z][A-Za-z]+Index", index["IndexName"])
            assert index["Projection"] == {"ProjectionType": "ALL"}
            if index["IndexName"] == "TopSpendersIndex":  # the exception that the design explains
                assert names == ["GSI1PK", "totalCostMicros"]
            else:
                assert names == [f"GSI{number}PK", f"GSI{number}SK"]


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("UserQuotasTable", ["TierLookupIndex"]),
        ("SessionsMetadataTable", ["UserTimestampIndex", "SessionLookupIndex"]),
    ],
)
def test_the_standard_s_own_examples_are_indexed_as_it_shows(table: str, names: list[str]) -> None:
    declared = properties(table)["GlobalSecondaryIndexes"]
    keys = {
        index["IndexName"]: [key["AttributeName"] for key in index["KeySchema"]]
        for index in declared
    }

    shown = {name: [f"GSI{n}PK", f"GSI{n}SK"] for n, name in enumerate(names, 1)}
    assert shown.items() <= keys.items()


def test_keys_begin_with_the_type_of_what_they_name() -> None:
    kinds = load_design("sortkey_systems.agentcore.design").kinds
    keys = [key for kind in kinds for key in kind.keys.values()]
    parts = [part for key in keys for part in (key.partition if key.index else key.parts)]
    templates = {str(part.template) for part in parts}

    assert {"USER#{user_id}", "SESSION#{session_id}", "CONFIG"} <= templates
    bare = {text for text in templates if not re.match(r"[A-Z][A-Z_]*(#|$)", text)}
    assert bare == {"{subject}"}  # a field that is such a text itself


def test_tables_that_expire_do_so_by_one_attribute_named_ttl() -> None:
    expiring = {
        table: properties(table)["TimeToLiveSpecification"]
        for table in TABLES
        if "TimeToLiveSpecification" in properties(table)
    }

    assert expiring == {
        "QuotaEventsTable": {"AttributeName": "ttl", "Enabled": True},
        "SessionsMetadataTable": {"AttributeName": "ttl", "Enabled": True},
        "OidcStateTable": {"AttributeName": "ttl", "Enabled": True},
    }


@pytest.mark.parametrize(
    ("table", "group"),
    [
        ("UserQuotasTable", "quota"),
        ("QuotaEventsTable", "quota"),
        ("SessionsMetadataTable", "cost-tracking"),
        ("UserCostSummaryTable", "cost-tracking"),
        ("OidcStateTable", "auth"),
        ("AssistantsTable", "assistants"),
    ],
)
def test_names_are_exported_as_parameters_with_a_description(table: str, group: str) -> None:
    parameter = resources()[f"{table}NameParam"]

    assert parameter["Type"] == "AWS::SSM::Parameter"
    assert parameter["Properties"]["Name"] == (
        f"/agentcore-prod/{group}/{TABLES[table]}-table-name"
    )
    assert parameter["Properties"]["Value"] == {"Ref": table}
    assert parameter["Properties"]["Description"].endswith("DynamoDB table name")


def actions(role: str) -> dict[str, set[str]]:
    """Return the actions of a role on each table, including its indexes."""
    found: dict[str, set[str]] = {}
    for action, resource in granted(policy_of("agentcore", role)):
        table = resource.removeprefix(f"{ARN}agentcore-prod-").partition("/")[0]
        found.setdefault(table, set()).add(action.removeprefix("dynamodb:"))
    return found


@pytest.mark.parametrize("role", ["quota-reader", "cost-reader", "assistant-reader"])
def test_a_role_that_reads_is_granted_no_write(role: str) -> None:
    granted_to = actions(role)

    assert granted_to
    assert all(allowed <= READS for allowed in granted_to.values())


@pytest.mark.parametrize(
    ("role", "written"),
    [
        # An override is recorded as an event, in its own transaction.
        ("quota-admin", {"user-quotas", "quota-events"}),
        ("quota-check", {"quota-events"}),
        ("chat", {"sessions-metadata", "user-cost-summary"}),
        ("sign-in", {"oidc-state"}),
        ("assistant-builder", {"assistants"}),
    ],
)
def test_a_role_that_writes_is_granted_that_on_its_own_tables_alone(
    role: str, written: set[str]
) -> None:
    assert {table for table, allowed in actions(role).items() if allowed & WRITES} == written
