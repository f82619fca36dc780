"""AgentCore over HTTP: users reach their own records, and administrators those of all users."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.systems.agentcore.conftest import (
    MORNING,
    Watch,
    assign_tier,
    cost,
    define_tiers,
    spend,
    start_sessions,
    terms,
)
from tests.systems.sending import Send, sending

from sortkey import DB
from sortkey.access.filling import fill
from sortkey_systems.agentcore.api import SIGN_INS, api, demo_caller, trial
from sortkey_systems.agentcore.assisting import create_assistant
from sortkey_systems.agentcore.conversing import start_session
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.sessions import Session
from sortkey_systems.agentcore.design.sign_in import SignInState
from sortkey_systems.agentcore.generator import records
from sortkey_systems.agentcore.recording import record_cost
from sortkey_systems.api.app import Operation
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import Tokens

ADMIN = frozenset({"admin"})
CHAT = frozenset({"chat"})
SIGN_IN = frozenset({"sign-in"})

TIER = {"tier_id": "staff", "tier_name": "Staff", "monthly_cost_limit": "50"}
DAILY = {"tier_name": "Staff", "monthly_cost_limit": "20", "daily_cost_limit": "0.5"}
COST = {
    "user_id": "ann",
    "record_id": "r1",
    "timestamp": f"{MORNING:%FT%TZ}",
    "session_id": "of-ann",
    "message_id": "m1",
    "cost_micros": 1500,
    "input_tokens": 10,
    "output_tokens": 5,
    "model_id": "haiku",
}
OVERRIDE = {
    "override_type": "custom_limit",
    "monthly_cost_limit": "99",
    "valid_from": f"{MORNING:%FT%TZ}",
    "valid_until": f"{MORNING + timedelta(days=9):%FT%TZ}",
    "reason": "a thesis",
}


@pytest.fixture
def send(db: DB) -> Iterator[Send]:
    with sending(api, db) as send:
        yield send


def kind(answer: Any) -> tuple[int, str]:
    """Return the status and the problem of a response."""
    return answer.status_code, answer.json()["type"].removeprefix("urn:problem:")


def joined(send: Send, who: str, path: str, **more: Any) -> list[Any]:
    """Return all items of a list, page after page."""
    items: list[Any] = []
    cursor: str | None = None
    while True:
        params = {"cursor": cursor} if cursor else {}
        page = send(who, "GET", path, params=params, **more).json()
        items += page["items"]
        cursor = page["cursor"]
        if cursor is None:
            return items


# Quota.


def test_a_quota_comes_with_its_usage(send: Send, db: DB) -> None:
    assert send("ann", "GET", "/quota").json() == {"quota": None, "usage": []}
    define_tiers(db, "basic")
    assign_tier(db, "ann", "basic")
    spend(db, "ann", "2.5")

    response = send("ann", "GET", "/quota").json()

    assert response["quota"] == {
        "source": "direct_user",
        "tier_id": "basic",
        "limits": {"monthly": "10"},
        "soft_limit_percentage": 80,
        "action_on_limit": "block",
    }
    assert response["usage"] == [
        {"period": "2033-05", "spent": "2.5", "limit": "10", "percentage": "25.00"}
    ]


def test_a_user_over_the_limit_may_not_send(send: Send, db: DB) -> None:
    assert send("ann", "POST", "/quota/checks").json()["reason"] == "no_quota"
    define_tiers(db, "basic")
    assign_tier(db, "ann", "basic")
    spend(db, "ann", "9.5")
    warned = send("ann", "POST", "/quota/checks").json()
    spend(db, "ann", "0.5")

    blocked = send("ann", "POST", "/quota/checks").json()

    assert (warned["is_allowed"], warned["warned_of"]) == (True, 90)
    assert (blocked["is_allowed"], blocked["reason"]) == (False, "blocked")
    assert blocked["usage"]["percentage"] == "100.00"
    events = send("ann", "GET", "/quota/events").json()["items"]
    assert {event["event_type"] for event in events} == {"warning", "block"}
    assert send("bob", "GET", "/quota/events").json()["items"] == []


def test_a_quota_follows_the_roles_and_the_mail_domain_of_the_token(send: Send, db: DB) -> None:
    define_tiers(db, "faculty", "domain")
    for kind_of, who, tier in (
        ("jwt_role", "Faculty", "faculty"),
        ("email_domain", "example.org", "domain"),
    ):
        body = {"assignment_type": kind_of, "who": who, "tier_id": tier}
        assert send("root", "POST", "/assignments", roles=ADMIN, json=body).status_code == 201

    faculty = send("ann", "GET", "/quota", roles={"Faculty"}).json()["quota"]
    others = send("ann", "GET", "/quota").json()["quota"]

    assert (faculty["source"], faculty["tier_id"]) == ("jwt_role", "faculty")
    assert (others["source"], others["tier_id"]) == ("email_domain", "domain")


def test_an_application_role_counts_before_a_role_of_the_token(send: Send, db: DB) -> None:
    define_tiers(db, "research")
    body = {"assignment_type": "app_role", "who": "researcher", "tier_id": "research"}
    send("root", "POST", "/assignments", roles=ADMIN, json=body)

    params = {"app_role": ["researcher", "x"], "jwt_role": "y", "email": "a@b.org"}
    response = send("root", "GET", "/users/ann/quota", roles=ADMIN, params=params).json()

    assert response["quota"]["source"] == "app_role"
    assert send("ann", "GET", "/quota", roles={"researcher"}).json()["quota"] is None


def test_an_invalid_user_id_is_rejected(send: Send) -> None:
    assert kind(send("a#b", "POST", "/quota/checks")) == (422, "bad-input")
    assert send("a#b", "GET", "/costs").status_code == 422


# Costs.


def test_the_chat_records_the_cost_of_a_message_once(send: Send, db: DB) -> None:
    start_sessions(db, "ann")
    first = send("chat", "POST", "/costs", roles=CHAT, json=COST)
    second = send("chat", "POST", "/costs", roles=CHAT, json=COST)

    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert joined(send, "ann", "/costs") == [first.json()]
    for period in ("2033-05-14", "2033-05"):
        summary = send("ann", "GET", f"/costs/summaries/{period}").json()
        assert (summary["total_cost_micros"], summary["request_count"]) == (1500, 1)
    assert send("bob", "GET", "/costs").json()["items"] == []
    assert send("bob", "GET", "/costs/summaries/2033-05").json()["total_cost_micros"] == 0


def test_an_unusual_user_id_is_charged_too(send: Send) -> None:
    odd = "https://idp.example/ann"
    session_id = send(odd, "POST", "/sessions", json={"title": "Hegel"}).json()["session_id"]
    body = {**COST, "user_id": odd, "session_id": session_id}
    response = send("chat", "POST", "/costs", roles=CHAT, json=body)

    assert response.status_code == 201
    assert joined(send, odd, "/costs") == [response.json()]


def test_a_different_or_invalid_cost_is_rejected(send: Send, db: DB) -> None:
    start_sessions(db, "ann", "bob")

    def record(**changed: object) -> Any:
        return send("chat", "POST", "/costs", roles=CHAT, json={**COST, **changed})

    record()
    assert kind(record(cost_micros=7)) == (409, "cost-differs")
    assert kind(record(timestamp="2031-05-14T10:00:00Z")) == (422, "bad-input")
    assert kind(record(timestamp="9999-12-31T10:00:00Z")) == (422, "bad-input")
    assert kind(record(cost_micros=-1)) == (422, "malformed")
    assert kind(record(user_id="a#b")) == (422, "malformed")
    assert kind(record(user_id="bob")) == (404, "session-not-found")


def test_users_cannot_record_costs(send: Send) -> None:
    assert kind(send("ann", "POST", "/costs", json=COST)) == (403, "not-allowed")
    assert kind(send("ann", "POST", "/costs", roles=ADMIN, json=COST)) == (403, "not-allowed")


def test_costs_in_a_time_range_include_both_ends(send: Send, db: DB, watch: Watch) -> None:
    start_sessions(db, "ann")
    for number in range(4):
        record_cost(db, cost("ann", f"r{number}", 1))
        watch.wait(hours=1)

    times = {"since": "2033-05-14T11:00:00Z", "until": "2033-05-14T14:00:00+02:00"}
    response = send("ann", "GET", "/costs", params=times).json()["items"]

    assert [each["record_id"] for each in response] == ["r2", "r1"]
    wrong = {"since": times["until"], "until": times["since"]}
    for path in ("/costs", "/quota/events"):
        assert kind(send("ann", "GET", path, params=wrong)) == (422, "bad-input")


def test_costs_come_in_pages_that_join(send: Send, db: DB) -> None:
    begun = start_session(db, "ann", "Hegel").session_id
    names = [f"r{number:03d}" for number in range(130)]
    for name in names:
        record_cost(db, cost("ann", name, 1, session_id=begun))

    assert [each["record_id"] for each in joined(send, "ann", "/costs")] == names[::-1]
    of_session = joined(send, "ann", f"/sessions/{begun}/costs")
    assert [each["record_id"] for each in of_session] == names
    theirs = send("ann", "GET", "/costs").json()["cursor"]
    assert kind(send("bob", "GET", "/costs", params={"cursor": theirs})) == (400, "bad-cursor")
    wrong = send("ann", "GET", f"/sessions/{begun}/costs", params={"cursor": "nonsense"})
    assert kind(wrong) == (400, "bad-cursor")


# Sessions.


def test_a_session_is_started_used_renamed_and_deleted(send: Send, watch: Watch) -> None:
    begun = send("ann", "POST", "/sessions", json={"title": "Hegel"})
    path = f"/sessions/{begun.json()['session_id']}"
    watch.wait(minutes=1)
    talked = send("ann", "POST", f"{path}/messages").json()
    named = send("ann", "PATCH", path, json={"starred": True, "tags": ["thesis"]}).json()

    assert begun.status_code == 201
    assert (talked["message_count"], talked["last_message_at"]) == (1, "2033-05-14T10:01:00Z")
    assert (named["title"], named["starred"], named["tags"]) == ("Hegel", True, ["thesis"])
    assert send("ann", "GET", "/sessions").json()["items"] == [named]
    assert send("ann", "GET", path).json() == named

    assert send("ann", "DELETE", path).status_code == 204
    assert send("ann", "DELETE", path).status_code == 204
    assert send("ann", "GET", "/sessions").json()["items"] == []
    deleted = send("ann", "GET", "/deleted-sessions").json()["items"]
    assert deleted == [{**named, "deleted_at": "2033-05-14T10:01:00Z"}]
    assert send("ann", "GET", path).json() == deleted[0]
    assert kind(send("ann", "POST", f"{path}/messages")) == (404, "session-not-found")


def test_the_version_of_a_session_is_not_returned(send: Send) -> None:
    response = send("ann", "POST", "/sessions", json={"title": "Hegel"}).json()

    assert "rev" not in response
    assert "rev" not in send("ann", "GET", f"/sessions/{response['session_id']}").json()


def test_sessions_come_in_pages_that_join(send: Send, db: DB, watch: Watch) -> None:
    begun: list[str] = []
    for number in range(60):
        watch.wait(seconds=1)
        begun.append(start_session(db, "ann", f"number {number}").session_id)

    response = [each["session_id"] for each in joined(send, "ann", "/sessions")]

    assert response == begun[::-1]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("PATCH", "", {"title": "mine"}),
        ("DELETE", "", None),
        ("POST", "/messages", None),
        ("GET", "/costs", None),
    ],
)
def test_users_cannot_reach_the_sessions_of_others(
    send: Send, db: DB, method: str, path: str, body: Any
) -> None:
    begun = start_session(db, "ann", "Hegel")

    answer = send("eve", method, f"/sessions/{begun.session_id}{path}", json=body, roles=ADMIN)

    assert kind(answer) == (404, "session-not-found")
    unchanged = send("ann", "GET", f"/sessions/{begun.session_id}").json()
    assert (unchanged["title"], unchanged["message_count"]) == ("Hegel", 0)


def test_the_acting_user_is_never_taken_from_the_body(send: Send) -> None:
    for path, body in (("/sessions", {"title": "x"}), ("/assistants", {"name": "x"})):
        for field in ("user_id", "owner_id", "userId"):
            answer = send("eve", "POST", path, json={**body, field: "ann"})
            assert kind(answer) == (422, "malformed")


# Assistants.


def test_an_assistant_is_created_activated_and_archived(send: Send) -> None:
    begun = send("ann", "POST", "/assistants", json={"name": "Tutor"})
    path = f"/assistants/{begun.json()['assistant_id']}"

    assert begun.status_code == 201
    assert begun.json()["owner_email_domain"] == "example.org"
    assert send("ann", "GET", "/assistants").json()["items"] == []
    used = send("ann", "PUT", f"{path}/status", json={"status": "ACTIVE"}).json()
    named = send("ann", "PUT", f"{path}/name", json={"name": "Coach"}).json()
    assert (used["status"], named["name"]) == ("ACTIVE", "Coach")
    assert send("ann", "GET", "/assistants").json()["items"] == [named]
    assert send("ann", "GET", path).json() == named
    wrong = send("ann", "PUT", f"{path}/status", json={"status": "DRAFT"})
    assert kind(wrong) == (409, "wrong-status")
    assert send("ann", "DELETE", path).status_code == 204
    assert kind(send("ann", "DELETE", path)) == (404, "assistant-not-found")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("PUT", "/name", {"name": "mine"}),
        ("PUT", "/status", {"status": "ACTIVE"}),
        ("DELETE", "", None),
    ],
)
def test_users_cannot_reach_the_assistants_of_others(
    send: Send, db: DB, method: str, path: str, body: Any
) -> None:
    made = create_assistant(db, "ann", "ann@uni.edu", "Tutor")

    answer = send("eve", method, f"/assistants/{made.assistant_id}{path}", json=body, roles=ADMIN)

    assert kind(answer) == (404, "assistant-not-found")
    response = send("ann", "GET", f"/assistants/{made.assistant_id}").json()
    assert (response["name"], response["status"]) == ("Tutor", "DRAFT")


def test_assistants_are_listed_for_administrators(send: Send, db: DB, watch: Watch) -> None:
    for number in range(30):
        watch.wait(seconds=1)
        create_assistant(db, f"user{number}", "a@cs.uni.edu", "Tutor")

    for path in ("/domains/cs.uni.edu/assistants", "/months/2033-05/assistants"):
        owners = [each["owner_id"] for each in joined(send, "root", path, roles=ADMIN)]
        assert owners == [f"user{number}" for number in reversed(range(30))]
    empty = send("root", "GET", "/months/2033-06/assistants", roles=ADMIN).json()
    assert empty["items"] == []


# Signing in.


def test_a_state_is_accepted_once(send: Send, db: DB) -> None:
    begun = send(
        "visitor", "POST", "/sign-ins", json={"redirect_uri": "https://chat.example.org/callback"}
    )
    state = {"state": begun.json()["state"]}

    finished = send("redeemer", "POST", "/sign-ins/finish", roles=SIGN_IN, json=state)

    assert begun.status_code == 201
    assert begun.json()["expires_at"] == "2033-05-14T10:10:00Z"
    assert finished.json()["redirect_uri"] == "https://chat.example.org/callback"
    assert finished.json()["nonce"] == begun.json()["nonce"]
    again = send("redeemer", "POST", "/sign-ins/finish", roles=SIGN_IN, json=state)
    assert kind(again) == (409, "state-invalid")


def test_only_the_sign_in_role_sees_the_code_verifier(send: Send, db: DB) -> None:
    begun = send(
        "visitor", "POST", "/sign-ins", json={"redirect_uri": "https://chat.example.org/callback"}
    )
    state = {"state": begun.json()["state"]}
    [stored] = db(SignInState.scan())

    refused = send("eve", "POST", "/sign-ins/finish", roles=ADMIN | CHAT, json=state)

    assert kind(refused) == (403, "not-allowed")
    assert stored.code_verifier not in begun.text + refused.text
    response = send("redeemer", "POST", "/sign-ins/finish", roles=SIGN_IN, json=state).json()
    assert response["code_verifier"] == stored.code_verifier


def test_a_state_expires_after_ten_minutes(send: Send, watch: Watch) -> None:
    begun = send(
        "visitor", "POST", "/sign-ins", json={"redirect_uri": "https://chat.example.org/callback"}
    )
    watch.wait(minutes=10)

    state = {"state": begun.json()["state"]}
    answer = send("redeemer", "POST", "/sign-ins/finish", roles=SIGN_IN, json=state)

    assert kind(answer) == (409, "state-invalid")


def test_an_address_can_begin_only_so_many_sign_ins(memory: DB) -> None:
    request = {"redirect_uri": "https://chat.example.org/callback"}
    with TestClient(api.app(memory, Tokens())) as client:
        answers = (client.post("/sign-ins", json=request) for _ in range(10 * SIGN_INS.burst))
        refused = next(answer for answer in answers if answer.status_code != 201)

    assert kind(refused) == (429, "too-many-requests")
    assert refused.headers["retry-after"] == "1"
    assert len(memory(SignInState.scan())) >= SIGN_INS.burst


@pytest.mark.parametrize("uri", ["", "javascript:alert(1)", "https://a b", "https://a/#f"])
def test_a_browser_is_redirected_nowhere_else(send: Send, uri: str) -> None:
    answer = send("visitor", "POST", "/sign-ins", json={"redirect_uri": uri})

    assert kind(answer) == (422, "malformed")


def test_a_browser_is_redirected_to_a_configured_address(
    send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(uri: str) -> Any:
        return send("visitor", "POST", "/sign-ins", json={"redirect_uri": uri})

    refused = begin("https://evil.example/callback")
    assert kind(refused) == (422, "redirect-refused")
    assert refused.json()["errors"][0]["field"] == "redirect_uri"
    monkeypatch.setenv("AGENTCORE_REDIRECT_URIS", "https://a.example/cb https://b.example/cb")
    assert begin("https://b.example/cb").status_code == 201
    assert begin("https://chat.example.org/callback").status_code == 422


@pytest.mark.parametrize("period", ["2026-02-31", "2026-04-31", "2027-02-29", "0000-01", "2026-5"])
def test_a_day_that_does_not_exist_is_rejected(send: Send, period: str) -> None:
    for path, roles in (("/costs/summaries", CHAT), ("/spenders", ADMIN)):
        answer = send("ann", "GET", f"{path}/{period}", roles=roles)
        assert kind(answer) == (422, "malformed")


# Administration.


def test_a_tier_is_defined_changed_and_deleted(send: Send) -> None:
    made = send("root", "POST", "/tiers", roles=ADMIN, json=TIER)

    assert made.status_code == 201
    assert (made.json()["created_by"], made.json()["assignment_count"]) == ("root", 0)
    assert kind(send("root", "POST", "/tiers", roles=ADMIN, json=TIER)) == (409, "tier-exists")
    changed = send("root", "PUT", "/tiers/staff", roles=ADMIN, json=DAILY).json()
    assert (changed["monthly_cost_limit"], changed["daily_cost_limit"]) == ("20", "0.5")
    assert send("root", "GET", "/tiers/staff", roles=ADMIN).json() == changed
    assert send("root", "GET", "/tiers", roles=ADMIN).json() == [changed]
    assert send("root", "DELETE", "/tiers/staff", roles=ADMIN).status_code == 204
    for method, body in (("GET", None), ("PUT", DAILY), ("DELETE", None)):
        answer = send("root", method, "/tiers/staff", roles=ADMIN, json=body)
        assert kind(answer) == (404, "tier-not-found")


@pytest.mark.parametrize(
    "changed",
    [
        {"monthly_cost_limit": "0"},
        {"monthly_cost_limit": "0.0000001"},
        {"period_type": "daily"},
        {"soft_limit_percentage": 101},
        {"assignment_count": 9},
        {"created_by": "eve"},
    ],
)
def test_an_invalid_tier_is_rejected(send: Send, changed: dict[str, Any]) -> None:
    answer = send("root", "POST", "/tiers", roles=ADMIN, json={**TIER, **changed})

    assert kind(answer) == (422, "malformed")


def test_a_default_tier_is_set_and_cleared(send: Send, db: DB) -> None:
    define_tiers(db, "basic")
    unset = send("root", "GET", "/default-tier", roles=ADMIN).json()
    body = {"tier_id": "basic"}

    assert unset == {"default_tier_id": None}
    assert send("root", "PUT", "/default-tier", roles=ADMIN, json=body).status_code == 200
    assert send("ann", "GET", "/quota").json()["quota"]["source"] == "config"
    assert kind(send("root", "DELETE", "/tiers/basic", roles=ADMIN)) == (409, "tier-in-use")
    missing = send("root", "PUT", "/default-tier", roles=ADMIN, json={"tier_id": "none"})
    assert kind(missing) == (404, "tier-not-found")
    response = send("root", "GET", "/default-tier", roles=ADMIN).json()
    assert response == {"default_tier_id": "basic"}
    assert send("root", "DELETE", "/default-tier", roles=ADMIN).status_code == 204
    assert send("root", "GET", "/default-tier", roles=ADMIN).json() == unset


def test_a_user_is_assigned_reassigned_and_unassigned(send: Send, db: DB) -> None:
    define_tiers(db, "basic", "staff")
    body = {"assignment_type": "direct_user", "who": "ann", "tier_id": "basic"}
    made = send("root", "POST", "/assignments", roles=ADMIN, json=body)
    path = f"/assignments/{made.json()['assignment_id']}"

    assert made.status_code == 201
    again = send("root", "POST", "/assignments", roles=ADMIN, json={**body, "tier_id": "staff"})
    assert kind(again) == (409, "already-assigned")
    moved = send("root", "PUT", f"{path}/tier", roles=ADMIN, json={"tier_id": "staff"}).json()
    adjusted = send("root", "PATCH", path, roles=ADMIN, json={"priority": 7}).json()
    assert (moved["tier_id"], adjusted["priority"], adjusted["enabled"]) == ("staff", 7, True)
    assert send("root", "GET", path, roles=ADMIN).json() == adjusted
    assert send("root", "GET", "/users/ann/assignments", roles=ADMIN).json() == [adjusted]
    assert joined(send, "root", "/tiers/staff/assignments", roles=ADMIN) == [adjusted]
    assert send("root", "GET", "/tiers/staff", roles=ADMIN).json()["assignment_count"] == 1
    assert kind(send("root", "DELETE", "/tiers/staff", roles=ADMIN)) == (409, "tier-in-use")
    assert send("root", "DELETE", path, roles=ADMIN).status_code == 204
    for method, body in (
        ("GET", None),
        ("PATCH", {"enabled": False}),
        ("DELETE", None),
    ):
        answer = send("root", method, path, roles=ADMIN, json=body)
        assert kind(answer) == (404, "assignment-not-found")
    assert send("root", "DELETE", "/tiers/staff", roles=ADMIN).status_code == 204


@pytest.mark.parametrize(
    ("kind_of", "who", "path"),
    [
        ("app_role", "tutor", "/app-roles/tutor/assignments"),
        ("jwt_role", "Faculty", "/jwt-roles/Faculty/assignments"),
        ("email_domain", "*.Uni.edu", "/domains/*.uni.edu/assignments"),
    ],
)
def test_an_assignment_is_listed_under_its_subject(
    send: Send, db: DB, kind_of: str, who: str, path: str
) -> None:
    define_tiers(db, "basic")
    body = {"assignment_type": kind_of, "who": who, "tier_id": "basic", "priority": 3}
    made = send("root", "POST", "/assignments", roles=ADMIN, json=body).json()

    assert send("root", "GET", path, roles=ADMIN).json() == [made]
    of_type = send("root", "GET", f"/assignments?assignment_type={kind_of}", roles=ADMIN)
    assert of_type.json()["items"] == [made]


@pytest.mark.parametrize(
    ("kind_of", "who"),
    [("default_tier", "ann"), ("email_domain", "no domain"), ("direct_user", None)],
)
def test_an_assignment_with_an_invalid_subject_is_rejected(
    send: Send, db: DB, kind_of: str, who: str | None
) -> None:
    define_tiers(db, "basic")
    body = {"assignment_type": kind_of, "who": who, "tier_id": "basic"}

    assert kind(send("root", "POST", "/assignments", roles=ADMIN, json=body)) == (422, "bad-input")


def test_assignments_of_a_type_come_in_pages_that_join(send: Send, db: DB) -> None:
    define_tiers(db, "basic")
    for number in range(70):
        assign_tier(db, f"user{number:02d}", "basic")

    path = "/assignments?assignment_type=direct_user"
    first = send("root", "GET", path, roles=ADMIN).json()
    second = send("root", "GET", f"{path}&cursor={first['cursor']}", roles=ADMIN).json()

    response = [each["assignment_id"] for each in first["items"] + second["items"]]
    assert response == [f"direct_user:user{number:02d}" for number in reversed(range(70))]
    assert len(joined(send, "root", "/tiers/basic/assignments", roles=ADMIN)) == 70


def test_an_override_counts_until_it_is_switched_off(send: Send, db: DB) -> None:
    made = send("root", "POST", "/users/ann/overrides", roles=ADMIN, json=OVERRIDE)
    path = f"/overrides/{made.json()['override_id']}"

    assert made.status_code == 201
    assert send("ann", "GET", "/quota").json()["quota"]["limits"] == {"monthly": "99"}
    assert send("root", "GET", path, roles=ADMIN).json() == made.json()
    [event] = send("root", "GET", "/users/ann/events", roles=ADMIN).json()["items"]
    assert event["event_type"] == "override_applied"
    off = send("root", "PATCH", path, roles=ADMIN, json={"enabled": False}).json()
    assert off["enabled"] is False
    assert send("ann", "GET", "/quota").json()["quota"] is None
    assert send("root", "GET", "/users/ann/overrides", roles=ADMIN).json() == [off]
    for method, body in (("GET", None), ("PATCH", {"enabled": True})):
        answer = send("root", method, "/overrides/none", roles=ADMIN, json=body)
        assert kind(answer) == (404, "override-not-found")


@pytest.mark.parametrize(
    "changed",
    [
        {"override_type": "unlimited"},
        {"monthly_cost_limit": None},
        {"valid_until": "2033-05-13T10:00:00Z"},
    ],
)
def test_an_invalid_override_is_rejected(send: Send, changed: dict[str, Any]) -> None:
    body = {**OVERRIDE, **changed}

    answer = send("root", "POST", "/users/ann/overrides", roles=ADMIN, json=body)

    assert kind(answer) == (422, "bad-input")


def test_administrators_see_costs(send: Send, db: DB) -> None:
    define_tiers(db, "basic", allowing=terms("1"))
    for name, dollars in (("ann", "0.3"), ("bob", "1")):
        assign_tier(db, name, "basic")
        spend(db, name, dollars)
    send("bob", "POST", "/quota/checks")

    top = send("root", "GET", "/spenders/2033-05", roles=ADMIN).json()["items"]
    summary = send("root", "GET", "/users/ann/summaries/2033-05-14", roles=ADMIN).json()
    nothing = send("root", "GET", "/users/eve/summaries/2033-05-14", roles=ADMIN).json()

    assert [each["user_id"] for each in top] == ["bob", "ann"]
    assert (summary["total_cost_micros"], nothing["total_cost_micros"]) == (300_000, 0)
    assert len(joined(send, "root", "/users/bob/costs", roles=ADMIN)) == 1
    [blocked] = send("root", "GET", "/tiers/basic/events", roles=ADMIN).json()["items"]
    assert (blocked["user_id"], blocked["event_type"]) == ("bob", "block")


# Permissions.


def declared() -> Iterator[Operation]:
    for part in (api, *api.parts):
        yield from part.declared


@pytest.fixture
def bare() -> Iterator[Send]:
    """Send requests to an API without data."""
    with DB.memory(*TABLES) as db, sending(api, db) as send:
        yield send


def named(path: str) -> str:
    """Return the path with a value for each of its parameters."""
    values = {"{period}": "2033-05", "{month}": "2033-05", "{domain}": "uni.edu"}
    parts = (values.get(part, "x" if "{" in part else part) for part in path.split("/"))
    return "/".join(parts)


def test_admin_operations_need_the_admin_role(bare: Send) -> None:
    [administration] = api.parts
    assert len(administration.declared) > 25

    for operation in administration.declared:
        answer = bare("eve", operation.method, named(operation.path), roles=CHAT | SIGN_IN)
        assert kind(answer) == (403, "not-allowed"), operation


def test_operations_need_a_token(bare: Send) -> None:
    for operation in declared():
        answer = bare("", operation.method, named(operation.path), token="nonsense")
        wanted = 422 if operation.path == "/sign-ins" else 401
        assert answer.status_code == wanted, operation


def test_a_user_with_a_session_can_sign_in() -> None:
    session = Session(
        user_id="ann",
        session_id="s1",
        title="Hegel",
        created_at=MORNING,
        last_message_at=MORNING,
    )

    assert demo_caller(session) == Caller("ann", "ann@uni.edu")
    assert demo_caller(object()) is None


def test_the_requests_of_the_demo_have_the_answers_that_it_prints(memory: DB) -> None:
    for group in records(20):
        fill(memory, group)

    tried = trial(memory, records(20))

    people = [name for name in tried.tokens if name not in api.roles]
    assert len(people) == 2
    client = TestClient(tried.app)
    answers = [
        client.request(
            each.method,
            each.path,
            headers={"authorization": f"Bearer {tried.tokens[each.user_id]}"},
        )
        for each in tried.requests
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 404]
    spenders, quota, session = (answer.json() for answer in answers)
    texts = [each.answer for each in tried.requests]
    assert f"{spenders['items'][0]['user_id']} first" in texts[0]
    [usage] = quota["usage"]
    assert usage["period"] == f"{MORNING:%Y-%m}"
    assert f"{usage['spent']} of {usage['limit']} in {usage['period']}" in texts[1]
    assert session["type"] == "urn:problem:session-not-found"
    assert texts[2].endswith(f"belongs to {people[0]}")


def test_a_demo_of_users_without_sessions_has_something_to_try(memory: DB) -> None:
    tried = trial(memory, [])

    assert [(each.user_id, each.answer) for each in tried.requests] == [
        ("admin", "nobody yet"),
        ("newcomer", "what you have spent: no limit"),
    ]


@pytest.mark.parametrize("path", ["/sessions", "/costs", "/sessions/s1", "/assistants"])
def test_a_problem_does_not_show_how_records_are_stored(send: Send, path: str) -> None:
    answer = send("a#b", "GET", path)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] in {"user_id", "owner_id"}
    assert not re.search(r"[{}]|PK|SK|key|written", answer.json()["detail"])
