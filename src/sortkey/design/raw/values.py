"""Values of a raw request: constants, and texts with ``{arguments}`` in them.

``{now()}`` stands for the time at which the operation is built. `sortkey.design.raw.fitting` writes
what stands in the place of a field or a key as the design does; everything else is written as plain
code would: nothing is padded, checked or escaped.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from enum import Enum
from string import Formatter
from typing import Any, cast
from uuid import UUID

from sortkey.clock import utc_now
from sortkey.design.plans.sources import NOW
from sortkey.design.records.codecs.dynamic import encode_any
from sortkey.expressions.tree import Value
from sortkey.operations.origin import FieldValue, Filled


def arguments_in(value: Any) -> tuple[str, ...]:
    """The arguments that a value mentions, at any depth; a ValueError where a brace is stray."""
    return tuple(dict.fromkeys(_slots(value)))


def with_now(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, and its time."""
    return {**given, NOW: utc_now()}


def _slots(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        for _, name, _, conversion in Formatter().parse(value):
            if conversion:
                raise ValueError(f"!{conversion} is not supported")
            if name is not None:
                yield name
    elif isinstance(value, Mapping):
        for member in cast("Mapping[Any, Any]", value).values():
            yield from _slots(member)
    elif isinstance(value, list | tuple | set | frozenset):
        for member in cast("list[Any]", value):
            yield from _slots(member)


def filled(value: Any, given: Mapping[str, Any]) -> Value:
    """The value with its arguments put in, as it is stored, and what it was made from."""
    written = encode_any(_put_in(value, given))
    bound = {name: given[name] for name in arguments_in(value)}
    if isinstance(value, str):
        return Value(written, Filled(value, bound), varies=bool(bound))
    # Of a list or a map, a plan looks at each part of what is stored.
    return Value(written, None if bound else FieldValue(value), varies=bool(bound))


def _put_in(value: Any, given: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        return _text(value, given)
    if isinstance(value, Mapping):
        entries = cast("Mapping[Any, Any]", value)
        return {name: _put_in(member, given) for name, member in entries.items()}
    if isinstance(value, list | tuple):
        return [_put_in(member, given) for member in cast("list[Any]", value)]
    if isinstance(value, set | frozenset):
        return {_put_in(member, given) for member in cast("set[Any]", value)}
    return _plain(value)


def _text(text: str, given: Mapping[str, Any]) -> Any:
    """The text with its arguments written in; an argument that stands alone keeps its type."""
    pieces = list(Formatter().parse(text))
    if len(pieces) == 1 and pieces[0][0] == "" and not pieces[0][2]:
        return _plain(given[str(pieces[0][1])])
    return "".join(
        before + ("" if name is None else written(given[name], spec or ""))
        for before, name, spec, _ in pieces
    )


def written(value: Any, spec: str) -> str:
    """An argument within a text."""
    if spec:
        return format(value, spec)
    plain = _plain(value)
    return str(plain).lower() if isinstance(plain, bool) else str(plain)


def _plain(value: Any) -> Any:
    """The value as one of the types that DynamoDB has a kind for."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
