"""CommitCollect over HTTP: users reach only their own records."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.systems.commitcollect.people import (
    SPRING,
    Clock,
    connected,
    goal,
    ride,
    signed_in,
    statue,
    under_way,
)
from tests.systems.sending import Send, sending

from sortkey import DB
from sortkey.access.filling import fill
from sortkey_systems.api.callers import Caller
from sortkey_systems.commitcollect import deleting
from sortkey_systems.commitcollect.api import api, demo_caller, trial
from sortkey_systems.commitcollect.deleting import SETTLED_AFTER, FinishedDeletions
from sortkey_systems.commitcollect.design.accounts import UserProfile, profile
from sortkey_systems.commitcollect.design.sessions import Session
from sortkey_systems.commitcollect.design.strava import connected_athlete
from sortkey_systems.commitcollect.design.workouts import Workout, workout
from sortkey_systems.commitcollect.generator import records
from sortkey_systems.commitcollect.publishing import publish

STRAVA = frozenset({"strava"})
EDITOR = frozenset({"editor"})
AUDITOR = frozenset({"auditor"})
ERASER = frozenset({"eraser"})
OPERATOR = frozenset({"operator"})
EVERY_ROLE = STRAVA | EDITOR | AUDITOR | ERASER | OPERATOR

EVENT = {"aspect": "create", "object_id": "1", "athlete_id": "77", "event_time": f"{SPRING:%FT%TZ}"}
ACTIVITY = {"sport_type": "Ride", "start_date": f"{SPRING:%FT%TZ}", "distance_meters": "60000"}
GOAL = {
    "model_id": "nike",
    "sport": "RIDE",
    "target_type": "DISTANCE_METERS",
    "total_target": 100_000,
    "parts_total": 4,
    "period_start": "2031-02-01T00:00:00Z",
}
PART = {"part_name": "head", "mesh_file": "thinker/01.glb", "attach_point": "neck"}
MODEL = {"model_id": "thinker", "name": "Le Penseur", "parts": [PART, PART]}


@pytest.fixture
def send(db: DB) -> Iterator[Send]:
    with sending(api, db) as send:
        yield send


def opened(send: Send, who: str = "ada") -> str:
    """Return the id of a new session."""
    return send(who, "POST", "/sessions").json()["session_id"]


def granted(session_id: str, state: str, athlete_id: str = "77") -> dict[str, str]:
    return {
        "session_id": session_id,
        "state": state,
        "athlete_id": athlete_id,
        "access_token": "hush-access",
        "refresh_token": "hush-refresh",
        "expires_at": "2031-03-01T06:00:00Z",
        "scope": "read",
    }


def kind(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"].removeprefix("urn:problem:")


# Signing in and out.


def test_the_first_sign_in_creates_an_account(send: Send) -> None:
    first, second = send("ada", "POST", "/sessions"), send("ada", "POST", "/sessions")

    assert first.status_code == second.status_code == 201
    assert (first.json()["is_new"], second.json()["is_new"]) == (True, False)
    data = send("ada", "GET", "/me").json()
    assert (data["user_id"], data["email"]) == ("ada", "ada@example.org")


def test_a_session_names_its_user_until_it_is_ended(send: Send) -> None:
    session = opened(send)
    assert send("unused", "GET", "/me", token=session).json()["user_id"] == "ada"

    assert send("unused", "DELETE", "/sessions/current", token=session).status_code == 204

    assert kind(send("unused", "GET", "/me", token=session)) == (401, "not-signed-in")
    assert kind(send("unused", "DELETE", "/sessions/current", token=session))[0] == 401


def test_a_session_is_over_after_thirty_days(send: Send, now: Clock) -> None:
    session = opened(send)
    now.pass_by(days=30)

    assert send("unused", "GET", "/workouts", token=session).status_code == 401


def test_a_session_opens_no_other(send: Send) -> None:
    assert send("unused", "POST", "/sessions", token=opened(send)).status_code == 401


@pytest.mark.parametrize("token", ["nonsense", "a.b.c", "#", "x" * 200])
def test_an_invalid_token_is_rejected(send: Send, token: str) -> None:
    answer = send("ada", "GET", "/workouts", token=token)

    assert kind(answer) == (401, "not-signed-in")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_sessions_are_listed_without_their_ids(send: Send, now: Clock) -> None:
    first = opened(send)
    now.pass_by(seconds=1)
    second = opened(send)
    opened(send, "bob")

    answer = send("unused", "GET", "/sessions", token=second)

    assert [session["is_current"] for session in answer.json()] == [False, True]
    assert first not in answer.text
    assert second not in answer.text


def test_a_session_can_only_end_itself(send: Send) -> None:
    session = opened(send)

    assert send("ada", "DELETE", "/sessions/current").status_code == 401
    assert send("unused", "GET", "/me", token=session).status_code == 200


def test_a_user_without_an_account_gets_an_error(send: Send) -> None:
    assert kind(send("eve", "GET", "/me")) == (404, "account-not-found")
    publish_nike(send)
    assert kind(send("eve", "POST", "/milestones", json=GOAL)) == (404, "account-not-found")


def test_an_account_is_deleted_with_its_sessions(send: Send, db: DB, now: Clock) -> None:
    session = connected(db).session_id

    begun = send("unused", "DELETE", "/me", token=session)

    assert begun.json()["is_complete"] is False
    assert db(connected_athlete("ada")) is None
    assert send("unused", "GET", "/me", token=session).status_code == 401
    assert kind(send("ada", "GET", "/me")) == (404, "account-not-found")
    assert kind(send("ada", "POST", "/sessions")) == (409, "deletion-under-way")
    now.seconds += SETTLED_AFTER.total_seconds()
    finished = send("clock", "POST", "/deletions/finish", roles=ERASER)
    assert finished.json() == {"finished": 1, "failed": 0}
    assert db(profile("ada")) is None
    assert send("ada", "DELETE", "/me").json() == {"is_complete": True, "retry_at": None}
    assert send("ada", "POST", "/sessions").json()["is_new"]


def test_a_deletion_that_fails_is_logged(
    send: Send, db: DB, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(*_: object) -> FinishedDeletions:
        return FinishedDeletions((), {"ada": OSError("the line is cut")})

    monkeypatch.setattr(deleting, "finish_deletions", failing)

    answer = send("clock", "POST", "/deletions/finish", roles=ERASER)

    assert answer.json() == {"finished": 0, "failed": 1}
    assert "could not finish the deletion of ada" in caplog.text


def test_an_operator_changes_the_plan_and_the_role(send: Send, db: DB) -> None:
    signed_in(db)

    for path, body in (("plan", {"plan": "pro"}), ("role", {"role": "admin"})):
        changed = send("olga", "PUT", f"/accounts/ada/{path}", roles=OPERATOR, json=body)
        assert body.items() <= changed.json().items()
        assert send("ada", "GET", "/me").json() == changed.json()
        unknown = send("olga", "PUT", f"/accounts/eve/{path}", roles=OPERATOR, json=body)
        assert kind(unknown) == (404, "account-not-found")
        wrong = send("olga", "PUT", f"/accounts/ada/{path}", roles=OPERATOR, json={path: "gold"})
        assert wrong.status_code == 422


# Strava.


def test_a_user_who_returns_from_strava_is_connected(send: Send) -> None:
    session = opened(send)
    state = send("unused", "POST", "/strava/states", token=session).json()["state"]

    body = granted(session, state)
    assert send("strava", "POST", "/strava/grants", roles=STRAVA, json=body).status_code == 204

    assert send("ada", "GET", "/strava").json() == {"athlete_id": "77"}
    assert send("ada", "DELETE", "/strava").status_code == 204
    assert kind(send("ada", "GET", "/strava")) == (404, "not-connected")
    assert send("ada", "DELETE", "/strava").status_code == 204


def test_connecting_begins_in_a_session(send: Send) -> None:
    opened(send)

    assert kind(send("ada", "POST", "/strava/states")) == (401, "not-signed-in")


def test_a_user_cannot_connect_an_athlete_by_naming_it(send: Send, db: DB) -> None:
    session = opened(send)
    state = send("unused", "POST", "/strava/states", token=session).json()["state"]

    body = granted(session, state)
    assert kind(send("ada", "POST", "/strava/grants", json=body)) == (403, "not-allowed")
    with_session = send("unused", "POST", "/strava/grants", token=session, json=body)
    assert with_session.status_code == 401
    assert db(connected_athlete("ada")) is None


def test_a_state_is_used_once_and_in_its_session(send: Send) -> None:
    mine, other = opened(send), opened(send, "bob")
    state = send("unused", "POST", "/strava/states", token=mine).json()["state"]

    for body, status in (
        (granted(other, state), 409),
        (granted("nonsense", state), 401),
        (granted(mine, state), 204),
        (granted(mine, state), 409),
    ):
        answer = send("strava", "POST", "/strava/grants", roles=STRAVA, json=body)
        assert answer.status_code == status


def test_an_athlete_of_another_user_is_rejected(send: Send, db: DB) -> None:
    connected(db, "bob", "77")
    session = opened(send)
    state = send("unused", "POST", "/strava/states", token=session).json()["state"]

    body = granted(session, state)
    refused = send("strava", "POST", "/strava/grants", roles=STRAVA, json=body)

    assert kind(refused) == (409, "athlete-already-connected")


def test_an_event_is_applied_once(send: Send, db: DB) -> None:
    connected(db)

    body = {**EVENT, "activity": ACTIVITY}
    first = send("strava", "POST", "/strava/events", roles=STRAVA, json=body)
    second = send("strava", "POST", "/strava/events", roles=STRAVA, json=body)

    assert (first.json(), second.json()) == ({"outcome": "applied"}, {"outcome": "repeated"})
    assert db(workout("ada", "1")) is not None


def test_an_event_needs_its_activity_unless_it_is_a_deletion(send: Send, db: DB) -> None:
    connected(db)

    refused = send("strava", "POST", "/strava/events", roles=STRAVA, json=EVENT)
    gone = {**EVENT, "aspect": "delete"}
    taken = send("strava", "POST", "/strava/events", roles=STRAVA, json=gone)

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "activity"
    assert taken.json() == {"outcome": "applied"}
    assert send("ada", "GET", "/workouts/1").status_code == 404


def test_an_event_is_taken_from_strava_only(send: Send, db: DB) -> None:
    session = connected(db).session_id

    body = {**EVENT, "activity": ACTIVITY}
    assert kind(send("ada", "POST", "/strava/events", json=body)) == (403, "not-allowed")
    assert send("", "POST", "/strava/events", token=session, json=body).status_code == 401
    assert db(workout("ada", "1")) is None


def test_no_error_shows_the_template_of_a_key(send: Send, db: DB) -> None:
    connected(db)

    body = {**EVENT, "activity": {**ACTIVITY, "start_date": "1969-11-01T00:00:00Z"}}
    answer = send("strava", "POST", "/strava/events", roles=STRAVA, json=body)

    assert kind(answer) == (422, "bad-input")
    assert answer.json()["detail"].endswith(": the value cannot be stored")


def test_an_event_of_an_athlete_without_owner_changes_nothing(send: Send) -> None:
    body = {**EVENT, "activity": ACTIVITY}
    answer = send("strava", "POST", "/strava/events", roles=STRAVA, json=body)

    assert answer.json() == {"outcome": "no owner"}


# Workouts.


def test_workouts_come_in_pages(send: Send, db: DB) -> None:
    connected(db)
    for number in range(45):
        ride(db, f"{number}", 1_000)

    pages: list[list[str]] = []
    cursor: str | None = None
    while cursor is not None or not pages:
        params = {"cursor": cursor} if cursor else {}
        page = send("ada", "GET", "/workouts", params=params).json()
        pages.append([each["activity_id"] for each in page["items"]])
        cursor = page["cursor"]

    assert [len(page) for page in pages] == [20, 20, 5]
    assert {each for page in pages for each in page} == {f"{number}" for number in range(45)}


def test_a_cursor_of_another_user_is_rejected(send: Send, db: DB) -> None:
    connected(db)
    for number in range(21):
        ride(db, f"{number}", 1_000)
    cursor = send("ada", "GET", "/workouts").json()["cursor"]

    assert send("eve", "GET", "/workouts", params={"cursor": cursor}).status_code == 400


def test_workouts_of_a_sport_since_a_moment(send: Send, db: DB) -> None:
    connected(db)
    ride(db, "1", 1_000)
    ride(db, "2", 1_000, sport_type="Run")

    def listed(sport: str, since: str) -> list[str]:
        answer = send("ada", "GET", f"/sports/{sport}/workouts", params={"since": since})
        return [each["activity_id"] for each in answer.json()]

    assert listed("RIDE", "2031-03-01T00:00:00Z") == ["1"]
    assert listed("RIDE", "2031-03-01T00:00:01Z") == []
    assert listed("RUN", "2031-03-01T01:00:00+01:00") == ["2"]


def test_a_user_cannot_reach_the_records_of_others(send: Send, db: DB) -> None:
    milestone_id = under_way(db).milestone_id
    ride(db, "1", 60_000)
    session = opened(send, "eve")

    for more in ({}, {"token": session}):
        assert send("eve", "GET", "/workouts", **more).json()["items"] == []
        assert send("eve", "GET", "/workouts/1", **more).status_code == 404
        assert send("eve", "GET", f"/milestones/{milestone_id}", **more).status_code == 404
        assert send("eve", "GET", f"/milestones/{milestone_id}/awards", **more).status_code == 404
        recomputed = send("eve", "POST", f"/milestones/{milestone_id}/recompute", **more)
        assert kind(recomputed) == (404, "milestone-not-found")
    assert send("ada", "GET", "/workouts/1").json()["distance_meters"] == "60000"


# Milestones.


def publish_nike(send: Send) -> None:
    parts = [PART] * 4
    body = {"model_id": "nike", "name": "Níkē", "parts": parts}
    assert send("ed", "POST", "/models", roles=EDITOR, json=body).status_code == 201


def test_a_milestone_is_set_and_earns_its_parts(send: Send, db: DB) -> None:
    connected(db)
    publish_nike(send)

    made = send("ada", "POST", "/milestones", json=GOAL)
    milestone_id = made.json()["milestone_id"]
    ride(db, "1", 60_000)
    recomputed = send("ada", "POST", f"/milestones/{milestone_id}/recompute").json()
    data = send("ada", "GET", f"/milestones/{milestone_id}").json()

    assert made.status_code == 201
    assert recomputed["minted"] == [1, 2]
    assert data["milestone"]["parts_earned"] == 2
    assert [award["part_index"] for award in data["awards"]] == [1, 2]
    assert send("ada", "GET", f"/milestones/{milestone_id}/awards").json() == data["awards"]
    assert send("ada", "GET", "/milestones").json() == [data["milestone"]]


def test_the_acting_user_is_never_taken_from_the_body(send: Send, db: DB) -> None:
    signed_in(db)
    publish(db, *statue())

    body = {**GOAL, "user_id": "ada"}
    answer = send("eve", "POST", "/milestones", json=body)

    assert kind(answer) == (422, "malformed")
    assert send("eve", "POST", "/milestones", json=GOAL).status_code == 404
    assert send("ada", "GET", "/milestones", params={"user_id": "eve"}).json() == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("total_target", 0),
        ("total_target", -1),
        ("total_target", 10**12),
        ("parts_total", 100),
        ("parts_total", 3),
        ("period_start", "2031-02-01"),
        ("sport", "CHESS"),
        ("model_id", "a#b"),
    ],
)
def test_an_invalid_target_is_rejected_by_field(
    send: Send, db: DB, field: str, value: object
) -> None:
    signed_in(db)
    publish(db, *statue())

    answer = send("ada", "POST", "/milestones", json={**GOAL, field: value})

    assert answer.status_code == 422
    assert field in answer.json()["errors"][0]["field"]


def test_a_model_that_is_unknown_or_retired_cannot_be_chosen(send: Send, db: DB) -> None:
    signed_in(db)
    assert kind(send("ada", "POST", "/milestones", json=GOAL)) == (404, "model-unavailable")
    publish(db, *statue())
    goal(db)

    send("ed", "POST", "/models/nike/retire", roles=EDITOR)

    assert kind(send("ada", "POST", "/milestones", json=GOAL)) == (404, "model-unavailable")


# Models.


def test_a_model_is_published_once_and_retired(send: Send) -> None:
    made = send("ed", "POST", "/models", roles=EDITOR, json=MODEL)

    assert made.status_code == 201
    assert made.json()["parts_total"] == 2
    again = send("ed", "POST", "/models", roles=EDITOR, json=MODEL)
    assert kind(again) == (409, "model-exists")
    assert send("ada", "GET", "/models").json() == [made.json()]
    assert [part["index"] for part in send("ada", "GET", "/models/thinker").json()["parts"]] == [
        1,
        2,
    ]

    retired = send("ed", "POST", "/models/thinker/retire", roles=EDITOR)

    assert retired.json()["status"] == "RETIRED"
    assert send("ada", "GET", "/models").json() == []
    assert send("ada", "GET", "/models/thinker").json()["model"] == retired.json()
    assert send("ada", "GET", "/models/none").status_code == 404
    assert send("ed", "POST", "/models/none/retire", roles=EDITOR).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "wanted"),
    [
        ("POST", "/models", "editor"),
        ("POST", "/models/nike/retire", "editor"),
        ("POST", "/strava/events", "strava"),
        ("POST", "/strava/grants", "strava"),
        ("GET", "/audit/users/ada?since=2031-03-01T00:00:00Z", "auditor"),
        ("GET", "/audit/correlations/r", "auditor"),
        ("POST", "/deletions/finish", "eraser"),
        ("PUT", "/accounts/ada/plan", "operator"),
        ("PUT", "/accounts/ada/role", "operator"),
        ("GET", "/audit/types/AUTH_LOGIN/2031-03", "auditor"),
    ],
)
def test_a_role_does_nothing_of_another(send: Send, method: str, path: str, wanted: str) -> None:
    others = EVERY_ROLE - {wanted}

    answer = send("ada", method, path, roles=others, json=None if method == "GET" else {})

    assert kind(answer) == (403, "not-allowed")
    assert answer.json()["detail"] == f"this requires the role {wanted}"


# Audit.


def test_an_auditor_finds_what_happened(send: Send, now: Clock) -> None:
    request_id = send("ada", "POST", "/sessions").headers["x-request-id"]
    send("bob", "POST", "/sessions")

    def listed(path: str, **params: str) -> list[str]:
        answer = send("amy", "GET", path, roles=AUDITOR, params=params)
        return [event["user_id"] for event in answer.json()["items"]]

    moment = f"{now.moment:%FT%TZ}"
    assert listed("/audit/users/ada", since=moment, until=moment) == ["ada"]
    assert listed("/audit/users/eve", since="2026-01-01T00:00:00Z", until=moment) == []
    assert listed(f"/audit/correlations/{request_id}") == ["ada"]
    assert sorted(listed(f"/audit/types/AUTH_SIGNUP/{now.moment:%Y-%m}")) == ["ada", "bob"]


def test_requests_with_one_correlation_id_are_found_together(send: Send, db: DB) -> None:
    under_way(db)
    ride(db, "1", 60_000)
    [goal] = send("ada", "GET", "/milestones").json()
    headers = {"x-correlation-id": "journey-1"}

    opened = send("ada", "POST", "/sessions", headers=headers)
    send("ada", "POST", f"/milestones/{goal['milestone_id']}/recompute", headers=headers)
    send("ada", "DELETE", "/me", headers=headers)

    assert opened.headers["x-correlation-id"] == "journey-1"
    assert opened.headers["x-request-id"] != "journey-1"
    found = send("amy", "GET", "/audit/correlations/journey-1", roles=AUDITOR).json()["items"]
    assert Counter(event["event_type"] for event in found) == {
        "AUTH_LOGIN": 1,
        "MILESTONE_PART_MINTED": 1,
        "ACCOUNT_DELETE": 2,
    }
    assert len({event["request_id"] for event in found}) == 3


@pytest.mark.parametrize("sent", ["", "a#b", "a b", "x" * 129, None])
def test_without_a_valid_correlation_id_it_is_the_request_id(send: Send, sent: str | None) -> None:
    headers = {} if sent is None else {"x-correlation-id": sent}

    answer = send("ada", "POST", "/sessions", headers=headers)

    assert answer.headers["x-correlation-id"] == answer.headers["x-request-id"]


def test_audit_events_come_in_pages(send: Send, now: Clock) -> None:
    for _ in range(51):
        send("ada", "POST", "/sessions")

    path = "/audit/users/ada?since=2026-01-01T00:00:00Z"
    first = send("amy", "GET", path, roles=AUDITOR).json()
    now.pass_by(seconds=1)
    params = {"since": "2026-01-01T00:00:00Z", "cursor": first["cursor"]}
    second = send("amy", "GET", "/audit/users/ada", roles=AUDITOR, params=params).json()

    assert (len(first["items"]), len(second["items"])) == (50, 1)
    assert second["cursor"] is None


def test_a_range_that_ends_before_it_begins_is_rejected(send: Send) -> None:
    params = {"since": "2031-03-02T00:00:00Z", "until": "2031-03-01T00:00:00Z"}
    answer = send("amy", "GET", "/audit/users/ada", roles=AUDITOR, params=params)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "until"


# All operations.


def test_no_secret_is_in_any_response(send: Send, db: DB, now: Clock) -> None:
    milestone_id = under_way(db).milestone_id
    session = opened(send)
    state = send("unused", "POST", "/strava/states", token=session).json()["state"]
    answers = [
        send("strava", "POST", "/strava/grants", roles=STRAVA, json=granted(session, state)),
        send("strava", "POST", "/strava/grants", roles=STRAVA, json=granted(session, state)),
        send("strava", "POST", "/strava/grants", roles=STRAVA, json={"access_token": "hush"}),
        send("amy", "GET", "/audit/users/ada?since=2026-01-01T00:00:00Z", roles=AUDITOR),
    ]
    for path in ("/me", "/sessions", "/strava", "/workouts", f"/milestones/{milestone_id}"):
        answers += [send("unused", "GET", path, token=session)]

    text = "\n".join(answer.text for answer in answers)

    assert '"athlete_id":"77"' in text
    assert "hush" not in text
    assert session not in text
    assert state not in text


@pytest.mark.parametrize("users", [1, 2, 100])
@pytest.mark.parametrize("later", [{}, {"minutes": 30}], ids=["at once", "later"])
def test_a_ride_of_a_demo_earns_parts(
    memory: DB, now: Clock, users: int, later: dict[str, float]
) -> None:
    for group in records(users):
        fill(memory, group)
    now.pass_by(seconds=2)
    tried = trial(memory, records(users))
    now.pass_by(**later)

    assert len(tried.requests) == 3
    assert len({request.user_id for request in tried.requests} - {"strava"}) == 2
    answers: list[Any] = []
    with TestClient(tried.app) as client:
        for request in tried.requests:
            headers = {"authorization": f"Bearer {tried.tokens[request.user_id]}"}
            answer = client.request(
                request.method, request.path, headers=headers, json=request.body
            )
            answers.append(answer)

    applied, earned, refused = answers
    assert applied.json() == {"outcome": "applied"}
    assert earned.json()["minted"] == [1, 2]
    assert kind(refused) == (404, "milestone-not-found")


def test_the_data_of_a_demo_ends_now(memory: DB, now: Clock) -> None:
    made = [record for group in records(20) for record in group]

    rides = [record for record in made if isinstance(record, Workout)]
    starts = [ride.start_date_utc for ride in rides if ride.start_date_utc]
    assert now.moment - timedelta(days=30) < max(starts) <= now.moment
    assert all(ride.event_time_utc and ride.event_time_utc <= now.moment for ride in rides)
    kept = [record for record in made if isinstance(record, Session)]
    assert all(session.expires_at_utc > now.moment for session in kept)


def test_every_generated_user_can_sign_in(db: DB) -> None:
    signed_in(db)
    found = db(profile("ada"))

    assert isinstance(found, UserProfile)
    assert demo_caller(found) == Caller("ada", "ada@example.org")
    assert demo_caller(object()) is None
