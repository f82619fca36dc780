"""A pattern is the function that was written, with a name, expectations and a meaning."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey import DB, BadCursor, DesignError, Entity, Op, Page, Refused, Table, gsi
from sortkey.design.declaring.pattern import Parameter, parse_rate, pattern
from sortkey.operations.put import Put


class App(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class User(Entity, table=App):
    org_id: str
    user_id: str
    email: str | None = None
    primary = App.primary.key("ORG#{org_id}", "USER#{user_id}")
    by_email = App.gsi1.key("EMAIL#{email}", "USER")


@pattern(
    "AP1: a user by e-mail",
    rate="50/s",
    where=lambda u, email: u.email == email,
    order=lambda u: u.user_id,
)
def user_by_email(email: str) -> Op[User | None]:
    """The user who has this address."""
    return User.query(User.by_email, email=email).one()


@pattern("AP2: an organisation's users", fresh=True, page=2, descending=True)
def users(org_id: str, *, after: str | None = None) -> Op[Page[User]]:
    return User.query(org_id=org_id).page(2, after)


@pattern("AP3: the same, for an export")
def all_users(org_id: str, after: str | None = None) -> Op[Page[User]]:
    return User.query(org_id=org_id).page(2, after)


@pattern("AP4: a new user")
def add_user(user: User) -> Op[User]:
    return user.create()


def test_a_pattern_knows_what_was_said_of_it() -> None:
    assert user_by_email.name == "user_by_email"
    assert user_by_email.title == "AP1: a user by e-mail"
    assert user_by_email.doc == "The user who has this address."
    assert user_by_email.rate
    assert user_by_email.rate.per_second == 50
    assert (users.fresh, users.page, users.rate, users.descending) == (True, 2, None, True)
    assert repr(users) == "<pattern users: AP2: an organisation's users>"


def test_its_meaning_is_kept_as_plain_functions() -> None:
    user = User(org_id="acme", user_id="u1", email="a@x")
    where: Any = user_by_email.where

    assert where(user, email="a@x")
    assert user_by_email.order
    assert user_by_email.order(user) == "u1"
    assert users.where is None


def test_its_parameters_and_its_result_come_from_the_signature() -> None:
    assert users.parameters == (
        Parameter("org_id", str, required=True, keyword_only=False),
        Parameter("after", str | None, required=False, keyword_only=True),
    )
    assert users.returns == Page[User]
    assert user_by_email.returns == (User | None)


def test_calling_it_gives_the_operation_of_the_function() -> None:
    params = user_by_email("a@x").params()

    assert params["ExpressionAttributeValues"][":v0"] == {"S": "EMAIL#a@x"}


def test_a_write_is_a_pattern_too() -> None:
    operation = add_user(User(org_id="acme", user_id="u1"))

    assert isinstance(operation, Put)


def test_a_cursor_is_continued_by_its_own_pattern_only() -> None:
    with DB.memory(App) as db:
        for n in range(5):
            db(User(org_id="acme", user_id=f"u{n}").create())
        cursor = db(users("acme")).cursor

        assert [u.user_id for u in db(users("acme", after=cursor))] == ["u2", "u3"]
        with pytest.raises(BadCursor):
            db(all_users("acme", after=cursor))
        with pytest.raises(BadCursor):
            db(User.query(org_id="acme").page(2, cursor))


def test_a_function_that_runs_its_operation_is_refused_when_called() -> None:
    def ran() -> Any:
        return User(org_id="acme", user_id="u1")

    with pytest.raises(Refused, match=r"the pattern ran returned User, not an operation"):
        pattern("ran")(ran)()


def test_a_function_that_waits_is_no_pattern() -> None:
    async def waits() -> Any: ...

    with pytest.raises(DesignError, match=r"SK402 .* waits: .* Write a plain def"):
        pattern("waits")(waits)  # pyright: ignore[reportArgumentType] - the mistake


def test_a_page_of_nothing_is_refused() -> None:
    with pytest.raises(DesignError, match="page=0"):
        pattern("x", page=0)(add_user.function)


def test_an_annotation_that_names_nothing_is_told_with_its_pattern() -> None:
    def lost(user: "Missing") -> Op[None]:  # noqa: F821  # pyright: ignore[reportUndefinedVariable, reportUnknownParameterType]
        raise NotImplementedError

    with pytest.raises(DesignError, match=r"SK403 .* at lost: .*'Missing' is not defined"):
        _ = pattern("lost")(lost).parameters  # pyright: ignore[reportUnknownArgumentType]


@pytest.mark.parametrize(
    ("text", "per_second"),
    [
        ("50/s", 50),
        ("3/min", 0.05),
        ("1000/h", 1000 / 3600),
        ("2/day", 2 / 86400),
        ("0.5 / s", 0.5),
    ],
)
def test_rates_are_read_as_requests_a_second(text: str, per_second: float) -> None:
    assert parse_rate(text, "x").per_second == pytest.approx(per_second)


@pytest.mark.parametrize("text", ["", "50", "fast", "50/fortnight", "-1/s", "1e3/s", "/s"])
def test_what_is_no_rate_is_refused_with_examples(text: str) -> None:
    with pytest.raises(
        DesignError, match=r"SK401 bad-rate at asked: .* is not a rate.*50/s, 3/min"
    ):
        parse_rate(text, "asked")


@given(st.integers(0, 10**9), st.sampled_from(["s", "min", "h", "day"]))
def test_a_rate_shows_as_it_was_written(count: int, unit: str) -> None:
    assert str(parse_rate(f"{count}/{unit}", "x")) == f"{count}/{unit}"


def test_a_meaning_takes_the_record_and_arguments_of_the_pattern() -> None:
    def asked(name: str) -> Op[Any]:
        raise NotImplementedError(name)

    with pytest.raises(
        DesignError, match="where= takes nmae, but the pattern has no such argument"
    ):
        pattern("p", where=lambda record, nmae: record.name == nmae)(asked)
    pattern("p", where=lambda record, name: record.name == name)(asked)
