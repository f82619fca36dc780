"""Indexes that no write of a design fills: a proof on records of sortkey's own means little there.

`prove` stores records with all their keys. Where a raw design states every put of an entity, and
none of them writes the attributes of an index, the index is empty in the program.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sortkey.design.design import Design
from sortkey.design.pattern import Pattern
from sortkey.design.plan import PlannedStep
from sortkey.design.tracing import trace


def unwritten_index(pattern: Pattern[..., Any], design: Design) -> str:
    """Say which index a pattern reads that no write fills; empty where there is none."""
    for step in (one for path in trace(pattern, design).paths for one in path.steps):
        index = step.definition if step.reads and step.index is not None else None
        for name in step.entities if index is not None and step.table.raw else ():
            puts, updates = _writes(name, step, design)
            items = [put.item for put in puts if put.item is not None]
            set_later = {target for one in updates if one.update for target in one.update.targets}
            keys = [] if index is None else [attribute.name for attribute in index.attributes]
            missing = [
                key
                for key in keys
                if items and key not in set_later and not any(key in item for item in items)
            ]
            if missing:
                them = "it" if len(missing) == 1 else "them"
                return (
                    f"no put of {name} writes {' and '.join(missing)}, so {index} has none of the "
                    f"records that were tried: write {them} in the item"
                )
    return ""


def _writes(
    entity: str, read: PlannedStep, design: Design
) -> tuple[Sequence[PlannedStep], Sequence[PlannedStep]]:
    """The puts and updates of an entity; none where sortkey writes its keys itself."""
    writes = list(_writes_of(entity, read, design))
    if not all(pattern.is_raw for pattern, _ in writes):
        return (), ()
    steps = [step for _, step in writes]
    return [s for s in steps if s.verb == "PutItem"], [s for s in steps if s.verb == "UpdateItem"]


def _writes_of(
    entity: str, read: PlannedStep, design: Design
) -> Iterator[tuple[Pattern[..., Any], PlannedStep]]:
    for pattern in design.patterns:
        for path in trace(pattern, design).paths:
            for step in path.steps:
                is_there = step.table is read.table
                if step.writes and is_there and (entity in step.entities or not step.entities):
                    yield pattern, step
