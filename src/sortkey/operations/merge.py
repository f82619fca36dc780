"""Several walks in one order: the shards of a key, or the same records through two indexes.

Each lane is read ahead by about its share of what is wanted, for what was read and is not given
is read, and paid for, again. What continues a merged walk is a position in every lane, with the
place in the order that they all have come to: a record that several lanes hold there is given once,
and what appears behind it meanwhile is passed over, as by any other walk.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Generic, TypeVar

from sortkey.errors import Refused
from sortkey.operations.lane import LARGEST_LIMIT, Lane, Stretched
from sortkey.operations.operation import Context, Conversation
from sortkey.operations.place import read_place, write_place
from sortkey.wire.values import Item

R = TypeVar("R")

_AHEAD_OF_ALL = 500
_END = "end"
_LANES, _PLACE, _SEEN = "lanes", "place", "seen"
_NOWHERE: Any = object()


@dataclass(slots=True)
class _Reader(Generic[R]):
    """A lane, what was read ahead of it, and where it goes on."""

    lane: Lane[R]
    position: Item | str | None
    # How many requests it may still ask; None for any number.
    requests: int | None
    # How many records it reads ahead the next time.
    share: int
    ahead: Stretched[R] = field(default_factory=lambda: Stretched([], [], None))
    # Where the lane goes on after all that was read ahead.
    beyond: Item | str | None = None
    # The place of what was taken last.
    place: Any = _NOWHERE

    @property
    def is_empty(self) -> bool:
        return not self.ahead.items

    def fill(self, context: Context, wanted: int | None) -> Conversation[bool]:
        """Read ahead; whether something was found, or the lane is known to be at its end.

        ``wanted`` are the records that all lanes still have to give; None stands for all.
        """
        if self.position == _END:
            return True
        if self.requests == 0:
            return False
        start = self.position if isinstance(self.position, dict) else None
        size = self.share if wanted is None else min(self.share, wanted)
        self.ahead = yield from self.lane.stretch(
            context, size, start, requests=self.requests, peek=0
        )
        if self.requests is not None:
            self.requests -= self.ahead.requests
        # Whoever has given its share already may hold most of the rest.
        self.share = min(2 * self.share, LARGEST_LIMIT)
        self.beyond = self.ahead.position or _END
        if self.is_empty:
            self.position = self.beyond
        return not self.is_empty or self.position == _END

    def take(self) -> tuple[Item, R]:
        """The next record, which the position then lies after."""
        item, record = self.ahead.items.pop(0), self.ahead.records.pop(0)
        self.position = self.beyond if self.is_empty else self.lane.position_of(item)
        return item, record


def share(size: int, lanes: int) -> int:
    """How many records each of several lanes reads ahead, at first, for so many of all.

    Twice what it would give if all held as many, so that one request each is mostly enough.
    """
    return min(size, max(2, ceil(2 * size / lanes)))


def merge(
    lanes: Sequence[Lane[R]],
    order: Callable[[Item, R], Any],
    context: Context,
    size: int | None,
    start: Item | None,
    *,
    requests: int | None,
    forward: bool,
    primary: tuple[str, ...],
) -> Conversation[tuple[list[R], Item | None]]:
    """At most ``size`` records of all lanes in their common order, and where to go on.

    With None they are all read. Each lane asks at most ``requests`` times.
    """
    resumed: dict[str, Any] = start or {_LANES: [None] * len(lanes)}
    positions: list[Any] = resumed[_LANES]
    last = read_place(resumed[_PLACE]) if _PLACE in resumed else _NOWHERE
    # What was given at the last place.
    seen: list[Any] = list(resumed.get(_SEEN, ()))
    ahead = _AHEAD_OF_ALL if size is None else share(size, len(lanes))
    readers = [
        _Reader(lane, at, requests, ahead) for lane, at in zip(lanes, positions, strict=True)
    ]
    found: list[R] = []
    while size is None or len(found) < size:
        wanted = None if size is None else size - len(found)
        for reader in readers:
            if reader.is_empty and not (yield from reader.fill(context, wanted)):
                return found, _position(readers, last, seen)
        waiting = [reader for reader in readers if not reader.is_empty]
        if not waiting:
            return found, None
        choose = min if forward else max
        nearest = choose(waiting, key=lambda reader: _place(reader, order))
        place = _place(nearest, order)
        if _is_behind(place, nearest.place, forward=forward):
            raise Refused(
                "the records of a merged query do not come in the order of by=: it must follow "
                "the queries' keys"
            )
        nearest.place = place
        item, record = nearest.take()
        if _is_behind(place, last, forward=forward):
            continue
        key = [item[name] for name in primary]
        if place != last:
            seen = []
        last = place
        if key not in seen:
            seen.append(key)
            found.append(record)
    if all(reader.is_empty and reader.position == _END for reader in readers):
        return found, None
    return found, _position(readers, last, seen)


def _place(reader: _Reader[R], order: Callable[[Item, R], Any]) -> Any:
    return order(reader.ahead.items[0], reader.ahead.records[0])


def _is_behind(place: Any, last: Any, *, forward: bool) -> bool:
    """Whether the order has passed a place already."""
    if last is _NOWHERE or place == last:
        return False
    return (place < last) == forward


def _position(readers: Sequence[_Reader[Any]], last: Any, seen: list[Any]) -> Item:
    position: dict[str, Any] = {_LANES: [reader.position for reader in readers]}
    if last is not _NOWHERE:
        position |= {_PLACE: write_place(last), _SEEN: seen}
    return position
