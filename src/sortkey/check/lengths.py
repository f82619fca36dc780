"""Which fields have no greatest length: lists, sets, maps and JSON texts, at any depth."""

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from sortkey.check.model import AnyKind
from sortkey.design.plans.demand import choices_of
from sortkey.design.records.marks import plain_type
from sortkey.wording.names import words

_MANY = (list, set, frozenset, dict)


def is_unbounded(kind: AnyKind, field: str) -> bool:
    """Whether a field is, or holds, a list, a map or a JSON text without a greatest length."""
    info = kind.model.model_fields[field]
    return _has_no_end(info.rebuild_annotation(), field, frozenset())


def _has_no_end(annotation: Any, name: str, within: frozenset[type]) -> bool:
    held, is_bounded = annotation, False
    while get_origin(held) is Annotated:
        held, *said = get_args(held)
        is_bounded |= any(_lengths(said))
    if not is_bounded and _is_long(held, name):
        return True
    if isinstance(held, type) and issubclass(held, BaseModel):
        fields = {} if held in within else held.model_fields
        return any(
            _has_no_end(info.rebuild_annotation(), inner, within | {held})
            for inner, info in fields.items()
        )
    is_choice = choices_of(held) is not None
    members = () if is_choice else get_args(held)
    # Of a union, each member may be long; of a list, its elements.
    is_union = get_origin(held) in {Union, UnionType}
    return any(_has_no_end(member, name if is_union else "", within) for member in members)


def _lengths(said: list[Any]) -> Iterator[bool]:
    """Whether each thing that an annotation says is a greatest length."""
    for each in said:
        # Within a union, a Field keeps what it says to itself.
        inner = getattr(each, "metadata", ())
        yield any(getattr(one, "max_length", None) is not None for one in (each, *inner))


def _is_long(held: Any, name: str) -> bool:
    """Whether a type without its annotations holds any number of members, or a text with JSON."""
    if held is str:
        return words(name)[-1:] == ["json"]
    whole, members = get_origin(held) or held, get_args(held)
    if not isinstance(whole, type):
        return False
    is_many = issubclass(whole, _MANY) or (issubclass(whole, tuple) and Ellipsis in members)
    # The members of a list, or the keys of a map, may be of a few values.
    is_few = bool(members) and choices_of(plain_type(members[0])[0]) is not None
    return is_many and not is_few
