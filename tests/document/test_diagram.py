"""The picture of a table: nothing overlaps, nothing sticks out, and every line ends at a card."""

from itertools import pairwise
from typing import NamedTuple
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from sortkey import Design
from sortkey.document.diagram import Card, CardRow, Container, draw, table_diagram
from sortkey.document.model import CatalogModel


class Rect(NamedTuple):
    """A box of a picture."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: "Rect") -> bool:
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )

    def is_within(self, other: "Rect") -> bool:
        return (
            other.x <= self.x
            and other.y <= self.y
            and self.x + self.width <= other.x + other.width
            and self.y + self.height <= other.y + other.height
        )


def boxes(svg: str, kind: str) -> list[Rect]:
    found = ET.fromstring(svg).iter("rect")
    return [
        Rect(*(float(each.attrib[name]) for name in ("x", "y", "width", "height")))
        for each in found
        if each.attrib["class"] == kind
    ]


def whole(svg: str) -> Rect:
    return Rect(*map(float, ET.fromstring(svg).attrib["viewBox"].split()))


NAMES = st.text("abcdefgh", min_size=1, max_size=30)
ROWS = st.builds(
    CardRow, NAMES, st.text("AB#{}", max_size=80), st.just("key"), st.sampled_from(["", "card-0"])
)


@st.composite
def containers(draw: st.DrawFn) -> list[Container]:
    """Partitions with cards, each of its own name."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=8))
    number = 0
    made: list[Container] = []
    for size in sizes:
        cards: list[Card] = []
        for _ in range(size):
            rows = tuple(draw(st.lists(ROWS, max_size=4)))
            cards.append(Card(f"card-{number}", tuple(draw(st.lists(NAMES, max_size=2))), rows))
            number += 1
        made.append(Container("PK", draw(NAMES), tuple(cards)))
    return made


@given(containers())
def test_cards_lie_in_their_partitions_beside_each_other_and_within_the_picture(
    drawn: list[Container],
) -> None:
    svg = draw("A table", drawn)
    cards, partitions = boxes(svg, "card"), boxes(svg, "partition")

    assert len(cards) == sum(len(each.cards) for each in drawn)
    for kind in (cards, partitions):
        for place, each in enumerate(kind):
            assert each.is_within(whole(svg))
            assert not any(each.overlaps(other) for other in kind[place + 1 :])
    assert all(any(card.is_within(partition) for partition in partitions) for card in cards)


@given(containers())
def test_every_relation_within_the_table_has_a_line(drawn: list[Container]) -> None:
    svg = draw("A table", drawn)
    relations = [
        row
        for each in drawn
        for card in each.cards
        for row in card.rows
        if row.target and row.target != card.name
    ]

    assert svg.count('class="line"') == len(relations)


def test_the_entities_of_a_partition_stand_in_the_order_of_their_sort_keys(shop: Design) -> None:
    model = CatalogModel(shop)
    svg = table_diagram("Keys", model.entities_of(model.tables[0]))
    names = [
        (float(each.attrib["y"]), each.text)
        for each in ET.fromstring(svg).iter("text")
        if each.attrib["class"] == "name"
    ]

    assert [name for _, name in sorted(names)] == ["Order", "Org", "User"]
    assert all(first < second for (first, _), (second, _) in pairwise(sorted(names)))


def test_every_table_of_a_design_has_its_picture(design: Design) -> None:
    model = CatalogModel(design)
    for table in model.tables:
        svg = table_diagram("Keys", model.entities_of(table))
        shown = {each.text for each in ET.fromstring(svg).iter("text")}
        assert {entity.name for entity in model.entities_of(table)} <= shown
