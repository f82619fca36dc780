"""What rules find beside the examples of their pages: their other cases, and their weights."""

import pytest

from sortkey.check.examples import report_of
from sortkey.check.rule import ERROR, INFORMATION, WARNING, Severity

RAW = """
class Old(Table, raw=True, ttl="ttl"):
    gsi1 = gsi("GSI1PK", "GSI1SK")
"""
NOTE = """
class Note(Entity, table=App{said}):
    user_id: str
    note_id: str
    primary = App.primary.key("USER#{{user_id}}", "NOTE#{{note_id}}")
"""

FOUND: dict[str, tuple[str, Severity, str]] = {
    "SK132: records that show up in somebody else's index": (
        "SK132",
        WARNING,
        """
class Jobs(Table):
    by_status = gsi("status")

class Job(Entity, table=Jobs):
    job_id: str
    status: str
    primary = Jobs.primary.key("JOB#{job_id}", "JOB")
    open = Jobs.by_status.key()

class Worker(Entity, table=Jobs):
    worker_id: str
    status: str
    primary = Jobs.primary.key("WORKER#{worker_id}", "WORKER")
""",
    ),
    "SK134: the time of the last write": (
        "SK134",
        WARNING,
        """
class Note(Entity, table=App):
    user_id: str
    note_id: str
    updated: UpdatedAt = auto()
    primary = App.primary.key("USER#{user_id}", "NOTE#{updated}#{note_id}")
""",
    ),
    "SK134: a raw update of a field that is in the key": (
        "SK134",
        WARNING,
        RAW
        + """
class Job(Entity, table=Old):
    job_id: str
    shelf: str
    primary = Old.primary.key("JOB#{job_id}", "SHELF#{shelf}")

move = raw_pattern(
    "Move a job",
    table=Old,
    operation="UpdateItem",
    entity=Job,
    key={"PK": "JOB#{job_id}", "SK": "SHELF#{shelf}"},
    update="SET shelf = :other",
    condition="attribute_exists(PK)",
    values={":other": "{other}"},
    arguments={"job_id": str, "shelf": str, "other": str},
)
""",
    ),
    "SK201: a number in a raw key": (
        "SK201",
        ERROR,
        RAW
        + """
part = raw_pattern(
    "A part",
    table=Old,
    operation="GetItem",
    key={"PK": "MODEL#{model_id}", "SK": "PART#{number}"},
    arguments={"model_id": str, "number": int},
)
parts = raw_pattern(
    "The parts of a model",
    table=Old,
    operation="Query",
    key_condition="PK = :pk AND begins_with(SK, :part)",
    values={":pk": "MODEL#{model_id}", ":part": "PART#"},
    arguments={"model_id": str},
)
""",
    ),
    "SK207: too long only in scripts of several bytes": (
        "SK207",
        WARNING,
        """
class File(Entity, table=App):
    owner_id: str
    path: Annotated[str, Field(max_length=300)]
    primary = App.primary.key("OWNER#{owner_id}", "FILE#{path}")
""",
    ),
    "SK208: a day that another program writes as text": (
        "SK208",
        INFORMATION,
        RAW
        + """
class Progress(Entity, table=Old):
    user_id: str
    exercise_id: str
    date: str
    primary = Old.primary.key("PROGRESS", "USER#{user_id}#{date}")
""",
    ),
    "SK301: a TTL that is only called so": (
        "SK301",
        INFORMATION,
        """
class Session(Entity, table=App):
    session_id: str
    ttl: int
    primary = App.primary.key("SESSION#{session_id}", "SESSION")
""",
    ),
    "SK302: milliseconds, by name": (
        "SK302",
        INFORMATION,
        """
class Sessions(Table, ttl="expiresMs"):
    pass

class Session(Entity, table=Sessions):
    session_id: str
    expires_ms: Annotated[int, Stored("expiresMs")]
    primary = Sessions.primary.key("SESSION#{session_id}", "SESSION")
""",
    ),
    **{
        f"SK302: {what} in a raw item": (
            "SK302",
            ERROR,
            RAW
            + f"""
write = raw_pattern(
    "Write a session",
    table=Old,
    operation="PutItem",
    item={{"PK": "SESSION#{{session_id}}", "SK": "META", "ttl": {value}}},
    condition="attribute_not_exists(PK)",
    arguments={{"session_id": str}},
)
""",
        )
        for what, value in {
            "a text": '"2031-01-01"',
            "milliseconds": "1_900_000_000_000",
            "a time long past": "1_000_000_001",
        }.items()
    },
    "SK407: a raw range that returns another entity's records": (
        "SK407",
        ERROR,
        RAW
        + """
class Order(Entity, table=Old):
    shop_id: str
    number: int
    primary = Old.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")

class Clerk(Entity, table=Old):
    shop_id: str
    name: str
    primary = Old.primary.key("SHOP#{shop_id}", "CLERK#{name}")

orders = raw_pattern(
    "A shop's orders",
    table=Old,
    operation="Query",
    entity=Order,
    key_condition="PK = :pk",
    values={":pk": "SHOP#{shop_id}"},
    arguments={"shop_id": str},
)
""",
    ),
    "SK413: a scan without a rate": (
        "SK413",
        WARNING,
        NOTE.format(said="")
        + """
@pattern("All notes")
def notes() -> Op[list[Note]]:
    return Note.scan()
""",
    ),
    "SK414: all of a list that nothing chooses": (
        "SK414",
        WARNING,
        """
class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTES", "NOTE#{note_id}")

@pattern("All notes", rate="5/s")
def notes() -> Op[list[Note]]:
    return Note.query()
""",
    ),
    "SK415: a global index": (
        "SK415",
        WARNING,
        """
class User(Entity, table=App):
    user_id: str
    email: str
    primary = App.primary.key("USER#{user_id}", "USER")
    by_email = App.gsi1.key("EMAIL#{email}", "USER")

@pattern("A user by e-mail", rate="5/s", fresh=True)
def user(email: str) -> Op[User | None]:
    return User.query(User.by_email, email=email).one()
""",
    ),
    "SK613: a role that may do nothing": ("SK613", WARNING, 'nobody = Role("nobody", [])'),
    "SK614: a raw request and an entity": (
        "SK614",
        WARNING,
        RAW
        + """
class User(Entity, table=Old):
    user_id: str
    primary = Old.primary.key("USER#{user_id}", "USER")

write = raw_pattern(
    "Write an order",
    table=Old,
    operation="PutItem",
    item={"PK": "ORDER#{order_id}", "SK": "ORDER", "userId": "{user_id}"},
    condition="attribute_not_exists(PK)",
    arguments={"order_id": str, "user_id": str},
)
""",
    ),
    "SK701: a lock that outlives its record": (
        "SK701",
        ERROR,
        RAW
        + """
class User(Entity, table=Old):
    user_id: str
    email: Annotated[str, unique]
    ttl: TTL
    primary = Old.primary.key("USER#{user_id}", "PROFILE")

absent = "attribute_not_exists(PK)"
user = {"PK": "USER#{user_id}", "SK": "PROFILE", "email": "{email}", "ttl": "{ttl}"}
lock = {"PK": "EMAIL#{email}", "SK": "LOCK"}
add = raw_pattern(
    "Add a user",
    operation="TransactWriteItems",
    actions=[
        RawRequest("Put", Old, item=user, condition=absent, entity=User),
        RawRequest("Put", Old, item=lock, condition=absent),
    ],
    arguments={"user_id": str, "email": str, "ttl": int},
)
""",
    ),
    "SK702: a version that nobody looks at": (
        "SK702",
        ERROR,
        RAW
        + """
class Note(Entity, table=Old):
    note_id: str
    title: str
    rev: Version = 0
    primary = Old.primary.key("NOTE#{note_id}", "NOTE")

rename = raw_pattern(
    "Rename a note",
    table=Old,
    operation="UpdateItem",
    entity=Note,
    key={"PK": "NOTE#{note_id}", "SK": "NOTE"},
    update="SET title = :title",
    condition="attribute_exists(PK)",
    values={":title": "{title}"},
    arguments={"note_id": str, "title": str},
)
""",
    ),
    "SK702: an immutable field that is changed": (
        "SK702",
        ERROR,
        RAW
        + """
class Note(Entity, table=Old):
    note_id: str
    author: Annotated[str, immutable]
    primary = Old.primary.key("NOTE#{note_id}", "NOTE")

steal = raw_pattern(
    "Give a note to another",
    table=Old,
    operation="UpdateItem",
    entity=Note,
    key={"PK": "NOTE#{note_id}", "SK": "NOTE"},
    update="SET author = :author",
    condition="attribute_exists(PK)",
    values={":author": "{author}"},
    arguments={"note_id": str, "author": str},
)
""",
    ),
    "SK703: a put that says so": (
        "SK703",
        INFORMATION,
        NOTE.format(said="")
        + """
@pattern("Write a note", rate="5/s")
def write(note: Note) -> Op[Note]:
    return note.put()
""",
    ),
    "SK706: more than a hundred actions": (
        "SK706",
        ERROR,
        NOTE.format(said="")
        + """
@pattern("Write notes", rate="1/day")
def write(user_id: str) -> Op[None]:
    return transact(*(Note(user_id=user_id, note_id=f"{n}").create() for n in range(101)))
""",
    ),
    "SK801: reads": (
        "SK801",
        ERROR,
        """
class Config(Entity, table=App, expected=Expected(size_bytes=8_000)):
    limit: int
    primary = App.primary.key("CONFIG", "CONFIG")

@pattern("The configuration", rate="2000/s")
def config() -> Op[Config | None]:
    return Config.get().consistently()
""",
    ),
    "SK801: more than half": (
        "SK801",
        WARNING,
        """
class Scan(Entity, table=App):
    number: int
    primary = App.primary.key("SCANS", "{number:012d}")

@pattern("Scan", rate="600/s")
def scanned(scan: Scan) -> Op[Scan]:
    return scan.create()
""",
    ),
    "SK801: the largest customer": (
        "SK801",
        ERROR,
        NOTE.format(said=", expected=Expected(hottest_share=0.5)")
        + """
@pattern("Write a note", rate="3000/s")
def write(note: Note) -> Op[Note]:
    return note.create()
""",
    ),
    "SK803: a day": (
        "SK803",
        WARNING,
        """
class Usage(Entity, table=App):
    user_id: str
    day: date
    primary = App.primary.key("USAGE#{day}", "{user_id}")
""",
    ),
    "SK803: one of two, in an index": (
        "SK803",
        INFORMATION,
        """
class Job(Entity, table=App):
    job_id: str
    status: Literal["open", "done"]
    primary = App.primary.key("JOB#{job_id}", "JOB")
    by_status = App.gsi1.key("STATUS#{status}", "{job_id}")
""",
    ),
    "SK803: one of two, of many": (
        "SK803",
        WARNING,
        """
class Job(Entity, table=App, expected=Expected(count=10_000_000)):
    job_id: str
    status: Literal["open", "done"]
    primary = App.primary.key("JOB#{job_id}", "JOB")
    by_status = App.gsi1.key("STATUS#{status}", "{job_id}")
""",
    ),
    "SK421: an index that may be read elsewhere": (
        "SK421",
        INFORMATION,
        NOTE.format(said="")
        + """
    listed = App.gsi1.key("NOTES#{note_id}", "NOTE")

@pattern("A note", rate="5/s")
def note(user_id: str, note_id: str) -> Op[Note | None]:
    return Note.get(user_id=user_id, note_id=note_id)
""",
    ),
    "SK806: a set": (
        "SK806",
        WARNING,
        """
class Post(Entity, table=App):
    post_id: str
    likes: set[str]
    primary = App.primary.key("POST#{post_id}", "POST")

@pattern("Like", rate="50/s")
def like(post_id: str, user_id: str) -> Op[Post]:
    return Post.update(post_id=post_id).include(lambda p: p.likes).items(user_id)
""",
    ),
    "SK810: two that are alike": (
        "SK810",
        WARNING,
        """
class Sales(Table, partition="id"):
    one = gsi("shop", name="one")
    other = gsi("shop", name="other")
""",
    ),
    "SK902: another key": (
        "SK902",
        ERROR,
        """
class Orders(Table):
    by_day = gsi("day")

# Now:
class Orders(Table):
    by_day = gsi("day", "shop")
""",
    ),
    "SK903: a local index goes": (
        "SK903",
        ERROR,
        """
class Logs(Table, partition="device", sort="at"):
    by_level = lsi("level")

# Now:
class Logs(Table, partition="device", sort="at"):
    pass
""",
    ),
    "SK906: another width": (
        "SK906",
        ERROR,
        """
class Order(Entity, table=App):
    number: int
    primary = App.primary.key("ORDERS", "{number:06d}")

# Now:
class Order(Entity, table=App):
    number: int
    primary = App.primary.key("ORDERS", "{number:08d}")
""",
    ),
    "SK906: the template of an index": (
        "SK906",
        WARNING,
        """
class Note(Entity, table=App):
    note_id: str
    author: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")
    by_author = App.gsi1.key("AUTHOR#{author}", "{note_id}")

# Now:
class Note(Entity, table=App):
    note_id: str
    author: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")
    by_author = App.gsi1.key("BY#{author}", "{note_id}")
""",
    ),
    "SK910: a required field that is added": (
        "SK910",
        ERROR,
        NOTE.format(said="")
        + """
# Now:
class Note(Entity, table=App):
    user_id: str
    note_id: str
    rank: int
    primary = App.primary.key("USER#{user_id}", "NOTE#{note_id}")
""",
    ),
    "SK910: a field that is stored as another type": (
        "SK910",
        ERROR,
        NOTE.format(said="").replace("    primary", "    rank: int | None = None\n    primary")
        + """
# Now:
class Note(Entity, table=App):
    user_id: str
    note_id: str
    rank: str = ""
    primary = App.primary.key("USER#{user_id}", "NOTE#{note_id}")
""",
    ),
    "SK910: a field that becomes required": (
        "SK910",
        WARNING,
        NOTE.format(said="").replace("    primary", "    rank: int | None = None\n    primary")
        + """
# Now:
class Note(Entity, table=App):
    user_id: str
    note_id: str
    rank: int
    primary = App.primary.key("USER#{user_id}", "NOTE#{note_id}")
""",
    ),
    "SK117: a name that is too short in one environment": (
        "SK117",
        ERROR,
        """
about = About(environments=("production", "x"))

class Orders(Table, name=lambda environment: environment[:5]):
    pass
""",
    ),
    "SK617: two classes that a template calls alike": (
        "SK617",
        ERROR,
        """
class Orders(Table, name="orders"):
    pass

class OrdersTable(Table, name="other-orders"):
    pass
""",
    ),
    "SK617: two tables that export one name": (
        "SK617",
        ERROR,
        """
house = Standard("House", exported_as="/{group}/{name}")
orders = house.settings(exported=Export("shop", "orders", "The orders"))

class Orders(Table, settings=orders):
    pass

class Returns(Table, settings=orders):
    pass
""",
    ),
    "SK617: two roles whose names differ in the delimiter": (
        "SK617",
        ERROR,
        NOTE.format(said="")
        + """
@pattern("A note", rate="5/s")
def note(user_id: str, note_id: str) -> Op[Note | None]:
    return Note.get(user_id=user_id, note_id=note_id)

one = Role("note-reader", [note])
other = Role("noteReader", [note])
""",
    ),
    "SK618: a design whose name no topic can have": (
        "SK618",
        ERROR,
        'about = About(name="my shop")\n',
    ),
    "SK618: a class that no template can name": (
        "SK618",
        ERROR,
        "class user_quotas(Table):\n    pass\n",
    ),
    "SK618: a tag that AWS keeps for itself": (
        "SK618",
        ERROR,
        'class Orders(Table, settings=Settings(tags={"aws:owner": "me"})):\n    pass\n',
    ),
}


@pytest.mark.parametrize("case", FOUND)
def test_a_rule_finds_it(case: str) -> None:
    code, severity, design = FOUND[case]
    found = [found for found in report_of(design).open if found.finding.code == code]

    assert [one.severity for one in found[:1]] == [severity]


@pytest.mark.parametrize(
    ("table", "sort", "said"),
    [
        ("    pass", "{gate}#{number:012d}", "may split it by its sort key"),
        ("    pass", "{number:012d}", "all come at its end"),
        ("    pass", "SCAN", "one record"),
        ('    by_gate = lsi("gate")', "{gate}#{number:012d}", "its local index"),
    ],
)
def test_a_hot_key_says_whether_a_split_could_help(table: str, sort: str, said: str) -> None:
    design = f"""
class Scans(Table):
{table}

class Scan(Entity, table=Scans):
    gate: str
    number: int
    primary = Scans.primary.key("SCANS", "{sort}")

@pattern("Scan", rate="4000/s")
def scanned(scan: Scan) -> Op[Scan]:
    return scan.create()
"""
    [hot] = [found for found in report_of(design).open if found.finding.code == "SK801"]

    assert said in hot.finding.fix


def test_a_read_of_unknown_size_is_not_judged() -> None:
    design = (
        NOTE.format(said="")
        + """
@pattern("A user's notes", rate="5/s")
def notes(user_id: str) -> Op[list[Note]]:
    return Note.query(user_id=user_id)
"""
    )
    [group] = report_of(design).not_judged

    assert group.first.finding.code == "SK414"
    assert "the expected number of records is not declared" in group.first.finding.message
