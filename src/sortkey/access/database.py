"""What `DB` and `AsyncDB` share: how a database is opened, and what is said to run an operation."""

import os
import ssl
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Self, TypedDict, TypeVar, Unpack

from sortkey.access import targets
from sortkey.access.budget import budget
from sortkey.access.credentials import Credentials
from sortkey.access.observing import Call, Observer, observed, observers_around
from sortkey.access.retries import Retries, with_retries
from sortkey.access.sealing import sealing_with
from sortkey.access.tables import create_missing, delete_existing
from sortkey.access.targets import Target
from sortkey.access.transports.transport import Timeouts
from sortkey.design.entity import Entity
from sortkey.design.pattern import Pattern
from sortkey.design.table import Table, TableDefinition
from sortkey.errors import Refused
from sortkey.operations.clock import now
from sortkey.operations.operation import Context, Conversation, Operation
from sortkey.operations.secrets import KEYLESS, Vault
from sortkey.operations.update import AddBy, SetTo

R = TypeVar("R")

KEYS = "SORTKEY_KEYS"

# How many records `each` asks for at a time.
STRETCH = 200


class Settings(TypedDict, total=False):
    """What any database can be opened with, whatever its target."""

    environment: str
    retries: Retries | None
    cursor_secret: str | None
    observers: Sequence[Observer]
    secrets: Vault | None


class Database:
    """What `DB` and `AsyncDB` have in common: everything but the waiting."""

    def __init__(
        self,
        target: Target,
        *tables: type[Table],
        environment: str = "dev",
        retries: Retries | None = None,
        cursor_secret: str | None = None,
        observers: Sequence[Observer] = (),
        secrets: Vault | None = None,
    ) -> None:
        self.target = target
        self.tables = tuple(map(_definition, tables))
        self.context = Context(
            environment, now, sealing_with(cursor_secret), KEYLESS if secrets is None else secrets
        )
        self.retries = retries or Retries()
        self.observers = tuple(observers)

    @classmethod
    def memory(cls, *tables: type[Table], **settings: Unpack[Settings]) -> Self:
        """A new database in memory, with these tables in it."""
        return cls(targets.memory_target(), *tables, **settings)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *tables: type[Table], **settings: Unpack[Settings]
    ) -> Self:
        """The database in a file, with these tables made where they are missing."""
        return cls(targets.file_target(path), *tables, **settings)

    @classmethod
    def endpoint(
        cls,
        url: str,
        *tables: type[Table],
        region: str | None = None,
        credentials: Credentials | None = None,
        timeouts: Timeouts | None = None,
        tls: ssl.SSLContext | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """A DynamoDB at a URL, such as ``http://127.0.0.1:8000``."""
        target = targets.endpoint_target(
            url, region=region, credentials=credentials, timeouts=timeouts, tls=tls
        )
        return cls(target, *tables, **settings)

    @classmethod
    def aws(
        cls,
        *tables: type[Table],
        region: str | None = None,
        profile: str | None = None,
        credentials: Credentials | None = None,
        timeouts: Timeouts | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """DynamoDB in an AWS account; credentials and region are found as AWS's tools find them."""
        target = targets.aws_target(
            region=region, profile=profile, credentials=credentials, timeouts=timeouts
        )
        return cls(target, *tables, **settings)

    @classmethod
    def connect(
        cls, *tables: type[Table], target: str | None = None, **settings: Unpack[Settings]
    ) -> Self:
        """The target that is named here, or by the environment variable SORTKEY_TARGET.

        The keys of secrets are those in SORTKEY_KEYS, unless ``secrets`` are given.
        """
        if KEYS in os.environ and "secrets" not in settings:
            from sortkey.access.secrets.keyring import Keyring  # noqa: PLC0415 - only where used

            settings["secrets"] = Keyring.from_env(KEYS)
        return cls(targets.named_target(target), *tables, **settings)

    def budget(
        self,
        *,
        reads: float | None = None,
        writes: float | None = None,
        requests: int | None = None,
    ) -> AbstractContextManager[list[Call]]:
        """Hold the block's calls to so many units and requests, or raise `OverBudget` at its end.

        The value of the block is the list of its calls.
        """
        return budget(reads=reads, writes=writes, requests=requests)

    def __repr__(self) -> str:
        tables = f": {', '.join(map(str, self.tables))}" if self.tables else ""
        return f"<{type(self).__name__} {self.target.shown}{tables}>"

    def conversation(self, operation: Operation[R]) -> Conversation[R]:
        """What is said to run an operation, retries included."""
        try:
            say = operation.steps
        except AttributeError:
            raise _no_operation(operation) from None
        steps = self.patiently(say(self.context))
        observers = (*self.observers, *observers_around())
        return observed(steps, operation, observers) if observers else steps

    def creation(self) -> Conversation[None]:
        """What is said to make the tables that are missing."""
        return self.patiently(create_missing(self.tables, self.context))

    def deletion(self) -> Conversation[None]:
        """What is said to delete the tables with everything in them."""
        if not self.target.abilities.creates_tables:
            raise Refused(
                f"tables are deleted only on this machine, and this database is {self.target.shown}"
            )
        return self.patiently(delete_existing(self.tables, self.context))

    def patiently(self, steps: Conversation[R]) -> Conversation[R]:
        """The same conversation with retries, of what the target can do."""
        return with_retries(steps, self.retries, self.target.abilities.refuse)


def _definition(table: type[Table]) -> TableDefinition:
    if isinstance(table, type) and issubclass(table, Table):  # pyright: ignore[reportUnnecessaryIsInstance]  # not all are checked
        return table.definition
    name = getattr(table, "__name__", repr(table))
    raise Refused(f"a database is opened with its tables, and {name} is none: DB.memory(App)")


def _no_operation(given: object) -> Refused:
    """The refusal of what is no operation, with what was probably meant."""
    match given:
        case Entity():
            name = type(given).__name__
            meant = f"a {name}: say what to do with it, as in db({name.lower()}.create())"
        case Pattern():
            meant = f"a pattern: call it, as in db({given.name}(...))"
        case SetTo() | AddBy():
            meant = "a change without its value: .set(lambda r: r.x).to(...), .add(...).by(...)"
        case list() | tuple():
            meant = "several: run one at a time, or db.all(...), db.transact(...)"
        case _:
            meant = f"{given!r:.80}"
    return Refused(f"a database runs operations, and this is {meant}")
