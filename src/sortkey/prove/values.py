"""Values of each type that break designs, the simplest first and similar ones side by side.

Their order is fixed, so that any three neighbours form a difficult case: texts with the same
beginning, numbers of different widths, times around the end of a day.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from functools import cache
from itertools import chain, islice
from random import Random
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, Union, cast, get_args, get_origin
from uuid import UUID

from hypothesis import find
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from pydantic import BaseModel, RootModel, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from sortkey.design.plans.drawn import members_of
from sortkey.design.records.limits import limits_of
from sortkey.prove.quiet import quiet_settings

# The time of every trial: noon on 29 February of a leap year. It lies in the future, so that the
# engine does not expire records by itself.
NOW = datetime(2032, 2, 29, 12, tzinfo=UTC)

_DAY, _SECOND, _TICK = timedelta(days=1), timedelta(seconds=1), timedelta(microseconds=1)
_MIDNIGHT = datetime(2032, 3, 1, tzinfo=UTC)
_NEW_YEAR = datetime(2032, 1, 1, tzinfo=UTC)
_EAST = timezone(timedelta(hours=2))

_TEXTS = (
    *("a", "ab", "a!", "b", "1", "12", "2", "10", "9", "A", "a b", "a-b", "a.b", "a/b", "a_b"),
    *("a:b", "a|b", "a#b", "a#", "#a", "~", "é", "😀", " a", "a@b", "", "0" * 20),
)
_NUMBERS = (
    *(1, 9, 10, 2, 11, 99, 100, 101, 999, 1000, 0, -1, 9_999, 10_000, 99_999, 100_000),
    *(999_999, 1_000_000, 10**9, 2**53 + 1, 10**20),
)
_DECIMALS = tuple(
    map(Decimal, ("1", "9", "10", "2", "99.99", "100", "0.1", "0.01", "0", "-1", "1234567890.123"))
)
_TIMES = (
    *(NOW, NOW + _SECOND, NOW + _TICK, NOW - _TICK, NOW - _SECOND, NOW - _DAY),
    *(_MIDNIGHT - _SECOND, _MIDNIGHT - _TICK, _MIDNIGHT, _MIDNIGHT + _TICK, _MIDNIGHT + _DAY),
    *(_NEW_YEAR - _DAY, _NEW_YEAR - _TICK, _NEW_YEAR),
    # In the east it is the first of March already.
    datetime(2032, 3, 1, 1, tzinfo=_EAST),
)
_DATES = (
    *(NOW.date(), _MIDNIGHT.date(), NOW.date() - _DAY, date(2032, 2, 1), date(2032, 1, 31)),
    *(date(2032, 1, 1), date(2031, 12, 31), date(2032, 9, 9), date(2032, 10, 10)),
)
# In each group of three, two have not expired and the third has.
EXPIRIES = (
    *(NOW + _DAY, NOW + _SECOND, NOW),
    *(NOW + 30 * _DAY, NOW + 2 * _DAY, NOW - _SECOND),
    *(NOW + 7 * _DAY, NOW + 2 * _SECOND, NOW - _DAY),
)

# The times at which records are written; they differ, so that an order by them is tried.
MOMENTS = (NOW, NOW - _SECOND, NOW - _DAY, NOW - _TICK, _NEW_YEAR)

_SCALARS: Mapping[type, Sequence[Any]] = {
    bool: (False, True),
    int: _NUMBERS,
    float: (1.0, 2.5, 9.0, 10.0, 0.1, 0.0, -1.0),
    Decimal: _DECIMALS,
    datetime: _TIMES,
    date: _DATES,
    time: (time(12), time(23, 59, 59), time(0)),
    timedelta: (_SECOND, timedelta(minutes=1), _DAY, timedelta(0)),
    UUID: tuple(UUID(int=number) for number in (1, 2, 16, 17, 2**127)),
    bytes: (b"a", b"ab", b"\x00", b"\xff"),
    str: _TEXTS,
}
_FEW = 3
_SEARCHED = 200
_DEEP = 4
_MOST_VARIANTS = 12
_INSTEAD = "0129abzAZ-"
_DAYS_AS_TEXT = ("2032-02-29", "2032-03-01", "2032-02-28", "2031-12-31", "2032-01-01", "2032-02")


@cache
def values_of(annotation: Any) -> tuple[Any, ...]:
    """Return values of a type, each as Pydantic converts it; declared examples replace ours."""
    return tuple(_valid(annotation, examples_of(annotation) or _made(annotation, 0)))


def examples_of(annotation: Any) -> tuple[Any, ...]:
    """Return the values of ``Field(examples=[...])`` for a type or a field."""
    return limits_of(annotation)[1].examples


def around(value: Any) -> Iterator[Any]:
    """Yield the neighbours of a value, which reveal a bound that is off by one."""
    match value:
        case bool() | None | Enum():
            return
        case int() | Decimal():
            yield from (value + 1, value - 1)
        case datetime():
            yield from (value + _TICK, value - _TICK, value + _SECOND, value - _SECOND)
        case date():
            yield from (value + _DAY, value - _DAY)
        case str():
            yield from (f"{value}0", value[:-1])
        case _:
            return


def valid(annotation: Any, value: Any) -> list[Any]:
    """Return the value as the type converts it, in a list; empty if the type refuses it."""
    return list(_valid(annotation, (value,)))


def _valid(annotation: Any, made: Iterable[Any]) -> Iterator[Any]:
    check = _checking(annotation)
    seen: list[Any] = []
    for value in made:
        try:
            held = check(value)
        except (ValidationError, ValueError, TypeError):
            continue
        if not any(type(held) is type(other) and held == other for other in seen):
            seen.append(held)
            yield held


@cache
def _checking(annotation: Any) -> Callable[[Any], Any]:
    try:
        return TypeAdapter(annotation).validate_python
    except PydanticUserError:
        return lambda value: value


def _made(annotation: Any, depth: int) -> Iterable[Any]:
    kind, origin = annotation, get_origin(annotation)
    if isinstance(kind, NewType):
        return _made(kind.__supertype__, depth)
    if type(kind).__name__ == "TypeAliasType":
        return _made(kind.__value__, depth)
    if origin is Annotated:
        return _constrained(annotation, depth)
    if origin in {Union, UnionType}:
        return chain.from_iterable(_made(member, depth) for member in get_args(kind))
    if origin is Literal:
        return get_args(kind)
    if origin is not None or kind in {list, dict, set, frozenset, tuple}:
        return _containers(origin or kind, get_args(kind), depth)
    return _plain(kind, depth)


def _plain(kind: Any, depth: int) -> Iterable[Any]:
    if kind in {None, NoneType}:
        return (None,)
    if not isinstance(kind, type):
        return _TEXTS
    if issubclass(kind, Enum):
        return list(kind)
    if issubclass(kind, RootModel):
        return _made(cast("Any", kind).model_fields["root"].annotation, depth)
    if issubclass(kind, BaseModel):
        return _models(kind, depth)
    members = members_of(cast("Any", kind))
    if members is not None:
        return _wholes(members, depth)
    return next((made for known, made in _SCALARS.items() if issubclass(kind, known)), _TEXTS)


def _constrained(annotation: Any, depth: int) -> Iterable[Any]:
    """Return values of the bare type that meet the constraints, and the limits themselves."""
    bare = get_args(annotation)[0]
    limits = _limits(annotation)
    numbers = [limits[name] for name in ("minimum", "maximum") if name in limits]
    edges = [bare(number) for number in numbers] if bare in {int, Decimal} else []
    made = list(_valid(annotation, (*_long_enough(_made(bare, depth), limits), *edges)))
    if len(made) >= _FEW or "pattern" not in limits:
        return made
    days = list(_valid(annotation, _DAYS_AS_TEXT))
    return days if len(days) >= _FEW else _matching(annotation, limits["pattern"])


def _long_enough(made: Iterable[Any], limits: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the values, with texts padded on the left to the minimum length."""
    least = limits.get("minLength", 0)
    for value in made:
        yield value.rjust(least, "0") if isinstance(value, str) and value else value


def _limits(annotation: Any) -> Mapping[str, Any]:
    """Return the constraints of a type, from its JSON schema."""
    try:
        schema = TypeAdapter(annotation).json_schema()
    except Exception:  # noqa: BLE001 - a custom type may fail to make a schema in any way
        return {}
    return {k: v for part in (*schema.get("anyOf", ()), schema) for k, v in part.items()}


def _matching(annotation: Any, pattern: str) -> Iterable[Any]:
    """Return the simplest text of a pattern, a longer one, and slight variants of it."""
    for base in _simplest(annotation, pattern, 0):
        longer = _simplest(annotation, pattern, len(base) + 1)
        made = _valid(annotation, chain((base, *longer), _variants(base)))
        return list(islice(made, _MOST_VARIANTS))
    return ()


def _simplest(annotation: Any, pattern: str, least: int) -> list[str]:
    """Return the simplest text of a pattern with at least so many characters, in a list."""
    try:
        return [
            find(
                st.from_regex(pattern),
                lambda text: len(text) >= least and bool(valid(annotation, text)),
                settings=quiet_settings(_SEARCHED),
                random=Random(0),  # noqa: S311 - for reproducible values
            )
        ]
    except HypothesisException:
        return []


def _variants(text: str) -> Iterator[str]:
    yield from (text + other for other in _INSTEAD[:2])
    ends = (len(text) - 1, 0, len(text) // 2)
    for place in dict.fromkeys((*ends, *reversed(range(len(text))))):
        for other in _INSTEAD:
            yield text[:place] + other + text[place + 1 :]


def _containers(origin: Any, members: Sequence[Any], depth: int) -> Iterable[Any]:
    if isinstance(origin, type) and issubclass(origin, Mapping):
        keys, values = (_few(member, depth) for member in members or (str, str))
        pairs = list(zip(keys, values, strict=False))
        return ({}, *({key: value} for key, value in pairs), dict(pairs))
    if origin is tuple and Ellipsis not in members:
        return list(zip(*(_few(member, depth) for member in members), strict=False))
    inner = _few(members[0] if members else str, depth)
    return ([], *([value] for value in inner), inner)


def _few(annotation: Any, depth: int) -> list[Any]:
    if depth > _DEEP:
        return []
    return list(_valid(annotation, _made(annotation, depth + 1)))[:_FEW]


def _wholes(members: Mapping[str, Any], depth: int) -> Iterator[Any]:
    """Yield a few values of a dataclass, TypedDict or named tuple, as mappings of members."""
    few = {name: _few(annotation, depth) for name, annotation in members.items()}
    for turn in range(_FEW):
        yield {name: values[turn % len(values)] for name, values in few.items() if values}


def _models(model: type[BaseModel], depth: int) -> Iterator[Any]:
    """Yield a few values of a nested model, the simplest first."""
    fields = {
        name: _few(info.rebuild_annotation(), depth) for name, info in model.model_fields.items()
    }
    required = {name for name, info in model.model_fields.items() if info.is_required()}
    for turn in range(_FEW):
        yield from _model(
            model,
            {
                name: values[turn % len(values)]
                for name, values in fields.items()
                if values and (turn or name in required)
            },
        )


def _model(model: type[BaseModel], values: Mapping[str, Any]) -> Iterator[BaseModel]:
    try:
        yield model.model_validate(values, by_name=True)
    except ValidationError:
        return
