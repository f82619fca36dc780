"""Each listed access pattern has an HTTP operation; mistakes can be corrected over HTTP."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.systems.gymcoach.people import joined
from tests.systems.gymcoach.test_api import ADVICE, COACH, MESSENGER, METRICS, TREND, kind
from tests.systems.sending import Send, sending

from sortkey import DB
from sortkey.access.filling import fill
from sortkey_systems.gymcoach.accounts import account, change_account
from sortkey_systems.gymcoach.api import api, trial
from sortkey_systems.gymcoach.design import device_token
from sortkey_systems.gymcoach.generator import records

GAIN = {
    "exercise_id": "squat",
    "exercise_name": "Squat",
    "current_max_weight": "100",
    "previous_max_weight": "90",
    "period": "week",
    "trend": "increasing",
    "day": "2032-02-28",
}


@pytest.fixture
def send(db: DB) -> Iterator[Send]:
    """Ada and Eve have accounts."""
    joined(db, "ada")
    joined(db, "eve")
    with sending(api, db) as send:
        yield send


def squats(weight: str) -> dict[str, object]:
    done = {"set_number": 1, "reps": 5, "weight": weight, "completed": True}
    return {"exercises": [{"exercise_id": "squat", "name": "Squat", "order": 1, "sets": [done]}]}


def test_a_mistyped_weight_is_corrected(send: Send) -> None:
    goal = {"milestone_type": "s", "title": "100", "exercise_id": "squat", "target_value": 100}
    aim = send("ada", "POST", "/milestones", json=goal).json()["id"]
    begun = send("ada", "POST", "/sessions", json={"name": "Legs", **squats("967")}).json()
    path = f"/sessions/{begun['id']}"
    assert send("ada", "POST", f"{path}/finish", json={}).json()["milestones"][0]["achieved"]

    corrected = send("ada", "PUT", f"{path}/exercises", json=squats("96.7"))

    assert corrected.status_code == 200
    assert corrected.json()["completed_at"] is not None
    fitness = send("ada", "GET", "/fitness").json()
    assert fitness["current_strength_levels"] == {"squat": "96.7"}
    found = send("ada", "GET", f"/milestones/{aim}").json()
    assert (found["achieved"], found["current_value"]) == (False, "96.7")
    [gain] = send("ada", "GET", "/strength").json()["items"]
    assert gain["current_max_weight"] == "96.7"


def test_a_gain_in_strength_is_created_updated_and_deleted(send: Send) -> None:
    made = send("ada", "POST", "/strength", json=GAIN)
    assert (made.status_code, made.json()["weight_increase"]) == (201, "10")
    assert kind(send("ada", "POST", "/strength", json=GAIN)) == (409, "record-exists")
    path = "/strength/2032-02-28/squat"
    changed = send("ada", "PATCH", path, json={"current_max_weight": "108"})
    assert changed.json()["percentage_increase"] == "20.00"
    assert kind(send("eve", "PATCH", path, json={})) == (404, "record-not-found")
    assert send("ada", "DELETE", path).status_code == 204
    assert kind(send("ada", "GET", path)) == (404, "record-not-found")


@pytest.mark.parametrize(
    ("listed", "body", "key", "change"),
    [
        ("metrics", METRICS, "month/2032-02-01", {"volume_increase": "0.5"}),
        ("trends", TREND, "2032-02-01/strength/month", {"trend_strength": "0.5"}),
    ],
)
def test_coaches_update_and_delete_metrics_and_trends(
    send: Send, listed: str, body: dict[str, str], key: str, change: dict[str, str]
) -> None:
    send("coach", "POST", f"/users/ada/{listed}", json=body, roles=COACH)
    path = f"/users/ada/{listed}/{key}"
    changed = send("coach", "PATCH", path, json=change, roles=COACH).json()
    assert {name: changed[name] for name in change} == change
    assert send("ada", "GET", f"/{listed}/{key}").json() == changed
    assert send("coach", "DELETE", path, roles=COACH).status_code == 204
    assert kind(send("ada", "GET", f"/{listed}/{key}")) == (404, "record-not-found")


def test_coaches_update_recommendations_that_have_not_expired(send: Send) -> None:
    made = send("coach", "POST", "/users/ada/recommendations", json=ADVICE, roles=COACH).json()
    path = f"/users/ada/recommendations/{made['id']}"
    changed = send("coach", "PATCH", path, json={"priority": 5}, roles=COACH).json()
    assert changed == made | {"priority": 5}
    old = {"expires_at": "2020-01-01T00:00:00Z"}
    assert kind(send("coach", "PATCH", path, json=old, roles=COACH)) == (422, "bad-input")
    expired = send("coach", "POST", "/users/ada/recommendations", json=ADVICE | old, roles=COACH)
    assert kind(expired) == (422, "bad-input")
    of_eve = path.replace("ada", "eve")
    assert kind(send("coach", "PATCH", of_eve, json={}, roles=COACH)) == (404, "record-not-found")


def test_a_fitness_profile_is_deleted_and_created_again(send: Send) -> None:
    assert kind(send("ada", "POST", "/fitness", json={})) == (409, "record-exists")
    assert send("ada", "DELETE", "/fitness").status_code == 204
    assert kind(send("ada", "GET", "/fitness")) == (404, "record-not-found")
    made = send("ada", "POST", "/fitness", json={"fitness_goals": ["run"]})
    assert (made.status_code, made.json()["fitness_goals"]) == (201, ["run"])


def test_a_device_is_deactivated_by_its_owner_and_by_a_messenger(send: Send, db: DB) -> None:
    for device_id in ("d1", "d2"):
        token = {"device_token": "t", "platform": "ios"}
        send("ada", "PUT", f"/devices/{device_id}", json=token)
    assert send("ada", "PATCH", "/devices/d1", json={"is_active": False}).status_code == 200
    path = "/users/ada/devices/d2/deactivate"
    assert send("push", "POST", path, roles=MESSENGER).json()["is_active"] is False
    for device_id in ("d1", "d2"):
        found = db(device_token("ada", device_id))
        assert found is not None
        assert not found.is_active
    assert kind(send("eve", "PATCH", "/devices/d1", json={})) == (404, "record-not-found")


def test_an_email_address_is_changed_to_that_of_the_token(send: Send, db: DB) -> None:
    assert send("ada", "PATCH", "/me", json={"email": "eve@example.org"}).status_code == 422
    change_account(db, "ada", email="ada@old.example.org")
    changed = send("ada", "PUT", "/me/email")
    assert (changed.status_code, changed.json()["email"]) == (200, "ada@example.org")
    assert account(db, "ada").email == "ada@example.org"


def test_a_start_in_the_future_is_refused(send: Send) -> None:
    body = {"name": "Legs", "started_at": "2040-01-01T00:00:00Z"}
    assert kind(send("ada", "POST", "/sessions", json=body)) == (422, "bad-input")


def test_a_declined_notification_is_reported_to_the_messenger(send: Send) -> None:
    send("ada", "PATCH", "/preferences", json={"achievements": False})
    notice = {"notification_type": "achievement", "title": "t", "body": "b"}
    answer = send("m", "POST", "/users/ada/notifications", json=notice, roles=MESSENGER)
    assert kind(answer) == (409, "notification-declined")


def test_no_error_shows_the_template_of_a_key(send: Send) -> None:
    for path in ("/me", "/fitness", "/plans", "/preferences"):
        answer = send("a#b", "GET", path)
        assert answer.status_code == 422
        assert answer.json()["detail"] == "user_id: the value cannot be stored"


@pytest.mark.parametrize("users", [0, 1, 12])
def test_the_requests_of_the_demo_answer_as_they_say(memory: DB, users: int) -> None:
    groups = list(records(users))
    for group in groups:
        fill(memory, group)
    tried = trial(memory, groups)

    answers: list[Any] = []
    with TestClient(tried.app) as client:
        for request in tried.requests:
            headers = {"authorization": f"Bearer {tried.tokens[request.user_id]}"}
            answers.append(
                client.request(request.method, request.path, headers=headers, json=request.body)
            )

    statuses = [answer.status_code for answer in answers]
    assert statuses == ([200, 200, 404] if users else [201, 201, 404])
    if users:
        finished, evaluated, _ = (answer.json() for answer in answers)
        assert finished["strength"], "no exercise was heavier than before"
        assert finished["milestones"], "no milestone moved"
        assert evaluated["recommendations"], "no rule recommends anything"
    assert len({request.user_id for request in tried.requests}) == 2
