"""A plan: the requests of an operation, as values.

The database sends what the plan renders; `check`, IAM policies, documentation and costs use the
same steps. Expressions stay trees until a request is written.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from sortkey.expressions.projection import Projection
from sortkey.expressions.render import Renderer
from sortkey.expressions.tree import And, BeginsWith, Between, Compare, Condition, Update, Value
from sortkey.operations.secrets import Secrets
from sortkey.wire.values import Item

_LONGEST_KEY = 60

Verb: TypeAlias = Literal[
    "GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheck"
]
Shape: TypeAlias = Literal["single", "pages", "batch", "transaction"]


class PositionKey(NamedTuple):
    """A key attribute of a position: its name, its type and its largest size."""

    name: str
    type: str
    most_bytes: int


class TableName(ABC):
    """A table's name, which depends on the environment, and the names of its keys."""

    __slots__ = ()

    named: str | Callable[[str], str]

    @property
    @abstractmethod
    def key_names(self) -> tuple[str, ...]:
        """The attributes of the table's own key."""

    @abstractmethod
    def position_keys(self, index: str | None) -> Iterator[PositionKey]:
        """Yield the key attributes of a position in the table or in one of its indexes."""

    def name_in(self, environment: str) -> str:
        """Return the table's name in an environment."""
        named = self.named
        return name_in(environment, named) if isinstance(named, str) else named(environment)


def name_in(environment: str, template: str) -> str:
    """Return the name in an environment; a name with other braces is left unchanged."""
    try:
        return template.format(environment=environment)
    except (LookupError, ValueError):
        return template


@dataclass(frozen=True, slots=True)
class Step:
    """One request to one table, or one action of a batch or transaction.

    ``origins`` has the origin of the item's attributes, if it is recorded.
    """

    verb: Verb
    table: TableName
    entities: tuple[str, ...] = ()
    index: str | None = None
    key: Mapping[str, Value] | None = None
    item: Item | None = None
    key_condition: Condition | None = None
    filter: Condition | None = None
    condition: Condition | None = None
    update: Update | None = None
    projection: Projection | None = None
    consistent: bool = False
    forward: bool = True
    limit: int | None = None
    members: Mapping[str, Any] = field(default_factory=dict[str, Any])
    secrets: tuple[Secrets, ...] = ()
    origins: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def entity(self) -> str:
        """The entities whose records are read or written, as text for messages."""
        return ", ".join(self.entities)

    def __str__(self) -> str:
        """Return the entity, index and key as text, without any other value."""
        names = self.table.key_names
        if self.item is not None:
            key = " / ".join(_text(Value(self.item[n])) for n in names if n in self.item)
        elif self.key is not None:
            key = " / ".join(map(_text, self.key.values()))
        else:
            key = "" if self.key_condition is None else _key_text(self.key_condition)
        printable = "".join(c if c.isprintable() else "*" for c in key)
        short = f"{printable[:_LONGEST_KEY]}{'…' * (len(key) > _LONGEST_KEY)}"
        shown = (self.entity or str(self.table), self.index, f'"{short}"' if short else None)
        return " ".join(filter(None, shown))

    def body(self, environment: str) -> dict[str, Any]:
        """Return the step as the body of a request."""
        body: dict[str, Any] = {"TableName": self.table.name_in(environment)}
        if self.index is not None:
            body["IndexName"] = self.index
        if self.key is not None:
            body["Key"] = {name: value.value for name, value in self.key.items()}
        if self.item is not None:
            body["Item"] = self.item
        if self.consistent:
            body["ConsistentRead"] = True
        if not self.forward:
            body["ScanIndexForward"] = False
        if self.limit is not None:
            body["Limit"] = self.limit
        self._write_expressions(body)
        body.update(self.members)
        return body

    def _write_expressions(self, body: dict[str, Any]) -> None:
        if (
            self.key_condition is None
            and self.update is None
            and self.condition is None
            and self.filter is None
            and self.projection is None
        ):
            return
        renderer = Renderer()
        if self.key_condition is not None:
            body["KeyConditionExpression"] = renderer.condition(self.key_condition)
        if self.update is not None:
            body["UpdateExpression"] = renderer.update(self.update)
        if self.condition is not None:
            body["ConditionExpression"] = renderer.condition(self.condition)
        if self.filter is not None:
            body["FilterExpression"] = renderer.condition(self.filter)
        if self.projection is not None:
            body["ProjectionExpression"] = renderer.projection(self.projection)
        if renderer.names:
            body["ExpressionAttributeNames"] = renderer.names
        if renderer.values:
            body["ExpressionAttributeValues"] = renderer.values


def _text(value: object) -> str:
    return str(next(iter(value.value.values()))) if isinstance(value, Value) else str(value)


def _key_text(condition: Condition) -> str:
    match condition:
        case And(conditions):
            return " / ".join(map(_key_text, conditions))
        case Compare(op, _, right):
            return _text(right) if op == "=" else f"{op} {_text(right)}"
        case BeginsWith(_, start):
            return f"{_text(start)}*"
        case Between(_, low, high):
            return f"{_text(low)} to {_text(high)}"
        case _:
            return "?"


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of an operation, and whether they are one request, pages, or sent together.

    ``later`` are requests that depend on a response, sent one by one or together: an IAM policy
    for the operation must allow them too.
    """

    shape: Shape
    steps: tuple[Step, ...]
    later: tuple[Step, ...] = ()
