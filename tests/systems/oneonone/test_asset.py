"""Every function runs from the packaged asset, where nothing but it and Python can be imported."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.assets.here import HERE
from tests.assets.running import run_handler, unpack
from tests.systems.conftest import LIVEKIT
from tests.systems.oneonone.events import KINDS, content, payload, request
from tests.systems.oneonone.test_functions import http_event

from sortkey import DB, load_design, utc_now
from sortkey.assets.building import build
from sortkey.assets.choices import PackageChoices
from sortkey.design.declaring.loader import root_of
from sortkey_systems.oneonone.design import Sessions, Users

pytestmark = pytest.mark.acceptance

DESIGN = "sortkey_systems.oneonone.design"
ANN, BEN = {"sub": "ann"}, {"sub": "ben"}
Call = Callable[..., Any]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked asset."""
    folder = tmp_path_factory.mktemp("asset")
    design = load_design(DESIGN)
    choices = PackageChoices(HERE, bytecode=False)
    made = build(design, root_of(design), folder / "asset.zip", choices)
    return unpack(made.file, folder / "var/task")


@pytest.fixture
def call(home: Path, serve: Callable[..., Any]) -> Call:
    """Call a function by its name: a fresh process, with the variables of a deployed function."""
    design = load_design(DESIGN)
    _, port = serve()
    url = f"http://127.0.0.1:{port}"
    with DB.endpoint(url, Users, Sessions, environment="dev") as db:
        db.create_tables()
    known = {"SORTKEY_TARGET": url, "ENVIRONMENT": "dev", "AWS_REGION": "eu-west-1", **LIVEKIT}
    handlers = {function.name: function.handler for function in design.functions}

    def called(name: str, event: Mapping[str, Any]) -> Any:
        answer = run_handler(home, handlers[name], event, known)
        if "statusCode" not in answer:
            return answer
        return answer["statusCode"], json.loads(answer["body"]) if answer["body"] else None

    return called


def webhook_event(sent: dict[str, Any]) -> dict[str, Any]:
    """An event of LiveKit as API Gateway passes it on."""
    signed = request(sent)
    event = http_event("webhook", None, body=signed.body.decode())
    event["headers"] |= {"content-type": signed.media_type, "authorization": signed.authorization}
    return event


def test_the_functions_tell_the_story_of_two_users_from_the_asset(call: Call) -> None:
    assert call("join", http_event("join", ANN))[1]["session_id"] is None
    _, joined = call("join", http_event("join", BEN))
    room = joined["session_id"]
    status, admitted = call("token", http_event("token", ANN, room))
    assert (status, admitted["url"]) == (200, LIVEKIT["LIVEKIT_URL"])

    for user in ("ann", "ben"):
        arrived = content("participant_joined", room, utc_now(), user)
        assert call("webhook", webhook_event(arrived))[0] == 200
    assert call("status", http_event("status", ANN))[1]["session_id"] == room
    ended = call("end", http_event("end", BEN, room))
    again = call("end", http_event("end", ANN, room))

    assert ended == again
    assert ended[0] == 200
    assert ended[1]["end_time"] is not None
    _, listed = call("history", http_event("history", ANN))
    assert [one["session_id"] for one in listed["items"]] == [room]
    assert call("leave", http_event("leave", ANN))[1]["waiting_since"] is None
    assert call("sweep", {"detail-type": "Scheduled Event"})["failed"] == 0


def test_each_recorded_event_is_answered(call: Call) -> None:
    statuses = {kind: call("webhook", webhook_event(payload(kind)))[0] for kind in KINDS}

    assert statuses == dict.fromkeys(KINDS, 200)


def test_a_webhook_with_a_changed_body_is_refused(call: Call) -> None:
    event = webhook_event(payload("participant_left"))
    event["body"] = event["body"].replace("participant_left", "participant_joined")

    assert call("webhook", event)[0] == 401
