"""A request takes the route that API Gateway would choose."""

import pytest

from sortkey.local.http.routes import RoutingTable

TABLE = RoutingTable(
    [
        ("GET", "/", "root"),
        ("GET", "/notes/{note_id}", "note"),
        ("GET", "/notes/latest", "latest"),
        ("DELETE", "/notes/{note_id}", "delete"),
        ("GET", "/{kind}/{own_id}/parts", "parts"),
        ("GET", "/notes/{note_id}/parts", "parts of a note"),
        ("GET", "/{kind}/new/parts", "new parts"),
    ]
)


@pytest.mark.parametrize(
    ("path", "target", "parameters"),
    [
        ("/", "root", {}),
        ("", "root", {}),
        ("/notes/latest", "latest", {}),
        ("/notes/l%61test", "latest", {}),
        ("/notes/7", "note", {"note_id": "7"}),
        ("/notes/a%20b%2Fc", "note", {"note_id": "a b/c"}),
        ("/notes/a+b", "note", {"note_id": "a+b"}),
        ("/notes/7/parts", "parts of a note", {"note_id": "7"}),
        ("/notes/new/parts", "parts of a note", {"note_id": "new"}),
        ("/tasks/new/parts", "new parts", {"kind": "tasks"}),
        ("/tasks/7/parts", "parts", {"kind": "tasks", "own_id": "7"}),
    ],
)
def test_the_most_specific_route_is_taken(
    path: str, target: str, parameters: dict[str, str]
) -> None:
    match = TABLE.match("GET", path)

    assert match is not None
    assert (match.target, match.parameters) == (target, parameters)


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/"), ("GET", "/notes"), ("GET", "/notes/"), ("GET", "/notes/7/"), ("HEAD", "/")],
)
def test_other_requests_have_no_route(method: str, path: str) -> None:
    assert TABLE.match(method, path) is None


def test_the_key_of_a_route_is_as_it_was_declared() -> None:
    found = [TABLE.match("GET", path) for path in ("/", "/notes/7")]

    assert [match.key for match in found if match] == ["GET /", "GET /notes/{note_id}"]
