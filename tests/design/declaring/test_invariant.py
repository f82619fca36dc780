"""Invariants as they are declared: what they take, what they say, and where they are found."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from sortkey import Entity, Invariant, Refused, Table, invariant
from sortkey.design.declaring.design import design_of
from sortkey.design.plans.summary import summary_of


class Bank(Table):
    pass


class Account(Entity, table=Bank):
    name: str
    balance: int = 0
    primary = Bank.primary.key("ACCOUNT#{name}", "ACCOUNT")


class Entry(Entity, table=Bank):
    name: str
    number: int
    amount: int
    primary = Bank.primary.key("ACCOUNT#{name}", "ENTRY#{number:06d}")


class Homeless(Entity):
    name: str


def declared(function: Callable[..., bool]) -> Invariant[...]:
    return invariant("It is so")(function)


@invariant("An account's balance is the sum of its entries")
def balanced(account: Account, entries: list[Entry]) -> bool:
    """Whatever was paid in is there."""
    return account.balance == sum(e.amount for e in entries if e.name == account.name)


def test_a_parameter_stands_for_each_record_or_for_all() -> None:
    assert [(w.name, w.entity, w.each) for w in balanced.wanted] == [
        ("account", Account, True),
        ("entries", Entry, False),
    ]
    assert balanced.name == "balanced"
    assert balanced.title == "An account's balance is the sum of its entries"
    assert balanced.doc == "Whatever was paid in is there."
    assert repr(balanced) == "<invariant balanced: An account's balance is the sum of its entries>"


def test_it_can_be_called_as_a_function() -> None:
    assert balanced(Account(name="a", balance=3), [Entry(name="a", number=1, amount=3)])
    assert not balanced(Account(name="a"), [Entry(name="a", number=1, amount=3)])


def test_a_breach_names_the_record() -> None:
    right, wrong = Account(name="a"), Account(name="b", balance=2)

    breach = balanced.breach({Account: [right, wrong], Entry: []})

    assert breach is not None
    assert breach.records == (wrong,)
    assert breach.describe() == "broken by Account(name='b', balance=2)"
    assert balanced.breach({Account: [right], Entry: []}) is None


def test_two_records_are_taken_in_every_combination() -> None:
    def differ(one: Account, other: Account) -> bool:
        return one.name == other.name or one.balance != other.balance

    a, b, c = (Account(name=n, balance=balance) for n, balance in (("a", 1), ("b", 2), ("c", 1)))

    breach = declared(differ).breach({Account: [a, b, c]})

    assert breach is not None
    assert breach.describe(lambda account: getattr(account, "name")) == "broken by a and c"  # noqa: B009


def test_one_that_is_about_all_records_names_none() -> None:
    def at_most_one(accounts: list[Account]) -> bool:
        return len(accounts) <= 1

    breach = declared(at_most_one).breach({Account: [Account(name="a"), Account(name="b")]})

    assert breach is not None
    assert breach.describe() == "broken"


def test_an_exception_is_a_breach() -> None:
    def fails(account: Account) -> bool:
        raise KeyError(account.name)

    breach = declared(fails).breach({Account: [Account(name="a")]})

    assert breach is not None
    assert breach.describe() == "broken by Account(name='a', balance=0): it raises KeyError: 'a'"


def test_an_answer_that_is_no_bool_is_refused() -> None:
    def forgets(account: Account) -> bool:
        assert account.balance >= 0
        return None  # type: ignore[return-value]  # pyright: ignore[reportReturnType]

    with pytest.raises(Refused, match="forgets returned None: return True if it holds"):
        declared(forgets).breach({Account: [Account(name="a")]})


def _nothing() -> bool:
    return True


def _untyped(account: Any) -> bool:
    return bool(account)


def _of_text(name: str) -> bool:
    return bool(name)


def _of_texts(names: list[str]) -> bool:
    return bool(names)


def _homeless(record: Homeless) -> bool:
    return bool(record)


def _by_name(*, account: Account) -> bool:
    return bool(account)


def _unknown(account: Any) -> bool:
    return bool(account)


_unknown.__annotations__ = {"account": "Nobody"}


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (_nothing, "it takes no records"),
        (_untyped, "account is not annotated with an entity that has a table"),
        (_of_text, "name is not annotated with an entity"),
        (_of_texts, "names is not annotated with an entity"),
        (_homeless, "record is not annotated with an entity that has a table"),
        (_by_name, "account is not a plain parameter"),
        (_unknown, "its annotations cannot be read, since name 'Nobody' is not defined"),
    ],
)
def test_what_takes_no_records_is_refused(function: Callable[..., bool], why: str) -> None:
    with pytest.raises(Refused, match=why) as refused:
        declared(function)

    assert "Annotate a parameter with an entity" in str(refused.value)


def test_one_without_a_title_is_refused() -> None:
    with pytest.raises(Refused, match="write @invariant"):
        invariant(balanced.function)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_a_design_has_those_of_its_modules() -> None:
    module = ModuleType("bank")
    vars(module).update(balanced=balanced)

    design = design_of("bank", [module])

    assert design.invariants == (balanced,)
    assert design.tables == (Bank,)
    assert summary_of(design)["invariants"] == [
        {
            "name": "balanced",
            "title": "An account's balance is the sum of its entries",
            "doc": "Whatever was paid in is there.",
            "entities": ["Account", "Entry"],
        }
    ]


def test_a_table_has_each_once_also_where_its_module_is_loaded_again() -> None:
    class Own(Table):
        pass

    class Thing(Entity, table=Own):
        name: str
        primary = Own.primary.key("{name}", "THING")

    def named(thing: Thing) -> bool:
        return bool(thing.name)

    named.__annotations__ = {"thing": Thing, "return": bool}
    first, second = declared(named), declared(named)
    known: list[Any] = Own.definition.invariants

    assert first is not second
    assert known == [second]
