"""Tables, and everything that is asked of them, as small structures for the model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tests.engine.model.expressions import Action, Condition, Path
from tests.engine.model.values import Item


@dataclass(frozen=True)
class Index:
    """An index: its keys, and what it holds besides keys (None is everything)."""

    name: str
    partition: tuple[str, ...]
    sort: tuple[str, ...]
    included: frozenset[str] | None = None
    is_global: bool = True


@dataclass(frozen=True)
class Table:
    """A table: its keys, the types of all key attributes, and its indexes."""

    name: str
    kinds: Mapping[str, str]
    partition: tuple[str]
    sort: tuple[str, ...] = ()
    indexes: tuple[Index, ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        """The names of the primary key's attributes."""
        return self.partition + self.sort

    def index(self, name: str) -> Index:
        """The index by that name."""
        return next(index for index in self.indexes if index.name == name)


# -- operations -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Get:
    """GetItem."""

    table: str
    key: Item
    paths: tuple[Path, ...] = ()
    consistent: bool = False


@dataclass(frozen=True)
class Put:
    """PutItem."""

    table: str
    item: Item
    condition: Condition | None = None
    returns: str = "NONE"
    on_failure: str = "NONE"


@dataclass(frozen=True)
class Update:
    """UpdateItem."""

    table: str
    key: Item
    actions: tuple[Action, ...] = ()
    condition: Condition | None = None
    returns: str = "NONE"
    on_failure: str = "NONE"


@dataclass(frozen=True)
class Delete:
    """DeleteItem."""

    table: str
    key: Item
    condition: Condition | None = None
    returns: str = "NONE"
    on_failure: str = "NONE"


@dataclass(frozen=True)
class Check:
    """The ConditionCheck of a transaction."""

    table: str
    key: Item
    condition: Condition
    on_failure: str = "NONE"


@dataclass(frozen=True)
class BatchGet:
    """BatchGetItem; gets of one table have the same paths and consistency."""

    gets: tuple[Get, ...]


@dataclass(frozen=True)
class BatchWrite:
    """BatchWriteItem."""

    writes: tuple[Put | Delete, ...]


@dataclass(frozen=True)
class TransactGet:
    """TransactGetItems."""

    gets: tuple[Get, ...]


@dataclass(frozen=True)
class TransactWrite:
    """TransactWriteItems; with a token, once and no more."""

    writes: tuple["Write", ...]
    token: str | None = None


@dataclass(frozen=True)
class Read:
    """A Query, whose key conditions all hold, or a Scan, which has none."""

    table: str
    index: str | None = None
    key: tuple[Condition, ...] = ()
    backward: bool = False
    filter: Condition | None = None
    paths: tuple[Path, ...] = ()
    select: str | None = None
    consistent: bool = False


Write: TypeAlias = Put | Update | Delete | Check
Operation: TypeAlias = (
    Get | Put | Update | Delete | BatchGet | BatchWrite | TransactGet | TransactWrite
)


def key_of(operation: Get | Write) -> Item:
    """The attributes among which the operation's primary key is."""
    return operation.item if isinstance(operation, Put) else operation.key
