"""A run in this process: everything starts in order, works together, and ends."""

import json
import threading
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from tests.local.outside import DEPOT, Response, eventually, send

from sortkey import load_design
from sortkey.engine.weather import scenario
from sortkey.local.errors import CannotRun
from sortkey.local.run import Run, RunSettings
from sortkey.local.started import Started


class Here:
    """A depot that runs in this process."""

    def __init__(self, state: Path) -> None:
        design = load_design(DEPOT / "design.py")
        self.log = StringIO()
        settings = RunSettings(state, DEPOT, movable_clock=True)
        self.run = Run(design, settings, self.log)
        self.started: Started = self.run.start()

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Response:
        issuer = self.started.issuer or ""
        token = send(issuer, path="/token/ann").body.decode()
        given = {"authorization": f"Bearer {token}", "content_type": "application/json", **headers}
        return send(self.started.apis["api"], method, path, json.dumps(body or {}), **given)

    def move(self, seconds: float) -> None:
        send(
            self.started.engine,
            "POST",
            "/",
            json.dumps({"Seconds": seconds}),
            x_amz_target="Sortkey.MoveClock",
            content_type="application/x-amz-json-1.0",
        )

    def says(self, text: str) -> bool:
        return text in self.log.getvalue()


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    made = Here(tmp_path_factory.mktemp("run"))
    yield made
    made.run.stop()


def test_what_has_started_is_described(here: Here) -> None:
    started = here.started

    assert [one.route.request for one in started.routes][:2] == ["GET /", "POST /parcels"]
    assert [one.function for one in started.schedules] == ["sweeper"]
    assert [(one.source, one.function) for one in started.messages] == [("sent-parcels", "labels")]
    assert [(one.source, one.function) for one in started.changes] == [("Depot", "counter")]
    assert set(started.dead_letters["functions"]) == {"counter", "sweeper"}
    # A secret is not shown.
    assert started.fakes == {"carrier": {"CARRIER_URL": "http://127.0.0.1:1/"}}
    shown = json.loads(json.dumps(started.as_json()))
    assert (shown["version"], shown["engine"]) == (1, started.engine)


def test_a_request_is_followed_by_a_message_and_a_change(here: Here) -> None:
    assert here.send("POST", "/parcels", {"parcel_id": "p1"}).status == 201

    eventually(lambda: here.send("GET", "/parcels/p1").json["label"] == "Parcel p1")
    eventually(lambda: here.says("START 1 change of Depot"))


def test_a_schedule_follows_the_clock(here: Here) -> None:
    here.move(3600)

    eventually(lambda: here.says("START rate(1 hour) of "))
    eventually(lambda: here.says("END ok"))


def test_a_refused_request_is_in_the_log(here: Here) -> None:
    here.send("GET", "/nothing")
    here.send("GET", "/", authorization="Bearer x")

    assert here.says("404 GET /nothing: there is no such route")
    assert here.says("401 GET /: the token is not a JWT")


def test_it_waits_until_it_is_ended(here: Here) -> None:
    waiting = threading.Thread(target=here.run.wait)
    waiting.start()
    assert waiting.is_alive()

    here.run.end()

    waiting.join(30)
    assert not waiting.is_alive()


def test_an_engine_that_ends_by_itself_ends_the_run(tmp_path: Path) -> None:
    run = Run(load_design(DEPOT / "design.py"), RunSettings(tmp_path, DEPOT), StringIO())

    run._fail()  # noqa: SLF001

    with pytest.raises(CannotRun, match="the engine has ended by itself"):
        run.wait()


def test_a_clock_that_is_ahead_cannot_be_moved(tmp_path: Path) -> None:
    weather = scenario("clock-ahead")
    settings = RunSettings(tmp_path, DEPOT, movable_clock=True, weather=weather)
    run = Run(load_design(DEPOT / "design.py"), settings, StringIO())

    with pytest.raises(CannotRun, match="the weather clock-ahead gives the engine a clock"):
        run.start()


def test_a_service_that_is_not_called_cannot_be_real(tmp_path: Path) -> None:
    settings = RunSettings(tmp_path, DEPOT, real=("mail",))
    run = Run(load_design(DEPOT / "design.py"), settings, StringIO())

    with pytest.raises(CannotRun, match="calls no service mail; its services: carrier"):
        run.start()
