"""`sortkey run` on the depot, driven from outside: over HTTP, and by its files."""

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from tests.local.outside import DEPOT, Depot, eventually, running, send

pytestmark = pytest.mark.acceptance

PARCELS = "design-dev-parcels"


@pytest.fixture(scope="module")
def depot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Depot]:
    """A depot that the tests of this module share."""
    with running(tmp_path_factory.mktemp("depot")) as made:
        yield made


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The folder of a copy of the depot, which a test may change."""
    return Path(shutil.copytree(DEPOT, tmp_path / "depot"))


def store(depot: Depot, parcel_id: str) -> None:
    response = depot.send("POST", "/parcels", {"parcel_id": parcel_id}, token=depot.token())
    assert response.status == 201, depot.log


# -- requests -------------------------------------------------------------------------------------


def test_a_request_reaches_its_function_and_all_that_follows_from_it(depot: Depot) -> None:
    before = depot.count("parcels")
    token = depot.token("ben")

    body = {"parcel_id": "a b", "phone": "555"}
    assert depot.send("POST", "/parcels", body, token=token).status == 201

    found = depot.eventually(
        lambda: (
            response
            if (response := depot.send("GET", "/parcels/a%20b", token=token)).json["label"]
            else None
        )
    )
    assert found.json == {"owner": "ben", "label": "Parcel a b", "phone": "555"}
    depot.eventually(lambda: depot.count("parcels") == before + 1)
    assert depot.files("queues", "sent-parcels") == []


def test_an_answer_without_a_status_is_json(depot: Depot) -> None:
    response = depot.send("GET", "/", token=depot.token())

    assert response.status == 200
    assert response.header("content-type") == "application/json"
    assert response.json["greeting"] == "Hello"


def test_an_open_route_needs_no_token(depot: Depot) -> None:
    response = depot.send("POST", "/hooks/carrier", x_key="the key")

    assert response.status == 200
    assert [value for name, value in response.headers if name == "set-cookie"] == ["a=1", "b=2"]


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/nothing"), ("DELETE", "/parcels"), ("GET", "/parcels/")]
)
def test_a_request_without_a_route_is_not_found(depot: Depot, method: str, path: str) -> None:
    response = depot.send(method, path)

    assert (response.status, response.json) == (404, {"message": "Not Found"})


def test_a_body_that_is_too_large_is_refused(depot: Depot) -> None:
    for size in (7_000_000, 11_000_000, 17_000_000):
        response = depot.send("POST", "/hooks/carrier", b"x" * size, content_type="text/plain")

        assert (response.status, response.json) == (413, {"message": "Request Entity Too Large"})


@pytest.mark.parametrize("kind", ["error", "exit", "slow", "answer"])
def test_a_function_that_fails_is_an_error_of_the_server(depot: Depot, kind: str) -> None:
    response = depot.send("POST", f"/trouble/{kind}")

    assert (response.status, response.json) == (500, {"message": "Internal Server Error"})
    assert depot.send("POST", "/hooks/carrier", x_key="the key").status == 200


def test_pages_of_declared_origins_can_call_the_api(depot: Depot) -> None:
    preflight = depot.send(
        "OPTIONS",
        "/parcels",
        origin="https://depot.example",
        access_control_request_method="POST",
    )

    assert preflight.status == 204
    assert preflight.header("access-control-allow-origin") == "https://depot.example"
    assert "POST" in str(preflight.header("access-control-allow-methods"))

    for origin, expected in (
        ("https://depot.example", "https://depot.example"),
        ("https://elsewhere.example", None),
    ):
        response = depot.send("GET", "/", token=depot.token(), origin=origin)
        assert response.header("access-control-allow-origin") == expected


# -- tokens ---------------------------------------------------------------------------------------


def by_another_key(depot: Depot) -> str:
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    head, claims = parts(depot.token())
    return jwt.encode(claims, key, algorithm="RS256", headers={"kid": head["kid"]})


def parts(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return (
        jwt.get_unverified_header(token),
        jwt.decode(token, options={"verify_signature": False}),
    )


def unsigned(depot: Depot) -> str:
    return jwt.encode(parts(depot.token())[1], "", algorithm="none")


def signed_with_the_public_key(depot: Depot) -> str:
    """A token whose signature is right if the public key is taken for a shared secret."""
    [key] = send(depot.started["issuer"], path="/.well-known/jwks.json").json["keys"]
    head = {"alg": "HS256", "typ": "JWT", "kid": key["kid"]}
    pem = jwt.PyJWK(key).key.public_bytes(*pem_format())
    content = b".".join(coded(json.dumps(each)) for each in (head, parts(depot.token())[1]))
    signature = jwt.get_algorithm_by_name("HS256").sign(content, pem)  # pyright: ignore[reportUnknownMemberType]
    return (content + b"." + coded(signature)).decode()


def coded(content: str | bytes) -> bytes:
    raw = content.encode() if isinstance(content, str) else content
    return base64.urlsafe_b64encode(raw).rstrip(b"=")


def pem_format() -> tuple[Any, Any]:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return Encoding.PEM, PublicFormat.SubjectPublicKeyInfo


def now(depot: Depot) -> float:
    return depot.ask("DescribeMeters")["Time"]


def with_kid(kid: str | None) -> Callable[[Depot], str]:
    def token(depot: Depot) -> str:
        from cryptography.hazmat.primitives.asymmetric import rsa

        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        headers = {} if kid is None else {"kid": kid}
        return jwt.encode(parts(depot.token())[1], key, algorithm="RS256", headers=headers)

    return token


REFUSED: dict[str, Callable[[Depot], str]] = {
    "of another issuer": lambda depot: depot.token(iss="https://elsewhere.example"),
    "for another audience": lambda depot: depot.token(aud="elsewhere"),
    "without an audience": lambda depot: depot.token(aud=None),
    "expired": lambda depot: depot.token(exp=now(depot) - 1),
    "without an expiry": lambda depot: depot.token(exp=None),
    "not valid yet": lambda depot: depot.token(nbf=now(depot) + 600),
    "issued in the future": lambda depot: depot.token(iat=now(depot) + 600),
    "signed by another key": by_another_key,
    "without a signature": unsigned,
    "signed with the public key": signed_with_the_public_key,
    "with a key that the issuer does not have": with_kid("another"),
    "without the name of a key": with_kid(None),
    "not a token": lambda _: "ann",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_token_is_refused(depot: Depot, name: str) -> None:
    response = depot.send("GET", "/", token=REFUSED[name](depot))

    assert (response.status, response.json) == (401, {"message": "Unauthorized"})
    assert 'error="invalid_token"' in str(response.header("www-authenticate"))


def test_a_request_without_a_token_is_refused(depot: Depot) -> None:
    response = depot.send("GET", "/")

    assert (response.status, response.json) == (401, {"message": "Unauthorized"})
    assert response.header("www-authenticate") == "Bearer"


def test_the_issuer_gives_a_token_to_whoever_asks(depot: Depot) -> None:
    token = send(depot.started["issuer"], path="/token/cy?role=clerk&role=boss").body.decode()

    _, claims = parts(token)
    assert (claims["sub"], claims["role"]) == ("cy", ["clerk", "boss"])
    assert depot.send("GET", "/", token=token).status == 200


# -- schedules, messages and changes --------------------------------------------------------------


def test_after_a_jump_of_the_clock_a_schedule_comes_once(depot: Depot) -> None:
    before = depot.count("sweeps")
    [schedule] = depot.started["schedules"]

    depot.ask("MoveClock", Seconds=5 * 3600)

    depot.eventually(lambda: depot.count("sweeps") == before + 1)
    passed = int((now(depot) - schedule["due"]) // 3600)
    latest = schedule["due"] + 3600 * passed
    name = time.strftime("sweep %Y-%m-%dT%H:%M:%SZ", time.gmtime(latest))
    depot.eventually(lambda: depot.count(name) == 1)

    depot.ask("MoveClock", Seconds=1)
    depot.ask("MoveClock", Seconds=-3600)
    time.sleep(1)
    assert depot.count("sweeps") == before + 1


def test_coroutines_see_the_clock_of_the_run_too(depot: Depot) -> None:
    depot.ask("MoveClock", Seconds=62 * 86_400)

    month = time.strftime("%B %Y", time.gmtime(now(depot)))
    depot.eventually(lambda: f"swept in {month}" in depot.log)


def test_functions_see_the_clock_of_the_run(depot: Depot) -> None:
    depot.ask("MoveClock", Seconds=86_400)

    shown = depot.send("GET", "/", token=depot.token()).json["now"]

    assert shown[:16] == time.strftime("%Y-%m-%dT%H:%M", time.gmtime(now(depot)))


def test_a_message_that_fails_too_often_becomes_a_dead_letter(depot: Depot) -> None:
    failed = depot.log.count("of sent-parcels failed")
    store(depot, "broken")
    depot.eventually(lambda: depot.log.count("of sent-parcels failed") == failed + 1)
    assert len(depot.files("queues", "sent-parcels")) == 1

    depot.ask("MoveClock", Seconds=121)
    depot.eventually(lambda: depot.log.count("of sent-parcels failed") == failed + 2)
    assert depot.letters("queues", "sent-parcels") == []
    depot.ask("MoveClock", Seconds=121)

    [letter] = depot.eventually(lambda: depot.letters("queues", "sent-parcels"))
    assert json.loads(letter) == {"parcel_id": "broken"}
    assert depot.files("queues", "sent-parcels") == []
    visible = "ApproximateNumberOfMessagesVisible"
    assert depot.total(visible, QueueName="design-dev-sent-parcels-dead-letters") > 0


def test_a_change_that_fails_too_often_is_described_and_others_go_on(depot: Depot) -> None:
    before = depot.count("parcels")

    for parcel_id in ("before", "poison", "after"):
        store(depot, parcel_id)

    [letter] = depot.eventually(lambda: depot.letters("functions", "counter"))
    assert json.loads(letter)["DDBStreamBatchInfo"]["batchSize"] == 1
    depot.eventually(lambda: depot.count("parcels") == before + 2)


def test_calls_and_failures_are_counted_as_cloudwatch_counts_them(depot: Depot) -> None:
    calls = depot.total("Invocations", FunctionName=PARCELS)
    errors = depot.total("Errors", FunctionName=PARCELS)
    failures = depot.total("5xx", ApiId="design-dev-api")

    depot.send("POST", "/trouble/error")

    assert depot.total("Invocations", FunctionName=PARCELS) == calls + 1
    assert depot.total("Errors", FunctionName=PARCELS) == errors + 1
    assert depot.total("5xx", ApiId="design-dev-api") == failures + 1
    text = send(depot.started["engine"], path="/metrics").body.decode()
    assert f'lambda_invocations_total{{function="{PARCELS}"}}' in text
    assert 'sqs_approximate_age_of_oldest_message{queue="design-dev-sent-parcels"}' in text


def test_a_fake_gets_a_folder_and_the_addresses_of_the_apis(depot: Depot) -> None:
    hooks = (depot.state / "fakes" / "carrier" / "hooks").read_text()

    assert hooks.startswith(f"{depot.started['apis']['api']}/hooks/carrier at ")


def test_the_log_has_the_function_the_request_and_what_it_printed(depot: Depot) -> None:
    store(depot, "logged")

    lines = [line.split(maxsplit=3) for line in depot.log.splitlines()]
    [request] = {line[2] for line in lines if line[-1].endswith("stored logged")}
    logged = [line[-1] for line in lines if line[1:3] == ["parcels", request]]
    assert logged[:2] == ["START POST /parcels", "| INFO depot: stored logged"]
    assert logged[2].startswith("END 201 in ")


def fired(depot: Depot) -> set[str]:
    """Return the alarms of the stack that the meters of a run set off."""
    command = [sys.executable, "-m", "sortkey", "top", depot.started["engine"]]
    done = subprocess.run(
        [*command, "--design", str(DEPOT / "design.py"), "--format", "json"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.removeprefix("design-dev-") for name in json.loads(done.stdout)["Firing"]}


def test_the_alarms_of_the_stack_are_set_off_by_the_meters_of_a_run(tmp_path: Path) -> None:
    # Its alarms on functions, queues and APIs are of another change; until then, there are none.
    pytest.importorskip("sortkey.synth.programs")
    with running(tmp_path) as depot:
        assert fired(depot) == set()

        depot.send("POST", "/trouble/error")
        assert fired(depot) == {"parcels-errors", "api-server-errors"}

        depot.send("POST", "/trouble/slow")
        assert "parcels-duration" in fired(depot)

        store(depot, "poison")
        depot.eventually(lambda: depot.letters("functions", "counter"))
        assert {"counter-errors", "counter-failed-events-messages"} <= fired(depot)

        store(depot, "broken")
        depot.eventually(lambda: "of sent-parcels failed" in depot.log)
        depot.ask("MoveClock", Seconds=121)
        depot.eventually(lambda: depot.log.count("of sent-parcels failed") == 2)
        depot.ask("MoveClock", Seconds=900)
        depot.eventually(lambda: depot.letters("queues", "sent-parcels"))
        assert "sent-parcels-dead-letters-messages" in fired(depot)


# -- from start to end ----------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_all_its_processes_and_ports(tmp_path: Path, number: int) -> None:
    with running(tmp_path) as depot:
        workers = depot.workers()
        assert len(workers) == 4

        assert depot.end(number) == 0

        assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
        for url in (depot.started["engine"], *depot.started["apis"].values()):
            with socket.socket() as free:
                free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                free.bind(("127.0.0.1", int(url.rpartition(":")[2])))


def test_after_a_kill_a_later_run_continues(tmp_path: Path) -> None:
    with running(tmp_path) as first:
        first.ask("MoveClock", Seconds=7 * 86_400)
        store(first, "kept")
        first.eventually(lambda: first.count("parcels") == 1)
        store(first, "broken")
        first.eventually(lambda: "of sent-parcels failed" in first.log)
        first.eventually(lambda: first.count("parcels") == 2)
        first.eventually(lambda: first.count("sweeps") == 1)
        token, time_before, workers = first.token(), now(first), first.workers()

        first.end(signal.SIGKILL)

        # Nothing is left that could work on.
        eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))

    with running(tmp_path) as second:
        assert second.started["apis"] == first.started["apis"]
        assert now(second) > time_before
        assert second.send("GET", "/parcels/kept", token=token).json["owner"] == "ann"
        # The message that failed is delivered again at once, for the last time.
        second.eventually(lambda: "of sent-parcels failed" in second.log)
        second.ask("MoveClock", Seconds=121)
        second.eventually(lambda: second.letters("queues", "sent-parcels"))
        store(second, "new")
        second.eventually(lambda: second.count("parcels") == 3)
        assert second.count("sweeps") == 1


def failure(design: Path, state: Path, *options: str, **env: str) -> str:
    """Return what a run prints that cannot start."""
    command = [sys.executable, "-m", "sortkey", "run", str(design), "--state", str(state)]
    done = subprocess.run(
        [*command, *(options or ("--port", "0"))],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
    )
    assert done.returncode == 2, done.stdout
    return done.stderr


def changed(design: Path, *changes: tuple[str, str]) -> Path:
    text = (design / "design.py").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (design / "design.py").write_text(text)
    return design / "design.py"


def test_missing_settings_are_named_all_at_once(copied: Path, tmp_path: Path) -> None:
    design = changed(copied, (', default="Hello"', ""))

    said = failure(design, tmp_path / "state", "--port", "0", "--real", "carrier")

    assert "3 settings have no value" in said
    assert "GREETING=     # What the API says (parcels)" in said
    assert "CARRIER_KEY=  # The key of the carrier (parcels)" in said


def test_settings_come_from_the_environment_then_from_the_file(
    copied: Path, tmp_path: Path
) -> None:
    (copied / ".env").write_text(
        "# For this machine.\nexport GREETING='Good day'\nCARRIER_KEY=own # mine\n"
        "CARRIER_URL=http://127.0.0.1:2/\n"
    )
    design = copied / "design.py"

    with running(
        tmp_path / "state", "--real", "carrier", design=design, CARRIER_KEY="exported"
    ) as depot:
        assert depot.send("GET", "/", token=depot.token()).json["greeting"] == "Good day"
        assert depot.send("POST", "/hooks/carrier", x_key="own").status == 403
        assert depot.send("POST", "/hooks/carrier", x_key="exported").status == 200


def test_handlers_that_cannot_be_imported_are_named(copied: Path, tmp_path: Path) -> None:
    design = changed(
        copied,
        ("depot.handlers:count", "depot.counting:count"),
        ("depot.handlers:sweep", "depot.handlers:swept"),
    )

    said = failure(design, tmp_path / "state")

    assert 'Function "counter": depot.counting:count cannot be imported' in said
    assert "No module named 'depot.counting'" in said
    assert "has no attribute 'swept'" in said


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        said = failure(DEPOT / "design.py", tmp_path, "--port", str(port))

    assert f"Port {port}, for the engine, is in use" in said


def test_two_runs_do_not_use_one_state(tmp_path: Path) -> None:
    with running(tmp_path):
        said = failure(DEPOT / "design.py", tmp_path)

    assert "another `sortkey run` uses" in said


def test_a_moved_clock_is_not_forgotten(tmp_path: Path) -> None:
    with running(tmp_path) as depot:
        depot.ask("MoveClock", Seconds=60)

    assert "the clock of" in failure(DEPOT / "design.py", tmp_path)


def test_a_design_without_functions_is_refused(copied: Path, tmp_path: Path) -> None:
    design = changed(copied, ("parcels_function, labels_function", "# "))

    assert "declares no function" in failure(design, tmp_path / "state")


def test_a_fake_must_yield_all_settings_of_its_service(copied: Path, tmp_path: Path) -> None:
    fake = copied / "carrier.py"
    fake.write_text(fake.read_text().replace('"CARRIER_KEY": "the key"', ""))

    said = failure(copied / "design.py", tmp_path / "state")

    assert "depot.carrier:fake yields no value of CARRIER_KEY" in said
