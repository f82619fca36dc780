"""A function finds what it would find in AWS, and nothing of this shell."""

from pathlib import Path

import pytest

from sortkey import Bucket, Function, HttpApi, OnMessage, Queue, Role, Route, Setting
from sortkey.local.environment import environment_of
from sortkey.local.state import RunState

KEY = Setting("ROOMS_KEY", "The key", secret=True)
AUDIENCE = Setting("AUDIENCE", "For whom")
api = HttpApi(issuer="https://issuer.example", audience=AUDIENCE)


def test_the_variables_are_those_of_the_declarations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "mine")
    monkeypatch.setenv("EDITOR", "vi")
    function = Function(
        "read",
        "notes:read",
        Role("app", []),
        triggers=[Route(api, "GET /"), OnMessage(Queue("got"))],
        environment={"LEVEL": "INFO", "SIZE": Setting("PAGE", "The size")},
        sends_to=[Queue("room-events")],
        writes=[Bucket("reports")],
        memory=256,
    )

    found = environment_of(
        function,
        environment="dev",
        deployed_name="notes-dev-read",
        target="http://127.0.0.1:8000",
        values={"PAGE": "20", "AUDIENCE": "notes"},
        state=RunState(tmp_path),
        shared={"SORTKEY_CURSOR_SECRET": "s"},
    )

    folder = tmp_path.resolve()
    expected = {
        "ENVIRONMENT": "dev",
        "SORTKEY_TARGET": "http://127.0.0.1:8000",
        "SORTKEY_CURSOR_SECRET": "s",
        "LEVEL": "INFO",
        "SIZE": "20",
        "PAGE": "20",
        "AUDIENCE": "notes",
        "QUEUE_ROOM_EVENTS": (folder / "queues/room-events").as_uri(),
        "QUEUE_GOT": (folder / "queues/got").as_uri(),
        "BUCKET_REPORTS": (folder / "buckets/reports").as_uri(),
        "AWS_LAMBDA_FUNCTION_NAME": "notes-dev-read",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "256",
    }
    assert {name: found.get(name) for name in expected} == expected
    assert not {"AWS_SECRET_ACCESS_KEY", "EDITOR"} & found.keys()
