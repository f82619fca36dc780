import sys
from pathlib import Path

import pytest
from benchmarks.client_costs import Client
from benchmarks.client_programs.order import Order, fields
from benchmarks.clients import client_environment, started
from benchmarks.peers import PeerError

from benchmarks import clients
from sortkey.design.records.codecs import record_codec
from sortkey.wire.values import read_item

SORTKEY = Client("sortkey", "sortkey_client")


@pytest.fixture(autouse=True)
def own_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    # sortkey's own programs need only what is installed here.
    monkeypatch.setattr(clients, "client_python", lambda: Path(sys.executable))


def test_a_program_fills_its_table_checks_its_results_and_reports_the_cost_of_each_operation(
    tmp_path: Path,
) -> None:
    with started(SORTKEY, "memory", tmp_path) as program:
        for operation in ("get", "put", "update", "query"):
            costs = program.costs(operation, 0.01)
            assert costs["cpu"] > 0
            assert 0 < costs["wall"] < 1e6


def test_an_awaited_client_is_measured_the_same_way(tmp_path: Path) -> None:
    with started(Client("sortkey async", "sortkey_client", "asyncio"), "memory", tmp_path) as one:
        assert one.costs("get", 0.01)["cpu"] > 0


def test_the_error_of_a_failed_program_has_its_output(tmp_path: Path) -> None:
    broken = Client("broken", "no_such_program")
    with (
        pytest.raises(PeerError, match=r"(?s)broken failed at `fill`.*no_such_program"),
        started(broken, "memory", tmp_path),
    ):
        pass


def test_clients_see_no_credentials_but_the_benchmarks_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    surroundings = client_environment()
    assert "AWS_PROFILE" not in surroundings
    assert surroundings["AWS_ACCESS_KEY_ID"] == "benchmark"


def test_clients_keep_their_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert "PYTHONDONTWRITEBYTECODE" not in client_environment()


def test_the_record_has_ten_fields_and_some_400_bytes() -> None:
    values = fields(3, 42)
    assert list(Order.model_fields) == list(values)
    assert len(values) == 10
    wire = record_codec(Order, None).encode(Order(**values))
    keys = {"PK": {"S": "SHOP#shop-0003"}, "SK": {"S": "ORDER#o-00000042"}}
    assert 350 <= read_item(wire | keys)[1] <= 450
