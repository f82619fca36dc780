"""The stored attributes of an entity: types, valid values, defaults."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen, MultipleOf
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sortkey.clock import utc_now
from sortkey.design.plans.notation import plain, shown, type_text
from sortkey.design.plans.sources import Constant
from sortkey.design.records.codecs import FieldCodec, accepts_number, record_codec
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.marks import CREATED, UPDATED, Mark, marks_of, metadata_of, plain_type
from sortkey.document.page import Code, Line, joined

_MARKS: Mapping[str, str] = {
    "version": "version",
    "expires": "TTL",
    "created": "set on creation",
    "updated": "set by each write",
    "unique": "unique",
    "immutable": "never changes",
    "secret": "encrypted",
    "accepts_plaintext": "may still be in plain text",
}
_BOUNDS: Mapping[type, tuple[str, str]] = {
    Ge: ("ge", "at least"),
    Gt: ("gt", "more than"),
    Le: ("le", "at most"),
    Lt: ("lt", "less than"),
    MultipleOf: ("multiple_of", "a multiple of"),
}


@dataclass(frozen=True, slots=True)
class StoredAttribute:
    """One attribute: its name and type in DynamoDB, its type in Python, and its valid values."""

    name: str
    kinds: str
    type: str
    notes: Line
    required: bool
    default: Line


def attributes_of(kind: EntityKind[Any]) -> list[StoredAttribute]:
    """Return the attributes that an entity's fields are stored as."""
    return _attributes(kind.model, kind.codec.fields)


def structures_of(kind: EntityKind[Any]) -> dict[type[BaseModel], list[StoredAttribute]]:
    """Return the models that are stored as maps in an entity, each with its attributes."""
    found: dict[type[BaseModel], list[StoredAttribute]] = {}
    waiting = list(_models_in(kind.model))
    while waiting:
        model = waiting.pop(0)
        if model not in found:
            found[model] = _attributes(model, record_codec(model, kind.naming).fields)
            waiting += _models_in(model)
    return found


def declared_attributes(model: type[BaseModel]) -> list[StoredAttribute]:
    """Return the fields of an entity that could not be built; their stored form is unknown."""
    return [
        StoredAttribute(name, "", type_text(info.annotation), (), info.is_required(), ())
        for name, info in model.model_fields.items()
    ]


def _attributes(model: type[BaseModel], fields: Mapping[str, FieldCodec]) -> list[StoredAttribute]:
    return [_attribute(model.model_fields[name], field) for name, field in fields.items()]


def _attribute(info: FieldInfo, field: FieldCodec) -> StoredAttribute:
    is_secret = any(mark.name == "secret" for mark in marks_of(info))
    return StoredAttribute(
        name=field.stored,
        kinds="B" if is_secret else _kinds(field),
        type=_type(info),
        notes=joined(_notes(info, field)),
        required=info.is_required() and not field.optional,
        default=_default(info),
    )


def _type(info: FieldInfo) -> str:
    """Return the type in Python; the choices of a Literal are among its values instead."""
    kind, optional = plain_type(info.annotation)
    if get_origin(kind) is Literal:
        return "Literal | None" if optional else "Literal"
    return type_text(info.rebuild_annotation())


def _kinds(field: FieldCodec) -> str:
    kinds = field.present.kinds - {"NULL"}
    null = ["NULL"] if field.optional and not field.omits_none else []
    return " or ".join([*sorted(kinds), *null])


def _notes(info: FieldInfo, field: FieldCodec) -> Iterator[Line]:
    if accepts_number in metadata_of(info):
        yield ("may still be a number",)
    for mark in sorted(marks_of(info), key=lambda mark: mark.name):
        yield (_MARKS[mark.name],)
    kind, _ = plain_type(info.annotation)
    if get_origin(kind) is Literal:
        yield _choices(get_args(kind))
    elif isinstance(kind, type):
        yield from _type_notes(kind, field.present.kinds)
    yield from _limits(list(_metadata(info)))


def _choices(members: Iterable[Any]) -> Line:
    return joined(((Code(_value_text(plain(member))),) for member in members), " or ")


def _type_notes(kind: type, kinds: frozenset[str]) -> Iterator[Line]:
    """Yield the stored form of a type's values."""
    if issubclass(kind, Enum):
        yield _choices(kind)
    elif issubclass(kind, datetime):
        yield ("seconds since 1970",) if "N" in kinds else ("ISO 8601 in UTC",)
    elif issubclass(kind, date):
        yield ("ISO 8601",)
    elif issubclass(kind, timedelta):
        yield ("seconds",)


def _metadata(info: FieldInfo) -> Iterator[Any]:
    for metadata in metadata_of(info):
        if isinstance(metadata, FieldInfo):
            yield from metadata.metadata
        elif not isinstance(metadata, Mark):
            yield metadata


def _limits(limits: list[Any]) -> Iterator[Line]:
    """Yield Pydantic's limits in words."""
    for limit in limits:
        for kind, (member, words) in _BOUNDS.items():
            if isinstance(limit, kind):
                yield (f"{words} {plain(getattr(limit, member))}",)
    least = max((limit.min_length for limit in limits if isinstance(limit, MinLen)), default=0)
    most = min((limit.max_length for limit in limits if isinstance(limit, MaxLen)), default=None)
    if least or most is not None:
        yield (_length(least, most),)
    for limit in limits:
        pattern = getattr(limit, "pattern", None)
        if isinstance(pattern, str):
            yield "matches ", Code(pattern)


def _length(least: int, most: int | None) -> str:
    if most is None:
        return "not empty" if least == 1 else f"at least {least} long"
    return f"{least} to {most} long" if least else f"at most {most} long"


def _default(info: FieldInfo) -> Line:
    if marks_of(info) & {CREATED, UPDATED}:
        return ("now",)
    if info.is_required():
        return ("absent",) if plain_type(info.annotation)[1] else ()
    if info.default_factory is not None:
        return _made_by(info.default_factory)
    return ("absent",) if info.default is None else _value(info.default)


def _made_by(factory: Any) -> Line:
    made = get_origin(factory) or factory
    if made in {dict, list, set, tuple, frozenset}:
        return ("empty",)
    if isinstance(made, type) and issubclass(made, BaseModel):
        return ("its defaults",)
    return ("now",) if made is utc_now else ("generated",)


def _value(value: Any) -> Line:
    if isinstance(value, BaseModel):
        return ("its defaults",)
    if isinstance(value, list | tuple | dict | set | frozenset) and not value:
        return ("empty",)
    return (Code(_value_text(plain(value))),)


def _value_text(value: Any) -> str:
    """Return a value as it is shown: a text without quotes."""
    return value if isinstance(value, str) else shown(Constant(value))


def _models_in(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for info in model.model_fields.values():
        yield from _models_within([info.annotation])


def _models_within(annotations: Iterable[Any]) -> Iterator[type[BaseModel]]:
    for annotation in annotations:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield annotation
        yield from _models_within(get_args(annotation))
