"""In Terraform, a global index is a resource of its own, and can be imported with its table."""

from dataclasses import replace
from typing import Any

import pytest
from tests.synth.outputs import DESIGNS, output, stack
from tests.synth.readers import terraform

from sortkey.synth.targets import TARGETS

INDEX = "aws_dynamodb_global_secondary_index"


def indexes(design: str) -> dict[str, dict[str, Any]]:
    """The global indexes of a folder by their names within it, in its order."""
    return {
        name: body
        for one in terraform.read(output("terraform", design, "prod")["tables.tf"])["resource"]
        for kind, named in one.items()
        if kind == INDEX
        for name, body in named.items()
    }


def test_a_change_of_one_index_changes_no_other_resource() -> None:
    own = stack("everything", "prod")
    [things, *others] = own.tables
    [changed] = [index for index in things.indexes if index.name == "OwnerIndex"]
    rest = tuple(index for index in things.indexes if index != changed)
    other = replace(things, indexes=(*rest, replace(changed, projection="ALL", included=())))

    before = terraform.read(output("terraform", "everything", "prod")["tables.tf"])["resource"]
    after = terraform.read(
        TARGETS["terraform"](replace(own, tables=(other, *others)))["tables.tf"]
    )["resource"]

    differs = [one for one in after if one not in before]
    assert [list(named) for one in differs for named in one.values()] == [["things_owner_index"]]
    assert [list(one) for one in differs] == [[INDEX]]


@pytest.mark.parametrize("design", DESIGNS)
def test_the_indexes_of_a_table_are_created_one_after_the_other(design: str) -> None:
    last: dict[str, str] = {}
    for name, body in indexes(design).items():
        table = body["table_name"]
        before = [f"${{{INDEX}.{last[table]}}}"] if table in last else None
        assert body.get("depends_on") == before
        last[table] = name


def test_no_table_has_an_attribute_that_only_a_global_index_has() -> None:
    text = output("terraform", "everything", "prod")["tables.tf"]
    tables = {table["name"]: table for table in terraform.resources(text, "aws_dynamodb_table")}

    things = {attribute["name"] for attribute in tables["things-prod-things"]["attribute"]}
    assert things == {"PK", "SK", "size"}
    assert all("global_secondary_index" not in table for table in tables.values())


def test_auto_scaling_of_an_index_ignores_its_capacity_and_waits_for_it() -> None:
    text = output("terraform", "everything", "prod")["tables.tf"]

    [lifecycle] = indexes("everything")["counters_count_index"]["lifecycle"]
    targets = [t["resource_id"] for t in terraform.resources(text, "aws_appautoscaling_target")]
    assert lifecycle["ignore_changes"] == ["provisioned_throughput"]
    assert any(f"${{{INDEX}.counters_count_index.index_name}}" in target for target in targets)


@pytest.mark.parametrize("design", DESIGNS)
def test_an_adopted_table_is_imported_with_all_of_its_global_indexes(design: str) -> None:
    own = stack(design, "prod")
    files = TARGETS["terraform"](replace(own, adopted=own.tables))

    imported = {each["id"]: each["to"] for each in terraform.read(files["imports.tf"])["import"]}
    expected = {
        name
        for table in own.tables
        for name in (table.name, *(f"{table.name},{i.name}" for i in table.global_indexes))
    }
    declared = {
        f"${{{kind}.{name}}}"
        for one in terraform.read(files["tables.tf"])["resource"]
        for kind, named in one.items()
        for name in named
    }
    assert imported.keys() == expected
    assert set(imported.values()) <= declared
    assert len({*imported.values()}) == len(imported)


def test_nothing_is_imported_unless_it_is_adopted() -> None:
    assert "import {" not in output("terraform", "everything", "prod")["imports.tf"]
