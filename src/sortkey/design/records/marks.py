"""Marks in a field's annotation that give it a meaning to sortkey."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Field
from pydantic.fields import FieldInfo

from sortkey.clock import utc_now
from sortkey.design.records.codecs import EpochSeconds


@dataclass(frozen=True, slots=True)
class Mark:
    """A meaning of a field in addition to its type."""

    name: str


@dataclass(frozen=True, slots=True)
class UniqueMark(Mark):
    """The mark of a unique field; ``within`` are the fields of its scope, none for the table."""

    within: tuple[str, ...] = ()

    def __call__(self, *, within: str | Sequence[str]) -> "UniqueMark":
        """Mark a value that is unique within a scope: ``unique(within="org_id")``."""
        return UniqueMark(self.name, (within,) if isinstance(within, str) else tuple(within))


VERSION = Mark("version")
EXPIRES = Mark("expires")
CREATED = Mark("created")
UPDATED = Mark("updated")
unique = UniqueMark("unique")
immutable = Mark("immutable")
secret = Mark("secret")
accepts_plaintext = Mark("accepts_plaintext")

# The number that each write compares and increments: 0 until the record is stored.
Version = Annotated[int, VERSION]
# When DynamoDB may remove the record, to the second; from then on it counts as absent.
TTL = Annotated[EpochSeconds, EXPIRES]
# When the record was created, and when it was last written.
CreatedAt = Annotated[datetime, CREATED]
UpdatedAt = Annotated[datetime, UPDATED]


def auto() -> Any:
    """Return the default of an automatic time: now, until the record is written."""
    return Field(default_factory=utc_now)


def marks_of(field: FieldInfo) -> frozenset[Mark]:
    """Return the marks in a field's annotation."""
    return frozenset(mark for mark in metadata_of(field) if isinstance(mark, Mark))


def metadata_of(field: FieldInfo) -> Iterator[Any]:
    """Return the metadata of a field's annotation."""
    yield from field.metadata
    yield from _metadata(field.annotation)


def secret_fields(model: type[BaseModel]) -> frozenset[str]:
    """Return the fields of a model that are encrypted before they are stored."""
    return frozenset(n for n, info in model.model_fields.items() if secret in marks_of(info))


def plaintext_fields(model: type[BaseModel]) -> frozenset[str]:
    """Return the fields of a model whose values may be stored in plain text."""
    fields = model.model_fields.items()
    return frozenset(name for name, info in fields if accepts_plaintext in marks_of(info))


def _metadata(annotation: Any) -> Iterator[Any]:
    """Yield the metadata of `Annotated`, of the type and of the members of a union."""
    origin = get_origin(annotation)
    if origin is Annotated:
        kind, *metadata = get_args(annotation)
        yield from metadata
        yield from _metadata(kind)
    elif origin in {Union, UnionType}:
        for member in get_args(annotation):
            yield from _metadata(member)


def plain_type(annotation: Any) -> tuple[Any, bool]:
    """Return a field's type without `Annotated` and None, and whether None is allowed."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return plain_type(get_args(annotation)[0])
    if origin in {Union, UnionType}:
        members = [member for member in get_args(annotation) if member is not type(None)]
        optional = len(members) < len(get_args(annotation))
        if len(members) == 1:
            return plain_type(members[0])[0], optional
        return annotation, optional
    return annotation, False


def may_be_empty(field: FieldInfo) -> bool:
    """Return whether a field's default, choices or pattern allow an empty text."""
    if field.default == "" or field.default_factory is str:
        return True
    held = plain_type(field.rebuild_annotation())[0]
    if get_origin(held) is Literal:
        return "" in get_args(held)
    if isinstance(held, type) and issubclass(held, Enum):
        return any(member.value == "" for member in held)
    patterns = [getattr(stated, "pattern", None) for stated in metadata_of(field)]
    return any(re.search(one, "") for one in patterns if isinstance(one, str))
