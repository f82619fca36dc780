"""The conditions in a pattern's ``where=``: the fields that it reads, and their texts.

The function is called with a probe in place of a record. Each field of it notes what it is compared
with, and every comparison comes out as the function needs it to go on.
"""

from collections.abc import Iterator
from contextlib import suppress
from inspect import signature
from typing import Any


def literals(where: Any) -> Iterator[tuple[str, str]]:
    """Yield the names of fields and the texts with which the function compares them."""
    yield from _probed(where).texts


def fields_in(where: Any) -> frozenset[str]:
    """Return the fields that the function looks at, as far as a probe shows them."""
    return frozenset(_probed(where).fields)


class _Seen:
    """A record of the function's use of the probe."""

    def __init__(self) -> None:
        self.fields: dict[str, None] = {}
        self.texts: dict[tuple[str, str], None] = {}


def _probed(where: Any) -> _Seen:
    seen = _Seen()
    # A field that stands for itself is true at one time and false at another.
    for is_true in (True, False):
        with suppress(Exception):
            probe, *others = signature(where).parameters
            arguments = {name: _Value(seen, is_true=is_true) for name in others}
            where(**{probe: _AnyRecord(seen, is_true=is_true)}, **arguments)
    return seen


class _Value:
    """A value of which nothing is known but the field that it is, if it is one."""

    def __init__(self, seen: _Seen, field: str = "", *, is_true: bool) -> None:
        self._seen = seen
        self._field = field
        self._is_true = is_true

    def _compared(self, other: object) -> bool:
        if isinstance(other, str) and self._field:
            self._seen.texts[self._field, str(other)] = None
        return True

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _compared  # type: ignore[assignment]

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        return self._is_true

    def _derived(self, *_args: object, **_named: object) -> "_Value":
        return _Value(self._seen, is_true=self._is_true)

    def __iter__(self) -> "Iterator[_Value]":
        # Without it, iteration would call __getitem__ with 0, 1, 2 and never end.
        yield self._derived()

    __getattr__ = __call__ = __getitem__ = __add__ = __sub__ = __radd__ = __rsub__ = _derived


class _AnyRecord(_Value):
    """A record of whatever entity, which has every field."""

    def __getattr__(self, name: str) -> _Value:
        self._seen.fields[name] = None
        return _Value(self._seen, name, is_true=self._is_true)
