"""An API responds with the results of its operations, and with problems for errors."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Annotated, Any

import pytest
from fastapi import Depends, Response
from fastapi.testclient import TestClient
from pydantic import BaseModel

from sortkey import (
    DB,
    BadCursor,
    Entity,
    NotFound,
    Op,
    Page,
    Table,
    TransactionFailed,
    TransportError,
    pattern,
)
from sortkey.wire.errors import (
    ProvisionedThroughputExceededException,
    TransactionConflictException,
    ValidationException,
)
from sortkey_systems.api.app import LARGEST_BODY, Api, Cursor, Database, Moment, Operations
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.days import Day
from sortkey_systems.api.identity import RequireRole, SignedIn, Tokens
from sortkey_systems.api.rates import RequestRate, RequestRates


class Shelf(Table, partition="owner", sort="title"):
    """Books by owner."""


class Book(Entity, table=Shelf):
    """A book."""

    owner: str
    title: str


@pattern("Books of an owner")
def books(owner: str, after: str | None) -> Op[Page[Book]]:
    return Book.query(owner=owner).page(2, after)


class Lent(Exception):  # noqa: N818
    """The book is lent to another reader.

    It is with no other reader.
    """


class BadTitle(Exception):  # noqa: N818
    """A title that cannot be one."""

    field = "title"


class New(BaseModel):
    title: str
    bought: Day


class CardLost(Exception):  # noqa: N818
    """The reader's card is lost."""


lending = Operations()


class Plain(Response):
    """Text for people."""

    media_type = "text/plain"


class Borrowed(BaseModel):
    """A loan without who has it."""

    title: str


@lending.get("/loans", response=Borrowed)
def loan() -> Book:
    """A loan."""
    return Book(owner="ann", title="Emma")


@lending.get("/loans/notice")
def notice() -> Plain:
    """Get the notice on the door."""
    return Plain("Bring it back.")


@lending.post("/loans/{title}", Lent, status=201)
def lend_book(title: str) -> str:
    """Lend a book."""
    raise Lent(f"{title} is lent")


api = Api(
    "Shelves",
    "Books.",
    {Lent: 409, BadTitle: 400, CardLost: 401},
    roles=["librarian"],
    parts=[lending],
)


@api.get("/books", BadCursor)
def list_books(db: Database, caller: SignedIn, cursor: Cursor = None) -> Page[Book]:
    """Your books.

    By title.
    """
    return db(books(caller.user_id, cursor))


@api.post("/books", BadTitle, Lent, status=201)
def add_book(db: Database, caller: SignedIn, new: New) -> Book:
    """Add a book."""
    match new.title:
        case "bad":
            raise BadTitle("this is no title")
        case "lent":
            raise Lent("it is lent")
        case "slow":
            raise ProvisionedThroughputExceededException("too much")
        case "away":
            raise TransportError("no server at http://10.0.0.7:8000")
        case "met":
            raise TransactionFailed([None, TransactionConflictException("another")])
        case "stuffed":
            error = ValidationException("Item size to update has exceeded the maximum allowed size")
            raise TransactionFailed([error, None])
        case "torn":
            raise TransactionFailed([None, NotFound("no key", entity="Book", key={})])
        case "full":
            raise ValidationException("Item size has exceeded the maximum allowed size")
        case "wrong":
            raise ValidationException("The provided key is wrong")
        case "bug":
            raise ZeroDivisionError
        case _:
            return db(Book(owner=caller.user_id, title=new.title).create())


@api.delete("/books/{title}", NotFound)
def remove_book(db: Database, caller: SignedIn, title: str) -> None:
    """Remove a book."""
    db(Book.delete(owner=caller.user_id, title=title).where(lambda book: book.title == title))


@api.put("/books", status=204)
def sort_books(librarian: Annotated[Caller, Depends(RequireRole("librarian"))]) -> None:
    """Sort all books."""


@api.patch("/books")
def dust_books(caller: SignedIn) -> date:
    """Dust your books."""
    return date(2030, 5, 14)


@api.post("/books/opened", CardLost)
def open_book(caller: SignedIn, at: Moment) -> datetime:
    """Open a book."""
    return at


@api.post("/visits", rate=RequestRate(per_second=0.001, burst=2))
def visit() -> str:
    """Visit the library, without a token."""
    return "welcome"


@api.get("/health")
def health() -> str:
    """Get the health of the service, without a token."""
    return "well"


tokens = Tokens()


@pytest.fixture
def client() -> Iterator[TestClient]:
    db = DB.memory(Shelf)
    headers = {"authorization": f"Bearer {tokens.sign(Caller('ann'))}"}
    app = api.app(db, tokens)
    with TestClient(app, headers=headers, raise_server_exceptions=False) as client:
        yield client
    db.close()


def added(client: TestClient, title: str, bought: object = "2030-05-14") -> Any:
    return client.post("/books", json={"title": title, "bought": bought})


def test_an_operation_responds_with_its_return_value(client: TestClient) -> None:
    answer = added(client, "Emma")

    assert answer.status_code == 201
    assert answer.json() == {"owner": "ann", "title": "Emma"}


def test_a_part_of_an_api_handles_errors_too(client: TestClient) -> None:
    refused = client.post("/loans/Emma")

    assert refused.status_code == 409
    assert refused.json()["detail"] == "Emma is lent"
    assert client.get("/loans/Emma").headers["allow"] == "POST"


def test_a_response_model_can_have_fewer_fields(client: TestClient) -> None:
    answer = client.get("/loans")
    schema = client.get("/openapi.json").json()["paths"]["/loans"]["get"]["responses"]["200"]

    assert answer.json() == {"title": "Emma"}
    assert schema["content"]["application/json"]["schema"]["$ref"].endswith("/Borrowed")


def test_a_response_can_have_its_own_media_type(client: TestClient) -> None:
    answer = client.get("/loans/notice")
    responses = client.get("/openapi.json").json()["paths"]["/loans/notice"]["get"]["responses"]

    assert answer.text == "Bring it back."
    assert list(responses["200"]["content"]) == ["text/plain"]
    assert list(responses["503"]["content"]) == ["application/problem+json"]


def test_a_body_that_is_too_large_is_not_read(client: TestClient) -> None:
    answer = client.post("/books", content=b"x" * (LARGEST_BODY + 1))

    assert answer.status_code == 413
    assert answer.json()["type"] == "urn:problem:too-large"
    assert client.post("/books", content=b"x" * LARGEST_BODY).status_code == 422


@pytest.mark.parametrize("body", [b"[" * LARGEST_BODY, b"9" * LARGEST_BODY, b'{"title":1e999}'])
def test_a_body_that_is_hard_to_parse_is_malformed(client: TestClient, body: bytes) -> None:
    answer = client.post("/books", content=body, headers={"content-type": "application/json"})

    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:problem:malformed"


SLOW = RequestRates(
    caller=RequestRate(per_second=0.001, burst=3), address=RequestRate(per_second=0.001, burst=2)
)


def statuses(client: TestClient, count: int, token: str = "") -> list[int]:
    headers = {"authorization": f"Bearer {token}"}
    return [client.get("/health", headers=headers).status_code for _ in range(count)]


def test_a_caller_may_send_only_so_many_requests() -> None:
    ann, bob = (tokens.sign(Caller(who)) for who in ("ann", "bob"))
    with DB.memory(Shelf) as db, TestClient(api.app(db, tokens, SLOW)) as client:
        assert statuses(client, 5, ann) == [200, 200, 200, 429, 429]
        assert statuses(client, 1, tokens.sign(Caller("ann", roles=frozenset({"x"})))) == [429]
        assert statuses(client, 1, bob) == [200]
        refused = client.post("/books", headers={"authorization": f"Bearer {ann}"})

    assert refused.status_code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 1_000
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["type"] == "urn:problem:too-many-requests"
    assert "too many requests: try again after" in refused.json()["detail"]


def test_requests_without_a_valid_token_are_counted_by_their_address() -> None:
    with DB.memory(Shelf) as db:
        app = api.app(db, tokens, SLOW)
        here, there = (TestClient(app, client=(host, 1)) for host in ("10.0.0.1", "10.0.0.2"))

        assert statuses(here, 1) == [200]
        # Whatever a client claims, it stays the same client.
        assert statuses(here, 1, Tokens().sign(Caller("eve"))) == [200]
        assert statuses(here, 1, "nonsense") == [429]
        assert here.get("/nowhere").status_code == 429
        assert statuses(there, 2) == [200, 200]
        assert statuses(here, 1, tokens.sign(Caller("ann"))) == [200]


def test_an_operation_can_have_a_rate_of_its_own() -> None:
    with DB.memory(Shelf) as db:
        app = api.app(db, tokens)
        here, there = (TestClient(app, client=(host, 1)) for host in ("10.0.0.1", "10.0.0.2"))
        answers = [here.post("/visits") for _ in range(3)]

        assert [one.status_code for one in answers] == [200, 200, 429]
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 1_000
        assert there.post("/visits").status_code == 200
        assert statuses(here, 3) == [200, 200, 200]


def test_without_rates_nothing_is_counted() -> None:
    with DB.memory(Shelf) as db:
        client = TestClient(api.app(db, tokens, rates=None))

        assert [client.post("/visits").status_code for _ in range(5)] == [200] * 5


def test_a_page_carries_the_cursor_of_the_next(client: TestClient) -> None:
    for title in ("Emma", "Ivanhoe", "Moby Dick"):
        added(client, title)

    first = client.get("/books").json()
    second = client.get("/books", params={"cursor": first["cursor"]}).json()

    assert [book["title"] for book in first["items"]] == ["Emma", "Ivanhoe"]
    assert [book["title"] for book in second["items"]] == ["Moby Dick"]
    assert second["cursor"] is None


def test_a_request_without_a_token_is_rejected(client: TestClient) -> None:
    answer = client.get("/books", headers={"authorization": ""})

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["type"] == "urn:problem:not-signed-in"


@pytest.mark.parametrize("scheme", ["Bearer nonsense", "Basic YW5uOmFubg==", "Bearer", "Bearer "])
def test_a_request_with_an_invalid_token_is_rejected(client: TestClient, scheme: str) -> None:
    assert client.get("/books", headers={"authorization": scheme}).status_code == 401


def test_a_public_operation_needs_no_token(client: TestClient) -> None:
    assert client.get("/health", headers={"authorization": ""}).json() == "well"


def test_a_role_is_required(client: TestClient) -> None:
    with_role = tokens.sign(Caller("ann", roles=frozenset({"librarian"})))

    assert client.put("/books").status_code == 403
    assert client.put("/books").json()["detail"] == "this requires the role librarian"
    answer = client.put("/books", headers={"authorization": f"Bearer {with_role}"})
    assert answer.status_code == 204


def test_an_error_is_a_problem_with_its_status(client: TestClient) -> None:
    answer = added(client, "lent")

    assert answer.status_code == 409
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "type": "urn:problem:lent",
        "title": "Lent",
        "status": 409,
        "detail": "it is lent",
        "errors": [],
    }


def test_an_invalid_value_names_its_field(client: TestClient) -> None:
    answer = added(client, "bad")

    assert answer.status_code == 400
    assert answer.json()["errors"] == [{"field": "title", "message": "this is no title"}]


def test_errors_of_the_data_access_are_problems_too(client: TestClient) -> None:
    added(client, "Emma")

    assert added(client, "Emma").json()["type"] == "urn:problem:already-exists"
    assert client.delete("/books/Ulysses").status_code == 404
    assert client.get("/books", params={"cursor": "nonsense"}).status_code == 400
    too_long = added(client, "x" * 2000)
    assert too_long.status_code == 422
    assert too_long.json()["errors"][0]["field"] == "title"


def test_an_error_of_the_data_access_shows_no_key(client: TestClient) -> None:
    added(client, "Emma")

    answers = [
        added(client, "x" * 2000),
        added(client, "Emma"),
        client.delete("/books/Ulysses"),
        client.get("/books", params={"cursor": "nonsense"}),
    ]

    assert [answer.json()["detail"] for answer in answers] == [
        "title: the value cannot be stored",
        "the record already exists",
        "the record does not exist",
        "the cursor is not one of this list: leave it out to begin again",
    ]
    assert answers[0].json()["errors"] == [
        {"field": "title", "message": "the value cannot be stored"}
    ]


@pytest.mark.parametrize("title", ["slow", "away", "met"])
def test_an_unavailable_database_is_a_503_to_retry(client: TestClient, title: str) -> None:
    answer = added(client, title)

    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
    assert answer.json()["type"] == "urn:problem:unavailable"
    assert answer.json()["detail"] == "the database is unavailable: try again"


def test_each_malformed_value_is_named(client: TestClient) -> None:
    answer = client.post("/books", json={"title": 3})

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert [fault["field"] for fault in answer.json()["errors"]] == ["body.title", "body.bought"]


@pytest.mark.parametrize("body", [b"\xff\x00", b"{", b""])
def test_a_body_that_cannot_be_read_is_malformed(client: TestClient, body: bytes) -> None:
    answer = client.post("/books", content=body, headers={"content-type": "application/json"})

    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:problem:malformed"


@pytest.mark.parametrize(
    "day", [0, "0", "20300514", "2030-02-30", "2030-05-14T00:00", None, "٢٠٣٠-05-14"]
)
def test_a_day_is_written_as_a_day(client: TestClient, day: object) -> None:
    assert added(client, "Emma", day).status_code == 422


@pytest.mark.parametrize(
    "given", ["2030-05-14T10:00:00Z", "2030-05-14T12:00:00+02:00", "2030-05-14T10:00:00.000000Z"]
)
def test_a_time_is_converted_to_utc(client: TestClient, given: str) -> None:
    answer = client.post("/books/opened", params={"at": given})

    assert answer.json() == "2030-05-14T10:00:00Z"


@pytest.mark.parametrize(
    "given",
    [
        "0",
        "1900000000",
        "2030-05-14",
        "2030-05-14T10:00:00",
        "2030-02-30T10:00:00Z",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
    ],
)
def test_a_moment_has_a_time_and_a_zone(client: TestClient, given: str) -> None:
    assert client.post("/books/opened", params={"at": given}).status_code == 422


@pytest.mark.parametrize("title", ["full", "stuffed"])
def test_a_record_that_would_be_too_large_is_refused(client: TestClient, title: str) -> None:
    answer = added(client, title)

    assert answer.status_code == 413
    assert answer.json()["type"] == "urn:problem:too-large"


@pytest.mark.parametrize("title", ["bug", "wrong", "torn"])
def test_an_internal_error_reveals_no_details(client: TestClient, title: str) -> None:
    answer = added(client, title)

    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "ZeroDivision" not in answer.text
    assert "key" not in answer.text


def test_an_unknown_path_or_method_is_a_problem(client: TestClient) -> None:
    nowhere, head = client.get("/nowhere"), client.request("TRACE", "/books")

    assert nowhere.json()["type"] == "urn:problem:path-not-found"
    assert head.json()["type"] == "urn:problem:method-not-allowed"
    assert head.headers["allow"] == "GET, PATCH, POST, PUT"


def test_the_docs_page_loads_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/docs").text

    assert "https://" not in page
    assert client.get("/static-offline-docs/swagger-ui-bundle.js").status_code == 200


def test_the_schema_has_the_declared_errors(client: TestClient) -> None:
    operation = client.get("/openapi.json").json()["paths"]["/books"]["post"]

    responses = operation["responses"]
    assert list(responses) == ["201", "400", "401", "409", "413", "422", "429", "503"]
    assert responses["409"]["description"] == "`Lent`: The book is lent to another reader."
    assert list(responses["409"]["content"]) == ["application/problem+json"]


def test_the_schema_has_every_reason_for_a_401(client: TestClient) -> None:
    operation = client.get("/openapi.json").json()["paths"]["/books/opened"]["post"]

    first, second = operation["responses"]["401"]["description"].split("\n\n")
    assert first.startswith("`NotSignedIn`: ")
    assert second == "`CardLost`: The reader's card is lost."


def test_the_schema_requires_no_token_for_a_public_operation(client: TestClient) -> None:
    operation = client.get("/openapi.json").json()["paths"]["/health"]["get"]

    assert "security" not in operation
    assert "401" not in operation["responses"]


def test_the_first_line_of_an_operation_is_its_summary(client: TestClient) -> None:
    operation = client.get("/openapi.json").json()["paths"]["/books"]["get"]

    assert operation["summary"] == "Your books"
    assert operation["description"] == "By title."
    assert operation["operationId"] == "list_books"
