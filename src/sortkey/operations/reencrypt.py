"""Reencrypt: secrets that an older key sealed, sealed again with the current one."""

from dataclasses import dataclass
from typing import Any

from sortkey.errors import SecretUnreadable
from sortkey.expressions.tree import Compare, Path, Set, Update, Value
from sortkey.operations.action import all_of
from sortkey.operations.cursor import digest, read_cursor, write_cursor
from sortkey.operations.kind import Kind
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan, Step
from sortkey.operations.sealing import expect_keys
from sortkey.operations.secrets import Hidden, Secret
from sortkey.wire import errors as wire
from sortkey.wire.messages import Request
from sortkey.wire.values import Item


@dataclass(frozen=True, slots=True)
class Reencrypted:
    """How far a rotation came: ``cursor`` continues it, and is None at the end of the table.

    ``unreadable`` has the error of each record whose secret could not be opened; it was left as
    it is.
    """

    read: int
    rewritten: int
    unreadable: tuple[SecretUnreadable, ...] = ()
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class Reencrypt(Operation[Reencrypted]):
    """One stretch of a walk over a whole table.

    A record changes only while its old secret is still stored, so nobody's write is undone; its
    version and times stay as they are.
    """

    kind: Kind[Any]
    size: int
    after: str | None = None

    def plan(self) -> Plan:
        """The Scan, and an update of what it finds."""
        kind = self.kind
        return Plan("pages", (self._scan(),), (Step("UpdateItem", kind.table, (kind.name,)),))

    def steps(self, context: Context = ANYWHERE) -> Conversation[Reencrypted]:
        """One Scan, then an update for each record that an older key sealed."""
        expect_keys(self.kind.secrets, context)
        scan = self._scan().body(context.environment)
        identity = digest("reencrypt", [scan])
        start = {}
        if self.after is not None:
            start = {"ExclusiveStartKey": read_cursor(self.after, identity, context.cursors)}
        answer = yield Request("Scan", scan | start)
        read = rewritten = 0
        unreadable: list[SecretUnreadable] = []
        for item in answer["Items"]:
            for own in self.kind.secrets:
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
        kind = self.kind
        stored = [secret.stored for own in kind.secrets for secret in own.fields]
        needed = kind.reading_keys((*kind.key_names, *stored), lambda _: True)
        return Step(
            "Scan",
            kind.table,
            (kind.name,),
            projection=needed.projection,
            consistent=True,
            limit=self.size,
        )

    def _renewed(
        self, found: Item, secrets: tuple[Secret, ...], context: Context
    ) -> Conversation[bool]:
        """Whether the record had secrets under an older key; afterwards it has none."""
        vault, item = context.secrets, found
        while True:
            sets: list[Set] = []
            conditions: list[Compare] = []
            for secret in secrets:
                stored = item.get(secret.stored)
                if stored is None or "NULL" in stored or vault.is_current(stored):
                    continue
                key, path = secret.key_in(item), Path((secret.stored,))
                plain = yield from vault.open(secret, key, stored)
                fresh = yield from vault.seal(Hidden(plain, secret), key)
                sets.append(Set(path, Value(fresh)))
                conditions.append(Compare("=", path, Value(stored)))
            if not sets:
                return False
            step = Step(
                "UpdateItem",
                self.kind.table,
                (self.kind.name,),
                key={name: Value(item[name]) for name in self.kind.key_names},
                update=Update(tuple(sets)),
                condition=all_of(tuple(conditions)),
                members={"ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
            )
            try:
                yield Request("UpdateItem", step.body(context.environment))
            except wire.ConditionalCheckFailedException as error:
                if not error.item:
                    return False  # the record is gone
                item = error.item  # it was written meanwhile, perhaps still with the older key
            else:
                return True
