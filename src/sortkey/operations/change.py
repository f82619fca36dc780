"""Changes: single modifications of a record's fields, as an update makes them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sortkey.errors import Refused
from sortkey.expressions.tree import (
    Action,
    Add,
    Delete,
    IfNotExists,
    ListAppend,
    Path,
    Plus,
    Remove,
    Set,
    Value,
)
from sortkey.operations.kind import Kind, Place
from sortkey.operations.origin import FieldValue
from sortkey.operations.secrets import SECRET

Verb: TypeAlias = Literal["set", "add", "remove", "append", "include", "exclude"]

_EMPTY_LIST = Value({"L": []})


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One change to one place."""

    verb: Verb
    place: Place[Any]
    value: Any = None

    def __repr__(self) -> str:
        value = SECRET if self.place.secret else repr(self.value)
        return f"Change({self.verb!r}, {self.place.shown}, {value})"

    def action(self, kind: Kind[Any]) -> Action:
        """Return the change as an action of an update expression."""
        path = self.place.path
        match self.verb:
            case "set":
                return self._set(kind)
            case "remove":
                return Remove(path)
            case "append":
                added = self.place.amount(self.value)
                return Set(path, ListAppend(IfNotExists(path, _EMPTY_LIST), added))
            case "include":
                return Add(path, self.place.amount(self.value))
            case "exclude":
                return Delete(path, self.place.amount(self.value))
            case "add":
                return self._add(kind)

    def _set(self, kind: Kind[Any]) -> Action:
        path, place = self.place.path, self.place
        if not place.is_whole:
            return Set(path, place.literal(self.value))
        stored = kind.encode_field(place.field, place.check(self.value))
        return Remove(path) if stored is None else Set(path, Value(stored, FieldValue(self.value)))

    def _add(self, kind: Kind[Any]) -> Action:
        path, amount = self.place.path, self.place.amount(self.value)
        default = kind.defaults().get(self.place.field) if self.place.is_whole else None
        if not default:
            return Add(path, amount)
        # ADD starts at 0 if the attribute is missing; this field has another default.
        start = kind.encode_field(self.place.field, default)
        return Set(path, Plus(IfNotExists(path, Value(start or {"N": "0"})), amount))


def refuse_overlaps(kind: Kind[Any], changes: Iterable[FieldChange]) -> None:
    """Refuse two changes to the same place, or to a place and something inside it."""
    seen: list[tuple[Path, str]] = []
    for change in changes:
        parts = change.place.path.parts
        for other, shown in seen:
            shorter = min(len(parts), len(other.parts))
            if parts[:shorter] == other.parts[:shorter]:
                raise Refused(
                    f"one update changes both {kind.name}.{change.place.shown} and "
                    f"{kind.name}.{shown}, and one contains the other: DynamoDB allows one change "
                    "for each place"
                )
        seen.append((change.place.path, change.place.shown))
