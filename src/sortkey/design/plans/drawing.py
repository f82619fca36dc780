"""Drawing: values for the arguments of a pattern, valid and independent of each other.

Each *turn* draws other values: long texts, numbers of several digits, times that differ in every
component. An *edge* turn draws short texts, small numbers and times that are past. A type with few
values is a *choice*: over the turns each argument of the type has a sequence of its own.

A field may accept less than an argument's type says. What it refuses is learned, and the next
values are drawn as the field wants them.
"""

import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache, lru_cache
from itertools import count, cycle, product
from math import ceil, floor
from random import Random
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, NewType, Union, cast, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from sortkey.design.declaring.claim import Claim
from sortkey.design.declaring.entity import Entity, kind_of
from sortkey.design.declaring.pattern import Parameter
from sortkey.design.plans.arranging import INDEPENDENT, Arrangement
from sortkey.design.plans.comparing import is_same
from sortkey.design.plans.drawn import CONTAINERS, LEFT_OUT, STEPS, Drawn, members_of
from sortkey.design.plans.sources import NOW
from sortkey.design.records.keys.slots import KeyValueError, Slot
from sortkey.design.records.limits import Constraint, Limits, limits_of
from sortkey.design.records.marks import CREATED, UPDATED, marks_of
from sortkey.design.records.matching import matching_text
from sortkey.errors import KeyChanged, ValueRefused

# Enough turns to distinguish seven Boolean arguments, negated or not.
TURNS = 4

# The clock of each turn; they differ in every component.
_CLOCKS = tuple(
    datetime(2031 + turn, 2 + 2 * turn, 3 + 5 * turn, 4 + 3 * turn, 7 + 11 * turn, 6, tzinfo=UTC)
    + timedelta(seconds=13 * turn, microseconds=137_251 * (turn + 1))
    for turn in range(TURNS)
)
_LETTERS = string.digits + string.ascii_uppercase + string.ascii_lowercase
# For each byte a letter.
_ANY_LETTER = bytes(ord(_LETTERS[byte % len(_LETTERS)]) for byte in range(256))
_LENGTH = 20
_MOST_LENGTHS = 64
_FEW = 16
# So many arguments of one kind are in order.
_PLACES = 32
_WIDE = 100 * _PLACES
_TRIES = 20
_LEAST, _MOST = 10_000, 99_999
# Models may contain themselves: so deep, only what they need is drawn.
_DEEPEST = 2
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_KEPT_BY_SORTKEY = frozenset({CREATED, UPDATED})


class Undrawable(Exception):  # noqa: N818 - says what it is
    """No valid value was found for an argument, or for a part of one."""

    def __init__(self, argument: str, why: str) -> None:
        super().__init__(f"no valid value of {argument} is known: {why}")
        self.argument = argument


class Drawing:
    """Draws the arguments of one pattern, turn by turn, and learns what fields refuse.

    It shares what it draws with patterns of the same signature, until it learns something.
    """

    def __init__(
        self,
        parameters: Iterable[Parameter],
        model_of: Callable[[str], type[BaseModel] | None] = lambda _: None,
        *,
        shares: bool = True,
    ) -> None:
        self._parameters = tuple(parameters)
        self._model_of = model_of
        self._learned: dict[str, list[Any]] = {}
        self._limits: dict[str, tuple[Any, Limits]] = {}
        # What is drawn stays until something is learned.
        self._drawn: dict[tuple[int, bool], Drawn] = {}
        self._shares = shares
        self._one_key = False
        self._arrangement = INDEPENDENT
        # For each part to which others are tied, the types of these.
        self._tied_types: dict[str, list[Any]] = {}

    def draw(
        self, turn: int = 0, *, edge: bool = False, given: Mapping[str, Any] | None = None
    ) -> Drawn:
        """Return the arguments of a turn; ``given`` says what some of them are instead."""
        if given:
            with suppress(Undrawable):
                return self.draw(turn, edge=edge).with_arguments(given)
            return self._new(turn, edge=edge, given=given)
        known = self._drawn.get((turn, edge))
        if known is None:
            is_first = not (self._learned or self._one_key) and self._arrangement is INDEPENDENT
            alike = _alike(self._parameters) if is_first and self._shares else None
            known = self._drawn[turn, edge] = (
                self._new(turn, edge=edge) if alike is None else alike.draw(turn, edge=edge)
            )
        return known

    def _new(self, turn: int, *, edge: bool, given: Mapping[str, Any] = _NOTHING) -> Drawn:
        hand = _Turn(self, turn, self._arrangement, edge=edge, one_key=self._one_key)
        drawn = hand.drawn(p for p in self._parameters if p.name not in given)
        return drawn.with_arguments(given) if given else drawn

    def learn(self, error: Exception, drawn: Drawn) -> bool:
        """Take in why a call failed; return whether other values may be drawn for it now."""
        if isinstance(error, KeyChanged):
            learns, self._one_key = not self._one_key, True
            self._drawn.clear()
            return learns
        learned = False
        for field, value, wanted in _refused(error, self._model_of):
            for name, part in drawn.parts.items():
                known = self._learned.get(name, [])
                # A secret is not shown, so it is known by the name of its field.
                is_it = name.split(".")[-1] == field if value is None else is_same(part, value)
                if is_it and wanted is not None and wanted not in known:
                    self._learned[name] = [*known, wanted]
                    self._limits.pop(name, None)
                    self._drawn.clear()
                    learned = True
        return learned

    def lengthen(self, name: str, count: int) -> None:
        """Draw so many members of a list, set or map from now on, or as many as it may have."""
        self._learned[name] = [*self._learned.get(name, []), Constraint(min_length=count)]
        self._limits.pop(name, None)
        self._drawn.clear()

    @property
    def arrangement(self) -> Arrangement:
        """How the arguments depend on each other."""
        return self._arrangement

    def arrange(self, arrangement: Arrangement) -> None:
        """Draw arguments in this arrangement from now on."""
        if arrangement is self._arrangement:
            return
        self._tied_types.clear()
        self._limits.clear()
        if arrangement.ties:
            hand = _Turn(self, 0, INDEPENDENT, edge=False, one_key=False)
            types = hand.types = {}
            hand.drawn(self._parameters)
            # A value that tied parts share must be valid for all of them.
            for first, *others in arrangement.ties:
                self._tied_types[first] = [types[name] for name in others if name in types]
            self._limits.clear()
        self._drawn.clear()
        self._arrangement = arrangement

    def limits(self, name: str, annotation: Any) -> tuple[Any, Limits]:
        """Return an argument's type, and everything that its values are held to."""
        is_plain = name not in self._learned and name not in self._tied_types
        if is_plain and isinstance(annotation, _DrawnField):
            return annotation
        known = self._limits.get(name)
        if known is None:
            known = self._limits[name] = self._limits_of(name, annotation)
        return known

    def _limits_of(self, name: str, annotation: Any) -> tuple[Any, Limits]:
        own = annotation if isinstance(annotation, _DrawnField) else limits_of(annotation)
        kind, limits = own
        for wanted in (*self._learned.get(name, ()), *self._tied_types.get(name, ())):
            if isinstance(wanted, Slot):
                limits = limits.within(wanted)
                continue
            narrower, more = wanted if isinstance(wanted, _DrawnField) else limits_of(wanted)
            kind = narrower if _is_narrower(narrower, kind) else kind
            limits = limits.joined(more)
        return kind, limits


def _refused(
    error: Exception, model_of: Callable[[str], type[BaseModel] | None]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield each field that refused a value, the value, and the type or slot that refused it."""
    match error:
        case KeyValueError():
            yield error.field, error.value, error.slot
        case ValueRefused(value=datetime(), annotation=None):
            # The only times that cannot be stored are too fine.
            yield error.field, error.value, Constraint(microseconds=False)
        case ValueRefused():
            yield error.field, error.value, error.annotation
        case ValidationError():
            for fault in error.errors(include_url=False):
                name = str((*fault["loc"], "")[0])
                model = model_of(error.title)
                info = None if model is None else model.model_fields.get(name)
                # Of a model that is not the design's, only the constraint itself is known.
                wanted = Constraint(fault.get("ctx", {})) if info is None else info
                yield name, fault["input"], wanted
        case _:
            return


def _is_narrower(narrower: Any, kind: Any) -> bool:
    return kind in {str, int, Any} and (
        get_origin(narrower) is Literal
        or (isinstance(narrower, type) and issubclass(narrower, Enum))
    )


# The families of types, of which each is drawn in its own way; text is drawn for any other type.
_FAMILIES = (BaseModel, Enum, bool, int, Decimal, float, datetime, date, timedelta, UUID, bytes)


@lru_cache(maxsize=1_000)
def _family_of(kind: Any) -> Any:
    """Return the family of a type: Literal, Mapping for every container, or a class."""
    origin = get_origin(kind)
    if origin is Literal:
        return Literal
    if origin is not None or kind in CONTAINERS:
        return Mapping
    families = _FAMILIES if isinstance(kind, type) else ()
    return next((family for family in families if issubclass(kind, family)), str)


class _DrawnField(NamedTuple):
    """The type of a model's field, and what its values are held to."""

    kind: Any
    limits: Limits


@lru_cache(maxsize=1_000)
def _drawn_fields(model: type[BaseModel], *, nested: bool) -> Mapping[str, _DrawnField]:
    """Return the fields of a model that are drawn: those that sortkey does not fill itself.

    Of a model that is ``nested`` deeply, only those that it needs.
    """
    return {
        field: _DrawnField(*limits_of(info))
        for field, info in model.model_fields.items()
        if info.is_required() or not (nested or marks_of(info) & _KEPT_BY_SORTKEY)
    }


@lru_cache(maxsize=1_000)
def _kept_fields(model: type[BaseModel]) -> Sequence[str]:
    """Return the times that sortkey keeps."""
    fields = model.model_fields.items()
    return [field for field, info in fields if marks_of(info) & _KEPT_BY_SORTKEY]


class _Turn:
    """The values of one turn, as they are drawn one after the other."""

    def __init__(
        self, drawing: Drawing, turn: int, arrangement: Arrangement, *, edge: bool, one_key: bool
    ) -> None:
        self.clock = _CLOCKS[turn % TURNS]
        self.parts: dict[str, Any] = {NOW: self.clock}
        self._choices: dict[str, Sequence[Any]] = {}
        self._longest: dict[str, int | None] = {}
        self._alone: set[str] = set()
        self._drawing = drawing
        self._turn = turn
        self._edge = edge
        # A function may compare its arguments with each other.
        self._descending = edge and turn == 1
        self._random = Random(f"{turn} {edge}")  # noqa: S311 - the same at every time
        self._count: dict[str, int] = {}
        self._chosen: dict[Any, Iterator[Sequence[int]]] = {}
        self._twins: dict[tuple[type, str], Sequence[int]] = {}
        self._field: tuple[type, str] | None = None
        self._keys: dict[type, Mapping[str, Any]] | None = {} if one_key else None
        self._arrangement = arrangement
        self._leaders = arrangement.leaders
        # The type of each part, if they are wanted.
        self.types: dict[str, Any] | None = None

    def drawn(self, parameters: Iterable[Parameter]) -> Drawn:
        """Return a value for each argument, one after the other."""
        values = {one.name: self.draw(one.name, one.type) for one in parameters}
        tied = self._arrangement.tied
        return Drawn(self.clock, values, self.parts, self._choices, self._longest, tied)

    def draw(self, name: str, annotation: Any) -> Any:
        """Return a value of the type, and remember it by this name."""
        if self.types is not None:
            self.types[name] = annotation
        leader = self._leaders.get(name)
        if leader is not None and leader in self.parts:
            value = self.parts[leader]
        else:
            value = self._draw(name, annotation)
        if name not in self._alone:
            self.parts[name] = value
        return value

    def _draw(self, name: str, annotation: Any) -> Any:
        kind, limits = self._drawing.limits(name, annotation)
        # One example alone would look like a constant.
        if len(limits.examples) > 1:
            return self._choose(name, repr(limits.examples), limits.examples)
        members = members_of(kind)
        if members is not None:
            drawn = {member: self.draw(f"{name}.{member}", of) for member, of in members.items()}
            return kind(**drawn)
        family = _family_of(kind)
        if family is Literal:
            return self._choose(name, kind, get_args(kind))
        if family is Mapping:
            return self._container(name, get_origin(kind) or kind, get_args(kind), limits)
        if family is BaseModel:
            return self._record(name, kind)
        value = self._scalar(name, kind, family, limits)
        if not isinstance(annotation, _DrawnField) and get_origin(annotation) is Annotated:
            _refuse_invalid(name, annotation, value)
        return value

    def _choose(self, name: str, kind: Any, members: Sequence[Any]) -> Any:
        """Return one of a few members, by a sequence that no other argument of the type has."""
        if len(members) == 1:
            # It would look like a constant.
            self._alone.add(name)
            return members[0]
        if not self._edge:
            self._choices[name] = members
        places = self._places(kind, len(members))
        place = places[self._turn % len(places)]
        return members[(place + 1) % len(members) if self._edge else place]

    def _places(self, kind: Any, size: int) -> Sequence[int]:
        """Return which member an argument is in each turn.

        The same field of two records always differs, as it does before and after a change.
        """
        twin = None if self._field is None else self._twins.get(self._field)
        if twin is not None:
            places: Sequence[int] = [(place + 1) % size for place in twin]
        else:
            places = next(self._chosen.setdefault(kind, _sequences(size)))
        if self._field is not None:
            self._twins[self._field] = places
        return places

    def _container(self, name: str, origin: Any, arguments: Sequence[Any], limits: Limits) -> Any:
        if isinstance(origin, type) and issubclass(origin, tuple) and Ellipsis not in arguments:
            return tuple(self.draw(f"{name}[{n}]", kind) for n, kind in enumerate(arguments))
        is_map = isinstance(origin, type) and issubclass(origin, Mapping)
        kind = (arguments[-1] if is_map else arguments[0]) if arguments else str
        self._longest[name] = limits.longest
        if name.count(".") > _DEEPEST and limits.shortest == 0:
            return cast("Any", dict if is_map else origin if origin in CONTAINERS else list)()
        members = [self.draw(f"{name}[]", kind)]
        # In one turn there are two, so that it shows where their number matters.
        wanted = max(limits.shortest, 2 if self._turn == TURNS - 1 and not self._edge else 1)
        most = wanted if limits.longest is None else min(wanted, limits.longest)
        members += [self._unnamed(f"{name}[]", kind) for _ in range(most - 1)]
        if is_map:
            keys = self._keys_of(name, arguments[0] if arguments else str, len(members))
            return dict(zip(keys, members, strict=False))
        if origin is tuple:
            return tuple(members)
        if origin is set:
            return set(members)
        return frozenset(members) if origin is frozenset else members

    def _keys_of(self, name: str, kind: Any, count: int) -> list[Any]:
        """Return so many keys of a map, or as many as their type has."""
        few = [value for value in alternatives(kind, required=True) if value is not None]
        if few:
            return [few[(self._turn + place) % len(few)] for place in range(min(count, len(few)))]
        return [self._unnamed(f"{name} key", kind) for _ in range(count)]

    def _unnamed(self, name: str, kind: Any) -> Any:
        """Return another member of a container, which has no name of its own."""
        known = dict(self.parts)
        value = self._draw(name, kind)
        self.parts.clear()
        self.parts.update(known)
        return value

    def _record(self, name: str, model: type[BaseModel]) -> BaseModel:
        """Return a record with a value in every field that sortkey does not fill itself."""
        record = self._valid(name, model, _drawn_fields(model, nested=name.count(".") >= _DEEPEST))
        if self._keys is not None and isinstance(record, Entity):
            record = self._with_one_key(name, record)
        if isinstance(record, Claim):
            record = self._taken(name, cast("Claim[Any]", record))
        # As if it had been loaded: a write that keeps them finds them, and no caller has set them.
        for field in _kept_fields(model):
            time = self.draw(f"{name}.{field}", datetime)
            if isinstance(record, Entity):
                time = kind_of(type(record)).moment(field, time.timestamp())
            vars(record)[field] = self.parts[f"{name}.{field}"] = time
        return record

    def _valid(
        self, name: str, model: type[BaseModel], wanted: Mapping[str, _DrawnField]
    ) -> BaseModel:
        """Return a record that its own model accepts, after as many draws as that needs."""
        twins = dict(self._twins)
        where, why = name, ""
        for _ in range(_TRIES):
            self._twins = dict(twins)
            values = {
                field: self._drawn_field(f"{name}.{field}", (model, field), known)
                for field, known in wanted.items()
            }
            try:
                record = model.model_validate(values, by_name=True)
            except ValidationError as error:
                fault = error.errors(include_url=False)[0]
                where = ".".join([name, *map(str, fault["loc"][:1])])
                why = fault["msg"]
            else:
                # A validator may have changed it, as to whole seconds.
                for field in wanted:
                    if f"{name}.{field}" in self.parts:
                        self.parts[f"{name}.{field}"] = getattr(record, field)
                return record
        raise Undrawable(where, f"{model.__name__} rejects it: {why}")

    def _drawn_field(self, name: str, field: tuple[type, str], wanted: _DrawnField) -> Any:
        outer, self._field = self._field, field
        value = self.draw(name, wanted)
        self._field = outer
        return value

    def _with_one_key(self, name: str, record: Entity) -> Entity:
        """Return the record under the key of the first one of its entity."""
        assert self._keys is not None  # noqa: S101 - asked for only then
        fields = kind_of(type(record)).key_fields
        key = self._keys.setdefault(type(record), {f: getattr(record, f) for f in fields})
        self.parts.update({f"{name}.{field}": value for field, value in key.items()})
        return record.model_copy(update=dict(key))

    def _taken(self, name: str, claim: Claim[Any]) -> Claim[Any]:
        """Return a claim that its caller holds and has not finished."""
        for field in ("finished_at", "stored_result", "state"):
            self.parts.pop(f"{name}.{field}", None)
        return claim.model_copy(
            update={"state": "IN_PROGRESS", "finished_at": None, "stored_result": None}
        )

    def _scalar(self, name: str, kind: Any, family: Any, limits: Limits) -> Any:
        if family is str:
            return self._text(name, limits)
        if family is int:
            return self._whole(name, kind, limits)
        if family is datetime:
            return self._time(limits)
        if family is date:
            return self._time(limits).date()
        if family is bool:
            return self._choose(name, kind, (False, True))
        if family is Enum:
            return self._choose(name, kind, list(kind))
        if family is Decimal or family is float:
            return kind(self._decimal(limits))
        if family is timedelta:
            return timedelta(seconds=self._random.randint(100, 9_999))
        if family is UUID:
            return UUID(int=self._random.getrandbits(128), version=4)
        return self._random.randbytes(12)

    def _next(self, kind: str) -> int:
        """Return the place of a value among those of its kind: later arguments have greater ones.

        So the bounds of a range are in order. Only where arguments are compared with each other on
        purpose they are not.
        """
        number = self._count.get(kind, 0)
        self._count[kind] = number + 1
        descends = self._descending != (kind in self._arrangement.descending)
        return (_PLACES - 1 - number if descends else number) % _PLACES

    def _whole(self, name: str, kind: type[int], limits: Limits) -> int:
        low, high = self._between(limits)
        step = int(limits.step or 1)
        first, last = -(-low // step), high // step
        span = last - first
        if span < _FEW:
            members = [kind(number * step) for number in range(first, last + 1)]
            return self._choose(name, (kind, first, last, step), members)
        place = self._next("number")
        if span < _WIDE:
            return kind((first + (place + self._turn * (span // TURNS)) % (span + 1)) * step)
        number = first + place * (span // _PLACES) + self._random.randrange(span // _PLACES - 1)
        # Two turns differ in being odd, too.
        return kind((number + (number + self._turn) % 2) * step)

    def _between(self, limits: Limits) -> tuple[int, int]:
        """Return the whole numbers among which one is drawn."""
        usual = (1, 9) if self._edge else (_LEAST, _MOST)
        least = None if limits.least is None else ceil(limits.least)
        most = None if limits.most is None else floor(limits.most)
        least = least if least is None or least != limits.above else least + 1
        most = most if most is None or most != limits.below else most - 1
        low = usual[0] if least is None else max(usual[0], least)
        high = usual[1] if most is None else min(usual[1], most)
        room = (high - low) // int(limits.step or 1)
        if room >= _FEW or (self._edge and room > 0):
            return low, high
        low = (most or 0) - _MOST if least is None else least
        return low, low + _MOST if most is None else min(most, low + _MOST)

    def _decimal(self, limits: Limits) -> Decimal:
        least = None if limits.least is None else Decimal(str(limits.least))
        most = None if limits.most is None else Decimal(str(limits.most))
        if least is None and most is None:
            least = Decimal(1 if self._edge else _LEAST)
            most = least * 9
        low = cast("Decimal", most) - _MOST if least is None else least
        high = low + _MOST if most is None else most
        places = (2 if high - low > 1 else 5) if limits.places is None else limits.places
        if limits.digits is not None:
            high = min(high, Decimal(10 ** (limits.digits - places)) - 1)
            low = min(low, high / 2)
        share = (self._next("decimal") + Decimal(self._random.randint(1, 999)) / 1_000) / _PLACES
        return round(low + (high - low) * share, places)

    def _time(self, limits: Limits) -> datetime:
        place = self._next("time")
        later = self.clock.replace(
            year=self.clock.year + place - (_PLACES + 1) * self._edge,
            month=(self.clock.month + place) % 12 + 1,
            day=(self.clock.day + place) % 28 + 1,
            hour=(self.clock.hour + place) % 24,
            minute=(self.clock.minute + place) % 60,
            second=(self.clock.second + place) % 60,
            microsecond=self._random.randint(1, 999_999) if limits.microseconds else 0,
        )
        # Of times in one year, the first would not be after the clock.
        time = later if self._edge else later.replace(year=later.year + 1)
        return _moved_within(time, limits)

    def _text(self, name: str, limits: Limits) -> str:
        if limits.patterns:
            for _ in range(_TRIES):
                text = matching_text(limits.patterns[0], self._random)
                if text is not None and _fits(text, limits):
                    return text
            raise Undrawable(name, f"its text must match {limits.patterns[0]}")
        # No two of the first texts of a call have one length.
        number = min(self._count.get("text", 0), _MOST_LENGTHS)
        usual = (2 if self._edge else _LENGTH + self._turn) + number
        length = max(limits.shortest, 1, min(usual, limits.longest or usual))
        room = len(_LETTERS) - TURNS
        first = _LETTERS[self._next("text") * room // _PLACES + self._turn % TURNS]
        return first + self._random.randbytes(length - 1).translate(_ANY_LETTER).decode()


def _alike(parameters: tuple[Parameter, ...]) -> Drawing | None:
    """Return the shared drawing of all patterns with these parameters, if they are hashable."""
    try:
        return _shared(parameters)
    except TypeError:  # an annotation may hold anything, also what has no hash
        return None


@lru_cache(maxsize=64)
def _shared(parameters: tuple[Parameter, ...]) -> Drawing:
    return Drawing(parameters, shares=False)


def _moved_within(time: datetime, limits: Limits) -> datetime:
    """Return a time, moved by as little as its bounds want."""
    least, most = (
        bound if isinstance(bound, datetime) else None for bound in (limits.least, limits.most)
    )
    spread = timedelta(minutes=time.minute + 1, seconds=time.second)
    if least is not None and time <= least:
        return least + spread
    return most - spread if most is not None and time >= most else time


def _fits(text: str, limits: Limits) -> bool:
    return limits.shortest <= len(text) <= (len(text) if limits.longest is None else limits.longest)


def _refuse_invalid(name: str, annotation: Any, value: Any) -> None:
    """Refuse a value that a validator in its annotation does not take."""
    try:
        with suppress(TypeError):
            _adapter_of(annotation).validate_python(value)
    except ValidationError as error:
        raise Undrawable(name, f"its type rejects it: {error.errors()[0]['msg']}") from None


def is_accepted(drawn: Drawn, part: str, parameters: Mapping[str, Parameter]) -> bool:
    """Return whether the argument and the record that have a part accept its value."""
    argument = STEPS.findall(part)[0]
    if argument in parameters:
        annotation = parameters[argument].type
        try:
            _adapter_of(annotation).validate_python(drawn.values[argument])
        except ValidationError:
            return False
        except (PydanticUserError, TypeError):
            pass  # Pydantic knows nothing about such values
    record = drawn.parts.get(part.rpartition(".")[0])
    if not isinstance(record, BaseModel):
        return True
    model = type(record)
    kept = _kept_fields(model)
    values = {name: value for name, value in vars(record).items() if name not in kept}
    try:
        model.model_validate(values, by_name=True)
    except ValidationError:
        return False
    return True


@lru_cache(maxsize=1_000)
def _adapter_of(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


def _sequences(size: int) -> Iterator[Sequence[int]]:
    """Yield sequences of places, one for each argument of a type with so many values.

    None is the same in every turn, as a constant is. As long as there are enough of them, none is
    like another or the opposite of another, and all values occur.
    """
    if size > TURNS:
        turns = max(size, TURNS)
        yield from ([(first - turn) % size for turn in range(turns)] for first in count(size - 1))
    apart, every = _known_sequences(size)
    yield from apart
    yield from cycle(every)


@cache
def _known_sequences(size: int) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    every = [s for s in product(reversed(range(size)), repeat=TURNS) if len(set(s)) > 1]
    # Those that differ in the first two turns come first, since often there are no others.
    every.sort(key=lambda sequence: sequence[0] == sequence[1])
    opposite = {s: tuple(size - 1 - place for place in s) for s in every}
    apart = [s for n, s in enumerate(every) if len(set(s)) == size and opposite[s] not in every[:n]]
    return apart, every


def alternatives(annotation: Any, *, required: bool) -> Iterator[Any]:
    """Yield what an argument may be beside what is drawn: left out, None, or one of few values.

    A function may well decide by it.
    """
    if not required:
        yield LEFT_OUT
    for member in _members(annotation):
        if member is type(None):
            yield None
        elif get_origin(member) is Literal:
            yield from get_args(member)
        elif isinstance(member, type) and issubclass(member, Enum):
            yield from member
        elif member is bool:
            yield from (False, True)


def _members(annotation: Any) -> Iterator[Any]:
    """Yield the types of a union, or the type itself, without what is said beside them."""
    kind: Any = annotation
    while isinstance(kind, NewType) or get_origin(kind) is Annotated:
        kind = kind.__supertype__ if isinstance(kind, NewType) else get_args(kind)[0]
    if get_origin(kind) not in {Union, UnionType}:
        yield kind
        return
    for member in get_args(kind):
        yield from _members(member)
