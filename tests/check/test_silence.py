"""What a rule must not fire on: each case is near to what it flags."""

import pytest

from sortkey.check.examples import report_of

NOTE = """
class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")
"""
LOCAL = """
class Old(Table, raw=True):
    by_time = lsi("LSI1SK", name="LSI1")

class Note(Entity, table=Old):
    user_id: str
    note_id: str
    at: datetime
    primary = Old.primary.key("USER#{user_id}", "NOTE#{note_id}")
"""
RAW_NOTE = """
class Old(Table, raw=True):
    pass

class Note(Entity, table=Old):
    user_id: str
    note_id: str
    at: datetime
    primary = Old.primary.key("USER#{user_id}", "NOTE#{note_id}")
"""

PATTERNED = """
class Old(Table, raw=True):
    by_owner = gsi("GSI1PK", "GSI1SK")

Code = Annotated[str, Field(pattern=r"^[A-Z0-9]{8}$")]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]{1,20}$")]

class Hall(Entity, table=Old):
    code: Code
    primary = Old.primary.key("{code}", "META")

class Guest(Entity, table=Old):
    slug: Slug
    primary = Old.primary.key("GUEST#{slug}", "META")

class Seat(Entity, table=Old):
    code: Code
    slug: Slug
    primary = Old.primary.key("{code}#SEATS", "{slug}")

class Ticket(Entity, table=Old):
    number: Annotated[str, Field(min_length=5, max_length=5)]
    primary = Old.primary.key("{number}", "META")

seats = raw_pattern(
    "The seats of a hall",
    table=Old,
    entity=Seat,
    operation="Query",
    key_condition="PK = :hall",
    values={":hall": "{code}#SEATS"},
    arguments={"code": Code},
)
"""
LITERALS = """
class Old(Table, raw=True, type_attribute=None):
    by_kind = gsi("entity_type", "sort")

class Client(Entity, table=Old):
    client_id: str
    entity_type: Literal["client"] = "client"
    sort: str
    primary = Old.primary.key("{client_id}", "CLIENT")
    of_kind = Old.by_kind.key()

class Helper(Entity, table=Old):
    helper_id: str
    entity_type: Literal["helper"] = "helper"
    sort: str
    primary = Old.primary.key("{helper_id}", "HELPER")
    of_kind = Old.by_kind.key()

clients = raw_pattern(
    "The clients",
    table=Old,
    index="by_kind",
    entity=Client,
    operation="Query",
    key_condition="entity_type = :kind",
    values={":kind": "client"},
)
"""

BOATS = """
class Old(Table, raw=True):
    pass

class Boat(Entity, table=Old):
    boat_id: str
    name: str
    trip_count: int
    crew: list[str] = []
    created_at: str
    updated_at: str
    primary = Old.primary.key("BOAT#{boat_id}", "BOAT")

boat = raw_pattern(
    "A boat",
    table=Old,
    operation="GetItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    arguments={"boat_id": str},
)
"""
SILENT = {
    "SK406: two records that must have the same owner": (
        "SK406",
        """
class Note(Entity, table=App):
    owner_id: str
    note_id: str
    primary = App.primary.key("OWNER#{owner_id}", "NOTE#{note_id}")

class Tag(Entity, table=App):
    owner_id: str
    tag: str
    primary = App.primary.key("OWNER#{owner_id}", "TAG#{tag}")

@pattern("Add a note with its tag", rate="5/s")
def add(note: Note, tag: Tag) -> Op[None]:
    if note.owner_id != tag.owner_id:
        raise ValueError("the tag has another owner")
    return transact(note.create(), tag.create())
""",
    ),
    "SK717: a lock that its owner takes again": (
        "SK717",
        """
class Old(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Seat(Entity, table=Old):
    seat_id: str
    owner: str
    status: str
    rev: int
    primary = Old.primary.key("SEAT#{seat_id}", "SEAT")
    by_status = Old.gsi1.key("STATUS#{status}", "{seat_id}")

take = raw_pattern(
    "Take a seat",
    table=Old,
    operation="PutItem",
    entity=Seat,
    item={
        "PK": "SEAT#{seat_id}",
        "SK": "SEAT",
        "GSI1PK": "STATUS#{status}",
        "GSI1SK": "{seat_id}",
        "seat_id": "{seat_id}",
        "owner": "{owner}",
        "status": "{status}",
        "rev": "{rev}",
    },
    condition="attribute_not_exists(PK) OR owner = :owner",
    values={":owner": "{owner}"},
    arguments={"seat_id": str, "owner": str, "status": str, "rev": int, "loaded": int},
)
leave = raw_pattern(
    "Leave a seat",
    table=Old,
    operation="DeleteItem",
    entity=Seat,
    key={"PK": "SEAT#{seat_id}", "SK": "SEAT"},
    arguments={"seat_id": str},
)
""",
    ),
    "SK717: the newer version wins": (
        "SK717",
        """
class Old(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Seat(Entity, table=Old):
    seat_id: str
    owner: str
    status: str
    rev: int
    primary = Old.primary.key("SEAT#{seat_id}", "SEAT")
    by_status = Old.gsi1.key("STATUS#{status}", "{seat_id}")

take = raw_pattern(
    "Take a seat",
    table=Old,
    operation="PutItem",
    entity=Seat,
    item={
        "PK": "SEAT#{seat_id}",
        "SK": "SEAT",
        "GSI1PK": "STATUS#{status}",
        "GSI1SK": "{seat_id}",
        "seat_id": "{seat_id}",
        "owner": "{owner}",
        "status": "{status}",
        "rev": "{rev}",
    },
    condition="attribute_not_exists(PK) OR rev < :rev",
    values={":rev": "{rev}"},
    arguments={"seat_id": str, "owner": str, "status": str, "rev": int, "loaded": int},
)
leave = raw_pattern(
    "Leave a seat",
    table=Old,
    operation="DeleteItem",
    entity=Seat,
    key={"PK": "SEAT#{seat_id}", "SK": "SEAT"},
    arguments={"seat_id": str},
)
""",
    ),
    "SK717: nothing deletes the record": (
        "SK717",
        """
class Old(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Seat(Entity, table=Old):
    seat_id: str
    owner: str
    status: str
    rev: int
    primary = Old.primary.key("SEAT#{seat_id}", "SEAT")
    by_status = Old.gsi1.key("STATUS#{status}", "{seat_id}")

take = raw_pattern(
    "Take a seat",
    table=Old,
    operation="PutItem",
    entity=Seat,
    item={
        "PK": "SEAT#{seat_id}",
        "SK": "SEAT",
        "GSI1PK": "STATUS#{status}",
        "GSI1SK": "{seat_id}",
        "seat_id": "{seat_id}",
        "owner": "{owner}",
        "status": "{status}",
        "rev": "{rev}",
    },
    condition="attribute_not_exists(PK) OR rev = :loaded",
    values={":loaded": "{loaded}"},
    arguments={"seat_id": str, "owner": str, "status": str, "rev": int, "loaded": int},
)
""",
    ),
    "SK431: a put that creates or changes": (
        "SK431",
        """
class Old(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Seat(Entity, table=Old):
    seat_id: str
    owner: str
    status: str
    rev: int
    primary = Old.primary.key("SEAT#{seat_id}", "SEAT")
    by_status = Old.gsi1.key("STATUS#{status}", "{seat_id}")

take = raw_pattern(
    "Take a seat",
    table=Old,
    operation="PutItem",
    entity=Seat,
    item={
        "PK": "SEAT#{seat_id}",
        "SK": "SEAT",
        "GSI1PK": "STATUS#{status}",
        "GSI1SK": "{seat_id}",
        "seat_id": "{seat_id}",
        "owner": "{owner}",
        "status": "{status}",
        "rev": "{rev}",
    },
    condition="attribute_not_exists(PK) OR rev = :loaded",
    values={":loaded": "{loaded}"},
    arguments={"seat_id": str, "owner": str, "status": str, "rev": int, "loaded": int},
)
""",
    ),
    "SK519: an empty key is one cause": (
        "SK519",
        """
class Old(Table, raw=True):
    pass

class Run(Entity, table=Old):
    user_id: str
    primary = Old.primary.key("USER#{user_id}", "RUN")

run = raw_pattern(
    "A run",
    table=Old,
    operation="GetItem",
    entity=Run,
    key={"PK": "USER#{user_id}", "SK": ""},
    arguments={"user_id": str},
)
""",
    ),
    "SK525: an inverted index beside a primary key that is not there": (
        "SK525",
        """
class Old(Table, raw=True):
    inverse = gsi("SK", "PK")

class Run(Entity, table=Old):
    user_id: str
    primary = Old.primary.key("USER#{user_id}", "RUN")
    inverted = Old.inverse.key()

save = raw_pattern(
    "Save a run",
    table=Old,
    operation="PutItem",
    entity=Run,
    item={"PK": "USER#{user_id}", "user_id": "{user_id}"},
    arguments={"user_id": str},
)
""",
    ),
    "SK301: the tokens of a connection expire, not the connection": (
        "SK301",
        """
class Connection(Entity, table=App):
    user_id: str
    refresh_key: str
    expires_at: EpochSeconds
    primary = App.primary.key("USER#{user_id}", "CONNECTION")
""",
    ),
    "SK301: what is valid until a day stays in the books": (
        "SK301",
        """
class Old(Table, raw=True, ttl="ttl"):
    pass

class Open(Table, raw=True):
    pass

class Tariff(Entity, table=Old):
    tariff_id: str
    valid_until: datetime
    primary = Old.primary.key("TARIFF#{tariff_id}", "TARIFF")

class PromoCode(Entity, table=Open):
    code: str
    expires_at: datetime
    primary = Open.primary.key("CODE#{code}", "CODE")
""",
    ),
    "SK301: invitations that a job finds by their end": (
        "SK301",
        """
class Invitation(Entity, table=App):
    invitation_id: str
    tenant_id: str
    expires_at: datetime
    primary = App.primary.key("INVITATION#{invitation_id}", "INVITATION")
    by_end = App.gsi1.key("TENANT#{tenant_id}", "{expires_at}#{invitation_id}")
""",
    ),
    "SK820: sessions that a job deletes": (
        "SK820",
        """
class UserSession(Entity, table=App):
    session_id: str
    user_id: str
    seen_at: datetime
    primary = App.primary.key("SESSION#{session_id}", "SESSION")

@pattern("Sessions that were not seen for long", rate="1/day")
def unused(before: datetime) -> Op[list[UserSession]]:
    return UserSession.scan().where(lambda s: s.seen_at < before)

@pattern("Log out", rate="1/s")
def log_out(session_id: str) -> Op[UserSession | None]:
    return UserSession.delete(session_id=session_id)
""",
    ),
    "SK820: the address from which a user logged in last, and that of an order": (
        "SK820",
        """
class User(Entity, table=App):
    user_id: str
    last_login_ip: str
    primary = App.primary.key("USER#{user_id}", "USER")

class Order(Entity, table=App):
    user_id: str
    placed_at: datetime
    order_id: str
    ip_address: str
    primary = App.primary.key("USER#{user_id}", "ORDER#{placed_at}#{order_id}")
""",
    ),
    "SK303: an update that sets the TTL where there is none": (
        "SK303",
        """
class Old(Table, raw=True, ttl="until"):
    pass

class Hits(Entity, table=Old):
    page: str
    hits: int
    until: TTL
    primary = Old.primary.key("PAGE#{page}", "HITS")

count = raw_pattern(
    "Count a hit",
    table=Old,
    operation="UpdateItem",
    entity=Hits,
    key={"PK": "PAGE#{page}", "SK": "HITS"},
    update="ADD hits :one SET until = if_not_exists(until, :until)",
    values={":one": 1, ":until": "{until}"},
    arguments={"page": str, "until": EpochSeconds},
)
""",
    ),
    "SK303: a put makes the record, with its TTL": (
        "SK303",
        """
class Old(Table, raw=True, ttl="until"):
    pass

class Hits(Entity, table=Old):
    page: str
    hits: int
    until: TTL
    primary = Old.primary.key("PAGE#{page}", "HITS")

begin = raw_pattern(
    "Begin to count",
    table=Old,
    operation="PutItem",
    entity=Hits,
    item={"PK": "PAGE#{page}", "SK": "HITS", "page": "{page}", "hits": 0, "until": "{until}"},
    condition="attribute_not_exists(PK)",
    arguments={"page": str, "until": EpochSeconds},
)
count = raw_pattern(
    "Count a hit",
    table=Old,
    operation="UpdateItem",
    entity=Hits,
    key={"PK": "PAGE#{page}", "SK": "HITS"},
    update="ADD hits :one",
    values={":one": 1},
    arguments={"page": str},
)
""",
    ),
    "SK820: a code for one use with its end": (
        "SK820",
        """
class User(Entity, table=App):
    user_id: str
    verification_code: str | None = None
    code_expires_at: datetime | None = None
    primary = App.primary.key("USER#{user_id}", "USER")
""",
    ),
    "SK709: a relation that says what is copied, and what refreshes it": (
        "SK709",
        """
class User(Entity, table=App):
    user_id: str
    name: str
    primary = App.primary.key("USER#{user_id}", "USER")

class Lesson(
    Entity,
    table=App,
    relations=(refers("student_id", User, copies=("student_name",), refreshed_by="the stream"),),
):
    lesson_id: str
    student_id: str
    student_name: str
    primary = App.primary.key("LESSON#{lesson_id}", "LESSON")
""",
    ),
    "SK709: a declared copy that is immutable": (
        "SK709",
        """
class Author(Entity, table=App):
    author_id: str
    name: str
    primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")

class Book(
    Entity, table=App, relations=(refers("author_id", Author, copies=("author_name",)),)
):
    isbn: str
    author_id: str
    author_name: Annotated[str, immutable]
    primary = App.primary.key("BOOK#{isbn}", "BOOK")
""",
    ),
    "SK709: a declared copy in a record that is immutable": (
        "SK709",
        """
class Author(Entity, table=App):
    author_id: str
    name: str
    primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")

class Book(
    Entity,
    table=App,
    immutable=True,
    relations=(refers("author_id", Author, copies=("author_name",)),),
):
    isbn: str
    author_id: str
    author_name: str
    primary = App.primary.key("BOOK#{isbn}", "BOOK")
""",
    ),
    "SK709: a declared copy of a value that is immutable": (
        "SK709",
        """
class Author(Entity, table=App):
    author_id: str
    name: Annotated[str, immutable]
    primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")

class Book(
    Entity, table=App, relations=(refers("author_id", Author, copies=("author_name",)),)
):
    isbn: str
    author_id: str
    author_name: str
    primary = App.primary.key("BOOK#{isbn}", "BOOK")
""",
    ),
    "SK709: a declared copy, with the same name, of a value that is immutable": (
        "SK709",
        """
class Author(Entity, table=App):
    author_id: str
    name: Annotated[str, immutable]
    primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")

class Book(
    Entity, table=App, relations=(refers("author_id", Author, copies=("name",)),)
):
    isbn: str
    author_id: str
    name: str
    primary = App.primary.key("BOOK#{isbn}", "BOOK")
""",
    ),
    "SK709: a declared copy of a record that is immutable": (
        "SK709",
        """
class Author(Entity, table=App, immutable=True):
    author_id: str
    name: str
    primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")

class Book(
    Entity, table=App, relations=(refers("author_id", Author, copies=("author_name",)),)
):
    isbn: str
    author_id: str
    author_name: str
    primary = App.primary.key("BOOK#{isbn}", "BOOK")
""",
    ),
    "SK709: a declared copy of a value in a primary key": (
        "SK709",
        """
class Author(Entity, table=App):
    author_id: str
    name: str
    primary = App.primary.key("AUTHOR#{author_id}", "{name}")

class Book(
    Entity, table=App, relations=(refers("author_id", Author, copies=("author_name",)),)
):
    isbn: str
    author_id: str
    author_name: str
    primary = App.primary.key("BOOK#{isbn}", "BOOK")
""",
    ),
    "SK709: two records of one thing whose fields never change": (
        "SK709",
        """
class Device(Entity, table=App):
    device_id: str
    site_id: str
    label: Annotated[str, immutable]
    model: Annotated[str, immutable]
    maker: Annotated[str, immutable]
    primary = App.primary.key("DEVICE#{device_id}", "DEVICE")

class SiteDevice(Entity, table=App):
    site_id: str
    device_id: str
    label: str
    model: str
    maker: str
    primary = App.primary.key("SITE#{site_id}", "DEVICE#{device_id}")

@pattern("Add a device", rate="1/s")
def add(device: Device) -> Op[Device]:
    return device.create()

@pattern("Add a device to its site", rate="1/s")
def add_to_site(device: SiteDevice) -> Op[SiteDevice]:
    return device.create()
""",
    ),
    "SK709: the name of a person that is immutable": (
        "SK709",
        """
class Author(Entity, table=App):
    author_id: str
    name: Annotated[str, immutable]
    primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")

class Book(Entity, table=App):
    isbn: str
    author_id: str
    author_name: str
    primary = App.primary.key("BOOK#{isbn}", "BOOK")
""",
    ),
    "SK709: the name of a student, who is a user, that is immutable": (
        "SK709",
        """
class User(Entity, table=App):
    user_id: str
    name: Annotated[str, immutable]
    primary = App.primary.key("USER#{user_id}", "USER")

class Lesson(Entity, table=App, relations=(refers("student_id", User),)):
    lesson_id: str
    student_id: str
    student_name: str
    primary = App.primary.key("LESSON#{lesson_id}", "LESSON")
""",
    ),
    "SK435: the caller reads on": (
        "SK435",
        """
class Old(Table, raw=True):
    pass

class Note(Entity, table=Old):
    user_id: str
    note_id: str
    primary = Old.primary.key("USER#{user_id}", "NOTE#{note_id}")

notes = raw_pattern(
    "Notes of a user",
    table=Old,
    operation="Query",
    entity=Note,
    key_condition="PK = :pk AND begins_with(SK, :note)",
    values={":pk": "USER#{user_id}", ":note": "NOTE#"},
    limit=50,
    arguments={"user_id": str},
    where=lambda n, user_id: n.user_id == user_id,
    page=50,
)
""",
    ),
    "SK435: no partition holds so many": (
        "SK435",
        """
class Old(Table, raw=True):
    pass

class Note(Entity, table=Old, expected=Expected(per_partition=20)):
    user_id: str
    note_id: str
    primary = Old.primary.key("USER#{user_id}", "NOTE#{note_id}")

notes = raw_pattern(
    "Notes of a user",
    table=Old,
    operation="Query",
    entity=Note,
    key_condition="PK = :pk AND begins_with(SK, :note)",
    values={":pk": "USER#{user_id}", ":note": "NOTE#"},
    limit=50,
    arguments={"user_id": str},
    where=lambda n, user_id: n.user_id == user_id,
)
""",
    ),
    "SK435: nothing says which records are meant": (
        "SK435",
        """
class Old(Table, raw=True):
    pass

class Note(Entity, table=Old):
    user_id: str
    note_id: str
    primary = Old.primary.key("USER#{user_id}", "NOTE#{note_id}")

notes = raw_pattern(
    "Notes of a user",
    table=Old,
    operation="Query",
    entity=Note,
    key_condition="PK = :pk AND begins_with(SK, :note)",
    values={":pk": "USER#{user_id}", ":note": "NOTE#"},
    limit=50,
    arguments={"user_id": str},
)
""",
    ),
    "SK408: a search by the beginning of a name": (
        "SK408",
        """
class Old(Table, raw=True):
    pass

class Guest(Entity, table=Old):
    party_id: str
    username: str
    primary = Old.primary.key("PARTY#{party_id}", "GUEST#{username}")

guest = raw_pattern(
    "Search the guests of a party",
    table=Old,
    operation="Query",
    entity=Guest,
    key_condition="PK = :pk AND begins_with(SK, :guest)",
    values={":pk": "PARTY#{party_id}", ":guest": "GUEST#{username}"},
    arguments={"party_id": str, "username": str},
)
""",
    ),
    "SK134: the record of the old rank is deleted": (
        "SK134",
        """
class Old(Table, raw=True):
    pass

class Turn(Entity, table=Old):
    year: str
    turn_order: int
    player_id: str
    primary = Old.primary.key("YEAR#{year}", "TURN#{turn_order:04d}#{player_id}")

KEY = {"PK": "YEAR#{year}", "SK": "TURN#{turn_order:04d}#{player_id}"}
GIVEN = {"year": str, "turn_order": int, "player_id": str}
add = raw_pattern(
    "Add a turn", table=Old, operation="PutItem", entity=Turn, item=KEY, arguments=GIVEN
)
remove = raw_pattern(
    "Remove a turn", table=Old, operation="DeleteItem", entity=Turn, key=KEY, arguments=GIVEN
)
""",
    ),
    "SK432: a token that is read with consistency": (
        "SK432",
        """
class Old(Table, raw=True):
    pass

class Login(Entity, table=Old):
    token_hash: str
    primary = Old.primary.key("TOKEN#{token_hash}", "TOKEN")

login = raw_pattern(
    "The login of each call",
    table=Old,
    operation="GetItem",
    entity=Login,
    key={"PK": "TOKEN#{token_hash}", "SK": "TOKEN"},
    consistent=True,
    arguments={"token_hash": str},
)
""",
    ),
    "SK528: a put that only creates": (
        "SK528",
        """
class Old(Table, raw=True):
    pass

class Photo(Entity, table=Old):
    photo_id: str
    caption: str | None = None
    primary = Old.primary.key("PHOTO#{photo_id}", "PHOTO")

KEY = {"PK": "PHOTO#{photo_id}", "SK": "PHOTO"}
add = raw_pattern(
    "Store a photo",
    table=Old,
    operation="PutItem",
    entity=Photo,
    item=KEY,
    condition="attribute_not_exists(PK)",
    arguments={"photo_id": str},
)
describe = raw_pattern(
    "Describe a photo",
    table=Old,
    operation="PutItem",
    entity=Photo,
    item=KEY | {"caption": "{caption}"},
    condition="attribute_exists(PK)",
    arguments={"photo_id": str, "caption": str},
)
""",
    ),
    "SK136: an index on the table's own keys, inverted": (
        "SK136",
        """
class Old(Table, raw=True):
    inverted = gsi("SK", "PK")

class Root(Entity, table=Old):
    root_id: str
    primary = Old.primary.key("ROOT#{root_id}", "ROOT#{root_id}")
    of_sort = Old.inverted.key()
""",
    ),
    "SK201: a year has four digits": (
        "SK201",
        """
class Old(Table, raw=True):
    pass

class Goal(Entity, table=Old):
    user_id: str
    year: int
    goal_id: str
    primary = Old.primary.key("USER#{user_id}", "GOAL#{year}#{goal_id}")
""",
    ),
    "SK208: whole seconds are kept whole": (
        "SK208",
        """
class Lap(Entity, table=App):
    driver_id: str
    track: str
    at: WholeSeconds
    primary = App.primary.key("DRIVER#{driver_id}", "LAP#{track}#{at:%s}")
""",
    ),
    "SK208: what follows a cut time distinguishes the records": (
        "SK208",
        """
class Lap(Entity, table=App):
    driver_id: str
    track: str
    at: datetime
    primary = App.primary.key("DRIVER#{driver_id}", "LAP#{at:%Y-%m-%d}#{track}")
""",
    ),
    "SK414: a sort key of a few days and times of day": (
        "SK414",
        """
class PlanEntry(Entity, table=App):
    user_id: str
    day: Annotated[int, Field(ge=0, le=6)]
    slot: Literal["morning", "noon", "evening", "night"]
    primary = App.primary.key("USER#{user_id}", "ENTRY#{day:01d}#{slot}")

@pattern("The plan of a user")
def plan(user_id: str) -> Op[list[PlanEntry]]:
    return PlanEntry.query(user_id=user_id)
""",
    ),
    "SK614: a field that only the key has": (
        "SK614",
        """
class Old(Table, raw=True):
    pass

class Cat(Entity, table=Old):
    cat_id: str
    primary = Old.primary.key("CAT#{cat_id}", "CAT")

class Toy(Entity, table=Old):
    toy_id: str
    cat: Annotated[str, Stored("catId")]
    primary = Old.primary.key("TOY#{toy_id}", "TOY")

add = raw_pattern(
    "Add a cat",
    table=Old,
    operation="PutItem",
    entity=Cat,
    item={"PK": "CAT#{cat_id}", "SK": "CAT"},
    condition="attribute_not_exists(PK)",
    arguments={"cat_id": str},
)
""",
    ),
    "SK615: a constant of every put says which is which": (
        "SK615",
        """
class Old(Table, raw=True, type_attribute=None):
    pass

class Cat(Entity, table=Old):
    cat_id: str
    primary = Old.primary.key("CAT#{cat_id}", "CAT")

class Toy(Entity, table=Old):
    toy_id: str
    primary = Old.primary.key("TOY#{toy_id}", "TOY")

add_cat = raw_pattern(
    "Add a cat",
    table=Old,
    operation="PutItem",
    entity=Cat,
    item={"PK": "CAT#{cat_id}", "SK": "CAT", "sort": "CAT"},
    arguments={"cat_id": str},
)
add_toy = raw_pattern(
    "Add a toy",
    table=Old,
    operation="PutItem",
    entity=Toy,
    item={"PK": "TOY#{toy_id}", "SK": "TOY", "sort": "TOY"},
    arguments={"toy_id": str},
)
""",
    ),
    "SK615: a field has another value in each entity": ("SK615", LITERALS),
    "SK703: a record that is nothing but its key": (
        "SK703",
        """
class Old(Table, raw=True):
    pass

follow = raw_pattern(
    "Follow a user",
    table=Old,
    operation="PutItem",
    item={"PK": "USER#{user_id}", "SK": "FOLLOWS#{other_id}", "other": "{other_id}", "v": 1},
    arguments={"user_id": str, "other_id": str},
)
unfollow = raw_pattern(
    "Stop following a user",
    table=Old,
    operation="DeleteItem",
    key={"PK": "USER#{user_id}", "SK": "FOLLOWS#{other_id}"},
    arguments={"user_id": str, "other_id": str},
)
""",
    ),
    "SK704: a counter that begins at zero": (
        "SK704",
        """
class Old(Table, raw=True):
    pass

class Visits(Entity, table=Old):
    page_id: str
    n: int
    primary = Old.primary.key("PAGE#{page_id}", "VISITS")

visit = raw_pattern(
    "Count a visit",
    table=Old,
    operation="UpdateItem",
    entity=Visits,
    key={"PK": "PAGE#{page_id}", "SK": "VISITS"},
    update="SET n = if_not_exists(n, :zero) + :one",
    values={":zero": 0, ":one": 1},
    arguments={"page_id": str},
)
""",
    ),
    "SK704: a member of a map needs the record": (
        "SK704",
        """
class Old(Table, raw=True):
    pass

close = raw_pattern(
    "Close a question",
    table=Old,
    operation="UpdateItem",
    key={"PK": "GAME#{game_id}", "SK": "GAME"},
    update="SET questions.#q = :closed",
    names={"#q": "first"},
    values={":closed": True},
    arguments={"game_id": str},
)
""",
    ),
    "SK101: the patterns of the fields keep the keys apart": ("SK101", PATTERNED),
    "SK407: the patterns of the fields keep the keys apart": ("SK407", PATTERNED),
    "SK407: a text that looks like a type distinguishes the entities": (
        "SK407",
        LITERALS.replace('Literal["helper"] = "helper"', "str"),
    ),
    "SK407: the values of a field that is a key attribute keep the keys apart": (
        "SK407",
        LITERALS,
    ),
    "SK132: an entity stores only a part of another index's key": (
        "SK132",
        """
class Jobs(Table):
    by_status = gsi("shop", "status")

class Job(Entity, table=Jobs):
    job_id: str
    shop: str
    status: str
    primary = Jobs.primary.key("JOB#{job_id}", "JOB")
    open = Jobs.by_status.key()

class Worker(Entity, table=Jobs):
    worker_id: str
    status: str
    primary = Jobs.primary.key("WORKER#{worker_id}", "WORKER")
""",
    ),
    "SK135: a plain text as an index key": (
        "SK135",
        """
class Jobs(Table):
    by_due = gsi("kind", "due")

class Job(Entity, table=Jobs):
    job_id: str
    kind: Literal["job"] = "job"
    due: str
    primary = Jobs.primary.key("JOB#{job_id}", "JOB")
    soon = Jobs.by_due.key()
""",
    ),
    "SK135: an index key that is left out": (
        "SK135",
        """
class Jobs(Table):
    by_due = gsi("kind", "due")

class Job(Entity, table=Jobs):
    job_id: str
    kind: Literal["job"] = "job"
    due: str | None = None
    primary = Jobs.primary.key("JOB#{job_id}", "JOB")
    soon = Jobs.by_due.key()
""",
    ),
    "SK118: a field that says nothing but the name of its entity": (
        "SK118",
        """
class Old(Table, raw=True, type_attribute="type"):
    pass

class Shop(Entity, table=Old):
    shop_id: str
    type: Literal["Shop"]
    primary = Old.primary.key("SHOP#{shop_id}", "SHOP")

class Bar(Entity, table=Old):
    bar_id: str
    type: str = "Bar"
    primary = Old.primary.key("BAR#{bar_id}", "BAR")
""",
    ),
    "SK133: the entity says what distinguishes its records": (
        "SK133",
        """
class Measurement(Entity, table=App, identity=("user_id", "day")):
    user_id: str
    measurement_id: str
    day: date
    primary = App.primary.key("USER#{user_id}", "MEASURED#{day}")
""",
    ),
    "SK133: the id is that of another entity": (
        "SK133",
        NOTE
        + """
class Copy(Entity, table=App, relations=(refers("copy_id", Note),)):
    name: str
    copy_id: str
    primary = App.primary.key("COPY#{name}", "COPY")
""",
    ),
    "SK133: the key has the id that the entity is named after": (
        "SK133",
        """
class UserProfile(Entity, table=App):
    id: str
    user_id: str
    primary = App.primary.key("USER#{user_id}", "PROFILE")
""",
    ),
    "SK133: an id from elsewhere beside the entity's own": (
        "SK133",
        """
class Message(Entity, table=App):
    campaign_id: str
    message_id: str
    provider_message_id: str | None = None
    primary = App.primary.key("CAMPAIGN#{campaign_id}", "MESSAGE#{message_id}")
    by_provider = App.gsi1.key("PROVIDER#{provider_message_id}", "MESSAGE")
""",
    ),
    "SK133: one record in each partition, found by an id from elsewhere": (
        "SK133",
        """
class Subscription(Entity, table=App):
    user_id: str
    provider_subscription_id: str
    primary = App.primary.key("USER#{user_id}", "SUBSCRIPTION")
    by_provider = App.gsi1.key("PROVIDER#{provider_subscription_id}", "SUBSCRIPTION")
""",
    ),
    "SK133: the language of a record with an id": (
        "SK133",
        """
class Letter(Entity, table=App):
    user_id: str
    letter_id: str
    language: str
    primary = App.primary.key("USER#{user_id}", "LETTER#{letter_id}")
""",
    ),
    "SK134: a state that never changes": (
        "SK134",
        """
class Job(Entity, table=App):
    job_id: str
    state: Annotated[Literal["CA", "NY"], immutable]
    primary = App.primary.key("STATE#{state}", "JOB#{job_id}")
""",
    ),
    "SK134: a country's state is any text": (
        "SK134",
        """
class Shop(Entity, table=App):
    shop_id: str
    state: str
    primary = App.primary.key("STATE#{state}", "SHOP#{shop_id}")
""",
    ),
    "SK137: a text that is no number": (
        "SK137",
        """
class Order(Entity, table=App):
    order_id: str
    price_list: str
    count_label: str
    discount: str
    currency: str
    amount: Literal["small", "large"]
    primary = App.primary.key("ORDER#{order_id}", "ORDER")
""",
    ),
    "SK421: a local index that a rejected query means": (
        "SK421",
        LOCAL
        + """
notes = raw_pattern(
    "Notes of a user since a time",
    table=Old,
    operation="Query",
    key_condition="PK = :pk AND LSI1SK > :at",
    values={":pk": "USER#{user_id}", ":at": "{at}"},
    arguments={"user_id": str, "at": datetime},
)
""",
    ),
    "SK424: a table without entities": ("SK424", "class Empty(Table):\n    pass\n"),
    "SK424: a raw pattern is one": (
        "SK424",
        RAW_NOTE
        + """
one = raw_pattern(
    "A note",
    table=Old,
    operation="GetItem",
    key={"PK": "USER#{user_id}", "SK": "NOTE#{note_id}"},
    arguments={"user_id": str, "note_id": str},
)
""",
    ),
    "SK610: an e-mail address that is the index's own key": (
        "SK610",
        """
class User(Entity, table=App):
    user_id: str
    email: str
    ssn: str
    primary = App.primary.key("USER#{user_id}", "USER")
    by_ssn = App.gsi1.key("SSN#{ssn}", "{email}")
""",
    ),
    "SK610: an address in a list that a pattern reads": (
        "SK610",
        """
class User(Entity, table=App):
    user_id: str
    team: str
    email: str
    content_hash: str
    primary = App.primary.key("USER#{user_id}", "USER")
    by_team = App.gsi1.key("TEAM#{team}", "{user_id}")

@pattern("A team", rate="5/s")
def team(team: str) -> Op[list[User]]:
    return User.query(User.by_team, team=team)
""",
    ),
    "SK610: the address of something that is not a person": (
        "SK610",
        """
class School(Entity, table=App):
    school_id: str
    email: str
    primary = App.primary.key("SCHOOL#{school_id}", "SCHOOL")
    all = App.gsi1.key("SCHOOLS", "{school_id}")

@pattern("A school", rate="5/s")
def school(school_id: str) -> Op[School | None]:
    return School.get(school_id=school_id)
""",
    ),
    "SK434: a list whose name only sounds like a decision": (
        "SK434",
        """
class User(Entity, table=App):
    user_id: str
    email: str
    primary = App.primary.key("USER#{user_id}", "USER")
    by_email = App.gsi1.key("EMAIL#{email}", "USER")

@pattern("Check-ins and photos taken by a user", rate="5/s")
def user(email: str) -> Op[User | None]:
    return User.query(User.by_email, email=email).one()
""",
    ),
    "SK434: a put of a new record, in any language": (
        "SK434",
        """
class Old(Table, raw=True):
    by_user = gsi("user_id", "order_id")

class Order(Entity, table=Old):
    order_id: str
    user_id: str
    status: str
    primary = Old.primary.key("ORDER#{order_id}", "ORDER")
    listed = Old.by_user.key()

orders = raw_pattern(
    "Orders of a user",
    table=Old,
    operation="Query",
    index="by_user",
    entity=Order,
    key_condition="user_id = :user",
    values={":user": "{user_id}"},
    arguments={"user_id": str},
)
winner = raw_pattern(
    "Ganador: un pedido",
    table=Old,
    operation="PutItem",
    entity=Order,
    item={
        "PK": "ORDER#{order_id}", "SK": "ORDER", "order_id": "{order_id}", "user_id": "{user_id}",
        "status": "WON",
    },
    arguments={"order_id": str, "user_id": str},
)
""",
    ),
    "SK436: what stands before is given": (
        "SK436",
        """
class Old(Table, raw=True):
    pass

class Offer(Entity, table=Old):
    company: str
    status: Literal["open", "closed"]
    made_at: datetime
    primary = Old.primary.key("COMPANY#{company}", "STATUS#{status}#{made_at}")

offers = raw_pattern(
    "Offers of a company, in order",
    table=Old,
    operation="Query",
    entity=Offer,
    key_condition="PK = :pk AND begins_with(SK, :sk)",
    values={":pk": "COMPANY#{company}", ":sk": "STATUS#open"},
    arguments={"company": str},
    where=lambda offer, company: offer.company == company,
    order=lambda offer: offer.made_at,
)
""",
    ),
    "SK436: what stands before begins both ends of a range": (
        "SK436",
        """
class Old(Table, raw=True):
    pass

class Offer(Entity, table=Old):
    company: str
    status: Literal["open", "closed"]
    made_at: datetime
    primary = Old.primary.key("COMPANY#{company}", "STATUS#{status}#{made_at}")

offers = raw_pattern(
    "Open offers of a company until a time, in order",
    table=Old,
    operation="Query",
    entity=Offer,
    key_condition="PK = :pk AND SK BETWEEN :low AND :high",
    values={":pk": "COMPANY#{company}", ":low": "STATUS#open#", ":high": "STATUS#open#{end}"},
    arguments={"company": str, "end": datetime},
    where=lambda offer, company, end: (
        offer.company == company and offer.status == "open" and offer.made_at <= end
    ),
    order=lambda offer: offer.made_at,
)
""",
    ),
    "SK436: what stands before is in a filter": (
        "SK436",
        """
class Old(Table, raw=True):
    pass

class Offer(Entity, table=Old):
    company: str
    status: Literal["open", "closed"]
    made_at: datetime
    primary = Old.primary.key("COMPANY#{company}", "{status}#{made_at}")

offers = raw_pattern(
    "Offers of a company, in order",
    table=Old,
    operation="Query",
    entity=Offer,
    key_condition="PK = :pk",
    values={":pk": "COMPANY#{company}", ":s": "open"},
    arguments={"company": str},
    where=lambda offer, company: offer.company == company,
    order=lambda offer: offer.made_at,
    filter="#s = :s",
    names={"#s": "status"},
)
""",
    ),
    "SK436: the day before the time": (
        "SK436",
        """
class Old(Table, raw=True):
    pass

class Offer(Entity, table=Old):
    company: str
    day: date
    made_at: datetime
    primary = Old.primary.key("COMPANY#{company}", "{day}#{made_at}")

offers = raw_pattern(
    "Offers of a company, in order",
    table=Old,
    operation="Query",
    entity=Offer,
    key_condition="PK = :pk",
    values={":pk": "COMPANY#{company}"},
    arguments={"company": str},
    where=lambda offer, company: offer.company == company,
    order=lambda offer: offer.made_at,
)
""",
    ),
    "SK436: an order that is computed": (
        "SK436",
        """
class Old(Table, raw=True):
    pass

class Offer(Entity, table=Old):
    company: str
    status: Literal["open", "closed"]
    made_at: datetime
    primary = Old.primary.key("COMPANY#{company}", "{status}#{made_at}")

offers = raw_pattern(
    "Offers of a company, in order",
    table=Old,
    operation="Query",
    entity=Offer,
    key_condition="PK = :pk",
    values={":pk": "COMPANY#{company}"},
    arguments={"company": str},
    where=lambda offer, company: offer.company == company,
    order=lambda offer: -offer.made_at.timestamp(),
)
""",
    ),
    "SK438: words that are in order, that have none, or that are given": (
        "SK438",
        """
class Ticket(Entity, table=App):
    user_id: str
    ticket_id: str
    grade: Literal["bronze", "gold"]
    state: Literal["open", "held", "closed"]
    priority: Literal["low", "medium", "high"]
    primary = App.primary.key("USER#{user_id}", "{grade}#{state}#{ticket_id}")
    by_priority = App.gsi1.key("USER#{user_id}", "{priority}#{ticket_id}")

@pattern("The tickets of a priority", rate="1/s")
def of_priority(
    user_id: str, priority: Literal["low", "medium", "high"]
) -> Op[list[Ticket]]:
    return Ticket.query(Ticket.by_priority, user_id=user_id, priority=priority).limit(20)
""",
    ),
    "SK437: what only a raw request writes": (
        "SK437",
        """
class Notes(Table, raw=True):
    by_author = gsi("author", "note_id", project=["title", "colour", "PK"])

class Note(Entity, table=Notes):
    author: str
    note_id: str
    title: str
    primary = Notes.primary.key("NOTE#{note_id}", "NOTE")
    listed = Notes.by_author.key()

paint = raw_pattern(
    "Paint a note",
    table=Notes,
    operation="UpdateItem",
    entity=Note,
    key={"PK": "NOTE#{note_id}", "SK": "NOTE"},
    update="SET colour = :colour",
    condition="attribute_exists(PK)",
    values={":colour": "{colour}"},
    arguments={"note_id": str, "colour": str},
)
""",
    ),
    "SK439: an average with a condition on the count": (
        "SK439",
        """
class Old(Table, raw=True):
    pass

rate = raw_pattern(
    "Rate a book",
    table=Old,
    operation="UpdateItem",
    key={"PK": "BOOK#{isbn}", "SK": "BOOK"},
    update="SET rating_avg = :given ADD rating_count :one",
    condition="rating_count = :seen",
    values={":given": "{given}", ":one": 1, ":seen": "{seen}"},
    arguments={"isbn": str, "given": int, "seen": int},
)
""",
    ),
    "SK439: a sum beside the number of a version": (
        "SK439",
        """
class Old(Table, raw=True):
    pass

change = raw_pattern(
    "Change an order",
    table=Old,
    operation="UpdateItem",
    key={"PK": "ORDER#{order_id}", "SK": "ORDER"},
    update="SET order_total = :given ADD version_number :one",
    condition="attribute_exists(PK)",
    values={":given": "{given}", ":one": 1},
    arguments={"order_id": str, "given": int},
)
""",
    ),
    "SK439: a last score beside a count": (
        "SK439",
        """
class Old(Table, raw=True):
    pass

rate = raw_pattern(
    "Rate a book",
    table=Old,
    operation="UpdateItem",
    key={"PK": "BOOK#{isbn}", "SK": "BOOK"},
    update="SET last_score = :given ADD play_count :one",
    condition="attribute_exists(PK)",
    values={":given": "{given}", ":one": 1},
    arguments={"isbn": str, "given": int},
)
""",
    ),
    "SK434: a number that is added to": (
        "SK434",
        """
class Shop(Table, raw=True):
    by_brand = gsi("brand", "product_id")

class Product(Entity, table=Shop):
    product_id: str
    brand: str
    stock: int
    primary = Shop.primary.key("PRODUCT#{product_id}", "PRODUCT")
    of_brand = Shop.by_brand.key()

products = raw_pattern(
    "Products of a brand",
    table=Shop,
    index="by_brand",
    operation="Query",
    entity=Product,
    key_condition="brand = :brand",
    values={":brand": "{brand}"},
    limit=20,
    arguments={"brand": str},
)
sell = raw_pattern(
    "Sell a product",
    table=Shop,
    operation="UpdateItem",
    entity=Product,
    key={"PK": "PRODUCT#{product_id}", "SK": "PRODUCT"},
    update="SET stock = stock - :one",
    condition="attribute_exists(PK)",
    values={":one": 1},
    arguments={"product_id": str},
)
""",
    ),
    "SK134: the number that a message was sent to": (
        "SK134",
        """
class Message(Entity, table=App):
    campaign_id: str
    phone_number: str
    text: str
    primary = App.primary.key("CAMPAIGN#{campaign_id}", "MESSAGE#{phone_number}")
""",
    ),
    "SK709: names that stay as they were, or belong to nothing here": (
        "SK709",
        """
class Order(Entity, table=App):
    order_id: str
    customer_id: str
    customer_name: str
    primary = App.primary.key("ORDER#{order_id}", "ORDER")

class Workout(Entity, table=App):
    workout_id: str
    activity_id: str
    activity_name: str
    author_id: str
    author_name: Annotated[str, immutable]
    primary = App.primary.key("WORKOUT#{workout_id}", "WORKOUT")
""",
    ),
    "SK709: two records of one thing, written in one transaction": (
        "SK709",
        """
class Old(Table, raw=True):
    pass

class Device(Entity, table=Old):
    device_id: str
    site_id: str
    label: str
    model: str
    is_active: bool
    primary = Old.primary.key("DEVICE#{device_id}", "DEVICE")

class SiteDevice(Entity, table=Old):
    site_id: str
    device_id: str
    label: str
    model: str
    is_active: bool
    primary = Old.primary.key("SITE#{site_id}", "DEVICE#{device_id}")

ITEM = {
    "site_id": "{site_id}", "device_id": "{device_id}", "label": "{label}",
    "model": "{model}", "is_active": True,
}
GIVEN = {"site_id": str, "device_id": str, "label": str, "model": str}

add = raw_pattern(
    "Add a device",
    operation="TransactWriteItems",
    actions=[
        RawRequest(
            table=Old,
            operation="PutItem",
            entity=Device,
            item={"PK": "DEVICE#{device_id}", "SK": "DEVICE", **ITEM},
            condition="attribute_not_exists(PK)",
        ),
        RawRequest(
            table=Old,
            operation="PutItem",
            entity=SiteDevice,
            item={"PK": "SITE#{site_id}", "SK": "DEVICE#{device_id}", **ITEM},
        ),
    ],
    arguments=GIVEN,
)
""",
    ),
    "SK709: equal fields of records that are not the same thing": (
        "SK709",
        """
class Group(Entity, table=App):
    id: str
    name: str
    rank: int
    active: bool
    primary = App.primary.key("GROUP#{id}", "GROUP")

class Option(Entity, table=App):
    id: str
    name: str
    rank: int
    active: bool
    primary = App.primary.key("OPTION#{id}", "OPTION")

@pattern("Add a group", rate="1/day")
def add_group(group: Group) -> Op[Group]:
    return Group.create(group)

@pattern("Add an option", rate="1/day")
def add_option(option: Option) -> Op[Option]:
    return Option.create(option)
""",
    ),
    "SK426: several that share a field, beside a constant": (
        "SK426",
        """
class Old(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Owner(Entity, table=Old):
    owner_id: str
    address: str
    primary = Old.primary.key("OWNER#{owner_id}", "OWNER")
    by_it = Old.gsi1.key("ADDRESS#{address}", "OWNER")

add = raw_pattern(
    "Add it",
    table=Old,
    operation="PutItem",
    entity=Owner,
    item={
        "PK": "OWNER#{owner_id}", "SK": "OWNER", "owner_id": "{owner_id}",
        "address": "{given}", "GSI1PK": "ADDRESS#{given}", "GSI1SK": "OWNER",
    },
    condition="attribute_not_exists(PK)",
    arguments={"owner_id": str, "given": str},
)
find = raw_pattern(
    "Who lives there",
    table=Old,
    operation="Query",
    index="gsi1",
    entity=Owner,
    key_condition="GSI1PK = :pk AND GSI1SK = :sk",
    values={":pk": "ADDRESS#{given}", ":sk": "OWNER"},
    arguments={"given": str},
)
""",
    ),
    "SK709: a name that an update writes": (
        "SK709",
        """
class Comment(Entity, table=App):
    comment_id: str
    author_id: str
    author_name: str
    primary = App.primary.key("COMMENT#{comment_id}", "COMMENT")

@pattern("Rename the author of a comment", rate="1/s")
def rename(comment_id: str, name: str) -> Op[Comment]:
    return Comment.update(comment_id=comment_id).set(lambda c: c.author_name).to(name)
""",
    ),
    "SK820: records that a pattern deletes": (
        "SK820",
        """
class Visit(Entity, table=App):
    day: date
    visit_id: str
    primary = App.primary.key("DAY#{day}", "VISIT#{visit_id}")

@pattern("Remove a visit", rate="1/s")
def remove(day: date, visit_id: str) -> Op[Visit | None]:
    return Visit.delete(day=day, visit_id=visit_id)
""",
    ),
    "SK819: partitions that would be mixed up": (
        "SK819",
        """
class Hotel(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    gsi2 = gsi("GSI2PK", "GSI2SK")
    gsi3 = gsi("GSI3PK", "GSI3SK")
    gsi4 = gsi("GSI4PK", "GSI4SK")

class Room(Entity, table=Hotel):
    room_id: str
    city: str
    wing: str
    primary = Hotel.primary.key("ROOM#{room_id}", "ROOM")
    by_city = Hotel.gsi1.key("CITY#{city}", "ROOM#{room_id}")
    by_wing = Hotel.gsi2.key("CITY#{city}", "WING#{wing}#{room_id}")

class Guest(Entity, table=Hotel):
    guest_id: str
    city: str
    age: str
    primary = Hotel.primary.key("GUEST#{guest_id}", "GUEST")
    by_city = Hotel.gsi3.key("CITY#{city}", "GUEST#{guest_id}")
    by_age = Hotel.gsi4.key("CITY#{city}", "AGE#{age}#{guest_id}")
""",
    ),
    "SK718: many records of one entity": (
        "SK718",
        """
class Old(Table, raw=True):
    pass

class Order(Entity, table=Old):
    order_id: str
    primary = Old.primary.key("ORDER#{order_id}", "ORDER")

class Line(Entity, table=Old):
    order_id: str
    line_id: str
    primary = Old.primary.key("ORDER#{order_id}", "LINE#{line_id}")

add = raw_pattern(
    "Add two lines",
    operation="BatchWriteItem",
    actions=[
        RawRequest(
            "Put",
            Old,
            item={
                "PK": "ORDER#{order_id}",
                "SK": f"LINE#{{{line}}}",
                "_type": "Line",
                "order_id": "{order_id}",
                "line_id": f"{{{line}}}",
            },
            entity=Line,
        )
        for line in ("first", "second")
    ],
    arguments={"order_id": str, "first": str, "second": str},
)
""",
    ),
    "SK610: an index that does not project it": (
        "SK610",
        """
class Users(Table):
    by_country = gsi("country", "user_id", project="KEYS_ONLY")

class User(Entity, table=Users):
    user_id: str
    country: str
    iban: str
    has_ssn: bool
    primary = Users.primary.key("USER#{user_id}", "USER")
    of_country = Users.by_country.key()
""",
    ),
    "SK205: a text that is held to a form": (
        "SK205",
        """
class Usage(Entity, table=App):
    shop_id: str
    month: Annotated[str, Field(pattern=r"^\\d{4}-\\d{2}$")]
    primary = App.primary.key("SHOP#{shop_id}", "USAGE#{month}")
""",
    ),
    "SK205: the order of a partition key does not matter": (
        "SK205",
        """
class Usage(Entity, table=App):
    shop_id: str
    month: str
    primary = App.primary.key("MONTH#{month}", "SHOP#{shop_id}")
""",
    ),
    "SK206: sortkey refuses the delimiter itself": (
        "SK206",
        """
class Metrics(Entity, table=App):
    user_id: str
    period: str
    primary = App.primary.key("METRICS", "METRICS#{user_id}#{period}")
""",
    ),
    "SK207: a text of ASCII has one byte a character": (
        "SK207",
        """
class Site(Entity, table=App):
    owner_id: Annotated[str, Field(max_length=100)]
    domain: Annotated[str, Field(max_length=1000, pattern=r"^[a-z0-9]+(\\.[a-z0-9]+)+$")]
    primary = App.primary.key("OWNER#{owner_id}", "SITE#{domain}")
""",
    ),
    "SK208: one record a day": (
        "SK208",
        """
class Usage(Entity, table=App):
    user_id: str
    day: date
    primary = App.primary.key("USER#{user_id}", "USAGE#{day}")
""",
    ),
    "SK208: the entity says that the time distinguishes records": (
        "SK208",
        """
class Event(Entity, table=App, identity=("user_id", "at")):
    user_id: str
    at: datetime
    primary = App.primary.key("USER#{user_id}", "EVENT#{at}")
""",
    ),
    "SK301: when a token lapses is no time to live": (
        "SK301",
        """
class Logins(Table, ttl="kept_until"):
    pass

class Login(Entity, table=Logins):
    user_id: str
    expires_at: datetime
    kept_until: TTL
    primary = Logins.primary.key("USER#{user_id}", "LOGIN")
""",
    ),
    "SK306: a reminder is found by when it is due": (
        "SK306",
        """
class Plans(Table, ttl="gone"):
    by_due = gsi("GSI1PK", "GSI1SK")

class Reminder(Entity, table=Plans):
    reminder_id: str
    due_at: datetime
    gone: TTL
    primary = Plans.primary.key("REMINDER#{reminder_id}", "REMINDER")
    due = Plans.by_due.key("DUE", "{due_at}#{reminder_id}")
""",
    ),
    "SK405: a sample that is no valid value": (
        "SK405",
        """
class Note(Entity, table=App):
    note_id: Annotated[str, Field(max_length=3)]
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

@pattern("Write a note", rate="5/s")
def write(note_id: str) -> Op[Note]:
    return Note(note_id=note_id[:3]).create()
""",
    ),
    "SK407: a collection reads both on purpose": (
        "SK407",
        """
class Order(Entity, table=App):
    shop_id: str
    number: int
    primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")

class Line(Entity, table=App):
    shop_id: str
    number: int
    line: int
    primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}#LINE#{line:03d}")

class Whole(Collection):
    orders: list[Order]
    lines: list[Line]

@pattern("Orders with their lines", rate="5/s")
def orders(shop_id: str) -> Op[Whole]:
    return Whole.load(shop_id=shop_id)
""",
    ),
    "SK407: a raw range of its own": (
        "SK407",
        RAW_NOTE
        + """
class Draft(Entity, table=Old):
    user_id: str
    draft_id: str
    primary = Old.primary.key("USER#{user_id}", "DRAFT#{draft_id}")

notes = raw_pattern(
    "A user's notes",
    table=Old,
    operation="Query",
    entity=Note,
    key_condition="PK = :pk AND begins_with(SK, :note)",
    values={":pk": "USER#{user_id}", ":note": "NOTE#"},
    arguments={"user_id": str},
)
""",
    ),
    "SK408: a search by the beginning of what comes last": (
        "SK408",
        RAW_NOTE
        + """
notes = raw_pattern(
    "Notes that begin so",
    table=Old,
    operation="Query",
    entity=Note,
    key_condition="PK = :pk AND begins_with(SK, :start)",
    values={":pk": "USER#{user_id}", ":start": "NOTE#{start}"},
    arguments={"user_id": str, "start": str},
)
""",
    ),
    "SK409: a filter within the partition of one user": (
        "SK409",
        """
class Ride(Entity, table=App):
    user_id: str
    ride_id: str
    sport: str
    primary = App.primary.key("USER#{user_id}", "RIDE#{ride_id}")

@pattern("A user's rides of a sport", rate="5/s", page=20)
def rides(user_id: str, sport: str, after: str | None = None) -> Op[Page[Ride]]:
    return Ride.query(user_id=user_id).where(lambda r: r.sport == sport).page(20, after)
""",
    ),
    "SK409: a filter that keeps most of a list": (
        "SK409",
        """
class Order(Entity, table=App):
    order_id: str
    total: int
    primary = App.primary.key("ORDER#{order_id}", "ORDER")
    listed = App.gsi1.key("ORDERS", "{order_id}")

@pattern("Orders of some worth", rate="5/s", page=20)
def orders(least: int, after: str | None = None) -> Op[Page[Order]]:
    return Order.query(Order.listed).where(lambda o: o.total >= least).page(20, after)
""",
    ),
    "SK411: a filter by one of three sports": (
        "SK411",
        """
class Ride(Entity, table=App, expected=Expected(per_partition=5000)):
    user_id: str
    ride_id: str
    sport: Literal["ride", "run", "swim"]
    primary = App.primary.key("USER#{user_id}", "RIDE#{ride_id}")

@pattern("A user's rides of a sport", rate="5/s", page=20)
def rides(
    user_id: str, sport: Literal["ride", "run", "swim"], after: str | None = None
) -> Op[Page[Ride]]:
    return Ride.query(user_id=user_id).where(lambda r: r.sport == sport).page(20, after)
""",
    ),
    "SK414: few records, as the entity says": (
        "SK414",
        """
class Ride(Entity, table=App, expected=Expected(per_partition=200, size_bytes=400)):
    user_id: str
    ride_id: str
    primary = App.primary.key("USER#{user_id}", "RIDE#{ride_id}")

@pattern("A user's rides", rate="5/s")
def rides(user_id: str) -> Op[list[Ride]]:
    return Ride.query(user_id=user_id)
""",
    ),
    "SK414: a range": (
        "SK414",
        """
class Ride(Entity, table=App, expected=Expected(per_partition=200_000)):
    user_id: str
    day: date
    ride_id: str
    primary = App.primary.key("USER#{user_id}", "RIDE#{day}#{ride_id}")

@pattern("A user's rides between two days", rate="5/s")
def rides(user_id: str, first: date, last: date) -> Op[list[Ride]]:
    return Ride.query(user_id=user_id).between(day=(first, last))
""",
    ),
    "SK415: a transaction reads what was written last": (
        "SK415",
        NOTE
        + """
@pattern("Two notes of one moment", rate="5/s", fresh=True)
def both(one: str, other: str) -> Op[tuple[Note | None, Note | None]]:
    return snapshot(Note.get(note_id=one), Note.get(note_id=other))
""",
    ),
    "SK416: days compared with days": (
        "SK416",
        """
class Old(Table, raw=True):
    pass

class Usage(Entity, table=Old):
    user_id: str
    day: date
    primary = Old.primary.key("USER#{user_id}", "USAGE#{day}")

usage = raw_pattern(
    "Usage from day to day",
    table=Old,
    operation="Query",
    entity=Usage,
    key_condition="PK = :pk AND SK BETWEEN :first AND :last",
    values={":pk": "USER#{user_id}", ":first": "USAGE#{first}", ":last": "USAGE#{last}"},
    arguments={"user_id": str, "first": date, "last": date},
)
""",
    ),
    "SK417: the shards of one key": (
        "SK417",
        """
class Scan(Entity, table=App):
    number: int
    primary = App.primary.key("SCANS", "{number:012d}", shards=4)

@pattern("All scans", rate="5/s", page=20)
def scans(after: str | None = None) -> Op[Page[Scan]]:
    return Scan.query().page(20, after)
""",
    ),
    "SK419: a raw request is about the entity whose key it names": (
        "SK419",
        RAW_NOTE
        + """
write = raw_pattern(
    "Write a note",
    table=Old,
    operation="PutItem",
    item={"PK": "USER#{user_id}", "SK": "NOTE#{note_id}"},
    condition="attribute_not_exists(PK)",
    arguments={"user_id": str, "note_id": str},
)
""",
    ),
    "SK420: a design without write patterns is reported once": (
        "SK420",
        NOTE
        + """
about = About(ignore={"SK420": "another program writes"})

@pattern("A note", rate="5/s")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)
""",
    ),
    "SK605: a table that can be lost": (
        "SK605",
        "class Cache(Table, settings=Settings(recovery_days=None, ephemeral=True)):\n    pass",
    ),
    "SK606: a table that can be lost": (
        "SK606",
        """
class Cache(Table, settings=Settings(deletion_protection=False, ephemeral=True)):
    pass
""",
    ),
    "SK607: destroyed in development": (
        "SK607",
        """
about = About(environments=("dev",))

class Cache(Table, settings=Settings(removal="destroy")):
    pass
""",
    ),
    "SK608: a design that is not deployed yet": ("SK608", NOTE),
    "SK609: a digest of a secret": (
        "SK609",
        """
class Login(Entity, table=App):
    user_id: str
    password_digest: str
    next_token_count: int
    primary = App.primary.key("USER#{user_id}", "LOGIN")
""",
    ),
    "SK609: ids, hashes and a device's address in keys": (
        "SK609",
        """
class Login(Entity, table=App):
    token_hash: str
    api_key_id: str
    device_token: str
    session_id: str
    primary = App.primary.key("LOGIN#{token_hash}", "KEY#{api_key_id}#{device_token}")
    of_session = App.gsi1.key("SESSION#{session_id}", "LOGIN")
""",
    ),
    "SK609: the words of a text": (
        "SK609",
        """
class SearchPosting(Entity, table=App):
    token: str
    page_id: str
    primary = App.primary.key("TOKEN#{token}", "PAGE#{page_id}")
""",
    ),
    "SK617: a table of another program that is declared again": (
        "SK617",
        """
class Orders(Table, name="orders"):
    pass

class OldOrders(Table, name="orders", raw=True):
    pass
""",
    ),
    "SK617: names that differ in each environment": (
        "SK617",
        """
about = About(environments=("dev", "prod"))

class Orders(Table, name="{environment}-orders"):
    pass

class Returns(Table, name="{environment}-returns"):
    pass
""",
    ),
    "SK618: what AWS takes": (
        "SK618",
        """
about = About(name="my-shop", environments=("dev", "prod"))

class Orders(Table, settings=Settings(tags={"cost centre": "42/a", "owner": "a@example.org"})):
    pass

clerk = Role("shop.clerk@till", [])
""",
    ),
    "SK611: what belongs to no tenant": (
        "SK611",
        """
about = About(tenant="org_id")

class Country(Entity, table=App):
    code: str
    primary = App.primary.key("COUNTRY#{code}", "COUNTRY")
""",
    ),
    "SK612: the subject is a field of the record that is written": (
        "SK612",
        """
class Order(Entity, table=App):
    user_id: str
    order_id: str
    primary = App.primary.key("USER#{user_id}", "ORDER#{order_id}")

@pattern("Order", rate="5/s")
def place(order: Order) -> Op[Order]:
    return order.create()

customer = Role("customer", [place], acts_for="user_id")
""",
    ),
    "SK615: one kind of record": (
        "SK615",
        """
class Users(Table, partition="name", type_attribute=None):
    pass

class User(Entity, table=Users):
    name: str
""",
    ),
    "SK702: a create needs no version": (
        "SK702",
        """
class Old(Table, raw=True):
    pass

class Note(Entity, table=Old):
    note_id: str
    rev: Version = 0
    primary = Old.primary.key("NOTE#{note_id}", "NOTE")

write = raw_pattern(
    "Write a note",
    table=Old,
    operation="PutItem",
    entity=Note,
    item={"PK": "NOTE#{note_id}", "SK": "NOTE", "rev": 1},
    condition="attribute_not_exists(PK)",
    arguments={"note_id": str},
)
""",
    ),
    "SK703: what is immutable or versioned has a rule of its own": (
        "SK703",
        """
class Old(Table, raw=True):
    pass

class Note(Entity, table=Old, immutable=True):
    note_id: str
    primary = Old.primary.key("NOTE#{note_id}", "NOTE")

write = raw_pattern(
    "Write a note",
    table=Old,
    operation="PutItem",
    entity=Note,
    item={"PK": "NOTE#{note_id}", "SK": "NOTE"},
    arguments={"note_id": str},
)
""",
    ),
    "SK704: an upsert by name": (
        "SK704",
        """
class Counter(Entity, table=App):
    name: str
    count: int = 0
    primary = App.primary.key("COUNTER#{name}", "COUNTER")

@pattern("Count", rate="5/s")
def count(name: str) -> Op[Counter]:
    return Counter.upsert(name=name).add(lambda c: c.count).by(1)
""",
    ),
    "SK704: a removal makes nothing": (
        "SK704",
        RAW_NOTE
        + """
clear = raw_pattern(
    "Clear a note",
    table=Old,
    operation="UpdateItem",
    key={"PK": "USER#{user_id}", "SK": "NOTE#{note_id}"},
    update="REMOVE body",
    arguments={"user_id": str, "note_id": str},
)
""",
    ),
    "SK519: an entity whose key in the index names a field that is absent": (
        "SK519",
        """
class Old(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Job(Entity, table=Old):
    job_id: str
    primary = Old.primary.key("JOB#{job_id}", "JOB")
    by_state = Old.gsi1.key("STATE#{state}", "JOB#{job_id}")

class Task(Entity, table=Old):
    task_id: str
    primary = Old.primary.key("TASK#{task_id}", "TASK")
    by_id = Old.gsi1.key("TASKS", "TASK#{task_id}")

jobs = raw_pattern(
    "Jobs in a state",
    table=Old,
    operation="Query",
    index="gsi1",
    entity=Job,
    key_condition="GSI1PK = :state",
    values={":state": "STATE#{state}"},
    arguments={"state": str},
)
""",
    ),
    "SK704: an update that reads what it changes": (
        "SK704",
        RAW_NOTE
        + """
count = raw_pattern(
    "Count the readers of a note",
    table=Old,
    operation="UpdateItem",
    key={"PK": "USER#{user_id}", "SK": "NOTE#{note_id}"},
    update="SET readers = readers + :one",
    values={":one": 1},
    arguments={"user_id": str, "note_id": str},
)
""",
    ),
    "SK209: the last character as the end of a range": (
        "SK209",
        RAW_NOTE
        + """
some = raw_pattern(
    "Notes up to one",
    table=Old,
    operation="Query",
    key_condition="PK = :pk AND SK BETWEEN :first AND :last",
    values={":pk": "USER#{user_id}", ":first": "NOTE#", ":last": "NOTE#{note_id}#\uffff"},
    arguments={"user_id": str, "note_id": str},
)
""",
    ),
    "SK705: one for each member of a list": (
        "SK705",
        NOTE
        + """
@pattern("Write notes", rate="5/s")
def write(notes: list[Note]) -> Op[None]:
    return transact(*(note.create() for note in notes))
""",
    ),
    "SK705: a token keeps a count from being repeated": (
        "SK705",
        """
class Counter(Entity, table=App):
    name: str
    count: int = 0
    primary = App.primary.key("COUNTER#{name}", "COUNTER")

@pattern("Count once", rate="5/s")
def count(name: str) -> Op[None]:
    return transact(Counter.update(name=name).add(lambda c: c.count).by(1))
""",
    ),
    "SK707: two records of one kind": (
        "SK707",
        NOTE
        + """
@pattern("Write two notes", rate="5/s")
def write(one: Note, other: Note) -> Op[None]:
    return transact(one.create(), other.create())
""",
    ),
    "SK708: sortkey writes the key with the field": (
        "SK708",
        """
class Job(Entity, table=App):
    job_id: str
    status: str
    primary = App.primary.key("JOB#{job_id}", "JOB")
    by_status = App.gsi1.key("STATUS#{status}", "{job_id}")

@pattern("Finish a job", rate="5/s")
def finish(job_id: str) -> Op[Job]:
    return Job.update(job_id=job_id).set(lambda j: j.status).to("done")
""",
    ),
    "SK710: the first field of a shared partition leads there": (
        "SK710",
        """
class User(Entity, table=App):
    user_id: str
    primary = App.primary.key("USER#{user_id}", "USER")

class Team(Entity, table=App):
    team_id: str
    primary = App.primary.key("TEAM#{team_id}", "TEAM")

class Member(Entity, table=App, relations=(refers("user_id", User), refers("team_id", Team))):
    user_id: str
    team_id: str
    primary = App.primary.key("MEMBERS", "{user_id}#{team_id}")
    teams = App.gsi1.key("TEAM#{team_id}", "{user_id}")
""",
    ),
    "SK710: the records of an album, which belongs to a user": (
        "SK710",
        """
class User(Entity, table=App):
    user_id: str
    primary = App.primary.key("USER#{user_id}", "USER")

class Album(Entity, table=App):
    user_id: str
    album_id: str
    primary = App.primary.key("USER#{user_id}", "ALBUM#{album_id}")

class Photo(Entity, table=App, relations=(refers("user_id", User), refers("album_id", Album))):
    user_id: str
    album_id: str
    number: int
    primary = App.primary.key("USER#{user_id}", "IN#{album_id}#{number:06d}")
""",
    ),
    "SK710: the owner finds the links through its records": (
        "SK710",
        """
class Studio(Entity, table=App):
    studio_id: str
    primary = App.primary.key("STUDIO#{studio_id}", "STUDIO")

class Course(Entity, table=App):
    studio_id: str
    course_id: str
    primary = App.primary.key("STUDIO#{studio_id}", "COURSE#{course_id}")

class Member(Entity, table=App):
    member_id: str
    primary = App.primary.key("MEMBER#{member_id}", "MEMBER")

class Place(
    Entity,
    table=App,
    relations=(
        refers("studio_id", Studio), refers("course_id", Course), refers("member_id", Member)
    ),
):
    studio_id: str
    course_id: str
    member_id: str
    primary = App.primary.key("COURSE#{course_id}", "{studio_id}#{member_id}")
    by_member = App.gsi1.key("MEMBER#{member_id}", "{course_id}")
""",
    ),
    "SK431: a put that may replace": (
        "SK431",
        """
class Old(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Job(Entity, table=Old):
    job_id: str
    status: str
    primary = Old.primary.key("JOB#{job_id}", "JOB")
    by_status = Old.gsi1.key("STATUS#{status}", "{job_id}")

put = raw_pattern(
    "Store a job",
    table=Old,
    operation="PutItem",
    entity=Job,
    item={
        "PK": "JOB#{job_id}",
        "SK": "JOB",
        "GSI1PK": "STATUS#done",
        "GSI1SK": "{job_id}",
        "job_id": "{job_id}",
        "status": "done",
    },
    condition="attribute_exists(PK) AND attribute_not_exists(locked)",
    arguments={"job_id": str},
)
""",
    ),
    "SK708: a key that is written in capitals": (
        "SK708",
        """
class Old(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Job(Entity, table=Old):
    job_id: str
    status: str
    primary = Old.primary.key("JOB#{job_id}", "JOB")
    by_status = Old.gsi1.key("STATUS#{status}", "{job_id}")

put = raw_pattern(
    "Store a job",
    table=Old,
    operation="PutItem",
    entity=Job,
    item={
        "PK": "JOB#{job_id}",
        "SK": "JOB",
        "GSI1PK": "STATUS#DONE",
        "GSI1SK": "{job_id}",
        "job_id": "{job_id}",
        "status": "done",
    },
    condition="attribute_exists(PK)",
    arguments={"job_id": str},
)
""",
    ),
    "SK527: attributes of the table": (
        "SK527",
        """
class Old(Table, raw=True, ttl="gone_at"):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Note(Entity, table=Old):
    note_id: str
    body: str = ""
    primary = Old.primary.key("NOTE#{note_id}", "NOTE")

change = raw_pattern(
    "Change a note",
    table=Old,
    operation="UpdateItem",
    entity=Note,
    key={"PK": "NOTE#{note_id}", "SK": "NOTE"},
    update="SET GSI1PK = :value, GSI1SK = :value",
    condition="attribute_exists(PK)",
    values={":value": "{value}"},
    arguments={"note_id": str, "value": str},
)
""",
    ),
    "SK527: the time of expiry": (
        "SK527",
        """
class Old(Table, raw=True, ttl="gone_at"):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Note(Entity, table=Old):
    note_id: str
    body: str = ""
    primary = Old.primary.key("NOTE#{note_id}", "NOTE")

change = raw_pattern(
    "Change a note",
    table=Old,
    operation="UpdateItem",
    entity=Note,
    key={"PK": "NOTE#{note_id}", "SK": "NOTE"},
    update="SET gone_at = :value",
    condition="attribute_exists(PK)",
    values={":value": "{value}"},
    arguments={"note_id": str, "value": int},
)
""",
    ),
    "SK527: an attribute that a condition compares": (
        "SK527",
        """
class Old(Table, raw=True, ttl="gone_at"):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Note(Entity, table=Old):
    note_id: str
    body: str = ""
    primary = Old.primary.key("NOTE#{note_id}", "NOTE")

change = raw_pattern(
    "Change a note",
    table=Old,
    operation="UpdateItem",
    entity=Note,
    key={"PK": "NOTE#{note_id}", "SK": "NOTE"},
    update="SET revision = :value",
    condition="revision < :value",
    values={":value": "{value}"},
    arguments={"note_id": str, "value": int},
)
""",
    ),
    "SK527: an old attribute that is removed": (
        "SK527",
        """
class Old(Table, raw=True, ttl="gone_at"):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Note(Entity, table=Old):
    note_id: str
    body: str = ""
    primary = Old.primary.key("NOTE#{note_id}", "NOTE")

change = raw_pattern(
    "Change a note",
    table=Old,
    operation="UpdateItem",
    entity=Note,
    key={"PK": "NOTE#{note_id}", "SK": "NOTE"},
    update="SET body = :value REMOVE article",
    condition="attribute_exists(PK)",
    values={":value": "{value}"},
    arguments={"note_id": str, "value": str},
)
""",
    ),
    "SK527: an entity that says nothing but its key": (
        "SK527",
        """
class Old(Table, raw=True, ttl="gone_at"):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Note(Entity, table=Old):
    note_id: str
    primary = Old.primary.key("NOTE#{note_id}", "NOTE")

change = raw_pattern(
    "Change a note",
    table=Old,
    operation="UpdateItem",
    entity=Note,
    key={"PK": "NOTE#{note_id}", "SK": "NOTE"},
    update="SET article = :value",
    condition="attribute_exists(PK)",
    values={":value": "{value}"},
    arguments={"note_id": str, "value": str},
)
""",
    ),
    "SK527: an entity that takes other fields": (
        "SK527",
        """
class Old(Table, raw=True, ttl="gone_at"):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Note(Entity, table=Old, extra="allow"):
    note_id: str
    body: str = ""
    primary = Old.primary.key("NOTE#{note_id}", "NOTE")

change = raw_pattern(
    "Change a note",
    table=Old,
    operation="UpdateItem",
    entity=Note,
    key={"PK": "NOTE#{note_id}", "SK": "NOTE"},
    update="SET article = :value",
    condition="attribute_exists(PK)",
    values={":value": "{value}"},
    arguments={"note_id": str, "value": str},
)
""",
    ),
    "SK427: all of it": (
        "SK427",
        """
class Entry(Entity, table=App):
    board_id: str
    player_id: str
    score: int
    primary = App.primary.key("PLAYER#{player_id}", "BOARD#{board_id}")
    ranking = App.gsi1.key("BOARD#{board_id}", "{score:010d}")

@pattern("A board", rate="5/s")
def board(board_id: str) -> Op[list[Entry]]:
    return Entry.query(Entry.ranking, board_id=board_id)
""",
    ),
    "SK427: no ranking": (
        "SK427",
        """
class Entry(Entity, table=App):
    board_id: str
    player_id: str
    floor: int
    primary = App.primary.key("PLAYER#{player_id}", "BOARD#{board_id}")
    ranking = App.gsi1.key("BOARD#{board_id}", "{floor:010d}")

@pattern("A board", rate="5/s")
def board(board_id: str) -> Op[list[Entry]]:
    return Entry.query(Entry.ranking, board_id=board_id).limit(10)
""",
    ),
    "SK134: an update that repeats what the key says": (
        "SK134",
        """
class Old(Table, raw=True, type_attribute="type"):
    pass

class Usage(Entity, table=Old):
    user_id: str
    day: date
    calls: int
    primary = Old.primary.key("USER#{user_id}", "USAGE#{day}")

count = raw_pattern(
    "Count a call",
    table=Old,
    operation="UpdateItem",
    entity=Usage,
    key={"PK": "USER#{user_id}", "SK": "USAGE#{day}"},
    update="SET user_id = :user, #day = :day, #type = :type ADD calls :one",
    names={"#day": "day", "#type": "type"},
    values={":user": "{user_id}", ":day": "{day}", ":type": "Usage", ":one": 1},
    arguments={"user_id": str, "day": date},
)
""",
    ),
    "SK704: an update that is right for a new record": (
        "SK704",
        """
class Old(Table, raw=True, type_attribute="type"):
    pass

class Usage(Entity, table=Old):
    user_id: str
    day: date
    calls: int
    primary = Old.primary.key("USER#{user_id}", "USAGE#{day}")

count = raw_pattern(
    "Count a call",
    table=Old,
    operation="UpdateItem",
    entity=Usage,
    key={"PK": "USER#{user_id}", "SK": "USAGE#{day}"},
    update="SET user_id = :user, #day = :day, #type = :type ADD calls :one",
    names={"#day": "day", "#type": "type"},
    values={":user": "{user_id}", ":day": "{day}", ":type": "Usage", ":one": 1},
    arguments={"user_id": str, "day": date},
)
""",
    ),
    "SK803: few records": (
        "SK803",
        """
class Model(Entity, table=App, expected=Expected(count=50)):
    model_id: str
    primary = App.primary.key("MODELS", "{model_id}")
""",
    ),
    "SK803: written slowly": (
        "SK803",
        """
class Model(Entity, table=App):
    model_id: str
    primary = App.primary.key("MODELS", "{model_id}")

@pattern("Publish a model", rate="10/day")
def publish(model: Model) -> Op[Model]:
    return model.create()
""",
    ),
    "SK803: a single record": (
        "SK803",
        """
class Config(Entity, table=App):
    limit: int
    primary = App.primary.key("CONFIG", "CONFIG")
""",
    ),
    "SK817: the scores of one player": (
        "SK817",
        """
class Entry(Entity, table=App):
    player_id: str
    entry_id: str
    score: int
    primary = App.primary.key("ENTRY#{entry_id}", "ENTRY")
    ranking = App.gsi1.key("PLAYER#{player_id}", "{score:010d}#{entry_id}")

@pattern("Enter a score", rate="400/s")
def enter(entry: Entry) -> Op[Entry]:
    return entry.create()
""",
    ),
    "SK817: written slowly": (
        "SK817",
        """
class Entry(Entity, table=App):
    board_id: str
    entry_id: str
    score: int
    primary = App.primary.key("ENTRY#{entry_id}", "ENTRY")
    ranking = App.gsi1.key("BOARD#{board_id}", "{score:010d}#{entry_id}")

@pattern("Enter a score", rate="20/s")
def enter(entry: Entry) -> Op[Entry]:
    return entry.create()
""",
    ),
    "SK817: the largest board is declared": (
        "SK817",
        """
class Entry(Entity, table=App, expected=Expected(hottest_share=0.01)):
    board_id: str
    entry_id: str
    score: int
    primary = App.primary.key("ENTRY#{entry_id}", "ENTRY")
    ranking = App.gsi1.key("BOARD#{board_id}", "{score:010d}#{entry_id}")

@pattern("Enter a score", rate="400/s")
def enter(entry: Entry) -> Op[Entry]:
    return entry.create()
""",
    ),
    "SK818: only one index holds it": (
        "SK818",
        """
class Shop(Table):
    by_brand = gsi("brand", "sku", project="KEYS_ONLY")
    by_size = gsi("size", "sku")

class Product(Entity, table=Shop):
    sku: str
    brand: str
    size: str
    sold: int
    primary = Shop.primary.key("PRODUCT#{sku}", "PRODUCT")
    of_brand = Shop.by_brand.key()
    of_size = Shop.by_size.key()

@pattern("Sell a product")
def sell(sku: str) -> Op[Product]:
    return Product.update(sku=sku).add(lambda p: p.sold).by(1)
""",
    ),
    "SK818: counted rarely": (
        "SK818",
        """
class Shop(Table):
    by_brand = gsi("brand", "sku")
    by_size = gsi("size", "sku")

class Product(Entity, table=Shop):
    sku: str
    brand: str
    size: str
    sold: int
    primary = Shop.primary.key("PRODUCT#{sku}", "PRODUCT")
    of_brand = Shop.by_brand.key()
    of_size = Shop.by_size.key()

@pattern("Sell a product", rate="20/s")
def sell(sku: str) -> Op[Product]:
    return Product.update(sku=sku).add(lambda p: p.sold).by(1)
""",
    ),
    "SK818: the version of a record": (
        "SK818",
        """
class Shop(Table):
    by_brand = gsi("brand", "sku")
    by_size = gsi("size", "sku")

class Product(Entity, table=Shop):
    sku: str
    brand: str
    size: str
    revision: int
    primary = Shop.primary.key("PRODUCT#{sku}", "PRODUCT")
    of_brand = Shop.by_brand.key()
    of_size = Shop.by_size.key()

@pattern("Sell a product")
def sell(sku: str) -> Op[Product]:
    return Product.update(sku=sku).add(lambda p: p.revision).by(1)
""",
    ),
    "SK806: a list with an end": (
        "SK806",
        """
class Chat(Entity, table=App):
    chat_id: str
    last: list[str]
    primary = App.primary.key("CHAT#{chat_id}", "CHAT")

@pattern("Say something", rate="50/s")
def say(chat_id: str, text: str) -> Op[Chat]:
    said = Chat.update(chat_id=chat_id).append(lambda c: c.last).items(text)
    return said.where(lambda c: size(c.last) < 20)
""",
    ),
    "SK810: an index that other entities are in": (
        "SK810",
        """
class Sales(Table):
    by_shop = gsi("shop")
    by_shop_and_day = gsi("shop", "day")

class Sale(Entity, table=Sales):
    id: str
    shop: str
    day: date
    primary = Sales.primary.key("SALE#{id}", "SALE")
    of_shop = Sales.by_shop.key()
    of_day = Sales.by_shop_and_day.key()

class Clerk(Entity, table=Sales):
    name: str
    shop: str
    primary = Sales.primary.key("CLERK#{name}", "CLERK")
    of_shop = Sales.by_shop.key()
""",
    ),
    "SK906: another field beside the key": (
        "SK906",
        """
class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

# Now:
class Note(Entity, table=App):
    note_id: str
    author: str | None = None
    primary = App.primary.key("NOTE#{note_id}", "NOTE")
    by_author = App.gsi1.key("AUTHOR#{author}", "{note_id}")
""",
    ),
    "SK906: an index over a field that is stored": (
        "SK906",
        """
class Sales(Table, partition="id"):
    pass

class Sale(Entity, table=Sales):
    id: str
    shop: str
    primary = Sales.primary.key()

# Now:
class Sales(Table, partition="id"):
    by_shop = gsi("shop")

class Sale(Entity, table=Sales):
    id: str
    shop: str
    primary = Sales.primary.key()
    of_shop = Sales.by_shop.key()
""",
    ),
    "SK906: a new entity in an index that others have": (
        "SK906",
        """
class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")
    by_id = App.gsi1.key("NOTES", "{note_id}")

# Now:
class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")
    by_id = App.gsi1.key("NOTES", "{note_id}")

class Memo(Entity, table=App):
    memo_id: str
    primary = App.primary.key("MEMO#{memo_id}", "MEMO")
    by_id = App.gsi1.key("MEMOS", "{memo_id}")
""",
    ),
    "SK906: a field that is called otherwise": (
        "SK906",
        """
class Note(Entity, table=App):
    note: str
    primary = App.primary.key("NOTE#{note}", "NOTE")

# Now:
class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")
""",
    ),
    "SK906: an earlier template that is still read": (
        "SK906",
        """
class Visit(Entity, table=App):
    user_id: str
    day: date
    primary = App.primary.key("USER#{user_id}", "VISIT#{day}")

# Now:
class Visit(Entity, table=App):
    user_id: str
    day: date
    number: int = 0
    primary = App.primary.key(
        "USER#{user_id}", "VISIT#{day}#{number:04d}", earlier="VISIT#{day}"
    )
""",
    ),
    "SK910: a field that is read from the key": (
        "SK910",
        """
class Note(Entity, table=App):
    note: str
    primary = App.primary.key("NOTE#{note}", "NOTE")

# Now:
class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")
""",
    ),
    "SK908: more shards": (
        "SK908",
        """
class Scan(Entity, table=App):
    number: int
    primary = App.primary.key("SCANS#{number:012d}", "SCAN")
    listed = App.gsi1.key("SCANS", "{number:012d}", shards=2)

# Now:
class Scan(Entity, table=App):
    number: int
    primary = App.primary.key("SCANS#{number:012d}", "SCAN")
    listed = App.gsi1.key("SCANS", "{number:012d}", shards=4)
""",
    ),
    **{
        f"SK910: {what}": (
            "SK910",
            f"""
{NOTE.replace("    primary", "    rank: int = 1" + chr(10) + "    primary")}
# Now:
def with_title(item: dict) -> dict:
    return item | {{"title": ""}}

class Note(Entity, table=App{said}):
    note_id: str
    {field}
    primary = App.primary.key("NOTE#{{note_id}}", "NOTE")
""",
        )
        for what, said, field in [
            ("an upcast sets it", ", upcasts=(with_title,)", "title: str"),
            ("it has a default", "", 'title: str = ""'),
            ("it may be None", "", "title: str | None"),
            ("an empty set is not stored", "", "tags: set[str]"),
            ("it keeps the name that it is stored under", "", 'n: Annotated[int, Stored("rank")]'),
            # A default was stored with each record.
            ("it loses its default", "", "rank: int"),
            ("it becomes a wider type", "", "rank: int | str"),
            ("it is stored alike", "", "rank: Decimal"),
        ]
    },
    "SK140: the owner and the time of a record with an id of its own": (
        "SK140",
        """
class Message(Entity, table=App, identity=("msg_id",)):
    chat: str
    msg_id: str
    sent_at: datetime
    primary = App.primary.key("CHAT#{chat}", "{sent_at}#{msg_id}")
""",
    ),
    "SK140: a planned time that is put once, or moved with a delete": (
        "SK140",
        """
class Old(Table, raw=True):
    pass

class Call(Entity, table=Old, identity=("call_id",)):
    user_id: str
    call_id: str
    scheduled_for: int
    primary = Old.primary.key("USER#{user_id}", "CALL#{scheduled_for:013d}#{call_id}")

ITEM = {
    "PK": "USER#{user_id}", "SK": "CALL#{scheduled_for:013d}#{call_id}",
    "user_id": "{user_id}", "call_id": "{call_id}", "scheduled_for": "{scheduled_for}",
}
GIVEN = {"user_id": str, "call_id": str, "scheduled_for": int}
plan = raw_pattern(
    "Schedule a call",
    table=Old,
    operation="PutItem",
    entity=Call,
    item=ITEM,
    condition="attribute_not_exists(PK)",
    arguments=GIVEN,
)
move = raw_pattern(
    "Move a call",
    operation="TransactWriteItems",
    actions=[
        RawRequest(table=Old, operation="PutItem", entity=Call, item=ITEM),
        RawRequest(
            table=Old,
            operation="DeleteItem",
            entity=Call,
            key={"PK": "USER#{user_id}", "SK": "CALL#{before:013d}#{call_id}"},
        ),
    ],
    arguments={**GIVEN, "before": int},
)
""",
    ),
    "SK140: a field that a lock keeps unique": (
        "SK140",
        """
class Post(Entity, table=App, identity=("slug",)):
    blog: str
    slug: Annotated[str, unique]
    posted_at: datetime
    primary = App.primary.key("BLOG#{blog}", "{posted_at}#{slug}")
""",
    ),
    "SK140: a date is part of what a book is": (
        "SK140",
        """
class Book(Entity, table=App, identity=("isbn",)):
    isbn: str
    published: date
    primary = App.primary.key("BOOK#{isbn}", "{published}")
""",
    ),
    "SK208: a time that is cut, beside the record's own id": (
        "SK208",
        """
class Loan(Entity, table=App):
    user_id: str
    loan_id: str
    lent_at: datetime
    primary = App.primary.key("USER#{user_id}", "LOAN#{lent_at:%Y-%m-%d}#{loan_id}")
""",
    ),
    "SK208: a time that is cut in the partition and whole in the sort key": (
        "SK208",
        """
class Reading(Entity, table=App):
    device: str
    sensor: str
    at: datetime
    primary = App.primary.key("DEVICE#{device}#{at:%Y-%m}", "{sensor}#{at:%Y-%m-%d}#{at}")
""",
    ),
    "SK208: a time that is named after the span that it stands for": (
        "SK208",
        """
class Rollup(Entity, table=App):
    device: str
    sensor: str
    hour: datetime
    primary = App.primary.key("DEVICE#{device}", "{sensor}#{hour:%Y-%m-%dT%H}")
""",
    ),
    "SK208: a count of a day, which is only updated": (
        "SK208",
        """
class Tally(Entity, table=App):
    device: str
    sensor: str
    at: datetime
    seen: int = 0
    primary = App.primary.key("DEVICE#{device}", "{sensor}#{at:%Y-%m-%d}")

@pattern("Count", rate="5/s")
def count(device: str, sensor: str, at: datetime) -> Op[Tally]:
    return Tally.update(device=device, sensor=sensor, at=at).add(lambda t: t.seen).by(1)
""",
    ),
    "SK720: an average beside its count has a rule of its own": (
        "SK720",
        BOATS
        + """
rate = raw_pattern(
    "Rate a boat: the average of what was read",
    table=Old,
    operation="UpdateItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    update="SET average_rating = :average ADD trip_count :one",
    condition="attribute_exists(PK)",
    values={":average": "{average}", ":one": 1},
    arguments={"boat_id": str, "average": int},
)
""",
    ),
    "SK720: a put that creates": (
        "SK720",
        BOATS
        + """
save = raw_pattern(
    "Register a boat",
    table=Old,
    operation="PutItem",
    entity=Boat,
    item={
        "PK": "BOAT#{boat_id}",
        "SK": "BOAT",
        "boat_id": "{boat_id}",
        "name": "{name}",
        "trip_count": "{trips}",
        "created_at": "{created_at}",
        "updated_at": "{now()}",
    },
    arguments={"boat_id": str, "name": str, "trips": int, "created_at": str},
)
""",
    ),
    "SK720: a put that rejects a record that exists": (
        "SK720",
        BOATS
        + """
change = raw_pattern(
    "Change a boat into a new one",
    table=Old,
    operation="PutItem",
    entity=Boat,
    item={
        "PK": "BOAT#{boat_id}",
        "SK": "BOAT",
        "boat_id": "{boat_id}",
        "name": "{name}",
        "trip_count": "{trips}",
        "created_at": "{created_at}",
        "updated_at": "{now()}",
    },
    condition="attribute_not_exists(PK)",
    arguments={"boat_id": str, "name": str, "trips": int, "created_at": str},
)
""",
    ),
    "SK720: a put with a condition on what was read": (
        "SK720",
        BOATS
        + """
save = raw_pattern(
    "Update a boat",
    table=Old,
    operation="PutItem",
    entity=Boat,
    item={
        "PK": "BOAT#{boat_id}",
        "SK": "BOAT",
        "boat_id": "{boat_id}",
        "name": "{name}",
        "trip_count": "{trips}",
        "created_at": "{created_at}",
        "updated_at": "{now()}",
    },
    condition="updated_at = :loaded",
    values={":loaded": "{loaded}"},
    arguments={"boat_id": str, "name": str, "trips": int, "created_at": str, "loaded": str},
)
""",
    ),
    "SK720: a put of settings, of which the last one counts": (
        "SK720",
        BOATS
        + """
save = raw_pattern(
    "Update the settings of a boat",
    table=Old,
    operation="PutItem",
    entity=Boat,
    item={
        "PK": "BOAT#{boat_id}",
        "SK": "BOAT",
        "boat_id": "{boat_id}",
        "name": "{name}",
        "trip_count": "{trips}",
        "created_at": "{created_at}",
        "updated_at": "{now()}",
    },
    arguments={"boat_id": str, "name": str, "trips": int, "created_at": str},
)
""",
    ),
    "SK703: a put that is written back has a rule of its own": (
        "SK703",
        BOATS
        + """
save = raw_pattern(
    "Update a boat",
    table=Old,
    operation="PutItem",
    entity=Boat,
    item={
        "PK": "BOAT#{boat_id}",
        "SK": "BOAT",
        "boat_id": "{boat_id}",
        "name": "{name}",
        "trip_count": "{trips}",
        "created_at": "{created_at}",
        "updated_at": "{now()}",
    },
    arguments={"boat_id": str, "name": str, "trips": int, "created_at": str},
)
""",
    ),
    "SK720: a count that is added to": (
        "SK720",
        BOATS
        + """
change = raw_pattern(
    "Count a trip",
    table=Old,
    operation="UpdateItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    update="SET trip_count = trip_count + :one",
    condition="attribute_exists(PK)",
    values={":one": 1},
    arguments={"boat_id": str},
)
""",
    ),
    "SK720: a count that is compared with what was read": (
        "SK720",
        BOATS
        + """
change = raw_pattern(
    "Count a trip",
    table=Old,
    operation="UpdateItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    update="SET trip_count = :trips",
    condition="trip_count = :loaded",
    values={":trips": "{trips}", ":loaded": "{loaded}"},
    arguments={"boat_id": str, "trips": int, "loaded": int},
)
""",
    ),
    "SK720: a map that is one thing": (
        "SK720",
        BOATS
        + """
add = raw_pattern(
    "Add an address to a boat",
    table=Old,
    operation="UpdateItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    update="SET home_address = :given",
    condition="attribute_exists(PK)",
    values={":given": "{given}"},
    arguments={"boat_id": str, "given": dict[str, str]},
)
""",
    ),
    "SK720: a text that its caller chooses": (
        "SK720",
        BOATS
        + """
change = raw_pattern(
    "Update the name of a boat",
    table=Old,
    operation="UpdateItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    update="SET #name = :name",
    condition="attribute_exists(PK)",
    names={"#name": "name"},
    values={":name": "{name}"},
    arguments={"boat_id": str, "name": str},
)
""",
    ),
    "SK720: a put whose title speaks of another write of its transaction": (
        "SK720",
        BOATS
        + """
class Trip(Entity, table=Old):
    boat_id: str
    trip_id: str
    days: int
    primary = Old.primary.key("BOAT#{boat_id}", "TRIP#{trip_id}")

trips = raw_pattern(
    "Trips of a boat",
    table=Old,
    operation="Query",
    entity=Trip,
    key_condition="PK = :pk AND begins_with(SK, :sk)",
    values={":pk": "BOAT#{boat_id}", ":sk": "TRIP#"},
    arguments={"boat_id": str},
)
sail = raw_pattern(
    "Sail: the trip, and the name of the boat that was read",
    operation="TransactWriteItems",
    actions=[
        RawRequest(
            "Put",
            Old,
            entity=Trip,
            item={
                "PK": "BOAT#{boat_id}",
                "SK": "TRIP#{trip_id}",
                "boat_id": "{boat_id}",
                "trip_id": "{trip_id}",
                "days": "{days}",
            },
        ),
        RawRequest(
            "Update",
            Old,
            entity=Boat,
            key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
            update="SET #name = :name",
            names={"#name": "name"},
            values={":name": "{name}"},
        ),
    ],
    arguments={"boat_id": str, "trip_id": str, "days": int, "name": str},
)
""",
    ),
    "SK132: a field that every raw put leaves to the key": (
        "SK132",
        """
class Old(Table, raw=True):
    by_email = gsi("email")

class User(Entity, table=Old):
    user_id: str
    email: str
    primary = Old.primary.key("USER#{user_id}", "USER")
    found = Old.by_email.key()

class Taken(Entity, table=Old):
    email: str
    user_id: str
    primary = Old.primary.key("EMAIL#{email}", "EMAIL")

take = raw_pattern(
    "Take an address",
    table=Old,
    operation="PutItem",
    entity=Taken,
    item={"PK": "EMAIL#{email}", "SK": "EMAIL", "user_id": "{user_id}"},
    condition="attribute_not_exists(PK)",
    arguments={"email": str, "user_id": str},
)
""",
    ),
    "SK615: a type that is the key of an index": (
        "SK615",
        """
class Old(Table, raw=True, type_attribute=None):
    by_type = gsi("EntityType", "at")

class Cup(Entity, table=Old):
    cup_id: str
    at: str
    primary = Old.primary.key("CUP#{cup_id}", "CUP")
    listed = Old.by_type.key("CUP", "{at}")

class Pot(Entity, table=Old):
    pot_id: str
    at: str
    primary = Old.primary.key("POT#{pot_id}", "POT")
    listed = Old.by_type.key("POT", "{at}")
""",
    ),
    "SK614: a put of both, one of them as the key of an index": (
        "SK614",
        """
class Old(Table, raw=True):
    by_status = gsi("Status", "job_id")

class Job(Entity, table=Old):
    job_id: str
    status: str
    primary = Old.primary.key("JOB#{job_id}", "JOB")
    listed = Old.by_status.key("{status}", "{job_id}")

add = raw_pattern(
    "Add a job",
    table=Old,
    operation="PutItem",
    entity=Job,
    item={
        "PK": "JOB#{job_id}",
        "SK": "JOB",
        "job_id": "{job_id}",
        "status": "{status}",
        "Status": "{status}",
    },
    condition="attribute_not_exists(PK)",
    arguments={"job_id": str, "status": str},
)
""",
    ),
    "SK407: a range of dates before a letter": (
        "SK407",
        """
class Old(Table, raw=True):
    pass

class Now(Entity, table=Old):
    lot_id: str
    stay_id: str
    primary = Old.primary.key("LOT#{lot_id}", "STAY#ACTIVE#{stay_id}")

class Past(Entity, table=Old):
    lot_id: str
    day: date
    stay_id: str
    primary = Old.primary.key("LOT#{lot_id}", "STAY#{day}#{stay_id}")

past = raw_pattern(
    "Stays between two days",
    table=Old,
    operation="Query",
    entity=Past,
    key_condition="PK = :pk AND SK BETWEEN :first AND :last",
    values={":pk": "LOT#{lot_id}", ":first": "STAY#{first}", ":last": "STAY#{last}#~"},
    arguments={"lot_id": str, "first": date, "last": date},
)
""",
    ),
    "SK133: the one record that is active": (
        "SK133",
        """
class Shift(Entity, table=App):
    worker_id: str
    shift_id: str
    primary = App.primary.key("WORKER#{worker_id}", "SHIFT#ACTIVE")
""",
    ),
    "SK703: a put beside the marker of the same batch": (
        "SK703",
        RAW_NOTE
        + """
add = raw_pattern(
    "Add a note once",
    operation="TransactWriteItems",
    actions=[
        RawRequest(
            "Put",
            Old,
            item={"PK": "BATCH#{batch}", "SK": "BATCH"},
            condition="attribute_not_exists(PK)",
        ),
        RawRequest("Put", Old, item={"PK": "USER#{user_id}", "SK": "NOTE#{batch}"}),
    ],
    arguments={"batch": str, "user_id": str},
)
""",
    ),
    "SK140: a key with an id, a time and what never changes beside the identity": (
        "SK140",
        """
class App(Table):
    pass

class Answer(Entity, table=App, identity=("answer_id",)):
    user_id: str
    answer_id: str
    at: datetime
    topic: Annotated[str, immutable]
    primary = App.primary.key("USER#{user_id}", "ANSWER#{topic}#{at}#{answer_id}")
""",
    ),
    "SK414: an index whose partition names one record": (
        "SK414",
        """
class App(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class User(Entity, table=App):
    user_id: str
    email: str
    primary = App.primary.key("USER#{user_id}", "USER")
    by_email = App.gsi1.key("EMAIL#{email}", "USER")

@pattern("A user by e-mail", rate="1/s")
def by_email(email: str) -> Op[list[User]]:
    return User.query(User.by_email, email=email)
""",
    ),
    "SK135: an empty default that a validator of the record replaces": (
        "SK135",
        """
from pydantic import model_validator

class App(Table):
    by_end = gsi("team", "end")

class Course(Entity, table=App):
    course_id: str
    team: str
    end: str = ""
    primary = App.primary.key("COURSE#{course_id}", "COURSE")
    of_team = App.by_end.key()

    @model_validator(mode="after")
    def ends(self):
        self.__dict__["end"] = self.end or "open"
        return self
""",
    ),
    "SK719: records that expire, that are moved, or that contain the id beside another": (
        "SK719",
        """
class App(Table, ttl="gone"):
    pass

class Album(Entity, table=App):
    user_id: str
    album_id: str
    primary = App.primary.key("USER#{user_id}", "ALBUM#{album_id}")

class View(Entity, table=App):
    album_id: str
    view_id: str
    gone: TTL
    primary = App.primary.key("ALBUM#{album_id}", "VIEW#{view_id}")

class DeletedAlbum(Entity, table=App):
    album_id: str
    primary = App.primary.key("DELETED#{album_id}", "ALBUM")

class Favourite(Entity, table=App):
    user_id: str
    album_id: str
    primary = App.primary.key("USER#{user_id}", "FAVOURITE#{album_id}")

@pattern("See an album", rate="5/s")
def see(view: View) -> Op[View]:
    return view.create()

@pattern("Like an album", rate="5/s")
def like(favourite: Favourite) -> Op[Favourite]:
    return favourite.create()

@pattern("Delete an album", rate="1/s")
def delete(album: Album) -> Op[None]:
    return transact(
        Album.delete(user_id=album.user_id, album_id=album.album_id),
        DeletedAlbum(album_id=album.album_id).put(),
    )
""",
    ),
    "SK519: a key without the odd characters of its template": (
        "SK519",
        """
class Old(Table, raw=True):
    pass

class Count(Entity, table=Old):
    user_id: str
    followers: int
    primary = Old.primary.key("USER#{user_id}", '"count"\\t')

bump = raw_pattern("Count a follower", table=Old, operation="UpdateItem", entity=Count,
    key={"PK": "USER#{id}", "SK": "count"}, update="ADD followers :one", values={":one": 1},
    condition="attribute_exists(PK)", arguments={"id": str})
""",
    ),
    "SK703: a put beside an update that raises the version which it compares": (
        "SK703",
        """
class Old(Table, raw=True):
    pass

class Item(Entity, table=Old):
    item_id: str
    left: int
    version: int
    primary = Old.primary.key("ITEM#{item_id}", "ITEM")

class Booking(Entity, table=Old):
    item_id: str
    booking_id: str
    note: str
    primary = Old.primary.key("ITEM#{item_id}", "BOOKING#{booking_id}")

book = raw_pattern("Book an item", operation="TransactWriteItems", rate="1/s", actions=[
    RawRequest("PutItem", table=Old, entity=Booking, item={"PK": "ITEM#{item_id}",
        "SK": "BOOKING#{booking_id}", "item_id": "{item_id}", "booking_id": "{booking_id}",
        "note": "{note}"}),
    RawRequest("UpdateItem", table=Old, entity=Item,
        key={"PK": "ITEM#{item_id}", "SK": "ITEM"},
        update="ADD left :less, version :one", condition="version = :loaded",
        values={":less": -1, ":one": 1, ":loaded": "{loaded}"}),
    ], arguments={"item_id": str, "booking_id": str, "note": str, "loaded": int})
""",
    ),
    "SK706: a list that leaves room for the other actions": (
        "SK706",
        NOTE
        + """
@pattern("Write notes", rate="1/s")
def write(first: Note, more: Annotated[list[Note], Field(max_length=99)]) -> Op[None]:
    return transact(first.create(), *(note.create() for note in more))
""",
    ),
    "SK706: a list of which only a part is used": (
        "SK706",
        NOTE
        + """
@pattern("Write notes", rate="1/s")
def write(first: Note, more: list[Note]) -> Op[None]:
    return transact(first.create(), *(note.create() for note in more[:20]))
""",
    ),
    "SK706: a list of few values": (
        "SK706",
        NOTE
        + """
@pattern("Write notes", rate="1/s")
def write(first: Note, more: list[Literal["a", "b"]]) -> Op[None]:
    return transact(first.create(), *(Note(note_id=one).create() for one in more))
""",
    ),
    "SK716: a hold with an id of its own": (
        "SK716",
        """
class Old(Table, raw=True, ttl="ttl"):
    pass

class Hold(Entity, table=Old):
    seat: str
    hold_id: str
    ttl: int
    primary = Old.primary.key("SEAT#{seat}", "HOLD#{hold_id}")

place = raw_pattern(
    "Place a hold",
    table=Old,
    operation="PutItem",
    entity=Hold,
    item={
        "PK": "SEAT#{seat}", "SK": "HOLD#{hold_id}", "seat": "{seat}", "hold_id": "{hold_id}",
        "ttl": "{until}",
    },
    condition="attribute_not_exists(PK)",
    arguments={"seat": str, "hold_id": str, "until": int},
)
""",
    ),
    "SK716: a session with an id of its own": (
        "SK716",
        """
class Old(Table, raw=True, ttl="ttl"):
    pass

class Session(Entity, table=Old):
    session_id: str
    ttl: int
    primary = Old.primary.key("SESSION#{session_id}", "SESSION")

begin = raw_pattern(
    "Begin",
    table=Old,
    operation="PutItem",
    entity=Session,
    item={"PK": "SESSION#{session_id}", "SK": "SESSION", "ttl": "{until}"},
    condition="attribute_not_exists(PK)",
    arguments={"session_id": str, "until": int},
)
""",
    ),
    "SK420: an update that makes a whole record": (
        "SK420",
        """
class Old(Table, raw=True):
    pass

class Tally(Entity, table=Old):
    tally_id: str
    seen: int
    primary = Old.primary.key("TALLY#{tally_id}", "TALLY")

count = raw_pattern(
    "Count",
    table=Old,
    operation="UpdateItem",
    entity=Tally,
    key={"PK": "TALLY#{tally_id}", "SK": "TALLY"},
    update="ADD seen :one",
    values={":one": 1},
    arguments={"tally_id": str},
)
""",
    ),
    "SK431: a put that may change a record": (
        "SK431",
        """
class Job(Entity, table=App):
    job_id: str
    status: str
    primary = App.primary.key("JOB#{job_id}", "JOB")
    in_status = App.gsi1.key("STATUS#{status}", "{job_id}")

@pattern("Save a job", rate="5/s")
def save(job: Job) -> Op[Job]:
    return job.put()
""",
    ),
    "SK431: a priority that never changes": (
        "SK431",
        """
class Job(Entity, table=App):
    job_id: str
    priority: Annotated[str, immutable]
    primary = App.primary.key("JOB#{job_id}", "JOB")
    by_priority = App.gsi1.key("PRIORITY#{priority}", "{job_id}")

@pattern("Add a job", rate="5/s")
def add(job: Job) -> Op[Job]:
    return job.create()
""",
    ),
    "SK431: the state of a country": (
        "SK431",
        """
class Shop(Entity, table=App):
    shop_id: str
    state: str
    primary = App.primary.key("SHOP#{shop_id}", "SHOP")
    in_state = App.gsi1.key("STATE#{state}", "{shop_id}")

@pattern("Add a shop", rate="5/s")
def add(shop: Shop) -> Op[Shop]:
    return shop.create()
""",
    ),
    "SK432: the sessions of a user": (
        "SK432",
        """
class UserSession(Entity, table=App):
    user_id: str
    session_id: str
    primary = App.primary.key("SESSION#{session_id}", "SESSION")
    of_user = App.gsi1.key("USER#{user_id}", "SESSION#{session_id}")

@pattern("Sessions of a user", rate="50/s", page=20)
def sessions(user_id: str, after: str | None = None) -> Op[Page[UserSession]]:
    return UserSession.query(UserSession.of_user, user_id=user_id).page(20, after)
""",
    ),
    "SK432: the device of a push token": (
        "SK432",
        """
class Device(Entity, table=App):
    device_id: str
    push_token: str
    primary = App.primary.key("DEVICE#{device_id}", "DEVICE")
    by_token = App.gsi1.key("PUSH#{push_token}", "DEVICE")

@pattern("The device of a token", rate="50/s")
def device(push_token: str) -> Op[Device | None]:
    return Device.query(Device.by_token, push_token=push_token).one()
""",
    ),
    "SK433: a prefix of the sort key": (
        "SK433",
        RAW_NOTE
        + """
notes = raw_pattern(
    "Notes",
    table=Old,
    operation="Query",
    entity=Note,
    key_condition="PK = :pk AND begins_with(SK, :note)",
    values={":pk": "USER#{user_id}", ":note": "NOTE#"},
    arguments={"user_id": str},
)
""",
    ),
    "SK812: a status, and a time that is set once": (
        "SK812",
        """
class Jobs(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    gsi2 = gsi("GSI2PK", "GSI2SK")

class Job(Entity, table=Jobs):
    job_id: str
    status: str
    done_at: datetime | None = None
    primary = Jobs.primary.key("JOB#{job_id}", "JOB")
    in_status = Jobs.gsi1.key("STATUS#{status}", "{job_id}")
    done = Jobs.gsi2.key("DONE", "{done_at}#{job_id}")

@pattern("Finish a job", rate="50/s")
def finish(job_id: str, status: str) -> Op[Job]:
    change = Job.update(job_id=job_id).set(lambda j: j.status).to(status)
    return change.set(lambda j: j.done_at).to(utc_now())
""",
    ),
}


@pytest.mark.parametrize("case", SILENT)
def test_a_rule_is_silent(case: str) -> None:
    code, design = SILENT[case]

    assert code not in {found.code for found in report_of(design).open}
