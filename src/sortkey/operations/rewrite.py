"""Rewrite: update a stored record to what the design would write now.

Only the attributes that differ are written, and only while the record is as it was read, so that
neither a newer record nor an attribute that the design does not declare is ever overwritten. A
record whose fields make another primary key is deleted and put there in one transaction.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from sortkey.errors import (
    AlreadyExists,
    RecordError,
    Refused,
    SortkeyError,
    Unreadable,
    WriteFailed,
)
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
from sortkey.operations.encryption import decrypted
from sortkey.operations.kind import Kind
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan, Step, TableName
from sortkey.operations.put import version_of
from sortkey.operations.reading import is_expired
from sortkey.operations.secrets import Hidden, plain
from sortkey.operations.write import new_token, send, transaction
from sortkey.wire.errors import ValidationException
from sortkey.wire.messages import Request
from sortkey.wire.values import AttributeValue, Item, same_value

# A condition may have 300 operators and 4 KB; each attribute needs up to two and 40 bytes.
_MOST_COMPARED = 100
# After so many concurrent changes in a row, something else is writing the record in a loop.
_ATTEMPTS = 20

_Changes = dict[str, AttributeValue | None]


class Result(Enum):
    """The outcome of rewriting a record."""

    CURRENT = "is up to date"
    REWRITTEN = "was rewritten"
    GONE = "was deleted, or has expired"
    FAILED = "cannot be rewritten"


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The outcome for one record, and the reason if it could not be rewritten.

    ``moved`` is whether its primary key changed, and ``encrypted`` whether one of its secrets was
    stored in plain text before.
    """

    result: Result
    entity: str
    key: str
    reason: str = ""
    moved: bool = False
    encrypted: bool = False


class Raced(WriteFailed):
    """The record is no longer as it was read."""


@dataclass(frozen=True, slots=True)
class Rewrite(Operation[Rewritten]):
    """The rewrite of one record that was read, if it differs from what the design would write.

    ``index_names`` are the key attributes of the table's indexes, which only the design defines.
    ``dry_run`` returns the outcome without writing. ``precedes_write`` is for a record that moves
    before it is written: its version stays as the writer loaded it.
    """

    kind: Kind[Any]
    item: Item
    index_names: frozenset[str]
    time: float
    dry_run: bool = False
    precedes_write: bool = False

    def _plan(self) -> Plan:
        """Return no steps: the write depends on what was read."""
        return Plan("single", ())

    def _steps(self, context: Context = ANYWHERE) -> Conversation[Rewritten]:
        """Send one conditional write; start again if the record was changed meanwhile."""
        try:
            return (yield from self._rewritten(context))
        except Unreadable as error:
            return self._outcome(Result.FAILED, f"it cannot be read: {error.reason}")
        except (Refused, RecordError, ValidationException) as error:
            return self._outcome(Result.FAILED, str(error))

    def _rewritten(self, context: Context) -> Conversation[Rewritten]:
        item: Item | None = self.item
        other: Item | None = None  # the same record, if it is stored under its new key too
        for _ in range(_ATTEMPTS):
            if item is None or self._is_over(item):
                return self._outcome(Result.GONE)
            readable = yield from decrypted(item, self.kind.secrets, context)
            wanted = self._wanted(item, readable)
            if not any(_differences(item, readable, wanted)):
                return self._outcome(Result.CURRENT)
            encrypted = any(_is_plaintext(item, readable, wanted, name) for name in wanted)
            moves = self._moves(readable, wanted)
            done = replace(self._outcome(Result.REWRITTEN), moved=moves, encrypted=encrypted)
            if self.dry_run:
                return done
            # This write itself moves the record, so it need not be moved first.
            actions = self._actions(item, readable, wanted, other)
            own, *others = (replace(one, moving=None) for one in actions)
            try:
                if others:
                    yield from transaction((own, *others), new_token(), context)
                else:
                    yield from send(own, context)
            except Raced:
                # Not every endpoint returns the item that it found instead.
                item = yield from stored_at(self.kind, self._key(), context)
                other = None
            except AlreadyExists:
                if not (moves and other is None):
                    raise
                other = yield from stored_at(self.kind, self._key_in(wanted), context)
                if other is not None:
                    copy = yield from decrypted(other, self.kind.secrets, context)
                    if not self._is_same(readable, copy):
                        raise
            else:
                return done
        raise Refused(f"it was changed by others in all of {_ATTEMPTS} attempts to rewrite it")

    def _is_over(self, item: Item) -> bool:
        expires = self.kind.expires
        return expires is not None and is_expired(item, expires, self.time)

    def _outcome(self, result: Result, reason: str = "") -> Rewritten:
        return Rewritten(result, self.kind.name, describe_key(shown_key(self._key())), reason)

    def _key(self) -> dict[str, Value]:
        return self._key_in(self.item)

    def _key_in(self, item: Item) -> dict[str, Value]:
        return {name: Value(item[name]) for name in self.kind.key_names}

    def _read(self, readable: Item) -> Any:
        try:
            return self.kind.read(readable)
        except SortkeyError:
            raise
        except Exception as error:  # the validators of a model may raise anything
            shown = "" if self.kind.secrets else f": {error}"
            raise Refused(f"its model raised {type(error).__name__}{shown}") from error

    def _is_same(self, one: Item, other: Item) -> bool:
        """Return whether two items are the same record, apart from what each write changes."""
        kind = self.kind
        first, second = self._read(one), self._read(other)
        if first is None or second is None:
            return False
        own = {kind.version_field, kind.updated_field}
        values = kind.values(second)
        return all(values[n] == v for n, v in kind.values(first).items() if n not in own)

    def _wanted(self, item: Item, readable: Item) -> Item:
        """Return the item as the design would write it, plus attributes it does not declare."""
        kind = self.kind
        record = self._read(readable)
        if record is None:
            return readable
        written = kind.encode(record)
        kind.refuse_unfit(written)
        moves = self._moves(readable, written)
        known = self._known()
        kept = {n: v for n, v in kind.current(readable).items() if n not in known}
        wanted = kept | written
        if kind.version is not None:
            if not moves and any(_differences(item, readable, wanted)):
                wanted[kind.version] = {"N": str(version_of(kind, record) + 1)}
            elif moves and version_of(kind, record) == 0:
                # A writer that loaded the record before it moved saw it without a version.
                if self.precedes_write:
                    del wanted[kind.version]
                else:
                    wanted[kind.version] = {"N": "1"}
        return wanted

    def _moves(self, readable: Item, wanted: Item) -> bool:
        return not all(_same(readable, wanted, name) for name in self.kind.key_names)

    def _known(self) -> frozenset[str]:
        """Return the attributes that the design defines."""
        kind = self.kind
        own = {*kind.key_names, *kind.stored_names.values(), kind.shape_attribute}
        return self.index_names | own | {kind.type_attribute or kind.shape_attribute}

    def _actions(
        self, item: Item, readable: Item, wanted: Item, other: Item | None
    ) -> Iterator[Action]:
        kind, before, after = self.kind, self._key(), self._key_in(wanted)
        guard = self._as_read(item)
        moves = self._moves(readable, wanted)
        if moves:
            yield action("DeleteItem", kind, before, (guard,))
            if other is None:
                yield action("PutItem", kind, after, (_is_free(kind),), item=wanted)
            else:
                yield action("ConditionCheck", kind, after, (self._as_read(other),))
        else:
            update = _update(dict(_differences(item, readable, wanted)))
            yield action("UpdateItem", kind, before, (guard,), update=update)
        reshaped = not _same(readable, wanted, kind.shape_attribute)
        for unique in kind.uniques:
            changed = not all(_same(readable, wanted, name) for name in unique.attributes)
            if changed:
                yield from lock.release(kind, unique, before, readable)
            if changed or reshaped or moves:
                yield from lock.claim(kind, unique, (before, after), wanted, self.time)

    def _as_read(self, item: Item) -> Guard:
        condition = And(tuple(self._unchanged(item)))
        return Guard(condition, Raced, "{entity} {key} was changed after it was read")

    def _unchanged(self, item: Item) -> Iterator[Condition]:
        """Require that every attribute of the record is as it was read.

        The version alone is not enough: a record that was deleted and created again starts at the
        first version. It is used only if there are too many attributes for one request.
        """
        kind = self.kind
        yield AttributeExists(Path((kind.key_names[0],)))
        names = (self._known() | item.keys()) - set(kind.key_names)
        if len(names) > _MOST_COMPARED:
            if kind.version is None or kind.version not in item:
                raise Refused(
                    f"it has {len(names)} attributes, too many to check whether it was changed: "
                    f"add a version to {kind.name}"
                )
            names = {kind.version, kind.shape_attribute}
        for name in sorted(names):
            path = Path((name,))
            stored = item.get(name)
            yield AttributeNotExists(path) if stored is None else Compare("=", path, Value(stored))


def _is_free(kind: Kind[Any]) -> Guard:
    nothing = AttributeNotExists(Path((kind.key_names[0],)))
    message = "it is stored both under its key and under its earlier key: delete one of them"
    return Guard(nothing, AlreadyExists, message)


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
    """Return the item that is stored under a key now, not decrypted."""
    step = Step("GetItem", kind.table, (kind.name,), key=key, consistent=True)
    answer = yield Request("GetItem", step.body(context.environment))
    return answer.get("Item")


def settle(
    kind: Kind[Any],
    earlier: Mapping[str, Value],
    key: Mapping[str, Value],
    index_names: frozenset[str],
    context: Context,
) -> Conversation[None]:
    """Move a record from its earlier key to its own.

    Nothing writes to an earlier key, so one that was empty stays empty, and writes to the record's
    own key afterwards affect its only copy.
    """
    item = yield from stored_at(kind, earlier, context)
    if item is None or not kind.is_of(item, key):
        return
    rewrite = Rewrite(kind, item, index_names, context.now(), precedes_write=True)
    moved = yield from rewrite._steps(context)
    if moved.result is Result.FAILED:
        raise Refused(f"{kind.name} {moved.key} cannot be moved to its new key: {moved.reason}")


@dataclass(frozen=True, slots=True)
class Rewrites(Operation[list[Rewritten]]):
    """Several records, one after the other."""

    rewrites: tuple[Rewrite, ...]

    def _plan(self) -> Plan:
        """Return no steps: the writes depend on what was read."""
        return Plan("single", ())

    def _steps(self, context: Context = ANYWHERE) -> Conversation[list[Rewritten]]:
        """Run each rewrite."""
        results: list[Rewritten] = []
        for rewrite in self.rewrites:
            one = yield from rewrite._steps(context)
            results.append(one)
        return results


def _differences(
    item: Item, readable: Item, wanted: Item
) -> Iterator[tuple[str, AttributeValue | None]]:
    """Yield the attributes to write; None removes one."""
    for name, value in wanted.items():
        is_new = name not in readable or not same_value(readable[name], plain(value))
        if is_new or _is_plaintext(item, readable, wanted, name):
            yield name, value
    for name in readable:
        if name not in wanted:
            yield name, None


def _is_plaintext(item: Item, readable: Item, wanted: Item, name: str) -> bool:
    """Return whether a secret is stored as it is read, so it was not encrypted."""
    is_secret = isinstance(wanted[name], Hidden) and name in item
    return is_secret and same_value(item[name], readable[name])


@dataclass(frozen=True, slots=True)
class ScanPage(Operation[tuple[list[Item], Item | None]]):
    """Some stored items of one segment of a table, and the position to continue from, if any."""

    table: TableName
    segment: int
    segments: int
    size: int
    after: Item | None

    def _plan(self) -> Plan:
        """Return one Scan."""
        return Plan("pages", (self._step(),))

    def _steps(self, context: Context = ANYWHERE) -> Conversation[tuple[list[Item], Item | None]]:
        """Send one Scan."""
        answer = yield Request("Scan", self._step().body(context.environment))
        return answer["Items"], answer.get("LastEvaluatedKey")

    def _step(self) -> Step:
        members: dict[str, Any] = {"Segment": self.segment, "TotalSegments": self.segments}
        if self.after is not None:
            members["ExclusiveStartKey"] = self.after
        return Step("Scan", self.table, limit=self.size, members=members)


@dataclass(frozen=True, slots=True)
class ItemCount(Operation[int]):
    """The approximate number of items of a table, which DynamoDB updates every few hours."""

    table: TableName

    def _plan(self) -> Plan:
        """Return no steps: no items are read."""
        return Plan("single", ())

    def _steps(self, context: Context = ANYWHERE) -> Conversation[int]:
        """Send one DescribeTable."""
        name = self.table.name_in(context.environment)
        answer = yield Request("DescribeTable", {"TableName": name})
        return int(answer["Table"].get("ItemCount", 0))
