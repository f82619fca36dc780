"""Filters over what everybody shares: some choose records by an input, others leave out a few."""

from typing import Any

from sortkey import (
    Entity,
    Expected,
    Op,
    Page,
    RawPattern,
    Table,
    begins_with,
    gsi,
    pattern,
    raw_pattern,
)


class Shop(Table, raw=True, ttl="ttl"):
    by_day = gsi("GSI1PK", "GSI1SK", project=["day"], name="by_day")
    by_total = gsi("GSI3PK", "GSI3SK", project=["day", "total"], name="by_total")
    by_city = gsi("GSI2PK", "GSI2SK", project="KEYS_ONLY", name="by_city")


class Sale(Entity, table=Shop):
    sale_id: str
    city: str
    day: str
    total: int
    note: str | None = None
    ttl: int | None = None
    primary = Shop.primary.key("SALES", "SALE#{sale_id}")
    on_day = Shop.by_day.key("DAY#{day}", "CITY#{city}#{sale_id}")
    by_worth = Shop.by_total.key("DAY#{day}", "{total:09d}#{city}")
    in_city = Shop.by_city.key("CITY#{city}", "{sale_id}")


class Branch(Entity, table=Shop, expected=Expected(count=40)):
    branch_id: str
    city: str
    primary = Shop.primary.key("BRANCHES", "BRANCH#{branch_id}")


def filtered(name: str, condition: str, *, entity: type = Sale, **more: Any) -> RawPattern:
    partition = "SALES" if entity is Sale else "BRANCHES"
    return raw_pattern(
        name,
        name=name,
        table=Shop,
        operation="Query",
        entity=entity,
        key_condition="PK = :pk",
        filter=condition,
        values={":pk": partition, ":x": "{city}"},
        arguments={"city": str},
        **more,
    )


equal = filtered("equal", "city = :x")
begins = filtered("begins", "begins_with(city, :x)")
contained = filtered("contained", "contains(note, :x)")
one_of = filtered("one_of", "city IN (:x)")
either = filtered("either", "city = :x OR note = :x")
not_unequal = filtered("not_unequal", "NOT city <> :x")
more_than = filtered("more_than", "city > :x")
few_equal = filtered("few_equal", "city = :x", entity=Branch)

everywhere = raw_pattern(
    "In all cities",
    name="everywhere",
    table=Shop,
    operation="Scan",
    entity=Sale,
    filter="#total BETWEEN :low AND :high",
    names={"#total": "total"},
    values={":low": "{low}", ":high": "{high}"},
    arguments={"low": int, "high": int},
)


class Typed(Table):
    pass


class Entry(Entity, table=Typed):
    entry_id: str
    text: str
    primary = Typed.primary.key("ENTRIES", "ENTRY#{entry_id}")


@pattern("Entries that begin with a text", rate="5/s", page=20)
def entries(start: str, after: str | None = None) -> Op[Page[Entry]]:
    return Entry.query().where(lambda e: begins_with(e.text, start)).page(20, after)


# These leave out a few, or read few.
all_but = filtered("all_but", "city <> :x")
not_begun = filtered("not_begun", "NOT begins_with(city, :x)")
page_of_more = filtered("page_of_more", "city > :x", limit=20, page=20)
few_begun = filtered("few_begun", "begins_with(city, :x)", entity=Branch)
unexpired = raw_pattern(
    "Sales that are kept",
    name="unexpired",
    table=Shop,
    operation="Query",
    entity=Sale,
    key_condition="PK = :pk",
    filter="#ttl > :now",
    names={"#ttl": "ttl"},
    values={":pk": "SALES", ":now": "{seconds}"},
    arguments={"seconds": int},
)
of_a_sale = raw_pattern(
    "Sales whose ids begin so",
    name="of_a_sale",
    table=Shop,
    operation="Query",
    entity=Sale,
    key_condition="PK = :pk AND begins_with(SK, :start)",
    filter="begins_with(city, :x)",
    values={":pk": "SALES", ":start": "SALE#{start}", ":x": "{city}"},
    arguments={"start": str, "city": str},
)


# What an index does not project.


def indexed(name: str, index: str, **more: Any) -> RawPattern:
    partition = {
        "by_day": ("GSI1PK", "DAY#{day}"),
        "by_city": ("GSI2PK", "CITY#{day}"),
        "by_total": ("GSI3PK", "DAY#{day}"),
    }[index]
    return raw_pattern(
        name,
        name=name,
        table=Shop,
        operation="Query",
        index=index,
        key_condition=f"{partition[0]} = :pk",
        values={":pk": partition[1], **more.pop("values", {})},
        arguments={"day": str},
        **more,
    )


incomplete = indexed("incomplete", "by_day", entity=Sale)
legible = indexed("legible", "by_total", entity=Sale)
keys_alone = indexed("keys_alone", "by_city", entity=Sale)
absent_filter = indexed("absent_filter", "by_day", filter="total > :n", values={":n": 3})

chosen = indexed("chosen", "by_day", entity=Sale, projection="PK, SK")
counted = indexed("counted", "by_day", entity=Sale, select="COUNT")
of_nobody = indexed("of_nobody", "by_day")
present_filter = indexed(
    "present_filter", "by_day", filter="#day = :d", names={"#day": "day"}, values={":d": "today"}
)
