"""The values that raw requests write into fields or compare, checked against their types."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import TypeAdapter, ValidationError

from sortkey.check.fields import type_of
from sortkey.check.model import AnyKind, PlannedRequest
from sortkey.check.raw_keys import RawKeys
from sortkey.design.plans.notation import type_text
from sortkey.design.plans.sources import Argument, Constant, Source, Text, leaves, source_of
from sortkey.design.records.codecs import FieldCodec, Unstorable
from sortkey.design.records.marks import secret_fields
from sortkey.expressions.tree import (
    Add,
    And,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    Delete,
    IfNotExists,
    In,
    Not,
    Or,
    Path,
    Set,
    Update,
    Value,
)
from sortkey.wire.values import AttributeValue, kind_of

NAMES = {
    "S": "a text",
    "N": "a number",
    "B": "binary data",
    "BOOL": "a boolean",
    "NULL": "null",
    "L": "a list",
    "M": "a map",
    "SS": "a set of texts",
    "NS": "a set of numbers",
    "BS": "a set of binary data",
}


@dataclass(frozen=True, slots=True)
class RequestedField:
    """A field of an entity that a request writes or compares, by the name it is stored under."""

    kind: AnyKind
    codec: FieldCodec

    @property
    def kinds(self) -> frozenset[str]:
        """The types that DynamoDB stores it as."""
        return self.codec.codec.kinds

    @property
    def type(self) -> Any:
        """Its type in the model, without None and marks."""
        return type_of(self.kind, self.codec.name)

    def __str__(self) -> str:
        return f"{self.kind.name}.{self.codec.name}"

    @property
    def with_type(self) -> str:
        """The field with its type, as a person reads them."""
        return f"{self} is of type {type_text(self.type)}"

    def cannot_hold(self, value: AttributeValue, source: Source) -> bool:
        """Return whether a value that a request writes could not be read back as the field."""
        if kind_of(value) not in self.kinds:
            return True
        match source:
            case Argument():
                # A text that may be anything; one that has the form of a time can be read.
                is_time = isinstance(self.type, type) and issubclass(self.type, date)
                return is_time and not self._reads(value)
            case _:
                return self.never_is(value, source)

    def never_is(self, value: AttributeValue, source: Source) -> bool:
        """Return whether a constant of the field's type in DynamoDB is no value of the field."""
        return all(isinstance(leaf, Constant) for leaf in leaves(source)) and not self._reads(value)

    def _reads(self, value: AttributeValue) -> bool:
        annotation = self.kind.model.model_fields[self.codec.name].rebuild_annotation()
        with suppress(Unstorable, ValidationError):
            TypeAdapter(annotation).validate_python(self.codec.decode(value))
            return True
        return False


def fields_of(keys: RawKeys, attribute: str) -> list[RequestedField]:
    """Return the fields that are stored under a name, in the entities of a request.

    A secret field is encrypted, so that nothing is known of what is stored.
    """
    return [
        RequestedField(kind, codec)
        for kind in keys.kinds
        for codec in kind.codec.fields.values()
        if codec.stored == attribute and codec.name not in secret_fields(kind.model)
    ]


@dataclass(frozen=True, slots=True)
class RequestedValue:
    """A value with the attribute that it is written into or compared with, and by what."""

    attribute: str
    value: AttributeValue
    source: Source
    by: str


def written(update: Update | None) -> Iterator[RequestedValue]:
    """Yield the values that an update puts into attributes, or adds to them."""
    for action in update.actions if update else ():
        match action:
            case Set(Path((name,)), Value() as value):
                yield _placed(str(name), value, "SET")
            case Set(Path((name,)), IfNotExists(_, Value() as value)):
                yield _placed(str(name), value, "SET")
            case Add(Path((name,)), value):
                yield _placed(str(name), value, "ADD")
            case Delete(Path((name,)), value):
                yield _placed(str(name), value, "DELETE")
            case _:
                pass


def undeclared(request: PlannedRequest) -> Iterator[tuple[str, str]]:
    """Yield the texts that a request writes and no field of its entities holds, with the member."""
    step, table = request.step, request.table
    fields = {stored for kind in request.kinds for stored in kind.stored_names.values()}
    indexes = (table.primary, *table.indexes.values())
    keys = {attribute.name for index in indexes for attribute in index.attributes}
    items = [(name, value, "item") for name, value in (step.sent.item or {}).items()]
    updates = [(one.attribute, one.value, "update") for one in written(step.update)]
    for name, value, member in (*items, *updates):
        if kind_of(value) == "S" and name not in fields | keys:
            yield name, member


def compared(condition: Condition | None) -> Iterator[RequestedValue]:
    """Yield the values that a condition compares attributes with, at any depth."""
    match condition:
        case And(conditions) | Or(conditions):
            for part in conditions:
                yield from compared(part)
        case Not(inner):
            yield from compared(inner)
        case Compare(op, left, right):
            yield from _pairs(op, (left, right))
        case Between(operand, low, high):
            yield from _pairs("BETWEEN", (operand, low, high))
        case In(operand, choices):
            yield from _pairs("IN", (operand, *choices))
        case BeginsWith(operand, prefix):
            yield from _pairs("begins_with", (operand, prefix))
        case Contains(operand, element):
            yield from _pairs("contains", (operand, element))
        case _:
            return


def _pairs(by: str, operands: Iterable[Any]) -> Iterator[RequestedValue]:
    known = list(operands)
    names = [str(one.parts[0]) for one in known if isinstance(one, Path) and len(one.parts) == 1]
    for value in known:
        if isinstance(value, Value):
            yield from (_placed(name, value, by) for name in names)


def _placed(name: str, value: Value, by: str) -> RequestedValue:
    return RequestedValue(name, value.value, source_of(value), by)


def shown(placed: RequestedValue) -> str:
    """Return a value that a request writes or compares with, as a person reads it."""
    match placed.source:
        case Constant(value):
            return repr(value)
        case Text(template, {}):
            return f'"{template}"'
        case _:
            return NAMES[kind_of(placed.value)]
