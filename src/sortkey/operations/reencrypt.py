"""Reencrypt: encrypt secrets of an older key with the current key."""

from dataclasses import dataclass
from typing import Any

from sortkey.errors import SecretUnreadable
from sortkey.expressions.tree import Compare, Path, Set, Update, Value
from sortkey.operations.action import all_of
from sortkey.operations.cursor import checked_position, digest, read_cursor, write_cursor
from sortkey.operations.encryption import expect_keys
from sortkey.operations.kind import Kind
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan, Step
from sortkey.operations.secrets import Hidden, Secret
from sortkey.wire import errors as wire
from sortkey.wire.messages import Request
from sortkey.wire.values import Item


@dataclass(frozen=True, slots=True)
class Reencrypted:
    """The progress of a key rotation; ``cursor`` continues it, and is None at the end of the table.

    ``unreadable`` has an error for each record whose secret could not be decrypted; these records
    were left unchanged.
    """

    read: int
    rewritten: int
    unreadable: tuple[SecretUnreadable, ...] = ()
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Reencrypt(Operation[Reencrypted]):
    """One part of a key rotation over a whole table.

    A record is updated only while its old secret is still stored, so no concurrent write is lost;
    its version and times do not change.
    """

    _kind: Kind[Any]
    _size: int
    _after: str | None = None

    def _plan(self) -> Plan:
        """Return the Scan, and the update of a record."""
        kind = self._kind
        return Plan("pages", (self._scan(),), (Step("UpdateItem", kind.table, (kind.name,)),))

    def _steps(self, context: Context = ANYWHERE) -> Conversation[Reencrypted]:
        """Send one Scan, then an update for each record that an older key encrypted."""
        expect_keys(self._kind.secrets, context)
        step = self._scan()
        scan = step.body(context.environment)
        identity = digest("reencrypt", [scan])
        if self._after is not None:
            given = read_cursor(self._after, identity, context.cursors)
            scan["ExclusiveStartKey"] = checked_position(given, step)
        answer = yield Request("Scan", scan)
        read = rewritten = 0
        unreadable: list[SecretUnreadable] = []
        for item in answer["Items"]:
            for own in self._kind.secrets:
                if own.is_mine(item):
                    read += 1
                    try:
                        rewritten += yield from self._renewed(item, own.fields, context)
                    except SecretUnreadable as error:
                        unreadable.append(error)
        position = answer.get("LastEvaluatedKey")
        cursor = None
        if position is not None:
            cursor = write_cursor(identity, position, context.cursors)
        return Reencrypted(read, rewritten, tuple(unreadable), cursor)

    def _scan(self) -> Step:
        kind = self._kind
        stored = [secret.stored for own in kind.secrets for secret in own.fields]
        needed = kind.reading_keys((*kind.key_names, *stored), lambda _: True)
        return Step(
            "Scan",
            kind.table,
            (kind.name,),
            projection=needed.projection,
            consistent=True,
            limit=self._size,
        )

    def _renewed(
        self, found: Item, secrets: tuple[Secret, ...], context: Context
    ) -> Conversation[bool]:
        """Encrypt the secrets of an older key again; return whether there were any."""
        vault, item = context.secrets, found
        while True:
            sets: list[Set] = []
            conditions: list[Compare] = []
            for secret in secrets:
                stored = item.get(secret.stored)
                if stored is None or "NULL" in stored or vault._is_current(stored):
                    continue
                key, path = secret.key_in(item), Path((secret.stored,))
                plain = yield from vault._decrypt(secret, key, stored)
                fresh = yield from vault._encrypt(Hidden(plain, secret), key)
                sets.append(Set(path, Value(fresh)))
                conditions.append(Compare("=", path, Value(stored)))
            if not sets:
                return False
            step = Step(
                "UpdateItem",
                self._kind.table,
                (self._kind.name,),
                key={name: Value(item[name]) for name in self._kind.key_names},
                update=Update(tuple(sets)),
                condition=all_of(tuple(conditions)),
                members={"ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
            )
            try:
                yield Request("UpdateItem", step.body(context.environment))
            except wire.ConditionalCheckFailedException as error:
                if not error.item:
                    return False  # the record was deleted
                item = error.item  # a concurrent write, perhaps with the older key
            else:
                return True
