"""Common mistakes of newcomers are refused with a message that says what to write instead."""

# Type checkers see many of these too.
# pyright: reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false
# pyright: reportUnknownMemberType=false, reportUnknownLambdaType=false

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from pydantic import ValidationError
from tests.access.design import App, Order, Ticket

from sortkey import (
    DB,
    DesignError,
    Entity,
    KeyValueError,
    Refused,
    SettingsError,
    Table,
    ValueRefused,
    contains,
    pattern,
)


@pattern("an order")
def an_order() -> Any:
    return Order.get(org_id="o", order_id=1)


TICKET = Ticket(org_id="o", ticket_id="t", queue="red")

NO_OPERATIONS: dict[str, tuple[Any, str]] = {
    "a record": (TICKET, r"a Ticket: call a method of it, as in db\(ticket.create\(\)\)"),
    "a pattern": (an_order, r"a pattern: call it, as in db\(an_order\(...\)\)"),
    "a change without value": (
        TICKET.update().set(lambda t: t.queue),
        r"a change without its value: add .to\(...\), .by\(...\) or .items",
    ),
    "several": ([an_order()], r"a sequence: .* as in db\.all\(\*operations\)"),
    "an entity": (Ticket, "Ticket"),
    "nothing": (None, "None"),
}


@pytest.mark.parametrize(("value", "message"), NO_OPERATIONS.values(), ids=NO_OPERATIONS)
def test_a_value_that_is_not_an_operation_is_refused(
    opened: Callable[..., DB], value: Any, message: str
) -> None:
    with pytest.raises(Refused, match="a database runs operations, and this is .*" + message):
        opened(App)(value)


@pytest.mark.parametrize("value", [Order.get(org_id="o", order_id=1), [TICKET.create()]])
def test_a_transaction_is_of_writes(value: Any) -> None:
    with DB.memory(App) as db, pytest.raises(Refused, match=r"transact\(\) takes writes"):
        db.transact(value)


@pytest.mark.parametrize("value", [Ticket, "App", App.definition])
def test_a_database_is_opened_with_tables(value: Any) -> None:
    with pytest.raises(Refused, match="opened with its tables"):
        DB.memory(value)


@pytest.mark.parametrize(
    "name",
    [
        "localhost:8000",
        "127.0.0.1:8000",
        "mem",
        "Memory",
        "awss:eu-west-1",
        "ftp://x",
        "sqlite:///x.db",
    ],
)
def test_a_misspelt_target_makes_no_file(
    name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(SettingsError, match="is not a target: use memory, aws"):
        DB.connect(App, target=name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["app.db", "./app", "data/app.sqlite"])
def test_a_file_is_recognised_by_its_extension_or_its_folder(
    name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()

    DB.connect(App, target=name).close()

    assert (tmp_path / name).exists()


def test_a_pattern_without_a_title_is_refused() -> None:
    def untitled() -> Any: ...

    with pytest.raises(DesignError, match=r'Write @pattern\("What it asks"\)'):
        pattern(untitled)


def test_a_misspelt_field_of_a_new_record_is_refused() -> None:
    with pytest.raises(ValidationError, match="qeue"):
        Ticket.model_validate({"org_id": "o", "ticket_id": "t", "queue": "red", "qeue": "blue"})


def test_a_value_that_no_key_can_hold_is_refused() -> None:
    with pytest.raises(KeyValueError) as refused:
        Order.get(org_id="a#b", order_id=1)

    assert isinstance(refused.value, Refused)
    assert refused.value.field == "org_id"


def test_a_value_that_cannot_be_stored_is_refused_with_its_field() -> None:
    class Notes(Table):
        pass

    class Note(Entity, table=Notes):
        note_id: str
        at: datetime

        primary = Notes.primary.key("NOTE#{note_id}", "META")

    naive = datetime(2030, 5, 14)  # noqa: DTZ001 - what is refused
    with DB.memory(Notes) as db:
        for write in (
            lambda: Note(note_id="1", at=naive).put(),
            lambda: Note.update(note_id="1").set(lambda n: n.at).to(naive),
        ):
            with pytest.raises(ValueRefused) as refused:
                db(write())
            assert refused.value.field == "at"


CONDITIONS: dict[str, tuple[Callable[[], Any], str]] = {
    "a field by its name": (
        lambda: TICKET.update().set("queue"),
        r"named by a function of the record, as in set\(lambda r: r.count\)",
    ),
    "a condition as text": (
        lambda: Ticket.scan().where("queue = 1"),
        r"named by a function of the record, as in where\(lambda",
    ),
    "a field alone": (
        lambda: Ticket.scan().where(lambda t: t.queue),
        "queue alone is not a condition, because it is not a bool: compare it",
    ),
    "no parentheses": (
        lambda: Order.scan().where(lambda o: o.order_id > 1 & o.order_id < 3),
        r"put each condition in its own parentheses, as in \(r.order_id > 1\)",
    ),
    "in": (
        lambda: Order.scan().where(lambda o: o.status in ("a", "b")),
        r"one_of\(...\) for `in`",
    ),
    "not": (lambda: Order.scan().where(lambda o: not o.status), "~ for `not`"),
    "and": (
        lambda: Order.scan().where(lambda o: o.order_id > 1 and o.order_id < 3),
        r"write & for `and`, \| for `or`",
    ),
}


@pytest.mark.parametrize(("build", "message"), CONDITIONS.values(), ids=CONDITIONS)
def test_a_condition_is_refused_with_how_to_write_it(
    build: Callable[[], Any], message: str
) -> None:
    with pytest.raises(Refused, match=message):
        build()


def test_an_amount_of_another_type_is_refused() -> None:
    order = Order.update(org_id="o", order_id=1)

    with pytest.raises(Refused, match=r"Order\.status cannot take 1: it is of type int"):
        order.add(lambda o: o.status).by(1).params()
    with pytest.raises(Refused, match=r"Order\.total cannot take '1': it is of type str"):
        order.add(lambda o: o.total).by("1").params()


def test_contains_is_what_in_means_for_a_set() -> None:
    with pytest.raises(Refused, match=r"write contains\(r.note, ...\)"):
        Order.scan().where(lambda o: "x" in o.note)
    assert Order.scan().where(lambda o: contains(o.note, "x")).params()["FilterExpression"]


@pytest.mark.parametrize("name", ["check", "get", "update", "scan"])
def test_a_field_that_would_hide_an_operation_is_refused(name: str) -> None:
    with pytest.raises(DesignError, match=f"SK124.*{name}"):
        type("Cheque", (Entity,), {"__annotations__": {name: str}}, table=App)


def test_one_record_is_not_looked_for_within_a_limit() -> None:
    with pytest.raises(Refused, match=r"one\(\) looks for a second record: remove limit\(1\)"):
        Order.query(org_id="o").limit(1).one()
