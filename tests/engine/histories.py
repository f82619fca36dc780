"""Histories: random steps on a table, and the items that it had at each time."""

import copy
from typing import Any

from hypothesis import strategies as st
from tests.engine.recoverable import START, Items, Recoverable

NAMES = st.sampled_from("abcd")
LINES = st.integers(1, 2)
COLOURS = st.sampled_from(["red", "blue", "green"])
WRITES = st.one_of(
    st.tuples(st.just("put"), NAMES, LINES, COLOURS),
    st.tuples(st.just("delete"), NAMES, LINES),
)
STEPS = st.one_of(
    WRITES,
    WRITES,
    WRITES,
    st.tuples(st.just("move"), st.sampled_from([0.25, 0.75, 1, 2, -1.5])),
    st.tuples(st.just("split")),
    st.tuples(st.just("roll")),
    st.tuples(st.just("stream")),
)


class History:
    """Steps made on a table, and the items after each write with its time in the journal."""

    def __init__(self, shop: Recoverable) -> None:
        self.shop = shop
        self._latest = 0.0
        self.items: Items = {}
        self.states: list[tuple[float, Items]] = []
        self._has_stream = False

    def make(self, step: tuple[Any, ...]) -> None:
        name, *arguments = step
        getattr(self, f"_{name}")(*arguments)

    def at(self, second: int) -> Items:
        """Return the items that were committed before the end of this second."""
        found: Items = {}
        for time, items in self.states:
            if time < START + second + 1:
                found = items
        return found

    def before(self, second: int) -> Items:
        """Return the items that were committed before this second."""
        return self.at(second - 1)

    def written(self, start: int, end: int) -> dict[tuple[str, int], float]:
        """Return the keys that changed from one second up to another, and when they last did."""
        found: dict[tuple[str, int], float] = {}
        before: Items = {}
        for time, items in self.states:
            if START + start <= time < START + end:
                changed = {key for key, _ in before.items() ^ items.items()}
                found |= dict.fromkeys(changed, time)
            before = items
        return found

    @property
    def seconds(self) -> list[int]:
        """The seconds after the start in which the items changed, those before, and the last."""
        changed = [int(time - START) for time, _ in self.states]
        last = int(max(self._latest, self.shop.clock()) - START)
        return sorted({0, last, *changed, *(max(second - 1, 0) for second in changed)})

    def _journalled(self) -> None:
        """Note that the journal has reached the time of the clock, which may be set back later."""
        self._latest = max(self._latest, self.shop.clock())

    def _tended(self) -> None:
        """Note the time that upkeep may have taken for the journal, or not."""
        storage = self.shop.engine._db.storage
        taken = storage._latest or 0  # noqa: SLF001 - of a transaction that wrote nothing
        self._latest = max(self._latest, taken / 1_000_000, storage.latest_time() / 1_000_000)

    def _note(self, before: Items) -> None:
        """Note the items, unless a write has changed nothing: it is in no journal."""
        if self.items != before:
            self._journalled()
            self.states.append((self._latest, copy.copy(self.items)))

    def _put(self, name: str, line: int, colour: str) -> None:
        before = copy.copy(self.items)
        self.shop.put(name, line, colour)
        self.items[name, line] = colour
        self._note(before)

    def _delete(self, name: str, line: int) -> None:
        before = copy.copy(self.items)
        self.shop.delete(name, line)
        self.items.pop((name, line), None)
        self._note(before)

    def _move(self, seconds: float) -> None:
        self.shop.clock.move(max(seconds, START - self.shop.clock()))

    def _split(self) -> None:
        self.shop.ask("SplitPartition", TableName="orders")
        self._journalled()

    def _roll(self) -> None:
        """Let the shards of a stream become old enough that others continue them."""
        # And a little longer: the clock may have been set back since they began.
        self.shop.clock.move(4 * 3600 + 200)
        self.shop.engine.tend()
        self._tended()

    def _stream(self) -> None:
        self._has_stream = not self._has_stream
        wanted: dict[str, Any] = {"StreamEnabled": self._has_stream}
        wanted |= {"StreamViewType": "KEYS_ONLY"} if self._has_stream else {}
        self.shop.ask("UpdateTable", TableName="orders", StreamSpecification=wanted)
        self._journalled()
