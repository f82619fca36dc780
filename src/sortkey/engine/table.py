"""Tables and their indexes, for the actions.

A table is made from its *definition*: the members of DynamoDB's own table description that do not
change by themselves, plus the numbers of its rows in the storage. A table object never changes; a
changed definition makes a new one.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from sortkey.engine import keys
from sortkey.engine.journal import journal_of
from sortkey.engine.keys import KeyAttribute, RowKey, Span
from sortkey.engine.partitions import WHOLE, PartitionMap
from sortkey.engine.storage.sql import row_statements
from sortkey.expressions.key_condition import KeyCondition
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from sortkey.wire.values import AttributeValue, Item, kind_of, read_value

Definition = dict[str, Any]

KEY_MISMATCH = "The provided key element does not match the schema"
_NOT_A_DOCUMENT = (
    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
)
_UPDATED_TO_EMPTY = (
    "One or more parameter values are not valid. The update expression attempted to update a "
    "secondary index key to a value that is not supported. The AttributeValue for a key attribute "
    "cannot contain an empty {} value."
)
_EMPTY = {"S": "string", "B": "binary"}


class Rows:
    """The rows of a table or of an index: their key attributes and the statements over them."""

    def __init__(
        self, place: str, number: int, partition: list[KeyAttribute], sort: list[KeyAttribute]
    ) -> None:
        self.place = place
        self.number = number
        self.partition = partition
        self.sort = sort
        self.names = [attribute.name for attribute in (*partition, *sort)]
        self.sql = row_statements(number)

    def place_of(self, partition: Any, position: Any) -> str:
        """Return where a row is, for an error; damage may have changed the key's types."""
        key = f"partition {_shown_key(partition, keys.HASH_BYTES)}"
        if position != keys.FIRST:
            key += f", position {_shown_key(position)}"
        return f"the row of {self.place} with {key}"


def _shown_key(value: Any, skipped: int = 0) -> str:
    if not isinstance(value, bytes):
        return repr(value)
    text = value[skipped:].decode("utf-8", "backslashreplace")
    # Numbers, binary keys and keys of indexes have other bytes too.
    return '"' + "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text) + '"'


class StoredIndex:
    """A secondary index of a table."""

    def __init__(self, table: "StoredTable", definition: Definition, *, is_global: bool) -> None:
        self.table = table
        self.name: str = definition["IndexName"]
        self.is_global = is_global
        self.definition = definition
        self.status: str = definition.get("IndexStatus", "ACTIVE")
        self.rows = Rows(
            f"the index {self.name} of the table {table.name}",
            definition["Number"],
            *_key_attributes(definition, table.definition),
        )
        projection = definition["Projection"]
        self.projects_all = projection["ProjectionType"] == "ALL"
        self.projected = frozenset(
            [*self.rows.names, *table.rows.names, *projection.get("NonKeyAttributes", ())]
        )

    def key_of(self, item: Item, primary: RowKey) -> RowKey | None:
        """Return the row key of the item in this index, or None if it is not in the index."""
        partition = keys.values_of(self.rows.partition, item, PARTITION_KEY_BYTES)
        if partition is None:
            return None
        sort = keys.values_of(self.rows.sort, item, SORT_KEY_BYTES)
        if sort is None:
            return None
        return RowKey(
            self._partition(partition),
            keys.joined((*sort, primary.partition)) + primary.position,
        )

    def _partition(self, values: list[bytes]) -> bytes:
        return keys.hashed(values[0] if len(values) == 1 else keys.joined(values))

    def project(self, item: Item) -> Item:
        """Return the part of the item that the index projects."""
        return {name: value for name, value in item.items() if name in self.projected}

    def covers(self, names: frozenset[str]) -> bool:
        """Return whether all of these attributes are in the index."""
        return self.projects_all or names <= self.projected

    def span(self, condition: KeyCondition) -> Span:
        """Return the rows that fulfil a key condition."""
        rows = self.rows
        partition = self._partition(keys.key_values(rows.partition, condition.partition))
        bound = len(condition.equal)
        fixed = keys.joined(keys.key_values(rows.sort[:bound], condition.equal))
        if condition.last is None:
            return Span(partition, fixed, keys.successor(fixed) if fixed else keys.LAST)
        operator, values = condition.last
        kind = rows.sort[bound].kind
        first, last = keys.joined_range(
            operator, [keys.scalar_bytes(kind, value[kind]) for value in values]
        )
        # An open end stops where the preceding attributes would change.
        open_end = keys.successor(fixed) if fixed else keys.LAST
        return Span(partition, fixed + first, open_end if last is keys.LAST else fixed + last)


class StoredTable:
    """A table: its name, its key and its indexes."""

    def __init__(self, number: int, definition: Definition) -> None:
        self.definition = definition
        self.name: str = definition["TableName"]
        self.arn: str = definition["TableArn"]
        self.rows = Rows(f"the table {self.name}", number, *_key_attributes(definition, definition))
        self.partition = self.rows.partition[0]
        self.sort = self.rows.sort[0] if self.rows.sort else None
        self._width = len(self.rows.names)
        self.indexes: dict[str, StoredIndex] = {
            index.name: index
            for index in (
                *(
                    StoredIndex(self, each, is_global=True)
                    for each in definition.get("GlobalSecondaryIndexes", ())
                ),
                *(
                    StoredIndex(self, each, is_global=False)
                    for each in definition.get("LocalSecondaryIndexes", ())
                ),
            )
        }
        self.local_indexes = [index for index in self.indexes.values() if not index.is_global]
        self.expiry_attribute: str | None = definition.get("TimeToLive")
        self.partitions = PartitionMap(definition.get("Partitions", WHOLE))
        self.journal = journal_of(definition, self.rows.names)
        # How long the journal must reach back for recovery.
        self.recovery_seconds: int = definition.get("Recovery", {}).get("Days", 0) * 24 * 3600
        # A restore or an import fills the table; until it ends, no request for items finds it.
        self.is_creating = "Restore" in definition or "Import" in definition
        billing = definition.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")
        self.is_on_demand = billing == "PAY_PER_REQUEST"
        # Whether a write needs the item before it, or only its size.
        self.needs_before = bool(self.indexes) or self.journal is not None

    # -- keys -------------------------------------------------------------------------------

    def key_of(self, key: Mapping[str, Any]) -> RowKey:
        """Return the row key of the item with this key, which has the key attributes only."""
        if len(key) != self._width:
            raise ValidationException(KEY_MISMATCH)
        sort = self.sort
        if sort is None:
            return RowKey(
                keys.hashed(self._key_bytes(key, self.partition, PARTITION_KEY_BYTES)), keys.FIRST
            )
        return RowKey(
            keys.hashed(self._key_bytes(key, self.partition, PARTITION_KEY_BYTES)),
            self._key_bytes(key, sort, SORT_KEY_BYTES),
        )

    def _key_bytes(self, key: Mapping[str, Any], attribute: KeyAttribute, most: int) -> bytes:
        name, kind = attribute
        value: AttributeValue | None = key.get(name)
        if value is None:
            raise ValidationException(KEY_MISMATCH)
        raw = value.get(kind) if type(value) is dict and len(value) == 1 else None
        if kind == "S" and type(raw) is str:
            content = raw.encode()
            if 0 < len(content) <= most:
                return content
        else:
            canonical, _ = read_value(value)
            if kind not in canonical:
                raise ValidationException(KEY_MISMATCH)
            raw = canonical[kind]
        return checked_key_bytes(name, kind, raw, most)

    def key_in(self, item: Item) -> RowKey:
        """Return the row key of an item to be written; all its keys must be valid."""
        partition = self._found(item, self.partition, PARTITION_KEY_BYTES)
        position = self._found(item, self.sort, SORT_KEY_BYTES) if self.sort else keys.FIRST
        if self.indexes:
            self.refuse_index_keys(item)
        return RowKey(keys.hashed(partition), position)

    def _found(self, item: Item, attribute: KeyAttribute, most: int) -> bytes:
        name, kind = attribute
        value = item.get(name)
        if value is None:
            raise ValidationException(
                f"One or more parameter values were invalid: Missing the key {name} in the item"
            )
        raw = value.get(kind)
        if raw is None:
            raise ValidationException(
                f"One or more parameter values were invalid: Type mismatch for key {name} "
                f"expected: {kind} actual: {kind_of(value)}"
            )
        return checked_key_bytes(name, kind, raw, most)

    def stored_key(self, item: Item) -> RowKey:
        """Return the row key of an item that was read from this table or one of its indexes."""
        values = [
            keys.scalar_bytes(kind, item[name][kind])
            for name, kind in (*self.rows.partition, *self.rows.sort)
        ]
        return RowKey(keys.hashed(values[0]), values[1] if len(values) > 1 else keys.FIRST)

    def key_attributes(self, item: Item) -> Item:
        """Return the item's primary key."""
        return {name: item[name] for name in self.rows.names}

    def span(self, condition: KeyCondition) -> Span:
        """Return the rows that fulfil a key condition."""
        partition = keys.hashed(
            keys.scalar_bytes(self.partition.kind, condition.partition[0][self.partition.kind])
        )
        operator_and_values = condition.last
        if condition.equal:
            operator_and_values = ("=", condition.equal)
        if operator_and_values is None or self.sort is None:
            return Span(partition, keys.FIRST, keys.LAST)
        kind = self.sort.kind
        operator, values = operator_and_values
        return Span(
            partition,
            *keys.plain_range(operator, [keys.scalar_bytes(kind, value[kind]) for value in values]),
        )

    def refuse_nested_keys(self, names: Container[str]) -> None:
        """Reject document paths that go into a key attribute, of the table or of an index."""
        for name in self.rows.names:
            if name in names:
                raise ValidationException(f"{_NOT_A_DOCUMENT}Key: {name}")
        for index in self.indexes.values():
            for name in index.rows.names:
                if name in names:
                    raise ValidationException(f"{_NOT_A_DOCUMENT}IndexKey: {name}")

    def refuse_key_changes(self, names: Container[str]) -> None:
        """Reject an update that writes a part of the primary key."""
        for name in self.rows.names:
            if name in names:
                raise ValidationException(
                    f"One or more parameter values were invalid: Cannot update attribute {name}. "
                    "This attribute is part of the key"
                )

    # -- index keys in an item to be written --------------------------------------------------

    def refuse_index_keys(self, item: Item, *, updated: bool = False) -> None:
        """Reject an item whose attributes are invalid as keys of an index."""
        for index in self.indexes.values():
            for attributes, most in (
                (index.rows.partition, PARTITION_KEY_BYTES),
                (index.rows.sort, SORT_KEY_BYTES),
            ):
                for name, kind in attributes:
                    value = item.get(name)
                    if value is None:
                        continue
                    if updated and not value.get(kind, kind):
                        raise ValidationException(_UPDATED_TO_EMPTY.format(_EMPTY[kind]))
                    _refuse_index_value(index, name, kind, value, most)

    def __iter__(self) -> Iterator[StoredIndex]:
        return iter(self.indexes.values())


def table_without_indexes(table: StoredTable) -> StoredTable:
    """Return the rows of a table as one that has no indexes and no settings."""
    kept = ("AttributeDefinitions", "KeySchema", "TableArn", "TableName")
    return StoredTable(table.rows.number, {name: table.definition[name] for name in kept})


def checked_key_bytes(name: str, kind: str, raw: Any, most: int) -> bytes:
    """Return a key value's bytes; raise if there are none or too many."""
    content = keys.scalar_bytes(kind, raw)
    if not content:
        raise ValidationException(
            "One or more parameter values are not valid. The AttributeValue for a key "
            f"attribute cannot contain an empty {_EMPTY[kind]} value. Key: {name}"
        )
    if len(content) > most:
        raise _oversized(most)
    return content


def _oversized(most: int) -> ValidationException:
    part = "hashkey" if most == PARTITION_KEY_BYTES else "rangekey"
    return ValidationException(
        f"One or more parameter values were invalid: Size of {part} has exceeded the maximum "
        f"size limit of{most} bytes"
    )


def _refuse_index_value(
    index: StoredIndex, name: str, kind: str, value: Mapping[str, Any], most: int
) -> None:
    raw = value.get(kind)
    if raw is None:
        raise ValidationException(
            f"One or more parameter values were invalid: Type mismatch for Index Key {name} "
            f"Expected: {kind} Actual: {next(iter(value))} IndexName: {index.name}"
        )
    if not raw:
        raise ValidationException(
            "One or more parameter values are not valid. A value specified for a secondary index "
            "key is not supported. The AttributeValue for a key attribute cannot contain an empty "
            f"{_EMPTY[kind]} value. IndexName: {index.name}, IndexKey: {name}"
        )
    if kind != "N" and len(keys.scalar_bytes(kind, raw)) > most:
        raise _oversized(most)


def _key_attributes(
    definition: Definition, table: Definition
) -> tuple[list[KeyAttribute], list[KeyAttribute]]:
    kinds = {each["AttributeName"]: each["AttributeType"] for each in table["AttributeDefinitions"]}
    partition: list[KeyAttribute] = []
    sort: list[KeyAttribute] = []
    schema: Sequence[Mapping[str, str]] = definition["KeySchema"]
    for element in schema:
        name = element["AttributeName"]
        part = partition if element["KeyType"] == "HASH" else sort
        part.append(KeyAttribute(name, kinds[name]))
    return partition, sort
