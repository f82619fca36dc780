"""Names that an expression may use only through an alias are read, and reported once a request."""

from typing import Annotated, Any

import pytest

from sortkey import Entity, RawPattern, RawRequest, Stored, Table, gsi, raw_pattern


class Odd(Table, raw=True, type_attribute="_kind"):
    by_name = gsi("GSI1-PK", "GSI1-SK", name="ByName")


class Person(Entity, table=Odd):
    person_id: str
    name: str
    followers: Annotated[int, Stored("follower#")]
    first: Annotated[str, Stored("first name")]
    city: Annotated[str, Stored("home.city")]
    gross: int
    gross_net: Annotated[int, Stored("gross-net")]
    primary = Odd.primary.key("PERSON#{person_id}", "PERSON")


def update(text: str, values: dict[str, Any] | None = None, **said: Any) -> RawPattern:
    return raw_pattern(
        "Change a person",
        table=Odd,
        operation="UpdateItem",
        entity=Person,
        key={"PK": "PERSON#{p}", "SK": "PERSON"},
        update=text,
        arguments={"p": str},
        values={":v": 1} if values is None else values,
        **said,
    )


def query(condition: str, **said: Any) -> RawPattern:
    return raw_pattern(
        "Find persons",
        table=Odd,
        operation="Query",
        index="ByName",
        key_condition=condition,
        values={":v": "x"},
        **said,
    )


def names(pattern: RawPattern) -> str:
    [finding] = pattern.findings
    assert finding.code == "SK502"
    return finding.fix.partition("give `names=")[2].removesuffix("`")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (update("SET name = :v"), '{"#name": "name"}'),
        (update("ADD follower# :v"), '{"#follower": "follower#"}'),
        (update("SET first name = :v"), '{"#first_name": "first name"}'),
        (update("SET home.city = :v"), '{"#home_city": "home.city"}'),
        (update("REMOVE _kind", values={}), '{"#kind": "_kind"}'),
        (query("GSI1-PK = :v"), '{"#GSI1_PK": "GSI1-PK"}'),
        # The design does not know these, and they can be nothing but names.
        (update("SET user-name = :v"), '{"#user_name": "user-name"}'),
        (update("SET 2fa = :v, _x = :v"), '{"#2fa": "2fa", "#x": "_x"}'),
        (update("SET gr\u00f6\u00dfe = :v"), '{"#gr_e": "gr\u00f6\u00dfe"}'),
        (update("ADD likes# :v"), '{"#likes": "likes#"}'),
        # All expressions together, with what the request gives already.
        (
            query(
                "GSI1-PK = :v AND begins_with(GSI1-SK, :v)",
                filter="status = :v AND #a = :v",
                projection="name, follower#",
                names={"#a": "age"},
            ),
            (
                '{"#a": "age", "#GSI1_PK": "GSI1-PK", "#GSI1_SK": "GSI1-SK", '
                '"#status": "status", "#follower": "follower#", "#name": "name"}'
            ),
        ),
        # The alias is given, and the name is written all the same.
        (update("SET name = :v", names={"#n": "name"}), '{"#n": "name"}'),
        # The alias that it would have stands for another name.
        (
            update("SET user-name = :v, #user_name = :v", names={"#user_name": "nick"}),
            '{"#user_name": "nick", "#user_name2": "user-name"}',
        ),
    ],
)
def test_the_finding_has_all_names_to_give(pattern: RawPattern, expected: str) -> None:
    assert names(pattern) == expected


def test_the_place_is_the_expression_or_the_names_where_there_are_several() -> None:
    one = update("SET name = :v, follower# = :v")
    several = update("SET name = :v", condition="status = :v")

    assert [finding.where for finding in one.findings] == ["change_a_person.update"]
    assert [finding.where for finding in several.findings] == ["change_a_person.names"]


def test_each_action_of_a_transaction_is_a_request() -> None:
    key = {"PK": "PERSON#{p}", "SK": "PERSON"}
    pattern = raw_pattern(
        "Change two",
        operation="TransactWriteItems",
        actions=[
            RawRequest("Update", Odd, key=key, update="SET name = :v", values={":v": 1}),
            RawRequest(
                "Delete", Odd, key=key | {"SK": "X"}, condition="_kind = :v", values={":v": 1}
            ),
        ],
        arguments={"p": str},
    )

    assert [(finding.code, finding.where) for finding in pattern.findings] == [
        ("SK502", "change_two.action 1.update"),
        ("SK502", "change_two.action 2.condition"),
    ]


def test_a_request_is_judged_with_the_names_that_it_means() -> None:
    pattern = query("GSI1-PK = :v", filter="GSI1-SK = :v")

    assert [finding.code for finding in pattern.findings] == ["SK502", "SK507"]


@pytest.mark.parametrize(
    "text",
    [
        "SET gross = gross - :v",
        # It may be the attribute of this name: its first word is an attribute too.
        "SET gained = gross-net",
    ],
)
def test_a_difference_is_none(text: str) -> None:
    assert [finding.code for finding in update(text).findings if finding.code == "SK502"] == []


@pytest.mark.parametrize("text", ["SET gross = gross-1", "SET user-name == :v", "SET a = 'b-c'"])
def test_what_is_wrong_for_another_reason_stays_a_syntax_error(text: str) -> None:
    assert [finding.code for finding in update(text).findings] == ["SK501"]
