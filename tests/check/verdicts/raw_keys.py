"""Requests whose keys fit the templates of the entities, and requests whose keys do not."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from sortkey import Entity, RawPattern, RawRequest, Table, gsi, raw_pattern, unique
from sortkey.design.declaring.pattern import Meaning


class Shop(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK", name="GSI1")
    inverse = gsi("SK", "PK", name="inverse")


class User(Entity, table=Shop):
    user_id: str
    primary = Shop.primary.key("USER#{user_id}", "PROFILE")


class Order(Entity, table=Shop):
    user_id: str
    order_id: str
    day: date
    primary = Shop.primary.key("USER#{user_id}", "ORDER#{day}#{order_id}")
    by_day = Shop.gsi1.key("DAY#{day}", "ORDER#{order_id}")


class Item(Entity, table=Shop):
    user_id: str
    item_id: str
    number: int
    primary = Shop.primary.key("USER#{user_id}", "ITEM#{item_id}#{number:04d}")


class Account(Entity, table=Shop):
    account_id: str
    mail: Annotated[str, unique]
    primary = Shop.primary.key("ACCOUNT#{account_id}", "ACCOUNT")


class Entry(Entity, table=Shop):
    day: date
    entry_id: str
    primary = Shop.primary.key("LOG", "{day}#{entry_id}")


class Past(Entity, table=Shop, upcasts=[lambda item: item | {"note": {"S": ""}}]):
    past_id: str
    note: str
    primary = Shop.primary.key("PAST#{past_id}", "PAST")


DAYS = {"user": str, "start": date, "end": date}
ORDER = {"user": str, "day": date, "order": str}
ORDER_KEY = {"PK": "USER#{user}", "SK": "ORDER#{day}#{order}"}


def queried(
    title: str,
    sort: str,
    *texts: str,
    partition: str = "USER#{user}",
    arguments: dict[str, Any] = DAYS,
    where: Meaning | None = None,
    **members: Any,
) -> RawPattern:
    """A query of a user's partition."""
    condition = " AND ".join(filter(None, ["PK = :pk", sort]))
    values = dict(zip((":a", ":b"), texts, strict=False))
    return raw_pattern(
        title,
        table=Shop,
        operation="Query",
        key_condition=condition,
        values={":pk": partition, **values},
        arguments=arguments,
        where=where,
        **members,
    )


# What fits.

PREFIX, WHOLE, RANGE = "begins_with(SK, :a)", "SK = :a", "SK BETWEEN :a AND :b"
KINDS = Literal["ORDER", "ITEM"]
MONTH = Annotated[str, Field(pattern=r"^\d{4}-\d\d$")]
USER_KEY = Annotated[str, Field(pattern=r"^USER#[a-z]+$")]

part_of_a_word = queried("part of a word", PREFIX, "ORD", entity=Order)
month = queried("month", PREFIX, "ORDER#{m}", arguments={"user": str, "m": MONTH}, entity=Order)
this_year = queried("this year", PREFIX, "ORDER#{now():%Y}", arguments={"user": str}, entity=Order)
behind_the_last = queried("behind the last", RANGE, "ORDER#{start}", "ORDER#{end}#~", entity=Order)
next_character = queried(
    "next character", RANGE, "ORDER#", "ORDER$", arguments={"user": str}, entity=Order
)
everything = queried("everything", RANGE, "A", "Z", entities=[User, Order, Item])
since = queried("since", "SK >= :a", "ORDER#{start}", entity=Order)
before = queried("before", "SK < :a", "ORDER#{end}", entity=Order)
until_before = queried(
    "until before",
    RANGE,
    "ORDER#{start}",
    "ORDER#{end}",
    entity=Order,
    where=lambda order, user, start, end: order.user_id == user and start <= order.day < end,
)
either = queried("either", PREFIX, "{kind}#", arguments={"user": str, "kind": KINDS})
padded = queried(
    "padded",
    WHOLE,
    "ITEM#{item}#{number}",
    arguments={"user": str, "item": str, "number": int},
    entity=Item,
)
word_as_argument = queried(
    "word as argument",
    WHOLE,
    "{word}#{item}#{number}",
    arguments={"user": str, "word": str, "item": str, "number": int},
    entity=Item,
)
inverse_profile = raw_pattern(
    "inverse profile",
    table=Shop,
    operation="Query",
    index="inverse",
    key_condition="SK = :sk AND PK = :pk",
    values={":sk": "PROFILE", ":pk": "USER#{user}"},
    arguments={"user": str},
    entity=User,
)
either_of_two = raw_pattern(
    "either of two",
    table=Shop,
    operation="Scan",
    filter="begins_with(SK, :order) OR SK = :profile",
    values={":order": "ORDER#", ":profile": "PROFILE"},
    entities=[Order, User],
)
lock = raw_pattern(
    "lock",
    operation="TransactWriteItems",
    actions=[
        RawRequest("Put", Shop, item={"PK": "USER#{user}", "SK": "PROFILE"}, entity=User),
        RawRequest(
            "Put",
            Shop,
            item={"PK": "EMAIL#{email}", "SK": "LOCK"},
            condition="attribute_not_exists(PK)",
        ),
    ],
    arguments={"user": str, "email": str},
)
unlock = raw_pattern(
    "unlock",
    table=Shop,
    operation="DeleteItem",
    key={"PK": "EMAIL#{email}", "SK": "LOCK"},
    arguments={"email": str},
)
locks = raw_pattern(
    "locks",
    table=Shop,
    operation="Scan",
    filter="begins_with(PK, :lock)",
    values={":lock": "EMAIL#"},
)
earlier_shape = raw_pattern(
    "earlier shape",
    table=Shop,
    operation="PutItem",
    item={"PK": "PAST#{past}", "SK": "PAST"},
    condition="attribute_not_exists(PK)",
    arguments={"past": str},
    entity=Past,
)
unique_lock = raw_pattern(
    "unique lock",
    table=Shop,
    operation="GetItem",
    key={"PK": "UNIQUE#Account#mail#{mail}", "SK": "UNIQUE"},
    arguments={"mail": str},
)
own_prefix = raw_pattern(
    "own prefix",
    table=Shop,
    operation="Query",
    key_condition="PK = :pk AND begins_with(SK, :start)",
    values={":pk": "LOG", ":start": "{start}"},
    arguments={"start": str},
    entity=Entry,
)


# What never fits.

other_word = queried("other word", PREFIX, "ORDERS#", entity=Order)
other_case = queried("other case", "", partition="user#{user}", arguments={"user": str})
other_range = queried("other range", RANGE, "KID#{start}", "KID#{end}", entity=Order)
too_late = queried("too late", "SK > :a", "S", entity=Order)
no_delimiter = queried("no delimiter", RANGE, "ORDER{start}", "ORDER{end}", entity=Order)
bare_days = queried("bare days", RANGE, "{start}", "{end}", entity=Order)
longer = queried("longer", WHOLE, "PROFILE#{user}", entity=User)
other_width = queried(
    "other width",
    WHOLE,
    "ITEM#{item}#{number:02d}",
    arguments={"user": str, "item": str, "number": int},
    entity=Item,
)
dead_choice = queried(
    "dead choice",
    PREFIX,
    "{kind}#",
    arguments={"user": str, "kind": Literal["ORDER", "THING"]},
)
one_of_two = queried("one of two", PREFIX, "ORDER#", entities=[Order, Item])
not_in_index = raw_pattern(
    "not in index",
    table=Shop,
    operation="Query",
    index="GSI1",
    key_condition="GSI1PK = :pk",
    values={":pk": "DAY#{day}"},
    arguments={"day": date},
    entity=User,
)
other_partition = raw_pattern(
    "other partition",
    table=Shop,
    operation="Query",
    index="GSI1",
    key_condition="GSI1PK = :pk",
    values={":pk": "USER#{user}"},
    arguments={"user": str},
)
filtered = raw_pattern(
    "filtered",
    table=Shop,
    operation="Scan",
    filter="begins_with(SK, :sk)",
    values={":sk": "ORDR#"},
    entity=Order,
)
written_index = raw_pattern(
    "written index",
    table=Shop,
    operation="PutItem",
    item={
        **ORDER_KEY,
        "GSI1PK": "D#{day}",
        "GSI1SK": "ORDER#{order}",
        "user_id": "{user}",
        "order_id": "{order}",
        "day": "{day}",
    },
    arguments=ORDER,
    entity=Order,
)
updated_index = raw_pattern(
    "updated index",
    table=Shop,
    operation="UpdateItem",
    key=ORDER_KEY,
    update="SET GSI1PK = :day",
    values={":day": "DAYS#{day}"},
    arguments=ORDER,
    entity=Order,
)
batch = raw_pattern(
    "batch",
    operation="BatchGetItem",
    actions=[
        RawRequest("Get", Shop, key={"PK": "USER#{user}", "SK": "PROFILE"}, entity=User),
        RawRequest("Get", Shop, key={"PK": "USER#{user}", "SK": "PROFIL"}, entity=User),
    ],
    arguments={"user": str},
)
transaction = raw_pattern(
    "transaction",
    operation="TransactWriteItems",
    actions=[
        RawRequest("ConditionCheck", Shop, key=ORDER_KEY, condition="attribute_exists(PK)"),
        RawRequest("Delete", Shop, key={"PK": "USR#{user}", "SK": "PROFILE"}, entity=User),
    ],
    arguments=ORDER,
)
undeclared = raw_pattern(
    "undeclared",
    table=Shop,
    operation="PutItem",
    item={"PK": "COUNTER#{user}", "SK": "COUNTER"},
    arguments={"user": str},
)


# An argument that has to bring literal text along.


def got(title: str, where: Meaning | None = None, of: Any = str) -> RawPattern:
    """A read of a user whose whole partition key is given."""
    return raw_pattern(
        title,
        table=Shop,
        operation="GetItem",
        key={"PK": "{pk}", "SK": "PROFILE"},
        arguments={"pk": of},
        where=where,
        entity=User,
    )


bare = got("bare")
bare_id = got("bare id", lambda user, pk: user.user_id == pk)
whole_key = got("whole key", lambda user, pk: f"USER#{user.user_id}" == pk)
whole_key_by_type = got("whole key by type", of=USER_KEY)
any_item = raw_pattern(
    "any item",
    table=Shop,
    operation="GetItem",
    key={"PK": "{pk}", "SK": "{sk}"},
    arguments={"pk": str, "sk": str},
)
both_bare = raw_pattern(
    "both bare",
    table=Shop,
    operation="DeleteItem",
    key={"PK": "{user}", "SK": "{part}"},
    arguments={"user": str, "part": str},
    entity=User,
)
whole_key_by_name = raw_pattern(
    "whole key by name",
    table=Shop,
    operation="DeleteItem",
    key={"PK": "{pk}", "SK": "{sk}"},
    arguments={"pk": str, "sk": str},
    entity=User,
)
two_slots = queried(
    "two slots", WHOLE, "ORDER#{order}", arguments={"user": str, "order": str}, entity=Order
)
two_slots_at_once = queried(
    "two slots at once",
    WHOLE,
    "ORDER#{order}",
    arguments={"user": str, "order": str},
    entity=Order,
    where=lambda record, user, order: (
        record.user_id == user and f"{record.day}#{record.order_id}" == order
    ),
)
bare_range = queried(
    "bare range",
    RANGE,
    "{first}",
    "{last}",
    arguments={"user": str, "first": str, "last": str},
    entity=Order,
)


# An end that is shorter than the keys.

short_end = queried("short end", RANGE, "ORDER#{start}", "ORDER#{end}", entity=Order)
short_end_meant = queried(
    "short end meant",
    RANGE,
    "ORDER#{start}",
    "ORDER#{end}",
    entity=Order,
    where=lambda order, user, start, end: order.user_id == user and start <= order.day <= end,
)
short_end_of_text = queried(
    "short end of text", "SK <= :a", "ORDER#{end}#", arguments={"user": str, "end": str}
)
