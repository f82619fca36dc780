"""Rewrite: a stored record as the design would write it now, unless somebody has changed it.

Only the attributes that differ are written, and only while the record is as it was read, so that
neither a newer record nor an attribute that nobody here knows is ever overwritten.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from sortkey.errors import AlreadyExists, Refused, Unreadable, WriteFailed
from sortkey.expressions import tree
from sortkey.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    Compare,
    Condition,
    Path,
    Remove,
    Set,
    Value,
)
from sortkey.operations import lock
from sortkey.operations.action import Action, Guard, action, describe_key, shown_key
from sortkey.operations.kind import Kind
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan, Step, TableName
from sortkey.operations.put import version_of
from sortkey.operations.reading import is_expired
from sortkey.operations.sealing import opened
from sortkey.operations.secrets import Hidden
from sortkey.operations.write import new_token, send, transaction
from sortkey.wire.errors import ValidationException
from sortkey.wire.messages import Request
from sortkey.wire.values import AttributeValue, Item, same_value

# DynamoDB takes 300 operators and 4 KB of a condition; each attribute needs up to two and 40 bytes.
_MOST_COMPARED = 100
# Whoever writes a record is done at some time; this many in a row are a loop of somebody's.
_ATTEMPTS = 20

_Changes = dict[str, AttributeValue | None]


class Result(Enum):
    """What became of a record."""

    CURRENT = "is as it should be"
    REWRITTEN = "was rewritten"
    GONE = "is gone, or has expired"
    FAILED = "cannot be rewritten"


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What became of one record, and why where it could not be rewritten."""

    result: Result
    entity: str
    key: str
    reason: str = ""


class Raced(WriteFailed):
    """The record is no longer as it was read."""


@dataclass(frozen=True, slots=True)
class Rewrite(Operation[Rewritten]):
    """One record that was read, rewritten where it differs from what the design would write.

    ``index_names`` are the key attributes of the table's indexes: the design says all there is to
    say about them. ``dry_run`` only tells what would happen.
    """

    kind: Kind[Any]
    item: Item
    index_names: frozenset[str]
    time: float
    dry_run: bool = False

    def plan(self) -> Plan:
        """What is written depends on what was read."""
        return Plan("single", ())

    def steps(self, context: Context = ANYWHERE) -> Conversation[Rewritten]:
        """One conditional write; if the record was changed meanwhile it is judged again."""
        try:
            return self._told((yield from self._rewritten(context)))
        except Unreadable as error:
            return self._told(Result.FAILED, f"it cannot be read: {error.reason}")
        except (Refused, WriteFailed, ValidationException) as error:
            return self._told(Result.FAILED, str(error))

    def _rewritten(self, context: Context) -> Conversation[Result]:
        item: Item | None = self.item
        for _ in range(_ATTEMPTS):
            if item is None or self._is_over(item):
                return Result.GONE
            readable = yield from opened(item, self.kind.secrets, context)
            wanted = self._wanted(readable)
            changes = dict(_differences(readable, wanted))
            if not changes:
                return Result.CURRENT
            if self.dry_run:
                return Result.REWRITTEN
            # What is rewritten is at its place by this very write.
            actions = (replace(a, moving=None) for a in self._actions(item, readable, wanted))
            own, *others = actions
            try:
                if others:
                    yield from transaction((own, *others), new_token(), context)
                else:
                    yield from send(own, context)
            except Raced:
                # Not every endpoint tells what it found instead.
                item = yield from stored_at(self.kind, self._key(), context)
            else:
                return Result.REWRITTEN
        raise Refused(f"it was changed {_ATTEMPTS} times while this tried to rewrite it")

    def _is_over(self, item: Item) -> bool:
        expires = self.kind.expires
        return expires is not None and is_expired(item, expires, self.time)

    def _told(self, result: Result, reason: str = "") -> Rewritten:
        return Rewritten(result, self.kind.name, describe_key(shown_key(self._key())), reason)

    def _key(self) -> dict[str, Value]:
        return {name: Value(self.item[name]) for name in self.kind.key_names}

    def _wanted(self, readable: Item) -> Item:
        """The item as the design would write it, with what the design knows nothing of."""
        kind = self.kind
        record = kind.read(readable)
        if record is None:
            return readable
        written = kind.encode(record)
        moves = self._moves(readable, written)
        if moves and not self._is_earlier(kind.key_of(record)):
            raise Refused(
                f"its key would be {describe_key(shown_key(kind.key_of(record)))}, and a "
                "record keeps its primary key: delete it and create it anew"
            )
        known = self._known()
        kept = {n: v for n, v in kind.current(readable).items() if n not in known}
        wanted = kept | written
        if kind.version is not None:
            if not moves and any(_differences(readable, wanted)):
                wanted[kind.version] = {"N": str(version_of(kind, record) + 1)}
            elif moves and version_of(kind, record) == 0:
                # Whoever waits to write what moves first has loaded it without a version.
                del wanted[kind.version]
        return wanted

    def _is_earlier(self, key: dict[str, Value]) -> bool:
        """Whether the record is where an earlier count of shards put it."""
        earlier = self.kind.earlier_key(key)
        return earlier is not None and all(
            same_value(value.value, self.item[name]) for name, value in earlier.items()
        )

    def _moves(self, readable: Item, wanted: Item) -> bool:
        return not all(_same(readable, wanted, name) for name in self.kind.key_names)

    def _known(self) -> frozenset[str]:
        """The attributes that the design has a say in."""
        kind = self.kind
        own = {*kind.key_names, *kind.stored_names.values(), kind.shape_attribute}
        return self.index_names | own | {kind.type_attribute or kind.shape_attribute}

    def _actions(self, item: Item, readable: Item, wanted: Item) -> Iterator[Action]:
        kind, before = self.kind, self._key()
        after = {name: Value(wanted[name]) for name in kind.key_names}
        guard = self._as_read(item)
        moves = self._moves(readable, wanted)
        if moves:
            yield action("DeleteItem", kind, before, (guard,))
            yield action("PutItem", kind, after, (_is_free(kind),), item=wanted)
        else:
            update = _update(dict(_differences(readable, wanted)))
            yield action("UpdateItem", kind, before, (guard,), update=update)
        reshaped = not _same(readable, wanted, kind.shape_attribute)
        for unique in kind.uniques:
            changed = not _same(readable, wanted, unique.stored)
            if changed:
                yield from lock.release(kind, unique, before, readable)
            if changed or reshaped or moves:
                yield from lock.claim(kind, unique, (before, after), wanted, self.time)

    def _as_read(self, item: Item) -> Guard:
        condition = And(tuple(self._unchanged(item)))
        return Guard(condition, Raced, "{entity} {key} was changed since it was read")

    def _unchanged(self, item: Item) -> Iterator[Condition]:
        """The record is as it was read, attribute by attribute.

        The version alone would not tell: a record that was deleted and made anew has the first
        one again. It has to do where there are too many attributes for one request.
        """
        kind = self.kind
        yield AttributeExists(Path((kind.key_names[0],)))
        names = (self._known() | item.keys()) - set(kind.key_names)
        if len(names) > _MOST_COMPARED:
            if kind.version is None or kind.version not in item:
                raise Refused(
                    f"it has {len(names)} attributes, too many to tell whether it was changed: "
                    f"give {kind.name} a version"
                )
            names = {kind.version, kind.shape_attribute}
        for name in sorted(names):
            path = Path((name,))
            stored = item.get(name)
            yield AttributeNotExists(path) if stored is None else Compare("=", path, Value(stored))


def _is_free(kind: Kind[Any]) -> Guard:
    nothing = AttributeNotExists(Path((kind.key_names[0],)))
    told = "it is stored at its own place and at its earlier place too: remove one of them"
    return Guard(nothing, AlreadyExists, told)


def _update(changes: _Changes) -> tree.Update:
    return tree.Update(
        tuple(
            Remove(Path((name,))) if value is None else Set(Path((name,)), Value(value))
            for name, value in changes.items()
        )
    )


def _same(stored: Item, wanted: Item, name: str) -> bool:
    if name not in stored or name not in wanted:
        return name not in stored and name not in wanted
    return same_value(stored[name], wanted[name])


def stored_at(
    kind: Kind[Any], key: Mapping[str, Value], context: Context
) -> Conversation[Item | None]:
    """What is stored at a key now, as it is stored."""
    step = Step("GetItem", kind.table, (kind.name,), key=key, consistent=True)
    answer = yield Request("GetItem", step.body(context.environment))
    return answer.get("Item")


def settle(
    kind: Kind[Any], earlier: Mapping[str, Value], index_names: frozenset[str], context: Context
) -> Conversation[None]:
    """Bring a record from its earlier place to its own.

    Nobody writes to an earlier place, so what was once seen empty stays so, and whatever is done
    at the record's own place afterwards is done to the only one.
    """
    item = yield from stored_at(kind, earlier, context)
    if item is None:
        return
    moved = yield from Rewrite(kind, item, index_names, context.now()).steps(context)
    if moved.result is Result.FAILED:
        raise Refused(f"{kind.name} {moved.key} cannot be moved to its place: {moved.reason}")


@dataclass(frozen=True, slots=True)
class Rewrites(Operation[list[Rewritten]]):
    """Several records, one after the other."""

    rewrites: tuple[Rewrite, ...]

    def plan(self) -> Plan:
        """What is written depends on what was read."""
        return Plan("single", ())

    def steps(self, context: Context = ANYWHERE) -> Conversation[list[Rewritten]]:
        """The conversation of each."""
        told: list[Rewritten] = []
        for rewrite in self.rewrites:
            one = yield from rewrite.steps(context)
            told.append(one)
        return told


def _differences(
    stored: Mapping[str, AttributeValue], wanted: Mapping[str, AttributeValue]
) -> Iterator[tuple[str, AttributeValue | None]]:
    """The attributes to write, and to remove with None."""
    for name, value in wanted.items():
        plain = value.plain if isinstance(value, Hidden) else value
        if name not in stored or not same_value(stored[name], plain):
            yield name, value
    for name in stored:
        if name not in wanted:
            yield name, None


@dataclass(frozen=True, slots=True)
class ScanPage(Operation[tuple[list[Item], Item | None]]):
    """Some items of one segment of a table, as they are stored, and where to go on, if anywhere."""

    table: TableName
    segment: int
    segments: int
    size: int
    after: Item | None

    def plan(self) -> Plan:
        """One Scan."""
        return Plan("pages", (self._step(),))

    def steps(self, context: Context = ANYWHERE) -> Conversation[tuple[list[Item], Item | None]]:
        """One request."""
        answer = yield Request("Scan", self._step().body(context.environment))
        return answer["Items"], answer.get("LastEvaluatedKey")

    def _step(self) -> Step:
        members: dict[str, Any] = {"Segment": self.segment, "TotalSegments": self.segments}
        if self.after is not None:
            members["ExclusiveStartKey"] = self.after
        return Step("Scan", self.table, limit=self.size, members=members)


@dataclass(frozen=True, slots=True)
class ItemCount(Operation[int]):
    """About how many items a table has, as DynamoDB counted them some hours ago."""

    table: TableName

    def plan(self) -> Plan:
        """One request, which reads no items."""
        return Plan("single", ())

    def steps(self, context: Context = ANYWHERE) -> Conversation[int]:
        """One request."""
        name = self.table.name_in(context.environment)
        answer = yield Request("DescribeTable", {"TableName": name})
        return int(answer["Table"].get("ItemCount", 0))
