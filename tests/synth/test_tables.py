"""The tables of each target's output are those of the design."""

import pytest
from tests.synth.outputs import DESIGNS, declared_in
from tests.synth.readers.declared import declared_by_the_design, made

from sortkey import Provisioned, Replica, Settings, Table, load_design
from sortkey.errors import Refused
from sortkey.synth.stack import stack_of
from sortkey.synth.tables import table_in

# What CDK writes down is a program: test_cdk.py runs it.
TARGETS = ["cloudformation", "terraform"]


@pytest.mark.parametrize("environment", ["dev", "prod"])
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("target", TARGETS)
def test_the_tables_of_an_output_are_made_as_the_design_makes_them(
    target: str, design: str, environment: str
) -> None:
    declared = declared_in(target, design, environment)
    tables = load_design(DESIGNS[design]).tables

    assert {name: made(table) for name, table in declared.items()} == {
        table.definition.name_in(environment): made(declared_by_the_design(table, environment))
        for table in tables
    }


def test_what_is_destroyed_with_its_stack_is_not_protected() -> None:
    design = load_design(DESIGNS["everything"])

    [things] = [t for t in stack_of(design, "dev").tables if t.id == "ThingsTable"]
    [kept] = [t for t in stack_of(design, "prod").tables if t.id == "ThingsTable"]

    assert (things.removal, things.deletion_protection) == ("destroy", False)
    assert (kept.removal, kept.deletion_protection) == ("retain", True)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (Settings(stream="KEYS_ONLY", replicas=(Replica("eu-west-1"),)), "change stream"),
        (Settings(encryption="arn:key", replicas=(Replica("eu-west-1"),)), "encrypted alike"),
        (Settings(replicas=(Replica("eu-west-1", key="arn:key"),)), "encrypted alike"),
        (Settings(billing=Provisioned(1, 1), replicas=(Replica("eu-west-1"),)), "most_writes"),
    ],
)
def test_what_no_replicated_table_can_be_is_refused(settings: Settings, why: str) -> None:
    class Replicated(Table, settings=settings):
        pass

    with pytest.raises(Refused, match=why):
        table_in(Replicated.definition, "prod")
