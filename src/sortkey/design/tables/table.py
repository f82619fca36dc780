"""Tables: names, keys, indexes and settings; the physical shape that entities share."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, cast

from sortkey.design.acknowledging import Ignored, with_reasons
from sortkey.design.findings import DesignError, Finding, refusal
from sortkey.design.tables.expectations import Expected
from sortkey.design.tables.settings import POINTS, Settings
from sortkey.operations.plan import PositionKey, TableName, name_in
from sortkey.wire.limits import INDEX_KEY_ATTRIBUTES, PARTITION_KEY_BYTES, SORT_KEY_BYTES

_NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}")

E = TypeVar("E")

AttributeType: TypeAlias = Literal["S", "N", "B"]
IndexKind: TypeAlias = Literal["primary", "global", "local"]


@dataclass(frozen=True, slots=True)
class Attribute:
    """A key attribute: its stored name and DynamoDB's type for it."""

    name: str
    type: AttributeType = "S"


def number(name: str) -> Attribute:
    """Declare a key attribute that contains numbers."""
    return Attribute(name, "N")


def binary(name: str) -> Attribute:
    """Declare a key attribute that contains bytes."""
    return Attribute(name, "B")


KeyName: TypeAlias = str | Attribute
# Not Sequence[str]: a single name would be a sequence of its letters.
Projection: TypeAlias = Literal["ALL", "KEYS_ONLY"] | list[str] | tuple[str, ...]


@dataclass(slots=True, eq=False)
class Index:
    """A way to find a table's records: its own key, or an index."""

    kind: IndexKind
    partition: tuple[Attribute, ...]
    sort: tuple[Attribute, ...]
    projection: Projection = "ALL"
    name: str = ""
    table: "type[Table] | None" = None
    ignore: Ignored = field(default_factory=dict[str, str])

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def key(
        self,
        partition: "str | Sequence[str] | None" = None,
        sort: "str | Sequence[str] | None" = None,
        *,
        shards: int = 1,
        was: int | None = None,
        earlier: str | None = None,
        expected: Expected | None = None,
    ) -> "Key":
        """Declare an entity's key in this index: a template for each of its attributes.

        Without templates the attributes are fields of the entity, under their stored names. A local
        index has the table's partition key, so its key takes ``sort`` alone. With
        ``shards`` a hot partition is spread over that many, and read as one; the number may be
        raised later, never lowered. A primary key declares the previous number with ``was`` until
        its records are backfilled, and in the same way the previous template of its sort key with
        ``earlier``. ``expected`` declares how this key spreads the records, if that
        differs from the entity's ``expected``.
        """
        return Key(self, _texts(partition), _texts(sort), shards, was, earlier, expected)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """Every key attribute, the partition's first."""
        return (*self.partition, *self.sort)

    def __str__(self) -> str:
        table = self.table.__name__ if self.table else "?"
        return f"{table}.{self.name}"


def _texts(templates: "str | Sequence[str] | None") -> tuple[str, ...]:
    if templates is None:
        return ()
    return (templates,) if isinstance(templates, str) else tuple(templates)


@dataclass(slots=True, eq=False)
class Key:
    """An entity's key in one index, as declared."""

    index: Index
    partition: tuple[str, ...]
    sort: tuple[str, ...]
    shards: int = 1
    was: int | None = None
    earlier: str | None = None
    expected: Expected | None = None
    name: str = ""
    owner: type | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.owner = name, owner

    def __get__(self, record: object, owner: type[E]) -> "KeyOf[E]":
        """Return the key itself; type checkers infer the entity from this."""
        return cast("KeyOf[E]", self)

    @property
    def is_natural(self) -> bool:
        """Whether the index's attributes are the entity's own fields."""
        return not self.partition and not self.sort

    def __str__(self) -> str:
        owner = self.owner.__name__ if self.owner else "?"
        return f"{owner}.{self.name}"


class KeyOf(Key, Generic[E]):
    """A key as type checkers see it on its entity, so that no other entity can be queried by it."""


def gsi(
    partition: KeyName | Sequence[KeyName],
    sort: KeyName | Sequence[KeyName] | None = None,
    *,
    project: Projection = "ALL",
    name: str = "",
    ignore: Ignored | None = None,
) -> Index:
    """Declare a global index with up to four attributes each for partition and sort key.

    ``ignore`` names the rules of `check` and the points of a standard that do not apply to it,
    each with a reason.
    """
    keys = (_attributes(partition), _attributes(sort))
    return Index("global", *keys, project, name, ignore=ignore or {})


def lsi(
    sort: KeyName,
    *,
    project: Projection = "ALL",
    name: str = "",
    ignore: Ignored | None = None,
) -> Index:
    """Declare a local index: another order within the table's partitions, with consistent reads.

    ``ignore`` names the rules of `check` and the points of a standard that do not apply to it,
    each with a reason.
    """
    return Index("local", (), _attributes(sort), project, name, ignore=ignore or {})


def _attributes(names: KeyName | Sequence[KeyName] | None) -> tuple[Attribute, ...]:
    if names is None:
        return ()
    listed = [names] if isinstance(names, str | Attribute) else names
    if len(listed) > INDEX_KEY_ATTRIBUTES:
        raise refusal(
            ", ".join(map(str, listed)),
            f"a key has at most {INDEX_KEY_ATTRIBUTES} attributes",
            "Join some of them in a template",
            code="SK110",
            name="too-many-key-attributes",
        )
    return tuple(Attribute(name) if isinstance(name, str) else name for name in listed)


def is_table_name(name: str) -> bool:
    """Return whether DynamoDB allows the name for a table or an index."""
    return _NAME.fullmatch(name) is not None


def _name_findings(named: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for each name that DynamoDB does not allow for a table or an index."""
    for where, name in named.items():
        if not is_table_name(name):
            yield Finding(
                where,
                f'"{name}" cannot be the name of a table or an index: DynamoDB allows 3 to 255 '
                "letters, digits, dots, dashes and underscores",
                'Choose another with name="..."',
                code="SK117",
                name="bad-name",
            )


@dataclass(frozen=True, slots=True, eq=False)
class TableDefinition(TableName):
    """The definition of a table, for creating, checking and deploying it."""

    title: str
    named: str | Callable[[str], str]
    primary: Index
    indexes: Mapping[str, Index]
    settings: Settings
    type_attribute: str | None
    shape_attribute: str
    raw: bool
    doc: str
    entities: list[Any] = field(default_factory=list[Any])
    unbuilt: list[Any] = field(default_factory=list[Any])
    invariants: list[Any] = field(default_factory=list[Any])
    findings: list[Finding] = field(default_factory=list[Finding])
    ignore: Ignored = field(default_factory=dict[str, str])

    @property
    def logical_id(self) -> str:
        """The id of the table in the templates and programs that deploy it."""
        return self.title if self.title.endswith("Table") else f"{self.title}Table"

    @property
    def key_names(self) -> tuple[str, ...]:
        """The attributes of the table's own key."""
        return tuple(attribute.name for attribute in self.primary.attributes)

    def position_keys(self, index: str | None) -> Iterator[PositionKey]:
        """Yield the key attributes of a position in the table or in one of its indexes."""
        for key in (self.primary, *([] if index is None else [self.indexes[index]])):
            yield from (PositionKey(a.name, a.type, PARTITION_KEY_BYTES) for a in key.partition)
            yield from (PositionKey(a.name, a.type, SORT_KEY_BYTES) for a in key.sort)

    @property
    def points_left_aside(self) -> Iterator[tuple[str, str | None, str]]:
        """The points of a standard that the table or an index does not meet, with the reasons.

        Each is the name of the point, the name of the index, if any, and the reason.
        """
        indexes = [(index.name, index.ignore) for index in self.indexes.values()]
        for index, ignore in [(None, self.ignore), *indexes]:
            yield from ((point, index, why) for point, why in ignore.items() if point in POINTS)

    def __str__(self) -> str:
        return self.title

    def __repr__(self) -> str:
        return f"<table {self.title}>"


class Table:
    """A table: subclass it, and give it indexes.

    ``class App(Table)`` has string keys PK and SK; ``class Users(Table, partition="userId")`` has
    one natural key. ``name`` may contain ``{environment}``, or be a function of it. ``ignore``
    names the rules of `check` and the points of a standard that do not apply to it, its indexes and
    its entities, each with a reason.
    """

    primary: ClassVar[Index]
    definition: ClassVar[TableDefinition]

    def __init_subclass__(
        cls,
        *,
        name: str | Callable[[str], str] | None = None,
        partition: KeyName | None = None,
        sort: KeyName | None = None,
        ttl: str | None = None,
        settings: Settings | None = None,
        type_attribute: str | None = "_type",
        shape_attribute: str = "_shape",
        raw: bool = False,
        ignore: Ignored | None = None,
    ) -> None:
        super().__init_subclass__()
        keys = ("PK", "SK") if partition is None else (partition, sort)
        cls.primary = Index("primary", _attributes(keys[0]), _attributes(keys[1]), name="primary")
        declared = {n: index for n, index in vars(cls).items() if isinstance(index, Index)}
        del declared["primary"]
        for index in (cls.primary, *declared.values()):
            index.table = cls
            index.ignore = with_reasons(index.ignore, str(index))
            if index.kind == "local":
                index.partition = cls.primary.partition
        named = {f"{cls.__name__}.{index.name}": index.name for index in declared.values()}
        if isinstance(name, str) or name is None:
            named[cls.__name__] = name_in("dev", name or cls.__name__)
        findings = list(_name_findings(named))
        if findings and not raw:
            raise DesignError(findings)
        cls.definition = TableDefinition(
            cls.__name__,
            cls.__name__ if name is None else name,
            cls.primary,
            {index.name: index for index in declared.values()},
            (settings or Settings()).with_ttl(ttl),
            type_attribute,
            shape_attribute,
            raw,
            (cls.__doc__ or "").strip() if cls.__doc__ != Table.__doc__ else "",
            findings=findings,
            ignore=with_reasons(ignore, cls.__name__),
        )
