"""What rules find beside the examples of their pages: their other cases, and their weights."""

import pytest

from sortkey.check.examples import report_of
from sortkey.design.findings import ERROR, INFORMATION, WARNING, Severity

RAW = """
class Old(Table, raw=True, ttl="ttl"):
    gsi1 = gsi("GSI1PK", "GSI1SK")
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
NOTE = """
class Note(Entity, table=App{said}):
    user_id: str
    note_id: str
    primary = App.primary.key("USER#{{user_id}}", "NOTE#{{note_id}}")
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

FOUND: dict[str, tuple[str, Severity, str]] = {
    "SK702: a put that may replace an immutable record": (
        "SK702",
        ERROR,
        RAW
        + """
class Award(Entity, table=Old, immutable=True):
    user_id: str
    points: int
    primary = Old.primary.key("USER#{user_id}", "AWARD")

award = raw_pattern(
    "Award points",
    table=Old,
    operation="PutItem",
    entity=Award,
    item={"PK": "USER#{user_id}", "SK": "AWARD", "user_id": "{user_id}", "points": "{points}"},
    condition="attribute_not_exists(PK) OR points < :points",
    values={":points": "{points}"},
    arguments={"user_id": str, "points": int},
)
""",
    ),
    "SK426: an e-mail address by another name": (
        "SK426",
        WARNING,
        RAW
        + """
class Owner(Entity, table=Old):
    owner_id: str
    contact_email_addr: str
    primary = Old.primary.key("OWNER#{owner_id}", "OWNER")
    by_it = Old.gsi1.key("EMAIL#{contact_email_addr}", "OWNER")

add = raw_pattern(
    "Add it",
    table=Old,
    operation="PutItem",
    entity=Owner,
    item={
        "PK": "OWNER#{owner_id}", "SK": "OWNER", "owner_id": "{owner_id}",
        "contact_email_addr": "{given}", "GSI1PK": "EMAIL#{given}", "GSI1SK": "OWNER",
    },
    condition="attribute_not_exists(PK)",
    arguments={"owner_id": str, "given": str},
)
find = raw_pattern(
    "The owner with an address",
    table=Old,
    operation="Query",
    index="gsi1",
    entity=Owner,
    key_condition="GSI1PK = :pk AND GSI1SK = :sk",
    values={":pk": "EMAIL#{given}", ":sk": "OWNER"},
    arguments={"given": str},
)
""",
    ),
    "SK426: a number plate beside a constant": (
        "SK426",
        INFORMATION,
        RAW
        + """
class Owner(Entity, table=Old):
    owner_id: str
    plate: str
    primary = Old.primary.key("OWNER#{owner_id}", "OWNER")
    by_it = Old.gsi1.key("PLATE#{plate}", "OWNER")

add = raw_pattern(
    "Add it",
    table=Old,
    operation="PutItem",
    entity=Owner,
    item={
        "PK": "OWNER#{owner_id}", "SK": "OWNER", "owner_id": "{owner_id}",
        "plate": "{given}", "GSI1PK": "PLATE#{given}", "GSI1SK": "OWNER",
    },
    condition="attribute_not_exists(PK)",
    arguments={"owner_id": str, "given": str},
)
find = raw_pattern(
    "The owner of a plate",
    table=Old,
    operation="Query",
    index="gsi1",
    entity=Owner,
    key_condition="GSI1PK = :pk AND GSI1SK = :sk",
    values={":pk": "PLATE#{given}", ":sk": "OWNER"},
    arguments={"given": str},
)
""",
    ),
    "SK426: a lock that another value replaces": (
        "SK426",
        WARNING,
        RAW
        + """
class User(Entity, table=Old):
    user_id: str
    email: str
    primary = Old.primary.key("USER#{user_id}", "USER")
    by_email = Old.gsi1.key("EMAIL#{email}", "USER")

add = raw_pattern(
    "Add a user",
    table=Old,
    operation="TransactWriteItems",
    actions=[
        RawRequest(
            table=Old,
            operation="PutItem",
            entity=User,
            item={
                "PK": "USER#{user_id}",
                "SK": "USER",
                "GSI1PK": "EMAIL#{email}",
                "GSI1SK": "USER",
                "user_id": "{user_id}",
                "email": "{email}",
            },
            condition="attribute_not_exists(PK)",
        ),
        RawRequest(
            table=Old,
            operation="PutItem",
            item={"PK": "LOCK#{email}", "SK": "LOCK", "owner": "{user_id}", "rev": 1},
            condition="attribute_not_exists(PK) OR rev = :rev",
            values={":rev": "{rev}"},
        ),
    ],
    arguments={"user_id": str, "email": str, "rev": int},
)
user = raw_pattern(
    "The user with an e-mail",
    table=Old,
    index="gsi1",
    operation="Query",
    entity=User,
    key_condition="GSI1PK = :email",
    values={":email": "EMAIL#{email}"},
    limit=1,
    arguments={"email": str},
)
""",
    ),
    "SK519: an index key beside a primary key that is not there": (
        "SK519",
        ERROR,
        RAW
        + """
class Run(Entity, table=Old):
    user_id: str
    at: str
    primary = Old.primary.key("USER#{user_id}", "RUN#{at}")
    by_time = Old.gsi1.key("RUNS", "RUN#{at}")

save = raw_pattern(
    "Save a run",
    table=Old,
    operation="PutItem",
    entity=Run,
    item={"user_id": "{user_id}", "at": "{at}", "GSI1PK": "RUNS", "GSI1SK": "WALK#{at}"},
    arguments={"user_id": str, "at": str},
)
""",
    ),
    "SK524: a field beside a primary key that is not there": (
        "SK524",
        ERROR,
        RAW
        + """
class Run(Entity, table=Old):
    user_id: str
    at: str
    metres: int
    primary = Old.primary.key("USER#{user_id}", "RUN#{at}")

save = raw_pattern(
    "Save a run",
    table=Old,
    operation="PutItem",
    entity=Run,
    item={"PK": "USER#{user_id}", "user_id": "{user_id}", "at": "{at}"},
    arguments={"user_id": str, "at": str},
)
""",
    ),
    "SK301: a session that expires in a table without TTL": (
        "SK301",
        INFORMATION,
        """
class Old(Table, raw=True):
    pass

class RefreshToken(Entity, table=Old):
    token_id: str
    expires_at: EpochSeconds
    primary = Old.primary.key("TOKEN#{token_id}", "TOKEN")
""",
    ),
    "SK301: an invitation whose end is a text": (
        "SK301",
        INFORMATION,
        """
class Old(Table, raw=True):
    pass

class Invitation(Entity, table=Old):
    invitation_id: str
    valid_until: str
    primary = Old.primary.key("INVITATION#{invitation_id}", "INVITATION")
""",
    ),
    "SK820: sessions that only a log-out deletes": (
        "SK820",
        INFORMATION,
        """
class UserSession(Entity, table=App):
    session_id: str
    user_id: str
    primary = App.primary.key("SESSION#{session_id}", "SESSION")

@pattern("Log out", rate="1/s")
def log_out(session_id: str) -> Op[UserSession | None]:
    return UserSession.delete(session_id=session_id)
""",
    ),
    "SK820: what visitors did, with their addresses": (
        "SK820",
        INFORMATION,
        """
class Wish(Entity, table=App):
    wish_id: str
    page: str
    ip_address_hash: str
    created_at: datetime
    primary = App.primary.key("WISH#{wish_id}", "WISH")
    of_page = App.gsi1.key("PAGE#{page}", "{created_at}#{wish_id}")
""",
    ),
    "SK716: a lock in a table without TTL": (
        "SK716",
        INFORMATION,
        """
class Old(Table, raw=True):
    pass

class JobLock(Entity, table=Old):
    job: str
    expires_at: str
    primary = Old.primary.key("LOCK#{job}", "LOCK")

take = raw_pattern(
    "Take a lock",
    table=Old,
    operation="PutItem",
    entity=JobLock,
    item={"PK": "LOCK#{job}", "SK": "LOCK", "job": "{job}", "expires_at": "{until}"},
    condition="attribute_not_exists(PK)",
    arguments={"job": str, "until": str},
)
""",
    ),
    "SK303: only an update makes the record, without its TTL": (
        "SK303",
        WARNING,
        RAW
        + """
class Hits(Entity, table=Old):
    page: str
    hits: int
    ttl: TTL
    primary = Old.primary.key("PAGE#{page}", "HITS")

class Visit(Entity, table=Old):
    visit_id: str
    ttl: TTL
    primary = Old.primary.key("VISIT#{visit_id}", "VISIT")

visit = raw_pattern(
    "Store a visit",
    table=Old,
    operation="PutItem",
    entity=Visit,
    item={"PK": "VISIT#{visit_id}", "SK": "VISIT", "visit_id": "{visit_id}", "ttl": "{until}"},
    condition="attribute_not_exists(PK)",
    arguments={"visit_id": str, "until": EpochSeconds},
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
    "SK609: a password that only a raw item has": (
        "SK609",
        INFORMATION,
        RAW
        + """
class User(Entity, table=Old):
    user_id: str
    primary = Old.primary.key("USER#{user_id}", "USER")

add = raw_pattern(
    "Add a user",
    table=Old,
    operation="PutItem",
    entity=User,
    item={"PK": "USER#{user_id}", "SK": "USER", "user_id": "{user_id}", "password": "{password}"},
    condition="attribute_not_exists(PK)",
    arguments={"user_id": str, "password": str},
)
""",
    ),
    "SK609: a token by which a record is found": (
        "SK609",
        INFORMATION,
        """
class Login(Entity, table=App):
    session_token: str
    primary = App.primary.key("LOGIN#{session_token}", "LOGIN")
""",
    ),
    "SK609: an API key in the key of an index": (
        "SK609",
        INFORMATION,
        """
class Client(Entity, table=App):
    client_id: str
    api_key: str
    primary = App.primary.key("CLIENT#{client_id}", "CLIENT")
    by_key = App.gsi1.key("KEY#{api_key}", "CLIENT")
""",
    ),
    "SK609: a code for one use": (
        "SK609",
        INFORMATION,
        """
class User(Entity, table=App):
    user_id: str
    verification_code: str | None = None
    primary = App.primary.key("USER#{user_id}", "USER")
""",
    ),
    "SK820: a code for one use that is always valid": (
        "SK820",
        INFORMATION,
        """
class User(Entity, table=App):
    user_id: str
    verification_code: str | None = None
    primary = App.primary.key("USER#{user_id}", "USER")
""",
    ),
    "SK709: a relation that does not say what is copied": (
        "SK709",
        INFORMATION,
        """
class User(Entity, table=App):
    user_id: str
    name: str
    primary = App.primary.key("USER#{user_id}", "USER")

class Lesson(Entity, table=App, relations=(refers("student_id", User),)):
    lesson_id: str
    student_id: str
    student_name: str
    primary = App.primary.key("LESSON#{lesson_id}", "LESSON")
""",
    ),
    "SK524: a field that only an index key holds": (
        "SK524",
        INFORMATION,
        RAW
        + """
class Run(Entity, table=Old):
    user_id: str
    place: str
    primary = Old.primary.key("USER#{user_id}", "RUN")
    by_place = Old.gsi1.key("PLACE#{place}", "{user_id}")

save = raw_pattern(
    "Save a run",
    table=Old,
    operation="PutItem",
    entity=Run,
    item={
        "PK": "USER#{user_id}",
        "SK": "RUN",
        "user_id": "{user_id}",
        "GSI1PK": "PLACE#{place}",
        "GSI1SK": "{user_id}",
    },
    condition="attribute_not_exists(PK)",
    arguments={"user_id": str, "place": str},
)
""",
    ),
    "SK135: an index key that is empty by default": (
        "SK135",
        ERROR,
        """
class Tasks(Table):
    by_due = gsi("due")

class Task(Entity, table=Tasks):
    task_id: str
    due: str = ""
    primary = Tasks.primary.key("TASK#{task_id}", "TASK")
    listed = Tasks.by_due.key()
""",
    ),
    "SK134: a rank before an id": (
        "SK134",
        INFORMATION,
        RAW
        + """
class Turn(Entity, table=Old):
    year: str
    turn_order: int
    player_id: str
    primary = Old.primary.key("YEAR#{year}", "TURN#{turn_order:04d}#{player_id}")

move = raw_pattern(
    "Update the order of turns",
    table=Old,
    operation="PutItem",
    entity=Turn,
    item={"PK": "YEAR#{year}", "SK": "TURN#{turn_order:04d}#{player_id}"},
    arguments={"year": str, "turn_order": int, "player_id": str},
)
""",
    ),
    "SK432: a token that is read without consistency": (
        "SK432",
        INFORMATION,
        RAW
        + """
class Login(Entity, table=Old):
    token_hash: str
    primary = Old.primary.key("TOKEN#{token_hash}", "TOKEN")

login = raw_pattern(
    "The login of each call",
    table=Old,
    operation="GetItem",
    entity=Login,
    key={"PK": "TOKEN#{token_hash}", "SK": "TOKEN"},
    arguments={"token_hash": str},
)
""",
    ),
    "SK434: a flag that an index shows": (
        "SK434",
        INFORMATION,
        RAW
        + """
class Stop(Entity, table=Old):
    stop_id: str
    primary = Old.primary.key("STOP#{stop_id}", "STOP")
    all = Old.gsi1.key("STOPS", "{stop_id}")

stop = raw_pattern(
    "Check the emergency stop",
    table=Old,
    index="gsi1",
    operation="Query",
    entity=Stop,
    key_condition="GSI1PK = :all",
    values={":all": "STOPS"},
)
""",
    ),
    "SK305: a record that is read by its key": (
        "SK305",
        INFORMATION,
        RAW
        + """
class Session(Entity, table=Old):
    session_id: str
    ttl: TTL
    primary = Old.primary.key("SESSION#{session_id}", "SESSION")

session = raw_pattern(
    "A session",
    table=Old,
    operation="GetItem",
    entity=Session,
    key={"PK": "SESSION#{session_id}", "SK": "SESSION"},
    arguments={"session_id": str},
)
""",
    ),
    "SK408: a user name at the end of a key": (
        "SK408",
        INFORMATION,
        RAW
        + """
class Guest(Entity, table=Old):
    party_id: str
    username: str
    primary = Old.primary.key("PARTY#{party_id}", "GUEST#{username}")

guest = raw_pattern(
    "Whether a user is a guest",
    table=Old,
    operation="Query",
    entity=Guest,
    key_condition="PK = :pk AND begins_with(SK, :guest)",
    values={":pk": "PARTY#{party_id}", ":guest": "GUEST#{username}"},
    arguments={"party_id": str, "username": str},
)
""",
    ),
    "SK435: one record of several": (
        "SK435",
        INFORMATION,
        RAW
        + """
class Plan(Entity, table=Old):
    plan_id: str
    owner_id: str
    primary = Old.primary.key("PLAN#{plan_id}", "PLAN")
    by_owner = Old.gsi1.key("OWNER#{owner_id}", "{plan_id}")

plan = raw_pattern(
    "The plan of an owner",
    table=Old,
    index="gsi1",
    operation="Query",
    entity=Plan,
    key_condition="GSI1PK = :owner",
    values={":owner": "OWNER#{owner_id}"},
    limit=1,
    arguments={"owner_id": str},
    where=lambda p, owner_id: p.owner_id == owner_id,
)
""",
    ),
    "SK132: records that appear in another entity's index": (
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
    "SK135: an index key with an empty choice": (
        "SK135",
        ERROR,
        """
class Jobs(Table):
    by_due = gsi("kind", "due")

class Job(Entity, table=Jobs):
    job_id: str
    kind: Literal["job"] = "job"
    due: Literal["", "today"]
    primary = Jobs.primary.key("JOB#{job_id}", "JOB")
    soon = Jobs.by_due.key()
""",
    ),
    "SK135: an index key whose pattern matches empty text": (
        "SK135",
        ERROR,
        """
class Jobs(Table):
    by_due = gsi("kind", "due")

class Job(Entity, table=Jobs):
    job_id: str
    kind: Literal["job"] = "job"
    due: Annotated[str, Field(pattern="^([0-9]{4})?$")]
    primary = Jobs.primary.key("JOB#{job_id}", "JOB")
    soon = Jobs.by_due.key()
""",
    ),
    "SK118: a field under the attribute that names the entity": (
        "SK118",
        ERROR,
        """
class Old(Table, raw=True, type_attribute="type"):
    pass

class Shop(Entity, table=Old):
    shop_id: str
    type: Literal["bakery", "bar"]
    primary = Old.primary.key("SHOP#{shop_id}", "SHOP")
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
    "SK615: a status is no type, and the type is a field already": (
        "SK615",
        WARNING,
        """
class Old(Table, raw=True, type_attribute=None):
    pass

class Cat(Entity, table=Old):
    cat_id: str
    type: str
    primary = Old.primary.key("CAT#{cat_id}", "CAT")

class Toy(Entity, table=Old):
    toy_id: str
    primary = Old.primary.key("TOY#{toy_id}", "TOY")

add_cat = raw_pattern(
    "Add a cat",
    table=Old,
    operation="PutItem",
    entity=Cat,
    item={"PK": "CAT#{cat_id}", "SK": "CAT", "type": "{type}", "status": "BORN"},
    arguments={"cat_id": str, "type": str},
)
add_toy = raw_pattern(
    "Add a toy",
    table=Old,
    operation="PutItem",
    entity=Toy,
    item={"PK": "TOY#{toy_id}", "SK": "TOY", "status": "NEW"},
    arguments={"toy_id": str},
)
use = raw_pattern(
    "Break a toy",
    table=Old,
    operation="UpdateItem",
    entity=Toy,
    key={"PK": "TOY#{toy_id}", "SK": "TOY"},
    update="SET #status = :broken",
    condition="attribute_exists(PK)",
    names={"#status": "status"},
    values={":broken": "BROKEN"},
    arguments={"toy_id": str},
)
""",
    ),
    "SK615: an attribute that one of the entities lacks": (
        "SK615",
        INFORMATION,
        """
class Old(Table, raw=True, type_attribute=None):
    pass

class Cat(Entity, table=Old):
    cat_id: str
    kind: Literal["cat"] = "cat"
    primary = Old.primary.key("CAT#{cat_id}", "CAT")

class Dog(Entity, table=Old):
    dog_id: str
    kind: Literal["dog"] = "dog"
    primary = Old.primary.key("DOG#{dog_id}", "DOG")

class Toy(Entity, table=Old):
    toy_id: str
    primary = Old.primary.key("TOY#{toy_id}", "TOY")
""",
    ),
    "SK703: a put of a key that an update adds to": (
        "SK703",
        WARNING,
        RAW
        + """
follow = raw_pattern(
    "Follow a user",
    table=Old,
    operation="PutItem",
    item={"PK": "USER#{user_id}", "SK": "FOLLOWS#{other_id}"},
    arguments={"user_id": str, "other_id": str},
)
mute = raw_pattern(
    "Mute a user",
    table=Old,
    operation="UpdateItem",
    key={"PK": "USER#{user_id}", "SK": "FOLLOWS#{other_id}"},
    update="SET muted = :muted",
    condition="attribute_exists(PK)",
    values={":muted": True},
    arguments={"user_id": str, "other_id": str},
)
""",
    ),
    "SK703: a put of the time beside the key": (
        "SK703",
        WARNING,
        RAW
        + """
follow = raw_pattern(
    "Follow a user",
    table=Old,
    operation="PutItem",
    item={"PK": "USER#{user_id}", "SK": "FOLLOWS#{other_id}", "at": "{now()}"},
    arguments={"user_id": str, "other_id": str},
)
""",
    ),
    "SK201: a week, of which the days have one digit": (
        "SK201",
        ERROR,
        RAW
        + """
class Workout(Entity, table=Old):
    plan_id: str
    week_number: int
    day_number: int
    primary = Old.primary.key("PLAN#{plan_id}", "WEEK#{week_number}#DAY#{day_number}")
""",
    ),
    "SK201: a number that may have a name like a year": (
        "SK201",
        INFORMATION,
        RAW
        + """
class Goal(Entity, table=Old):
    user_id: str
    fiscal_year: int
    primary = Old.primary.key("USER#{user_id}", "GOAL#{fiscal_year}")
""",
    ),
    "SK704: a counter that leaves a required field out": (
        "SK704",
        WARNING,
        RAW
        + """
class Visits(Entity, table=Old):
    page_id: str
    n: int
    title: str
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
    "SK703: a put that lacks a field as well": (
        "SK703",
        WARNING,
        RAW
        + """
class User(Entity, table=Old):
    user_id: str
    email: str
    primary = Old.primary.key("U#{user_id}", "P")

save = raw_pattern(
    "Save a user",
    table=Old,
    operation="PutItem",
    entity=User,
    item={"PK": "U#{user_id}", "SK": "P", "user_id": "{user_id}"},
    arguments={"user_id": str},
)
""",
    ),
    "SK201: a number that its name counts from 1970": (
        "SK201",
        INFORMATION,
        RAW
        + """
class Event(Entity, table=Old):
    user_id: str
    timestamp_ms: int
    primary = Old.primary.key("USER#{user_id}", "EVENT#{timestamp_ms}")
""",
    ),
    "SK201: a duration": (
        "SK201",
        ERROR,
        RAW
        + """
class Lap(Entity, table=Old):
    user_id: str
    duration_ms: int
    primary = Old.primary.key("USER#{user_id}", "LAP#{duration_ms}")
""",
    ),
    "SK206: an id": (
        "SK206",
        INFORMATION,
        RAW
        + """
class Visit(Entity, table=Old):
    user_id: str
    shop_id: str
    visit_id: str
    primary = Old.primary.key("USER#{user_id}", "SHOP#{shop_id}#{visit_id}")
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
class Tag(Entity, table=App):
    tag_id: str
    primary = App.primary.key("TAG#{tag_id}", "TAG")

@pattern("All notes")
def notes() -> Op[list[Note]]:
    return Note.scan()
""",
    ),
    "SK413: a scan of a table that holds nothing else": (
        "SK413",
        INFORMATION,
        RAW
        + """
class Colour(Entity, table=Old):
    name: str
    primary = Old.primary.key("COLOUR#{name}", "COLOUR")

colours = raw_pattern(
    "All colours",
    table=Old,
    operation="Scan",
    entity=Colour,
    filter="begins_with(PK, :colour) AND SK = :sk",
    values={":colour": "COLOUR#", ":sk": "COLOUR"},
)
""",
    ),
    "SK413: a scan for some of the records of a table": (
        "SK413",
        WARNING,
        RAW
        + """
class Colour(Entity, table=Old):
    name: str
    primary = Old.primary.key("COLOUR#{name}", "COLOUR")

colours = raw_pattern(
    "All colours that begin with an A",
    table=Old,
    operation="Scan",
    entity=Colour,
    filter="begins_with(PK, :colour)",
    values={":colour": "COLOUR#A"},
)
""",
    ),
    "SK414: all of a list that nothing chooses, without a rate": (
        "SK414",
        INFORMATION,
        """
class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTES", "NOTE#{note_id}")

@pattern("All notes")
def notes() -> Op[list[Note]]:
    return Note.query()
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
    "SK414: records with a time, of which more come each day": (
        "SK414",
        INFORMATION,
        """
class Reading(Entity, table=App):
    device_id: str
    taken_at: datetime
    primary = App.primary.key("DEVICE#{device_id}", "READING#{taken_at}")

@pattern("A device's readings", rate="5/s")
def readings(device_id: str) -> Op[list[Reading]]:
    return Reading.query(device_id=device_id)
""",
    ),
    "SK414: records that are named after something that happens again": (
        "SK414",
        INFORMATION,
        """
class Message(Entity, table=App):
    room_id: str
    message_id: str
    primary = App.primary.key("ROOM#{room_id}", "MESSAGE#{message_id}")

@pattern("A room's messages", rate="5/s")
def messages(room_id: str) -> Op[list[Message]]:
    return Message.query(room_id=room_id)
""",
    ),
    "SK434: a put of a record that was read": (
        "SK434",
        INFORMATION,
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
save = raw_pattern(
    "Save an order",
    table=Old,
    operation="PutItem",
    entity=Order,
    item={
        "PK": "ORDER#{order_id}", "SK": "ORDER", "order_id": "{order_id}", "user_id": "{user_id}",
        "status": "{status}",
    },
    arguments={"order_id": str, "user_id": str, "status": str},
)
""",
    ),
    "SK436: any text before what orders": (
        "SK436",
        WARNING,
        """
class Old(Table, raw=True):
    pass

class Offer(Entity, table=Old):
    company: str
    colour: str
    made_at: datetime
    primary = Old.primary.key("COMPANY#{company}", "{colour}#{made_at}")

offers = raw_pattern(
    "Offers of a company, in order",
    table=Old,
    operation="Query",
    entity=Offer,
    key_condition="PK = :pk",
    values={":pk": "COMPANY#{company}"},
    arguments={"company": str},
    where=lambda offer, company: offer.company == company,
    order=lambda offer: (offer.made_at, offer.colour),
)
""",
    ),
    "SK438: an enumeration that no query reads yet": (
        "SK438",
        INFORMATION,
        """
class Difficulty(Enum):
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"

class Trail(Entity, table=App):
    park: str
    difficulty: Difficulty
    name: str
    primary = App.primary.key("PARK#{park}", "{difficulty}#{name}")
""",
    ),
    "SK437: two names in one text": (
        "SK437",
        WARNING,
        """
class Notes(Table, raw=True):
    by_author = gsi("author", "note_id", project=["title, text"])

class Note(Entity, table=Notes):
    author: str
    note_id: str
    title: str
    text: str
    primary = Notes.primary.key("NOTE#{note_id}", "NOTE")
    listed = Notes.by_author.key()
""",
    ),
    "SK439: a rating beside the number of reviews": (
        "SK439",
        WARNING,
        """
class Old(Table, raw=True):
    pass

rate = raw_pattern(
    "Rate a book",
    table=Old,
    operation="UpdateItem",
    key={"PK": "BOOK#{isbn}", "SK": "BOOK"},
    update="SET rating = :given, review_count = review_count + :one",
    condition="attribute_exists(PK)",
    values={":given": "{given}", ":one": 1},
    arguments={"isbn": str, "given": int},
)
""",
    ),
    "SK439: a sum beside the number of its parts": (
        "SK439",
        WARNING,
        """
class Old(Table, raw=True):
    pass

change = raw_pattern(
    "Change an order",
    table=Old,
    operation="UpdateItem",
    key={"PK": "ORDER#{order_id}", "SK": "ORDER"},
    update="SET rating_sum = :given ADD rating_count :one",
    condition="attribute_exists(PK)",
    values={":given": "{given}", ":one": 1},
    arguments={"order_id": str, "given": int},
)
""",
    ),
    "SK439: a sum beside the number of something else": (
        "SK439",
        INFORMATION,
        """
class Old(Table, raw=True):
    pass

change = raw_pattern(
    "Change an order",
    table=Old,
    operation="UpdateItem",
    key={"PK": "ORDER#{order_id}", "SK": "ORDER"},
    update="SET order_total = :given ADD edit_count :one",
    condition="attribute_exists(PK)",
    values={":given": "{given}", ":one": 1},
    arguments={"order_id": str, "given": int},
)
""",
    ),
    "SK434: a check by an index": (
        "SK434",
        INFORMATION,
        """
class User(Entity, table=App):
    user_id: str
    email: str
    primary = App.primary.key("USER#{user_id}", "USER")
    by_email = App.gsi1.key("EMAIL#{email}", "USER")

@pattern("Check if an e-mail address is taken", rate="5/s")
def user(email: str) -> Op[User | None]:
    return User.query(User.by_email, email=email).one()
""",
    ),
    "SK710: a link of many to many, within a studio": (
        "SK710",
        WARNING,
        """
class Course(Entity, table=App):
    studio_id: str
    course_id: str
    primary = App.primary.key("STUDIO#{studio_id}", "COURSE#{course_id}")

class Member(Entity, table=App):
    studio_id: str
    member_id: str
    primary = App.primary.key("STUDIO#{studio_id}", "MEMBER#{member_id}")

class Waiting(
    Entity, table=App, relations=(refers("course_id", Course), refers("member_id", Member))
):
    studio_id: str
    course_id: str
    member_id: str
    primary = App.primary.key("WAITING#{studio_id}#{course_id}", "{member_id}")
""",
    ),
    "SK710: a link of many to many for each day": (
        "SK710",
        WARNING,
        """
class User(Entity, table=App):
    user_id: str
    primary = App.primary.key("USER#{user_id}", "USER")

class Exercise(Entity, table=App):
    exercise_id: str
    primary = App.primary.key("EXERCISE#{exercise_id}", "EXERCISE")

class Progress(
    Entity,
    table=App,
    identity=("user_id", "exercise_id"),
    relations=(refers("user_id", User), refers("exercise_id", Exercise)),
):
    user_id: str
    exercise_id: str
    day: date
    primary = App.primary.key("USER#{user_id}", "DAY#{day}#{exercise_id}")
""",
    ),
    "SK710: a record with an id of its own": (
        "SK710",
        INFORMATION,
        """
class User(Entity, table=App):
    user_id: str
    primary = App.primary.key("USER#{user_id}", "USER")

class Post(Entity, table=App):
    post_id: str
    primary = App.primary.key("POST#{post_id}", "POST")

class Comment(Entity, table=App, relations=(refers("post_id", Post), refers("author_id", User))):
    post_id: str
    author_id: str
    comment_id: str
    primary = App.primary.key("POST#{post_id}", "BY#{author_id}#{comment_id}")
""",
    ),
    "SK710: a record whose declared identity is its own": (
        "SK710",
        INFORMATION,
        """
class User(Entity, table=App):
    user_id: str
    primary = App.primary.key("USER#{user_id}", "USER")

class Post(Entity, table=App):
    post_id: str
    primary = App.primary.key("POST#{post_id}", "POST")

class Remark(
    Entity,
    table=App,
    identity=("post_id", "number"),
    relations=(refers("post_id", Post), refers("author_id", User)),
):
    post_id: str
    author_id: str
    number: int
    primary = App.primary.key("POST#{post_id}", "BY#{author_id}#{number:06d}")
""",
    ),
    "SK710: a record of an album, which belongs to a user, after its day": (
        "SK710",
        INFORMATION,
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
    day: date
    number: int
    primary = App.primary.key("USER#{user_id}", "DAY#{day}#{album_id}#{number:06d}")
""",
    ),
    "SK709: a user name whose id has another word": (
        "SK709",
        INFORMATION,
        """
class Picture(Entity, table=App):
    picture_id: str
    owner_user_id: str
    owner_username: str
    primary = App.primary.key("PICTURE#{picture_id}", "PICTURE")
""",
    ),
    "SK709: a field of the entity whose id is there": (
        "SK709",
        INFORMATION,
        """
class Member(Entity, table=App):
    member_id: str
    display_name: str
    primary = App.primary.key("MEMBER#{member_id}", "MEMBER")

class Comment(Entity, table=App):
    comment_id: str
    member_id: str
    display_name: str
    primary = App.primary.key("COMMENT#{comment_id}", "COMMENT")
""",
    ),
    "SK709: two records of one thing, written apart": (
        "SK709",
        INFORMATION,
        RAW
        + """
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
    table=Old,
    operation="PutItem",
    entity=Device,
    item={"PK": "DEVICE#{device_id}", "SK": "DEVICE", **ITEM},
    condition="attribute_not_exists(PK)",
    arguments=GIVEN,
)
list_it = raw_pattern(
    "Add a device to its site",
    table=Old,
    operation="PutItem",
    entity=SiteDevice,
    item={"PK": "SITE#{site_id}", "SK": "DEVICE#{device_id}", **ITEM},
    condition="attribute_not_exists(PK)",
    arguments=GIVEN,
)
""",
    ),
    "SK709: the name of a person beside the id": (
        "SK709",
        INFORMATION,
        """
class Comment(Entity, table=App):
    post_id: str
    comment_id: str
    author_id: str
    author_name: str
    primary = App.primary.key("POST#{post_id}", "COMMENT#{comment_id}")
""",
    ),
    "SK820: a log": (
        "SK820",
        INFORMATION,
        """
class AccessLog(Entity, table=App):
    user_id: str
    log_id: str
    primary = App.primary.key("USER#{user_id}", "LOG#{log_id}")
""",
    ),
    "SK718: records of which each may be right alone": (
        "SK718",
        INFORMATION,
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

place = raw_pattern(
    "Place an order",
    operation="BatchWriteItem",
    actions=[
        RawRequest(
            "Put",
            Old,
            item={"PK": "ORDER#{order_id}", "SK": "ORDER", "_type": "Order", "order_id": "1"},
            entity=Order,
        ),
        RawRequest(
            "Put",
            Old,
            item={
                "PK": "ORDER#{order_id}",
                "SK": "LINE#{line_id}",
                "_type": "Line",
                "order_id": "{order_id}",
                "line_id": "{line_id}",
            },
            entity=Line,
        ),
    ],
    arguments={"order_id": str, "line_id": str},
)
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
    "SK702: a version that is not compared": (
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
    "SK720: a record that was read, by its title": (
        "SK720",
        WARNING,
        RAW
        + """
score = raw_pattern(
    "Count a visit: the record that was read, with one more",
    table=Old,
    operation="PutItem",
    item={"PK": "PAGE#{page_id}", "SK": "PAGE", "visits": "{visits}"},
    arguments={"page_id": str, "visits": int},
)
""",
    ),
    "SK720: a saved record that keeps its creation": (
        "SK720",
        WARNING,
        BOATS
        + """
save = raw_pattern(
    "Save a boat",
    table=Old,
    operation="PutItem",
    entity=Boat,
    item={
        "PK": "BOAT#{boat_id}",
        "SK": "BOAT",
        "boat_id": "{boat_id}",
        "name": "{name}",
        "created_at": "{created_at}",
        "updated_at": "{now()}",
    },
    arguments={"boat_id": str, "name": str, "created_at": str},
)
""",
    ),
    "SK720: a put that compares only that the record exists": (
        "SK720",
        WARNING,
        BOATS
        + """
change = raw_pattern(
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
    condition="attribute_exists(PK)",
    arguments={"boat_id": str, "name": str, "trips": int, "created_at": str},
)
""",
    ),
    "SK720: a count that is read alone": (
        "SK720",
        WARNING,
        BOATS
        + """
trips = raw_pattern(
    "The trips of a boat",
    table=Old,
    operation="GetItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    projection="trip_count",
    arguments={"boat_id": str},
)
count = raw_pattern(
    "Count a trip",
    table=Old,
    operation="UpdateItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    update="SET trip_count = :trips",
    condition="attribute_exists(PK)",
    values={":trips": "{trips}"},
    arguments={"boat_id": str, "trips": int},
)
""",
    ),
    "SK720: a list that is set with one more": (
        "SK720",
        WARNING,
        BOATS
        + """
crew = raw_pattern(
    "Add a sailor to a boat",
    table=Old,
    operation="UpdateItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    update="SET crew = :crew",
    condition="attribute_exists(PK)",
    values={":crew": "{crew}"},
    arguments={"boat_id": str, "crew": list[str]},
)
""",
    ),
    "SK720: a map that is set with one more": (
        "SK720",
        WARNING,
        BOATS
        + """
add = raw_pattern(
    "Add an address to a boat",
    table=Old,
    operation="UpdateItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    update="SET addresses = :given",
    condition="attribute_exists(PK)",
    values={":given": "{given}"},
    arguments={"boat_id": str, "given": dict[str, str]},
)
""",
    ),
    "SK720: a count by its name alone": (
        "SK720",
        INFORMATION,
        BOATS
        + """
count = raw_pattern(
    "Trips of a boat",
    table=Old,
    operation="UpdateItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    update="SET trip_count = :trips",
    condition="attribute_exists(PK)",
    values={":trips": "{trips}"},
    arguments={"boat_id": str, "trips": int},
)
""",
    ),
    "SK720: a count with the name of a total, beside another number that is raised": (
        "SK720",
        INFORMATION,
        BOATS
        + """
count = raw_pattern(
    "Trips of a boat",
    table=Old,
    operation="UpdateItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    update="SET total_trips = :trips ADD edits :one",
    condition="attribute_exists(PK)",
    values={":trips": "{trips}", ":one": 1},
    arguments={"boat_id": str, "trips": int},
)
""",
    ),
    "SK720: a limit that is read before": (
        "SK720",
        INFORMATION,
        BOATS.replace("A boat", "Check the limit of trips")
        + """
count = raw_pattern(
    "Count a trip",
    table=Old,
    operation="UpdateItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    update="ADD trip_count :one",
    condition="attribute_exists(PK)",
    values={":one": 1},
    arguments={"boat_id": str},
)
""",
    ),
    "SK720: put() of what another pattern reads": (
        "SK720",
        WARNING,
        """
class Note(Entity, table=App):
    note_id: str
    title: str
    text: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

@pattern("A note", rate="5/s")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)

@pattern("Edit a note", rate="5/s")
def edit(note: Note) -> Op[Note]:
    return note.put()
""",
    ),
    "SK703: a record whose newest state matters": (
        "SK703",
        INFORMATION,
        RAW
        + """
save = raw_pattern(
    "Save the settings of a user",
    table=Old,
    operation="PutItem",
    item={"PK": "USER#{user_id}", "SK": "SETTINGS", "theme": "{theme}"},
    arguments={"user_id": str, "theme": str},
)
""",
    ),
    "SK132: a field that one raw put writes": (
        "SK132",
        WARNING,
        """
class Old(Table, raw=True):
    by_email = gsi("email")

class Taken(Entity, table=Old):
    email: str
    user_id: str
    primary = Old.primary.key("EMAIL#{email}", "EMAIL")

take = raw_pattern(
    "Take an address",
    table=Old,
    operation="PutItem",
    entity=Taken,
    item={"PK": "EMAIL#{email}", "SK": "EMAIL", "user_id": "{user_id}", "email": "{email}"},
    condition="attribute_not_exists(PK)",
    arguments={"email": str, "user_id": str},
)
""",
    ),
    "SK615: counters that expire and differ by the prefix": (
        "SK615",
        INFORMATION,
        """
class Old(Table, raw=True, ttl="ttl", type_attribute=None):
    pass

class Calls(Entity, table=Old):
    user_id: str
    n: int
    ttl: TTL
    primary = Old.primary.key("CALLS#{user_id}", "CALLS")

class Mails(Entity, table=Old):
    user_id: str
    n: int
    ttl: TTL
    primary = Old.primary.key("MAILS#{user_id}", "MAILS")
""",
    ),
    "SK407: a range of texts before a letter": (
        "SK407",
        ERROR,
        """
class Old(Table, raw=True):
    pass

class Now(Entity, table=Old):
    lot_id: str
    stay_id: str
    primary = Old.primary.key("LOT#{lot_id}", "STAY#ACTIVE#{stay_id}")

class Past(Entity, table=Old):
    lot_id: str
    place: str
    stay_id: str
    primary = Old.primary.key("LOT#{lot_id}", "STAY#{place}#{stay_id}")

past = raw_pattern(
    "Stays between two places",
    table=Old,
    operation="Query",
    entity=Past,
    key_condition="PK = :pk AND SK BETWEEN :first AND :last",
    values={":pk": "LOT#{lot_id}", ":first": "STAY#{first}", ":last": "STAY#{last}#~"},
    arguments={"lot_id": str, "first": str, "last": str},
)
""",
    ),
    "SK206: the name in an index of which nothing reads the beginning": (
        "SK206",
        INFORMATION,
        """
class Old(Table, raw=True):
    names = gsi("owner_id", "GSI1SK")

class Sheet(Entity, table=Old):
    owner_id: str
    sheet_id: str
    name: str
    primary = Old.primary.key("SHEET#{sheet_id}", "SHEET")
    by_name = Old.names.key("{owner_id}", "{name}#{sheet_id}")
""",
    ),
    "SK413: a scan that a limit ends": (
        "SK413",
        WARNING,
        RAW
        + """
some = raw_pattern(
    "Some records",
    table=Old,
    operation="Scan",
    filter="active = :yes",
    values={":yes": True},
    limit=100,
    rate="1/s",
)
""",
    ),
    "SK703: a put that says so": (
        "SK703",
        INFORMATION,
        """
class Note(Entity, table=App):
    note_id: str
    text: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

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
    "SK133: an id from elsewhere, by which an index finds records": (
        "SK133",
        INFORMATION,
        """
class Message(Entity, table=App):
    campaign_id: str
    phone: str
    provider_message_id: str | None = None
    primary = App.primary.key("CAMPAIGN#{campaign_id}", "MESSAGE#{phone}")
    by_provider = App.gsi1.key("PROVIDER#{provider_message_id}", "MESSAGE")
""",
    ),
    "SK133: a second language of records that a key distinguishes by name": (
        "SK133",
        INFORMATION,
        """
class Template(Entity, table=App):
    shop_id: str
    template_name: str
    language: str
    primary = App.primary.key("SHOP#{shop_id}", "TEMPLATE#{template_name}")
""",
    ),
    "SK708: a key that says another status than the field": (
        "SK708",
        ERROR,
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
        "GSI1PK": "STATUS#open",
        "GSI1SK": "{job_id}",
        "job_id": "{job_id}",
        "status": "done",
    },
    condition="attribute_exists(PK)",
    arguments={"job_id": str},
)
""",
    ),
    "SK431: a put that can only create": (
        "SK431",
        INFORMATION,
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
    condition="attribute_not_exists(GSI1PK)",
    arguments={"job_id": str},
)
""",
    ),
    "SK431: a category, of records that are only updated": (
        "SK431",
        INFORMATION,
        """
class Product(Entity, table=App):
    product_id: str
    category_id: str
    stock: int
    primary = App.primary.key("PRODUCT#{product_id}", "PRODUCT")
    in_category = App.gsi1.key("CATEGORY#{category_id}", "{product_id}")

@pattern("Sell a product", rate="5/s")
def sell(product_id: str) -> Op[Product]:
    return Product.update(product_id=product_id).add(lambda p: p.stock).by(-1)
""",
    ),
    "SK201: a number from 1970, in a key that could not be made": (
        "SK201",
        INFORMATION,
        """
class Old(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Change(Entity, table=Old):
    user_id: str
    change_id: str
    timestamp_ms: int
    primary = Old.primary.key("USER#{user_id}", "CHANGE#{change_id}")
    by_status = Old.gsi1.key("STATUS#{status}", "TIME#{timestamp_ms}")
""",
    ),
    "SK206: the id of something that is named after a text": (
        "SK206",
        INFORMATION,
        """
class Old(Table, raw=True):
    pass

class Part(Entity, table=Old):
    topic_id: str
    part: str
    primary = Old.primary.key("TOPIC#{topic_id}#PART#{part}", "PART")
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
        INFORMATION,
        """
class Usage(Entity, table=App):
    user_id: str
    day: date
    primary = App.primary.key("USAGE#{day}", "{user_id}")
""",
    ),
    "SK803: a category, by its name": (
        "SK803",
        INFORMATION,
        """
class Product(Entity, table=App):
    product_id: str
    category: str
    primary = App.primary.key("PRODUCT#{product_id}", "PRODUCT")
    by_category = App.gsi1.key("CATEGORY#{category}", "{product_id}")
""",
    ),
    "SK803: one of two, written a few times a day as far as is said": (
        "SK803",
        INFORMATION,
        """
class Job(Entity, table=App):
    job_id: str
    status: Literal["open", "done"]
    primary = App.primary.key("JOB#{job_id}", "JOB")
    by_status = App.gsi1.key("STATUS#{status}", "{job_id}")

@pattern("Add a job", rate="50/day")
def add(job: Job) -> Op[Job]:
    return Job.create(job)

@pattern("Remove a job")
def remove(job_id: str) -> Op[Job | None]:
    return Job.delete(job_id=job_id)
""",
    ),
    "SK803: one of two, written fast as far as is said": (
        "SK803",
        WARNING,
        """
class Job(Entity, table=App):
    job_id: str
    status: Literal["open", "done"]
    primary = App.primary.key("JOB#{job_id}", "JOB")
    by_status = App.gsi1.key("STATUS#{status}", "{job_id}")

@pattern("Add a job", rate="400/s")
def add(job: Job) -> Op[Job]:
    return Job.create(job)

@pattern("Remove a job")
def remove(job_id: str) -> Op[Job | None]:
    return Job.delete(job_id=job_id)
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
    "SK421: a local index of a table that is queried": (
        "SK421",
        WARNING,
        LOCAL
        + """
notes = raw_pattern(
    "Notes of a user",
    table=Old,
    operation="Query",
    key_condition="PK = :pk",
    values={":pk": "USER#{user_id}"},
    arguments={"user_id": str},
)
""",
    ),
    "SK421: a global index beside another with the same partition": (
        "SK421",
        WARNING,
        LOCAL.replace("lsi(", 'gsi("PK", ')
        + """
notes = raw_pattern(
    "Notes of a user",
    table=Old,
    operation="Query",
    key_condition="PK = :pk",
    values={":pk": "USER#{user_id}"},
    arguments={"user_id": str},
)
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
    "SK906: a key in an index that others have": (
        "SK906",
        WARNING,
        """
class Note(Entity, table=App):
    note_id: str
    author: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

# Now:
class Note(Entity, table=App):
    note_id: str
    author: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")
    by_author = App.gsi1.key("AUTHOR#{author}", "{note_id}")
""",
    ),
    "SK906: a field with a default that is the key of an index": (
        "SK906",
        WARNING,
        """
class Sales(Table, partition="id"):
    pass

class Sale(Entity, table=Sales):
    id: str
    primary = Sales.primary.key()

# Now:
class Sales(Table, partition="id"):
    by_shop = gsi("shop")

class Sale(Entity, table=Sales):
    id: str
    shop: str = "main"
    primary = Sales.primary.key()
    of_shop = Sales.by_shop.key()
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
    "SK618: a design with backups, whose name is too long for a vault": (
        "SK618",
        ERROR,
        """
class Orders(Table, settings=Settings(backups=Backups())):
    pass

about = About(name="orders-of-the-shop-and-all-its-branches")
""",
    ),
    "SK618: a design without a letter to begin the name of its stack": (
        "SK618",
        ERROR,
        'about = About(name="24-seven")\n',
    ),
    "SK618: a path that belongs to AWS": (
        "SK618",
        ERROR,
        """
house = Standard("house", exported_as="/aws/{group}/{name}")

class Orders(
    Table, settings=Settings(standard=house, exported=Export("shop", "orders", "Of orders"))
):
    pass
""",
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
    "SK140: a planned time beside the id, which a put changes": (
        "SK140",
        WARNING,
        RAW
        + """
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
reschedule = raw_pattern(
    "Reschedule a call",
    table=Old,
    operation="PutItem",
    entity=Call,
    item=ITEM,
    arguments=GIVEN,
)
""",
    ),
    "SK140: a planned time beside an id by its name, which a put changes": (
        "SK140",
        INFORMATION,
        RAW
        + """
class Call(Entity, table=Old):
    user_id: str
    call_id: str
    scheduled_for: int
    primary = Old.primary.key("USER#{user_id}", "CALL#{scheduled_for:013d}#{call_id}")

ITEM = {
    "PK": "USER#{user_id}", "SK": "CALL#{scheduled_for:013d}#{call_id}",
    "user_id": "{user_id}", "call_id": "{call_id}", "scheduled_for": "{scheduled_for}",
}
GIVEN = {"user_id": str, "call_id": str, "scheduled_for": int}
reschedule = raw_pattern(
    "Reschedule a call",
    table=Old,
    operation="PutItem",
    entity=Call,
    item=ITEM,
    arguments=GIVEN,
)
""",
    ),
    "SK140: a new id beside what identifies a record": (
        "SK140",
        WARNING,
        """
class Visit(Entity, table=App, identity=("user_id", "country")):
    user_id: str
    country: str
    visit_id: str
    primary = App.primary.key("USER#{user_id}", "VISIT#{country}#{visit_id}")
""",
    ),
    "SK140: a number that is named as a time, beside the id of another entity": (
        "SK140",
        WARNING,
        """
class Product(Entity, table=App):
    product_id: str
    primary = App.primary.key("PRODUCT#{product_id}", "PRODUCT")

class Favourite(Entity, table=App, identity=("user_id", "product_id")):
    user_id: str
    product_id: str
    timestamp_ms: Annotated[int, Field(ge=0)]
    primary = App.primary.key("USER#{user_id}", "LIKES#{product_id}#{timestamp_ms:013d}")
""",
    ),
    "SK208: a time that the key cuts to its day, beside another record's id": (
        "SK208",
        WARNING,
        """
class Loan(Entity, table=App):
    user_id: str
    book: str
    lent_at: datetime
    primary = App.primary.key("USER#{user_id}", "LOAN#{book}#{lent_at:%Y-%m-%d}")
""",
    ),
    "SK703: a put beside the marker of another batch": (
        "SK703",
        WARNING,
        RAW
        + """
add = raw_pattern(
    "Add a note",
    operation="TransactWriteItems",
    actions=[
        RawRequest(
            "Put",
            Old,
            item={"PK": "BATCH#{batch}", "SK": "BATCH"},
            condition="attribute_not_exists(PK)",
        ),
        RawRequest("Put", Old, item={"PK": "USER#{user_id}", "SK": "NOTE", "text": "{text}"}),
    ],
    arguments={"batch": str, "user_id": str, "text": str},
)
""",
    ),
    "SK140: a key with another value than the identity": (
        "SK140",
        INFORMATION,
        """
class App(Table):
    pass

class Answer(Entity, table=App, identity=("user_id", "question_id")):
    user_id: str
    question_id: str
    text: str
    primary = App.primary.key("USER#{user_id}", "ANSWER#{question_id}#{text}")
""",
    ),
    "SK414: an index whose constant sort key leaves many records under one key": (
        "SK414",
        INFORMATION,
        """
class App(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Vote(Entity, table=App):
    user_id: str
    poll_id: str
    primary = App.primary.key("USER#{user_id}", "VOTE#{poll_id}")
    of_poll = App.gsi1.key("POLL#{poll_id}", "VOTE")

@pattern("Votes of a poll", rate="1/s")
def votes(poll_id: str) -> Op[list[Vote]]:
    return Vote.query(Vote.of_poll, poll_id=poll_id)
""",
    ),
    "SK519: a key attribute that is a field, which never has the value": (
        "SK519",
        ERROR,
        """
class Old(Table, raw=True):
    by_kind = gsi("kind", "day")

class Log(Entity, table=Old):
    log_id: str
    kind: Literal["access", "audit"]
    day: str
    primary = Old.primary.key("LOG#{log_id}", "LOG")
    of_kind = Old.by_kind.key()

logs = raw_pattern("Logs of a kind", table=Old, index="by_kind", operation="Query", entity=Log,
    key_condition="kind = :kind", values={":kind": "audits"}, page=20, limit=20)
""",
    ),
    "SK523: a constant that is none of the field's values": (
        "SK523",
        WARNING,
        """
class Old(Table, raw=True):
    pass

class Job(Entity, table=Old):
    shop: str
    job_id: str
    status: Literal["open", "done"]
    primary = Old.primary.key("SHOP#{shop}", "JOB#{job_id}")

jobs = raw_pattern("Open jobs", table=Old, operation="Query", entity=Job, page=20, limit=20,
    key_condition="PK = :pk", filter="#status = :status", names={"#status": "status"},
    values={":pk": "SHOP#{shop}", ":status": "opened"}, arguments={"shop": str})
""",
    ),
    "SK135: an empty text that a put writes into an index of a raw table": (
        "SK135",
        ERROR,
        """
class Old(Table, raw=True):
    by_end = gsi("team", "end")

class Course(Entity, table=Old):
    course_id: str
    team: str
    end: str = ""
    primary = Old.primary.key("COURSE#{course_id}", "COURSE")
    of_team = Old.by_end.key()

@pattern("Save a course", rate="1/s")
def save(course: Course) -> Op[Course]:
    return course.put()
""",
    ),
    "SK706: a list with as many members as its type allows, and one action more": (
        "SK706",
        ERROR,
        NOTE.format(said="")
        + """
@pattern("Write notes", rate="1/s")
def write(first: Note, more: Annotated[list[Note], Field(max_length=100)]) -> Op[None]:
    return transact(first.create(), *(note.create() for note in more))
""",
    ),
    "SK706: a list of any length": (
        "SK706",
        INFORMATION,
        NOTE.format(said="")
        + """
@pattern("Write notes", rate="1/s")
def write(first: Note, more: list[Note]) -> Op[None]:
    return transact(first.create(), *(note.create() for note in more))
""",
    ),
    "SK706: a list within a record": (
        "SK706",
        ERROR,
        NOTE.format(said="")
        + """
class Pile(Entity, table=App):
    pile_id: str
    note_ids: Annotated[list[str], Field(max_length=120)]
    primary = App.primary.key("PILE#{pile_id}", "PILE")

@pattern("Write a pile of notes", rate="1/s")
def write(pile: Pile) -> Op[None]:
    notes = [Note(user_id=pile.pile_id, note_id=one) for one in pile.note_ids]
    return transact(pile.create(), *(note.create() for note in notes))
""",
    ),
    "SK716: a marker, also with an id": (
        "SK716",
        INFORMATION,
        RAW
        + """
class ProcessedBatch(Entity, table=Old):
    batch_id: str
    ttl: int
    primary = Old.primary.key("BATCH#{batch_id}", "BATCH")

once = raw_pattern(
    "Once",
    table=Old,
    operation="PutItem",
    entity=ProcessedBatch,
    item={"PK": "BATCH#{batch_id}", "SK": "BATCH", "batch_id": "{batch_id}", "ttl": "{until}"},
    condition="attribute_not_exists(PK)",
    arguments={"batch_id": str, "until": int},
)
""",
    ),
    "SK420: an entity that patterns only update": (
        "SK420",
        INFORMATION,
        RAW
        + """
class Product(Entity, table=Old):
    product_id: str
    title: str
    stock: int
    primary = Old.primary.key("PRODUCT#{product_id}", "PRODUCT")

sell = raw_pattern(
    "Sell",
    table=Old,
    operation="UpdateItem",
    entity=Product,
    key={"PK": "PRODUCT#{product_id}", "SK": "PRODUCT"},
    update="ADD stock :change",
    values={":change": "{change}"},
    arguments={"product_id": str, "change": int},
)
""",
    ),
    "SK431: a due date that only a put sets, which is meant to insert": (
        "SK431",
        INFORMATION,
        RAW
        + """
class Bill(Entity, table=Old):
    bill_id: str
    due_date: date
    primary = Old.primary.key("BILL#{bill_id}", "BILL")
    by_date = Old.gsi1.key("BILLS", "{due_date}")

insert = raw_pattern(
    "Insert a bill",
    table=Old,
    operation="PutItem",
    entity=Bill,
    item={"PK": "BILL#{bill_id}", "SK": "BILL", "GSI1PK": "BILLS", "GSI1SK": "{due_date}"},
    arguments={"bill_id": str, "due_date": date},
)
""",
    ),
    "SK432: a session that a read decides on": (
        "SK432",
        INFORMATION,
        """
class UserSession(Entity, table=App):
    user_id: str
    session_id: str
    primary = App.primary.key("USER#{user_id}", "SESSION#{session_id}")
    by_id = App.gsi1.key("SESSION#{session_id}", "SESSION")

@pattern("Verify a session", rate="50/s")
def verify(session_id: str) -> Op[UserSession | None]:
    return UserSession.query(UserSession.by_id, session_id=session_id).one()
""",
    ),
    "SK433: the key of a table without a sort key": (
        "SK433",
        INFORMATION,
        """
class Users(Table, raw=True, partition="userId"):
    pass

user = raw_pattern(
    "A user",
    table=Users,
    operation="Query",
    key_condition="userId = :id",
    values={":id": "{user_id}"},
    arguments={"user_id": str},
)
""",
    ),
    "SK812: a time that each call sets": (
        "SK812",
        INFORMATION,
        RAW
        + """
class Device(Entity, table=Old):
    device_id: str
    contact: datetime
    primary = Old.primary.key("DEVICE#{device_id}", "DEVICE")
    latest = Old.gsi1.key("DEVICES", "{contact}")

touch = raw_pattern(
    "Touch",
    table=Old,
    operation="UpdateItem",
    entity=Device,
    key={"PK": "DEVICE#{device_id}", "SK": "DEVICE"},
    update="SET contact = :now, GSI1SK = :now",
    condition="attribute_exists(PK)",
    values={":now": "{now()}"},
    arguments={"device_id": str},
)
""",
    ),
    "SK812: a count that is raised often": (
        "SK812",
        WARNING,
        """
class Articles(Table):
    top = gsi("topic", number("reads"), name="top")

class Article(Entity, table=Articles):
    article_id: str
    topic: str
    reads: int = 0
    primary = Articles.primary.key("ARTICLE#{article_id}", "ARTICLE")
    by_reads = Articles.top.key()

@pattern("Count a read", rate="50/s")
def count(article_id: str) -> Op[Article]:
    return Article.update(article_id=article_id).add(lambda a: a.reads).by(1)
""",
    ),
    "SK812: a score that each put brings along": (
        "SK812",
        INFORMATION,
        """
class Scores(Table, raw=True):
    ranks = gsi("game", number("score"), name="ranks")

class Entry(Entity, table=Scores):
    game: str
    player: str
    score: int
    primary = Scores.primary.key("GAME#{game}", "PLAYER#{player}")
    ranked = Scores.ranks.key()

submit = raw_pattern(
    "Submit a score",
    table=Scores,
    operation="PutItem",
    entity=Entry,
    item={"PK": "GAME#{game}", "SK": "PLAYER#{player}", "game": "{game}", "score": "{score}"},
    arguments={"game": str, "player": str, "score": int},
)
""",
    ),
}


@pytest.mark.parametrize("case", FOUND)
def test_a_rule_finds_it(case: str) -> None:
    code, severity, design = FOUND[case]
    found = [found for found in report_of(design).open if found.code == code]

    assert [one.severity for one in found[:1]] == [severity]


@pytest.mark.parametrize(
    ("table", "sort", "said"),
    [
        ("    pass", "{gate}#{number:012d}", "may split it by its sort key"),
        ("    pass", "{number:012d}", "are all added at its end"),
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
    [hot] = [found for found in report_of(design).open if found.code == "SK801"]

    assert said in hot.fix


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

    assert group.first.code == "SK414"
    assert "the expected number of records is not declared" in group.first.message


GROWING = """
class Visit(Entity, table=App):
    user_id: str
    visit_id: str
    place: str
    at: datetime
    last_seen: datetime
    {more}
    primary = App.primary.key("VISIT#{{visit_id}}", "VISIT")
    listed = App.gsi1.key("{partition}", "{sort}")

@pattern("Visits", rate="5/s")
def visits({chosen}: {kind}) -> Op[list[Visit]]:
    return Visit.query(Visit.listed, {chosen}={chosen})
"""


@pytest.mark.parametrize(
    ("partition", "sort", "chosen", "more", "is_judged"),
    [
        ("USER#{user_id}", "{at}", "user_id: str", "", True),
        ("USER#{user_id}", "{place}", "user_id: str", "", True),
        ("DAY#{at:%Y-%m-%d}", "{at}", "at: datetime", "", False),
        ("FOUND#{visit_id}", "{at}", "visit_id: str", "", False),
        ("USER#{user_id}", "{at}", "user_id: str", "expires: TTL", False),
    ],
)
def test_a_day_an_id_or_an_expiry_ends_the_growth_of_a_partition(
    partition: str, sort: str, chosen: str, more: str, *, is_judged: bool
) -> None:
    name, _, kind = chosen.partition(": ")
    design = GROWING.format(partition=partition, sort=sort, chosen=name, kind=kind, more=more)
    design = f"""
class App(Table, ttl="expires"):
    gsi1 = gsi("GSI1PK", "GSI1SK")
{design}"""
    report = report_of(design)

    assert [one.code for one in report.open if one.code == "SK414"] == (
        ["SK414"] if is_judged else []
    )
    assert bool(list(report.not_judged)) is not is_judged


def test_a_time_that_each_write_moves_is_no_growth() -> None:
    design = """
class Device(Entity, table=App):
    owner_id: str
    device_id: str
    last_seen_at: datetime
    primary = App.primary.key("DEVICE#{device_id}", "DEVICE")
    by_owner = App.gsi1.key("OWNER#{owner_id}", "{last_seen_at}")

@pattern("An owner's devices", rate="5/s")
def devices(owner_id: str) -> Op[list[Device]]:
    return Device.query(Device.by_owner, owner_id=owner_id)
"""
    assert [group.first.code for group in report_of(design).not_judged] == ["SK414"]


LACKING = """
class Old(Table, raw=True, type_attribute=None):
    gsi1 = gsi("GSI1PK", "GSI1SK", project=["PK", "SK", "due"])

class Task(Entity, table=Old):
    task_id: str
    due: datetime
    primary = Old.primary.key("TEAM#{team_id}", "TASK#{due:%Y-%m-%d}")
    by_state = Old.gsi1.key("TEAM#{team_id}#{state}", "{due}")

add = raw_pattern(
    "Add a task",
    table=Old,
    operation="PutItem",
    entity=Task,
    item={
        "PK": "TEAM#{team_id}",
        "SK": "TASK#{due:%Y-%m-%d}",
        "GSI1PK": "TEAM#{team_id}#open",
        "GSI1SK": "{due}",
        "task_id": "{task_id}",
        "due": "{due}",
    },
    condition="attribute_not_exists(PK)",
    arguments={"team_id": str, "task_id": str, "due": datetime},
)
samples = [{"PK": "TEAM#1", "SK": "TASK#2026-01-01", "task_id": "1", "due": "2026-01-01T10:00:00Z"}]
"""


def test_an_entity_that_lacks_a_field_of_its_key_is_judged_further() -> None:
    found = [one for one in report_of(LACKING).open if one.severity is not INFORMATION]

    assert [(one.code, one.where) for one in found] == [
        *(("SK200", "Task.by_state.GSI1PK"), ("SK200", "Task.primary.PK")),
        ("SK208", "Task.primary"),
    ]
    assert "and so does another template" in found[1].message


def test_the_field_that_an_entity_lacks_is_reported_once() -> None:
    others = [one for one in report_of(LACKING).open if one.code != "SK200"]

    assert not [one for one in others if "team_id" in one.message.partition("#")[0]]


def test_a_copy_that_keeps_its_value_is_not_named_with_those_that_become_stale() -> None:
    report = report_of("""
class Author(Entity, table=App):
    author_id: str
    name: str
    photo: str
    born: Annotated[date, immutable]
    primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")

class Book(
    Entity,
    table=App,
    relations=(refers("author_id", Author, copies=("author_name", "photo", "author_born")),),
):
    isbn: str
    author_id: str
    author_name: Annotated[str, immutable]
    photo: str
    author_born: date
    primary = App.primary.key("BOOK#{isbn}", "BOOK")
""")

    assert [f.message for f in report.open if f.code == "SK709"] == [
        "it copies photo of Author, but nothing refreshes the copy"
    ]


def test_advice_with_an_alias_says_which_name_it_stands_for() -> None:
    counted = (
        BOATS.replace("trip_count", "count")
        + """
count = raw_pattern(
    "Trips of a boat",
    table=Old,
    operation="UpdateItem",
    entity=Boat,
    key={"PK": "BOAT#{boat_id}", "SK": "BOAT"},
    update="SET #c = :trips",
    condition="attribute_exists(PK)",
    names={"#c": "count"},
    values={":trips": "{trips}"},
    arguments={"boat_id": str, "trips": int},
)
"""
    )
    [fix] = [f.fix for f in report_of(counted).open if f.code == "SK720"]

    assert '`condition="#count = :loaded"` and `names={"#count": "count"}`' in fix
