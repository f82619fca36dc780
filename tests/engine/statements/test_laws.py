"""A statement does what the operation beside it does."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from tests.engine.model import expressions as tree
from tests.engine.model.operations import Delete, Put, Read, Update
from tests.engine.model.random_expressions import comparators, conditions, updating
from tests.engine.model.requests import Requests, create_table
from tests.engine.model.samples import BY_NAME, KEYS, TABLES, items, pool
from tests.engine.model.values import Item, kind
from tests.engine.statements.texts import StatementTexts

from sortkey.engine import Engine
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    DuplicateItemException,
    ServiceError,
)

TABLE = BY_NAME["strings"]
SETTINGS = settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
Outcome = tuple[str, Any]
# What a SELECT by the key of an index refuses, and a Scan does not.
OF_INDEXES = (
    "does not project one or more filter attributes",
    "Key attribute's data type should match",
    "cannot contain an empty",
)


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[Engine, Engine]]:
    with Engine.memory() as one, Engine.memory() as other:
        for engine in (one, other):
            for table in TABLES:
                engine.answer("CreateTable", create_table(table))
        yield one, other


def fill(engine: Engine, stored: list[Item]) -> None:
    """Replace all items of the table."""
    for item in engine.answer("Scan", {"TableName": TABLE.name})["Items"]:
        key = {name: item[name] for name in TABLE.key}
        engine.answer("DeleteItem", {"TableName": TABLE.name, "Key": key})
    for item in stored:
        # A few are refused, since a key of an index has the wrong type.
        outcome(engine, *Requests().operation(Put(TABLE.name, item)))


@st.composite
def on_keys(draw: st.DrawFn) -> tree.Condition:
    """A condition on one attribute of a key."""
    name = draw(st.sampled_from(["pk", "pk", "sk", "a", "b", "n"]))
    at, values = tree.At((name,)), pool(name, TABLE.kinds[name])
    match draw(st.integers(0, 3)):
        case 0:
            return tree.In(at, tuple(map(tree.Literal, draw(st.lists(values, min_size=1)))))
        case 1:
            return tree.BeginsWith(at, tree.Literal(draw(values)))
        case 2:
            return tree.Compare(draw(comparators), tree.Literal(draw(values)), at)
        case _:
            return tree.Compare(draw(comparators | st.just("=")), at, tree.Literal(draw(values)))


clauses = st.recursive(
    on_keys() | conditions,
    lambda inner: (
        st.builds(tree.And, inner, inner)
        | st.builds(tree.And, inner, inner)
        | st.builds(tree.Or, inner, inner)
    ),
    max_leaves=4,
)


def is_writable(condition: tree.Condition) -> bool:
    """Whether PartiQL can say this: its IN is of an attribute."""
    match condition:
        case tree.In():
            return isinstance(condition.operand, tree.At)
        case tree.Not():
            return is_writable(condition.condition)
        case tree.And() | tree.Or():
            return is_writable(condition.left) and is_writable(condition.right)
        case _:
            return True


def outcome(engine: Engine, operation: str, body: dict[str, Any]) -> Outcome:
    try:
        return "", engine.answer(operation, body)
    except ServiceError as error:
        message = error.message
        for member in ("FilterExpression", "ConditionExpression", "UpdateExpression"):
            message = message.removeprefix(f"Invalid {member}: ")
        return type(error).__name__, message


def sorted_items(found: list[Any]) -> list[bytes]:
    return sorted(orjson.dumps(item, option=orjson.OPT_SORT_KEYS) for item in found)


def statement(text: str, texts: StatementTexts, **more: Any) -> tuple[str, dict[str, Any]]:
    given = {"Parameters": texts.parameters} if texts.parameters else {}
    return "ExecuteStatement", {"Statement": text, **given, **more}


@given(
    stored=st.lists(items(TABLE), max_size=12),
    clause=clauses.filter(is_writable),
    index=st.sampled_from([None, None, "by-a", "by-a-n", "by-several", "local-b"]),
    literally=st.booleans(),
    limit=st.none() | st.integers(1, 5),
)
@SETTINGS
def test_a_select_finds_what_a_scan_with_the_same_condition_finds(
    engines: tuple[Engine, Engine],
    *,
    stored: list[Item],
    clause: tree.Condition,
    index: str | None,
    literally: bool,
    limit: int | None,
) -> None:
    engine, _ = engines
    fill(engine, stored)
    texts = StatementTexts(literally=literally)
    source = TABLE.name if index is None else f'{TABLE.name}."{index}"'
    text = f"SELECT * FROM {source} WHERE {texts.condition(clause)}"

    scanned = outcome(engine, *Requests().read(Read(TABLE.name, index=index, filter=clause)))

    found: list[Any] = []
    bounds: dict[str, Any] = {} if limit is None else {"Limit": limit}
    while True:
        code, page = outcome(engine, *statement(text, texts, **bounds))
        if code and index and any(part in page for part in OF_INDEXES):
            return
        if code:
            assert (code, page) == scanned
            return
        found += page["Items"]
        if "NextToken" not in page:
            break
        bounds["NextToken"] = page["NextToken"]
    assert not scanned[0]
    assert sorted_items(found) == sorted_items(scanned[1]["Items"])


def is_said(action: tree.Action) -> bool:
    """Whether a statement can say this: ADD is for sets only."""
    if isinstance(action, tree.Add | tree.Delete):
        return kind(action.value) in {"SS", "NS", "BS"}
    return True


def both_stored(engines: tuple[Engine, Engine]) -> list[list[bytes]]:
    return [
        sorted_items(engine.answer("Scan", {"TableName": TABLE.name})["Items"])
        for engine in engines
    ]


EXISTING = tree.Exists(("pk",))
USAGE = {"ReturnConsumedCapacity": "INDEXES"}
few = st.lists(items(TABLE), max_size=3)
keys = KEYS[TABLE.name]


def named(key: Item, texts: StatementTexts, condition: tree.Condition | None) -> str:
    """The WHERE clause that names an item, and a condition on it."""
    parts = [f'"{name}" = {texts.value(value)}' for name, value in key.items()]
    if condition is not None:
        parts.append(f"({texts.condition(condition)})")
    return " AND ".join(parts)


@given(stored=few, item=items(TABLE), literally=st.booleans())
@SETTINGS
def test_an_insert_is_a_put_of_a_new_item(
    engines: tuple[Engine, Engine], stored: list[Item], item: Item, literally: bool
) -> None:
    one, other = engines
    for engine in engines:
        fill(engine, stored)
    texts = StatementTexts(literally=literally)
    members = ", ".join(f"'{name}': {texts.value(value)}" for name, value in item.items())
    assume(len(members) < 8000)

    name, put = Requests().operation(Put(TABLE.name, item, condition=tree.Not(EXISTING)))
    code, expected = outcome(one, name, put | USAGE)
    text = f"INSERT INTO {TABLE.name} VALUE {{{members}}}"
    found = outcome(other, *statement(text, texts, **USAGE))

    if code == ConditionalCheckFailedException.__name__:
        assert found[0] == DuplicateItemException.__name__
    else:
        assert found[0] == code
        assert code or found[1] == {"Items": []} | expected
    assert both_stored(engines)[0] == both_stored(engines)[1]


@given(
    stored=few,
    key=keys,
    actions=updating.filter(lambda actions: all(map(is_said, actions))),
    condition=st.none() | conditions.filter(is_writable),
    literally=st.booleans(),
    returns=st.sampled_from(["ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"]),
)
@SETTINGS
def test_an_update_is_an_update_of_an_existing_item(
    engines: tuple[Engine, Engine],
    *,
    stored: list[Item],
    key: Item,
    actions: tuple[tree.Action, ...],
    condition: tree.Condition | None,
    literally: bool,
    returns: str,
) -> None:
    one, other = engines
    for engine in engines:
        fill(engine, stored)
    demanded = EXISTING if condition is None else tree.And(EXISTING, condition)
    texts = StatementTexts(literally=literally)
    clauses = " ".join(map(texts.action, actions))
    which = returns.replace("UPDATED", "MODIFIED").replace("_", " ")
    text = f"UPDATE {TABLE.name} {clauses} WHERE {named(key, texts, condition)} RETURNING {which} *"
    assume(len(text) < 8000)

    name, update = Requests().operation(
        Update(TABLE.name, key, actions, condition=demanded, returns=returns)
    )
    code, expected = outcome(one, name, update | USAGE)
    found = outcome(other, *statement(text, texts, **USAGE))

    assert found[0] == code
    if not code:
        returned = [expected.pop("Attributes")] if "Attributes" in expected else []
        assert sorted_items(found[1].pop("Items")) == sorted_items(returned)
        assert found[1] == expected
    assert both_stored(engines)[0] == both_stored(engines)[1]


@given(
    stored=few,
    key=keys,
    condition=st.none() | conditions.filter(is_writable),
    literally=st.booleans(),
)
@example(stored=[], key={"pk": "a", "sk": "b"}, condition=EXISTING, literally=True)
@SETTINGS
def test_a_delete_is_a_delete_of_an_item_if_there_is_one(
    engines: tuple[Engine, Engine],
    *,
    stored: list[Item],
    key: Item,
    condition: tree.Condition | None,
    literally: bool,
) -> None:
    one, other = engines
    for engine in engines:
        fill(engine, stored)
    allowed = None if condition is None else tree.Or(tree.Not(EXISTING), condition)
    texts = StatementTexts(literally=literally)
    text = f"DELETE FROM {TABLE.name} WHERE {named(key, texts, condition)} RETURNING ALL OLD *"

    name, delete = Requests().operation(
        Delete(TABLE.name, key, condition=allowed, returns="ALL_OLD")
    )
    code, expected = outcome(one, name, delete | USAGE)
    found = outcome(other, *statement(text, texts, **USAGE))

    assert found[0] == code
    if not code:
        returned = [expected.pop("Attributes")] if "Attributes" in expected else []
        assert found[1] == {"Items": returned} | expected
    assert both_stored(engines)[0] == both_stored(engines)[1]
