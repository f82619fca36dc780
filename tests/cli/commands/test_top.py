import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sortkey.access.transports.sync_http import HttpTransport
from sortkey.cli.main import main
from sortkey.engine import Engine
from sortkey.engine.weather import Scenario, scenario
from sortkey.wire.errors import (
    InvalidSignatureException,
    RequestThrottled,
    ServiceError,
    UnrecognizedClientException,
)

DESIGN = """
from sortkey import Alarms, Entity, Settings, Table, pattern

class Shop(Table, name="shop-{environment}", settings=Settings(alarms=Alarms())):
    pass

class Order(Entity, table=Shop):
    number: int
    primary = Shop.primary.key("ORDER#{number:06d}", "ORDER")

@pattern("AP1: an order", rate="1/s")
def order(number: int):
    return Order.get(number=number)
"""


class Served:
    """An engine behind HTTP, without the server's own protocol."""

    def __init__(self, weather: Scenario | None) -> None:
        self.engine = engine = Engine.memory(clock=lambda: 1e9, weather=weather)

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                answer = engine.reply(self.headers["X-Amz-Target"].split(".")[1], json.loads(body))
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: Any) -> None: ...  # pyright: ignore[reportIncompatibleMethodOverride]

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def served() -> Iterator[Served]:
    found = Served(scenario("hot-day"))
    yield found
    found.server.shutdown()
    found.server.server_close()


def run(*options: str) -> Result:
    return CliRunner().invoke(main, ["top", *options])


def throttle(engine: Engine) -> None:
    engine.answer(
        "CreateTable",
        {
            "TableName": "shop-dev",
            "KeySchema": [
                {"AttributeName": "PK", "KeyType": "HASH"},
                {"AttributeName": "SK", "KeyType": "RANGE"},
            ],
            "AttributeDefinitions": [
                {"AttributeName": "PK", "AttributeType": "S"},
                {"AttributeName": "SK", "AttributeType": "S"},
            ],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    key = {"PK": {"S": "ORDER#000001"}, "SK": {"S": "ORDER"}}
    request = {"TableName": "shop-dev", "Key": key, "ConsistentRead": True}
    for _ in range(3_000):
        engine.answer("GetItem", request)
    with pytest.raises(RequestThrottled):
        engine.answer("GetItem", request)


def test_a_screen_is_printed_once(served: Served) -> None:
    result = run(served.url, "--once", "--interval", "0.1")

    assert result.exit_code == 0
    assert "weather hot-day" in result.output
    assert "\x1b" not in result.output


def test_the_alarms_of_a_design_are_shown(served: Served, tmp_path: Path) -> None:
    design = tmp_path / "design.py"
    design.write_text(DESIGN)

    quiet = run(served.url, "--once", "--interval", "0.1", "--design", str(design))
    throttle(served.engine)
    loud = run(served.url, "--once", "--interval", "0.1", "--design", str(design))

    assert "No alarm." in quiet.output
    assert "1 alarm:\n  shop-dev-read-throttled\n" in loud.output


def test_a_design_without_alarms_is_misuse(served: Served, tmp_path: Path) -> None:
    design = tmp_path / "design.py"
    design.write_text(DESIGN.replace(", settings=Settings(alarms=Alarms())", ""))

    result = run(served.url, "--once", "--interval", "0.1", "--design", str(design))

    assert result.exit_code == 2
    assert "has no alarms in the environment dev: declare them" in result.stderr


def test_all_meters_are_printed_as_json(served: Served, tmp_path: Path) -> None:
    design = tmp_path / "design.py"
    design.write_text(DESIGN)
    throttle(served.engine)

    result = run(served.url, "--format", "json", "--design", str(design))

    found = json.loads(result.output)
    assert found["version"] == 1
    assert found["Firing"] == ["shop-dev-read-throttled"]
    assert {each["MetricName"] for each in found["Metrics"]} >= {"ReadThrottleEvents"}


def test_the_events_of_the_weather_are_printed_in_order(served: Served) -> None:
    throttle(served.engine)

    result = run(served.url, "--events")

    reason = "TableReadKeyRangeThroughputExceeded"
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/shop-dev"
    assert result.output == f"2001-09-09 01:46:40 request 3002, GetItem {arn}: {reason}\n"
    described = json.loads(run(served.url, "--events", "--format", "json").output)
    assert described["Scenario"]["name"] == "hot-day"
    assert [each["what"] for each in described["Events"]] == [reason]


def test_a_server_without_weather_cannot_be_watched() -> None:
    fair = Served(None)
    result = run(fair.url)
    fair.server.shutdown()
    fair.server.server_close()

    assert result.exit_code == 2
    assert "sortkey serve --weather fair" in result.output


@pytest.mark.parametrize("refusal", [UnrecognizedClientException, InvalidSignatureException])
def test_wrong_keys_are_explained(
    served: Served, refusal: type[ServiceError], monkeypatch: pytest.MonkeyPatch
) -> None:
    def send(*_: object) -> None:
        raise refusal("The security token included in the request is invalid.")

    monkeypatch.setattr(HttpTransport, "send", send)
    result = run(served.url)

    assert result.exit_code == 2
    assert "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to its access key" in result.stderr


@pytest.mark.parametrize("answer", [b'{"hello": 1}', b"[1]", b"hello"])
def test_another_server_is_named(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Served(None)

    def reply(*_: object) -> bytes:
        return answer

    monkeypatch.setattr(other.engine, "reply", reply)
    result = run(other.url)
    other.server.shutdown()
    other.server.server_close()

    assert result.exit_code == 2
    assert other.url in result.output


def test_a_server_that_is_not_there_is_named(unused_tcp_port: int) -> None:
    result = run(f"http://127.0.0.1:{unused_tcp_port}")

    assert result.exit_code == 2
    assert f"127.0.0.1:{unused_tcp_port}" in result.output
    assert "Traceback" not in result.output


@pytest.fixture
def unused_tcp_port() -> int:
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        return server.server_port
