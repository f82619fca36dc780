"""Samples: values that stand for a pattern's arguments, and are known again wherever they go."""

from base64 import b64encode
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import Enum
from itertools import chain, count, cycle
from types import UnionType
from typing import Annotated, Any, Literal, NewType, Union, cast, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, ValidationError

from sortkey.design.marks import CREATED, UPDATED, marks_of
from sortkey.wire.values import AttributeValue

# When every sample is made, so that a plan is the same on each day.
MOMENT = 1_000_000_000.0
NOW = "now()"

# Small enough for two padded digits, odd enough not to be a constant of the design.
_NUMBERS = (
    *(41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97),
    *(51, 52, 54, 56, 57, 58, 62, 63, 66, 68, 69, 72, 74, 76, 77, 78, 81, 82, 84, 86, 87, 88),
)

# In place of an argument that is not given.
LEFT_OUT: Any = object()

# As many as tell fourteen arguments that are true or false apart.
TURNS = 4

_KEPT_BY_SORTKEY = frozenset({CREATED, UPDATED})
_CONTAINERS = (dict, list, set, frozenset, tuple)


_samples: ContextVar["Samples | None"] = ContextVar("sortkey_samples", default=None)


@contextmanager
def sampling(samples: "Samples") -> Generator[None]:
    """Within the block, these samples are taken for valid wherever they are given."""
    token = _samples.set(samples)
    try:
        yield
    finally:
        _samples.reset(token)


def is_sample(value: Any) -> bool:
    """Whether a value stands for an argument, and so need not be valid."""
    samples = _samples.get()
    return samples is not None and samples.name_of(value) is not None


class Samples:
    """Makes one value for each argument, each unlike the others, and names them when asked.

    Of a type with few values a constant may happen to be the sample. Such arguments are
    ``choices``: over several turns each has values of its own.
    """

    def __init__(self, turn: int = 0) -> None:
        self.choices: set[str] = set()
        self._alone: set[str] = set()
        self._turn = turn
        self._named: list[tuple[Any, str]] = [(datetime.fromtimestamp(MOMENT, UTC), NOW)]
        self._numbers: Iterator[int] = chain(_NUMBERS, count(10_007, 10))
        self._days = count(1)
        self._chosen: dict[Any, Iterator[int]] = {}

    def make(self, name: str, annotation: Any) -> Any:
        """A value of the type, which is from now on called by this name."""
        value = self._make(name, annotation)
        if name not in self._alone:
            self._named.append((value, name))
        return value

    def name_of(self, value: Any) -> str | None:
        """The name of the argument that a value is, or None where it is none."""
        return next(iter(self.names_of(value)), None)

    def names_of(self, value: Any) -> list[str]:
        """The names of all arguments whose sample is equal to a value."""
        return [
            name
            for sample, name in self._named
            if sample is value or (type(sample) is type(value) and sample == value)
        ]

    def names_of_stored(self, stored: AttributeValue) -> list[str]:
        """The same for a value as DynamoDB stores it."""
        [(kind, content)] = stored.items()
        is_sample = _STORED.get(kind)
        if is_sample is None:
            return []
        return [name for sample, name in self._named if is_sample(sample, content)]

    def names_in(self, text: str) -> list[str]:
        """The names of the samples that are written in a text."""
        return [n for s, n in self._named if isinstance(s, str) and s and s in text]

    def as_template(self, text: str, names: Collection[str]) -> str:
        """The text with a slot in the place of each of these samples.

        A text without samples stays as it is.
        """
        if not names:
            return text
        text = text.replace("{", "{{").replace("}", "}}")
        for sample, name in self._named:
            if name in names:
                text = text.replace(sample, f"{{{name}}}")
        return text

    def _choose(self, name: str, kind: Any, members: Sequence[Any]) -> Any:
        """One of a few members, in a sequence of turns that is no other argument's of its type.

        Nor is it that of a constant, which is the same in every turn. A member that is the only
        one cannot be told from a constant.
        """
        size = len(members)
        if size == 1:
            self._alone.add(name)
            return members[0]
        self.choices.add(name)
        numbers = self._chosen.setdefault(kind, cycle(_uneven(size)))
        return members[-(next(numbers) // size**self._turn % size)]

    def _make(self, name: str, annotation: Any) -> Any:
        kind = _bare(annotation)
        origin, arguments = get_origin(kind), get_args(kind)
        if origin in {Union, UnionType}:
            present = [member for member in arguments if member is not type(None)]
            return self._make(name, present[0])
        if origin is Literal:
            return self._choose(name, kind, arguments)
        if origin is not None or kind in _CONTAINERS:
            return self._container(name, origin or kind, arguments)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return self._record(name, kind)
        return self._scalar(name, cast("object", kind))

    def _container(self, name: str, origin: Any, arguments: Sequence[Any]) -> Any:
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {f"«{name} key»": self.make(f"{name}[]", arguments[1] if arguments else str)}
        if isinstance(origin, type) and issubclass(origin, tuple) and Ellipsis not in arguments:
            return tuple(self.make(f"{name}[{n}]", kind) for n, kind in enumerate(arguments))
        member = self.make(f"{name}[]", arguments[0] if arguments else str)
        if origin is tuple:
            return (member,)
        return (
            {member} if origin is set else frozenset({member}) if origin is frozenset else [member]
        )

    def _record(self, name: str, model: type[BaseModel]) -> BaseModel:
        """A record with a sample in every field that nobody else fills."""
        kept = [
            field for field, info in model.model_fields.items() if marks_of(info) & _KEPT_BY_SORTKEY
        ]
        wanted = {
            field: info
            for field, info in model.model_fields.items()
            if info.default_factory is None and field not in kept
        }
        is_argument = "." not in name
        values = {
            field: self.make(f"{name}.{field}", info.rebuild_annotation())
            for field, info in wanted.items()
            # Nested models may contain themselves where they need not.
            if is_argument or info.is_required()
        }
        record = _made(model, values)
        # As if it had been loaded: a write that keeps them finds them, and no caller has set them.
        for field in kept:
            vars(record)[field] = self.make(f"{name}.{field}", datetime)
        return record

    def _scalar(self, name: str, kind: object) -> Any:
        if not isinstance(kind, type):
            return f"«{name}»"
        if issubclass(kind, Enum):
            return self._choose(name, kind, list(kind))
        if issubclass(kind, bool):
            return self._choose(name, kind, (False, True))
        if issubclass(kind, int | Decimal):
            return kind(next(self._numbers))
        if issubclass(kind, float):
            return kind(next(self._numbers) + 0.5)
        if issubclass(kind, datetime):
            return datetime.fromtimestamp(MOMENT, UTC) + timedelta(days=next(self._days))
        if issubclass(kind, date):
            return date(2001, 10, 1) + timedelta(days=next(self._days))
        if issubclass(kind, UUID):
            return UUID(int=next(self._numbers))
        if issubclass(kind, bytes):
            return name.encode()
        return f"«{name}»"


def _made(model: type[BaseModel], values: Mapping[str, Any]) -> BaseModel:
    try:
        return model.model_validate(values, by_name=True)
    except ValidationError:
        # A sample need not be valid: it is of the right type, and is known again.
        return model.model_construct(**values)


def alternatives(annotation: Any, *, required: bool) -> Iterator[Any]:
    """What an argument may be beside a sample, where that is little: left out, None, or a choice.

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
    """The types of a union, or the type itself, without what is said beside them."""
    kind = _bare(annotation)
    if get_origin(kind) not in {Union, UnionType}:
        yield kind
        return
    for member in get_args(kind):
        yield from _members(member)


def _bare(annotation: Any) -> Any:
    kind: Any = annotation
    while isinstance(kind, NewType) or get_origin(kind) is Annotated:
        kind = kind.__supertype__ if isinstance(kind, NewType) else get_args(kind)[0]
    return kind


def _uneven(base: int) -> list[int]:
    """The numbers with as many digits as there are turns, save those whose digits are all alike."""
    alike = (base**TURNS - 1) // (base - 1)
    # A thousand arguments of one type are enough.
    return [number for number in range(1, min(base**TURNS, 1000)) if number % alike]


def _is_text(sample: Any, text: str) -> bool:
    if isinstance(sample, datetime):
        # However finely it is written.
        return text.startswith(sample.strftime("%Y-%m-%dT%H:%M:%S"))
    if isinstance(sample, Enum):
        return sample.value == text
    return isinstance(sample, str | UUID | date) and str(sample) == text


def _is_number(sample: Any, text: str) -> bool:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return False
    if isinstance(sample, datetime):
        return Decimal(int(sample.timestamp())) == number
    return isinstance(sample, int | Decimal) and not isinstance(sample, bool) and sample == number


def _is_binary(sample: Any, text: str) -> bool:
    return isinstance(sample, bytes) and b64encode(sample).decode() == text


_STORED: Mapping[str, Callable[[Any, str], bool]] = {
    "S": _is_text,
    "N": _is_number,
    "B": _is_binary,
}
