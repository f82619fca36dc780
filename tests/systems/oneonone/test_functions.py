"""The Lambda functions, called with the events that API Gateway sends."""

import importlib
import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from types import ModuleType
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.systems.conftest import LIVEKIT
from tests.systems.oneonone.conftest import MORNING, Watch, matched, registered, user, waiting
from tests.systems.oneonone.events import KINDS, content, payload, request, signature
from tests.systems.sending import sending

from sortkey import DB, Contended, TransactionFailed, TransportError
from sortkey.wire.errors import TransactionConflictException
from sortkey_systems.api.identity import Tokens
from sortkey_systems.api.settings import WrongSettings
from sortkey_systems.oneonone import functions, queueing
from sortkey_systems.oneonone.api import api
from sortkey_systems.oneonone.calling import end
from sortkey_systems.oneonone.design import Session, Sessions, User, Users, session_by_id
from sortkey_systems.oneonone.queueing import join, leave
from sortkey_systems.oneonone.tokens import claims_of
from sortkey_systems.oneonone.webhooks import Request

ROUTES = {
    "join": ("POST", "/queue", "/queue"),
    "leave": ("DELETE", "/queue", "/queue"),
    "status": ("GET", "/me", "/me"),
    "token": ("POST", "/sessions/{session_id}/token", "/sessions/{}/token"),
    "end": ("POST", "/sessions/{session_id}/end", "/sessions/{}/end"),
    "history": ("GET", "/sessions", "/sessions"),
    "webhook": ("POST", "/livekit/webhook", "/livekit/webhook"),
}
OF_USERS = [name for name in ROUTES if name != "webhook"]


def rest_event(
    name: str,
    claims: dict[str, str] | None,
    session_id: str | None = None,
    query: dict[str, str] | None = None,
    body: str | None = None,
) -> dict[str, Any]:
    """An event of a REST API with a Cognito authorizer, in payload format 1.0."""
    method, resource, path = ROUTES[name]
    return {
        "resource": resource,
        "path": path.format(session_id),
        "httpMethod": method,
        "headers": {"Authorization": "Bearer e30", "Host": "api.example.org"},
        "multiValueHeaders": {"Authorization": ["Bearer e30"], "Host": ["api.example.org"]},
        "queryStringParameters": query,
        "multiValueQueryStringParameters": query and {k: [v] for k, v in query.items()},
        "pathParameters": session_id and {"session_id": session_id},
        "stageVariables": None,
        "requestContext": {
            "resourceId": "123456",
            "resourcePath": resource,
            "httpMethod": method,
            "path": f"/prod{path.format(session_id)}",
            "accountId": "123456789012",
            "protocol": "HTTP/1.1",
            "stage": "prod",
            "requestId": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
            "requestTimeEpoch": 1905000000000,
            "identity": {"sourceIp": "192.0.2.1", "userAgent": "test", "cognitoIdentityId": None},
            "apiId": "1234567890",
            **({} if claims is None else {"authorizer": {"claims": claims}}),
        },
        "body": body,
        "isBase64Encoded": False,
    }


def http_event(
    name: str,
    claims: dict[str, str] | None,
    session_id: str | None = None,
    query: dict[str, str] | None = None,
    body: str | None = None,
) -> dict[str, Any]:
    """An event of an HTTP API with a JWT authorizer, in payload format 2.0."""
    method, resource, path = ROUTES[name]
    authorizer = {"jwt": {"claims": claims, "scopes": None}}
    return {
        "version": "2.0",
        "routeKey": f"{method} {resource}",
        "rawPath": path.format(session_id),
        "rawQueryString": "&".join(f"{k}={v}" for k, v in (query or {}).items()),
        "headers": {"authorization": "Bearer e30", "host": "api.example.org"},
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "api-id",
            **({} if claims is None else {"authorizer": authorizer}),
            "domainName": "id.execute-api.us-east-1.amazonaws.com",
            "http": {
                "method": method,
                "path": path.format(session_id),
                "protocol": "HTTP/1.1",
                "sourceIp": "192.0.2.1",
                "userAgent": "test",
            },
            "requestId": "id",
            "routeKey": f"{method} {resource}",
            "stage": "$default",
            "time": "14/May/2030:10:00:00 +0000",
            "timeEpoch": 1905000000000,
        },
        **({} if query is None else {"queryStringParameters": query}),
        **({} if session_id is None else {"pathParameters": {"session_id": session_id}}),
        **({} if body is None else {"body": body}),
        "isBase64Encoded": False,
    }


MakeEvent = Callable[..., dict[str, Any]]


@pytest.fixture(params=[rest_event, http_event], ids=["rest", "http-api"])
def event(request: pytest.FixtureRequest) -> MakeEvent:
    """An event in each of the two forms."""
    return request.param


def claims(name: str) -> dict[str, str]:
    return {"sub": name, "email": f"{name}@example.org", "token_use": "id"}


def called(db: DB, name: str, event: dict[str, Any]) -> tuple[int, Any]:
    """The status and content of a function's answer, on a database of the test's own."""
    inner = getattr(functions, name).__wrapped__
    answer = inner(event, None, db)
    kind = "application/json" if answer["statusCode"] == 200 else "application/problem+json"
    assert answer["headers"]["content-type"] == kind
    return answer["statusCode"], json.loads(answer["body"])


def test_two_users_who_join_are_matched(db: DB, event: MakeEvent, watch: Watch) -> None:
    assert called(db, "join", event("join", claims("ann"))) == (
        200,
        {
            "user_id": "ann",
            "points_left": 15,
            "waiting_since": "2030-05-14T10:00:00Z",
            "session_id": None,
            "last_session": None,
        },
    )

    code, body = called(db, "join", event("join", claims("bob")))

    assert (code, body["waiting_since"]) == (200, None)
    assert body["session_id"] == user(db, "ann").current_session
    assert user(db, "bob").email == "bob@example.org"


def test_a_user_who_leaves_is_not_waiting(db: DB, event: MakeEvent, watch: Watch) -> None:
    waiting(db, watch, "ann")

    for _ in range(2):
        code, body = called(db, "leave", event("leave", claims("ann")))
        assert (code, body["waiting_since"]) == (200, None)
    assert user(db, "ann").queue is None


def test_a_status_has_the_points(db: DB, event: MakeEvent) -> None:
    code, body = called(db, "status", event("status", claims("ann")))

    assert (code, body["points_left"]) == (200, 15)
    assert user(db, "ann").email == "ann@example.org"


def test_a_token_is_for_the_room_of_ones_own_call(db: DB, event: MakeEvent, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")

    code, body = called(db, "token", event("token", claims("bob"), session.session_id))

    token = body.pop("token")
    assert (code, body) == (
        200,
        {
            "user_id": "bob",
            "room_name": session.room_name,
            "until": "2030-05-14T10:15:02Z",
            "url": LIVEKIT["LIVEKIT_URL"],
        },
    )
    key, secret = LIVEKIT["LIVEKIT_API_KEY"], LIVEKIT["LIVEKIT_API_SECRET"]
    assert claims_of(token, key, secret)["video"]["room"] == session.room_name


def test_an_ended_call_has_its_minutes(db: DB, event: MakeEvent, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")
    watch.wait(minutes=3)

    for name in ("ann", "bob"):
        code, body = called(db, "end", event("end", claims(name), session.session_id))
        assert (code, body["duration"], body["end_time"]) == (200, 3, "2030-05-14T10:03:02Z")
        assert (body["user_a"], body["user_b"]) == ("ann", "bob")
    assert user(db, "ann").points_left == 12


def test_a_history_comes_in_pages(db: DB, event: MakeEvent, watch: Watch) -> None:
    first = matched(db, watch, "ann", "bob")
    end(db, "ann", first.session_id)
    second = matched(db, watch, "bob", "ann")
    end(db, "ann", second.session_id)
    third = matched(db, watch, "ann", "cat")
    day = {"first": "2030-05-14", "last": "2030-05-14", "size": "2"}

    code, body = called(db, "history", event("history", claims("ann"), query=day))
    assert (code, ids(body)) == (200, [third.session_id, second.session_id])
    more = {**day, "cursor": body["cursor"]}
    code, body = called(db, "history", event("history", claims("ann"), query=more))

    assert (code, ids(body), body["cursor"]) == (200, [first.session_id], None)


def ids(body: Any) -> list[str]:
    return [session["session_id"] for session in body["items"]]


def test_a_history_without_a_query_has_everything(db: DB, event: MakeEvent, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob")

    code, body = called(db, "history", event("history", claims("bob")))

    assert (code, ids(body)) == (200, [session.session_id])


# Who asks.


@pytest.mark.parametrize("name", OF_USERS)
def test_a_request_without_an_identity_is_rejected(db: DB, event: MakeEvent, name: str) -> None:
    registered(db, "ann")
    body = json.dumps({"userId": "ann", "sub": "ann"})

    for unsigned in (None, {}, {"sub": ""}, {"email": "ann@example.org"}):
        sent = event(name, unsigned, "s1", {"userId": "ann"}, body)
        assert called(db, name, sent)[0] == 401
    assert called(db, name, {})[0] == 401
    assert user(db, "ann").queue is None


@pytest.mark.parametrize("name", ["join", "leave", "status"])
def test_the_acting_user_is_never_taken_from_the_body(
    db: DB, event: MakeEvent, watch: Watch, name: str
) -> None:
    waiting(db, watch, "ann")
    before = user(db, "ann")
    leave(db, "ann")
    join(db, "ann")
    body = json.dumps({"userId": "ann", "user_id": "ann", "sub": "ann"})

    code, body = called(db, name, event(name, claims("eve"), None, {"userId": "ann"}, body))

    assert (code, body["user_id"]) == (200, "eve")
    if name != "join":  # with eve in the queue, both are matched
        assert user(db, "ann") == before


@pytest.mark.parametrize("name", ["token", "end"])
def test_the_call_of_others_is_forbidden(db: DB, event: MakeEvent, watch: Watch, name: str) -> None:
    session = matched(db, watch, "ann", "bob")
    body = json.dumps({"userId": "ann"})

    code, body = called(db, name, event(name, claims("eve"), session.session_id, None, body))

    assert (code, body["type"]) == (403, "urn:problem:not-in-session")
    assert user(db, "ann").current_session == session.session_id


def test_a_cursor_of_others_is_refused(db: DB, event: MakeEvent) -> None:
    for number in range(3):
        db(session(number).put())
    _, body = called(db, "history", event("history", claims("ann"), query={"size": "1"}))

    stolen = {"size": "1", "cursor": body["cursor"]}
    code, body = called(db, "history", event("history", claims("eve"), query=stolen))

    assert (code, body["type"]) == (400, "urn:problem:bad-input")
    assert body["errors"][0]["field"] == "cursor"


def session(number: int) -> Session:
    start = MORNING + timedelta(hours=number)
    return Session(
        session_id=f"s{number}",
        user_a="ann",
        user_b="bob",
        start_time=start,
        room_name=f"s{number}",
        created_at=start,
        expires_at=start + timedelta(days=90),
    )


# What is refused.


@pytest.mark.parametrize(
    ("name", "session_id", "query", "status", "field"),
    [
        ("token", "a#b", None, 422, "path.session_id"),
        ("end", None, None, 422, "path.session_id"),
        ("history", None, {"first": "yesterday"}, 422, "query.first"),
        ("history", None, {"last": "2030-02-30"}, 422, "query.last"),
        ("history", None, {"first": "2030-05-02", "last": "2030-05-01"}, 400, "first"),
        ("history", None, {"size": "many"}, 422, "query.size"),
        ("history", None, {"size": "0"}, 422, "query.size"),
        ("history", None, {"cursor": "nonsense"}, 400, "cursor"),
    ],
)
def test_bad_input_is_refused_by_name(
    memory: DB,
    event: MakeEvent,
    *,
    name: str,
    session_id: str | None,
    query: dict[str, str] | None,
    status: int,
    field: str,
) -> None:
    code, body = called(memory, name, event(name, claims("ann"), session_id, query))

    assert (code, [error["field"] for error in body["errors"]]) == (status, [field])


def test_an_identity_that_is_no_id_is_refused(memory: DB, event: MakeEvent) -> None:
    code, body = called(memory, "join", event("join", {"sub": "a b"}))

    assert (code, body["errors"][0]["field"]) == (400, "user_id")
    assert memory(User.scan()) == []


def test_each_refusal_has_its_status(db: DB, event: MakeEvent, watch: Watch) -> None:
    call = matched(db, watch, "ann", "bob")
    missing = event("token", claims("ann"), "s9")
    assert told_by(db, "token", missing) == (404, "urn:problem:session-not-found")

    watch.wait(minutes=15)
    again = event("token", claims("ann"), call.session_id)
    assert told_by(db, "token", again) == (410, "urn:problem:session-ended")
    joining = event("join", claims("ann"))
    assert told_by(db, "join", joining) == (403, "urn:problem:no-points-left")


def told_by(db: DB, name: str, event: dict[str, Any]) -> tuple[int, str]:
    code, body = called(db, name, event)
    return code, body["type"]


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (Contended("often", attempts=5), 409, "contended"),
        (TransportError("no server at 10.0.0.7"), 503, "unavailable"),
        (TransactionFailed([TransactionConflictException("another")]), 503, "unavailable"),
        (ZeroDivisionError("by 0"), 500, "internal-error"),
    ],
)
def test_a_failure_of_the_database_or_the_program_is_a_problem_too(
    memory: DB,
    event: MakeEvent,
    monkeypatch: pytest.MonkeyPatch,
    *,
    error: Exception,
    status: int,
    kind: str,
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(queueing, "status", fails)

    code, body = called(memory, "status", event("status", claims("ann")))

    assert (code, body["type"]) == (status, f"urn:problem:{kind}")
    assert str(error) not in body["detail"]


# The HTTP API answers alike.


@pytest.mark.parametrize(
    ("name", "who", "session_id", "query"),
    [
        ("status", "ann", None, None),
        ("status", "a b", None, None),
        ("join", "cat", None, None),
        ("leave", "cat", None, None),
        ("token", "ann", "s0", None),
        ("token", "ann", "s1", None),
        ("token", "eve", "s0", None),
        ("token", "ann", "s9", None),
        ("token", "ann", "a*b", None),
        ("end", "bob", "s1", None),
        ("end", "bob", "s0", None),
        ("history", "ann", None, None),
        ("history", "ann", None, {"size": "0", "first": "now"}),
        ("history", "ann", None, {"first": "2030-05-02", "last": "2030-05-01"}),
        ("history", "ann", None, {"cursor": "nonsense"}),
    ],
)
def test_a_function_answers_as_the_http_api_does(
    memory: DB,
    event: MakeEvent,
    *,
    name: str,
    who: str,
    session_id: str | None,
    query: dict[str, str] | None,
) -> None:
    registered(memory, "ann", "bob", "cat")
    ended = {"end_time": MORNING, "duration": 0, "deadline": MORNING}
    memory(session(0).put())
    memory(session(1).model_copy(update=ended).put())
    method, _, path = ROUTES[name]
    handler = getattr(functions, name).__wrapped__

    made = handler(event(name, claims(who), session_id, query), None, memory)
    with sending(api, memory) as send:
        answer = send(who, method, path.format(session_id), params=query)

    assert answer.status_code == made["statusCode"]
    assert answer.json() == json.loads(made["body"])
    for key, value in made["headers"].items():
        assert answer.headers[key] == value


# Webhooks.


def sent_by_livekit(make: MakeEvent, request: Request, *, encoded: bool = False) -> dict[str, Any]:
    """The event of the gateway for a request of LiveKit."""
    body = b64encode(request.body) if encoded else request.body
    made = make("webhook", None, body=body.decode())
    # A REST API has the names of headers as they were sent.
    given = {"Content-Type": request.media_type, "Authorization": request.authorization}
    lower = {name.lower(): value for name, value in given.items()}
    headers = given if make is rest_event else lower
    return {**made, "headers": headers, "isBase64Encoded": encoded}


@pytest.mark.parametrize("encoded", [False, True], ids=["text", "base64"])
def test_an_event_of_livekit_is_logged_once(
    db: DB, event: MakeEvent, watch: Watch, *, encoded: bool
) -> None:
    call = matched(db, watch, "ann", "bob")
    watch.wait(minutes=2)
    left = request(content("participant_left", call.session_id, watch.now, "ann"))

    answers = [
        called(db, "webhook", sent_by_livekit(event, left, encoded=encoded)) for _ in range(2)
    ]

    assert answers == [(200, {"outcome": "logged"}), (200, {"outcome": "repeated"})]
    watch.wait(minutes=1)
    assert end(db, "bob", call.session_id).duration == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_recorded_event_is_answered_as_over_http(memory: DB, event: MakeEvent, kind: str) -> None:
    registered(memory, "ann", "bob")
    memory(session(1).put())

    alike(memory, event, request(payload(kind)))


def alike(db: DB, make: MakeEvent, sent: Request) -> int:
    """Assert that the function and the HTTP API answer alike; return the status."""
    handler = getattr(functions, "webhook").__wrapped__  # noqa: B009 - unknown to the type checker
    made = handler(sent_by_livekit(make, sent), None, db)
    headers = {"content-type": sent.media_type, "authorization": sent.authorization}
    given = {name: value for name, value in headers.items() if value is not None}
    tokens = Tokens()
    app = api.app(db, tokens, rates=None)
    with TestClient(app) as client:
        answer = client.post("/livekit/webhook", content=sent.body, headers=given)
    expected = json.loads(made["body"])
    if made["statusCode"] == 200 and expected["outcome"] == "logged":
        expected = {"outcome": "repeated"}
    assert (answer.status_code, answer.json()) == (made["statusCode"], expected)
    for key, value in made["headers"].items():
        assert answer.headers[key] == value
    return answer.status_code


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"authorization": None}, 401),
        ({"authorization": "Bearer e30"}, 401),
        ({"media_type": "application/json"}, 415),
        ({"media_type": None}, 415),
        ({"body": b"{}"}, 401),
        ({"body": b"x" * (128 * 1024 + 1)}, 413),
    ],
)
def test_what_livekit_did_not_send_is_refused_alike(
    memory: DB, event: MakeEvent, changed: dict[str, Any], status: int
) -> None:
    memory(session(1).put())
    before = memory(Session.scan())

    sent = replace(request(payload("participant_left")), **changed)

    assert alike(memory, event, sent) == status
    assert memory(Session.scan()) == before


def test_a_signed_body_that_is_no_event_is_refused_alike(memory: DB, event: MakeEvent) -> None:
    signed = Request("application/webhook+json", signature(b"[]"), b"[]")

    assert alike(memory, event, signed) == 400


def test_an_event_that_cannot_be_logged_now_is_sent_again(
    memory: DB, event: MakeEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LiveKit sends an event again after a status of 500 or more, and after no other."""

    def busy(*_: object) -> None:
        raise Contended("others were faster", attempts=5)

    monkeypatch.setattr(memory, "decide", busy)

    assert alike(memory, event, request(payload("participant_left"))) == 503


def test_the_gateway_sends_no_identity_for_a_webhook(memory: DB, event: MakeEvent) -> None:
    """A token of a user signs no event."""
    made = event("webhook", claims("ann"), body=json.dumps(payload("participant_left")))

    assert called(memory, "webhook", made)[0] in {401, 415}


def test_a_function_without_its_settings_says_which_is_missing(
    memory: DB,
    event: MakeEvent,
    watch: Watch,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    call = matched(memory, watch, "ann", "bob")
    monkeypatch.delenv("LIVEKIT_API_SECRET")

    code, _ = called(memory, "token", event("token", claims("ann"), call.session_id))

    assert code == 500
    assert "LIVEKIT_API_SECRET (or LIVEKIT_API_SECRET_ARN) is not set" in caplog.text
    with pytest.raises(WrongSettings, match="LIVEKIT_API_SECRET"):
        functions.sweep.__wrapped__({}, None, memory)


# The schedule.


def test_a_schedule_settles_calls_and_matches_users(db: DB, watch: Watch) -> None:
    call = matched(db, watch, "ann", "bob")
    watch.wait(minutes=15)
    waiting(db, watch, "cat", "dan")

    swept = functions.sweep.__wrapped__({"source": "aws.events"}, None, db)

    assert swept == {"settled": 1, "failed": 0, "matched": 1, "closed": 0, "left": 1}
    ended = db(session_by_id(call.session_id))
    assert ended
    assert ended.duration == 15
    assert user(db, "cat").current_session == user(db, "dan").current_session is not None


# One client for all calls.


@pytest.fixture
def deployed(monkeypatch: pytest.MonkeyPatch, http_url: str, watch: Watch) -> ModuleType:
    """The functions in a process of their own, as far as their database is concerned."""
    monkeypatch.setenv("ENVIRONMENT", "lambda")
    monkeypatch.setenv("SORTKEY_TARGET", http_url)
    with DB.endpoint(http_url, Users, Sessions, environment="lambda") as db:
        db.delete_tables()
        db.create_tables()
    return importlib.reload(functions)


def test_all_calls_of_all_functions_use_one_client(
    deployed: ModuleType, event: MakeEvent, monkeypatch: pytest.MonkeyPatch, watch: Watch
) -> None:
    made: list[DB] = []
    connect = DB.connect

    def counted(*tables: Any, **settings: Any) -> DB:
        made.append(connect(*tables, **settings))
        return made[-1]

    monkeypatch.setattr(DB, "connect", counted)

    def sent(name: str, who: str, session_id: str | None = None) -> Any:
        answer = getattr(deployed, name)(event(name, claims(who), session_id), None)
        assert answer["statusCode"] == 200
        return json.loads(answer["body"])

    assert made == []  # nothing is opened before the first call
    sent("join", "ann")
    sent("leave", "ann")
    sent("join", "bob")
    session_id = sent("join", "ann")["session_id"]
    assert sent("token", "bob", session_id)["room_name"] == session_id
    watch.wait(minutes=2)
    assert sent("end", "bob", session_id)["duration"] == 2
    assert sent("status", "ann")["points_left"] == 13
    assert ids(sent("history", "ann")) == [session_id]

    assert len(made) == 1
    made[0].close()


def test_a_function_makes_its_client_while_lambda_starts_it(
    deployed: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    connect = DB.connect

    def counted(*tables: Any, **settings: Any) -> DB:
        made.append(settings["environment"])
        return connect(*tables, **settings)

    monkeypatch.setattr(DB, "connect", counted)
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "join")

    importlib.reload(deployed)

    assert made == ["lambda"]
