from importlib.util import find_spec

import pytest
from benchmarks.client_costs import (
    BLOCKING,
    CLIENTS,
    LOCAL,
    MEMORY,
    OPERATIONS,
    Costs,
    client_targets,
    clients_tables,
    embedded_targets,
)
from benchmarks.figures import Series
from benchmarks.table import as_text


@pytest.fixture
def costs() -> Costs:
    # Every rival costs five times as much as sortkey, except pydynox, which costs half.
    spent = {client.name: 500.0 if client.rival else 100.0 for client in CLIENTS}
    spent["pydynox"] = 50.0
    row = {name: Series((cost, cost, cost)) for name, cost in spent.items()}
    every = dict.fromkeys(OPERATIONS, row)
    return Costs(cpu=every, wall=every)


def test_every_client_has_its_program() -> None:
    for client in CLIENTS:
        assert find_spec(f"benchmarks.client_programs.{client.program}")


def test_every_peer_is_compared_with_a_client_that_is_measured() -> None:
    names = {client.name for client in CLIENTS}
    assert {client.rival for client in CLIENTS if client.rival} <= names


def test_each_peer_has_a_ratio_and_our_clients_have_none(costs: Costs) -> None:
    cpu, _ = clients_tables(costs)
    remarks = {row[0].figure: row[1].remark for row in cpu.rows}
    assert remarks["PynamoDB"] == "5.00 x"
    assert remarks[BLOCKING] == ""


def test_a_cheaper_peer_is_named_plainly(costs: Costs) -> None:
    for table in clients_tables(costs):
        assert "pydynox is cheaper than sortkey at get: 0.50 x" in as_text(table)


def test_the_tables_fit_80_columns(costs: Costs) -> None:
    for table in clients_tables(costs):
        assert max(map(len, as_text(table).splitlines())) <= 80


def test_a_target_is_missed_if_a_peer_is_cheaper(costs: Costs) -> None:
    kept = {target.promise: target.kept for target in client_targets(costs)}
    assert kept["get: CPU against boto3 client"]
    assert kept["get: CPU against boto3 resource"]
    assert kept["query of 100: CPU against PynamoDB"]
    assert kept["update, if: CPU against aiodynamo uvloop"]
    assert not kept["get: CPU against pydynox"]
    assert not kept["update, if: time against pydynox"]


def test_a_get_in_process_is_compared_with_boto3_by_wall_time() -> None:
    row = {MEMORY: Series((40.0,)), LOCAL: Series((800.0,))}
    [target] = embedded_targets(Costs(cpu={}, wall={"get": row}))
    assert target.figure == 20
    assert not target.kept
