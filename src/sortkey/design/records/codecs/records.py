"""Records: a model's fields under their stored names, in an item or in a nested map.

None and empty sets are left out where their absence reads back the same; `Absence` says what a
missing attribute means.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, TypeAlias

from pydantic import BaseModel

from sortkey.design.records.codecs.codec import Codec, Decode, wrong_kind, wrong_type
from sortkey.design.records.codecs.unstorable import Unstorable
from sortkey.wire.values import AttributeValue, Item


@dataclass(frozen=True, slots=True)
class Stored:
    """Names the attribute that a field is stored as: ``Annotated[str, Stored("userId")]``."""

    name: str


class Absence(Enum):
    """The value of a field when its attribute is absent."""

    NONE = "None"
    EMPTY = "an empty set"
    DEFAULT = "the field's default"
    MISSING = "nothing: the field is required"


@dataclass(frozen=True, slots=True)
class FieldCodec:
    """One field: its two names, how it is written, and what its absence means.

    `codec` takes None too where the field is optional; `present` is the form of what is not None.
    """

    name: str
    stored: str
    codec: Codec
    present: Codec
    absent: Absence
    omits_none: bool
    omits_empty: bool

    @property
    def optional(self) -> bool:
        """Whether the field may be None."""
        return "NULL" in self.codec.kinds

    @property
    def required(self) -> bool:
        """Whether a record without this attribute does not validate."""
        return self.absent is Absence.MISSING

    def encode(self, value: Any) -> AttributeValue | None:
        """The stored value, or None where the attribute is left out."""
        if value is None and self.omits_none:
            return None
        if self.omits_empty and is_empty_set(value):
            return None
        try:
            return self.codec.encode(value)
        except Unstorable as error:
            error.within(self.name)
            raise

    def decode(self, value: AttributeValue) -> Any:
        """Return the stored value as the model has it."""
        try:
            return self.codec.decode(value)
        except Unstorable as error:
            error.within(self.name)
            raise


def is_empty_set(value: Any) -> bool:
    """Whether this is a set with nothing in it, which DynamoDB cannot hold."""
    return not value and isinstance(value, set | frozenset)


_Writer: TypeAlias = tuple[str, str, Callable[[Any], AttributeValue | None], bool, bool]
_Reader: TypeAlias = tuple[str, str, Decode, Callable[[], Any] | None]


class RecordCodec:
    """Writes a model's records as items, and reads items as what the model validates."""

    def __init__(
        self, model: type[BaseModel], compile_fields: Callable[[], Mapping[str, FieldCodec]]
    ) -> None:
        self.model = model
        self._compile_fields = compile_fields

    def prepare(self) -> None:
        """Compile the fields now, so that a type without a stored form is refused here."""
        self.fields  # noqa: B018 -- the property is asked for its effect

    @cached_property
    def fields(self) -> Mapping[str, FieldCodec]:
        """The fields by their Python names."""
        return self._compile_fields()

    # Models may hold each other, so what the loops walk over is made when it is first asked for.
    @cached_property
    def _writers(self) -> tuple[_Writer, ...]:
        return tuple(
            (
                field.name,
                field.stored,
                _unless_empty(field.present) if field.omits_empty else field.present.encode,
                field.omits_none,
                field.optional,
            )
            for field in self.fields.values()
        )

    @cached_property
    def _readers(self) -> tuple[_Reader, ...]:
        return tuple(
            (field.name, field.stored, field.present.decode, absent_value(field))
            for field in self.fields.values()
        )

    @cached_property
    def _allows_extra(self) -> bool:
        return self.model.model_config.get("extra") == "allow"

    def encode(self, record: BaseModel) -> Item:
        """The record's attributes: those of its fields that are there."""
        if self._allows_extra:
            _refuse_extra(record)
        values = record.__dict__
        item: Item = {}
        for name, stored, encode, omits_none, optional in self._writers:
            try:
                value = values[name]
            except KeyError:
                raise Unstorable("is not set; give it a value", (name,)) from None
            if value is None:
                if omits_none:
                    continue
                if optional:
                    item[stored] = {"NULL": True}
                    continue
            try:
                written = encode(value)
            except Unstorable as error:
                error.within(name)
                raise
            if written is not None:
                item[stored] = written
        return item

    def decode(self, item: Item) -> dict[str, Any]:
        """Values by field name, for the model to validate; unknown attributes are passed over.

        The model takes them with ``validate_python(values, by_alias=False, by_name=True)``, as
        aliases belong to the application's JSON and not to storage.
        """
        attribute = item.get
        values: dict[str, Any] = {}
        for name, stored, decode, absent in self._readers:
            value = attribute(stored)
            if value is not None:
                try:
                    values[name] = decode(value)
                except Unstorable:
                    # A null, or a fault that the field's own codec puts into words.
                    values[name] = self.fields[name].decode(value)
            elif absent is not None:
                values[name] = absent()
        return values

    def nested(self) -> Codec:
        """Return the codec of the record as a map within another."""
        model = self.model

        def encode(value: Any) -> AttributeValue:
            if type(value) is not model:
                if isinstance(value, model):
                    raise Unstorable(
                        f"is a {type(value).__name__}, but only its {model.__name__} part would be "
                        "stored; declare a union with a discriminator"
                    )
                raise wrong_type(value, model.__name__)
            return {"M": self.encode(value)}

        def decode(value: AttributeValue) -> dict[str, Any]:
            try:
                attributes = value["M"]
            except KeyError:
                raise wrong_kind(value, "M") from None
            return self.decode(attributes)

        return Codec(frozenset({"M"}), encode, decode, frozenset({model}))


def _unless_empty(present: Codec) -> Callable[[Any], AttributeValue | None]:
    write = present.encode

    def encode(value: Any) -> AttributeValue | None:
        return None if is_empty_set(value) else write(value)

    return encode


def absent_value(field: FieldCodec) -> Callable[[], Any] | None:
    """Return what makes the value of a field without an attribute; None if the model decides."""
    match field.absent:
        case Absence.NONE:
            return lambda: None
        case Absence.EMPTY:
            (shape,) = field.present.types
            return shape
        case _:
            return None


def _refuse_extra(record: BaseModel) -> None:
    if record.__pydantic_extra__:
        name = next(iter(record.__pydantic_extra__))
        raise Unstorable(
            "is an extra field, which cannot be stored; declare it, or put it into a dict",
            (name,),
        )


def is_set(present: Codec) -> bool:
    """Whether a field of this form is a set, which may be left out when it is empty."""
    return present.types in _SET_TYPES


_SET_TYPES = (frozenset({set}), frozenset({frozenset}))
