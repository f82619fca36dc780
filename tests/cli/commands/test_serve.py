import gzip
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from mypy_boto3_dynamodb import DynamoDBClient

from sortkey.wire.services import target_of

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="several workers need os.fork")
needs_proc = pytest.mark.skipif(not Path("/proc").exists(), reason="processes are found in /proc")


class Server:
    """A running ``sortkey serve`` on a free port."""

    def __init__(self, *options: str | Path, scratch: Path, most_files: str | None = None) -> None:
        limited = ["sh", "-c", f'ulimit -n {most_files}; exec "$@"', "sh"] if most_files else []
        command = [sys.executable, "-m", "sortkey", "serve", "--port", "0", *map(str, options)]
        self.process = subprocess.Popen(
            [*limited, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(scratch)},
        )
        assert self.process.stdout is not None
        self.greeting = self.process.stdout.readline()
        found = re.search(r"http://([^ ]+):(\d+)", self.greeting)
        assert found, self.process.communicate()[1]
        self.address = (found[1].strip("[]"), int(found[2]))
        self.url = found[0]

    def client(self, secret: str = "b") -> DynamoDBClient:
        return boto3.client(  # pyright: ignore[reportUnknownMemberType] - other services' stubs
            "dynamodb",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id="a",
            aws_secret_access_key=secret,
            config=Config(retries={"max_attempts": 1}),
        )

    def ask(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer over a connection of its own."""
        connection = http.client.HTTPConnection(*self.address, timeout=10)
        headers = {
            "X-Amz-Target": target_of(operation),
            "Content-Type": "application/x-amz-json-1.0",
        }
        connection.request("POST", "/", json.dumps(request), headers)
        with connection.getresponse() as response:
            answer = json.loads(response.read())
        connection.close()
        assert response.status == 200, answer
        return answer

    def make_table(self, name: str) -> None:
        self.ask(
            "CreateTable",
            {
                "TableName": name,
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )

    def workers(self) -> set[int]:
        listing = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        return {int(pid) for pid in Path(listing).read_text().split()}

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """The exit status and what stood on standard error."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors


Start = Callable[..., Server]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with ExitStack() as stack:

        def begin(*options: str | Path, most_files: str | None = None) -> Server:
            server = Server(*options, scratch=scratch, most_files=most_files)
            stack.callback(server.stop, signal.SIGKILL)
            return server

        yield begin


def refusal(*options: str | Path) -> str:
    """Return the error output of a command that does not start."""
    result = subprocess.run(
        [sys.executable, "-m", "sortkey", "serve", "--port", "0", *map(str, options)],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# -- one worker ---------------------------------------------------------------------------------


def test_the_greeting_names_the_address_once_it_answers(start: Start) -> None:
    server = start()

    assert server.greeting == (
        f"sortkey engine on {server.url} (in memory; 1 worker). Stop with Ctrl-C.\n"
    )
    assert server.ask("ListTables", {}) == {"TableNames": []}


WITHOUT_UVLOOP = """
import sys
sys.modules["uvloop"] = None
from sortkey.cli.main import main
main(["serve", "--port", "0"])
"""


def test_without_uvloop_it_answers_and_says_what_it_would_gain() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WITHOUT_UVLOOP],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as served:
        assert served.stdout
        greeting = served.stdout.readline()
        served.terminate()
        errors = served.communicate()[1]

    assert greeting.startswith("sortkey engine on http://127.0.0.1:")
    assert "pip install 'sortkey[serve]'" in errors
    assert "Traceback" not in errors


def test_boto3_works_against_it(start: Start) -> None:
    server = start()
    server.make_table("app")
    client = server.client()

    client.put_item(TableName="app", Item={"pk": {"S": "a"}, "n": {"N": "1"}})

    found = client.get_item(TableName="app", Key={"pk": {"S": "a"}})
    assert found.get("Item") == {"pk": {"S": "a"}, "n": {"N": "1"}}
    client.close()


@needs_fork
@pytest.mark.parametrize("workers", ["1", "2"])
def test_idle_connections_do_not_keep_others_out(start: Start, workers: str) -> None:
    server = start("--workers", workers, most_files="100")
    idle = [socket.create_connection(server.address, timeout=10) for _ in range(250)]

    assert server.ask("ListTables", {}) == {"TableNames": []}

    for connection in idle:
        connection.close()
    assert server.stop() == (0, "")


@needs_proc
def test_it_may_open_as_many_files_as_the_machine_lets_it(start: Start) -> None:
    server = start(most_files="-S 100")

    [limits] = [
        line.split()[3:5]
        for line in Path(f"/proc/{server.process.pid}/limits").read_text().splitlines()
        if line.startswith("Max open files")
    ]
    assert int(limits[0]) == min(int(limits[1]), 10_064)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=needs_fork)])
def test_a_signal_stops_it_without_a_word(start: Start, number: int, workers: str) -> None:
    server = start("--workers", workers)

    assert server.stop(number) == (0, "")


def test_a_file_keeps_its_items(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    first = start("--db", path)
    assert f"({path}; 1 worker)" in first.greeting
    first.make_table("app")
    first.ask("PutItem", {"TableName": "app", "Item": {"pk": {"S": "a"}}})
    assert first.stop()[0] == 0

    second = start("--db", path)

    answer = second.ask("GetItem", {"TableName": "app", "Key": {"pk": {"S": "a"}}})
    assert answer == {"Item": {"pk": {"S": "a"}}}


def test_acknowledged_writes_survive_a_kill(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    first = start("--db", path)
    first.make_table("app")
    for number in range(20):
        first.ask("PutItem", {"TableName": "app", "Item": {"pk": {"S": str(number)}}})
    first.stop(signal.SIGKILL)

    second = start("--db", path)

    assert second.ask("Scan", {"TableName": "app", "Select": "COUNT"})["Count"] == 20


def accepts_only_the_secret(server: Server, secret: str) -> bool:
    good, bad = server.client(secret=secret), server.client(secret="guess")
    assert good.list_tables()["TableNames"] == []
    with pytest.raises(ClientError, match="InvalidSignatureException"):
        bad.list_tables()
    good.close()
    bad.close()
    return True


def test_with_keys_only_their_signature_is_accepted(start: Start) -> None:
    server = start("--access-key", "a", "--secret-key", "b")

    assert accepts_only_the_secret(server, "b")


def test_keys_can_come_from_the_environment(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORTKEY_ACCESS_KEY", "a")
    monkeypatch.setenv("SORTKEY_SECRET_KEY", "from the environment")

    server = start()

    assert accepts_only_the_secret(server, "from the environment")


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_secret_in_a_file_comes_before_one_in_the_environment(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: str
) -> None:
    monkeypatch.setenv("SORTKEY_SECRET_KEY", "from the environment")
    path = tmp_path / "secret"
    path.write_bytes(f"from a file{end}".encode())
    path.chmod(0o640)

    server = start("--access-key", "a", "--secret-key-file", path)

    assert accepts_only_the_secret(server, "from a file")
    assert server.stop() == (0, "")


def test_an_option_comes_before_the_environment(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SORTKEY_ACCESS_KEY", "other")
    monkeypatch.setenv("SORTKEY_SECRET_KEY", "other")

    server = start("--access-key", "a", "--secret-key", "b")

    assert accepts_only_the_secret(server, "b")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_secret_that_every_user_can_read_gives_a_warning(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("b")
    path.chmod(0o644)

    server = start("--access-key", "a", "--secret-key-file", path)

    assert accepts_only_the_secret(server, "b")
    assert server.stop() == (
        0,
        f"Warning: every user of this machine can read {path}. Run: chmod 600 {path}\n",
    )


def test_ipv6_loopback_is_served_too(start: Start) -> None:
    server = start("--host", "::1")

    assert "http://[::1]:" in server.greeting
    assert server.ask("ListTables", {}) == {"TableNames": []}


def test_quiet_prints_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "sortkey",
            "serve",
            "--port",
            "0",
            "--quiet",
            "--db",
            tmp_path / "a",
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    # The write-ahead log is there once the engine is open, shortly before it serves.
    eventually((tmp_path / "a-wal").exists)
    time.sleep(0.3)
    process.terminate()

    assert process.communicate(timeout=20)[0] == ""


# -- the clock ----------------------------------------------------------------------------------


def test_a_movable_clock_is_moved_over_http(start: Start) -> None:
    server = start("--movable-clock")
    before = time.time()
    server.ask("MoveClock", {"Seconds": 3600})
    server.make_table("orders")

    described = server.ask("DescribeTable", {"TableName": "orders"})["Table"]

    assert described["CreationDateTime"] >= before + 3600


def test_signatures_keep_the_time_of_the_wall(start: Start) -> None:
    server = start("--movable-clock", "--access-key", "a", "--secret-key", "b")
    move = AWSRequest("POST", server.url, data=json.dumps({"Seconds": 86_400}))
    move.headers["X-Amz-Target"] = target_of("MoveClock")
    move.headers["Content-Type"] = "application/x-amz-json-1.0"
    SigV4Auth(Credentials("a", "b"), "dynamodb", "us-east-1").add_auth(move)
    connection = http.client.HTTPConnection(*server.address, timeout=10)

    connection.request("POST", "/", move.data, dict(move.headers.items()))
    with connection.getresponse() as response:
        assert response.status == 200, response.read()
    connection.close()
    assert server.client().list_tables()["TableNames"] == []
    with pytest.raises(AssertionError, match="MissingAuthenticationToken"):
        server.ask("MoveClock", {"Seconds": 1})


def test_expired_items_are_deleted_after_the_delay(start: Start) -> None:
    server = start("--movable-clock", "--ttl-delay", "3600")
    server.make_table("baskets")
    server.ask(
        "UpdateTimeToLive",
        {
            "TableName": "baskets",
            "TimeToLiveSpecification": {"AttributeName": "expires", "Enabled": True},
        },
    )
    now = int(time.time())
    for key, expires in (("waits", now + 1800), ("due", now)):
        item = {"pk": {"S": key}, "expires": {"N": str(expires)}}
        server.ask("PutItem", {"TableName": "baskets", "Item": item})

    def left() -> list[str]:
        items = server.ask("Scan", {"TableName": "baskets"})["Items"]
        return sorted(item["pk"]["S"] for item in items)

    server.ask("MoveClock", {"Seconds": 3601})
    # Without the delay, both would be deleted together.
    eventually(lambda: len(left()) < 2)
    assert left() == ["waits"]
    server.ask("MoveClock", {"Seconds": 1800})
    eventually(lambda: not left())


def test_the_clock_stands_unless_it_may_be_moved(start: Start) -> None:
    with pytest.raises(AssertionError, match="--movable-clock"):
        start().ask("MoveClock", {"Seconds": 3600})
    assert "one worker" in refusal("--movable-clock", "--workers", "2")


def test_a_server_with_weather_throttles(start: Start) -> None:
    server = start("--weather", "small-partitions")
    assert "(in memory; 1 worker; weather small-partitions)" in server.greeting
    server.make_table("orders")

    described = server.ask("DescribeWeather", {})

    assert described["Scenario"]["name"] == "small-partitions"
    assert "one worker" in refusal("--weather", "hot-day", "--workers", "2")
    assert "there is no weather 'rain'; use one of fair, hot-day" in refusal("--weather", "rain")


def test_a_server_reports_what_the_weather_of_a_file_does(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "monday.toml"
    file.write_text('[[faults]]\nkind = "error-before"\nshare = 1\noperations = ["GetItem"]\n')
    server = start("--weather", str(file))
    server.make_table("orders")
    with pytest.raises(AssertionError, match="InternalServerError"):
        server.ask("GetItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}}})

    assert server.ask("DescribeWeather", {})["Scenario"]["name"] == "monday"
    server.process.terminate()
    assert "weather: GetItem of orders: error-before\n" in server.process.communicate()[1]


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=needs_fork)])
def test_boto3_exports_a_table_to_a_bucket(start: Start, tmp_path: Path, workers: str) -> None:
    bucket = tmp_path / "buckets" / "exports"
    bucket.mkdir(parents=True)
    server = start("--workers", workers, "--buckets", bucket.parent)
    server.make_table("orders")
    client: Any = server.client()
    enabled = {"PointInTimeRecoveryEnabled": True}
    client.update_continuous_backups(TableName="orders", PointInTimeRecoverySpecification=enabled)
    for number in range(3):
        client.put_item(TableName="orders", Item={"pk": {"S": str(number)}})
    arn = client.describe_table(TableName="orders")["Table"]["TableArn"]

    begun = client.export_table_to_point_in_time(
        TableArn=arn, S3Bucket="exports", ExportTime=datetime.now(UTC), ExportFormat="DYNAMODB_JSON"
    )["ExportDescription"]
    assert begun["ExportStatus"] == "IN_PROGRESS"

    def described() -> dict[str, Any]:
        return client.describe_export(ExportArn=begun["ExportArn"])["ExportDescription"]

    eventually(lambda: described()["ExportStatus"] == "COMPLETED")
    assert described()["ItemCount"] == 3
    [summary] = client.list_exports(TableArn=arn)["ExportSummaries"]
    assert summary["ExportArn"] == begun["ExportArn"]
    [data] = bucket.rglob("data/*.json.gz")
    lines = gzip.decompress(data.read_bytes()).splitlines()
    assert sorted(json.loads(line)["Item"]["pk"]["S"] for line in lines) == ["0", "1", "2"]


def test_buckets_are_in_a_folder_that_exists(start: Start, tmp_path: Path) -> None:
    assert "there is no folder" in refusal("--buckets", str(tmp_path / "missing"))
    with pytest.raises(AssertionError, match="--buckets DIR"):
        start().ask(
            "ExportTableToPointInTime",
            {
                "TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/orders",
                "S3Bucket": "exports",
            },
        )


# -- several workers ----------------------------------------------------------------------------


@needs_fork
def test_a_table_made_on_one_worker_is_there_on_every_other(start: Start, tmp_path: Path) -> None:
    server = start("--workers", "2")
    assert "(in a temporary file; 2 workers)" in server.greeting
    assert len(list((tmp_path / "scratch").iterdir())) == 1

    for number in range(10):
        server.make_table(f"table{number}")
        for _ in range(4):
            assert len(server.ask("ListTables", {})["TableNames"]) == number + 1

    server.stop()
    assert not list((tmp_path / "scratch").iterdir())


@needs_proc
def test_a_worker_that_dies_is_replaced(start: Start) -> None:
    server = start("--workers", "2")
    victim = min(server.workers())

    os.kill(victim, signal.SIGKILL)
    eventually(lambda: len(server.workers() - {victim}) == 2)

    assert server.ask("ListTables", {}) == {"TableNames": []}
    status, errors = server.stop()
    assert status == 0
    assert "A worker ended unexpectedly" in errors


@needs_proc
def test_workers_do_not_outlive_a_killed_parent(start: Start) -> None:
    server = start("--workers", "2")
    workers = server.workers()
    assert len(workers) == 2

    server.stop(signal.SIGKILL)

    eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=needs_fork)])
def test_a_killed_server_in_memory_leaves_no_files(
    start: Start, tmp_path: Path, workers: str
) -> None:
    server = start("--workers", workers)
    server.make_table("app")

    server.stop(signal.SIGKILL)

    eventually(lambda: not list((tmp_path / "scratch").iterdir()))


# -- misuse -------------------------------------------------------------------------------------


def test_half_a_key_pair_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal("--access-key", "x") == (
        "Error: An access key needs its secret: give --secret-key-file or set SORTKEY_SECRET_KEY.\n"
    )
    monkeypatch.setenv("SORTKEY_SECRET_KEY", "x")
    assert refusal() == (
        "Error: A secret key needs an access key: give --access-key or set SORTKEY_ACCESS_KEY.\n"
    )


def test_an_empty_key_is_refused() -> None:
    assert "may not be empty" in refusal("--access-key", "", "--secret-key", "")


def test_empty_variables_do_not_open_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORTKEY_ACCESS_KEY", "")
    monkeypatch.setenv("SORTKEY_SECRET_KEY", "")

    assert refusal() == "Error: The access key and its secret may not be empty.\n"


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"one\ntwo\n", b"\xff\xfe", b"a\0b", b"x" * 10_000]
)
def test_a_file_that_is_not_just_a_secret_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "secret"
    path.write_bytes(content)

    assert refusal("--access-key", "a", "--secret-key-file", path) == (
        f"Error: {path} must hold the secret key and nothing else, in one line of text.\n"
    )


def test_a_missing_file_of_the_secret_is_named(tmp_path: Path) -> None:
    path = tmp_path / "secret"

    assert refusal("--access-key", "a", "--secret-key-file", path) == (
        f"Error: {path}: No such file or directory\n"
    )


def test_two_secrets_are_refused(tmp_path: Path) -> None:
    assert refusal(
        "--access-key", "a", "--secret-key", "b", "--secret-key-file", tmp_path / "secret"
    ) == ("Error: Give --secret-key-file or --secret-key, not both.\n")


def test_other_machines_are_not_served() -> None:
    assert refusal("--host", "0.0.0.0") == (
        "Error: 0.0.0.0 is not a loopback address such as 127.0.0.1 or ::1; "
        "the engine serves this machine only.\n"
    )


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=needs_fork)])
def test_a_file_that_is_not_ours_is_refused_in_one_sentence(tmp_path: Path, workers: str) -> None:
    path = tmp_path / "app.db"
    path.write_bytes(b"once upon a time " * 100)

    said = refusal("--db", path, "--workers", workers)

    assert said.count("\n") == 1
    assert str(path) in said


def test_a_missing_folder_is_refused_in_one_sentence(tmp_path: Path) -> None:
    said = refusal("--db", tmp_path / "missing" / "app.db")

    assert said.count("\n") == 1
    assert "There is no folder" in said
