"""One request of a raw design, as it is written: an operation, a table and texts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from sortkey.design.table import Index, Table
from sortkey.operations.plan import Verb

ReturnValues: TypeAlias = Literal["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"]
Select: TypeAlias = Literal[
    "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT"
]

EXPRESSIONS: Mapping[str, str] = {
    "key_condition": "KeyConditionExpression",
    "update": "UpdateExpression",
    "condition": "ConditionExpression",
    "filter": "FilterExpression",
    "projection": "ProjectionExpression",
}


@dataclass(frozen=True, slots=True)
class RawRequest:
    """One request as text; ``{argument}`` in a value stands for an input of its pattern.

    Values are plain Python ones. ``entity`` says whose records it is about.
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

    @property
    def verb(self) -> Verb | None:
        """The operation, if DynamoDB has one that is about a single table."""
        return VERBS.get(self.operation)

    @property
    def index_name(self) -> str | None:
        """The index's name as it is given."""
        return self.index.name if isinstance(self.index, Index) else self.index

    @property
    def entity_name(self) -> str:
        """The name of the entity whose records it is about, if one is given."""
        kind = getattr(self.entity, "__kind__", None)
        return kind.name if kind is not None else getattr(self.entity, "__name__", "")

    def said(self) -> frozenset[str]:
        """The members that are given, apart from the names and values of expressions."""
        return frozenset(name for name, default in _DEFAULTS.items() if self._says(name, default))

    def _says(self, name: str, default: object) -> bool:
        return getattr(self, name) != default


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
# What each operation takes; what it cannot do without stands in `NEEDED`.
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

# What each member may say, where only some words are known.
WORDS: Mapping[Verb, Mapping[str, tuple[str, ...]]] = {
    "Query": {"select": get_args(Select)},
    "Scan": {"select": get_args(Select)},
    "PutItem": {"return_values": ("NONE", "ALL_OLD")},
    "UpdateItem": {"return_values": get_args(ReturnValues)},
    "DeleteItem": {"return_values": ("NONE", "ALL_OLD")},
}
