"""Entities by the form of their partition, each in sort order."""

import re
from dataclasses import dataclass

from sortkey.document.model import Described, WrittenKey, keys_of


@dataclass(frozen=True, slots=True)
class PartitionEntry:
    """An entity at its place in a partition."""

    entity: Described
    key: WrittenKey


@dataclass(frozen=True, slots=True)
class Partition:
    """Entities whose partition keys have one form, in the order of their sort keys."""

    text: str
    items: tuple[PartitionEntry, ...]

    @property
    def attribute(self) -> str:
        """The names of the partition key's attributes."""
        return ", ".join(attribute.name for attribute, _ in self.items[0].key.partition)


def partitions(entities: list[Described], index: str | None) -> list[Partition]:
    """Return the partitions of a table or index, in the order in which entities declare them."""
    found: dict[str, list[PartitionEntry]] = {}
    for entity in entities:
        for key in keys_of(entity):
            if key.index == index:
                form = re.sub(r"\{.*?\}", "{}", key.partition_text)
                found.setdefault(form, []).append(PartitionEntry(entity, key))
    return [
        Partition(items[0].key.partition_text, tuple(sorted(items, key=_sort_text)))
        for items in found.values()
    ]


def _sort_text(entry: PartitionEntry) -> str:
    return entry.key.sort_text
