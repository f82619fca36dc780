"""GymCoach over HTTP: everybody reaches what is theirs, and roles reach what they are for."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.systems.gymcoach.people import KEYS, advice, goal, joined, lifted, rule, started
from tests.systems.sending import Send, sending
from tests.systems.watch import Watch

from sortkey import DB, secret
from sortkey_systems.api.app import Operation
from sortkey_systems.api.callers import Caller
from sortkey_systems.gymcoach import deleting
from sortkey_systems.gymcoach.api import api, demo_caller
from sortkey_systems.gymcoach.api_models import (
    INTERNAL,
    response_model,
)
from sortkey_systems.gymcoach.design import GymCoach
from sortkey_systems.gymcoach.design.deleting import ERASURES
from sortkey_systems.gymcoach.design.people import UserProfile

EDITOR = frozenset({"editor"})
COACH = frozenset({"coach"})
MESSENGER = frozenset({"messenger"})
ERASER = frozenset({"eraser"})
EVERY_ROLE = EDITOR | COACH | MESSENGER | ERASER

SUMMARY = {"id": "squat", "name": "Squat", "category": "strength", "difficulty": "beginner"}
PLAN: dict[str, Any] = {
    "name": "Legs",
    "duration_weeks": 4,
    "frequency_per_week": 3,
    "exercises": [{"exercise_id": "squat", "name": "Squat", "sets": 2, "reps": 8, "order": 1}],
}
# Each kind of record that people keep for themselves: where, what is sent, and what changes.
KEPT: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "/plans": (PLAN, {"name": "Arms", "is_active": False}),
    "/substitutions": (
        {
            "original_exercise_id": "squat",
            "substitute_exercise_id": "lunge",
            "reason": "no barbell",
            "confidence_score": "0.8",
            "muscle_groups_match": True,
            "equipment_available": True,
            "difficulty_match": False,
        },
        {"reason": "a sore back"},
    ),
    "/adaptive-plans": (
        {
            "base_plan_id": "p1",
            "adaptation_reason": "taste",
            "adaptations": [
                {
                    "exercise_id": "squat",
                    "adaptation_type": "substitute",
                    "original_exercise": SUMMARY,
                    "reason": "no barbell",
                }
            ],
        },
        {"is_active": False},
    ),
    "/recovery-plans": (
        {
            "plan_type": "deload",
            "duration_days": 7,
            "starts_at": "2032-03-01T00:00:00Z",
            "ends_at": "2032-03-08T00:00:00Z",
        },
        {"is_completed": True},
    ),
    "/photos": (
        {
            "photo_type": "front",
            "photo_url": "https://photos.example.org/1.jpg",
            "taken_at": "2032-03-01T09:00:00Z",
        },
        {"notes": "a good day"},
    ),
    "/charts": (
        {
            "chart_type": "body_measurement",
            "title": "Weight",
            "x_axis_label": "Date",
            "y_axis_label": "kg",
            "data_points": [{"x_value": "2032-03-01", "y_value": "71.5"}],
        },
        {"title": "Weight of <Ada>"},
    ),
    "/milestones": (
        {"milestone_type": "strength", "title": "100 kg", "target_value": "100"},
        {"title": "A hundred", "exercise_id": "squat"},
    ),
}
SETS = [{"set_number": 1, "reps": 8, "weight": "80", "completed": True}]
SQUATS = [{"exercise_id": "squat", "name": "Squat", "order": 1, "sets": SETS}]
RULE: dict[str, Any] = {
    "id": "more",
    "rule_type": "progression",
    "condition": {"field": "workout_count", "operator": "<", "value": 3, "time_window": 7},
    "action": {"action_type": "come_back", "message": "We miss you."},
    "priority": 3,
}
EXERCISE = {"id": "squat", "name": "Squat", "category": "strength"}
ADVICE = {
    "recommendation_type": "rest",
    "title": "Rest",
    "description": "Take a day off.",
    "reasoning": "You trained a lot.",
    "priority": 4,
    "expires_at": "2032-03-08T00:00:00Z",
}
METRICS = {
    "period": "month",
    "start_date": "2032-02-01",
    "end_date": "2032-02-29",
    "volume_increase": "0.12",
    "consistency_score": "0.9",
}
TREND = {
    "metric_type": "strength",
    "period": "month",
    "start_date": "2032-02-01",
    "end_date": "2032-02-29",
    "trend_direction": "upward",
    "trend_strength": "0.7",
}
WEIGHT = {
    "measurement_type": "weight",
    "value": "71.5",
    "unit": "kg",
    "measured_at": "2032-03-01T08:00:00Z",
}
INJURY = {
    "id": "i1",
    "body_part": "knee",
    "injury_type": "strain",
    "severity": "mild",
    "date_occurred": "2032-01-05",
}
NOTICE = {"notification_type": "hello", "title": "Hello", "body": "There.", "notification_id": "n1"}


@pytest.fixture
def send(db: DB) -> Iterator[Send]:
    """Ada and Eve have accounts."""
    joined(db, "ada")
    joined(db, "eve")
    with sending(api, db) as send:
        yield send


def kind(answer: Any) -> tuple[int, str]:
    """The status and the problem of an answer."""
    return answer.status_code, answer.json()["type"].removeprefix("urn:problem:")


def in_pages(send: Send, path: str, **more: Any) -> list[Any]:
    """All of Ada's list, page after page."""
    items: list[Any] = []
    cursor: str | None = None
    while True:
        given = {"cursor": cursor} if cursor else {}
        page = send("ada", "GET", path, params=given, **more).json()
        items += page["items"]
        cursor = page["cursor"]
        if cursor is None:
            return items


# Accounts.


def test_a_new_account_has_the_email_address_of_the_token(send: Send) -> None:
    assert kind(send("bob", "GET", "/me")) == (404, "account-not-found")

    made = send("bob", "POST", "/me", json={"name": "Bob", "experience_level": "advanced"})

    assert made.status_code == 201
    assert (made.json()["email"], made.json()["experience_level"]) == (
        "bob@example.org",
        "advanced",
    )
    assert send("bob", "GET", "/me").json() == made.json()
    assert send("bob", "GET", "/fitness").json()["recent_performance"] == []
    assert kind(send("bob", "POST", "/me", json={"name": "Bob"})) == (409, "account-exists")


def test_a_caller_cannot_register_another_user(send: Send) -> None:
    for field in ("user_id", "id", "email", "deleting_since", "created_at"):
        answer = send("bob", "POST", "/me", json={"name": "Bob", field: "ada"})
        assert kind(answer) == (422, "malformed")


def test_an_account_is_changed_in_part(send: Send) -> None:
    changed = send("ada", "PATCH", "/me", json={"fitness_goals": "Stronger"}).json()

    assert (changed["name"], changed["fitness_goals"]) == ("Ada", "Stronger")
    assert kind(send("ada", "PATCH", "/me", json={"name": None})) == (422, "bad-input")
    image = {"profile_image": "javascript:alert(1)"}
    assert kind(send("ada", "PATCH", "/me", json=image)) == (422, "malformed")
    assert kind(send("bob", "PATCH", "/me", json={"name": "x"})) == (404, "account-not-found")


def test_a_deleted_account_leaves_no_records(send: Send, watch: Watch) -> None:
    for path, (body, _) in KEPT.items():
        send("ada", "POST", path, json=body)

    first = send("ada", "DELETE", "/me").json()

    assert (first["is_complete"], first["deleted"]["WorkoutPlan"]) == (False, 1)
    for path, (body, _) in KEPT.items():
        assert kind(send("ada", "POST", path, json=body)) == (404, "account-not-found")
        assert send("ada", "GET", path).json()["items"] == []
    again = send("ada", "POST", "/me", json={"name": "Ada"})
    assert kind(again) == (409, "deletion-under-way")
    assert "is being deleted" in again.json()["detail"]
    watch.wait(minutes=5)
    done = send("op", "POST", "/deletions/finish", roles=ERASER)
    assert (done.status_code, done.json()) == (200, {"finished": 1, "failed": 0})
    assert send("ada", "DELETE", "/me").json() == {
        "deletion_id": None,
        "is_complete": True,
        "retry_at": None,
        "deleted": {},
    }
    assert kind(send("ada", "GET", "/me")) == (404, "account-not-found")
    assert send("eve", "GET", "/me").status_code == 200
    end = send("op", "GET", f"/finished-deletions/{first['deletion_id']}", roles=ERASER)
    assert (end.status_code, end.json()["id"]) == (200, first["deletion_id"])


def test_a_deletion_that_fails_is_counted_and_the_reason_logged(
    send: Send, watch: Watch, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    send("ada", "DELETE", "/me")
    watch.wait(minutes=5)

    def failing(*_: object) -> None:
        raise ValueError("unreadable")

    monkeypatch.setattr(deleting, "sweep", failing)
    done = send("op", "POST", "/deletions/finish", roles=ERASER)

    assert done.json() == {"finished": 0, "failed": 1}
    assert "could not finish the deletion of ada" in caplog.text
    assert "unreadable" in caplog.text


def test_a_list_can_begin_within_a_second(send: Send, db: DB) -> None:
    started(db, "s1")
    moment = "2032-03-01T09:30:00.5Z"
    assert send("ada", "GET", "/sessions", params={"since": moment}).json()["items"] == []
    assert len(send("ada", "GET", "/sessions", params={"until": moment}).json()["items"]) == 1


def test_a_user_can_export_all_records(send: Send, db: DB) -> None:
    started(db, "s1", lifted("squat", 80))
    send("ada", "PUT", "/devices/phone", json={"device_token": "hush-hush", "platform": "ios"})
    send("ada", "PUT", "/fitness/injuries", json={"injuries": [INJURY]})
    send("ada", "PATCH", "/preferences", json={"workout_reminder_time": "18:30"})

    result = send("ada", "GET", "/me/records")

    records = {each["kind"]: each["record"] for each in result.json()}
    assert records["UserFitnessProfile"]["injury_history"][0]["body_part"] == "knee"
    assert records["WorkoutSession"]["id"] == "s1"
    assert records["Reminder"]["at"] == "18:30"
    assert "hush" not in result.text
    assert "WorkoutSession" not in send("eve", "GET", "/me/records").text
    assert kind(send("bob", "GET", "/me/records")) == (404, "account-not-found")


def test_a_fitness_profile_is_returned_without_injuries(send: Send) -> None:
    body = {"injuries": [INJURY]}
    assert send("ada", "PUT", "/fitness/injuries", json=body).status_code == 204

    changed = send("ada", "PATCH", "/fitness", json={"fitness_goals": ["build_muscle"]})

    assert changed.json()["fitness_goals"] == ["build_muscle"]
    assert "knee" not in changed.text + send("ada", "GET", "/fitness").text
    assert send("ada", "GET", "/fitness/injuries").json()[0]["body_part"] == "knee"
    assert send("eve", "GET", "/fitness/injuries").json() == []
    for field in ("recent_performance", "current_strength_levels", "injury_history", "version"):
        answer = send("ada", "PATCH", "/fitness", json={field: []})
        assert kind(answer) == (422, "malformed")


# What people keep for themselves.


@pytest.mark.parametrize("path", KEPT)
def test_a_record_is_kept_read_changed_and_deleted(send: Send, path: str) -> None:
    body, changes = KEPT[path]
    made = send("ada", "POST", path, json=body)
    own = f"{path}/{made.json().get('id') or made.json()['chart_id']}"

    assert made.status_code == 201
    assert made.json()["user_id"] == "ada"
    assert send("ada", "GET", own).json() == made.json()
    changed = send("ada", "PATCH", own, json=changes).json()
    assert {name: changed[name] for name in changes} == changes
    assert changed.keys() == made.json().keys()
    assert send("ada", "GET", path).json()["items"] == [changed]
    assert send("ada", "DELETE", own).status_code == 204
    assert send("ada", "GET", path).json()["items"] == []
    for method in ("GET", "PATCH", "DELETE"):
        answer = send("ada", method, own, json={} if method == "PATCH" else None)
        assert kind(answer) == (404, "record-not-found")


@pytest.mark.parametrize("path", KEPT)
def test_a_caller_cannot_reach_the_records_of_others(send: Send, path: str) -> None:
    body, changes = KEPT[path]
    made = send("ada", "POST", path, json=body).json()
    own = f"{path}/{made.get('id') or made['chart_id']}"

    for method in ("GET", "PATCH", "DELETE"):
        sent = changes if method == "PATCH" else None
        answer = send("eve", method, own, json=sent, roles=EVERY_ROLE)
        assert kind(answer) == (404, "record-not-found")
    assert send("eve", "GET", path, roles=EVERY_ROLE).json()["items"] == []
    assert send("ada", "GET", own).json() == made


@pytest.mark.parametrize("path", KEPT)
def test_whose_a_record_is_is_never_taken_from_the_body(send: Send, path: str) -> None:
    body, changes = KEPT[path]
    made = send("ada", "POST", path, json=body).json()
    own = f"{path}/{made.get('id') or made['chart_id']}"

    for field in ("user_id", "id", "chart_id", "created_at", "active_for"):
        assert kind(send("eve", "POST", path, json={**body, field: "ada"})) == (422, "malformed")
        assert kind(send("ada", "PATCH", own, json={**changes, field: "eve"})) == (422, "malformed")


def test_records_come_in_pages_that_join(send: Send, watch: Watch) -> None:
    body, _ = KEPT["/milestones"]
    made: list[str] = []
    for _ in range(30):
        watch.wait(seconds=1)
        made.append(send("ada", "POST", "/milestones", json=body).json()["id"])

    assert [each["id"] for each in in_pages(send, "/milestones")] == made[::-1]
    first = send("ada", "GET", "/milestones").json()
    assert len(first["items"]) == 25
    answer = send("eve", "GET", "/milestones", params={"cursor": first["cursor"]})
    assert kind(answer) == (400, "bad-cursor")


def test_records_within_two_moments_include_both(send: Send) -> None:
    body, _ = KEPT["/photos"]
    for hour in (8, 9, 10, 11):
        send("ada", "POST", "/photos", json={**body, "taken_at": f"2032-03-01T{hour:02d}:00:00Z"})

    times = {"since": "2032-03-01T09:00:00Z", "until": "2032-03-01T10:00:00Z"}
    found = send("ada", "GET", "/photos", params=times).json()["items"]

    assert [each["taken_at"][11:13] for each in found] == ["10", "09"]
    wrong = {"since": times["until"], "until": times["since"]}
    assert kind(send("ada", "GET", "/photos", params=wrong)) == (422, "bad-input")


def test_a_caller_cannot_choose_where_a_photo_is_stored(send: Send) -> None:
    body, _ = KEPT["/photos"]
    made = send("ada", "POST", "/photos", json=body).json()

    assert made["s3_key"] == f"user-uploads/ada/{made['id']}"
    other = {**body, "s3_key": "user-uploads/eve/1"}
    assert kind(send("ada", "POST", "/photos", json=other)) == (422, "malformed")


def test_how_far_a_milestone_is_follows_from_its_values(send: Send) -> None:
    body, _ = KEPT["/milestones"]
    made = send("ada", "POST", "/milestones", json={**body, "current_value": "25"}).json()
    own = f"/milestones/{made['id']}"

    for said in ({"achieved": True}, {"progress_percentage": 1}, {"version": 1}):
        assert send("ada", "POST", "/milestones", json={**body, **said}).status_code == 422
        assert send("ada", "PATCH", own, json=said).status_code == 422
    assert (made["progress_percentage"], made["achieved"]) == ("25.00", False)
    assert send("ada", "PATCH", own, json={"current_value": "100"}).json()["achieved"]


def test_plans_that_are_over_are_not_active(send: Send) -> None:
    for path, active in (
        ("/plans", "/active-plans"),
        ("/adaptive-plans", "/active-adaptive-plans"),
    ):
        body, over = KEPT[path]
        made = send("ada", "POST", path, json=body).json()
        assert send("ada", "GET", active).json() == [made]
        assert send("eve", "GET", active).json() == []
        send("ada", "PATCH", f"{path}/{made['id']}", json={**over, "is_active": False})
        assert send("ada", "GET", active).json() == []


def test_a_chart_is_drawn_for_whose_it_is(send: Send) -> None:
    body, changes = KEPT["/charts"]
    made = send("ada", "POST", "/charts", json=body).json()
    path = f"/charts/{made['chart_id']}"
    send("ada", "PATCH", path, json=changes)

    picture = send("ada", "GET", f"{path}/picture")

    assert picture.headers["content-type"] == "image/svg+xml"
    assert picture.headers["content-security-policy"].startswith("default-src 'none'")
    assert "Weight of &lt;Ada&gt;" in picture.text
    assert kind(send("eve", "GET", f"{path}/picture")) == (404, "record-not-found")


def test_a_record_that_cannot_be_is_refused_by_its_field(send: Send) -> None:
    body, _ = KEPT["/recovery-plans"]
    back = {**body, "ends_at": "2032-02-01T00:00:00Z"}
    assert kind(send("ada", "POST", "/recovery-plans", json=back)) == (422, "bad-input")
    naive = {**body, "starts_at": "2032-03-01T00:00:00"}
    assert kind(send("ada", "POST", "/recovery-plans", json=naive)) == (422, "malformed")


def test_values_that_cannot_be_reckoned_with_are_refused(send: Send) -> None:
    """The greatest and the smallest that are taken make no error of what follows from them."""
    body, _ = KEPT["/milestones"]
    for target in ("1e-30", "1e100"):
        made = send("ada", "POST", "/milestones", json={**body, "target_value": target})
        own = f"/milestones/{made.json()['id']}"
        assert send("ada", "PATCH", own, json={"current_value": "1e10"}).status_code == 200
    for weight in ("1e-18", "1e10"):
        sets = [{**SETS[0], "weight": weight, "reps": 10**10}]
        squats = [{**SQUATS[0], "sets": sets * 50}]
        made = send("ada", "POST", "/sessions", json={"name": "Legs", "exercises": squats})
        finished = send("ada", "POST", f"/sessions/{made.json()['id']}/finish", json={})
        assert finished.status_code == 200
    for wrong in ({"weight": "1e11"}, {"weight": "1e-19"}, {"reps": 10**10 + 1}):
        squats = [{**SQUATS[0], "sets": [{**SETS[0], **wrong}]}]
        refused = send("ada", "POST", "/sessions", json={"name": "Legs", "exercises": squats})
        assert kind(refused) == (422, "malformed")


def test_unknown_fields_are_rejected_at_every_depth(send: Send) -> None:
    bodies: list[tuple[str, str, dict[str, Any], str]] = [
        ("POST", "/plans", PLAN, "exercises"),
        ("POST", "/charts", KEPT["/charts"][0], "data_points"),
        ("POST", "/sessions", {"name": "Legs", "exercises": SQUATS}, "exercises"),
        ("PUT", "/fitness/injuries", {"injuries": [INJURY]}, "injuries"),
    ]
    for method, path, body, field in bodies:
        wrong = {**body, field: [{**body[field][0], "user_id": "eve"}]}
        assert kind(send("ada", method, path, json=wrong)) == (422, "malformed"), path
        assert send("ada", method, path, json=body).status_code < 300, path


def test_a_plan_has_no_more_sets_than_a_workout(send: Send) -> None:
    def planned(sets: int) -> Any:
        exercises = [{**PLAN["exercises"][0], "sets": sets}]
        return send("ada", "POST", "/plans", json={**PLAN, "exercises": exercises})

    begun = {"name": "Legs", "workout_plan_id": planned(50).json()["id"]}
    assert send("ada", "POST", "/sessions", json=begun).status_code == 201
    assert kind(planned(51)) == (422, "malformed")


# Workouts.


def test_a_workout_is_begun_logged_and_finished_once(send: Send, db: DB, watch: Watch) -> None:
    goal(db, "g1", 100)
    plan = send("ada", "POST", "/plans", json=PLAN).json()
    begun = send("ada", "POST", "/sessions", json={"name": "Legs", "workout_plan_id": plan["id"]})
    path = f"/sessions/{begun.json()['id']}"

    assert begun.status_code == 201
    assert [each["completed"] for each in begun.json()["exercises"][0]["sets"]] == [False, False]
    noted = send("ada", "PATCH", path, json={"notes": "early"}).json()
    assert (noted["name"], noted["notes"]) == ("Legs", "early")
    logged = send("ada", "PUT", f"{path}/exercises", json={"exercises": SQUATS}).json()
    assert logged["exercises"][0]["sets"][0]["weight"] == "80"
    watch.wait(minutes=45)
    said = {"rating": 4, "efforts": {"squat": {"form_rating": 5}}}
    finished = send("ada", "POST", f"{path}/finish", json=said).json()

    assert (finished["session"]["duration_minutes"], finished["session"]["rating"]) == (45, 4)
    assert finished["fitness"]["current_strength_levels"] == {"squat": "80"}
    assert finished["fitness"]["recent_performance"][0]["exercises"][0]["form_rating"] == 5
    assert finished["strength"][0]["current_max_weight"] == "80"
    assert finished["milestones"][0]["progress_percentage"] == "80.00"
    assert send("ada", "GET", path).json() == finished["session"]
    assert send("ada", "GET", "/sessions").json()["items"] == [finished["session"]]
    assert kind(send("ada", "POST", f"{path}/finish", json={})) == (409, "session-finished")
    assert kind(send("ada", "PATCH", path, json={"name": "x"})) == (409, "session-finished")
    [strength] = send("ada", "GET", "/strength").json()["items"]
    assert strength == send("ada", "GET", "/strength/2032-03-01/squat").json()
    assert send("ada", "DELETE", path).status_code == 204
    fitness = send("ada", "GET", "/fitness").json()
    assert (fitness["recent_performance"], fitness["current_strength_levels"]) == ([], {})


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("PATCH", "", {"name": "mine"}),
        ("DELETE", "", None),
        ("PUT", "/exercises", {"exercises": []}),
        ("POST", "/finish", {}),
    ],
)
def test_a_caller_cannot_reach_the_workout_of_others(
    send: Send, db: DB, method: str, path: str, body: Any
) -> None:
    started(db, "s1", lifted("squat", 80))

    answer = send("eve", method, f"/sessions/s1{path}", json=body, roles=EVERY_ROLE)

    assert kind(answer) == (404, "record-not-found")
    assert send("ada", "GET", "/sessions/s1").json()["completed_at"] is None


def test_a_workout_is_not_begun_with_the_plan_of_others(send: Send) -> None:
    plan = send("ada", "POST", "/plans", json=PLAN).json()["id"]

    body = {"name": "Legs", "workout_plan_id": plan}
    assert kind(send("eve", "POST", "/sessions", json=body)) == (404, "record-not-found")
    assert kind(send("bob", "POST", "/sessions", json={"name": "x"})) == (404, "account-not-found")
    for field in ("user_id", "id", "completed_at", "session_id"):
        answer = send("eve", "POST", "/sessions", json={"name": "x", field: "ada"})
        assert kind(answer) == (422, "malformed")


# The library and the rules.


def test_editors_write_the_library_and_everybody_reads_it(send: Send) -> None:
    made = send("ed", "POST", "/exercises", roles=EDITOR, json=EXERCISE)

    assert made.status_code == 201
    again = send("ed", "POST", "/exercises", roles=EDITOR, json=EXERCISE)
    assert kind(again) == (409, "record-exists")
    changes = {"difficulty": "advanced"}
    changed = send("ed", "PATCH", "/exercises/squat", roles=EDITOR, json=changes).json()
    assert (changed["difficulty"], changed["name"]) == ("advanced", "Squat")
    assert send("ada", "GET", "/exercises/squat").json() == changed
    for path in (
        "/exercises",
        "/categories/strength/exercises",
        "/difficulties/advanced/exercises",
    ):
        assert send("ada", "GET", path).json()["items"] == [changed]
    for path in ("/categories/core/exercises", "/difficulties/beginner/exercises"):
        assert send("ada", "GET", path).json()["items"] == []
    assert send("ed", "DELETE", "/exercises/squat", roles=EDITOR).status_code == 204
    assert kind(send("ada", "GET", "/exercises/squat")) == (404, "record-not-found")


def test_the_library_comes_in_pages_that_join(send: Send) -> None:
    names = [f"e{number:02d}" for number in range(30)]
    for name in names:
        send("ed", "POST", "/exercises", roles=EDITOR, json={**EXERCISE, "id": name})

    for path in (
        "/exercises",
        "/categories/strength/exercises",
        "/difficulties/beginner/exercises",
    ):
        assert [each["id"] for each in in_pages(send, path)] == names


def test_a_rule_advises_once(send: Send) -> None:
    made = send("ed", "POST", "/rules", roles=EDITOR, json=RULE)
    assert made.status_code == 201

    first = send("ada", "POST", "/evaluations").json()
    second = send("co", "POST", "/users/ada/evaluations", roles=COACH).json()

    [recommended] = first["recommendations"]
    assert (recommended["user_id"], recommended["description"]) == ("ada", "We miss you.")
    assert second == {"recommendations": [], "invalid_rules": []}
    [stored] = send("ada", "GET", "/recommendations").json()["items"]
    assert stored["id"] == recommended["id"]
    assert send("eve", "GET", "/recommendations").json()["items"] == []
    assert kind(send("bob", "POST", "/evaluations")) == (404, "record-not-found")


def test_rules_are_written_by_editors(send: Send, db: DB) -> None:
    made = send("ed", "POST", "/rules", roles=EDITOR, json=RULE).json()

    assert send("ed", "GET", "/rules/more", roles=EDITOR).json() == made
    assert send("ed", "GET", "/rules", roles=EDITOR).json()["items"] == [made]
    assert send("ed", "GET", "/active-rules", roles=EDITOR).json() == [made]
    found = send("ed", "GET", "/active-rules?rule_type=recovery", roles=EDITOR)
    assert found.json() == []
    assert kind(send("ed", "POST", "/rules", roles=EDITOR, json=RULE)) == (409, "record-exists")
    off = send("ed", "PATCH", "/rules/more", roles=EDITOR, json={"is_active": False}).json()
    assert (off["is_active"], off["priority"]) == (False, 3)
    assert send("ed", "GET", "/active-rules?rule_type=progression", roles=EDITOR).json() == []
    assert send("ed", "DELETE", "/rules/more", roles=EDITOR).status_code == 204
    assert kind(send("ed", "GET", "/rules/more", roles=EDITOR)) == (404, "record-not-found")


@pytest.mark.parametrize(
    "wrong",
    [{"field": "mood"}, {"operator": "contains"}, {"value": "many"}, {"time_window": 0}],
)
def test_a_rule_that_cannot_be_evaluated_is_refused(send: Send, wrong: dict[str, Any]) -> None:
    condition = {**RULE["condition"], **wrong}
    made = send("ed", "POST", "/rules", roles=EDITOR, json={**RULE, "condition": condition})
    assert kind(made) == (422, "invalid-rule")

    send("ed", "POST", "/rules", roles=EDITOR, json=RULE)
    changed = send("ed", "PATCH", "/rules/more", roles=EDITOR, json={"condition": condition})
    assert kind(changed) == (422, "invalid-rule")


def test_an_invalid_rule_is_reported_and_the_others_are_evaluated(send: Send, db: DB) -> None:
    from sortkey_systems.gymcoach.crud import add
    from sortkey_systems.gymcoach.design.coaching import coaching_rules

    add(db, coaching_rules, rule("broken", field="mood"))
    send("ed", "POST", "/rules", roles=EDITOR, json=RULE)

    result = send("ada", "POST", "/evaluations").json()

    assert [each["rule_id"] for each in result["invalid_rules"]] == ["broken"]
    assert len(result["recommendations"]) == 1


# Advice.


def test_advice_is_applied_once(send: Send) -> None:
    made = send("co", "POST", "/users/ada/recommendations", roles=COACH, json=ADVICE)
    path = f"/recommendations/{made.json()['id']}"

    assert made.status_code == 201
    assert send("ada", "GET", "/open-recommendations").json()["items"] == [made.json()]
    applied = send("ada", "POST", f"{path}/apply").json()
    assert applied == {**made.json(), "is_applied": True}
    assert send("ada", "GET", "/open-recommendations").json()["items"] == []
    assert kind(send("ada", "POST", f"{path}/apply")) == (409, "already-applied")
    assert send("ada", "GET", path).json() == applied
    assert send("ada", "DELETE", path).status_code == 204
    assert kind(send("ada", "GET", path)) == (404, "record-not-found")
    missing = send("co", "POST", "/users/bob/recommendations", roles=COACH, json=ADVICE)
    assert kind(missing) == (404, "account-not-found")


def test_a_caller_cannot_reach_the_recommendations_of_others(send: Send, db: DB) -> None:
    advice(db)

    for method, path in (("GET", ""), ("POST", "/apply"), ("DELETE", "")):
        answer = send("eve", method, f"/recommendations/r1{path}", roles=EVERY_ROLE)
        assert kind(answer) == (404, "record-not-found")
    assert send("eve", "GET", "/open-recommendations").json()["items"] == []
    assert send("ada", "GET", "/recommendations/r1").json()["is_applied"] is False


# Progress.


def test_measurements_of_days_include_both(send: Send) -> None:
    for day in (1, 2, 3):
        for hour in ("00:00:00", "23:59:59"):
            body = {**WEIGHT, "measured_at": f"2032-03-{day:02d}T{hour}Z"}
            assert send("ada", "POST", "/measurements", json=body).status_code == 201

    found = send("ada", "GET", "/measurements?first=2032-03-02&last=2032-03-02").json()["items"]

    assert {each["measured_at"][:10] for each in found} == {"2032-03-02"}
    assert len(found) == 2
    assert send("eve", "GET", "/measurements").json()["items"] == []
    for path in ("/measurements", "/strength", "/trends"):
        wrong = send("ada", "GET", f"{path}?first=2032-03-02&last=2032-03-01")
        assert kind(wrong) == (422, "bad-input")


def test_a_measurement_is_read_corrected_and_deleted(send: Send) -> None:
    made = send("ada", "POST", "/measurements", json=WEIGHT).json()
    path = f"/measurements/2032-03-01/weight/{made['id']}"

    assert send("ada", "GET", path).json() == made
    changed = send("ada", "PATCH", path, json={"value": "70.5"}).json()
    assert changed == {**made, "value": "70.5"}
    for method in ("GET", "PATCH", "DELETE"):
        answer = send("eve", method, path, json={} if method == "PATCH" else None)
        assert kind(answer) == (404, "record-not-found")
    assert send("ada", "DELETE", path).status_code == 204
    assert kind(send("ada", "GET", path)) == (404, "record-not-found")


def test_coaches_write_metrics_and_trends_that_their_owner_reads(send: Send) -> None:
    for name, body, own in (
        ("metrics", METRICS, "/metrics/month/2032-02-01"),
        ("trends", TREND, "/trends/2032-02-01/strength/month"),
    ):
        made = send("co", "POST", f"/users/ada/{name}", roles=COACH, json=body)
        assert made.status_code == 201
        again = send("co", "POST", f"/users/ada/{name}", roles=COACH, json=body)
        assert kind(again) == (409, "record-exists")
        assert send("ada", "GET", own).json() == made.json()
        assert send("ada", "GET", f"/{name}").json()["items"] == [made.json()]
        assert kind(send("eve", "GET", own)) == (404, "record-not-found")
        assert send("eve", "GET", f"/{name}").json()["items"] == []
        missing = send("co", "POST", f"/users/bob/{name}", roles=COACH, json=body)
        assert kind(missing) == (404, "account-not-found")


# Notifying.


def test_the_token_of_a_device_is_never_returned(send: Send) -> None:
    body = {"device_token": "hush-hush", "platform": "ios", "device_name": "phone"}
    made = send("ada", "PUT", "/devices/phone", json=body)
    again = send("ada", "PUT", "/devices/phone", json={**body, "device_token": "hush-again"})
    listed = send("ada", "GET", "/devices")

    assert made.status_code == again.status_code == 200
    assert [each["device_id"] for each in listed.json()] == ["phone"]
    assert "hush" not in made.text + again.text + listed.text
    assert send("eve", "GET", "/devices").json() == []
    assert kind(send("eve", "DELETE", "/devices/phone")) == (404, "record-not-found")
    assert send("ada", "DELETE", "/devices/phone").status_code == 204
    assert send("ada", "GET", "/devices").json() == []


def test_messengers_notify_and_their_owner_reads(send: Send) -> None:
    made = send("me", "POST", "/users/ada/notifications", roles=MESSENGER, json=NOTICE)
    assert made.status_code == 201

    again = send("me", "POST", "/users/ada/notifications", roles=MESSENGER, json=NOTICE)
    assert kind(again) == (409, "record-exists")
    path = "/users/ada/notifications/n1/delivery"
    sent = {"delivery_status": "Delivered"}
    delivered = send("me", "PUT", path, roles=MESSENGER, json=sent).json()
    assert delivered == {**made.json(), "delivery_status": "Delivered"}
    other = send("me", "PUT", path.replace("ada", "eve"), roles=MESSENGER, json=sent)
    assert kind(other) == (404, "record-not-found")
    assert send("ada", "GET", "/notifications").json()["items"] == [delivered]
    assert send("ada", "GET", "/notifications/n1").json() == delivered
    for method in ("GET", "DELETE"):
        assert kind(send("eve", method, "/notifications/n1")) == (404, "record-not-found")
    news = {**NOTICE, "body": "For Eve."}
    send("me", "POST", "/users/eve/notifications", roles=MESSENGER, json=news)
    assert send("eve", "GET", "/notifications/n1").json()["body"] == "For Eve."
    assert send("ada", "GET", "/notifications/n1").json() == delivered
    assert send("ada", "DELETE", "/notifications/n1").status_code == 204
    assert send("ada", "GET", "/notifications").json()["items"] == []


def test_reminders_follow_the_preferences(send: Send) -> None:
    assert kind(send("ada", "GET", "/preferences")) == (404, "record-not-found")
    chosen = {"workout_reminder_time": "10:30", "timezone": "Europe/Berlin"}
    result = send("ada", "PATCH", "/preferences", json=chosen).json()
    minute = {"timezone": "Europe/Berlin", "moment": "2032-03-01T09:30:00Z"}

    assert {name: result[name] for name in chosen} == chosen
    assert send("ada", "GET", "/preferences").json() == result
    assert send("me", "POST", "/reminders", roles=MESSENGER, json=minute).json() == {"sent": 1}
    assert send("me", "POST", "/reminders", roles=MESSENGER, json=minute).json() == {"sent": 0}
    assert len(send("ada", "GET", "/notifications").json()["items"]) == 1
    assert send("ada", "DELETE", "/preferences").status_code == 204
    tomorrow = {**minute, "moment": "2032-03-02T09:30:00Z"}
    assert send("me", "POST", "/reminders", roles=MESSENGER, json=tomorrow).json() == {"sent": 0}
    wrong = send("ada", "PATCH", "/preferences", json={"timezone": "Mars/Olympus"})
    assert kind(wrong) == (422, "bad-input")
    late = {**minute, "moment": "9999-12-31T23:59:00Z"}
    assert send("me", "POST", "/reminders", roles=MESSENGER, json=late).status_code == 422
    nowhere = {**minute, "timezone": "../etc"}
    answer = send("me", "POST", "/reminders", roles=MESSENGER, json=nowhere)
    assert kind(answer) == (422, "bad-input")


# Authorization and response models.


def declared() -> Iterator[Operation]:
    for part in (api, *api.parts):
        yield from part.declared


@pytest.fixture
def bare() -> Iterator[Send]:
    """An API without data: a rejected caller does not notice that."""
    with DB.memory(GymCoach, secrets=KEYS) as db, sending(api, db) as send:
        yield send


def named(path: str) -> str:
    """A path with something in each of its places."""
    values = {"{day}": "2032-03-01", "{start_date}": "2032-03-01", "{difficulty}": "beginner"}
    return "/".join(values.get(part, "x" if "{" in part else part) for part in path.split("/"))


def role_of(operation: Operation) -> frozenset[str]:
    """Whom an operation is for: everybody who is signed in, unless it says a role."""
    hints = operation.function.__annotations__
    found = {"_editor": EDITOR, "_coach": COACH, "_messenger": MESSENGER, "_eraser": ERASER}
    return frozenset[str]().union(*(found[name] for name in found if name in hints))


def test_an_operation_for_a_role_requires_it(bare: Send) -> None:
    for_roles = [operation for operation in declared() if role_of(operation)]
    assert len(for_roles) == 24

    for operation in for_roles:
        others = EVERY_ROLE - role_of(operation)
        answer = bare("eve", operation.method, named(operation.path), roles=others)
        assert kind(answer) == (403, "not-allowed"), operation


def test_a_request_without_a_token_is_rejected(bare: Send) -> None:
    for operation in declared():
        answer = bare("", operation.method, named(operation.path), token="nonsense")
        assert answer.status_code == 401, operation


def test_no_answer_has_a_secret_or_what_only_the_database_needs(bare: Send) -> None:
    schemas = bare("ada", "GET", "/openapi.json").json()["components"]["schemas"]
    entities = [UserProfile, *(erasure.entity for erasure in ERASURES)]

    for entity in entities:
        model = response_model(entity)
        secrets = {name for name, f in entity.model_fields.items() if secret in f.metadata}
        assert not (INTERNAL | secrets) & model.model_fields.keys()
        if entity.__name__ in schemas:
            assert schemas[entity.__name__]["properties"].keys() == model.model_fields.keys()
    assert json.dumps(schemas).count('"device_token"') == 2  # what is sent, and that it must be


def test_a_user_with_an_account_can_sign_in(memory: DB) -> None:
    assert demo_caller(joined(memory, "ada")) == Caller("ada", "ada@example.org")
    assert demo_caller(object()) is None
