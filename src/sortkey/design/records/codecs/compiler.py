"""From annotations to codecs, once for each model."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin

from pydantic import BaseModel, Discriminator, RootModel
from pydantic.fields import FieldInfo

from sortkey.design.records.codecs.advice import no_stored_form
from sortkey.design.records.codecs.choices import enum_codec, literal_codec
from sortkey.design.records.codecs.codec import Codec
from sortkey.design.records.codecs.containers import (
    dict_codec,
    fixed_tuple_codec,
    list_codec,
    set_codec,
    tuple_codec,
)
from sortkey.design.records.codecs.dynamic import ANY, ANY_SET
from sortkey.design.records.codecs.records import (
    Absence,
    FieldCodec,
    RecordCodec,
    Stored,
    is_empty_set,
    is_set,
)
from sortkey.design.records.codecs.scalars import SCALARS
from sortkey.design.records.codecs.texts import TEXT_OR_NUMBER, accepts_number
from sortkey.design.records.codecs.times import TIMES, datetime_codec, time_marks
from sortkey.design.records.codecs.unions import discriminated_codec, optional_codec, union_codec
from sortkey.design.records.codecs.unstorable import Unstorable
from sortkey.wire.errors import ServiceError
from sortkey.wire.values import AttributeValue, check_name


def codec_for(annotation: Any, stored: Callable[[str], str] | None = None) -> Codec:
    """The codec of a type, or `Unstorable` with what to use instead."""
    return _Compiler(stored).codec(annotation)


def record_codec(model: type[BaseModel], stored: Callable[[str], str] | None = None) -> RecordCodec:
    """The codec of a model's records; `stored` makes attribute names from field names."""
    return _Compiler(stored).record(model)


class _Compiler:
    """Compiles annotations, meeting each model once, so that models may hold each other."""

    def __init__(self, stored: Callable[[str], str] | None) -> None:
        self._stored = stored
        self._records: dict[type[BaseModel], RecordCodec] = {}
        self._open: list[Any] = []

    def record(self, model: type[BaseModel]) -> RecordCodec:
        known = self._records.get(model)
        if known is not None:
            return known
        if issubclass(model, RootModel):
            raise Unstorable(f"{model.__name__} has no fields to store as attributes")
        record = RecordCodec(model, lambda: self._fields(model))
        self._records[model] = record
        # A model that names a class not yet made is compiled when it is first used.
        if model.__pydantic_complete__:
            record.prepare()
        return record

    def _fields(self, model: type[BaseModel]) -> Mapping[str, FieldCodec]:
        if not model.__pydantic_complete__:
            model.model_rebuild()
        fields: dict[str, FieldCodec] = {}
        names: dict[str, str] = {}
        for name, info in model.model_fields.items():
            try:
                field = self._field(name, info)
                if field.stored in names:
                    raise Unstorable(  # noqa: TRY301 -- named like any fault of the field
                        f'is stored as "{field.stored}", as is {names[field.stored]}; give one '
                        "of them another Stored name"
                    )
            except Unstorable as error:
                error.within(name)
                raise
            fields[name] = field
            names[field.stored] = name
        return fields

    def _field(self, name: str, info: FieldInfo) -> FieldCodec:
        marks = (*info.metadata, info)
        codec = self.codec(info.annotation, marks)
        present = self.codec(_without_none(info.annotation), marks)
        optional = "NULL" in codec.kinds
        if not info.is_required():
            absent = Absence.DEFAULT
        elif optional:
            absent = Absence.NONE
        else:
            absent = Absence.EMPTY if is_set(present) else Absence.MISSING
        return FieldCodec(
            name=name,
            stored=self._stored_name(name, info),
            codec=codec,
            present=present,
            absent=absent,
            omits_none=absent is Absence.NONE or _defaults_to_none(info),
            omits_empty=absent is Absence.EMPTY
            or (is_set(present) and _defaults_to_empty_set(info)),
        )

    def _stored_name(self, name: str, info: FieldInfo) -> str:
        inner = (mark for member in get_args(info.annotation) for mark in _metadata(member))
        named = [mark.name for mark in (*info.metadata, *inner) if isinstance(mark, Stored)]
        stored = named[-1] if named else self._stored(name) if self._stored else name
        try:
            check_name(stored)
        except ServiceError as error:
            raise Unstorable(f"cannot be stored under this name: {error}") from None
        return stored

    def codec(self, annotation: Any, marks: tuple[Any, ...] = ()) -> Codec:
        origin = get_origin(annotation)
        if origin is Annotated:
            inner, *metadata = get_args(annotation)
            return self.codec(inner, (*metadata, *marks))
        if isinstance(annotation, NewType):
            return self.codec(annotation.__supertype__, marks)
        if type(annotation).__name__ == "TypeAliasType":
            with self._no_recursion(annotation):
                return self.codec(annotation.__value__, marks)
        if origin is Union or origin is UnionType:
            return self._union(get_args(annotation), marks)
        if annotation is datetime:
            return datetime_codec(marks)
        if time_marks(marks):
            raise Unstorable("Epoch() and Seconds() mark a datetime, and this is none")
        if accepts_number in marks:
            if annotation is not str:
                raise Unstorable("accepts_number marks a str, and this is none")
            return TEXT_OR_NUMBER
        return self._unmarked(annotation, origin)

    def _unmarked(self, annotation: Any, origin: Any) -> Codec:
        if annotation is Any or annotation is object:
            return ANY
        if origin is Literal:
            return literal_codec(get_args(annotation), self.codec)
        container = _CONTAINERS.get(origin or annotation)
        if container is not None:
            return container(self.codec, get_args(annotation))
        known = _KNOWN.get(annotation)
        if known is not None:
            return known
        if isinstance(annotation, type):
            return self._class(annotation)
        raise no_stored_form(annotation)

    def _class(self, annotation: type[Any]) -> Codec:
        if issubclass(annotation, Enum):
            return enum_codec(annotation, self.codec)
        if issubclass(annotation, RootModel):
            with self._no_recursion(annotation):
                return self._root(annotation)  # pyright: ignore[reportUnknownArgumentType]
        if issubclass(annotation, BaseModel):
            return self.record(annotation).nested()
        if issubclass(annotation, str) or _is_email(annotation):
            text = SCALARS[str]
            return Codec(text.kinds, text.encode, text.decode, frozenset({annotation, str}))
        raise no_stored_form(annotation)

    def _root(self, model: type[RootModel[Any]]) -> Codec:
        info = model.model_fields["root"]
        inner = self.codec(info.annotation, (*info.metadata, info))
        write = inner.encode

        def encode(value: Any) -> AttributeValue:
            if type(value) is not model:
                raise Unstorable(f"is of type {type(value).__name__}, not {model.__name__}")
            return write(value.root)

        return Codec(inner.kinds, encode, inner.decode, frozenset({model}))

    @contextmanager
    def _no_recursion(self, annotation: Any) -> Generator[None]:
        if annotation in self._open:
            raise Unstorable(
                f"{annotation.__name__} holds itself; write it as a BaseModel with fields"
            )
        self._open.append(annotation)
        try:
            yield
        finally:
            self._open.pop()

    def _union(self, members: Sequence[Any], marks: tuple[Any, ...]) -> Codec:
        rest = [member for member in members if member is not NoneType]
        if Any in rest or object in rest:
            return ANY
        discriminator = _discriminator(marks)
        if len(rest) == 1 and discriminator is None:
            present = self.codec(rest[0], marks)
        elif accepts_number in marks:
            raise Unstorable("accepts_number marks a str, and this is a union")
        elif discriminator is None:
            codecs = list(self._members(rest, time_marks(marks)))
            present = codecs[0] if len(codecs) == 1 else union_codec(codecs)
        else:
            present = discriminated_codec(
                (self.codec(member), self._signs(member, discriminator)) for member in rest
            )
        return present if len(rest) == len(members) else optional_codec(present)

    def _members(self, members: Sequence[Any], marks: tuple[Any, ...]) -> Iterator[Codec]:
        literals = [member for member in members if get_origin(member) is Literal]
        if literals:
            yield self.codec(Literal[tuple(value for one in literals for value in get_args(one))])
        times = [member for member in members if _bare(member) is datetime]
        if marks and not times:
            raise Unstorable("Epoch() and Seconds() mark a datetime, and this has none")
        for member in members:
            if member not in literals:
                yield self.codec(member, marks if member in times else ())

    def _signs(self, member: Any, discriminator: str) -> Iterator[tuple[str, AttributeValue]]:
        model = _bare(member)
        if get_origin(model) in {Union, UnionType}:
            for one in get_args(model):
                yield from self._signs(one, discriminator)
            return
        info = model.model_fields[discriminator]
        codec = self.codec(info.annotation, tuple(info.metadata))
        stored = self._stored_name(discriminator, info)
        for value in get_args(info.annotation):
            yield stored, codec.encode(value)


def _bare(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _metadata(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) not in {Union, UnionType}:
        return annotation
    return Union[tuple(one for one in get_args(annotation) if one is not NoneType)]  # noqa: UP007


def _defaults_to_none(info: FieldInfo) -> bool:
    return info.default is None and info.default_factory is None


def _defaults_to_empty_set(info: FieldInfo) -> bool:
    factory: Any = info.default_factory
    return is_empty_set(info.default) or (get_origin(factory) or factory) in {set, frozenset}


def _discriminator(marks: tuple[Any, ...]) -> str | None:
    for mark in reversed(marks):
        found = mark.discriminator if isinstance(mark, FieldInfo | Discriminator) else None
        if isinstance(found, Discriminator):
            found = found.discriminator
        if isinstance(found, str):
            return found
        if found is not None:
            raise Unstorable(
                "is a union whose discriminator is a function, which does not know the stored "
                "form; use the name of a Literal field as its discriminator"
            )
    return None


def _is_email(annotation: type) -> bool:
    # By name, as importing it loads Pydantic's network types; its values are plain text.
    return (annotation.__module__, annotation.__name__) == ("pydantic.networks", "EmailStr")


def _list(compile_: Callable[[Any], Codec], args: tuple[Any, ...]) -> Codec:
    return list_codec(compile_(args[0]) if args else ANY)


def _tuple(compile_: Callable[[Any], Codec], args: tuple[Any, ...]) -> Codec:
    if args and args[-1] is not Ellipsis:
        return fixed_tuple_codec(tuple(map(compile_, args)))
    return tuple_codec(compile_(args[0]) if args else ANY)


def _set(compile_: Callable[[Any], Codec], args: tuple[Any, ...]) -> Codec:
    return set_codec(compile_(args[0]), set) if args else ANY_SET


def _frozenset(compile_: Callable[[Any], Codec], args: tuple[Any, ...]) -> Codec:
    if not args:
        raise Unstorable("frozenset needs to say what it holds, such as frozenset[str]")
    return set_codec(compile_(args[0]), frozenset)


def _dict(compile_: Callable[[Any], Codec], args: tuple[Any, ...]) -> Codec:
    key, value = args or (str, Any)
    return dict_codec(compile_(key), compile_(value))


_KNOWN: dict[Any, Codec] = {**SCALARS, **TIMES, None: SCALARS[NoneType]}
_CONTAINERS: dict[Any, Callable[[Callable[[Any], Codec], tuple[Any, ...]], Codec]] = {
    list: _list,
    tuple: _tuple,
    set: _set,
    frozenset: _frozenset,
    dict: _dict,
}
