"""One request of a raw design, as it is written: an operation, a table and texts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import Index, Table
from sortkey.operations.plan import Verb

ReturnValues: TypeAlias = Literal["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"]
Select: TypeAlias = Literal[
    "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT"
]

# The record after a write, from the record before it and the arguments.
Becomes: TypeAlias = Callable[..., Any]

EXPRESSIONS: Mapping[str, str] = {
    "key_condition": "KeyConditionExpression",
    "update": "UpdateExpression",
    "condition": "ConditionExpression",
    "filter": "FilterExpression",
    "projection": "ProjectionExpression",
}


@dataclass(frozen=True, slots=True)
class RawRequest:
    """One request as text; ``{argument}`` in a value is replaced by an argument of its pattern.

    Values are plain Python ones. ``entity``, or ``entities`` if there are several, names the
    entities of its records. ``becomes`` specifies the result of a write: a function of the existing
    record, or None, and of the pattern's arguments by name, which returns the record after it, or
    None if it should be deleted. If the write should be rejected, it returns the existing record.
    """

    operation: str
    table: type[Table]
    index: Index | str | None = None
    key: Mapping[str, Any] | None = None
    item: Mapping[str, Any] | None = None
    key_condition: str | None = None
    filter: str | None = None
    condition: str | None = None
    update: str | None = None
    projection: str | None = None
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    consistent: bool = False
    scan_forward: bool = True
    limit: int | None = None
    select: Select | None = None
    return_values: ReturnValues | None = None
    entity: type[Any] | None = None
    entities: Sequence[type[Any]] = ()
    becomes: Becomes | None = None

    @property
    def verb(self) -> Verb | None:
        """The operation, if DynamoDB has one that is about a single table."""
        return VERBS.get(self.operation)

    @property
    def index_name(self) -> str | None:
        """The name of the index."""
        return self.index.name if isinstance(self.index, Index) else self.index

    @property
    def entity_names(self) -> tuple[str, ...]:
        """The names of the entities of its records, as far as declared."""
        return tuple(kind.name if kind else name for name, kind in self._named)

    @property
    def kinds(self) -> tuple[EntityKind[Any], ...]:
        """The entities that it may read or write: those that it names, or all of its table."""
        named = tuple(kind for _, kind in self._named if kind is not None)
        return named if self._named else tuple(self.table.definition.entities)

    @property
    def _named(self) -> list[tuple[str, EntityKind[Any] | None]]:
        given = self.entities if self.entity is None else (self.entity, *self.entities)
        return [(entity.__name__, getattr(entity, "__kind__", None)) for entity in given]


_DEFAULTS: Mapping[str, object] = {
    "index": None,
    "key": None,
    "item": None,
    **dict.fromkeys(EXPRESSIONS),
    "consistent": False,
    "scan_forward": True,
    "limit": None,
    "select": None,
    "return_values": None,
}


def members_set(request: RawRequest) -> frozenset[str]:
    """Return the members that are set, apart from the names and values of expressions."""
    return frozenset(
        name for name, default in _DEFAULTS.items() if getattr(request, name) != default
    )


VERBS: Mapping[str, Verb] = {
    "GetItem": "GetItem",
    "Get": "GetItem",
    "Query": "Query",
    "Scan": "Scan",
    "PutItem": "PutItem",
    "Put": "PutItem",
    "UpdateItem": "UpdateItem",
    "Update": "UpdateItem",
    "DeleteItem": "DeleteItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheck",
}

_WALKED = frozenset({"index", "filter", "projection", "consistent", "limit", "select"})
# The members that each operation allows; `NEEDED` has the required ones.
TAKEN: Mapping[Verb, frozenset[str]] = {
    "GetItem": frozenset({"key", "projection", "consistent"}),
    "Query": _WALKED | {"key_condition", "scan_forward"},
    "Scan": _WALKED,
    "PutItem": frozenset({"item", "condition", "return_values"}),
    "UpdateItem": frozenset({"key", "update", "condition", "return_values"}),
    "DeleteItem": frozenset({"key", "condition", "return_values"}),
    "ConditionCheck": frozenset({"key", "condition"}),
}
NEEDED: Mapping[Verb, tuple[str, ...]] = {
    "GetItem": ("key",),
    "Query": ("key_condition",),
    "Scan": (),
    "PutItem": ("item",),
    "UpdateItem": ("key",),
    "DeleteItem": ("key",),
    "ConditionCheck": ("key", "condition"),
}

# The allowed values of members that have only a few.
WORDS: Mapping[Verb, Mapping[str, tuple[str, ...]]] = {
    "Query": {"select": get_args(Select)},
    "Scan": {"select": get_args(Select)},
    "PutItem": {"return_values": ("NONE", "ALL_OLD")},
    "UpdateItem": {"return_values": get_args(ReturnValues)},
    "DeleteItem": {"return_values": ("NONE", "ALL_OLD")},
}
