"""The gateway answers for an API: routes, tokens, limits, failures and pages of other origins."""

from pathlib import Path
from typing import Any, cast

import pytest
from tests.local.doubles import FAILED, ScriptedFunction
from tests.local.surroundings import Place

from sortkey import HttpApi, Route
from sortkey.local.functions import Stopped, Throttled
from sortkey.local.http.gateway import Gateway, Routed
from sortkey.local.http.messages import HttpRequest, HttpResponse
from sortkey.local.http.verifier import Unauthorized, Verified

API = HttpApi(issuer="https://issuer.example", audience="notes", origins=("https://a.example",))
ID = "notes-dev-api"


class Tokens:
    def verified(self, header: str | None) -> Verified:
        if header is None:
            raise Unauthorized("")
        if header != "Bearer ann":
            raise Unauthorized('the token is "bad"')
        return Verified({"sub": "ann", "exp": 7})


class Fronted:
    """A gateway before a scripted function."""

    def __init__(self, folder: Path, api: HttpApi = API) -> None:
        self.place = Place(folder)
        self.function = ScriptedFunction(handle=lambda _: {"note": 1})
        self.refused: list[str] = []
        routes = [
            Routed(Route(api, request, open=is_open), self.function.as_function)
            for request, is_open in (
                ("GET /notes/{note_id}", False),
                ("POST /notes", False),
                ("POST /hooks", True),
            )
        ]
        self.gateway = Gateway(
            api,
            ID,
            routes,
            clock=self.place.clock,
            meters=self.place.around.meters,
            authorizer=None if api.issuer is None else Tokens(),
            refused=self.refused.append,
        )

    def ask(
        self, request: str, token: str | None = "Bearer ann", body: bytes = b"", **headers: str
    ) -> HttpResponse:
        method, target = request.split()
        given = [(name.replace("_", "-"), value) for name, value in headers.items()]
        if token is not None:
            given.append(("authorization", token))
        return self.gateway.answer(HttpRequest(method, target, tuple(given), body))

    @property
    def event(self) -> dict[str, Any]:
        [event] = self.function.events
        return cast("dict[str, Any]", event)


@pytest.fixture
def fronted(tmp_path: Path) -> Fronted:
    return Fronted(tmp_path)


def test_a_function_gets_the_event_of_its_route(fronted: Fronted) -> None:
    response = fronted.ask("GET /notes/7?a=1")

    assert (response.status, response.body) == (200, b'{"note":1}')
    assert fronted.event["routeKey"] == "GET /notes/{note_id}"
    assert fronted.event["requestContext"]["authorizer"]["jwt"]["claims"] == {
        "sub": "ann",
        "exp": "7",
    }
    request_id = fronted.event["requestContext"]["requestId"]
    assert ("apigw-requestid", request_id) in response.headers


def test_an_open_route_has_no_authorizer(fronted: Fronted) -> None:
    assert fronted.ask("POST /hooks", token=None).status == 200

    assert "authorizer" not in fronted.event["requestContext"]


def test_an_api_without_an_issuer_lets_everyone_in(tmp_path: Path) -> None:
    fronted = Fronted(tmp_path, HttpApi())

    assert fronted.ask("GET /notes/7", token=None).status == 200
    assert "authorizer" not in fronted.event["requestContext"]


@pytest.mark.parametrize(
    ("token", "challenge"),
    [
        (None, "Bearer"),
        (
            "Bearer x",
            """Bearer scope="" error="invalid_token" error_description="the token is 'bad'\"""",
        ),
    ],
)
def test_a_request_without_a_valid_token_does_not_reach_the_function(
    fronted: Fronted, token: str | None, challenge: str
) -> None:
    response = fronted.ask("GET /notes/7", token)

    assert (response.status, response.body) == (401, b'{"message":"Unauthorized"}')
    assert ("www-authenticate", challenge) in response.headers
    assert fronted.function.events == []
    assert len(fronted.refused) == 1


@pytest.mark.parametrize("request_line", ["GET /", "GET /notes", "PUT /notes", "HEAD /notes/7"])
def test_nobody_learns_of_routes_that_do_not_exist(fronted: Fronted, request_line: str) -> None:
    response = fronted.ask(request_line, token=None)

    assert (response.status, response.body) == (404, b'{"message":"Not Found"}')


@pytest.mark.parametrize("size", [10 * 1024 * 1024 + 1, 6 * 1024 * 1024])
def test_a_body_that_is_too_large_for_the_gateway_or_for_lambda_is_refused(
    fronted: Fronted, size: int
) -> None:
    response = fronted.ask("POST /hooks", body=b"x" * size, content_type="text/plain")

    assert (response.status, response.body) == (413, b'{"message":"Request Entity Too Large"}')
    assert fronted.function.events == []


@pytest.mark.parametrize(
    ("outcome", "status", "message"),
    [
        (FAILED, 500, b"Internal Server Error"),
        ({"statusCode": "many"}, 500, b"Internal Server Error"),
        (Throttled("busy"), 503, b"Service Unavailable"),
        (Stopped(), 503, b"Service Unavailable"),
    ],
)
def test_a_function_that_does_not_answer_is_an_error(
    fronted: Fronted, outcome: Any, status: int, message: bytes
) -> None:
    fronted.function.handle = lambda _: outcome

    response = fronted.ask("GET /notes/7")

    assert (response.status, response.body) == (status, b'{"message":"%b"}' % message)


def cors(response: HttpResponse) -> dict[str, str]:
    return {name: value for name, value in response.headers if name.startswith("access-control")}


def test_a_preflight_is_answered_without_the_function(fronted: Fronted) -> None:
    response = fronted.ask(
        "OPTIONS /notes", None, origin="https://a.example", access_control_request_method="POST"
    )

    assert response.status == 204
    assert cors(response) == {
        "access-control-allow-origin": "https://a.example",
        "access-control-allow-methods": "GET,POST",
        "access-control-allow-headers": "authorization,content-type",
        "access-control-max-age": "3600",
    }
    assert fronted.function.events == []


def test_a_page_of_another_origin_learns_nothing(fronted: Fronted) -> None:
    other = "https://b.example"
    preflight = fronted.ask(
        "OPTIONS /notes", None, origin=other, access_control_request_method="POST"
    )

    assert cors(preflight) == {}
    assert cors(fronted.ask("GET /notes/7", origin=other)) == {}


def test_every_response_can_be_read_by_an_allowed_page(fronted: Fronted) -> None:
    for token, status in (("Bearer ann", 200), (None, 401)):
        response = fronted.ask("GET /notes/7", token, origin="https://a.example")

        assert response.status == status
        assert cors(response) == {"access-control-allow-origin": "https://a.example"}


def test_headers_of_the_function_give_way_to_the_declaration(fronted: Fronted) -> None:
    fronted.function.handle = lambda _: {
        "statusCode": 200,
        "headers": {"Access-Control-Allow-Origin": "*"},
    }

    assert cors(fronted.ask("GET /notes/7", origin="https://b.example")) == {}


def test_without_origins_the_function_decides(tmp_path: Path) -> None:
    fronted = Fronted(tmp_path, HttpApi())
    fronted.function.handle = lambda _: {
        "statusCode": 200,
        "headers": {"Access-Control-Allow-Origin": "*"},
    }

    assert cors(fronted.ask("GET /notes/7", origin="https://b.example")) == {
        "access-control-allow-origin": "*"
    }
    assert fronted.ask("OPTIONS /notes", None, origin="https://b.example").status == 404


def test_any_origin_may_be_declared(tmp_path: Path) -> None:
    fronted = Fronted(tmp_path, HttpApi(origins=("*",)))

    response = fronted.ask("GET /notes/7", origin="https://b.example")

    assert cors(response) == {"access-control-allow-origin": "*"}


def test_requests_and_failures_are_counted(fronted: Fronted) -> None:
    fronted.ask("GET /notes/7")
    fronted.ask("GET /nothing")
    fronted.function.handle = lambda _: FAILED
    fronted.ask("GET /notes/7")

    assert fronted.place.total("Count", ApiId=ID) == 3
    assert fronted.place.total("4xx", ApiId=ID) == 1
    assert fronted.place.total("5xx", ApiId=ID) == 1
