"""Records that meet a condition or fail it, made from one that does not.

A condition is a tree. To make it false, one part of an ``AND`` or each part of an ``OR`` must be
false, and the operand of a ``NOT`` must be true; to make it true, the other way round. So the
search descends to the comparisons, and tries values for the fields that each of them reads.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias, cast

from sortkey.design.declaring.entity import Entity
from sortkey.design.plans.demand import choices_of
from sortkey.design.records.codecs.dynamic import decode_any
from sortkey.design.records.marks import plain_type
from sortkey.expressions.evaluate import condition_names, holds
from sortkey.expressions.tree import And, Condition, Not, Or, Value
from sortkey.operations.origin import FieldValue
from sortkey.prove.meter import item_of
from sortkey.prove.values import around, valid, values_of
from sortkey.prove.variation import like

# At most so many records are made in one search.
_PATIENCE = 400

Changes: TypeAlias = Mapping[str, Any]


@dataclass(slots=True)
class Solving:
    """Searches for values with which a condition is true for a record, or false."""

    condition: Condition
    record: Entity
    wanted: bool
    _left: int = field(default=_PATIENCE, init=False)

    def changes(self) -> Iterator[Changes]:
        """Yield field values that make the condition true or false, the simplest first."""
        for made in self._solved(self.condition, {}, wanted=self.wanted):
            if self._is(self.condition, made, wanted=self.wanted):
                yield made

    @property
    def is_complete(self) -> bool:
        """Whether every value of every field was tried, so that no other record would do."""
        names = self._fields(self.condition)
        annotations = [self._annotation(name) for name in names]
        return self._left > 0 and all(choices_of(plain_type(a)[0]) for a in annotations)

    def _solved(self, condition: Condition, changes: Changes, *, wanted: bool) -> Iterator[Changes]:
        match condition:
            case Not(inner):
                yield from self._solved(inner, changes, wanted=not wanted)
            case And(parts) | Or(parts):
                if isinstance(condition, And) is wanted:
                    yield from self._each(parts, changes, wanted=wanted)
                else:
                    for part in parts:
                        yield from self._solved(part, changes, wanted=wanted)
            case _:
                yield from self._decided(condition, changes, wanted=wanted)

    def _each(
        self, parts: Sequence[Condition], changes: Changes, *, wanted: bool
    ) -> Iterator[Changes]:
        if not parts:
            yield changes
            return
        for made in self._solved(parts[0], changes, wanted=wanted):
            yield from self._each(parts[1:], made, wanted=wanted)

    def _decided(
        self, comparison: Condition, changes: Changes, *, wanted: bool
    ) -> Iterator[Changes]:
        if self._is(comparison, changes, wanted=wanted):
            yield changes
        for name in self._fields(comparison):
            for value in self._values(name, comparison):
                made = {**changes, name: value}
                if self._is(comparison, made, wanted=wanted):
                    yield made

    def _is(self, condition: Condition, changes: Changes, *, wanted: bool) -> bool:
        if self._left <= 0:
            return False
        self._left -= 1
        made = like(self.record, changes)
        return made is not None and holds(condition, item_of(made)) is wanted

    def _fields(self, condition: Condition) -> list[str]:
        """Return the fields that decide a condition, those outside the primary key first.

        The expiry time is left out: DynamoDB deletes expired records by itself.
        """
        kind = self.record.__kind__
        named = condition_names(condition)
        by_key = {
            name
            for key in kind.keys.values()
            for part in key.parts
            if part.attribute.name in named
            for name in part.fields
        }
        ttl = {kind.expires, kind.table.settings.ttl}
        deciding = [
            name
            for name, stored in kind.stored_names.items()
            if (stored in named or name in by_key) and stored not in ttl
        ]
        return sorted(deciding, key=lambda name: name in kind.key_fields)

    def _values(self, name: str, comparison: Condition) -> Iterator[Any]:
        """Yield values for a field, first those it is compared with and their neighbours."""
        annotation = self._annotation(name)
        compared = [_plain(value) for value in _compared(comparison)]
        beside = [near for value in compared for near in around(value)]
        for value in (*compared, *beside):
            yield from valid(annotation, value)
        yield from values_of(annotation)

    def _annotation(self, name: str) -> Any:
        return self.record.__kind__.model.model_fields[name].rebuild_annotation()


def _compared(comparison: Condition) -> Iterator[Value]:
    """Yield the values of a comparison."""
    for each in fields(comparison):
        member: Any = getattr(comparison, each.name)
        operands = cast("tuple[Any, ...]", member) if isinstance(member, tuple) else (member,)
        yield from (operand for operand in operands if isinstance(operand, Value))


def _plain(value: Value) -> Any:
    return value.origin.value if isinstance(value.origin, FieldValue) else decode_any(value.value)
