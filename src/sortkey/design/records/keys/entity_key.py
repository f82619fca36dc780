"""An entity's keys, compiled: how each key attribute is written, and how it can be queried."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast
from zlib import crc32

from sortkey.design.records.keys.ranges import Comparison as SlotComparison
from sortkey.design.records.keys.ranges import SortRange, sort_range
from sortkey.design.records.keys.templates import KeyBindingError, Template
from sortkey.design.tables.expectations import Expected
from sortkey.design.tables.table import Attribute, Index, TableDefinition
from sortkey.errors import Refused, ValueRefused
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import And, BeginsWith, Between, Compare, Condition, Path, Value
from sortkey.operations.kind import Access, Comparison, IndexEntry
from sortkey.operations.origin import FieldValue, Filled
from sortkey.wire.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES
from sortkey.wire.values import AttributeValue, Item, sort_token
from sortkey.wording.prose import listed
from sortkey.wording.spelling import meant_by

_SYMBOLS: Mapping[str, Any] = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}
# The most that a character of UTF-8 has.
_CHARACTER_BYTES = 4
# The names of arguments can be passed in several orders.
_MOST_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class KeyPart:
    """One key attribute: a template's text, or a field under its own name."""

    attribute: Attribute
    template: Template
    encode: Callable[[Any], AttributeValue] | None = None
    # Whether the number of a shard may follow the template's text.
    is_sharded: bool = False
    # The template of texts that may still be stored.
    earlier: Template | None = None

    @property
    def is_natural(self) -> bool:
        """Whether the attribute is a field of the entity."""
        return self.encode is not None

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the attribute is built from."""
        return self.template.fields

    def value(self, values: Mapping[str, Any]) -> Value:
        """Return the attribute's value for a record with these fields, and perhaps others."""
        origin = Filled(self.template.text, values)
        if self.encode is None:
            return Value({"S": self.template.build(values)}, origin)
        [name] = self.template.fields
        if name not in values:
            self.template.build(values)  # raises an error that names the missing field
        return Value(self.encode(values[name]), origin)

    @property
    def has_sole_earlier(self) -> bool:
        """Whether no two records with different keys can have had the same earlier key."""
        if self.earlier is None or any(slot.lossy for slot in self.earlier.slots):
            return False
        return {*self.earlier.fields} >= {*self.template.fields}

    def matches(self, stored: AttributeValue | None) -> bool:
        """Whether this entity could have written the attribute."""
        if self.encode is not None:
            return stored is not None
        return stored is not None and self.parse(stored.get("S", "")) is not None

    def parse(self, text: str) -> dict[str, Any] | None:
        """Return the values that produce this text, in any shard; None if there are none.

        A text of the earlier template may contain fewer values. It is not a key of this entity if
        the present template cannot contain them.
        """
        found = self.template.parse(text)
        if found is None and self.earlier is not None:
            before = self.earlier.parse(text)
            return before if before and self.template.takes(before) else None
        return self.template.parse(unnumbered(text)) if found is None and self.is_sharded else found


@dataclass(frozen=True, slots=True)
class Sharding:
    """A partition that is spread over several; the primary key of a record selects one.

    The first keeps the partition's own name and the others are numbered, so records that were
    written with fewer shards, or with none, are in one of those that are read.
    """

    count: int
    primary: tuple[KeyPart, ...]
    # The number of shards with which records of a primary key may still be stored.
    was: int | None = None

    def spread(self, partition: Value, values: Mapping[str, Any]) -> Value:
        """Return the partition of a record's entry."""
        key = [part.value(values).value for part in self.primary]
        return _shard(partition, _number(key, self.count))

    def earlier(self, key: Mapping[str, Value]) -> dict[str, Value] | None:
        """Return the primary key with the earlier number of shards, if it differs."""
        if self.was is None:
            return None
        name = self.primary[0].attribute.name
        stored = key[name]
        partition = replace(stored, value={"S": unnumbered(stored.value["S"])})
        if self.primary[0].template.parse(partition.value["S"]) is None:
            partition = stored  # the number at its end belongs to the partition
        place = dict(key) | {name: partition}
        numbered = _number([place[part.attribute.name].value for part in self.primary], self.was)
        place[name] = _shard(partition, numbered)
        return None if place[name].value == stored.value else place

    def conditions(self, condition: Condition) -> tuple[Condition, ...]:
        """Return a key condition, which begins with the partition's, for each shard."""
        parts = condition.conditions if isinstance(condition, And) else (condition,)
        first = cast("Compare", parts[0])
        partition = cast("Value", first.right)
        made = [replace(first, right=_shard(partition, n)) for n in range(self.count)]
        return tuple(And((one, *parts[1:])) if len(parts) > 1 else one for one in made)


def _number(key: Iterable[AttributeValue], count: int) -> int:
    # Records are found by this for as long as they are stored, so it must not depend on the
    # version of Python, as the repr of a text may.
    texts = [text for value in key for pair in value.items() for text in pair]
    return crc32("\0".join(texts).encode()) % count


def unnumbered(text: str) -> str:
    """Return a partition's text without the number of a shard at its end."""
    partition, _, number = text.rpartition("#")
    return partition if number.isdecimal() else text


def _shard(partition: Value, number: int) -> Value:
    if number == 0:
        return partition
    # A text slot next to other text rejects #, so this is not the partition of another value.
    return replace(partition, value={"S": f"{partition.value['S']}#{number}"})


def written_parts(index: Index, parts: Iterable[KeyPart]) -> Iterator[KeyPart]:
    """Yield the attributes that an index adds to a record: not its fields or primary key."""
    table = index.table.definition if index.table else None
    primary = table.primary.attributes if table and table.primary is not index else ()
    taken = {attribute.name for attribute in primary}
    for part in parts:
        if not part.is_natural and part.attribute.name not in taken:
            yield part


@dataclass(frozen=True, slots=True)
class EntityKey(Access, IndexEntry):
    """One entity's key in one index."""

    name: str
    table: TableDefinition  # pyright: ignore[reportIncompatibleVariableOverride]  # frozen
    index: str | None
    consistent: bool
    position_names: tuple[str, ...]
    fields: frozenset[str]
    definition: Index
    partition: tuple[KeyPart, ...]
    sort: tuple[KeyPart, ...]
    sharding: Sharding | None = None
    expected: Expected | None = None
    parts: tuple[KeyPart, ...] = field(init=False)
    all_fields: tuple[str, ...] = field(init=False)
    _written: tuple[KeyPart, ...] = field(init=False)
    # The conditions on the sort attributes of queries that bind only the partition, by the names
    # of their arguments: without a value, they are the same each time.
    _unbound: dict[tuple[str, ...], tuple[Condition, ...]] = field(
        init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        parts = (*self.partition, *self.sort)
        fields = dict.fromkeys(name for part in parts for name in part.fields)
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "all_fields", tuple(fields))
        object.__setattr__(self, "_unbound", {})
        object.__setattr__(self, "_written", tuple(written_parts(self.definition, parts)))

    @property
    def shard_count(self) -> int:
        """The number of partitions over which each partition is spread."""
        return 1 if self.sharding is None else self.sharding.count

    def values(self, arguments: Mapping[str, Any]) -> dict[str, Value]:
        """Return every attribute's value.

        Raises:
            Refused: if the arguments are not exactly the fields of the key.
        """
        self._refuse_unknown(arguments)
        if len(arguments) < len(self.all_fields):
            missing = [name for name in self.all_fields if name not in arguments]
            raise KeyBindingError(f"{self._accepted}, but got no {listed(missing)}")
        return self.whole(arguments)

    def whole(self, values: Mapping[str, Any]) -> dict[str, Value]:
        """Return every attribute's value for a record with these fields, and perhaps others."""
        made = {part.attribute.name: part.value(values) for part in self.parts}
        if self.sharding is not None:
            name = self.partition[0].attribute.name
            made[name] = self.sharding.spread(made[name], values)
        self._refuse_long(made)
        return made

    def earlier(self, key: Mapping[str, Value]) -> dict[str, Value] | None:
        """Return the primary key under which a record may still be stored, if it differs."""
        if self.sharding is not None:
            return self.sharding.earlier(key)
        last = self.parts[-1]
        if last.earlier is None:
            return None
        values: dict[str, Any] = {}
        for part in self.parts:
            found = part.template.parse(key[part.attribute.name].value["S"])
            if found is None:
                return None  # it is the earlier key itself
            values |= found
        name, text = last.attribute.name, last.earlier.build(values)
        if text == key[name].value["S"]:
            return None
        return dict(key) | {name: Value({"S": text}, Filled(last.earlier.text, values))}

    def outline(self, known: Mapping[str, Any]) -> dict[str, Value]:
        """Return every attribute, with unknown slots of the templates left open."""
        return {
            part.attribute.name: Value(
                {part.attribute.type: part.template.text},
                Filled(part.template.text, {n: v for n, v in known.items() if n in part.fields}),
            )
            for part in self.parts
        }

    def attributes(self, values: Mapping[str, Any]) -> dict[str, Value | None]:
        """Return the attributes that are not fields; all None if a field is empty."""
        for name in self.fields:
            if values.get(name) is None:
                return {part.attribute.name: None for part in self._written}
        made = {part.attribute.name: part.value(values) for part in self._written}
        if self.sharding is not None:
            name = self.partition[0].attribute.name
            if name in made:  # a local index has the partition key of its table
                made[name] = self.sharding.spread(made[name], values)
        self._refuse_long(made)
        return {**made}

    def _refuse_long(self, made: Mapping[str, Value]) -> None:
        for part in self.partition:
            _refuse_long(part, made, PARTITION_KEY_BYTES)
        for part in self.sort:
            _refuse_long(part, made, SORT_KEY_BYTES)

    def refuse_unfit(self, item: Item) -> None:
        """Reject a stored item with a field that the key cannot contain."""
        made: dict[str, Value] = {}
        for part in self.parts:
            name = part.attribute.name
            if part.is_natural and name in item:
                made[name] = Value(item[name])
                if "" in item[name].values():
                    raise ValueRefused(
                        part.fields[0],
                        f"{part.fields[0]} is empty, which DynamoDB does not allow in the key of "
                        f"{self.definition}: give it a value, or set it to None",
                    )
        self._refuse_long(made)

    def shards(self, condition: Condition | None) -> tuple[Condition, ...]:
        """Return the condition for each shard of the key; none if nothing can be found."""
        if condition is None:
            return ()
        return (condition,) if self.sharding is None else self.sharding.conditions(condition)

    def place(self, item: Item) -> Any:
        """Return the position of an item in the order of the sort key."""
        return [sort_token(item[part.attribute.name]) for part in self.sort]

    def condition(
        self, bound: Mapping[str, Any], comparison: Comparison | None
    ) -> Condition | None:
        """Return the key condition, or None if the range is empty."""
        names = tuple(bound)
        known = self._unbound.get(names) if comparison is None else None
        if known is None:
            self._refuse_unknown(bound)
            self._refuse_uncompared(comparison)
        conditions: list[Condition] = [
            Compare("=", Path((part.attribute.name,)), part.value(bound)) for part in self.partition
        ]
        if known is None:
            known = self._sort_conditions(bound, comparison)
            if known is None:
                return None
            is_same = comparison is None and not any(self._bound_in(p, bound) for p in self.sort)
            if is_same and len(self._unbound) < _MOST_REMEMBERED:
                self._unbound[names] = known
        conditions += known
        return conditions[0] if len(conditions) == 1 else And(tuple(conditions))

    def _sort_conditions(
        self, bound: Mapping[str, Any], comparison: Comparison | None
    ) -> tuple[Condition, ...] | None:
        """Return the conditions on the sort attributes, or None if they can never hold."""
        conditions: list[Condition] = []
        for part in self._leading(bound, comparison):
            wanted = comparison is not None and comparison[1] in part.fields
            made = _sort_condition(
                part, self._bound_in(part, bound), comparison if wanted else None
            )
            if made is None:
                return None
            conditions += made
        return tuple(conditions)

    def residue(
        self, bound: Mapping[str, Any], comparison: Comparison
    ) -> Callable[[Mapping[str, Any]], bool] | None:
        """Return the part of the comparison that the key cannot decide; None if it decides all."""
        op, name, values = comparison
        for part in self.sort:
            if name in part.fields and not part.is_natural:
                asked = SlotComparison(cast("Any", op), name, values)
                if not sort_range(part.template, self._bound_in(part, bound), asked).exact:
                    return lambda record: _compares(op, record[name], values)
        return None

    def refuse_filter(self, condition: Condition) -> None:
        """Reject a filter on the key that is queried, or on an attribute that is not projected."""
        keys = {part.attribute.name for part in self.parts}
        for name in condition_names(condition):
            if name in keys:
                raise Refused(
                    f"{name} is a key of {self.name}, and DynamoDB does not allow a filter on the "
                    "key that is queried: pass it to query(), or use a range"
                )
            if not self.holds(name):
                raise Refused(
                    f"{self.definition} does not project {name}, so to this filter every record "
                    "lacks it: project it, or filter after reading"
                )

    def holds(self, attribute: str) -> bool:
        """Whether the attribute can be read here."""
        held = self.definition.projection
        if held == "ALL":
            return True
        return attribute in self.position_names or (not isinstance(held, str) and attribute in held)

    def refusal_of_whole(self, entity: str) -> str | None:
        """Return why whole records cannot be read here; None if they can."""
        if self.definition.projection == "ALL":
            return None
        return (
            f"{self.definition} does not contain whole {entity} records: use select(Model) with "
            "the fields that it projects"
        )

    def refuse_projection(self, projection: Projection) -> None:
        """Reject a read of attributes that the index does not project."""
        for name in sorted(projection.names):
            if self.definition.projection != "ALL" and not self.holds(name):
                raise Refused(
                    f"{self.definition} does not project {name}, which this reads: project it, or "
                    "do not select it"
                )

    def _bound_in(self, part: KeyPart, bound: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments that bind a sort part, without those that only repeat a partition.

        A time that the partition key truncates, such as to its month, selects only the partition.
        """
        usable = {name: bound[name] for name in part.fields if name in bound}
        if not usable:
            return usable
        for name in self._finer_in(part):
            usable.pop(name, None)
        unbound = part.template.first_unbound(usable)
        if unbound is None:
            return usable
        again = {name for p in self.partition for name in p.fields}
        place = part.fields.index(unbound.field)
        return {
            name: value
            for name, value in usable.items()
            if part.fields.index(name) < place or name not in again
        }

    def _finer_in(self, part: KeyPart) -> set[str]:
        """Return the fields that the partition key truncates more than this sort part."""
        coarse = {(s.field, s.spec) for p in self.partition for s in p.template.slots if s.lossy}
        held = {(slot.field, slot.spec) for slot in part.template.slots}
        return {name for name, _ in coarse - held} & set(part.fields)

    def _leading(
        self, bound: Mapping[str, Any], comparison: Comparison | None
    ) -> Iterator[KeyPart]:
        """Yield the sort parts that a query can use: from the left, up to the first open one."""
        open_part: KeyPart | None = None
        for part in self.sort:
            asked = set(self._bound_in(part, bound))
            if comparison is not None and comparison[1] in part.fields:
                asked.add(comparison[1])
            if open_part is not None and asked:
                raise Refused(
                    f"{self.name} is specified from the left: pass {', '.join(open_part.fields)} "
                    f"before {', '.join(sorted(asked))}"
                )
            if open_part is None:
                yield part
            if open_part is None and not self._bound_in(part, bound).keys() >= {*part.fields}:
                open_part = part

    def _refuse_unknown(self, arguments: Mapping[str, Any]) -> None:
        for name in arguments:
            if name not in self.all_fields:
                free = [known for known in self.all_fields if known not in arguments]
                meant = meant_by(name, free)
                hint = "" if meant is None else f': did you mean "{meant}"?'
                raise Refused(f'{self._accepted}, but got "{name}"{hint}')

    @property
    def _accepted(self) -> str:
        """The key and its arguments, as the beginning of a sentence."""
        return f"{self.name} takes {listed(self.all_fields) or 'no arguments'}"

    def _refuse_uncompared(self, comparison: Comparison | None) -> None:
        if comparison is None:
            return
        sorting = dict.fromkeys(name for part in self.sort for name in part.fields)
        if comparison[1] not in sorting:
            raise Refused(
                f"{self.name} is not sorted by {comparison[1]} but by "
                f"{', '.join(sorting) or 'nothing'}: compare what it is sorted by, or use where()"
            )

    def __str__(self) -> str:
        return self.name


def _sort_condition(
    part: KeyPart, bound: Mapping[str, Any], comparison: Comparison | None
) -> list[Condition] | None:
    """Return the condition on one sort attribute: none, one, or None if it can never hold."""
    path = Path((part.attribute.name,))
    if part.is_natural:
        return _natural_condition(part, path, bound, comparison)
    asked = (
        None if comparison is None else SlotComparison(cast("Any", comparison[0]), *comparison[1:])
    )
    found = sort_range(part.template, bound, asked)
    if found.op == "none":
        return None
    return _range_condition(path, found, Filled(part.template.text, bound, comparison))


def _range_condition(path: Path, found: SortRange, origin: Filled) -> list[Condition]:
    low, high = Value({"S": found.low}, origin), Value({"S": found.high}, origin)
    match found.op:
        case "all" | "none":
            return []
        case "begins_with":
            return [BeginsWith(path, low)]
        case "between":
            return [Between(path, low, high)]
        case "=" | ">=" | ">":
            return [Compare(found.op, path, low)]
        case "<=" | "<":
            return [Compare(found.op, path, high)]


def _natural_condition(
    part: KeyPart, path: Path, bound: Mapping[str, Any], comparison: Comparison | None
) -> list[Condition] | None:
    [name] = part.fields
    if name in bound:
        if comparison is not None:
            raise Refused(f"{name} is both passed and compared: do one of the two")
        return [Compare("=", path, part.value(bound))]
    if comparison is None:
        return []
    op, _, values = comparison
    ends = [Value(part.value({name: value}).value, FieldValue(value)) for value in values]
    if op == "between":
        return None if values[0] > values[1] else [Between(path, ends[0], ends[1])]
    if op == "begins_with":
        if part.attribute.type == "N":
            raise Refused(f"{name} is a number, but begins_with() is for text: use between()")
        return [BeginsWith(path, ends[0])]
    return [Compare(_SYMBOLS[op], path, ends[0])]


def _compares(op: str, value: Any, wanted: tuple[Any, ...]) -> bool:
    if value is None:
        return False
    match op:
        case "ge":
            return value >= wanted[0]
        case "gt":
            return value > wanted[0]
        case "le":
            return value <= wanted[0]
        case "lt":
            return value < wanted[0]
        case _:
            return wanted[0] <= value <= wanted[-1]


def _refuse_long(part: KeyPart, made: Mapping[str, Value], most: int) -> None:
    """Reject a text that is too long for a key; few are long enough to be measured."""
    name = part.attribute.name
    text = made[name].value.get("S", "") if name in made else ""
    if len(text) * _CHARACTER_BYTES > most and len(text.encode()) > most:
        raise ValueRefused(
            part.fields[0] if part.fields else name,
            f"{', '.join(part.fields)} makes {name} {len(text.encode()):,} bytes long, but "
            f"DynamoDB allows {most:,} in this key: shorten it, or store a digest of it",
        )
