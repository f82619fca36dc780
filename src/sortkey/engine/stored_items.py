"""The items of a page, decoded one by one as they are read.

The items of a large page all at once take more memory than the caches of a processor have, and
so many objects that Python's garbage collector looks for cycles among them.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, overload

import orjson

from sortkey.wire.values import Item


class StoredItems(Sequence[Item]):
    """Items as they are stored, in JSON."""

    __slots__ = ("_raws",)

    def __init__(self, raws: Sequence[bytes]) -> None:
        self._raws = raws

    def __len__(self) -> int:
        return len(self._raws)

    def __iter__(self) -> Iterator[Item]:
        return map(orjson.loads, self._raws)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> "StoredItems": ...
    def __getitem__(self, place: int | slice) -> "Item | StoredItems":
        if isinstance(place, slice):
            return StoredItems(self._raws[place])
        return orjson.loads(self._raws[place])

    def as_json(self) -> orjson.Fragment:
        """Return the list as a part of a response."""
        return orjson.Fragment(b"[" + b",".join(self._raws) + b"]")


# Return the answer of an action as JSON. A function around it would cost a call in each request.
to_json: Callable[[Any], bytes] = partial(orjson.dumps, default=StoredItems.as_json)


def to_plain(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of an action as plain values, except stored items."""
    items = answer.get("Items")
    if isinstance(items, StoredItems):
        return orjson.loads(to_json(answer | {"Items": None})) | {"Items": items}
    return orjson.loads(to_json(answer))
