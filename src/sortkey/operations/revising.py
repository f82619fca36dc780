"""Changed copies of operations, which are frozen values.

A chain such as ``User.update(...).set(...).to(...).where(...)`` makes a copy at each link, so the
cost of a copy is a large part of the cost of the operation. `dataclasses.replace` looks at the
declaration of every field each time and calls ``__init__``. For a class that only stores its
fields, copying them slot by slot has the same result; other classes are left to `replace`.
"""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

T = TypeVar("T")

_new = object.__new__
_assign = object.__setattr__
# The fields of each class; None if `replace` must make the copies.
_known: dict[type, tuple[str, ...] | None] = {}


def revised(value: T, **changes: Any) -> T:
    """Return a copy of a frozen dataclass with some fields changed, as `replace` does."""
    kind = type(value)
    try:
        names = _known[kind]
    except KeyError:
        names = _known[kind] = _stored_fields(kind)
    if names is None:
        return cast("T", replace(cast("Any", value), **changes))
    copy = _new(kind)
    for name in names:
        _assign(copy, name, changes.pop(name) if name in changes else getattr(value, name))
    if changes:
        raise TypeError(f"{kind.__name__} has no field {', '.join(changes)}")
    return copy


@contextmanager
def initialized(kinds: Iterable[type]) -> Generator[None]:
    """Let copies of these classes call ``__init__`` inside the ``with`` block, to be observed."""
    before = _known.copy()
    _known.update(dict.fromkeys(kinds))
    try:
        yield
    finally:
        _known.clear()
        _known.update(before)


def _stored_fields(kind: Any) -> tuple[str, ...] | None:
    """Return the fields of a class, or None if making a value does more than store them."""
    declared = fields(kind)
    only_stores = not hasattr(kind, "__post_init__") and all(each.init for each in declared)
    return tuple(each.name for each in declared) if only_stores else None
