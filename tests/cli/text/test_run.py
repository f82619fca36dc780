"""The table of what runs fits a terminal, and shows how to get a token."""

from dataclasses import replace
from pathlib import Path

import pytest

from sortkey import HttpApi, Route
from sortkey.cli.text.run import started_text
from sortkey.local.started import Consumed, NextCall, ServedRoute, Started

api = HttpApi()


def started(folder: Path) -> Started:
    return Started(
        design="oneonone",
        environment="dev",
        state=folder,
        engine="http://127.0.0.1:8000",
        apis={"api": "http://127.0.0.1:8001"},
        issuer="http://127.0.0.1:8002",
        routes=[
            ServedRoute("api", Route(api, "POST /sessions/{session_id}/end"), "sessions"),
            ServedRoute("api", Route(api, "POST /webhooks/livekit", open=True), "webhooks"),
        ],
        schedules=[
            NextCall("matcher", "rate(1 minute)", 1_700_000_000.0),
            NextCall("old", "cron(0 3 1 1 ? 2020)", None),
        ],
        messages=[Consumed("room-events", "settle")],
        changes=[Consumed("OneOnOne", "notifier")],
        queues={"room-events": folder / "queues" / "room-events"},
        buckets={"reports": folder / "buckets" / "reports"},
        dead_letters={},
        fakes={"livekit": {"LIVEKIT_URL": "ws://127.0.0.1:7880"}},
    )


def test_everything_that_runs_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    text = started_text(started(tmp_path / ".sortkey/oneonone-dev"))

    assert text == (
        "oneonone runs on this machine, as environment dev.\n"
        "\n"
        "engine     http://127.0.0.1:8000\n"
        "API        http://127.0.0.1:8001  api\n"
        "           POST  /sessions/{session_id}/end  sessions\n"
        "           POST  /webhooks/livekit           webhooks  open\n"
        "tokens     TOKEN=$(curl -s http://127.0.0.1:8002/token/ann)\n"
        "           The keys of this issuer are for this machine only.\n"
        "schedules  rate(1 minute)        matcher  next 2023-11-14 22:13:20 UTC\n"
        "           cron(0 3 1 1 ? 2020)  old      next never\n"
        "changes    of OneOnOne  notifier\n"
        "messages   of room-events  settle\n"
        "folders    queue room-events  .sortkey/oneonone-dev/queues/room-events\n"
        "           bucket reports     .sortkey/oneonone-dev/buckets/reports\n"
        "fakes      livekit  LIVEKIT_URL=ws://127.0.0.1:7880\n"
        "state      .sortkey/oneonone-dev\n"
        "\n"
        "Stop with Ctrl-C."
    )
    assert max(map(len, text.splitlines())) <= 80


def test_what_there_is_not_is_left_out(tmp_path: Path) -> None:
    made = replace(
        started(tmp_path),
        apis={},
        issuer=None,
        routes=[],
        schedules=[],
        messages=[],
        changes=[],
        queues={},
        buckets={},
        fakes={},
    )

    assert [line[:10].strip() for line in started_text(made).splitlines()[2:4]] == [
        "engine",
        "state",
    ]
