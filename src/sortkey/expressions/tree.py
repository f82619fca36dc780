"""Expressions with every placeholder resolved: conditions on an item, and updates.

Text and its grammar are left behind here: `(#a) = :x` and `a = :y` are one tree when the names and
the values are the same. Trees are values: they compare and never change.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, cast

from sortkey.wire.values import AttributeValue, Item, hashable

Comparator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class Path:
    """A place in an item: an attribute's name, then names of map entries and list indexes."""

    parts: tuple[str | int, ...]

    @property
    def name(self) -> str:
        """The top-level attribute that the place lies in."""
        return str(self.parts[0])

    def find(self, item: Item) -> AttributeValue | None:
        """Return the value of the item at the path, if any."""
        parts = self.parts
        found = item.get(parts[0])  # pyright: ignore[reportArgumentType]  # paths start with a name
        if len(parts) == 1:
            return found
        for part in parts[1:]:
            if found is None:
                return None
            if isinstance(part, int):
                elements = found.get("L", ())
                found = elements[part] if part < len(elements) else None
            else:
                found = found.get("M", {}).get(part)
        return found

    def __str__(self) -> str:
        """The path as DynamoDB shows it in its messages."""
        return f"[{', '.join(f'[{p}]' if isinstance(p, int) else p for p in self.parts)}]"


@dataclass(frozen=True, slots=True)
class Value:
    """A value that the request brought along, in canonical form.

    The builder of a tree may record the origin of the value, and that it ``varies``: that it
    represents other values of its type. Neither is part of the value.
    """

    value: AttributeValue
    origin: object = field(default=None, compare=False, repr=False)
    varies: bool = field(default=False, compare=False, repr=False)
    # The hashable form, once computed.
    _hashed: Hashable = field(default=None, init=False, compare=False, repr=False)

    @property
    def hashed(self) -> Hashable:
        """The hashable form of the value, equal for equal values."""
        if self._hashed is None:
            object.__setattr__(self, "_hashed", hashable(self.value))
        return self._hashed


@dataclass(frozen=True, slots=True)
class Size:
    """The length of a text or a binary, or the count of a set's, list's or map's members."""

    of: "Path | Value"


Operand: TypeAlias = Path | Value | Size


@dataclass(frozen=True, slots=True)
class Compare:
    """One operand against another."""

    op: Comparator
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Between:
    """An operand within two bounds, both included."""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class In:
    """An operand that equals one of several."""

    operand: Operand
    choices: tuple[Operand, ...]
    _lookup: "Choices | None" = field(default=None, init=False, compare=False, repr=False)

    @property
    def lookup(self) -> "Choices":
        """The choices in a form in which a value is looked up."""
        if self._lookup is None:
            object.__setattr__(self, "_lookup", Choices(self.choices))
        return cast("Choices", self._lookup)


class Choices:
    """Many choices of an `In`: the values, and the other operands by the attribute they look at."""

    __slots__ = ("places", "values")

    def __init__(self, choices: Iterable[Operand]) -> None:
        self.values: set[Hashable] = set()
        self.places: dict[str, list[Operand]] = {}
        for choice in choices:
            place = choice.of if isinstance(choice, Size) else choice
            if isinstance(choice, Value):
                self.values.add(choice.hashed)
            else:
                name = place.name if isinstance(place, Path) else ""
                self.places.setdefault(name, []).append(choice)


@dataclass(frozen=True, slots=True)
class AttributeExists:
    """There is something at the path."""

    path: Path


@dataclass(frozen=True, slots=True)
class AttributeNotExists:
    """There is nothing at the path."""

    path: Path


@dataclass(frozen=True, slots=True)
class AttributeType:
    """The operand is of the type that the value names: ``{"S": "NS"}`` for a set of numbers."""

    operand: Operand
    type: Value


@dataclass(frozen=True, slots=True)
class BeginsWith:
    """A text or binary starts with another."""

    operand: Operand
    prefix: Operand


@dataclass(frozen=True, slots=True)
class Contains:
    """A text has a part, or a set or list has a member."""

    operand: Operand
    element: Operand


@dataclass(frozen=True, slots=True)
class And:
    """All of two or more conditions hold; of none at all, trivially."""

    conditions: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One of two or more conditions holds."""

    conditions: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The condition does not hold."""

    condition: "Condition"


Condition: TypeAlias = (
    Compare
    | Between
    | In
    | AttributeExists
    | AttributeNotExists
    | AttributeType
    | BeginsWith
    | Contains
    | And
    | Or
    | Not
)


@dataclass(frozen=True, slots=True)
class IfNotExists:
    """The value at the path, or the other value if there is none."""

    path: Path
    otherwise: "Operation"


@dataclass(frozen=True, slots=True)
class ListAppend:
    """One list followed by another."""

    first: "Operation"
    second: "Operation"


@dataclass(frozen=True, slots=True)
class Plus:
    """The sum of two numbers."""

    left: "Operation"
    right: "Operation"


@dataclass(frozen=True, slots=True)
class Minus:
    """The difference of two numbers."""

    left: "Operation"
    right: "Operation"


Operation: TypeAlias = Path | Value | IfNotExists | ListAppend | Plus | Minus


@dataclass(frozen=True, slots=True)
class Set:
    """The path receives what the operation yields on the item as it was before the update."""

    path: Path
    operation: Operation


@dataclass(frozen=True, slots=True)
class Remove:
    """The value at the path is removed."""

    path: Path


@dataclass(frozen=True, slots=True)
class Add:
    """A number grows by the value, or a set gains its members."""

    path: Path
    value: Value


@dataclass(frozen=True, slots=True)
class Delete:
    """A set loses the value's members."""

    path: Path
    value: Value


Action: TypeAlias = Set | Remove | Add | Delete


@dataclass(frozen=True, slots=True)
class Update:
    """Actions on paths that do not overlap, so that their order does not matter."""

    actions: tuple[Action, ...]
    type_fault: str = "An operand in the update expression has an incorrect data type"
    _targets: tuple[str, ...] | None = field(default=None, init=False, compare=False, repr=False)

    @property
    def targets(self) -> tuple[str, ...]:
        """The top-level attributes written, in the order in which they first appear."""
        found = self._targets
        if found is None:
            found = tuple(dict.fromkeys([action.path.name for action in self.actions]))
            object.__setattr__(self, "_targets", found)
        return found

    @property
    def creates(self) -> bool:
        """Whether it creates an item that does not exist, which removals alone do not."""
        return any(isinstance(action, Set | Add) for action in self.actions)

    @property
    def nested_names(self) -> frozenset[str]:
        """The top-level attributes of which a part is read or written."""
        found: set[str] = set()
        for action in self.actions:
            if len(action.path.parts) > 1:
                found.add(action.path.name)
            if isinstance(action, Set) and not isinstance(action.operation, Value):
                paths = _operation_paths(action.operation)
                found.update(path.name for path in paths if len(path.parts) > 1)
        return frozenset(found)


def _operation_paths(operation: Operation) -> Iterator[Path]:
    match operation:
        case Path():
            yield operation
        case Value():
            pass
        case IfNotExists():
            yield operation.path
            yield from _operation_paths(operation.otherwise)
        case ListAppend():
            yield from _operation_paths(operation.first)
            yield from _operation_paths(operation.second)
        case Plus() | Minus():
            yield from _operation_paths(operation.left)
            yield from _operation_paths(operation.right)
