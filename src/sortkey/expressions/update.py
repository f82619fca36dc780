"""An update carried out on an item.

Every operand is read from the item as it was, so the order of actions does not matter. The
item given is never changed: what lies along a written path is copied, the rest is shared.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sortkey.expressions.arithmetic import add, subtract
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import (
    Action,
    Add,
    Delete,
    IfNotExists,
    ListAppend,
    Minus,
    Operation,
    Path,
    Plus,
    Remove,
    Set,
    Update,
    Value,
)
from sortkey.wire.errors import ValidationException
from sortkey.wire.values import AttributeValue, Item, kind_of

_MISSING_ATTRIBUTE = (
    "The provided expression refers to an attribute that does not exist in the item"
)
_INVALID_PATH = "The document path provided in the update expression is invalid for update"
_SETS = frozenset({"SS", "NS", "BS"})


@dataclass(frozen=True, slots=True)
class Updated:
    """The item after an update, and the paths that the update names."""

    item: Item
    paths: tuple[Path, ...]

    def updated_new(self) -> Item:
        """Return the new values at the paths: the response to ``UPDATED_NEW``."""
        return Projection(self.paths).apply(self.item)

    def updated_old(self, old_item: Item) -> Item:
        """Return the old values at the paths: the response to ``UPDATED_OLD``."""
        return Projection(self.paths).apply(old_item)


class _Write(NamedTuple):
    """The change of a place: its new value, or None if it is removed."""

    path: Path
    value: AttributeValue | None


def apply_update(update: Update, item: Item, *, created: bool = False) -> Updated:
    """The item after the update; ``created`` says that there was none before."""
    _refuse_types(update, item)
    writes: list[_Write] = []
    # DynamoDB looks for faults from the last action to the first.
    for action in reversed(update.actions):
        if len(action.path.parts) > 1 and not (created and type(action) is Remove):
            _refuse_parent(action.path, item)
        write = _WRITES[type(action)](action, item, update)
        if write is not None:
            writes.append(write)
    new = dict(item)
    nested: list[_Write] = []
    for write in reversed(writes):
        if len(write.path.parts) > 1:
            nested.append(write)
        elif write.value is None:
            new.pop(write.path.name, None)
        else:
            new[write.path.name] = write.value
    if nested:
        _write_nested(nested, item, new)
    return Updated(new, tuple([action.path for action in update.actions]))


def _refuse_types(update: Update, item: Item) -> None:
    """Refuse to add to, or delete from, what is of another type than the value."""
    for action in update.actions:
        if type(action) is Add or type(action) is Delete:
            found = action.path.find(item)
            if found is not None and kind_of(action.value.value) not in found:
                raise ValidationException(update.type_fault)


def _set(action: Set, item: Item, update: Update) -> _Write:
    return _Write(action.path, _result(action.operation, item, update))


def _remove(action: Remove, item: Item, _: Update) -> _Write | None:
    return None if action.path.find(item) is None else _Write(action.path, None)


def _add(action: Add, item: Item, _: Update) -> _Write:
    found = action.path.find(item)
    added = action.value.value
    if found is None:
        return _Write(action.path, added)
    kind = kind_of(added)
    if kind == "N":
        return _Write(action.path, {"N": add(found["N"], added["N"])})
    if kind in _SETS:
        return _Write(action.path, {kind: list(dict.fromkeys(found[kind] + added[kind]))})
    return _Write(action.path, {kind: found[kind] + added[kind]})


def _delete(action: Delete, item: Item, _: Update) -> _Write | None:
    found = action.path.find(item)
    if found is None:
        return None
    kind = kind_of(action.value.value)
    dropped = set(action.value.value[kind])
    left = [member for member in found[kind] if member not in dropped]
    return _Write(action.path, {kind: left} if left else None)


_WRITES: dict[type[Action], Callable[[Any, Item, Update], _Write | None]] = {
    Set: _set,
    Remove: _remove,
    Add: _add,
    Delete: _delete,
}


def _result(operation: Operation, item: Item, update: Update) -> AttributeValue:
    return _RESULTS[type(operation)](operation, item, update)


def _value(operation: Value, _: Item, __: Update) -> AttributeValue:
    return operation.value


def _found(operation: Path, item: Item, _: Update) -> AttributeValue:
    found = operation.find(item)
    if found is None:
        raise ValidationException(_MISSING_ATTRIBUTE)
    return found


def _if_not_exists(operation: IfNotExists, item: Item, update: Update) -> AttributeValue:
    # The fallback is read even where it is not needed: it must be there.
    otherwise = _result(operation.otherwise, item, update)
    found = operation.path.find(item)
    return otherwise if found is None else found


def _list_append(operation: ListAppend, item: Item, update: Update) -> AttributeValue:
    first = _operand(operation.first, "L", item, update)
    return {"L": first + _operand(operation.second, "L", item, update)}


def _plus(operation: Plus, item: Item, update: Update) -> AttributeValue:
    left = _operand(operation.left, "N", item, update)
    return {"N": add(left, _operand(operation.right, "N", item, update))}


def _minus(operation: Minus, item: Item, update: Update) -> AttributeValue:
    left = _operand(operation.left, "N", item, update)
    return {"N": subtract(left, _operand(operation.right, "N", item, update))}


_RESULTS: dict[type[Operation], Callable[[Any, Item, Update], AttributeValue]] = {
    Value: _value,
    Path: _found,
    IfNotExists: _if_not_exists,
    ListAppend: _list_append,
    Plus: _plus,
    Minus: _minus,
}


def _operand(operation: Operation, kind: str, item: Item, update: Update) -> Any:
    value = _result(operation, item, update)
    if kind not in value:
        raise ValidationException(update.type_fault)
    return value[kind]


def _write_nested(writes: list[_Write], old: Item, new: Item) -> None:
    """Carry out the writes below top-level attributes.

    A list index means a position in the list as it was. So elements are first replaced in
    place, then new ones appended in the order of their indexes, and last the removed ones
    taken out from the end forwards.
    """
    replaced: list[_Write] = []
    appended: list[_Write] = []
    removed: list[_Write] = []
    for write in writes:
        if write.value is None:
            removed.append(write)
        elif isinstance(write.path.parts[-1], int) and write.path.find(old) is None:
            appended.append(write)
        else:
            replaced.append(write)
    for write in replaced:
        container, last = _own(new, write.path)
        container[last] = write.value
    for write in sorted(appended, key=_parts):
        _own(new, write.path)[0].append(write.value)
    for write in sorted(removed, key=_parts, reverse=True):
        container, last = _own(new, write.path)
        del container[last]


def _parts(write: _Write) -> tuple[Any, ...]:
    return write.path.parts


def _refuse_parent(path: Path, item: Item) -> None:
    """Refuse a path that does not end in an entry of a map or an element of a list."""
    parent = Path(path.parts[:-1]).find(item)
    if parent is None or ("L" if isinstance(path.parts[-1], int) else "M") not in parent:
        raise ValidationException(_INVALID_PATH)


def _own(item: Item, path: Path) -> tuple[Any, Any]:
    """The map or list that the path ends in, copied with all that leads to it, and the end."""
    container: Any = item
    for part in path.parts[:-1]:
        ((kind, content),) = container[part].items()
        copied = content.copy()
        container[part] = {kind: copied}
        container = copied
    return container, path.parts[-1]
