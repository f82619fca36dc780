"""Selectors stand for a record's fields in functions such as ``lambda u: u.logins > 3``.

A type checker sees the entity itself, so it reports a misspelt field or a comparison with the wrong
type; at run time the selector records the comparison and turns it into a condition.
"""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NoReturn, TypeAlias, get_args

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from sortkey.design.records.codecs import Codec, Unstorable, codec_for, later_by, record_codec
from sortkey.design.records.marks import plain_type
from sortkey.errors import Refused, ValueRefused
from sortkey.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    Compare,
    Condition,
    In,
    Not,
    Operand,
    Or,
    Path,
    Size,
    Value,
)
from sortkey.operations.kind import Place
from sortkey.operations.origin import FieldValue
from sortkey.wire.values import AttributeValue

Naming: TypeAlias = Callable[[str], str] | None
Parts: TypeAlias = tuple[str | int, ...]

_INSTEAD = (
    "write & for `and`, | for `or` with each condition in its own parentheses, ~ for `not`, and "
    "one_of(...) for `in`"
)


class Test:
    """A condition that a function of a record's fields states."""

    __slots__ = ("condition",)

    def __init__(self, condition: Condition) -> None:
        self.condition = condition

    def __and__(self, other: object) -> "Test":
        return Test(And((self.condition, condition_of(other))))

    def __or__(self, other: object) -> "Test":
        return Test(Or((self.condition, condition_of(other))))

    def __invert__(self) -> "Test":
        return Test(Not(self.condition))

    def __bool__(self) -> NoReturn:
        raise Refused(
            f"DynamoDB decides a condition, so Python cannot use it as a bool: {_INSTEAD}"
        )


def condition_of(stated: object) -> Condition:
    """Return the condition that a function returned."""
    if isinstance(stated, Test):
        return stated.condition
    if isinstance(stated, Selector):
        if is_flag(stated):
            return (stated == True).condition  # noqa: E712 - makes a condition
        shown = place_of(stated).shown
        raise Refused(
            f"{shown} alone is not a condition, because it is not a bool: compare it, as in "
            f"r.{shown} == ..."
        )
    raise Refused(
        f"a condition compares a record's fields, as in lambda r: r.count > 3, and this function "
        f"returned {stated!r}; Python decides `is`, `in`, `and`, `or` and `not` itself: {_INSTEAD}"
    )


class RecordPlaces:
    """The places of an entity's records, each compiled when it is first selected."""

    def __init__(self, entity: str, model: type[BaseModel], stored: Naming) -> None:
        self.entity = entity
        self.model = model
        self.stored = stored
        self._compiled: dict[str, _Compiled] = {}
        self._names: dict[type[BaseModel], dict[str, str]] = {}
        self._selectors: dict[str, Selector] = {}
        self._record = _RecordSelector(self)
        self.secrets: frozenset[str] = frozenset()

    def record(self) -> Any:
        """Return a stand-in for a record in a function of its fields."""
        return self._record

    def of_record(self, name: str) -> "Selector":
        """Return the selector of one of the record's own fields, created once."""
        known = self._selectors.get(name)
        if known is None:
            known = self._selectors[name] = self.field(self.model, name, (), "")
        return known

    def field(self, model: type[BaseModel], name: str, parts: Parts, before: str) -> "Selector":
        """Return the selector of a model's field, by its Python name."""
        info = model.model_fields.get(name)
        if info is None:
            near = difflib.get_close_matches(name, model.model_fields, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise Refused(f"{self.entity} has no field {before}{name}{hint}")
        annotation: Any = info.annotation
        for mark in info.metadata:
            annotation = Annotated[annotation, mark]
        if info.examples:
            annotation = Annotated[annotation, Field(examples=info.examples)]
        stored = self._stored_names(model)[name]
        return Selector(self, (*parts, stored), before + name, annotation)

    def compiled(self, shown: str, annotation: Any) -> "_Compiled":
        """Return how the place's values are checked and written."""
        known = self._compiled.get(shown)
        if known is None:
            known = _Compiled(TypeAdapter(annotation), codec_for(annotation, self.stored))
            self._compiled[shown] = known
        return known

    def _stored_names(self, model: type[BaseModel]) -> dict[str, str]:
        names = self._names.get(model)
        if names is None:
            fields = record_codec(model, self.stored).fields
            names = self._names[model] = {name: field.stored for name, field in fields.items()}
        return names


@dataclass(frozen=True, slots=True)
class _Compiled:
    adapter: TypeAdapter[Any]
    codec: Codec


class _RecordSelector:
    """A stand-in for a whole record; its attributes are selectors of its fields."""

    __slots__ = ("_places",)

    def __init__(self, places: RecordPlaces) -> None:
        self._places = places

    def __getattr__(self, name: str) -> "Selector":
        return self._places.of_record(name)


class Selector:
    """A place in a record: a field, or something inside one."""

    __slots__ = ("_annotation", "_parts", "_place", "_places", "_shown")
    __hash__ = None  # pyright: ignore[reportAssignmentType]  # equality makes a condition

    def __init__(self, places: RecordPlaces, parts: Parts, shown: str, annotation: Any) -> None:
        self._places = places
        self._parts = parts
        self._shown = shown
        self._annotation = annotation
        self._place: Place[Any] | None = None

    def __getattr__(self, name: str) -> "Selector":
        model, _ = plain_type(self._annotation)
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            raise Refused(
                f"{self._places.entity}.{self._shown} is not a model, so it has no {name}"
            )
        return self._places.field(model, name, self._parts, f"{self._shown}.")

    def __getitem__(self, place: int | str) -> "Selector":
        kind, _ = plain_type(self._annotation)
        arguments = get_args(kind)
        inner = Any if not arguments else arguments[0] if isinstance(place, int) else arguments[-1]
        return Selector(self._places, (*self._parts, place), f"{self._shown}[{place!r}]", inner)

    # Its own methods have names that no field can have.

    def __entity__(self) -> str:
        return self._places.entity

    def __holds__(self, kind: type) -> bool:
        held, _ = plain_type(self._annotation)
        return isinstance(held, type) and issubclass(held, kind)

    def __place__(self) -> Place[Any]:
        if self._place is None:
            self._place = self._new_place()
        return self._place

    def _new_place(self) -> Place[Any]:
        shown, entity = self._shown, self._places.entity
        compiled = self._places.compiled(shown, self._annotation)

        def check(value: Any) -> Any:
            try:
                return compiled.adapter.validator.validate_python(value)
            except ValidationError as error:
                if secret:
                    raise ValueRefused(
                        field,
                        f"{entity}.{shown} cannot have this value, which does not match its type "
                        "(it is secret, so it is not shown)",
                        annotation=self._annotation,
                    ) from None
                faults = "; ".join(fault["msg"] for fault in error.errors())
                raise ValueRefused(
                    field,
                    f"{entity}.{shown} cannot be {value!r}: {faults}",
                    value,
                    self._annotation,
                ) from None

        def encode(value: Any) -> AttributeValue:
            try:
                return compiled.codec.encode(value)
            except Unstorable as error:
                given = "" if secret else f" {value!r:.60}"
                raise ValueRefused(
                    field,
                    f"{entity}.{shown} cannot take{given}: it {error}",
                    None if secret else value,
                ) from None

        field = shown.partition(".")[0].partition("[")[0]
        secret = field in self._places.secrets
        also = compiled.codec.also
        return Place(Path(self._parts), field, shown, check, encode, secret, also)

    def __eq__(self, other: object) -> Any:
        if other is None:
            refuse_inside_secret(self)
            return Test(Or((AttributeNotExists(self._path), _is_null(self._path))))
        return self._equality("=", other)

    def __ne__(self, other: object) -> Any:
        if other is None:
            refuse_inside_secret(self)
            return Test(And((AttributeExists(self._path), Not(_is_null(self._path)))))
        return self._equality("<>", other)

    def __lt__(self, other: object) -> Any:
        return self._compare("<", other)

    def __le__(self, other: object) -> Any:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> Any:
        return self._compare(">", other)

    def __ge__(self, other: object) -> Any:
        return self._compare(">=", other)

    def __contains__(self, _: object) -> bool:
        raise Refused(f"write contains(r.{self._shown}, ...) instead of `in`")

    def __bool__(self) -> NoReturn:
        flag = f" (~r.{self._shown} if it is false)" if is_flag(self) else ""
        raise Refused(
            f"{self._places.entity}.{self._shown} is stored in DynamoDB, so Python cannot use it "
            f"as a bool: {_INSTEAD}{flag}"
        )

    # A flag is a condition by itself: `r.active & (r.count > 3)`, `~r.active`.

    def __and__(self, other: object) -> Test:
        return self._flag(other) & other

    def __or__(self, other: object) -> Test:
        return self._flag(other) | other

    def __rand__(self, other: object) -> NoReturn:
        self._refuse_joined()

    __ror__ = __rand__

    def __invert__(self) -> Test:
        return ~Test(condition_of(self))

    def _flag(self, other: object) -> Test:
        if not is_flag(self) or not isinstance(other, Test | Selector):
            self._refuse_joined()
        return Test(condition_of(self))

    def _refuse_joined(self) -> NoReturn:
        # Python reads `r.a > 1 & r.b < 3` as a comparison with `1 & r.b`.
        raise Refused(f"put each condition in its own parentheses, as in (r.{self._shown} > 1)")

    def _compare(self, op: Any, other: object) -> Test:
        place = self.__place__()
        if place.secret:
            refuse_secret(self)
        return Test(Compare(op, place.path, self._operand(other)))

    def _equality(self, op: Any, other: object) -> Test:
        """Compare with a value in each form in which it may be stored."""
        if place_of(self).also is None or isinstance(other, (Selector, SizeOf)):
            return self._compare(op, other)
        refuse_secret(self)
        same = Test(In(self._path, comparands(place_of(self), other)))
        return same if op == "=" else ~same

    def _operand(self, other: object) -> Operand:
        if isinstance(other, Selector):
            refuse_secret(other)
            return place_of(other).path
        if isinstance(other, SizeOf):
            return other.size
        return comparand(place_of(self), other)

    @property
    def _path(self) -> Path:
        return self.__place__().path


def is_text(selector: Selector) -> bool:
    """Return whether the place holds text."""
    return selector.__holds__(str)


def is_flag(selector: Selector) -> bool:
    """Return whether the place holds True or False, so that it is a condition by itself."""
    return selector.__holds__(bool)


def place_of(selector: Selector) -> Place[Any]:
    """Return the selected place, with how its values are checked and written."""
    return selector.__place__()


def comparand(place: Place[Any], value: Any) -> Value:
    """Return the value as it would be stored in the place, to compare with it."""
    checked = place.check(value)
    stored = place.encode(checked)
    compared = as_compared(value, checked)
    if compared is not checked:
        stored = later_by(compared.microsecond, stored)
    return Value(stored, FieldValue(value))


def comparands(place: Place[Any], value: Any) -> tuple[Value, ...]:
    """Return the value in each form in which it may be stored in the place."""
    own = comparand(place, value)
    also = place.also(place.check(value)) if place.also else None
    return (own,) if also is None else (own, Value(also, FieldValue(value)))


def as_compared(given: Any, held: Any) -> Any:
    """Return a value as the field has it, but with the microseconds that the field drops.

    So a comparison with a time is exact.
    """
    if not (isinstance(given, datetime) and isinstance(held, datetime)):
        return held
    is_cut = given.microsecond and held == given.replace(microsecond=0)
    return held.replace(microsecond=given.microsecond) if is_cut else held


def refuse_secret(selector: Selector) -> None:
    """Reject a condition on a secret value, which DynamoDB cannot read."""
    place = place_of(selector)
    if place.secret:
        raise Refused(
            f"{selector.__entity__()}.{place.shown} is secret, and DynamoDB cannot compare "
            "encrypted values: only exists() and missing() are possible"
        )


def refuse_inside_secret(selector: Selector) -> None:
    """Reject a condition on a part of a secret value."""
    if not place_of(selector).is_whole:
        refuse_secret(selector)


def _is_null(path: Path) -> AttributeType:
    return AttributeType(path, Value({"S": "NULL"}))


class SizeOf:
    """The size of a field, to compare."""

    __slots__ = ("size",)
    __hash__ = None  # pyright: ignore[reportAssignmentType]  # equality makes a condition

    def __init__(self, size: Size) -> None:
        self.size = size

    def __eq__(self, other: object) -> Any:
        return self._compare("=", other)

    def __ne__(self, other: object) -> Any:
        return self._compare("<>", other)

    def __lt__(self, other: object) -> Any:
        return self._compare("<", other)

    def __le__(self, other: object) -> Any:
        return self._compare("<=", other)

    def __gt__(self, other: object) -> Any:
        return self._compare(">", other)

    def __ge__(self, other: object) -> Any:
        return self._compare(">=", other)

    def _compare(self, op: Any, other: object) -> Test:
        if isinstance(other, SizeOf):
            return Test(Compare(op, self.size, other.size))
        if not isinstance(other, int):
            raise Refused(f"size() is compared with a whole number, not {other!r}")
        return Test(Compare(op, self.size, Value({"N": str(other)}, FieldValue(other))))
