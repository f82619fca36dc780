"""Requests that write and compare values of a field's own type, and of others."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from sortkey import TTL, Entity, EpochSeconds, RawPattern, Table, raw_pattern


class Level(Enum):
    LOW = "low"
    HIGH = "high"


class Game(Table, raw=True, ttl="expires"):
    pass


class Player(Entity, table=Game):
    player_id: str
    coins: int
    nick: str
    level: Level = Level.LOW
    state: Literal["on", "off"] = "on"
    rank: Annotated[int, Field(le=9)] = 1
    score: Decimal = Decimal(0)
    joined: datetime = datetime(2024, 1, 1, tzinfo=UTC)
    born: date | None = None
    seen: EpochSeconds | None = None
    expires: TTL | None = None
    device: UUID | None = None
    tags: set[str] = Field(default_factory=set)
    friends: list[str] = Field(default_factory=list)
    address: dict[str, Any] = Field(default_factory=dict)
    primary = Game.primary.key("PLAYER#{player_id}", "PLAYER")


KEY = {"PK": "PLAYER#{id}", "SK": "PLAYER"}
WHOLE = {**KEY, "coins": 5, "nick": "Ann"}
EXISTS = "attribute_exists(PK)"


def put(title: str, item: dict[str, Any], **arguments: Any) -> RawPattern:
    """A put of a whole player, with these attributes too."""
    return raw_pattern(
        title,
        table=Game,
        operation="PutItem",
        item=WHOLE | item,
        arguments={"id": str, **arguments},
        condition="attribute_not_exists(PK)",
        entity=Player,
    )


def updated(title: str, update: str, value: Any, **arguments: Any) -> RawPattern:
    """An update of a player by one value."""
    return raw_pattern(
        title,
        table=Game,
        operation="UpdateItem",
        key=KEY,
        update=update,
        values={":v": value},
        arguments={"id": str, **arguments},
        condition=EXISTS,
        entity=Player,
    )


def filtered(title: str, condition: str, value: Any, **arguments: Any) -> RawPattern:
    """A query of a player by one more value."""
    return raw_pattern(
        title,
        table=Game,
        operation="Query",
        key_condition="PK = :pk",
        filter=condition,
        names={"#state": "state"} if "#state" in condition else {},
        values={":pk": "PLAYER#{id}", ":v": value},
        arguments={"id": str, **arguments},
        entity=Player,
    )


# Values that a field can hold.

whole = put("whole", {})
times = put("times", {"joined": "{at}", "seen": "{at}", "born": "{day}"}, at=datetime, day=date)
ttl_has_its_own_rule = put("ttl has its own rule", {"expires": "soon"})
now = put("now", {"joined": "{now()}", "seen": "{now()}"})
epoch = put("epoch", {"seen": "{seconds}"}, seconds=int)
iso = put("iso", {"born": "{day}"}, day=Annotated[str, Field(pattern=r"^20\d\d-0[1-9]-0[1-9]$")])
choices = put("choices", {"level": "high", "state": "off"})
choice = put("choice", {"level": "{level}", "state": "{state}"}, level=Level, state=str)
device = put("device", {"device": "{device}"}, device=str)
nested = put(
    "nested", {"address": {"town": "{town}", "zip": 5}, "friends": ["{a}"]}, town=str, a=str
)
undeclared = put("undeclared", {"shoe": 44})
day_as_text = put("day as text", {"nick": "{day}"}, day=date)
money = put("money", {"score": "{score}"}, score=int)
earn = updated("earn", "ADD coins :v", 1)
first = updated("first", "SET coins = if_not_exists(coins, :v)", 1)
more = updated("more", "SET coins = coins + :v", 1)
tag = updated("tag", "ADD tags :v", {"new"})
untag = updated("untag", "DELETE tags :v", {"old"})
befriend = updated("befriend", "SET friends = list_append(friends, :v)", ["Bob"])
count = updated("count", "ADD visits :v", 1)
rich = filtered("rich", "coins > :v", 100)
called = filtered("called", "begins_with(nick, :v)", "A")
tagged = filtered("tagged", "contains(tags, :v)", "new")
long = filtered("long", "size(nick) > :v", 3)
young = filtered("young", "born > :v", "{day}", day=date)


# Values that a field cannot hold.

text_into_number = put("text into number", {"coins": "{coins}"}, coins=str)
text_into_time = put("text into time", {"joined": "{at}"}, at=str)
text_into_day = put("text into day", {"born": "soon"})
text_into_seconds = put("text into seconds", {"seen": "{at}"}, at=str)
number_into_text = put("number into text", {"nick": 7})
time_into_number = put("time into number", {"coins": "{now()}"})
other_choice = put("other choice", {"level": "middle"})
beyond = put("beyond", {"rank": 10})
set_text = updated("set text", "SET coins = :v", "many")
set_default = updated("set default", "SET coins = if_not_exists(coins, :v)", "0")
add_to_text = updated("add to text", "ADD nick :v", 1)
add_to_list = updated("add to list", "ADD friends :v", {"Bob"})
sum_of_text = updated("sum of text", "SET nick = nick + :v", 1)
append_to_set = updated("append to set", "SET tags = list_append(tags, :v)", ["new"])
delete_from_list = updated("delete from list", "DELETE friends :v", {"Bob"})


# Comparisons with another type.

number_as_text = filtered("number as text", "coins > :v", "100")
text_as_number = filtered("text as number", "nick = :v", "{n}", n=int)
one_of = filtered("one of", "nick IN (:v)", 5)
never_less = filtered("never less", "NOT coins < :v", "5")
always_other = filtered("always other", "coins <> :v", "5")
prefix_of_number = filtered("prefix of number", "begins_with(coins, :v)", "1")
number_in_texts = filtered("number in texts", "contains(tags, :v)", 5)
guarded = raw_pattern(
    "guarded",
    table=Game,
    operation="DeleteItem",
    key=KEY,
    condition="coins = :zero",
    values={":zero": "0"},
    arguments={"id": str},
    entity=Player,
)
