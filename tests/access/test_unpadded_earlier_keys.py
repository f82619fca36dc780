"""A number that was stored without its leading zeros has the same key as with them from 10 on."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field
from tests.access.executors import put_item, stored_items

from sortkey import (
    DB,
    AlreadyExists,
    DesignError,
    Entity,
    Table,
    TransactionFailed,
    Version,
)
from sortkey.access.backfill import Backfill
from sortkey.access.rewriting import Progress
from sortkey.testing import explore

Word = Annotated[str, Field(pattern="^[a-z]+$")]
Number = Annotated[int, Field(ge=1, le=99)]


class Models(Table, name="{environment}-Models"):
    pass


class Part(Entity, table=Models):
    model: Word
    number: Number
    name: str
    weight: int = 0
    rev: Version = 0

    primary = Models.primary.key("MODEL#{model}", "PART#{number:02d}", earlier="PART#{number}")


class Award(Entity, table=Models, immutable=True):
    user: Word
    goal: Word
    number: Number
    name: str

    primary = Models.primary.key(
        "USER#{user}", "GOAL#{goal}#AWARD#{number:02d}", earlier="GOAL#{goal}#AWARD#{number}"
    )


NUMBERS = (1, 2, 10, 11)


def put_part(db: DB, sort: str, **attributes: Any) -> None:
    item = {"PK": {"S": "MODEL#m"}, "SK": {"S": sort}, "name": {"S": sort}, **attributes}
    put_item(db, Models, item)


def put_award(db: DB, sort: str, **attributes: Any) -> None:
    item = {"PK": {"S": "USER#u"}, "SK": {"S": f"GOAL#g#AWARD#{sort}"}, "name": {"S": sort}}
    put_item(db, Models, item | attributes)


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    db = opened(Models)
    for number in NUMBERS:
        put_part(db, f"PART#{number}")
        put_award(db, f"{number}")
    return db


def memory() -> DB:
    db = DB.memory(Models)
    put_part(db, "PART#1")
    put_part(db, "PART#10")
    return db


def run(db: DB, *entities: type[Entity]) -> Progress:
    [*_, last] = Backfill(db, entities or (Part, Award)).run()
    return last


def keys(db: DB) -> list[str]:
    return sorted(item["SK"]["S"] for item in stored_items(db, Models))


def parts(db: DB) -> list[str]:
    return [key for key in keys(db) if key.startswith("PART#")]


def part(number: int) -> Any:
    return Part.get(model="m", number=number)


def award(number: int) -> dict[str, Any]:
    return {"user": "u", "goal": "g", "number": number}


# Reads.


def test_records_are_read_under_both_keys(db: DB) -> None:
    put_part(db, "PART#03")

    for number in (*NUMBERS, 3):
        assert db(part(number).required()).number == number
    assert db(part(4)) is None
    assert db(part(12)) is None


def test_a_key_that_both_templates_make_is_requested_once(db: DB) -> None:
    numbers = (10, 1, 10, 12, 1)

    found = db.get_many([part(number) for number in numbers])
    seen = db.snapshot(*(part(number) for number in numbers))

    assert [one and one.number for one in found] == [10, 1, 10, None, 1]
    assert list(seen) == found


def test_lists_have_the_order_of_the_stored_keys_until_the_back_fill(db: DB) -> None:
    assert [one.number for one in db(Part.query(model="m"))] == [1, 10, 11, 2]
    assert [one.number for one in db(Award.query(user="u", goal="g"))] == [1, 10, 11, 2]

    run(db)

    assert [one.number for one in db(Part.query(model="m"))] == [1, 2, 10, 11]
    assert [one.number for one in db(Award.query(user="u", goal="g"))] == [1, 2, 10, 11]


@pytest.mark.parametrize("text", ["PART#100", "PART#001", "PART#-1", "PART#1x", "PART#"])
def test_a_key_that_the_present_template_cannot_make_is_not_of_the_entity(
    db: DB, text: str
) -> None:
    put_part(db, text)

    assert [one.number for one in db(Part.query(model="m"))] == [1, 10, 11, 2]
    assert run(db, Part).failed == 0
    assert text in keys(db)


# Writes.


def test_a_create_requires_that_neither_key_exists(db: DB) -> None:
    for number in NUMBERS:
        with pytest.raises(AlreadyExists):
            db(Part(model="m", number=number, name="new").create())
        with pytest.raises(TransactionFailed):
            db.transact(Award(**award(number), name="new").create())
    db(Part(model="m", number=3, name="new").create())

    assert parts(db) == ["PART#01", "PART#02", "PART#03", "PART#10", "PART#11"]
    assert db(part(1).required()).name == "PART#1"


def test_a_change_moves_a_record_whose_keys_differ(db: DB) -> None:
    for number in (1, 10):
        assert db(Part.update(model="m", number=number).add(weight=5)).weight == 5
        loaded = db(part(number).required())
        db(loaded.update().set(weight=6))

    assert parts(db) == ["PART#01", "PART#10", "PART#11", "PART#2"]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("how", ["erase", "transact", "conditional", "write_many", "loaded"])
def test_a_record_is_erased_under_either_key(db: DB, how: str, number: int) -> None:
    erase = Award.erase(**award(number))
    match how:
        case "erase":
            erased = db(erase)
            assert erased is not None
            assert erased.number == number
        case "transact":
            db.transact(erase, Part.erase(model="m", number=number))
        case "conditional":
            db.transact(erase.where(lambda a: a.name == f"{number}"))
        case "write_many":
            db.write_many([erase, erase])
        case _:
            [found] = [a for a in db(Award.query(user="u")) if a.number == number]
            db(found.erase())

    assert f"GOAL#g#AWARD#{number}" not in keys(db)
    assert f"GOAL#g#AWARD#{number:02d}" not in keys(db)
    assert len(db(Award.query(user="u"))) == len(NUMBERS) - 1


def test_a_record_that_cannot_be_read_is_erased_under_either_key(db: DB) -> None:
    for number in (3, 12):
        put_award(db, f"{number}", name={"N": "1"})
        db.transact(Award.erase(**award(number)))

    assert len(db(Award.query(user="u"))) == len(NUMBERS)


def test_a_record_that_is_stored_under_both_keys_is_erased_under_both(db: DB) -> None:
    put_award(db, "01", name={"S": "another"})

    db.transact(Award.erase(**award(1)))

    assert [a.number for a in db(Award.query(user="u"))] == [10, 11, 2]


def test_nothing_is_erased_by_a_transaction_that_fails(db: DB) -> None:
    before = keys(db)

    with pytest.raises(TransactionFailed):
        db.transact(Part.check(model="m", number=99), Award.erase(**award(1)))

    assert keys(db) == before


# The back-fill.


def test_the_back_fill_moves_only_records_whose_keys_differ(db: DB) -> None:
    first, second = run(db), run(db)

    assert (first.rewritten, first.moved, first.failed) == (8, 4, 0)
    assert (second.rewritten, second.current) == (0, 8)
    assert parts(db) == ["PART#01", "PART#02", "PART#10", "PART#11"]


def test_a_back_fill_and_an_erasure_leave_nothing() -> None:
    with memory() as db:
        explore(
            lambda: run(db, Part),
            lambda: db.transact(
                *(Part.erase(model="m", number=number) for number in (1, 10)),
            ),
            db=db,
            invariant=lambda: parts(db) == [],
            crashes=False,
        )


def test_a_back_fill_and_a_batch_that_erases_leave_nothing() -> None:
    with DB.memory(Models) as db:
        put_award(db, "1")
        explore(
            lambda: run(db, Award),
            lambda: db.write_many([Award.erase(**award(1))]),
            db=db,
            invariant=lambda: not db(Award.query(user="u")),
            crashes=False,
        )


@settings(max_examples=60, deadline=None)
@given(
    stored=st.dictionaries(st.integers(1, 99), st.booleans(), max_size=8),
    numbers=st.lists(st.integers(1, 99), max_size=5),
)
def test_the_keys_of_records_make_no_difference(
    stored: dict[int, bool], numbers: list[int]
) -> None:
    """Records with padded and unpadded keys behave as if all keys were padded."""
    with DB.memory(Models) as db:
        for number, padded in stored.items():
            put_award(db, f"{number:02d}" if padded else f"{number}")
        gets = [Award.get(**award(number)) for number in numbers]
        found = db.get_many(gets)
        assert [one and one.number for one in found] == [
            n if n in stored else None for n in numbers
        ]
        assert list(db.snapshot(*gets)) == found
        db.transact(*(Award.erase(**award(number)) for number in set(numbers)))
        left = sorted(set(stored) - set(numbers))
        assert sorted(a.number for a in db(Award.query(user="u"))) == left
        assert run(db, Award).failed == 0
        assert [a.number for a in db(Award.query(user="u"))] == left
        assert keys(db) == [f"GOAL#g#AWARD#{number:02d}" for number in left]


# Declarations.


@pytest.mark.parametrize(
    ("now", "earlier", "stored"),
    [
        ("{a}#{n:02d}", "{a}#{n}", "x#7"),
        ("{a}#{n:unordered}", "{a}#{n:02d}", "x#07"),
        ("N#{n:02d}#{a}", "N#{n}#{a}", "N#7#x"),
        ("N#{n:02d}", "N#{n:03d}", "N#007"),
    ],
)
def test_another_format_of_a_number_is_accepted(now: str, earlier: str, stored: str) -> None:
    class Fine(Entity, table=Models):
        a: Word
        n: int

        primary = Models.primary.key("FINE#{a}", now, earlier=earlier)

    with DB.memory(Models) as db:
        put_item(db, Models, {"PK": {"S": "FINE#x"}, "SK": {"S": stored}})

        assert db(Fine.get(a="x", n=7)) == Fine(a="x", n=7)
        assert run(db, Fine).moved == 1
        assert db(Fine.get(a="x", n=7)) == Fine(a="x", n=7)


@pytest.mark.parametrize(
    ("now", "earlier"),
    [
        ("N#{n:02d}", "N#{m}"),
        ("N#{n:02d}#{m:02d}", "N#{m}#{n}"),
        ("{t}{n:02d}", "{t}{n}"),
        ("N#{n:02d}", "{t}#{n}"),
    ],
)
def test_a_text_that_could_be_the_key_of_two_records_is_refused(now: str, earlier: str) -> None:
    with pytest.raises(DesignError, match="SK127"):

        class Bad(Entity, table=Models):  # pyright: ignore[reportUnusedClass]
            t: str
            n: int
            m: int

            primary = Models.primary.key("BAD#{t}#{n:02d}#{m:02d}", now, earlier=earlier)
