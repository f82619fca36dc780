"""The cost of a pattern as data grows: it is refuted unless it grows only with the result."""

from pathlib import Path

import pytest
from tests.prove.designs import design

from sortkey.prove import growth
from sortkey.prove.curves import Axis, Curve
from sortkey.prove.growth import Class, Growth
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, ProofSettings
from sortkey.prove.verdict import ProofOutcome, Verdict
from sortkey.wording.prose import counted

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
    how = ProofSettings(0, QUICK, Strategies(loaded.modules))
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

    assert found.outcome is ProofOutcome.PROVED
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

    assert found.outcome is ProofOutcome.PROVED
    assert growth_of(found).grows is Class.RESULT
    assert items(found, Axis.ANSWER) == [11, 41, 161]
    assert items(found, Axis.PARTITION) == [1, 1, 1]
    # A kilobyte is a quarter of a unit, and an eventually consistent read costs half of it.
    before, last = curve(found, Axis.ANSWER).points[-2:]
    each = (last.reads - before.reads) / (last.records - before.records)
    assert each == pytest.approx(0.125, abs=0.02)


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

    growth = growth_of(found)
    full = curve(found, Axis.ANSWER).points[-1]
    assert found.outcome is ProofOutcome.PROVED
    assert len(set(items(found, Axis.ANSWER)[1:])) == 1
    # An empty page costs less than a full one, so the cost is not called constant.
    assert growth.grows is Class.LIMITED
    assert growth.summary == f"0.5 to {counted(full.reads, 'read unit')}; grows up to a limit"


def test_a_range_is_widened_before_it_is_measured(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("Orders of a shop, from one to another")
def asked(shop_id: str, first: int, last: int) -> Op[list[Order]]:
    return Order.query(shop_id=shop_id).between(number=(first, last))
""",
    )

    assert growth_of(found).grows is Class.RESULT


def test_a_filter_in_the_own_partition_is_refuted(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("Orders of a shop in a status")
def asked(shop_id: str, status: str) -> Op[list[Order]]:
    return Order.query(shop_id=shop_id).where(lambda o: o.status == status)
""",
    )

    assert found.outcome is ProofOutcome.REFUTED
    assert growth_of(found).grows is Class.PARTITION
    assert curve(found, Axis.PARTITION).entities == ("Order",)
    assert items(found, Axis.PARTITION) == [11, 41, 161]
    assert "with 10 more Order records that it does not return" in found.reason
    assert "Put status into the key of an index" in found.change


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

    assert found.outcome is ProofOutcome.PROVED
    assert growth_of(found).grows is Class.PARTITION
    assert growth_of(found).acknowledged == "a shop has ten orders"


def test_a_filter_that_reads_the_records_of_all_users_is_refuted(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("Orders of a shop, of everybody's")
def asked(shop_id: str) -> Op[list[Order]]:
    return Order.query(Order.by_status).where(lambda o: o.shop_id == shop_id)
""",
    )

    assert found.outcome is ProofOutcome.REFUTED
    assert growth_of(found).grows is Class.SHARED
    assert "with a partition that all callers share" in found.reason


def test_a_query_that_also_reads_other_entities_is_refuted(tmp_path: Path) -> None:
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
def test_a_scan_is_refuted_even_if_it_is_acknowledged(tmp_path: Path, ignore: str) -> None:
    found = judged(
        tmp_path,
        f"""
@pattern("Open orders"{ignore})
def asked() -> Op[list[Order]]:
    return Order.scan()
""",
    )

    assert found.outcome is ProofOutcome.REFUTED
    assert growth_of(found).grows is Class.TABLE
    assert "grows with the table" in found.reason


@pytest.mark.parametrize(
    ("written", "units"),
    # The record, its entries in indexes, and its locks.
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

    assert found.outcome is ProofOutcome.PROVED
    assert growth_of(found).grows is Class.CONSTANT
    assert found.figures["write_units"] >= units


def test_a_pattern_that_never_hits_is_unproven(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("An order that nobody has")
def asked(shop_id: str) -> Op[list[Order]]:
    return Order.query(shop_id=shop_id).where(lambda o: o.status == "no" and o.number < 0)
""",
    )

    assert found.outcome is ProofOutcome.UNPROVEN
    assert "found or wrote a record" in found.reason


def test_the_same_settings_measure_the_same(tmp_path: Path) -> None:
    text = """
@pattern("Orders of a shop")
def asked(shop_id: str) -> Op[list[Order]]:
    return Order.query(shop_id=shop_id)
"""

    first, second = judged(tmp_path, text), judged(tmp_path, text)
    assert growth_of(first).value == growth_of(second).value


def test_the_json_has_each_point(tmp_path: Path) -> None:
    found = judged(
        tmp_path,
        """
@pattern("Orders of a shop")
def asked(shop_id: str) -> Op[list[Order]]:
    return Order.query(shop_id=shop_id)
""",
    )
    value = growth_of(found).value

    assert value["grows"] == "with the result"
    assert [point["returned"] for point in value["curves"]["answer"]] == [11, 41, 161]


POSTS = """
from typing import Literal
from sortkey import Expected, between, begins_with, contains, exists, lsi, not_, one_of, size

class Blog(Table):
    gsi1 = gsi("blog_id", "at", name="ByTime")
    by_title = lsi("title", name="ByTitle")

class Post(Entity, table=Blog{expected}):
    blog_id: str
    post_id: str
    at: datetime
    title: str
    state: Literal["draft", "shown", "gone"] = "draft"
    likes: int = 0
    tags: set[str] = set()
    note: str | None = None
    primary = Blog.primary.key("BLOG#{{blog_id}}", "POST#{{post_id}}")
    by_time = Blog.gsi1.key()
    titled = Blog.by_title.key()
"""
FILTERS = {
    "=": "p.title == t",
    "<>": "p.title != t",
    "<> of a few": 'p.state != "gone"',
    "<": "p.likes < 100",
    "between": "between(p.likes, 1, 100)",
    "in": "one_of(p.title, [t, 'other'])",
    "contains": "contains(p.title, t)",
    "not contains": "not_(contains(p.title, t))",
    "contains in a set": "contains(p.tags, t)",
    "begins_with": "begins_with(p.title, t)",
    "not begins_with": "not_(begins_with(p.title, t))",
    "size": "size(p.title) > 1",
    "size of a set": "size(p.tags) < 2",
    "exists": "exists(p.note)",
    "missing": "missing(p.note)",
    "or": "(p.title == t) | (p.likes > 5)",
    "or of what always holds": "(p.likes < 10**6) | (p.title < '~~')",
    "and": "(p.title == t) & (p.likes > 5)",
    "not or": "not_((p.title == t) | (p.likes > 5))",
    "both ways": "(contains(p.title, t) & (p.likes >= 0)) | not_(p.state == 'draft')",
}
ASKED = """
@pattern("Posts")
def asked(blog_id: str, t: str) -> Op[{returns}]:
    return {read}.where(lambda p: {filter}){end}
"""
READS = {
    "Query": "Post.query(blog_id=blog_id)",
    "index": "Post.query(Post.by_time, blog_id=blog_id)",
    "local index": "Post.query(Post.titled, blog_id=blog_id)",
    "Scan": "Post.scan()",
}


def judged_posts(tmp_path: Path, text: str, expected: str = "") -> Verdict:
    loaded = design(tmp_path, POSTS.format(expected=expected) + text)
    how = ProofSettings(0, QUICK, Strategies(loaded.modules))
    return growth.judge(loaded.pattern("asked"), loaded, how)


@pytest.mark.parametrize("name", FILTERS)
def test_what_a_filter_drops_is_read_whatever_the_filter_is(tmp_path: Path, name: str) -> None:
    said = {"returns": "list[Post]", "read": READS["Query"], "end": ""}
    found = judged_posts(tmp_path, ASKED.format(filter=FILTERS[name], **said))

    assert found.outcome is ProofOutcome.REFUTED, found
    assert growth_of(found).grows is Class.PARTITION
    assert items(found, Axis.PARTITION)[-1] >= 160


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize(
    ("end", "returns"),
    [
        ("", "list[Post]"),
        (".first()", "Post | None"),
        (".limit(3)", "list[Post]"),
        (".page(3)", "Page[Post]"),
        (".count()", "int"),
    ],
)
def test_no_way_of_reading_hides_what_a_filter_drops(
    tmp_path: Path, read: str, end: str, returns: str
) -> None:
    condition = "p.likes > 5" if read == "local index" else "contains(p.title, t)"
    said = {"read": READS[read], "filter": condition, "end": end, "returns": returns}
    found = judged_posts(tmp_path, ASKED.format(**said))

    assert found.outcome is ProofOutcome.REFUTED, found
    assert growth_of(found).grows is (Class.TABLE if read == "Scan" else Class.PARTITION)


def test_a_filter_that_keeps_every_record_costs_nothing(tmp_path: Path) -> None:
    said = {"returns": "list[Post]", "read": READS["Query"], "end": ""}
    keeps = 'one_of(p.state, ["draft", "shown", "gone"])'
    found = judged_posts(tmp_path, ASKED.format(filter=keeps, **said))

    assert found.outcome is ProofOutcome.PROVED, found
    assert growth_of(found).grows is Class.RESULT


def test_a_filter_that_no_value_makes_false_is_unproven(tmp_path: Path) -> None:
    said = {"returns": "list[Post]", "read": READS["Query"], "end": ""}
    keeps = 'p.title != "a text that nobody generates" * 90'
    found = judged_posts(
        tmp_path, ASKED.format(filter=f"not_(missing(p.title) & ({keeps}))", **said)
    )

    assert found.outcome is ProofOutcome.UNPROVEN, found
    assert "no generated value makes its filter false" in found.reason


COUNTED = """
@pattern("Posts since a time")
def asked(blog_id: str, since: datetime) -> Op[int]:
    return Post.query(Post.by_time, blog_id=blog_id).ge(at=since).count()
"""
RAW_COUNT = """
asked = raw_pattern("Posts", table=Blog, operation="{operation}", name="asked", select="COUNT",
    {key} entity=Post, arguments={{"blog_id": str}}, where=lambda p, blog_id: p.blog_id == blog_id)
"""
KEY = 'key_condition="PK = :pk", values={":pk": "BLOG#{blog_id}"},'
FILTER = 'filter="blog_id = :b", values={":b": "{blog_id}"},'


@pytest.mark.parametrize(
    ("text", "grows"),
    [
        (COUNTED, Class.PARTITION),
        (RAW_COUNT.format(operation="Query", key=KEY), Class.PARTITION),
        (RAW_COUNT.format(operation="Scan", key=FILTER), Class.TABLE),
    ],
    ids=["typed", "raw", "Scan"],
)
def test_a_count_is_one_number_and_does_not_grow_with_what_is_read(
    tmp_path: Path, text: str, grows: Class
) -> None:
    found = judged_posts(tmp_path, text)

    assert found.outcome is ProofOutcome.REFUTED
    assert growth_of(found).grows is grows
    assert "the answer is one number" in found.reason
    stored = "a count for each part" if text == COUNTED else "the count in a record"
    assert found.change.startswith(f"Store {stored}")


@pytest.mark.parametrize(
    ("expected", "outcome"),
    [
        (", expected=Expected(per_partition=30)", ProofOutcome.PROVED),
        (", expected=Expected(per_partition=30_000)", ProofOutcome.REFUTED),
        (", expected=Expected(per_partition=500, size_bytes=9_000)", ProofOutcome.REFUTED),
        (", expected=Expected(count=30)", ProofOutcome.PROVED),
    ],
)
def test_a_partition_that_is_declared_small_may_be_read(
    tmp_path: Path, expected: str, outcome: ProofOutcome
) -> None:
    found = judged_posts(tmp_path, COUNTED, expected)

    assert found.outcome is outcome
    if outcome is ProofOutcome.PROVED:
        assert "Expected declares about 30 records of Post" in growth_of(found).acknowledged


def test_one_request_with_a_limit_reads_no_more_than_that(tmp_path: Path) -> None:
    text = """
asked = raw_pattern("Posts", table=Blog, operation="Query", name="asked", limit=100, page=100,
    key_condition="PK = :pk", filter="likes > :n", values={":pk": "BLOG#{blog_id}", ":n": 5},
    entity=Post, arguments={"blog_id": str}, where=lambda p, blog_id: p.likes > 5)
"""
    found = judged_posts(tmp_path, text)

    assert found.outcome is ProofOutcome.PROVED
    assert growth_of(found).grows is Class.LIMITED


SCANNED = """
from sortkey import Expected

class Old(Table, raw=True, type_attribute=None):
    pass

class Part(Entity, table=Old{few}):
    part_id: str
    primary = Old.primary.key("PART#{{part_id}}", "PART")

class Note(Entity, table=Old{few}):
    part_id: str
    primary = Old.primary.key("PART#{{part_id}}", "NOTE")

class Sole(Table, raw=True, type_attribute=None):
    pass

class One(Entity, table=Sole):
    one_id: str
    primary = Sole.primary.key("ONE#{{one_id}}", "ONE")

asked = raw_pattern("All", name="asked", operation="Scan", {said})
"""


@pytest.mark.parametrize(
    ("said", "few", "outcome"),
    [
        ("table=Old", "", ProofOutcome.UNPROVEN),
        ("table=Old, entity=Part", "", ProofOutcome.UNPROVEN),
        (
            'table=Old, filter="begins_with(PK, :p)", values={":p": "PART#"}',
            "",
            ProofOutcome.UNPROVEN,
        ),
        # If all records are wanted, the whole table is the answer.
        ("table=Old, entities=[Part, Note], where=lambda r: True", "", ProofOutcome.PROVED),
        ("table=Old", ", expected=Expected(count=20)", ProofOutcome.PROVED),
        ('table=Old, ignore={"affordable": "a nightly export"}', "", ProofOutcome.PROVED),
        ("table=Sole", "", ProofOutcome.PROVED),
        # The request itself allows no more.
        ("table=Old, limit=10", "", ProofOutcome.PROVED),
        # A filter that matches one of the two still reads the other.
        ('table=Old, filter="SK = :s", values={":s": "PART"}', "", ProofOutcome.REFUTED),
    ],
)
def test_a_scan_of_several_entities_is_affordable_if_all_are_stated_to_be_wanted(
    tmp_path: Path, said: str, few: str, outcome: ProofOutcome
) -> None:
    found = judged(tmp_path, SCANNED.format(said=said, few=few))

    assert found.outcome is outcome, found
