"""A warehouse that has one pattern for each operation."""

from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated

from pydantic import BaseModel, Field

from sortkey import (
    TTL,
    Alarms,
    Collection,
    Entity,
    Expected,
    Op,
    Page,
    Provisioned,
    Settings,
    Table,
    UpdatedAt,
    Version,
    auto,
    get_many,
    gsi,
    lsi,
    merged,
    number,
    pattern,
    refers,
    snapshot,
    transact,
    unique,
    write_many,
)


class Size(Enum):
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


class Stock(
    Table,
    name="{environment}.Stock",
    ttl="expires",
    settings=Settings(billing=Provisioned(5, 10, most_reads=50), alarms=Alarms()),
):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    sizes = gsi("GSI2PK", number("weight"), project=["shelf"])
    lsi1 = lsi("LSI1SK", project="KEYS_ONLY")


class Moves(Table, partition="truck", sort=number("at")):
    """Lorries, by natural keys."""

    by_place = gsi(["country", "city"], "driver")


class Hall(Entity, table=Stock):
    hall_id: str
    rev: Version = 0
    primary = Stock.primary.key("HALL#{hall_id}", "HALL")


class Part(
    Entity,
    table=Stock,
    expected=Expected(count=1_000_000, per_partition=500, size_bytes=350, hottest_share=0.02),
    relations=(refers("hall_id", Hall),),
):
    """Something on a shelf."""

    hall_id: str
    part_id: int
    code: Annotated[str, unique]
    size: Size
    weight: int
    shelf: str
    price: Annotated[Decimal, Field(gt=1000)] = Decimal(2000)
    stored: datetime
    rev: Version = 0
    changed: UpdatedAt = auto()
    primary = Stock.primary.key("HALL#{hall_id}", "PART#{part_id:06d}")
    by_shelf = Stock.gsi1.key(
        "SHELF#{shelf}", "{stored}#{part_id:06d}", expected=Expected(per_partition=40)
    )
    by_size = Stock.sizes.key("SIZE#{size}", "{weight}")


class Scanned(Entity, table=Stock):
    """A reading of a scanner: too many a second for one partition of the index."""

    scanner: str
    scan_id: str
    seen: datetime
    found: str | None = None
    count: int = 0
    expires: TTL | None = None
    primary = Stock.primary.key("SCANNER#{scanner}", "SCAN#{scan_id}")
    newest = Stock.gsi1.key("SCANS", "{seen}", shards=4)


class Move(Entity, table=Moves, immutable=True):
    truck: str
    at: int
    country: str
    city: str
    driver: str
    primary = Moves.primary.key()
    by_place = Moves.by_place.key()


class Whole(Collection):
    hall: Hall | None
    parts: list[Part]


class Label(BaseModel):
    code: str
    shelf: str


class Weight(BaseModel):
    shelf: str


@pattern("get")
def get(hall_id: str, part_id: int) -> Op[Part | None]:
    return Part.get(hall_id=hall_id, part_id=part_id)


@pattern("get, consistently and in part", fresh=True)
def get_label(hall_id: str, part_id: int) -> Op[Label]:
    return Part.get(hall_id=hall_id, part_id=part_id).consistently().select(Label).required()


@pattern("query of a partition")
def parts(hall_id: str) -> Op[list[Part]]:
    return Part.query(hall_id=hall_id)


@pattern("query from a bound")
def parts_from(hall_id: str, first: int) -> Op[list[Part]]:
    return Part.query(hall_id=hall_id).ge(part_id=first)


@pattern("query between bounds, in part")
def stored_between(shelf: str, since: datetime, until: datetime) -> Op[list[Label]]:
    return Part.query(Part.by_shelf, shelf=shelf).between(stored=(since, until)).select(Label)


@pattern("query by a beginning")
def scans_of(scanner: str, beginning: str) -> Op[list[Scanned]]:
    return Scanned.query(scanner=scanner).begins_with(scan_id=beginning)


@pattern("query with a filter and a limit")
def cheap_parts(shelf: str, price: Decimal, most: int) -> Op[list[Part]]:
    return Part.query(Part.by_shelf, shelf=shelf).where(lambda p: p.price < price).limit(most)


@pattern("query of a constant, first record", page=1)
def newest_small() -> Op[Weight | None]:
    return Part.query(Part.by_size, size=Size.SMALL).select(Weight).reverse().first()


@pattern("query with a range over a natural key, one page", rate="90/h", page=25)
def moves_before(truck: str, at: int, size: int, after: str | None = None) -> Op[Page[Move]]:
    return Move.query(truck=truck).lt(at=at).reverse().page(size, after)


@pattern("query by several attributes, one record")
def move_of(country: str, city: str, driver: str) -> Op[Move | None]:
    return Move.query(Move.by_place, country=country, city=city, driver=driver).one()


@pattern("query for a count")
def how_many(hall_id: str) -> Op[int]:
    return Part.query(hall_id=hall_id).count()


@pattern("query of shards")
def scans(since: datetime, after: str | None = None) -> Op[Page[Scanned]]:
    return Scanned.query(Scanned.newest).gt(seen=since).page(10, after)


@pattern("queries merged")
def on_shelves(left: str, right: str, since: datetime) -> Op[list[Part]]:
    return merged(
        Part.query(Part.by_shelf, shelf=left).ge(stored=since),
        Part.query(Part.by_shelf, shelf=right),
        by=lambda p: p.stored,
    )


@pattern("collection")
def whole(hall_id: str) -> Op[Whole]:
    return Whole.load(hall_id=hall_id)


@pattern("scan")
def expensive(price: Decimal) -> Op[list[Part]]:
    return Part.scan().where(lambda p: p.price > price)


@pattern("create")
def add_part(part: Part) -> Op[Part]:
    return part.create()


@pattern("put")
def put_scan(scan: Scanned) -> Op[Scanned]:
    return scan.put()


@pattern("replace")
def replace_hall(hall: Hall) -> Op[Hall]:
    return hall.replace()


@pattern("update by key")
def found(scanner: str, scan_id: str, what: str, more: int) -> Op[Scanned]:
    change = Scanned.update(scanner=scanner, scan_id=scan_id)
    return change.set(lambda s: s.found).to(what).add(lambda s: s.count).by(more)


@pattern("update of a loaded record, with its index keys")
def move_part(part: Part, shelf: str) -> Op[Part]:
    return part.update().set(lambda p: p.shelf).to(shelf).where(lambda p: p.weight < 1000)


@pattern("upsert")
def seen(scanner: str, scan_id: str, at: datetime) -> Op[Scanned]:
    return Scanned.upsert(scanner=scanner, scan_id=scan_id).set(lambda s: s.seen).to(at)


@pattern("delete")
def forget(scanner: str, scan_id: str, least: int) -> Op[Scanned | None]:
    return Scanned.delete(scanner=scanner, scan_id=scan_id).where(lambda s: s.count >= least)


@pattern("delete of a loaded record")
def remove_part(part: Part) -> Op[Part | None]:
    return part.delete()


@pattern("check")
def is_hall(hall_id: str) -> Op[None]:
    return Hall.check(hall_id=hall_id)


@pattern("transaction")
def arrive(move: Move, part: Part, hall_id: str) -> Op[None]:
    return transact(move.create(), part.create(), Hall.check(hall_id=hall_id))


@pattern("snapshot")
def both(hall_id: str, part_id: int) -> Op[tuple[Hall | None, Part | None]]:
    return snapshot(Hall.get(hall_id=hall_id), Part.get(hall_id=hall_id, part_id=part_id))


@pattern("batch of reads")
def several(hall_id: str, part_ids: list[int]) -> Op[list[Part | None]]:
    return get_many(Part.get(hall_id=hall_id, part_id=n) for n in part_ids)


@pattern("batch of writes")
def renew(scan: Scanned, scanner: str, old: str) -> Op[None]:
    return write_many([scan.put(), Scanned.delete(scanner=scanner, scan_id=old)])
