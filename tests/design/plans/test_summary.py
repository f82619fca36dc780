"""A whole design is one JSON value."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

from sortkey import (
    Collection,
    Entity,
    Expected,
    Export,
    OnDemand,
    Settings,
    Standard,
    Table,
    gsi,
    load_design,
    refers,
)
from sortkey.design.declaring.design import design_of
from sortkey.design.plans.summary import SUMMARY_VERSION, summary_of
from sortkey.design.plans.value import plan_of

DESIGNS = Path(__file__).parents[1] / "designs"
SHOP = load_design(DESIGNS / "shop.py")
WAREHOUSE = load_design(DESIGNS / "warehouse.py")


def named(values: list[dict[str, Any]], name: str) -> dict[str, Any]:
    [found] = [value for value in values if value["name"] == name]
    return found


def table(table: type[Table]) -> dict[str, Any]:
    """Return the summary of one table."""
    module = ModuleType("made")
    vars(module)["T"] = table
    [value] = summary_of(design_of("made", [module]))["tables"]
    return value


def test_a_design_is_a_versioned_value_of_json() -> None:
    value = summary_of(WAREHOUSE)

    assert value["version"] == SUMMARY_VERSION
    assert list(value) == [
        "version",
        "design",
        "about",
        "tables",
        "entities",
        "collections",
        "patterns",
        "invariants",
        "roles",
        "findings",
    ]
    assert json.loads(json.dumps(value)) == value


def test_a_design_tells_its_tenant_and_environments() -> None:
    assert summary_of(SHOP)["about"] == {"tenant": "org_id", "environments": ["dev", "prod"]}


def test_patterns_have_their_plans() -> None:
    assert summary_of(SHOP)["patterns"] == plan_of(SHOP)["patterns"]


def test_a_table_has_its_names_keys_indexes_and_settings() -> None:
    assert named(summary_of(WAREHOUSE)["tables"], "Stock") == {
        "name": "Stock",
        "named": {"dev": "dev.Stock"},
        "partition": [{"name": "PK", "type": "S"}],
        "sort": [{"name": "SK", "type": "S"}],
        "indexes": [
            {
                "name": "gsi1",
                "kind": "global",
                "partition": [{"name": "GSI1PK", "type": "S"}],
                "sort": [{"name": "GSI1SK", "type": "S"}],
                "projection": "ALL",
            },
            {
                "name": "sizes",
                "kind": "global",
                "partition": [{"name": "GSI2PK", "type": "S"}],
                "sort": [{"name": "weight", "type": "N"}],
                "projection": ["shelf"],
            },
            {
                "name": "lsi1",
                "kind": "local",
                "partition": [{"name": "PK", "type": "S"}],
                "sort": [{"name": "LSI1SK", "type": "S"}],
                "projection": "KEYS_ONLY",
            },
        ],
        "billing": {
            "mode": "Provisioned",
            "reads": 5,
            "writes": 10,
            "most_reads": 50,
            "target_percent": 70,
        },
        "ttl": "expires",
        "recovery_days": 35,
        "encryption": "service",
        "deletion_protection": True,
        "removal": "retain",
        "table_class": "STANDARD",
        "alarms": {
            "throttled_requests": 1,
            "system_errors": 1,
            "user_errors": 100,
            "conditional_failures": 1000,
            "transaction_conflicts": 100,
            "consumed_percent": 80,
            "period_seconds": 300,
        },
        "dashboard": True,
    }


def test_a_table_tells_what_differs_from_what_is_usual() -> None:
    class Odd(
        Table,
        settings=Settings(
            billing=OnDemand(most_reads=100),
            recovery_days=None,
            tags={"team": "a"},
            standard=Standard("house"),
            exported=Export("desk", "odd", "Odd table"),
            removal={"dev": "destroy"},
            ephemeral=True,
        ),
        ignore={"ttl": "older than the standard"},
    ):
        """Odd."""

    value = table(Odd)

    assert (value["doc"], value["tags"], value["standard"]) == ("Odd.", {"team": "a"}, "house")
    assert (value["removal"], value["ephemeral"]) == ({"dev": "destroy"}, True)
    assert value["exported"] == {"group": "desk", "name": "odd", "description": "Odd table"}
    assert value["exemptions"] == [{"point": "ttl", "reason": "older than the standard"}]
    assert value["billing"] == {"mode": "OnDemand", "most_reads": 100}
    assert "recovery_days" not in value


def test_an_entity_has_its_fields_keys_and_marks() -> None:
    assert named(summary_of(SHOP)["entities"], "User") == {
        "name": "User",
        "table": "App",
        "fields": [
            {"name": "org_id", "type": "str"},
            {"name": "user_id", "type": "str"},
            {"name": "email", "type": "str | None", "optional": True, "marks": ["unique"]},
            {"name": "logins", "type": "int", "optional": True},
            {"name": "created", "type": "datetime", "optional": True, "marks": ["created"]},
            {"name": "rev", "type": "int", "optional": True, "marks": ["version"]},
        ],
        "keys": [
            {"name": "primary", "partition": ["ORG#{org_id}"], "sort": ["USER#{user_id}"]},
            {
                "name": "by_email",
                "index": "gsi1",
                "partition": ["EMAIL#{email}"],
                "sort": ["USER"],
                "sparse": True,
            },
        ],
    }


def test_an_entity_tells_what_is_expected_of_it_and_what_it_names() -> None:
    part = named(summary_of(WAREHOUSE)["entities"], "Part")

    assert part["doc"] == "Something on a shelf."
    assert part["expected"] == {
        "count": 1_000_000,
        "per_partition": 500,
        "size_bytes": 350,
        "hottest_share": 0.02,
    }
    assert part["relations"] == [{"field": "hall_id", "to": "Hall"}]
    assert named(part["keys"], "by_shelf")["expected"] == {"per_partition": 40}


def test_natural_keys_shards_and_immutable_records_are_told() -> None:
    entities = summary_of(WAREHOUSE)["entities"]
    move, scanned = named(entities, "Move"), named(entities, "Scanned")

    assert move["immutable"] is True
    assert named(move["keys"], "by_place")["partition"] == ["{country}", "{city}"]
    assert named(scanned["keys"], "newest")["shards"] == 4


def test_a_field_tells_the_name_that_it_is_stored_under() -> None:
    class App(Table):
        pass

    class User(Entity, table=App, stored=str.upper):
        name: str
        primary = App.primary.key("USER#{name}", "USER")

    module = ModuleType("made")
    vars(module)["User"] = User
    [value] = summary_of(design_of("made", [module]))["entities"]

    assert value["fields"] == [{"name": "name", "type": "str", "stored": "NAME"}]


def test_a_collection_has_its_members_and_where_they_are_found() -> None:
    assert summary_of(SHOP)["collections"] == [
        {
            "name": "OrgPage",
            "doc": "An organisation with all that belongs to it.",
            "table": "App",
            "members": [
                {"name": "org", "entity": "Org", "many": False},
                {"name": "users", "entity": "User", "many": True},
                {"name": "orders", "entity": "Order", "many": True},
            ],
            "partition": ["ORG#{org_id}"],
        }
    ]


def test_a_collection_of_an_index_names_it() -> None:
    class App(Table):
        gsi1 = gsi("GSI1PK")

    class User(Entity, table=App):
        name: str
        team: str
        primary = App.primary.key("USER#{name}", "USER")
        in_team = App.gsi1.key("TEAM#{team}")

    class Team(Collection, index=App.gsi1):
        users: list[User]

    module = ModuleType("made")
    vars(module)["Team"] = Team
    [value] = summary_of(design_of("made", [module]))["collections"]

    assert (value["index"], value["partition"]) == ("gsi1", ["TEAM#{team}"])
    assert "doc" not in value


def test_a_role_has_its_patterns() -> None:
    assert summary_of(SHOP)["roles"] == [
        {
            "name": "api",
            "patterns": ["user_by_email", "org_page", "count_login", "session"],
            "acts_for": "user_id",
        }
    ]


def test_an_entity_that_could_not_be_built_is_told_as_it_was_declared_with_its_findings() -> None:
    class Old(Table, raw=True):
        pass

    class Visit(Entity, table=Old, expected=Expected(count=5), relations=(refers("shop", object),)):
        """A visit."""

        shop: str
        paid: bool
        primary = Old.primary.key("VISIT#{paid}", "VISIT")

    module = ModuleType("made")
    vars(module)["Old"] = Old
    value = summary_of(design_of("made", [module]))

    assert value["tables"][0]["raw"] is True
    assert value["entities"] == [
        {
            "name": "Visit",
            "table": "Old",
            "doc": "A visit.",
            "unbuilt": True,
            "fields": [{"name": "shop", "type": "str"}, {"name": "paid", "type": "bool"}],
            "keys": [{"name": "primary", "partition": ["VISIT#{paid}"], "sort": ["VISIT"]}],
            "expected": {"count": 5},
            "relations": [{"field": "shop", "to": "object"}],
        }
    ]
    assert {"code", "name", "where", "message", "fix"} == value["findings"][0].keys()
    assert Visit.__name__ in value["findings"][0]["where"]
