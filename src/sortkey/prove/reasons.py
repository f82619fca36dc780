"""Reasons: why a request returns a wrong record or misses a right one, and what to change.

A record is tested against each step of a call as DynamoDB would: whether it is in the index, in the
partition, within the range and kept by the filter. The first test that fails is the cause.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, cast

from sortkey.design.declaring.entity import Entity
from sortkey.design.raw.operation import RawOperation
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.keys.unify import can_collide
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.marks import may_be_empty
from sortkey.expressions.evaluate import condition_names, holds
from sortkey.expressions.tree import And, BeginsWith, Between, Compare, Condition, Path, Size, Value
from sortkey.operations.operation import Operation
from sortkey.operations.origin import Filled
from sortkey.operations.plan import Step
from sortkey.prove.disorder import order_change
from sortkey.prove.links import facing
from sortkey.prove.meaning import Order
from sortkey.prove.requests import condition_text, key_text, value_text
from sortkey.prove.state import RecordState, end_of, expiry_field, is_living
from sortkey.prove.wanted import Mismatch, Wanted, records_of
from sortkey.wire.values import AttributeValue, Item
from sortkey.wording.prose import FEW, a, counted, listed

_SEVERAL_KINDS = "Query each entity separately, and merge the records in the order of order="
_EITHER = "Correct the request or the pattern's where=, whichever is wrong"


@dataclass(frozen=True, slots=True)
class Reason:
    """One cause of a mismatch: what is wrong, why, and what to change."""

    cause: str
    message: str
    why: str = ""
    change: str = _EITHER
    # Why the pattern is unproven rather than refuted, if no request could avoid the mismatch.
    unproven: str = ""


@dataclass(frozen=True, slots=True)
class JudgedCall:
    """A call with a wrong result: its operation, the stored records and the expected answer."""

    operation: Operation[Any]
    state: RecordState
    # The records that were stored at the beginning; reports refer to them by number.
    stored: tuple[Entity, ...]
    wanted: Wanted | None = None
    order: Order | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that the call sends."""
        return self.operation._plan().steps

    @property
    def is_raw(self) -> bool:
        """Whether the request is written as text."""
        return isinstance(self.operation, RawOperation)

    def name(self, record: Any) -> str:
        """Return the number of a stored record, such as "#1"."""
        return f"#{self.stored.index(record) + 1}" if record in self.stored else "the record"


def reasons_of(mismatch: Mismatch, judged: JudgedCall) -> Iterator[Reason]:
    """Yield the causes of a mismatch, one for each record that shows it."""
    match mismatch.name:
        case "missing":
            yield from (_missing(mismatch, record, judged) for record in mismatch.about)
        case "unexpected":
            yield from (_unexpected(mismatch, found, judged) for found in mismatch.about)
        case "count":
            yield from _miscounted(mismatch, judged)
        case "order":
            yield _disordered(mismatch, judged)
        case "projection":
            yield _not_projected(mismatch, judged)
        case "number":
            change = "Set first= and limit= to the same number"
            yield Reason("number", mismatch.message, change=change)
        case "twice":
            change = "Remove the duplicate, or read each partition once"
            yield Reason("twice", mismatch.message, change=change)
        case "meaning":
            change = "Make where= and order= accept every record that can be stored"
            yield Reason("meaning", mismatch.message, change=change)
        case "write":
            yield Reason(mismatch.message, mismatch.message, change=_write_change(judged))
        case "error":
            yield _failed(mismatch, judged)


# Missing records.


def _missing(mismatch: Mismatch, record: Any, judged: JudgedCall) -> Reason:
    excluded = list(_exclusions(record, judged)) if isinstance(record, Entity) else []
    if excluded and all(excluded):
        first = cast("Reason", excluded[0])
        return replace(first, message=mismatch.message)
    if judged.is_raw and judged.steps[0].limit is not None:
        return _beyond_limit(mismatch, judged)
    why = f"{judged.name(record)} is in the range of the request but is not returned"
    return Reason("missing", mismatch.message, why)


def _beyond_limit(mismatch: Mismatch, judged: JudgedCall) -> Reason:
    operation, step = cast("RawOperation", judged.operation), judged.steps[0]
    limit = step.limit or 0
    items = counted(limit, "item")
    if operation._first is None:
        why = f"the request reads {items}, and without page= or first= that is the whole answer"
        change = (
            "Pass page= if the caller continues with the cursor, or first= if only the first "
            "records are wanted, or remove limit="
        )
        return Reason("limit", mismatch.message, why, change)
    if limit < operation._first:
        why = f"the request reads {items}, but the first {operation._first} are wanted"
        return Reason("limit", mismatch.message, why, f"Write limit={operation._first}")
    dropped = "that the filter drops" if step.filter is not None else "outside the answer"
    why = f"the limit also counts items {dropped}, and the request reads {items}"
    change = f"Move the condition into the key, or {_reading_on(operation)}"
    return Reason("limit", mismatch.message, why, change)


def _reading_on(operation: RawOperation) -> str:
    instead = "" if operation._first is None else " instead of first="
    return f"pass page={instead} and read pages until there are enough records"


def _exclusions(record: Entity, judged: JudgedCall) -> Iterator[Reason | None]:
    """Yield why each step does not return a record; None for a step that returns it."""
    item = record.__kind__.encode(record)
    for step in judged.steps:
        yield _excluded(step, record, item, judged)


def _excluded(step: Step, record: Entity, item: Item, judged: JudgedCall) -> Reason | None:
    kind, name, table = record.__kind__, judged.name(record), cast("Any", step.table)
    if str(kind.table) != str(table):
        why = f"{name} is in the table {kind.table}, but the request reads {table}"
        return Reason("table", "", why)
    if step.key is not None:
        key = {n: value.value for n, value in step.key.items()}
        if all(item.get(n) == value for n, value in key.items()):
            return None
        why = (
            f"the key of {name} is {key_text(item, tuple(key))}, but the request reads "
            f"{key_text(key, tuple(key))}"
        )
        return Reason("key", "", why)
    index = table.primary if step.index is None else table.indexes[step.index]
    absent = [attribute.name for attribute in index.attributes if attribute.name not in item]
    if absent:
        return _not_indexed(record, absent, judged, step)
    for part in _parts(step.key_condition):
        if not holds(part, item):
            return _outside(part, item, record, judged)
    if step.filter is not None and not holds(step.filter, item):
        return _filtered(step.filter, item, record, judged)
    return None


def _not_indexed(record: Entity, absent: Sequence[str], judged: JudgedCall, step: Step) -> Reason:
    kind = record.__kind__
    key = next((key for key in kind.keys.values() if key.index == step.index), None)
    names = ", ".join(absent)
    why = f"{judged.name(record)} has no {names}, so it is not in the index {step.index}"
    if key is None:
        change = f"Give {kind.name} a key for the index {step.index}, or query the table"
        return Reason("index", "", why, change)
    left_out = [field for field in key.all_fields if getattr(record, field, None) is None]
    are = "is" if len(left_out) == 1 else "are"
    because = f", since {listed(left_out)} {are} None" if left_out else ""
    change = "Query a key that every record has, or exclude records without this key in where="
    return Reason("index", "", f"{why}{because}", change)


def _filtered(condition: Condition, item: Item, record: Entity, judged: JudgedCall) -> Reason:
    part = next((part for part in _parts(condition) if not holds(part, item)), condition)
    absent = [path for path in _sizes(part) if path.find(item) is None]
    why = f"the filter {condition_text(part)} is false for {judged.name(record)}"
    if absent:
        change = _size_change(absent[0], part, judged)
        return Reason("size", "", f"{why}: {_no_size(absent[0])}", change)
    return Reason("filter", "", why)


def _outside(part: Condition, item: Item, record: Entity, judged: JudgedCall) -> Reason:
    """Return why a part of the key condition is false for a record."""
    match part:
        case Between(Path() as path, low, Value() as high):
            if holds(Compare(">=", path, low), item):
                return _after(Compare("<=", path, high), item, record, judged)
            return _before(path, cast("Value", low), item, judged.name(record))
        case Compare("<" | "<=", Path(), Value()):
            return _after(part, item, record, judged)
        case Compare(">" | ">=", Path() as path, Value() as bound):
            return _before(path, bound, item, judged.name(record))
        case Compare(_, Path() as path, Value() as value):
            held = value_text(item[path.name])
            why = (
                f"the {path.name} of {judged.name(record)} is {held}, but the request reads "
                f"{path.name} = {value_text(value.value)}"
            )
            return Reason(f"{path.name} =", "", why)
        case _:
            why = f"{condition_text(part)} is false for {key_text(item, tuple(_names(part)))}"
            return Reason("range", "", why)


def _after(compared: Compare, item: Item, record: Entity, judged: JudgedCall) -> Reason:
    """Return why a key attribute sorts after an upper bound, or equals one that is excluded."""
    path, bound = cast("Path", compared.left), cast("Value", compared.right)
    held, name = item[path.name], judged.name(record)
    if held == bound.value:
        why = f'the {path.name} of {name} equals the upper bound, which "<" excludes'
        return Reason("upper bound left out", "", why, "Write <= instead of <")
    why = (
        f"the {path.name} of {name}, {value_text(held)}, sorts after the upper bound "
        f"{value_text(bound.value)}"
    )
    longer = _continuation(held, bound)
    if longer is None:
        return Reason("after the range", "", why)
    template = bound.origin.template if isinstance(bound.origin, Filled) else bound.value["S"]
    change = f'Extend the bound to include longer keys: "{template}{longer}~"'
    return Reason("after a shorter bound", "", why, change if judged.is_raw else _EITHER)


def _continuation(held: AttributeValue, bound: Value) -> str | None:
    """Return the character that follows the bound in a key that begins with it, else None."""
    text, end = held.get("S"), bound.value.get("S")
    if text is None or end is None or not text.startswith(end) or text == end:
        return None
    return text[len(end)]


def _before(path: Path, bound: Value, item: Item, name: str) -> Reason:
    held = item[path.name]
    if held == bound.value:
        why = f'the {path.name} of {name} equals the lower bound, which ">" excludes'
        return Reason("lower bound left out", "", why, "Write >= instead of >")
    why = (
        f"the {path.name} of {name}, {value_text(held)}, sorts before the lower bound "
        f"{value_text(bound.value)}"
    )
    return Reason("before", "", why)


# Records that should not be returned.


def _unexpected(mismatch: Mismatch, found: Any, judged: JudgedCall) -> Reason:
    if not isinstance(found, Entity):
        message = "an item is returned that is not a record of any entity"
        shown = mismatch.message if not isinstance(found, dict) else message
        return Reason("item", shown, "", "Narrow the key condition, or add a filter")
    kind = found.__kind__
    expected = tuple(dict.fromkeys(name for step in judged.steps for name in step.entities))
    if expected and kind.name not in expected:
        message = f"{a(kind.name)} is returned where {a(' or '.join(expected))} is expected"
        return _foreign(message, found, judged)
    if not is_living(kind, found):
        return _expired(found, judged)
    why = _in_range(found, judged)
    change = _delimited(found, judged) or (
        "Narrow the key condition, add a filter, or correct where=, whichever is wrong"
    )
    return Reason("unexpected", mismatch.message, why, change)


def _in_range(record: Entity, judged: JudgedCall) -> str:
    """Return a sentence on why a request reads a record; empty if it does not."""
    step = _reading_step(record, judged)
    if step is None:
        return ""
    item = record.__kind__.encode(record)
    if step.key:
        return f"{key_text(item, tuple(step.key))} is the key of {judged.name(record)}"
    names = list(_names(step.key_condition))
    if not names:
        if step.filter is not None:
            return f"the filter of the {step.verb} keeps {judged.name(record)}"
        return f"a {step.verb} without a filter reads every item, including {judged.name(record)}"
    return f"{judged.name(record)} is in the range of the request, with {key_text(item, names)}"


def _reading_step(record: Entity, judged: JudgedCall) -> Step | None:
    found = zip(_exclusions(record, judged), judged.steps, strict=True)
    return next((step for excluded, step in found if excluded is None), None)


def _foreign(message: str, record: Entity, judged: JudgedCall) -> Reason:
    kind, step = record.__kind__, _reading_step(record, judged) or judged.steps[0]
    own = [k for k in kind.table.entities if k.name in step.entities]
    cause, why = f"a {kind.name}", _in_range(record, judged)
    change = _by_prefix(record, step, own) or _by_type(kind, step, own)
    return Reason(cause, message, why, change or _apart(kind, step, own))


def _apart(kind: EntityKind[Any], step: Step, own: Sequence[EntityKind[Any]]) -> str:
    """Return how to exclude the records of another entity: by the condition, or by their keys."""
    if step.verb in {"Query", "Scan"} and own and not any(_is_shared(kind, each) for each in own):
        if step.key_condition is None and step.filter is None:
            return f"Add a filter that excludes {kind.name} records"
        what = "filter" if step.key_condition is None else "key condition"
        return f"Narrow the {what} so that it excludes {kind.name} records"
    return f"Give {listed((*step.entities, kind.name), FEW)} keys that cannot be equal"


def _is_shared(kind: EntityKind[Any], other: EntityKind[Any]) -> bool:
    """Return whether two entities may have a record with the same primary key."""
    pairs = zip(kind.primary.parts, other.primary.parts, strict=True)
    return all(
        one.attribute.type != "S" or can_collide(one.template, two.template) for one, two in pairs
    )


def _by_prefix(record: Entity, step: Step, own: Sequence[EntityKind[Any]]) -> str:
    """Return how the sort key prefix excludes another entity; empty if it cannot."""
    keys = [key for k in own for key in k.keys.values() if key.index == step.index and key.sort]
    if step.verb != "Query" or not keys or len(keys) < len(own):
        return ""
    attribute = keys[0].sort[0].attribute.name
    held = record.__kind__.encode(record).get(attribute, {}).get("S", "")
    starts = list(dict.fromkeys(map(_word, keys)))
    if not all(starts) or any(held.startswith(start) for start in starts):
        return ""
    for part in _parts(step.key_condition):
        match part:
            case BeginsWith(Path((str(name),)), Value({"S": str(prefix)})) if name == attribute:
                is_longer = len(starts) == 1 and starts[0].startswith(prefix)
                return f'Write begins_with({attribute}, "{starts[0]}")' if is_longer else ""
            case _:
                pass
    if attribute in _names(step.key_condition):
        return ""
    if len(starts) == 1:
        return f'Add AND begins_with({attribute}, "{starts[0]}") to the key condition'
    if record.__kind__.type_attribute is not None:
        return ""
    ranges = " and ".join(f'begins_with({attribute}, "{start}")' for start in starts)
    return f"Send a query for each entity, with {ranges}"


def _by_type(kind: EntityKind[Any], step: Step, own: Sequence[EntityKind[Any]]) -> str:
    attribute = kind.type_attribute
    if attribute is None or not own or step.verb not in {"Query", "Scan"}:
        return ""
    types = [f'{attribute} = "{each.name}"' for each in own]
    written = f", and write {attribute} in every put" if kind.table.raw else ""
    return f"Add the filter {' OR '.join(types)}{written}"


def _word(key: EntityKey) -> str:
    """Return the literal text with which the sort key of an entity begins."""
    parts = key.sort[0].template.parts if key.sort else ()
    return parts[0] if parts and isinstance(parts[0], str) else ""


def _expired(record: Entity, judged: JudgedCall) -> Reason:
    kind = record.__kind__
    end = end_of(kind, record)
    message = f"a record is returned that expired at {end:%Y-%m-%d %H:%M:%S} UTC"
    why = f"{judged.name(record)} stays readable until DynamoDB deletes it, typically within days"
    attribute = kind.table.settings.ttl or kind.expires
    step = _reading_step(record, judged) or judged.steps[0]
    if not judged.is_raw:
        return Reason("expired", message, why, f"Annotate the field stored as {attribute} with TTL")
    if attribute in _named(step.filter):
        change = f'Compare {attribute} with the clock: write "{{now()}}" as the bound'
        return Reason("expired", message, why, change)
    if step.verb in {"Query", "Scan"}:
        return Reason("expired", message, why, _filter_change(kind, judged))
    change = f"Compare {attribute} with the clock after the read: {step.verb} takes no filter"
    unproven = (
        f"it may return an expired {kind.name}, since {step.verb} takes no filter: compare "
        f"{attribute} with the clock in the program, and acknowledge SK305"
    )
    return Reason("expired", message, why, change, unproven)


def _filter_change(kind: EntityKind[Any], judged: JudgedCall) -> str:
    """Return how a raw query or scan excludes expired records."""
    field = str(expiry_field(kind))
    attribute = kind.stored_names[field]
    absent = "attribute_not_exists(#ttl) OR " if kind.codec.fields[field].optional else ""
    change = (
        f'Add the filter "{absent}#ttl > :now", with names={{"#ttl": "{attribute}"}} and '
        'values={":now": "{now()}"}'
    )
    if kind.expires_field is None:
        change += f", and declare {field} as TTL, so that {{now()}} is written in seconds"
    operation = cast("RawOperation", judged.operation)
    if not operation._ends_at_limit:
        return change
    # With the filter alone the answer would be short: the limit counts the expired records.
    without = "remove it, or " if operation._first is None else ""
    return f"{change}. limit= also counts expired records: {without}{_reading_on(operation)}"


def _delimited(record: Entity, judged: JudgedCall) -> str:
    """Return the text to write instead of a prefix that ends inside a value; empty if none does."""
    step = _reading_step(record, judged)
    for part in _parts(step.key_condition) if step and judged.is_raw else ():
        match part:
            case BeginsWith(Path() as path, Value(origin=Filled(template))):
                keys = [k for k in record.__kind__.keys.values() if step and k.index == step.index]
                for key in [p for k in keys for p in k.parts if p.attribute.name == path.name]:
                    return _ended(template, path.name, key.template.parts)
            case _:
                pass
    return ""


def _ended(prefix: str, attribute: str, parts: Sequence[str | Slot]) -> str:
    """Return how to end a prefix at the end of a value; empty if it does not end inside one."""
    stops = [slot for slot, _, is_open in facing(prefix, parts) if is_open]
    if not stops:
        return ""
    following = parts[parts.index(stops[0]) + 1 :]
    if not following:
        return f'Compare with = instead of begins_with: {attribute} = "{prefix}"'
    if isinstance(following[0], Slot):
        return "End the value with a delimiter in the key and in the prefix"
    word = "".join(takewhile(str.isalnum, following[0]))
    return f'End the prefix with the delimiter: "{prefix}{following[0][: len(word) + 1]}"'


# Counts, orders, errors and writes.


def _miscounted(mismatch: Mismatch, judged: JudgedCall) -> Iterator[Reason]:
    wanted = [] if judged.wanted is None else records_of(judged.wanted)
    is_explained = False
    for record in judged.state.records.values():
        excluded = list(_exclusions(record, judged))
        if record in wanted and excluded and all(excluded):
            is_explained = True
            yield replace(_missing(mismatch, record, judged), message=mismatch.message)
        if record not in wanted and not all(excluded):
            is_explained = True
            reason = _unexpected(mismatch, record, judged)
            yield replace(
                reason,
                message=f"{mismatch.message}: {_as_counted(reason.message, mismatch.message)}",
            )
    if not is_explained:
        is_cut = judged.is_raw and cast("RawOperation", judged.operation)._ends_at_limit
        yield _beyond_limit(mismatch, judged) if is_cut else Reason("count", mismatch.message)


def _as_counted(message: str, unexplained: str) -> str:
    return (
        "a record is counted that should not be"
        if message == unexplained
        else (message.replace("is returned", "is counted", 1))
    )


def _disordered(mismatch: Mismatch, judged: JudgedCall) -> Reason:
    pair = [record for record in mismatch.about if isinstance(record, Entity)]
    step = judged.steps[0]
    if step.verb != "Query":
        change = "Query a key that sorts the records, or sort them after the read"
        return Reason(
            "order", mismatch.message, f"a {step.verb} returns records in any order", change
        )
    table = cast("Any", step.table)
    index = table.primary if step.index is None else table.indexes[step.index]
    if len(pair) != 2 or not index.sort:  # noqa: PLR2004 - the two in the wrong order
        return Reason("order", mismatch.message)
    name = index.sort[0].name
    early, late = (record.__kind__.encode(record).get(name) for record in pair)
    if early is None or late is None:
        return Reason("order", mismatch.message)
    sorts = "before" if step.forward else "after"
    why = (
        f"{judged.name(pair[0])} comes first: its {name}, {value_text(early)}, sorts {sorts} "
        f"{value_text(late)}"
    )
    if any(record.__kind__ is not pair[0].__kind__ for record in pair):
        return Reason("order", mismatch.message, why, _SEVERAL_KINDS)
    change = order_change(pair[0], pair[1], step, judged.order, is_raw=judged.is_raw)
    return Reason("order", mismatch.message, why, change)


def _not_projected(mismatch: Mismatch, judged: JudgedCall) -> Reason:
    record, absent = mismatch.about
    index, name = judged.steps[0].index, record.__kind__.name
    why = f"{name} requires {absent.shown}, but the index {index} does not project {absent.pronoun}"
    change = f"Project {absent.shown} into {index}, or list the attributes you need in projection="
    return Reason("projection", mismatch.message, why, change)


def _failed(mismatch: Mismatch, judged: JudgedCall) -> Reason:
    """Return why a call raised an error, such as a record that was read as another entity."""
    error: Any = mismatch.found
    key = getattr(error, "key", None)
    for record in judged.state.records.values() if isinstance(key, dict) else ():
        kind = record.__kind__
        stored = {n: next(iter(v.value.values())) for n, v in kind.key_of(record).items()}
        if stored == key and kind.name != error.entity:
            message = f"{a(kind.name)} is returned where {a(error.entity)} is expected"
            reason = error.reason if hasattr(error, "reason") else error
            return _foreign(f"{message}, and cannot be read as one: {reason}", record, judged)
    change = "Correct the pattern, or raise ValueError for arguments that it does not accept"
    return Reason(type(error).__name__, mismatch.message, change=change)


def _write_change(judged: JudgedCall) -> str:
    if judged.is_raw:
        return "Correct the request or becomes=, whichever is wrong"
    return "Correct the write or its conditions"


def rejected(message: str, judged: JudgedCall) -> Reason:
    """Return why a write was rejected although its condition holds for the record."""
    for step in judged.steps:
        for part in _parts(step.condition):
            item = _item_at(step, judged)
            if item is None or holds(part, item):
                continue
            absent = [path for path in _sizes(part) if path.find(item) is None]
            why = f"the condition {condition_text(part)} is false for the stored item"
            if absent:
                why, change = f"{why}: {_no_size(absent[0])}", _size_change(absent[0], part, judged)
                return Reason("size", message, why, change)
            return Reason("condition", message, why, _write_change(judged))
    return Reason("rejected", message, change=_write_change(judged))


def empty_key(message: str, records: Iterable[Entity]) -> Reason | None:
    """Return why a write was rejected if it leaves empty a key field that may be empty."""
    for record in records:
        kind = record.__kind__
        for part in (part for key in kind.keys.values() for part in key.parts):
            name = part.fields[0] if part.is_natural else ""
            if name and getattr(record, name) == "" and may_be_empty(kind.model.model_fields[name]):
                why = f'{name} of {kind.name} may be "", but DynamoDB rejects an empty key'
                change = f"Use None instead of an empty {name}, so that the key is omitted"
                return Reason("empty key", message, why, change)
    return None


def _item_at(step: Step, judged: JudgedCall) -> Item | None:
    key = {name: value.value for name, value in (step.key or {}).items()}
    for record in judged.state.records.values():
        item = record.__kind__.encode(record)
        if key and all(item.get(name) == value for name, value in key.items()):
            return item
    return None


def _no_size(path: Path) -> str:
    return f"{path.name} is empty, so it is not stored, and a missing attribute has no size"


def _size_change(path: Path, part: Condition, judged: JudgedCall) -> str:
    text = condition_text(part)
    if judged.is_raw:
        return f"Write attribute_not_exists({path.name}) OR {text}"
    return f"Write missing(r.{path.name}) | ({text.replace(path.name, f'r.{path.name}', 1)})"


def _sizes(condition: Condition) -> Iterator[Path]:
    for operand in _members(condition):
        if isinstance(operand, Size) and isinstance(operand.of, Path):
            yield operand.of


def _members(condition: Any) -> tuple[Any, ...]:
    names = ("left", "right", "operand", "low", "high", "prefix")
    return tuple(getattr(condition, name, None) for name in names)


def _parts(condition: Condition | None) -> tuple[Condition, ...]:
    if isinstance(condition, And):
        return tuple(part for each in condition.conditions for part in _parts(each))
    return () if condition is None else (condition,)


def _named(condition: Condition | None) -> frozenset[str]:
    return frozenset() if condition is None else condition_names(condition)


def _names(condition: Condition | None) -> Iterator[str]:
    for part in _parts(condition):
        yield from (member.name for member in _members(part) if isinstance(member, Path))
