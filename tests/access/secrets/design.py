"""The entities with secrets that the tests share, and access to their stored items."""

from base64 import b64decode, b64encode
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, Field, field_validator
from tests.access.executors import Raw, put_item

from sortkey import (
    DB,
    Collection,
    Entity,
    Keyring,
    LocalKey,
    Stored,
    Table,
    Version,
    gsi,
    number,
    secret,
    unique,
)
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan
from sortkey.operations.secrets import KEYLESS
from sortkey.wire.values import Item

R = TypeVar("R")


class Safe(Table, name="{environment}-Safe"):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class Other(Table, name="{environment}-Other"):
    pass


class Numbered(Table, name="{environment}-Numbered", partition=number("amount")):
    pass


class Card(BaseModel):
    digits: str
    limit: Decimal


class User(Entity, table=Safe):
    user_id: str
    name: str = "ann"
    token: Annotated[str, secret]
    spare: Annotated[str | None, secret] = None
    card: Annotated[Card | None, secret, Stored("c")] = None
    tags: Annotated[set[str], secret] = Field(default_factory=set[str])

    primary = Safe.primary.key("USER#{user_id}", "USER")
    by_name = Safe.gsi1.key("NAME#{name}", "{user_id}")

    @field_validator("token")
    @classmethod
    def _long(cls, value: str) -> str:
        if len(value) < 4:
            raise ValueError(f"too short: {value}")
        return value


class Login(Entity, table=Safe):
    """The attribute has the same name, and is not secret."""

    user_id: str
    at: int
    token: str = "public"

    primary = Safe.primary.key("USER#{user_id}", "LOGIN#{at:04d}")


class Member(Entity, table=Safe):
    """A version, and a unique field whose lock makes its writes transactions."""

    member_id: str
    email: Annotated[str | None, unique] = None
    token: Annotated[str, secret] = "initial"
    rev: Version = 0

    primary = Safe.primary.key("MEMBER#{member_id}", "MEMBER")


class Twin(Entity, table=Other):
    user_id: str
    token: Annotated[str, secret]

    primary = Other.primary.key("USER#{user_id}", "USER")


class Price(Entity, table=Numbered):
    amount: Decimal
    token: Annotated[str, secret]


class Person(Collection):
    user: User | None
    logins: list[Login]


HUSH = "hush-hush"
OLD, NEW = LocalKey("old", bytes(range(32))), LocalKey("new", bytes(range(32, 64)))


def user(user_id: str = "u1", **fields: Any) -> User:
    given: dict[str, Any] = {"user_id": user_id, "token": HUSH, **fields}
    return User(**given)


def stored(db: DB, user_id: str = "u1") -> Item:
    key = {"PK": {"S": f"USER#{user_id}"}, "SK": {"S": "USER"}}
    return db(Raw("GetItem", Safe, {"Key": key, "ConsistentRead": True}))["Item"]


def encrypted(item: Item, name: str = "token") -> bytes:
    return b64decode(item[name]["B"])


@dataclass(frozen=True)
class Under(Operation[R], Generic[R]):
    """An operation that runs with other keys than its database has."""

    keyring: Keyring | None
    operation: Operation[R]

    def _plan(self) -> Plan:
        return self.operation._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[R]:
        keys = KEYLESS if self.keyring is None else self.keyring
        return (yield from self.operation._steps(replace(context, secrets=keys)))


@dataclass(frozen=True)
class WithKeys:
    """Open a database with other keys."""

    db: DB
    keyring: Keyring | None

    def __call__(self, operation: Operation[R]) -> R:
        return self.db(Under(self.keyring, operation))


def change_attribute(db: DB, user_id: str, name: str, content: bytes) -> None:
    put_item(db, Safe, {**stored(db, user_id), name: {"B": b64encode(content).decode()}})
