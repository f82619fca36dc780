"""Several walks merged in one order: the shards of a key, or the same records in two indexes.

Each lane reads ahead by about its share of the wanted records, because records that are read but
not returned are read, and paid for, again. The position of a merged walk is a position in every
lane, and the place in the order that was reached: a record that several lanes have at that place is
returned once, and records that appear before it later are skipped, as in any other walk.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Generic, TypeVar, cast

from sortkey.errors import Refused
from sortkey.operations.cursor import bad_cursor, checked_position
from sortkey.operations.lane import LARGEST_LIMIT, Chunk, Lane
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
    """A lane, the records read ahead, and the position to continue from."""

    lane: Lane[R]
    position: Item | str | None
    # The requests that it may still send; None for any number.
    requests: int | None
    # The number of records to read ahead next time.
    share: int
    ahead: Chunk[R] = field(default_factory=lambda: Chunk([], [], None))
    # The position after all records that were read ahead.
    beyond: Item | str | None = None
    # The place of the last record that was taken.
    place: Any = _NOWHERE

    @property
    def is_empty(self) -> bool:
        return not self.ahead.items

    def fill(self, context: Context, wanted: int | None) -> Conversation[bool]:
        """Read ahead; return whether records were found or the lane has ended.

        ``wanted`` is the number of records still needed from all lanes; None for all.
        """
        if self.position == _END:
            return True
        if self.requests == 0:
            return False
        start = self.position if isinstance(self.position, dict) else None
        size = self.share if wanted is None else min(self.share, wanted)
        self.ahead = yield from self.lane.read(context, size, start, requests=self.requests, peek=0)
        if self.requests is not None:
            self.requests -= self.ahead.requests
        # A lane that has used up its share may have most of the rest.
        self.share = min(2 * self.share, LARGEST_LIMIT)
        self.beyond = self.ahead.position or _END
        if self.is_empty:
            self.position = self.beyond
        return not self.is_empty or self.position == _END

    def take(self) -> tuple[Item, R]:
        """Return the next record, and move the position after it."""
        item, record = self.ahead.items.pop(0), self.ahead.records.pop(0)
        self.position = self.beyond if self.is_empty else self.lane.position_of(item)
        return item, record


def share(size: int, lanes: int) -> int:
    """Return how many records each lane reads ahead at first, to find ``size`` in all.

    It is twice an even share, so that one request for each lane is usually enough.
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
    """Return at most ``size`` records of all lanes in their common order, and the next position.

    With None all records are read. Each lane sends at most ``requests`` requests.
    """
    resumed: dict[str, Any] = start or {_LANES: [None] * len(lanes)}
    positions: list[Any] = resumed[_LANES]
    last = read_place(resumed[_PLACE]) if _PLACE in resumed else _NOWHERE
    # The keys that were returned at the last place.
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
                "a merged query returned records in another order than that of by=: it must "
                "follow the order of the queries' keys"
            )
        nearest.place = place
        item, record = nearest.take()
        try:
            is_behind = _is_behind(place, last, forward=forward)
        except (TypeError, ArithmeticError) as error:
            if start is None:
                raise
            raise bad_cursor("the place in the cursor is of another type") from error
        if is_behind:
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


def checked_merged_position(position: Any, lanes: Sequence[Lane[Any]]) -> Item:
    """Return the position if these lanes can have it; raise `BadCursor` otherwise."""
    fault = bad_cursor("the cursor was modified")
    names = ({_LANES}, {_LANES, _PLACE, _SEEN})
    if not isinstance(position, dict) or position.keys() not in names:  # pyright: ignore[reportUnknownMemberType]
        raise fault
    resumed = cast("dict[str, Any]", position)
    positions, seen = resumed[_LANES], resumed.get(_SEEN, [])
    if not isinstance(positions, list) or not isinstance(seen, list):
        raise fault
    if len(positions) != len(lanes):  # pyright: ignore[reportUnknownArgumentType]
        raise fault
    for at, lane in zip(cast("list[Any]", positions), lanes, strict=True):
        if at is not None and at != _END:
            checked_position(at, lane.step)
    try:
        read_place(resumed.get(_PLACE))
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise fault from error
    return resumed


def _place(reader: _Reader[R], order: Callable[[Item, R], Any]) -> Any:
    return order(reader.ahead.items[0], reader.ahead.records[0])


def _is_behind(place: Any, last: Any, *, forward: bool) -> bool:
    """Return whether a place comes before the last one."""
    if last is _NOWHERE or place == last:
        return False
    return (place < last) == forward


def _position(readers: Sequence[_Reader[Any]], last: Any, seen: list[Any]) -> Item:
    position: dict[str, Any] = {_LANES: [reader.position for reader in readers]}
    if last is not _NOWHERE:
        position |= {_PLACE: write_place(last), _SEEN: seen}
    return position
