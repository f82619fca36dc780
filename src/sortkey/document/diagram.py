"""The picture of a table: its partitions, the entities in each, and their relations.

Cards are placed in one column or in two. Beside them, or between them, runs one lane for each
entity that others refer to, so that lines never cross a card.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sortkey.document.badges import badges_of
from sortkey.document.model import Described, keys_of, stored_name
from sortkey.document.partitions import Partition, PartitionEntry, partitions
from sortkey.document.svg import box, element, picture, text

_MONO = 7.25  # the width of a character in a key, of 12 pixels
_NAME = 8.4  # and in a name, of 14
_SMALL = 6.3  # and in a badge, of 10
_ROW = 20
_PAD = 12
_HEADER = 30
_GAP = 10
_BETWEEN = 14
_LANE = 14
_ROUND = 6
_LABEL = 30
_LANES = 5
# A key of two parts takes two lines if it is longer than this many characters.
_LONGEST = 52
# Two columns fit a page of this width.
_PAGE = 1120
_ALONE = 4


@dataclass(frozen=True, slots=True)
class CardRow:
    """One line of a card: a label and its text."""

    label: str
    words: str
    kind: str
    # The entity that it refers to, if that is in the same table.
    target: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """An entity as it is drawn."""

    name: str
    badges: tuple[str, ...]
    rows: tuple[CardRow, ...]

    @property
    def height(self) -> float:
        """The height that it needs."""
        return _HEADER + _ROW * len(self.rows) + (_PAD / 2 if self.rows else 0)

    def width(self, label: float) -> float:
        """Return the width that it needs, with labels of this width."""
        badges = sum(_badge_width(badge) + 4 for badge in self.badges)
        name = len(self.name) * _NAME + badges + _PAD
        return max([name, *(label + len(row.words) * _MONO for row in self.rows)]) + 2 * _PAD


class Box(NamedTuple):
    """A card with its place."""

    card: Card
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Container:
    """A partition with its cards."""

    attribute: str
    title: str
    cards: tuple[Card, ...]

    @property
    def height(self) -> float:
        """The height that it needs."""
        return _HEADER + sum(card.height + _GAP for card in self.cards)


def table_diagram(title: str, entities: list[Described]) -> str:
    """Return the picture of a table with these entities."""
    here = {entity.model.__name__: entity.name for entity in entities}
    containers = [_container(partition, here) for partition in partitions(entities, None)]
    return draw(title, containers)


def draw(title: str, containers: Sequence[Container]) -> str:
    """Return a picture of partitions with their cards, and lines from rows to related cards."""
    return _Drawing(containers).picture(title)


def _container(partition: Partition, here: dict[str, str]) -> Container:
    cards = tuple(_card(entry, here) for entry in partition.items)
    return Container(partition.attribute, partition.text, cards)


def _card(entry: PartitionEntry, here: dict[str, str]) -> Card:
    entity = entry.entity
    rows = (*_sort_rows(entry), *_index_rows(entity), *_relation_rows(entity, here))
    return Card(entity.name, badges_of(entity), rows)


def _sort_rows(entry: PartitionEntry) -> Iterator[CardRow]:
    for attribute, template in entry.key.sort:
        yield CardRow(attribute.name, template, "key")


def _index_rows(entity: Described) -> Iterator[CardRow]:
    for key in keys_of(entity):
        if key.index is None:
            continue
        whole = " / ".join(filter(None, (key.partition_text, key.sort_text)))
        if len(whole) <= _LONGEST:
            yield CardRow(key.index, whole, "index")
        else:
            yield CardRow(key.index, f"{key.partition_text} /", "index")
            yield CardRow("", key.sort_text, "index")


def _relation_rows(entity: Described, here: dict[str, str]) -> Iterator[CardRow]:
    for relation in entity.relations:
        target = relation.to.__name__
        words = f"{stored_name(entity, relation.field)} → {target}"
        yield CardRow("ref", words, "relation", here.get(target, ""))


class _Drawing:
    """Containers in columns, and the lanes between them."""

    def __init__(self, containers: Sequence[Container]) -> None:
        cards = [card for container in containers for card in container.cards]
        labels = [len(row.label) for card in cards for row in card.rows]
        labels += [len(container.attribute) for container in containers]
        self._label = max([_LABEL, *(count * _SMALL + 12 for count in labels)])
        self._card_width = max(card.width(self._label) for card in cards)
        titles = [len(c.title) * _MONO + self._label + 4 * _PAD for c in containers]
        self._width = max([self._card_width + 2 * _PAD, *titles])
        self._card_width = self._width - 2 * _PAD
        targets = [row.target for card in cards for row in card.rows if row.target]
        self._lanes = {name: place for place, name in enumerate(dict.fromkeys(targets))}
        self._gutter = (len(self._lanes) + 1) * _LANE + 8 if self._lanes else _BETWEEN
        self._columns = self._arranged(containers, len(cards))

    def _arranged(self, containers: Sequence[Container], count: int) -> list[list[Container]]:
        """Return the containers in one column, or in two of about the same height."""
        if count <= _ALONE or 2 * self._width + self._gutter > _PAGE or len(containers) == 1:
            return [list(containers)]
        half = sum(container.height + _BETWEEN for container in containers) / 2
        left: list[Container] = []
        filled = 0.0
        for container in containers:
            if left and filled + container.height / 2 > half:
                break
            left.append(container)
            filled += container.height + _BETWEEN
        return [left, list(containers[len(left) :])]

    def picture(self, title: str) -> str:
        """Return the whole drawing."""
        parts: list[str] = []
        boxes: dict[str, Box] = {}
        for place, column in enumerate(self._columns):
            parts += self._column(column, place * (self._width + self._gutter), boxes)
        lines = [line for box_ in boxes.values() for line in self._lines(box_, boxes)]
        height = max(sum(c.height + _BETWEEN for c in column) for column in self._columns)
        return picture(self._whole_width, height - _BETWEEN + 2, title, [*parts, *lines])

    @property
    def _whole_width(self) -> float:
        if len(self._columns) == 1:
            return self._width + (self._gutter if self._lanes else 0) + 2
        return 2 * self._width + self._gutter + 2

    def _column(self, column: list[Container], x: float, boxes: dict[str, Box]) -> Iterator[str]:
        y = 1.0
        for container in column:
            yield box((x + 1, y), (self._width, container.height), "partition", 10)
            inner = x + 2 * _PAD + 1
            yield text(inner, y + 20, container.attribute, "label key")
            yield text(inner + self._label, y + 20, container.title, "words partition-key")
            below = y + _HEADER
            for card in container.cards:
                boxes[card.name] = Box(card, x + _PAD + 1, below)
                yield from self._card(boxes[card.name])
                below += card.height + _GAP
            y += container.height + _BETWEEN

    def _card(self, place: Box) -> Iterator[str]:
        card, x, y = place
        yield box((x, y), (self._card_width, card.height), "card", 7)
        yield text(x + _PAD, y + 20, card.name, "name")
        right = x + self._card_width - 8
        for badge in reversed(card.badges):
            width = _badge_width(badge)
            right -= width
            yield box((right, y + 8), (width, 16), "badge", 8)
            yield text(right + width / 2, y + 19.5, badge, "badge-text", text_anchor="middle")
            right -= 4
        for number, row in enumerate(card.rows):
            yield from self._row(row, x + _PAD, y + _HEADER + _ROW * number + 13)

    def _row(self, row: CardRow, x: float, y: float) -> Iterator[str]:
        if row.label:
            yield text(x, y, row.label, f"label {row.kind}")
        yield text(x + self._label, y, row.words, f"words {row.kind}")

    def _lines(self, place: Box, boxes: dict[str, Box]) -> Iterator[str]:
        for number, row in enumerate(place.card.rows):
            target = boxes.get(row.target)
            if target is not None and target is not place:
                y = place.y + _HEADER + _ROW * number + 9
                yield self._line(place, y, target, self._lanes[row.target])

    def _line(self, source: Box, y: float, target: Box, lane: int) -> str:
        """Return a line from a row to its lane, along the lane, and to the related card."""
        across = self._width + 8 + _LANE * (lane + 0.5)
        start, end, to = self._edge(source), self._edge(target), target.y + 15
        out = 1 if start < across else -1
        back = 1 if end < across else -1
        along = 1 if to > y else -1
        path = (
            f"M{start:g} {y:g} H{across - out * _ROUND:g}"
            f" Q{across:g} {y:g} {across:g} {y + along * _ROUND:g}"
            f" V{to - along * _ROUND:g}"
            f" Q{across:g} {to:g} {across - back * _ROUND:g} {to:g}"
            f" H{end + back * 7:g}"
        )
        tip = f"M{end + back * 1:g} {to:g} l{back * 7} -4 v8 z"
        number = lane % _LANES
        return element(
            "g",
            element("path", d=path, class_="line")
            + element("circle", cx=start, cy=y, r=2.5, class_="end")
            + element("path", d=tip, class_="end"),
            class_=f"lane lane-{number}",
        )

    def _edge(self, place: Box) -> float:
        """Return the x coordinate where a line meets a card, on the side of the lanes."""
        is_left = place.x < self._width
        return place.x + self._card_width if is_left else place.x


def _badge_width(badge: str) -> float:
    return len(badge) * _SMALL + 12
