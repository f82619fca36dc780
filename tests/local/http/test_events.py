"""Requests become events of payload format 2.0, and answers become responses, as documented."""

import json
from base64 import b64encode
from typing import Any

import pytest

from sortkey.local.http.events import BadAnswer, claim_text, http_event, http_response
from sortkey.local.http.messages import HttpRequest


def event(request: HttpRequest, **changed: Any) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "route": "POST /notes/{note_id}",
        "parameters": {"note_id": "a b"},
        "claims": None,
        "request_id": "r1",
        "api_id": "notes-dev-api",
        "now": 1_583_348_638.390,
    }
    return http_event(request, **{**settings, **changed})


WHOLE = HttpRequest(
    "POST",
    "/notes/a%20b?parameter1=value1&parameter1=value2&parameter2=a%26b&empty=",
    (
        ("host", "127.0.0.1:8001"),
        ("header2", "value1"),
        ("header2", "value2"),
        ("cookie", "cookie1=a; cookie2=b"),
        ("cookie", "cookie3=c"),
        ("user-agent", "agent"),
        ("content-type", "application/json; charset=utf-8"),
    ),
    b'{"text": "\xc3\x85dne"}',
)


def test_an_event_has_what_the_developer_guide_says() -> None:
    assert event(WHOLE) == {
        "version": "2.0",
        "routeKey": "POST /notes/{note_id}",
        "rawPath": "/notes/a%20b",
        "rawQueryString": "parameter1=value1&parameter1=value2&parameter2=a%26b&empty=",
        "cookies": ["cookie1=a", "cookie2=b", "cookie3=c"],
        "headers": {
            "host": "127.0.0.1:8001",
            "header2": "value1,value2",
            "user-agent": "agent",
            "content-type": "application/json; charset=utf-8",
            "x-forwarded-for": "127.0.0.1",
            "x-forwarded-port": "8001",
            "x-forwarded-proto": "http",
        },
        "queryStringParameters": {
            "parameter1": "value1,value2",
            "parameter2": "a&b",
            "empty": "",
        },
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "notes-dev-api",
            "domainName": "127.0.0.1:8001",
            "domainPrefix": "127",
            "http": {
                "method": "POST",
                "path": "/notes/a%20b",
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": "agent",
            },
            "requestId": "r1",
            "routeKey": "POST /notes/{note_id}",
            "stage": "$default",
            "time": "04/Mar/2020:19:03:58 +0000",
            "timeEpoch": 1583348638390,
        },
        "body": '{"text": "Ådne"}',
        "pathParameters": {"note_id": "a b"},
        "isBase64Encoded": False,
    }


def test_members_without_a_value_are_absent() -> None:
    made = event(HttpRequest("GET", "/"), parameters={})

    assert {
        "body",
        "cookies",
        "pathParameters",
        "queryStringParameters",
        "stageVariables",
    }.isdisjoint(made)
    assert made["rawQueryString"] == ""


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("image/png", b"\x89PNG"),
        ("application/json", b"\xff"),
        ("application/x-www-form-urlencoded", b"a=1"),
        (None, b"text"),
    ],
)
def test_bodies_that_are_no_text_are_base64(kind: str | None, body: bytes) -> None:
    headers = () if kind is None else (("content-type", kind),)

    made = event(HttpRequest("POST", "/", headers, body))

    assert (made["body"], made["isBase64Encoded"]) == (b64encode(body).decode(), True)


def test_claims_of_a_verified_token_are_texts() -> None:
    claims = {"sub": "ann", "exp": 1.7e9, "admin": True, "groups": ["a", "b"], "address": {"b": 1}}

    jwt = event(WHOLE, claims=claims)["requestContext"]["authorizer"]["jwt"]

    assert jwt == {
        "claims": {
            "sub": "ann",
            "exp": "1700000000",
            "admin": "true",
            "groups": "[a b]",
            "address": "map[b:1]",
        },
        "scopes": None,
    }
    assert claim_text(1.5) == "1.5"


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        ({"note": 1}, b'{"note":1}'),
        ("text", b'"text"'),
        ([1, 2], b"[1,2]"),
        (None, b""),
        ({"status": 201}, b'{"status":201}'),
    ],
)
def test_an_answer_without_a_status_is_json(answer: Any, body: bytes) -> None:
    response = http_response(json.dumps(answer))

    assert (response.status, response.body) == (200, body)
    assert response.headers == [("content-type", "application/json")]


def test_a_whole_response_is_sent_as_it_is() -> None:
    response = http_response(
        json.dumps(
            {
                "statusCode": 201,
                "headers": {"X-Number": 7, "Content-Type": "text/html"},
                "cookies": ["a=1; Secure", "b=2"],
                "body": "<p>",
            }
        )
    )

    assert (response.status, response.body) == (201, b"<p>")
    assert response.headers == [
        ("x-number", "7"),
        ("content-type", "text/html"),
        ("set-cookie", "a=1; Secure"),
        ("set-cookie", "b=2"),
    ]


def test_a_binary_body_is_decoded() -> None:
    answer = {"statusCode": "200", "body": "iVBO", "isBase64Encoded": True}

    assert http_response(json.dumps(answer)).body == b"\x89PN"


@pytest.mark.parametrize(
    "answer",
    [
        {"statusCode": "many"},
        {"statusCode": 99},
        {"statusCode": None},
        {"statusCode": 200, "body": {"note": 1}},
        {"statusCode": 200, "body": "?", "isBase64Encoded": True},
        {"statusCode": 200, "headers": ["a"]},
    ],
)
def test_an_answer_that_is_no_response_is_refused(answer: Any) -> None:
    with pytest.raises(BadAnswer):
        http_response(json.dumps(answer))
