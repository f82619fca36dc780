"""Designs with functions of any kind, drawn at random: what one of them has, another has not."""

from collections.abc import Sequence
from datetime import timedelta
from random import Random
from types import ModuleType
from typing import TypeVar

from sortkey import (
    About,
    Alarms,
    Bucket,
    Entity,
    ExternalService,
    Function,
    HttpApi,
    OnChange,
    OnMessage,
    Op,
    Queue,
    Role,
    Route,
    Schedule,
    Setting,
    Settings,
    Table,
    pattern,
)
from sortkey.design.declaring.design import Design, design_of
from sortkey.design.declaring.functions import LOG_DAYS, Event, Trigger

T = TypeVar("T")


class Notes(
    Table,
    name="notes-{environment}",
    settings=Settings(stream="NEW_AND_OLD_IMAGES", alarms=Alarms(), removal={"dev": "destroy"}),
):
    """Notes."""


class Note(Entity, table=Notes):
    user_id: str
    note_id: str
    primary = Notes.primary.key("USER#{user_id}", "NOTE#{note_id}")


class Label(Entity, table=Notes):
    label_id: str
    primary = Notes.primary.key("LABEL#{label_id}", "LABEL")


@pattern("Notes of a user")
def notes_of(user_id: str) -> Op[list[Note]]:
    return Note.query(Note.primary, user_id=user_id)


@pattern("Write a label")
def write(label: Label) -> Op[Label]:
    return label.put()


ROLES = (
    Role("idle", []),
    Role("reader", [notes_of]),
    Role("user", [notes_of], acts_for="user_id"),
    Role("writer", [write, notes_of], attached_to="{environment}-writer"),
)
ISSUER = Setting("ISSUER", "Who signs tokens")
SETTINGS = (
    Setting("SIZE", 'How many, such as "20"', default="20"),
    Setting("EMPTY", "Nothing", default=""),
    Setting("KEY", "A key", secret=True),
)
APIS = (
    HttpApi("api", issuer=ISSUER, audience="notes", origins=("https://a.example", "http://b")),
    HttpApi("other", issuer="https://issuer.example", audience=SETTINGS[0]),
    HttpApi("strict", issuer=ISSUER, audience="notes", algorithms=("RS256", "ES256")),
    HttpApi("open"),
)
QUEUES = (
    Queue("events", invisible=timedelta(minutes=90), deliveries=1),
    Queue("mails", retention=timedelta(minutes=1), invisible=timedelta(hours=12)),
    Queue("sent", invisible=timedelta()),
)
BUCKETS = (Bucket("reports", keep_days=7), Bucket("labels"))
SERVICES = (
    ExternalService("rooms", "notes.fakes:rooms", (Setting("ROOMS_URL", "Where rooms are"),)),
    ExternalService("mail", "notes.fakes:mail", (Setting("MAIL_KEY", "A key", secret=True),)),
)
SCHEDULES = ("rate(1 minute)", "rate(7 days)", "cron(0/5 8-17 ? * MON-FRI *)")
EVENTS: tuple[Event, ...] = ("INSERT", "MODIFY", "REMOVE")


def generated(random: Random) -> Design:
    """Return a design with up to four functions."""
    module = ModuleType("generated")
    vars(module)["table"] = Notes
    vars(module)["about"] = About(
        name="generated",
        environments=("dev", "prod"),
        architecture=random.choice(("arm64", "x86_64")),
    )
    names = some(random, ("first", "second-one", "third", "the-4th"), least=1)
    vars(module).update({name: _function(random, name) for name in names})
    return design_of("generated", [module])


def some(random: Random, choices: Sequence[T], least: int = 0) -> list[T]:
    """Return some of these, each at most once."""
    return random.sample(choices, random.randint(least, len(choices)))


def _function(random: Random, name: str) -> Function:
    triggers: list[Trigger] = [
        *(
            Route(
                api,
                f"{random.choice(('GET', 'POST', 'DELETE'))} /{name}/{{key}}",
                random.random() < 0.3,
            )
            for api in some(random, APIS)
        ),
        *(Schedule(text) for text in some(random, SCHEDULES)),
        *(OnMessage(queue, random.choice((1, 10, 100))) for queue in some(random, QUEUES[:2])),
        *(
            OnChange(
                Notes,
                entities=some(random, (Note, Label)),
                events=some(random, EVENTS),
                batch=random.choice((1, 100)),
                retries=random.choice((0, 3)),
            )
            for _ in range(random.randint(0, 2))
        ),
    ]
    return Function(
        name,
        f"notes.{name.replace('-', '_')}:handler",
        random.choice(ROLES),
        triggers=triggers,
        memory=random.choice((128, 512, 10_240)),
        timeout=timedelta(seconds=random.choice((1, 29))),
        environment={s.variable: s for s in some(random, SETTINGS)} | {"TEXT": '"${x}" %{y} \\'},
        concurrency=random.choice((None, 1)),
        sends_to=some(random, QUEUES),
        reads=some(random, BUCKETS),
        writes=some(random, BUCKETS),
        calls=some(random, SERVICES),
        log_days=random.choice((None, *LOG_DAYS)),
    )
