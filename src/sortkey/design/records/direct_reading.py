"""Reading records directly, by a function that is written for one entity.

The general way decodes the attributes of an item with the codecs of the fields, and has Pydantic
validate the values. For most fields that decides nothing, so it is skipped where it cannot:

- A field whose schema is a type without constraints (text, a number, a time, a list of those). Its
  codec returns exactly this type or raises, and Pydantic returns any value of the type as it is.
- The record as a whole, if its model only collects fields: it has no validator of its own, no
  private attributes, no `model_post_init`, and keeps no extra values.

The other fields (a length, a choice, a validator, a nested model) are validated one by one. What
Pydantic would do is read from its own schema, and what is not known here is not skipped: if the
model has anything else, or an item is not as expected (another shape, a missing attribute, a value
that cannot be decoded), the item is read the general way, which also finds the words for a fault.

Beside its values, a Pydantic record has three attributes: the set of the fields that were passed,
the extra values and the private ones. Few programs use them, so a record of a model that has
`late_attribute` as its ``__getattr__`` gets them when one is needed.

One thing is taken for granted: a value has the Python type that its kind has in DynamoDB's JSON,
such as a str for ``S`` and ``N``.
"""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from operator import itemgetter
from typing import Any, TypeVar, cast

from pydantic import BaseModel
from pydantic_core import SchemaValidator

from sortkey.design.records.codecs import Absence, Codec, FieldCodec, absent_value
from sortkey.design.records.codecs.codec import Decode
from sortkey.design.records.codecs.scalars import (
    decode_bool,
    decode_float,
    decode_int,
    decode_text,
)
from sortkey.design.records.codecs.times import FULL_WIDTH, decode_datetime
from sortkey.wire.values import Item

M = TypeVar("M", bound=BaseModel)

_slots = vars(BaseModel)
_set_values = _slots["__dict__"].__set__
_set_fields_set = _slots["__pydantic_fields_set__"].__set__
_set_extra = _slots["__pydantic_extra__"].__set__
_set_private = _slots["__pydantic_private__"].__set__
_LATE = frozenset({"__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__"})
_getattr: Callable[[BaseModel, str], Any] = _slots["__getattr__"]

# Expressions that decode a value as these functions do, or raise.
_INLINE: dict[Decode, str] = {
    decode_text: "{}['S']",
    decode_int: "int({}['N'])",
    decode_float: "float({}['N'])",
    decode_bool: "{}['BOOL']",
}
# Types of which Pydantic takes every value; not Decimal, which may be NaN.
_SCALARS = frozenset({"bool", "bytes", "date", "datetime", "float", "int", "str", "uuid"})
# Members of a schema that do not concern the validation of what a codec returns.
_NEUTRAL = frozenset({"type", "metadata", "ref", "serialization", "microseconds_precision"})
_DEFAULT = frozenset({"schema", "default", "default_factory", "default_factory_takes_data"})
_MODEL = frozenset({"cls", "schema", "config", "custom_init", "root_model", "frozen"})
_FIELDS = frozenset({"fields", "model_name", "computed_fields"})
_CONFIG = frozenset(
    {
        "extra_fields_behavior",
        "from_attributes",
        "hide_input_in_errors",
        "title",
        "validate_by_alias",
        "validate_by_name",
    }
)
# Schemas that can be used only as part of their model: a function of other fields, a reference.
_NEEDS_MODEL = frozenset({"with-info", "definition-ref"})


def late_attribute(record: BaseModel, name: str) -> Any:
    """Return an attribute that was not found, as the ``__getattr__`` of a model.

    A record that was read directly gets the attributes that Pydantic sets on a validated one.
    """
    model = type(record)
    # A model with an ``__init__`` is not read directly: its record is not validated yet.
    if name not in _LATE or model.__pydantic_custom_init__:
        return _getattr(record, name)
    if name == "__pydantic_fields_set__":
        fields_set = set(model.__pydantic_fields__)
        _set_fields_set(record, fields_set)
        return fields_set
    _slots[name].__set__(record, None)
    return None


def _complete(record: BaseModel, fields_set: set[str]) -> None:
    """Set the attributes that a record has beside its values."""
    _set_fields_set(record, fields_set)
    _set_extra(record, None)
    _set_private(record, None)


def direct_reader(
    model: type[M],
    fields: Mapping[str, FieldCodec],
    key_fields: frozenset[str],
    *,
    general: Callable[[Item], M | None],
    is_mine: Callable[[Item], bool],
    type_attribute: str | None,
    name: str,
    shape: tuple[str, Any],
) -> Callable[[Item], M | None]:
    """Return a function that reads items as ``general`` does; ``general`` itself if need be."""
    schemas = _field_schemas(model)
    if schemas is None or schemas.keys() != fields.keys():
        return general
    if not all(_is_direct(schemas[each.name], each) for each in fields.values()):
        return general
    attribute, mark = shape
    writer = _Writer()
    source = writer.function(
        [writer.value(each, schemas[each.name], key_fields) for each in fields.values()],
        not_mine=(
            "not is_mine(item)"
            if type_attribute is None
            else f"item[{type_attribute!r}]['S'] != name"
        ),
        not_current=f"{attribute!r} in item" if mark is None else f"item[{attribute!r}] != mark",
        is_late=getattr(model, "__getattr__", None) is late_attribute,
    )
    names: dict[str, Any] = writer.names | {
        "UTC": UTC,
        "all_fields": set(fields).copy,
        "complete": _complete,
        "general": general,
        "is_mine": is_mine,
        "mark": mark,
        "model": model,
        "name": name,
        "new": model.__new__,
        "set_values": _set_values,
        "text_of": itemgetter("S"),
        "time_of": datetime.fromisoformat,
    }
    exec(compile(source, f"<reader of {model.__name__}>", "exec"), names)  # noqa: S102 - our own
    return names["read"]


@dataclass(slots=True)
class _Writer:
    """Writes the source of the function, and collects the names that it uses."""

    names: dict[str, Any] = field(default_factory=dict[str, Any])
    defaulted: dict[str, str] = field(default_factory=dict[str, str])
    count: int = 0

    def function(self, values: list[str], *, not_mine: str, not_current: str, is_late: bool) -> str:
        """Return the source of the function, with the members of a dict of the values.

        With ``is_late``, a record that was stored with all its fields is completed when need be.
        """
        unset = [
            f"        if {found} is None: fields_set.discard({name!r})"
            for name, found in self.defaulted.items()
        ]
        needed = [f"{found} is None" for found in self.defaulted.values()] if is_late else ["True"]
        completed = [
            f"    if {' or '.join(needed)}:",
            "        fields_set = all_fields()",
            *unset,
            "        complete(record, fields_set)",
        ]
        return "\n".join(
            [
                "def read(item):",
                "    try:",
                f"        if {not_mine}: return None",
                f"        if {not_current}: return general(item)",
                "        values = {",
                *(f"            {value}," for value in values),
                "        }",
                "    except Exception:",
                "        return general(item)",
                "    record = new(model)",
                "    set_values(record, values)",
                *(completed if needed else ()),
                "    return record",
            ]
        )

    def value(self, each: FieldCodec, schema: Any, key_fields: frozenset[str]) -> str:
        """Return the source of a field's name and value."""
        return f"{each.name!r}: {self._value(each, schema, each.name in key_fields)}"

    def _value(self, each: FieldCodec, schema: Any, in_key: bool) -> str:
        # A key field without an attribute may still be in the key.
        if each.absent is Absence.MISSING or in_key:
            return self._checked(schema, self._decoded(each.present, f"item[{each.stored!r}]"))
        found = self._variable("found")
        is_absent = f"({found} := item.get({each.stored!r})) is None"
        decoded = self._decoded(each.present, found)
        if each.absent is Absence.DEFAULT:
            self.defaulted[each.name] = found
            checked = self._checked(schema, decoded)
            return f"{self._default(schema)} if {is_absent} else {checked}"
        absent = f"{self._name('absent', absent_value(each))}()"
        return self._checked(schema, f"{absent} if {is_absent} else {decoded}")

    def _default(self, schema: Any) -> str:
        if "default" not in schema:
            return f"{self._name('factory', schema['default_factory'])}()"
        default = schema["default"]
        if _has_hash(default):
            return self._name("default", default)
        # As Pydantic does.
        return f"{self._name('copy', partial(deepcopy, default))}()"

    def _decoded(self, codec: Codec, value: str) -> str:
        if codec.decode in _INLINE:
            return _INLINE[codec.decode].format(value)
        if codec.element is not None and codec.element.decode is decode_text:
            return f"[*map(text_of, {value}['L'])]"
        decode = self._name("decode", codec.decode)
        if codec.decode is decode_datetime:
            # Most have the form that is written here, in UTC and with microseconds.
            text, moment = self._variable("text"), self._variable("moment")
            return (
                f"{moment} if len({text} := {value}['S']) == {FULL_WIDTH} and "
                f"({moment} := time_of({text})).tzinfo is UTC else {decode}({value})"
            )
        return f"{decode}({value})"

    def _checked(self, schema: Any, value: str) -> str:
        if _is_free(schema["schema"] if schema["type"] == "default" else schema):
            return value
        check = partial(SchemaValidator(schema).validate_python, by_alias=False, by_name=True)
        return f"{self._name('check', check)}({value})"

    def _variable(self, word: str) -> str:
        """Return the name of a new variable."""
        self.count += 1
        return f"{word}_{self.count}"

    def _name(self, word: str, meaning: Any) -> str:
        """Return a new name of something that the function uses."""
        name = self._variable(word)
        self.names[name] = meaning
        return name


def _field_schemas(model: type[BaseModel]) -> Mapping[str, Any] | None:
    """Return Pydantic's schema of each field, or None if the model does more than collect them."""
    # Until it is complete, a model has no schema: it may name a class that does not exist yet.
    if not model.__pydantic_complete__:
        return None
    whole = cast("dict[str, Any]", model.__pydantic_core_schema__)
    if whole["type"] != "model" or whole["cls"] is not model:
        return None
    collected, config = whole["schema"], whole.get("config", {})
    if (
        _has_more(whole, _MODEL)
        or whole.get("custom_init")
        or whole.get("root_model")
        or collected["type"] != "model-fields"
        or _has_more(collected, _FIELDS)
        or not config.keys() <= _CONFIG
        or config.get("extra_fields_behavior") == "allow"
        or model.__private_attributes__
    ):
        return None
    return {name: each["schema"] for name, each in collected["fields"].items()}


def _is_direct(schema: Any, each: FieldCodec) -> bool:
    """Return whether a field's value can be taken over, or validated by itself."""
    if each.absent is Absence.DEFAULT:
        if schema["type"] != "default" or _has_more(schema, _DEFAULT):
            return False
        if schema.get("default_factory_takes_data"):
            return False
    # A part may also be the fields of a model, one of which may be called "type".
    return not any(str(part.get("type")) in _NEEDS_MODEL for part in _parts(schema))


def _is_free(schema: Any) -> bool:
    """Return whether Pydantic takes every value of the type as it is."""
    match schema["type"]:
        case "list" | "set" | "frozenset":
            return not _has_more(schema, {"items_schema"}) and _is_free(schema["items_schema"])
        case "nullable":
            return not _has_more(schema, {"schema"}) and _is_free(schema["schema"])
        case kind:
            return kind in _SCALARS and not _has_more(schema, set())


def _has_more(schema: Mapping[str, Any], known: frozenset[str] | set[str]) -> bool:
    return not schema.keys() <= known | _NEUTRAL


def _has_hash(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _parts(schema: object) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and all schemas within it."""
    if isinstance(schema, dict):
        part = cast("dict[str, Any]", schema)
        yield part
        for member in part.values():
            yield from _parts(member)
    elif isinstance(schema, list | tuple):
        for member in cast("list[Any]", schema):
            yield from _parts(member)
