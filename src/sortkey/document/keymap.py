"""The diagram of a table's keys, as a picture and as text."""

from collections.abc import Iterator

from sortkey.design.tables.table import Table
from sortkey.document.diagram import table_diagram
from sortkey.document.model import CatalogModel, Described
from sortkey.document.page import Block, Diagram
from sortkey.document.partitions import Partition, partitions


def key_map(model: CatalogModel, table: type[Table]) -> Iterator[Block]:
    """Yield the diagram of a table's partitions, if it has any."""
    entities = model.entities_of(table)
    if entities:
        title = f"Keys of {table.__name__}"
        yield Diagram(title, table_diagram(title, entities), _text(table, entities))


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
    texts = [entry.key.sort_text for entry in partition.items]
    width = max(map(len, texts))
    yield f"  {partition.text}"
    for number, (entry, text) in enumerate(zip(partition.items, texts, strict=True), 1):
        branch = "└" if number == len(texts) else "├"
        yield f"    {branch}─ {f'{text:<{width}}  ' if width else ''}{entry.entity.name}"
