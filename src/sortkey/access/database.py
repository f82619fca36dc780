"""The base of `DB` and `AsyncDB`: opening a database, and the steps of running an operation."""

import os
import ssl
from collections.abc import Sequence
from typing import Self, TypedDict, TypeVar, Unpack

from sortkey.access import targets
from sortkey.access.absent_tables import AbsentTables
from sortkey.access.budget import Budget
from sortkey.access.credentials import Credentials
from sortkey.access.cursor_encryption import cursor_cipher, cursor_secrets_from_env
from sortkey.access.observing import Observer, observed, observers_around
from sortkey.access.retries import Retries, with_retries
from sortkey.access.tables import create_missing, delete_existing
from sortkey.access.targets import Target
from sortkey.access.transports.transport import Timeouts
from sortkey.clock import now
from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.tables.table import Table, TableDefinition
from sortkey.errors import Refused
from sortkey.operations.once import once
from sortkey.operations.operation import Context, Conversation, Operation
from sortkey.operations.secrets import KEYLESS, Vault
from sortkey.operations.update import AddBy, Appended, Included, SetTo
from sortkey.wording.prose import a

R = TypeVar("R")

KEYS = "SORTKEY_KEYS"

# The number of records that `each` reads at a time.
CHUNK_SIZE = 200


class OpenOptions(TypedDict, total=False):
    """Settings of any database.

    Attributes:
        environment: The environment in the tables' names; "dev" by default.
        retries: When and how often a failed request is sent again.
        cursor_secret: Encrypts the cursors of pages; of several, the first one encrypts.
        observers: Functions that are called with each `Call`.
        secrets: The keys of secret fields.
        add_indexes: Add missing indexes; only for tables that sortkey creates.
    """

    environment: str
    retries: Retries | None
    cursor_secret: str | Sequence[str] | None
    observers: Sequence[Observer]
    secrets: Vault | None
    add_indexes: bool


class BaseDB:
    """The base class of `DB` and `AsyncDB`: everything except sending and waiting."""

    def __init__(
        self,
        target: Target,
        *tables: type[Table],
        environment: str = "dev",
        retries: Retries | None = None,
        cursor_secret: str | Sequence[str] | None = None,
        observers: Sequence[Observer] = (),
        secrets: Vault | None = None,
        add_indexes: bool = False,
    ) -> None:
        if add_indexes:
            target.refuse_new_indexes(environment)
        self._target = target
        self._tables = tuple(map(_definition, tables))
        self._context = Context(
            environment, now, cursor_cipher(cursor_secret), KEYLESS if secrets is None else secrets
        )
        self._retries = retries or Retries()
        self._observers = tuple(observers)
        self._add_indexes = add_indexes
        self._absent = AbsentTables(target, self._tables, environment)

    @property
    def _makes_tables(self) -> bool:
        """Whether tables are created when the database is opened."""
        return self._add_indexes or self._target.abilities is targets.EMBEDDED

    @classmethod
    def memory(
        cls, *tables: type[Table], weather: str | None = None, **settings: Unpack[OpenOptions]
    ) -> Self:
        """Create a database in memory with these tables.

        With ``weather``, requests are throttled or fail as in production: the name of a scenario,
        such as ``"hot-day"`` or ``"bad-network"``, or of a .toml file.
        """
        return cls(targets.memory_target(weather=weather), *tables, **settings)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *tables: type[Table], **settings: Unpack[OpenOptions]
    ) -> Self:
        """Open the database in a file, and create missing tables.

        With ``add_indexes``, missing indexes are also created, after every record has been given
        its keys for them.
        """
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
        **settings: Unpack[OpenOptions],
    ) -> Self:
        """Connect to the DynamoDB endpoint at a URL, such as ``http://127.0.0.1:8000``."""
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
        tls: ssl.SSLContext | None = None,
        **settings: Unpack[OpenOptions],
    ) -> Self:
        """Connect to DynamoDB in AWS; credentials and region are found as in AWS's own tools."""
        target = targets.aws_target(
            region=region, profile=profile, credentials=credentials, timeouts=timeouts, tls=tls
        )
        return cls(target, *tables, **settings)

    @classmethod
    def connect(
        cls, *tables: type[Table], target: str | None = None, **settings: Unpack[OpenOptions]
    ) -> Self:
        """Open the target that ``target`` or the environment variable SORTKEY_TARGET names.

        SORTKEY_KEYS has the keys of secrets, unless ``secrets`` is passed, and
        SORTKEY_CURSOR_SECRET has the secrets of cursors, unless ``cursor_secret`` is passed.
        """
        if "cursor_secret" not in settings:
            settings["cursor_secret"] = cursor_secrets_from_env()
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
    ) -> Budget:
        """Limit the units and requests of a block; raise `OverBudget` at its end if it used more.

        Use it with ``with`` or ``async with``. The value of the block is the list of its calls.
        """
        return Budget(reads=reads, writes=writes, requests=requests)

    def __repr__(self) -> str:
        tables = f": {', '.join(map(str, self._tables))}" if self._tables else ""
        return f"<{type(self).__name__} {self._target.shown}{tables}>"

    def _conversation(self, operation: Operation[R]) -> Conversation[R]:
        """Return the steps that run an operation, including retries."""
        try:
            run = operation._steps
        except AttributeError:
            raise _not_an_operation(operation) from None
        steps = self._with_retries(run(self._context), operation)
        observers = (*self._observers, *observers_around())
        return observed(steps, operation, observers) if observers else steps

    def _exactly_once(self, operation: Operation[R]) -> Operation[R]:
        """Return the operation with a token if it is a write and the target has transactions."""
        _refuse_undecided(operation)
        return once(operation) if self._target.abilities.transactions else operation

    def _creation(self) -> Conversation[None]:
        """Return the steps that create missing tables, and indexes with `add_indexes`."""
        steps = create_missing(
            self._tables, self._context, self._target, add_indexes=self._add_indexes
        )
        return self._with_retries(steps)

    def _deletion(self) -> Conversation[None]:
        """Return the steps that delete the tables and all their records."""
        if not self._target.abilities.creates_tables:
            raise Refused(
                "delete_tables() is only for databases on this machine, and this one is "
                f"{self._target.shown}"
            )
        return self._with_retries(delete_existing(self._tables, self._context))

    def _with_retries(
        self, steps: Conversation[R], operation: Operation[R] | None = None
    ) -> Conversation[R]:
        """Add retries to steps, and refuse requests that the target does not support."""
        refuse = self._target.abilities.refuse
        return with_retries(steps, self._retries, refuse, self._absent, operation)


def _definition(table: type[Table]) -> TableDefinition:
    if isinstance(table, type) and issubclass(table, Table):  # pyright: ignore[reportUnnecessaryIsInstance]  # not all are checked
        return table.definition
    name = getattr(table, "__name__", repr(table))
    raise Refused(
        f"a database is opened with its tables, and {name} is not a table: pass table classes, as "
        "in DB.memory(App)"
    )


def _refuse_undecided(value: object) -> None:
    """Refuse a decision that returned None or a record: there may be nothing left to write."""
    if value is None or isinstance(value, Entity):
        shown = "None" if value is None else a(type(value).__name__)
        result = "None" if value is None else type(value).__name__.lower()
        raise Refused(
            f"the decision returned {shown}, which is not an operation: return the write to run, "
            f"or Done({result}) if there is nothing to write"
        )


def _not_an_operation(value: object) -> Refused:
    """Return the error for a value that is not an operation, with what was probably meant."""
    match value:
        case Entity():
            name = type(value).__name__
            meant = f"{a(name)}: call a method of it, as in db({name.lower()}.create())"
        case Pattern():
            meant = f"a pattern: call it, as in db({value.name}(...))"
        case SetTo() | AddBy() | Appended() | Included():
            meant = "a change without its value: add .to(...), .by(...) or .items(...)"
        case list() | tuple():
            meant = (
                "a sequence: pass its members, as in db.all(*operations) or db.transact(*writes)"
            )
        case _:
            meant = f"{value!r:.80}"
    return Refused(f"a database runs operations, and this is {meant}")
