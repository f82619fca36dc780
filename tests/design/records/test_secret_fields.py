"""What a design, a condition or a change may not do with a secret field."""

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel
from tests.access.secrets.design import (
    HUSH,
    OLD,
    Numbered,
    Safe,
    User,
    user,
)

from sortkey import (
    DB,
    DesignError,
    Entity,
    Keyring,
    Refused,
    Table,
    accepts_plaintext,
    any_of,
    begins_with,
    between,
    contains,
    exists,
    immutable,
    missing,
    one_of,
    secret,
    size,
    unique,
    value_of,
)
from sortkey.design.records.marks import VERSION

OVER_SECRETS: list[Callable[[Any], bool]] = [
    lambda u: u.token == "x",
    lambda u: u.token != "x",
    lambda u: u.token < "x",
    lambda u: u.name == u.token,
    lambda u: begins_with(u.token, "x"),
    lambda u: contains(u.token, "x"),
    lambda u: between(u.token, "a", "b"),
    lambda u: one_of(u.token, ["a"]),
    lambda u: size(u.token) > 3,
    lambda u: value_of(u.spare) == "x",
    lambda u: u.card.digits == "4111",
    lambda u: exists(u.card.digits),
    lambda u: u.card.digits == None,  # noqa: E711
    lambda u: any_of(u.name == "a", contains(u.tags, "x")),
]


@pytest.mark.parametrize("test", OVER_SECRETS)
def test_conditions_and_filters_over_a_secret_are_refused(test: Callable[[Any], bool]) -> None:
    for asked in (User.scan(), User.query(user_id="u1"), user().put(), User.delete(user_id="u1")):
        with pytest.raises(Refused, match=r"User\.(token|spare|card|tags).* is secret"):
            asked.where(test)


def test_whether_it_is_there_can_be_asked() -> None:
    db = DB.memory(Safe, secrets=Keyring(OLD))
    db(user("u1", spare="s").create())
    db(user("u2").create())

    def found(test: Callable[[User], bool]) -> list[str]:
        return [u.user_id for u in db(User.scan().where(test))]

    assert found(lambda u: exists(u.spare)) == found(lambda u: u.spare != None) == ["u1"]  # noqa: E711
    assert found(lambda u: missing(u.spare)) == found(lambda u: u.spare == None) == ["u2"]  # noqa: E711


def test_a_secret_is_changed_only_whole() -> None:
    update = User.update(user_id="u1")

    with pytest.raises(Refused, match=r"User.card is secret.*set\(\) cannot change a part"):
        update.set(lambda u: u.card.digits).to("1")  # pyright: ignore[reportOptionalMemberAccess]
    with pytest.raises(
        Refused, match=r"User.tags is secret.*(add|include)\(\) cannot change a part"
    ):
        update.include(lambda u: u.tags).items("x")
    with pytest.raises(Refused, match=r"User.tags is secret.*exclude\(\) cannot change a part"):
        update.exclude(lambda u: u.tags).items("x")


def _refused(namespace: Callable[[], object]) -> list[str]:
    with pytest.raises(DesignError) as raised:
        namespace()
    return [finding.code for finding in raised.value.findings]


def test_a_secret_in_a_key_is_refused() -> None:
    def primary() -> None:
        class Bad(Entity, table=Safe):  # pyright: ignore[reportUnusedClass]
            bad_id: Annotated[str, secret]
            primary = Safe.primary.key("BAD#{bad_id}", "BAD")

    def index() -> None:
        class Bad(Entity, table=Safe):  # pyright: ignore[reportUnusedClass]
            bad_id: str
            token: Annotated[str, secret]
            primary = Safe.primary.key("BAD#{bad_id}", "BAD")
            by_token = Safe.gsi1.key("TOKEN#{token}", "BAD")

    def natural() -> None:
        class Bad(Entity, table=Numbered):  # pyright: ignore[reportUnusedClass]
            amount: Annotated[Decimal, secret]

    assert _refused(primary) == _refused(index) == ["SK121"]
    assert "SK121" in _refused(natural)


def test_a_secret_that_dynamodb_must_see_is_refused() -> None:
    def with_mark(mark: Any, kind: Any = str) -> Callable[[], object]:
        def make() -> None:
            class Bad(Entity, table=Safe):  # pyright: ignore[reportUnusedClass]
                bad_id: str
                seen: Annotated[kind, secret, mark]  # pyright: ignore[reportInvalidTypeForm]
                primary = Safe.primary.key("BAD#{bad_id}", "BAD")

        return make

    assert _refused(with_mark(unique)) == ["SK122"]
    assert "SK122" in _refused(with_mark(VERSION, int))


def test_a_field_that_accepts_plaintext_but_is_not_secret_is_refused() -> None:
    def make() -> None:
        class Bad(Entity, table=Safe):  # pyright: ignore[reportUnusedClass]
            bad_id: str
            token: Annotated[str, accepts_plaintext]
            primary = Safe.primary.key("BAD#{bad_id}", "BAD")

    assert _refused(make) == ["SK128"]
    with pytest.raises(DesignError, match='"token" is marked accepts_plaintext but not secret'):
        make()


def test_a_mark_inside_a_field_is_refused_as_only_fields_are_encrypted() -> None:
    class Inner(BaseModel):
        token: Annotated[str, secret]

    def with_type(kind: Any) -> Callable[[], object]:
        def make() -> None:
            class Bad(Entity, table=Safe):  # pyright: ignore[reportUnusedClass]
                bad_id: str
                held: kind  # pyright: ignore[reportInvalidTypeForm]
                primary = Safe.primary.key("BAD#{bad_id}", "BAD")

        return make

    for kind in (Inner, list[Inner], Inner | None, list[Annotated[str, secret]]):
        assert _refused(with_type(kind)) == ["SK123"]


def test_a_raw_table_does_not_store_in_clear_what_is_marked() -> None:
    class Rough(Table, raw=True):
        pass

    class Bad(Entity, table=Rough):
        bad_id: Annotated[str, secret]
        primary = Rough.primary.key("BAD#{bad_id}", "BAD")

    with pytest.raises(Refused, match="belongs to no table"):
        Bad(bad_id="b").create()


def test_an_immutable_secret_is_allowed() -> None:
    db = DB.memory(Safe, secrets=Keyring(OLD))

    class Once(Entity, table=Safe):
        once_id: str
        token: Annotated[str, secret, immutable]
        primary = Safe.primary.key("ONCE#{once_id}", "ONCE")

    db(Once(once_id="o", token=HUSH).create())

    assert db(Once.get(once_id="o").required()).token == HUSH
    with pytest.raises(Refused, match="immutable"):
        Once.update(once_id="o").set(lambda o: o.token).to("x")
