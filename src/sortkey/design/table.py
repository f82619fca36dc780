"""Tables: names, keys, indexes and settings; the physical shape that entities share."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, cast

from sortkey.design.expectations import Expected
from sortkey.design.findings import DesignError, Finding
from sortkey.design.ignoring import Ignored, with_reasons
from sortkey.design.settings import Settings
from sortkey.wire.limits import INDEX_KEY_ATTRIBUTES

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
    """A key attribute that holds numbers."""
    return Attribute(name, "N")


def binary(name: str) -> Attribute:
    """A key attribute that holds bytes."""
    return Attribute(name, "B")


KeyName: TypeAlias = str | Attribute
# No Sequence[str]: one name alone would be taken for its letters.
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

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def key(
        self,
        partition: "str | Sequence[str] | None" = None,
        sort: "str | Sequence[str] | None" = None,
        *,
        shards: int = 1,
        was: int | None = None,
        expected: Expected | None = None,
    ) -> "Key":
        """An entity's key in this index: a template for each of its attributes.

        Without templates the attributes are fields of the entity, under their stored names. With
        ``shards`` a hot partition is spread over so many, and read as one; the number may be
        raised later, never lowered. A primary key says ``was`` until its records are back-filled.
        ``expected`` says how this key spreads the records, where that differs from what the
        entity's ``expected`` says.
        """
        return Key(self, _texts(partition), _texts(sort), shards, was, expected)

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
    expected: Expected | None = None
    name: str = ""
    owner: type | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.owner = name, owner

    def __get__(self, record: object, owner: type[E]) -> "KeyOf[E]":
        """The key itself; type checkers learn from this whose it is."""
        return cast("KeyOf[E]", self)

    @property
    def is_natural(self) -> bool:
        """Whether the index's attributes are the entity's own fields."""
        return not self.partition and not self.sort

    def __str__(self) -> str:
        owner = self.owner.__name__ if self.owner else "?"
        return f"{owner}.{self.name}"


class KeyOf(Key, Generic[E]):
    """A key as type checkers see it on its entity, so that no other entity is queried by it."""


def gsi(
    partition: KeyName | Sequence[KeyName],
    sort: KeyName | Sequence[KeyName] | None = None,
    *,
    project: Projection = "ALL",
    name: str = "",
) -> Index:
    """A global index, keyed on up to four attributes each for partition and sort."""
    return Index("global", _attributes(partition), _attributes(sort), project, name)


def lsi(sort: KeyName, *, project: Projection = "ALL", name: str = "") -> Index:
    """A local index: another order within the table's own partitions, read consistently."""
    return Index("local", (), _attributes(sort), project, name)


def _attributes(names: KeyName | Sequence[KeyName] | None) -> tuple[Attribute, ...]:
    if names is None:
        return ()
    listed = [names] if isinstance(names, str | Attribute) else names
    if len(listed) > INDEX_KEY_ATTRIBUTES:
        raise DesignError(
            [
                Finding(
                    "SK110",
                    "too-many-key-attributes",
                    ", ".join(map(str, listed)),
                    f"a key has at most {INDEX_KEY_ATTRIBUTES} attributes",
                    "Join some of them in a template",
                )
            ]
        )
    return tuple(Attribute(name) if isinstance(name, str) else name for name in listed)


def _name_in(environment: str, template: str) -> str:
    """The name in an environment; one with other braces as it is, which no table may have."""
    try:
        return template.format(environment=environment)
    except (LookupError, ValueError):
        return template


def is_table_name(name: str) -> bool:
    """Whether DynamoDB takes the name for a table or an index."""
    return _NAME.fullmatch(name) is not None


def _name_findings(named: Mapping[str, str]) -> Iterator[Finding]:
    """The names, by their places, that DynamoDB does not take for a table or an index."""
    for where, name in named.items():
        if not is_table_name(name):
            yield Finding(
                "SK117",
                "bad-name",
                where,
                f'"{name}" is no name for a table or index: DynamoDB wants 3 to 255 letters, '
                "digits, dots, dashes and underscores",
                'Give another with name="..."',
            )


@dataclass(frozen=True, slots=True, eq=False)
class TableDefinition:
    """What a table is, for whoever creates, checks or deploys it."""

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

    def name_in(self, environment: str) -> str:
        """The table's name in this environment."""
        if callable(self.named):
            return self.named(environment)
        return _name_in(environment, self.named)

    @property
    def logical_id(self) -> str:
        """What the table is called in templates and programs that deploy it."""
        return self.title if self.title.endswith("Table") else f"{self.title}Table"

    @property
    def key_names(self) -> tuple[str, ...]:
        """The attributes of the table's own key."""
        return tuple(attribute.name for attribute in self.primary.attributes)

    def __str__(self) -> str:
        return self.title

    def __repr__(self) -> str:
        return f"<table {self.title}>"


class Table:
    """A table: subclass it, and give it indexes.

    ``class App(Table)`` has string keys PK and SK; ``class Users(Table, partition="userId")`` has
    one natural key. ``name`` may contain ``{environment}``, or be a function of it. ``ignore`` says
    which rules of `check` are not held against it, its indexes and its entities, and why.
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
            if index.kind == "local":
                index.partition = cls.primary.partition
        named = {f"{cls.__name__}.{index.name}": index.name for index in declared.values()}
        if isinstance(name, str) or name is None:
            named[cls.__name__] = _name_in("dev", name or cls.__name__)
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
