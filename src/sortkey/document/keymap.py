"""What lies beside what: the partitions of a table and of its indexes, each in sort order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sortkey.design.table import Table
from sortkey.document.model import Described, Model, WrittenKey, keys_of
from sortkey.document.page import Block, Diagram


@dataclass(frozen=True, slots=True)
class Lying:
    """An entity at its place in a partition."""

    entity: Described
    key: WrittenKey


@dataclass(frozen=True, slots=True)
class Partition:
    """Entities whose partition keys have one form, in the order of their sort keys."""

    text: str
    items: tuple[Lying, ...]


def key_map(model: Model, table: type[Table]) -> Iterator[Block]:
    """The diagram of a table's partitions, where there are any."""
    entities = model.entities_of(table)
    if entities:
        yield Diagram(f"Keys of {table.__name__}", "", _text(table, entities))


def partitions(entities: list[Described], index: str | None) -> list[Partition]:
    """The partitions of a table or index, in the order in which entities declare them."""
    found: dict[str, list[Lying]] = {}
    for entity in entities:
        for key in keys_of(entity):
            if key.index == index:
                form = re.sub(r"\{.*?\}", "{}", key.partition_text)
                found.setdefault(form, []).append(Lying(entity, key))
    return [
        Partition(items[0].key.partition_text, tuple(sorted(items, key=_sort_text)))
        for items in found.values()
    ]


def _sort_text(lying: Lying) -> str:
    return lying.key.sort_text


def _text(table: type[Table], entities: list[Described]) -> str:
    definition = table.definition
    places = [(definition.title, None), *((name, name) for name in definition.indexes)]
    lines: list[str] = []
    for title, index in places:
        found = partitions(entities, index)
        if found:
            lines += ["", title, *(line for each in found for line in _lines(each))]
    return "\n".join(lines[1:])


def _lines(partition: Partition) -> Iterator[str]:
    texts = [lying.key.sort_text for lying in partition.items]
    width = max(map(len, texts))
    yield f"  {partition.text}"
    for number, (lying, text) in enumerate(zip(partition.items, texts, strict=True), 1):
        branch = "└" if number == len(texts) else "├"
        yield f"    {branch}─ {f'{text:<{width}}  ' if width else ''}{lying.entity.name}"
