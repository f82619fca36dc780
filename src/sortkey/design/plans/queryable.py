"""Which key a request could query instead of filtering what it reads."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from sortkey.design.plans.plan import PlannedStep
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import Index, TableDefinition
from sortkey.expressions.conjuncts import equalities
from sortkey.operations.plan import Step
from sortkey.wording.prose import listed


def query_instead(step: Step | PlannedStep, kinds: Sequence[EntityKind[Any]]) -> str | None:
    """Return which key to query instead of filtering; None where no partition key has the values.

    The filter compares the partition key itself, or that from which each of the entities makes it.
    The key also has what a query gives already: without it, the other query would read more.
    """
    table = cast("TableDefinition", step.table)
    compared = {name for name, _ in equalities(step.filter)}
    others = [index for index in table.indexes.values() if index.name != step.index]
    is_queried = step.verb == "Query" and step.index is None
    for index in others if is_queried else (table.primary, *others):
        if step.verb == "Query" and not _keeps(index, _read(step, table), kinds):
            continue
        own = {attribute.name for attribute in index.partition}
        for names in (own, *_sources(index, kinds)):
            if names <= compared:
                shown = listed(f"`{name}`" for name in sorted(names))
                key = "the table" if index is table.primary else str(index)
                return f"Query {key}, whose partition key has {shown}"
    return None


def _read(step: Step | PlannedStep, table: TableDefinition) -> Index | None:
    """Return the key that a step reads; None where the table has no such index."""
    return table.primary if step.index is None else table.indexes.get(step.index)


def _keeps(other: Index, read: Index | None, kinds: Sequence[EntityKind[Any]]) -> bool:
    """Whether a key contains all from which the entities make the partition key that is read."""
    if read is None:
        return False
    if not kinds:
        return {a.name for a in read.partition} <= {a.name for a in other.attributes}
    return all(_made_from(read, kind) <= _made_from(other, kind, whole=True) for kind in kinds)


def _sources(index: Index, kinds: Sequence[EntityKind[Any]]) -> Iterator[set[str]]:
    """Yield the attributes from which all of the entities make the partition key, if they do."""
    found = [_made_from(index, kind) for kind in kinds]
    if found and all(names and names == found[0] for names in found):
        yield found[0]


def _made_from(index: Index, kind: EntityKind[Any], *, whole: bool = False) -> set[str]:
    """The attributes from which an entity makes the partition key, or with ``whole`` all of it."""
    keys = [key for key in kind.keys.values() if key.definition is index]
    parts = [part for key in keys for part in (key.parts if whole else key.partition)]
    fields = {name for part in parts for name in part.fields}
    return {kind.stored_names[name] for name in fields if name in kind.stored_names}
