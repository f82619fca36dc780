"""Samples: values that stand for a pattern's arguments, and are known again wherever they go."""

from base64 import b64encode
from collections.abc import Generator, Iterator, Mapping, Sequence
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
    """Makes one value for each argument, each unlike the others, and names them when asked."""

    def __init__(self) -> None:
        self._named: list[tuple[Any, str]] = [(datetime.fromtimestamp(MOMENT, UTC), NOW)]
        self._numbers: Iterator[int] = chain(_NUMBERS, count(10_007, 10))
        self._days = count(1)
        self._choices: dict[type[Enum], Iterator[Enum]] = {}

    def make(self, name: str, annotation: Any) -> Any:
        """A value of the type, which is from now on called by this name."""
        value = self._make(name, annotation)
        self._named.append((value, name))
        return value

    def name_of(self, value: Any) -> str | None:
        """The name of the argument that a value is, or None where it is none."""
        for sample, name in self._named:
            if sample is value:
                return name
        for sample, name in self._named:
            if type(sample) is type(value) and sample == value:
                return name
        return None

    def name_of_stored(self, stored: AttributeValue) -> str | None:
        """The same for a value as DynamoDB stores it."""
        [(kind, content)] = stored.items()
        if kind == "S":
            return self._name_of_text(content)
        if kind == "N":
            return self._name_of_number(content)
        if kind == "B":
            return next(
                (
                    name
                    for sample, name in self._named
                    if isinstance(sample, bytes) and b64encode(sample).decode() == content
                ),
                None,
            )
        return None

    def as_template(self, text: str) -> tuple[str, list[str]]:
        """The text with a slot in the place of each sample that is written in it, and their names.

        A text without samples stays as it is.
        """
        found = [(s, n) for s, n in self._named if isinstance(s, str) and s and s in text]
        if found:
            text = text.replace("{", "{{").replace("}", "}}")
        for sample, name in found:
            text = text.replace(sample, f"{{{name}}}")
        return text, [name for _, name in found]

    def _name_of_text(self, text: str) -> str | None:
        for sample, name in self._named:
            if isinstance(sample, datetime):
                # However finely it is written.
                if text.startswith(sample.strftime("%Y-%m-%dT%H:%M:%S")):
                    return name
            elif isinstance(sample, Enum):
                if sample.value == text:
                    return name
            elif isinstance(sample, str | UUID | date) and str(sample) == text:
                return name
        return None

    def _name_of_number(self, text: str) -> str | None:
        try:
            number = Decimal(text)
        except InvalidOperation:
            return None
        for sample, name in self._named:
            if isinstance(sample, datetime):
                if Decimal(int(sample.timestamp())) == number:
                    return name
            elif isinstance(sample, int | Decimal) and sample is not True and sample == number:
                return name
        return None

    def _make(self, name: str, annotation: Any) -> Any:
        kind: Any = annotation
        while isinstance(kind, NewType) or get_origin(kind) is Annotated:
            kind = kind.__supertype__ if isinstance(kind, NewType) else get_args(kind)[0]
        origin, arguments = get_origin(kind), get_args(kind)
        if origin in {Union, UnionType}:
            present = [member for member in arguments if member is not type(None)]
            return self._make(name, present[0])
        if origin is Literal:
            return arguments[-1]
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
        wanted = {
            field: info
            for field, info in model.model_fields.items()
            if info.default_factory is None and not marks_of(info) & {CREATED, UPDATED}
        }
        is_argument = "." not in name
        values = {
            field: self.make(f"{name}.{field}", info.rebuild_annotation())
            for field, info in wanted.items()
            # Nested models may contain themselves where they need not.
            if is_argument or info.is_required()
        }
        try:
            return model.model_validate(values, by_name=True)
        except ValidationError:
            # A sample need not be valid: it is of the right type, and is known again.
            return model.model_construct(**values)

    def _scalar(self, name: str, kind: object) -> Any:
        if not isinstance(kind, type):
            return f"«{name}»"
        if issubclass(kind, Enum):
            return next(self._choices.setdefault(kind, cycle(reversed(list(kind)))))
        if issubclass(kind, bool):
            return True
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
