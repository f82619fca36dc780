"""A design with every setting that a table can have, and every kind of index, pattern and role."""

from typing import Annotated

from pydantic import BaseModel

from sortkey import (
    TTL,
    About,
    Alarms,
    Backups,
    Entity,
    Export,
    OnDemand,
    Op,
    Page,
    Provisioned,
    Replica,
    Role,
    SecretKey,
    Settings,
    Standard,
    Table,
    binary,
    get_many,
    gsi,
    lsi,
    number,
    pattern,
    secret,
    snapshot,
    transact,
    unique,
    write_many,
)

HOUSE = Standard(
    "house",
    project="things-{environment}",
    table_name="{project}-{name}",
    exported_as="/{project}/{group}/{name}",
)


class Things(
    Table,
    name=HOUSE.named("things"),
    ttl="expires",
    settings=Settings(
        billing=OnDemand(most_reads=1_000, most_writes=200),
        stream="KEYS_ONLY",
        recovery_days=7,
        encryption="arn:aws:kms:eu-central-1:123456789012:key/own",
        removal={"dev": "destroy"},
        table_class="STANDARD_INFREQUENT_ACCESS",
        tags={"team": "things", "cost-centre": '42: "quoted" ${not.a.variable}'},
        alarms=Alarms(latency_ms=50),
        backups=Backups(
            keep_days=14,
            copy_to="arn:aws:backup:eu-west-1:123456789012:backup-vault:copies",
            copy_keep_days=90,
        ),
        exported=Export("all", "things", "Where things are"),
        standard=HOUSE,
    ),
):
    """Things, with a name that holds a colon: and "quotes".

    A second paragraph of ${what} they are.
    """

    by_place = gsi(["country", "city"], ["street", number("house")], name="PlaceIndex")
    by_owner = gsi("GSI1PK", "GSI1SK", project=["title", "size"], name="OwnerIndex")
    by_size = lsi(number("size"), name="SizeIndex")


class Counters(
    Table,
    name="counters-{environment}",
    partition=binary("digest"),
    settings=Settings(
        billing=Provisioned(5, 6, most_reads=50, most_writes=60, target_percent=75),
        recovery_days=None,
        deletion_protection=False,
        removal="destroy",
        alarms=Alarms(notify="arn:aws:sns:eu-central-1:123456789012:ops", period_seconds=60),
        dashboard=False,
    ),
):
    by_count = gsi("kind", number("count"), name="CountIndex")


class Fixed(Table, settings=Settings(billing=Provisioned(1, 2))):
    """Reserved, and never more."""

    other = gsi("GSI1PK", "GSI1SK", project="KEYS_ONLY", name="OtherIndex")


class Everywhere(
    Table,
    name="everywhere-{environment}",
    settings=Settings(
        encryption="aws-managed",
        billing=OnDemand(most_reads=10),
        replicas=(Replica("eu-west-1"), Replica("us-east-1")),
        backups=Backups(copy_to="us-east-1"),
        tags={"team": "all"},
    ),
):
    """Kept in three regions."""

    other = gsi("GSI1PK", "GSI1SK", name="OtherIndex")


class EverywhereReserved(
    Table,
    name="everywhere-reserved-{environment}",
    settings=Settings(
        billing=Provisioned(5, 6, most_writes=60),
        encryption="arn:aws:kms:eu-central-1:123456789012:key/own",
        replicas=(Replica("eu-west-1", key="arn:aws:kms:eu-west-1:123456789012:key/other"),),
    ),
):
    other = gsi("GSI1PK", name="OtherIndex")


class Thing(Entity, table=Things):
    """Something of somebody's."""

    owner_id: str
    thing_id: str
    title: str
    size: int
    serial: Annotated[str | None, unique] = None
    expires: TTL | None = None
    country: str | None = None
    city: str | None = None
    street: str | None = None
    house: int | None = None

    primary = Things.primary.key("OWNER#{owner_id}", "THING#{thing_id}")
    placed = Things.by_place.key()
    owned = Things.by_owner.key("OWNER#{owner_id}", "{title}#{thing_id}")
    sized = Things.by_size.key()


class Visit(Entity, table=Things):
    """How often somebody came; forgotten after a time."""

    owner_id: str
    visits: int = 0
    expires: TTL | None = None

    primary = Things.primary.key("OWNER#{owner_id}", "VISITS")


class Entry(Entity, table=Things):
    """What somebody did, so often that it is spread; its records move to more shards."""

    owner_id: str
    entry_id: str
    code: Annotated[str, unique]

    primary = Things.primary.key("LOG#{owner_id}", "ENTRY#{entry_id}", shards=3, was=2)


class Notice(Entity, table=Everywhere):
    """What everybody may read."""

    topic: str
    notice_id: str
    text: str = ""

    primary = Everywhere.primary.key("NOTICES", "{notice_id}")
    of_topic = Everywhere.other.key("TOPIC#{topic}", "{notice_id}")


class Letter(Entity, table=Everywhere):
    """What only its reader may know, but for its subject."""

    letter_id: str
    subject: str
    text: Annotated[str, secret]
    seal: Annotated[str | None, secret] = None

    primary = Everywhere.primary.key("LETTER#{letter_id}", "LETTER")


class Subject(BaseModel):
    """A letter without its secrets."""

    letter_id: str
    subject: str


@pattern("A letter")
def letter(letter_id: str) -> Op[Letter | None]:
    return Letter.get(letter_id=letter_id)


@pattern("The subject of a letter")
def subject(letter_id: str) -> Op[Subject | None]:
    return Letter.get(letter_id=letter_id).select(Subject)


@pattern("Write a letter")
def write_letter(letter: Letter) -> Op[Letter]:
    return letter.create()


@pattern("Seal a letter, with others")
def seal(letter_id: str, seal: str, notice: Notice) -> Op[None]:
    sealed = Letter.update(letter_id=letter_id).set(lambda one: one.seal).to(seal)
    return transact(sealed, notice.create())


@pattern("Give a letter another subject")
def retitle(letter_id: str, subject: str) -> Op[Letter]:
    return Letter.update(letter_id=letter_id).set(lambda one: one.subject).to(subject)


@pattern("A thing")
def thing(owner_id: str, thing_id: str) -> Op[Thing | None]:
    return Thing.get(owner_id=owner_id, thing_id=thing_id)


@pattern("The titles of somebody's things")
def things_of(owner_id: str) -> Op[Page[Thing]]:
    return Thing.query(Thing.primary, owner_id=owner_id).page(10)


@pattern("Things in a city")
def things_in(country: str, city: str) -> Op[list[Thing]]:
    return Thing.query(Thing.placed, country=country, city=city)


@pattern("Somebody's things by size")
def things_by_size(owner_id: str) -> Op[list[Thing]]:
    return Thing.query(Thing.sized, owner_id=owner_id)


@pattern("Add a thing")
def add_thing(thing: Thing) -> Op[Thing]:
    return thing.create()


@pattern("Give a thing another serial number")
def renumber(thing: Thing, serial: str) -> Op[Thing]:
    return thing.update().set(lambda t: t.serial).to(serial)


@pattern("Count a visit")
def count_visit(owner_id: str) -> Op[Visit]:
    return Visit.upsert(owner_id=owner_id).add(lambda v: v.visits).by(1)


@pattern("A thing and the visits of its owner")
def thing_and_visits(owner_id: str, thing_id: str) -> Op[tuple[Thing | None, Visit | None]]:
    return snapshot(Thing.get(owner_id=owner_id, thing_id=thing_id), Visit.get(owner_id=owner_id))


@pattern("A thing, and the door of the house")
def thing_and_door(owner_id: str, thing_id: str) -> Op[list[Thing | None]]:
    own = Thing.get(owner_id=owner_id, thing_id=thing_id)
    return get_many([own, Thing.get(owner_id="house", thing_id="door")])


@pattern("Many notices")
def notices(ids: list[str]) -> Op[list[Notice | None]]:
    return get_many(Notice.get(notice_id=one) for one in ids)


@pattern("Notices of a topic")
def notices_of(topic: str) -> Op[list[Notice]]:
    return Notice.query(Notice.of_topic, topic=topic)


@pattern("Write many notices")
def write_notices(written: list[Notice]) -> Op[None]:
    return write_many(notice.put() for notice in written)


@pattern("Tell of a visit, while somebody has a thing")
def tell(owner_id: str, thing_id: str, notice: Notice) -> Op[None]:
    return transact(Thing.check(owner_id=owner_id, thing_id=thing_id), notice.create())


@pattern("Every notice, or the visits of one")
def every(owner_id: str | None = None) -> Op[list[Notice]] | Op[list[Visit]]:
    if owner_id is None:
        return Notice.scan()
    return Visit.query(Visit.primary, owner_id=owner_id)


@pattern("What somebody did")
def entries_of(owner_id: str) -> Op[list[Entry]]:
    return Entry.query(Entry.primary, owner_id=owner_id)


@pattern("Some of what somebody did")
def entries(owner_id: str, ids: list[str]) -> Op[list[Entry | None]]:
    return get_many(Entry.get(owner_id=owner_id, entry_id=one) for one in ids)


@pattern("Do something")
def add_entry(entry: Entry) -> Op[Entry]:
    return entry.create()


about = About(name="things", environments=("dev", "prod"), standard=HOUSE, secret_key=SecretKey())
owner = Role(
    "owner",
    [thing, things_of, add_thing, renumber, count_visit, thing_and_visits, notices, things_in],
    acts_for="owner_id",
)
visitor = Role("visitor", [count_visit, thing_and_door], acts_for="owner_id")
renumberer = Role("renumberer", [renumber])
logger = Role("logger", [entries_of, entries, add_entry], acts_for="owner_id")
teller = Role(
    "teller",
    [notices_of, write_notices, tell],
    attached_to="arn:aws:iam::123456789012:role/desk/{environment}-teller",
)
reader = Role("reader", [every])
opener = Role("opener", [letter])
sorter = Role("sorter", [subject])
writer = Role("writer", [write_letter, seal])
retitler = Role("retitler", [retitle])
