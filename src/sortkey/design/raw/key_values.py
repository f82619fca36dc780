"""The key attributes that a raw request writes, compares or looks into, held against its table."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sortkey.design.raw.findings import RawFindings
from sortkey.design.tables.table import Attribute, Index, TableDefinition
from sortkey.expressions.key_condition import KeyTerm
from sortkey.expressions.tree import Add, Delete, Set, Update, Value
from sortkey.wire.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from sortkey.wire.values import AttributeValue, kind_of, value_size
from sortkey.wording.spelling import meant_by


class KeyValues:
    """Notes what cannot stand in the keys of a table and its indexes."""

    def __init__(self, table: TableDefinition, findings: RawFindings) -> None:
        self._table = table
        self._findings = findings

    def check_names(self, member: str, written: Mapping[str, Any]) -> None:
        """Note a key that lacks a part, and of what is only a key also what is too much."""
        wanted = [attribute.name for attribute in self._table.primary.attributes]
        missing = [name for name in wanted if name not in written]
        misspelt = {name: self.meant_by(name) for name in written if name not in wanted}
        for name, meant in misspelt.items():
            if meant in missing:
                missing.remove(meant)
                self._findings.add(
                    "SK511",
                    member,
                    f"{name} is not a key attribute of {self._table}: did you mean {meant}?",
                    f"Write {meant}",
                )
            elif member == "key":
                self._findings.add(
                    "SK511",
                    member,
                    f"{name} is not part of the key of {self._table}",
                    f"Remove `{name}`",
                )
        if missing:
            are = "which is part of" if len(missing) == 1 else "which are"
            self._findings.add(
                "SK511",
                member,
                f"there is no {' and no '.join(missing)}, {are} the key of {self._table}",
                f"Give {' and '.join(missing)}",
                missing=" and ".join(missing),
            )

    def meant_by(self, name: str) -> str | None:
        """Return the key attribute that is probably meant by a name that is none."""
        keys = {attribute.name for index in self._indexes() for attribute in index.attributes}
        return None if name in keys else meant_by(name, sorted(keys))

    def check_written(self, member: str, values: Mapping[str, Value]) -> None:
        """Note what an item or a key has in a key attribute that cannot stand there."""
        for index in self._indexes():
            for attribute, most in _attributes(index):
                if attribute.name in values:
                    self._check(member, attribute, most, values[attribute.name].value)

    def check_update(self, update: Update) -> None:
        """Note an update of the key itself, and what it cannot put into an index's key."""
        for attribute in self._table.primary.attributes:
            if attribute.name in update.targets:
                self._findings.add(
                    "SK516",
                    "update",
                    f"{attribute.name} is in the key of {self._table}, but a key cannot change",
                    "Write another item and delete this one, in a transaction",
                )
        self.check_written("update", dict(_written(update)))
        self.check_nested("update", update.nested_names)

    def check_compared(self, index: Index, terms: Iterable[KeyTerm]) -> None:
        """Note what a key condition compares with and no key could be."""
        known = {attribute.name: (attribute, most) for attribute, most in _attributes(index)}
        for term in terms:
            for value in term.values:
                self._check("key_condition", *known[term.name], value)

    def check_nested(self, member: str, names: Iterable[str]) -> None:
        """Note document paths that go into a key attribute, which is always a scalar."""
        keys = {attribute.name for index in self._indexes() for attribute in index.attributes}
        for name in sorted(keys.intersection(names)):
            self._findings.add(
                "SK511",
                member,
                f"{name} is a key attribute, which has no parts",
                "Name the whole attribute",
            )

    def _indexes(self) -> Iterator[Index]:
        yield self._table.primary
        yield from self._table.indexes.values()

    def _check(self, member: str, attribute: Attribute, most: int, value: AttributeValue) -> None:
        kind = kind_of(value)
        if kind == "NULL":
            self._findings.add(
                "SK511",
                member,
                f"{attribute.name} is None, but a key must have a value",
                "Give a value",
            )
        elif kind != attribute.type:
            self._findings.add(
                "SK511",
                member,
                f"{attribute.name} has type {attribute.type}, but the value has type {kind}",
                "Give a value of the key's type",
            )
        elif value[kind] == "":
            self._findings.add(
                "SK511", member, f"{attribute.name} is empty, but a key must not be", "Give a value"
            )
        elif kind != "N" and value_size(value) > most:
            self._findings.add(
                "SK511",
                member,
                f"{attribute.name} has {value_size(value)} bytes, but may have at most {most}",
                "Give a shorter value",
            )


def _attributes(index: Index) -> Iterator[tuple[Attribute, int]]:
    """The attributes of an index, each with the number of bytes it may have."""
    yield from ((attribute, PARTITION_KEY_BYTES) for attribute in index.partition)
    yield from ((attribute, SORT_KEY_BYTES) for attribute in index.sort)


def _written(update: Update) -> Iterator[tuple[str, Value]]:
    """The attributes to which an update gives a value that does not depend on the item."""
    for action in update.actions:
        match action:
            case Set(path, Value() as value) | Add(path, value) | Delete(path, value):
                if len(path.parts) == 1:
                    yield path.name, value
            case _:
                pass
