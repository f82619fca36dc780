"""No cursor that a client forges makes a list fail, or return records of others."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from tests.access.executors import stored_items
from tests.access.forging import forged
from tests.systems.schemas import filled
from tests.systems.test_schemas import SYSTEMS, in_memory

from sortkey import DB
from sortkey.operations.operation import ANYWHERE, Context, Conversation
from sortkey.operations.page import Page
from sortkey.operations.plan import TableName
from sortkey.operations.walk import PageOf, Walk
from sortkey.wire.values import Item
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import Tokens

# Values of parameters that have no example in the schema, or none for this caller.
VALUES = {
    "assignment_type": "direct_user",
    "category": "strength",
    "correlation_id": "c",
    "day": "2031-03-01",
    "difficulty": "beginner",
    "event_type": "AUTH_LOGIN",
    "month": "2031-03",
    "session_id": "s0000002-000",
    "user_id": "ann",
}
OTHERS = 3


class CursorList(NamedTuple):
    """A list of an API with a cursor, as a caller requests it."""

    client: TestClient
    path: str
    params: dict[str, str]

    def get(self, cursor: str | None) -> Any:
        cursors = {} if cursor is None else {"cursor": cursor}
        return self.client.get(self.path, params=self.params | cursors)

    def whole(self) -> list[Any]:
        page = self.get(None).json()
        found = page["items"]
        while page["cursor"] is not None:
            page = self.get(page["cursor"]).json()
            found += page["items"]
        return found


class Pages:
    """The pages that operations read after a cursor."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[tuple[Walk[Any], Context]] = []
        run = PageOf[Any]._steps

        def steps(page: PageOf[Any], context: Context = ANYWHERE) -> Conversation[Page[Any]]:
            if page._after is not None:
                self.seen.append((page._walk, context))
            return run(page, context)

        monkeypatch.setattr(PageOf, "_steps", steps)

    def of(self, listed: CursorList) -> tuple[Walk[Any], str]:
        """Return the walk of a list, and the query that its cursors name."""
        self.seen.clear()
        assert listed.get("nonsense").status_code == 400
        [(walk, context)] = self.seen
        return walk, walk._identity(context)


@contextmanager
def served(system: str, db: DB) -> Generator[list[CursorList]]:
    """Yield every list with a cursor of an API, for a caller with all roles."""
    module: Any = import_module(f"sortkey_systems.{system}.api")
    caller, tokens = filled(system, db), Tokens()
    app = module.api.app(db, tokens, rates=None)
    token = tokens.sign(Caller(caller.user_id, caller.email, frozenset(module.api.roles)))
    headers = {"authorization": f"Bearer {token}"}
    with TestClient(app, headers=headers, raise_server_exceptions=False) as client:
        yield list(lists(app, client))


def lists(app: FastAPI, client: TestClient) -> Iterator[CursorList]:
    """Yield every list of an API that takes a cursor."""
    for path, operations in app.openapi()["paths"].items():
        parameters = operations.get("get", {}).get("parameters", [])
        if any(one["name"] == "cursor" for one in parameters):
            needed = [one for one in parameters if one.get("required")]
            values = {one["name"]: value_of(one) for one in needed}
            in_query = [one["name"] for one in needed if one["in"] == "query"]
            yield CursorList(client, path.format(**values), {n: values[n] for n in in_query})


def value_of(parameter: Any) -> str:
    name, examples = parameter["name"], parameter["schema"].get("examples")
    return examples[0] if examples and name != "session_id" else VALUES[name]


def positions(walk: Walk[Any], stored: dict[TableName, list[Item]]) -> Iterator[Any]:
    """Yield positions that are nonsense, slightly wrong, or those of other records."""
    lanes = walk._lanes()
    yield from (None, [], {}, "x", 5, {"lanes": []}, {"lanes": [None] * len(lanes), "place": {}})
    for lane, step in enumerate(one.step for one in lanes):
        keys = list(step.table.position_keys(step.index))
        found = [
            {key.name: item[key.name] for key in keys}
            for item in stored[step.table]
            if all(key.name in item for key in keys)
        ]
        for at in (*found[:: max(1, len(found) // OTHERS)], *changed(found)):
            if len(lanes) == 1:
                yield at
            else:
                several: list[Any] = [None] * len(lanes)
                several[lane] = at
                yield {"lanes": several}
                yield {"lanes": several, "place": ["time", "x"], "seen": []}
                yield {"lanes": several, "place": {}, "seen": []}
                yield {"lanes": several, "place": 5, "seen": [5]}


def changed(found: list[Item]) -> Iterator[Any]:
    """Yield the first position with one part changed, removed or added."""
    for position in found[:1]:
        for name in position:
            for value in ({"S": "x"}, {"N": "1"}, None):
                yield position | {name: value}
            yield {other: value for other, value in position.items() if other != name}
        yield position | {"other": {"S": "x"}}


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_forged_cursor_is_a_bad_request_or_continues_the_callers_list(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages, refused, accepted = Pages(monkeypatch), 0, 0
    generator: Any = import_module(f"sortkey_systems.{system}.generator")
    with in_memory(system) as db, served(system, db) as found:
        stored = {table.definition: stored_items(db, table) for table in generator.TABLES}
        for listed in found:
            walk, query = pages.of(listed)
            own = listed.whole()
            for position in positions(walk, stored):
                response = listed.get(forged(query, position))
                if response.status_code == 400:
                    assert "cursor" in response.json()["detail"]
                    refused += 1
                else:
                    assert response.status_code == 200, (listed.path, position, response.text)
                    assert [one for one in response.json()["items"] if one not in own] == []
                    accepted += 1
    assert refused > 0
    assert accepted > 0
