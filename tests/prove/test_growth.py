"""What a pattern costs while data grows: with the answer at most, or it is refuted."""

from pathlib import Path

import pytest
from tests.prove.designs import design

from sortkey.prove import growth
from sortkey.prove.growth import Axis, Class, Curve, Growth
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, Settings
from sortkey.prove.verdict import Outcome, Verdict

SHOP = """
class Shop(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Order(Entity, table=Shop):
    shop_id: str
    number: int
    status: str
    placed: datetime
    primary = Shop.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")
    by_status = Shop.gsi1.key("ORDERS", "{status}#{placed}#{number:06d}")

class Note(Entity, table=Shop):
    shop_id: str
    note_id: str
    primary = Shop.primary.key("SHOP#{shop_id}", "NOTE#{note_id}")

class User(Entity, table=Shop):
    user_id: str
    email: Annotated[str | None, unique] = None
    rev: Version = 0
    primary = Shop.primary.key("USER#{user_id}", "USER")
"""


def judged(tmp_path: Path, text: str, name: str = "asked") -> Verdict:
    loaded = design(tmp_path, SHOP + text)
    how = Settings(0, QUICK, Strategies(loaded.modules))
    return growth.judge(loaded.pattern(name), loaded, how)


def growth_of(verdict: Verdict) -> Growth:
    assert isinstance(verdict.detail, Growth)
    return verdict.detail


def curve(verdict: Verdict, axis: Axis) -> Curve:
    return next(each for each in growth_of(verdict).curves if each.axis is axis)


def items(verdict: Verdict, axis: Axis) -> list[int]:
    return [point.items for point in curve(verdict, axis).points]


def test_a_record_by_its_key_costs_the_same_beside_any_others(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("An order")
def asked(shop_id: str, number: int) -> Op[Order | None]:
    return Order.get(shop_id=shop_id, number=number)
""",
    )

    assert found.outcome is Outcome.PROVED
    assert growth_of(found).grows is Class.CONSTANT
    assert found.figures == {"read_units": 0.5}
    assert items(found, Axis.OTHERS) == items(found, Axis.PARTITION) == [1, 1]


def test_a_list_grows_with_what_it_returns(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("Orders of a shop")
def asked(shop_id: str) -> Op[list[Order]]:
    return Order.query(shop_id=shop_id)
""",
    )

    assert found.outcome is Outcome.PROVED
    assert growth_of(found).grows is Class.ANSWER
    assert items(found, Axis.ANSWER) == [11, 41, 161]
    assert items(found, Axis.PARTITION) == [1, 1, 1]
    # A kilobyte is a quarter of a unit, and a read that may be stale costs half of it.
    assert curve(found, Axis.ANSWER).slope == pytest.approx(0.125, abs=0.02)


@pytest.mark.parametrize("size", [5, 100])
def test_a_page_costs_no_more_than_itself(tmp_path: Path, size: int) -> None:
    found = judged(
        tmp_path,
        f"""
@pattern("Orders of a shop")
def asked(shop_id: str, after: str | None = None) -> Op[Page[Order]]:
    return Order.query(shop_id=shop_id).page({size}, after)
""",
    )

    assert growth_of(found).grows is Class.CONSTANT
    assert len(set(items(found, Axis.ANSWER)[1:])) == 1


def test_a_range_is_measured_with_its_end_moved_out(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("Orders of a shop, from one to another")
def asked(shop_id: str, first: int, last: int) -> Op[list[Order]]:
    return Order.query(shop_id=shop_id).between(number=(first, last))
""",
    )

    assert growth_of(found).grows is Class.ANSWER


def test_a_filter_in_the_own_partition_is_refuted(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("Orders of a shop in a status")
def asked(shop_id: str, status: str) -> Op[list[Order]]:
    return Order.query(shop_id=shop_id).where(lambda o: o.status == status)
""",
    )

    assert found.outcome is Outcome.REFUTED
    assert growth_of(found).grows is Class.PARTITION
    assert curve(found, Axis.PARTITION).entities == ("Order",)
    assert items(found, Axis.PARTITION) == [11, 41, 161]
    assert "beside 160 more records of Order in its partition that it does not" in found.reason


@pytest.mark.parametrize("name", ["affordable", "SK411"])
def test_a_filter_in_the_own_partition_may_be_acknowledged(tmp_path: Path, name: str) -> None:
    found = judged(
        tmp_path,
        f"""
@pattern("Orders of a shop in a status", ignore={{"{name}": "a shop has ten orders"}})
def asked(shop_id: str, status: str) -> Op[list[Order]]:
    return Order.query(shop_id=shop_id).where(lambda o: o.status == status)
""",
    )

    assert found.outcome is Outcome.PROVED
    assert growth_of(found).grows is Class.PARTITION
    assert growth_of(found).acknowledged == "a shop has ten orders"


def test_a_filter_that_reads_everybody_is_refuted(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("Orders of a shop, of everybody's")
def asked(shop_id: str) -> Op[list[Order]]:
    return Order.query(Order.by_status).where(lambda o: o.shop_id == shop_id)
""",
    )

    assert found.outcome is Outcome.REFUTED
    assert growth_of(found).grows is Class.SHARED
    assert "in the one partition that all share" in found.reason


def test_a_query_that_reads_other_entities_along_is_refuted(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
asked = raw_pattern(
    "Orders of a shop", table=Shop, operation="Query", name="asked", entity=Order,
    key_condition="PK = :pk", filter="#t = :t", names={"#t": "_type"},
    values={":pk": "SHOP#{shop_id}", ":t": "Order"}, arguments={"shop_id": str},
)
""",
    )

    assert growth_of(found).grows is Class.PARTITION
    assert curve(found, Axis.PARTITION).entities == ("Note",)


@pytest.mark.parametrize("ignore", ["", ', ignore={"affordable": "once a day", "SK413": "so"}'])
def test_a_scan_is_refuted_also_where_it_is_acknowledged(tmp_path: Path, ignore: str) -> None:
    found = judged(
        tmp_path,
        f"""
@pattern("Open orders"{ignore})
def asked() -> Op[list[Order]]:
    return Order.scan()
""",
    )

    assert found.outcome is Outcome.REFUTED
    assert growth_of(found).grows is Class.TABLE
    assert "that it has nothing to do with" in found.reason


@pytest.mark.parametrize(
    ("written", "units"),
    # A record, and where it is in an index or has a lock, that too.
    [("order: Order", 2), ("user: User", 1), ("note: Note", 1)],
)
def test_a_write_costs_the_same_beside_any_others(tmp_path: Path, written: str, units: int) -> None:
    name, _, entity = written.partition(": ")
    found = judged(
        tmp_path,
        f"""
@pattern("A write")
def asked({written}) -> Op[{entity}]:
    return {name}.create()
""",
    )

    assert found.outcome is Outcome.PROVED
    assert growth_of(found).grows is Class.CONSTANT
    assert found.figures["write_units"] >= units


def test_what_never_comes_to_anything_is_unproven(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("An order that nobody has")
def asked(shop_id: str) -> Op[list[Order]]:
    return Order.query(shop_id=shop_id).where(lambda o: o.status == "no" and o.number < 0)
""",
    )

    assert found.outcome is Outcome.UNPROVEN
    assert "found or wrote anything" in found.reason


def test_the_same_settings_measure_the_same(tmp_path: Path) -> None:
    text = """
@pattern("Orders of a shop")
def asked(shop_id: str) -> Op[list[Order]]:
    return Order.query(shop_id=shop_id)
"""

    first, second = judged(tmp_path, text), judged(tmp_path, text)
    assert growth_of(first).value == growth_of(second).value


def test_programs_are_told_each_point(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("Orders of a shop")
def asked(shop_id: str) -> Op[list[Order]]:
    return Order.query(shop_id=shop_id)
""",
    )
    value = growth_of(found).value

    assert value["grows"] == "with the answer"
    assert [point["returned"] for point in value["curves"]["answer"]] == [11, 41, 161]
