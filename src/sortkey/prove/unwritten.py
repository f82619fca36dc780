"""Attributes that a raw design reads but never writes, so that a proof would mean little.

`prove` stores records with all their keys and their type. If a raw design declares every put of an
entity, and none of them writes the attributes of an index, the index is empty in the program. In
the same way, a filter by a type attribute that no put writes returns nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.plan import PlannedStep
from sortkey.design.plans.tracing import trace
from sortkey.expressions.evaluate import condition_names
from sortkey.wording.prose import a


def unwritten(pattern: Pattern[..., Any], design: Design) -> str:
    """Return which attributes a pattern reads by but no write sets; empty if there are none."""
    for step in (one for path in trace(pattern, design).paths for one in path.steps):
        for name in step.entities if step.reads and step.table.raw else ():
            puts, updates = _writes(name, step, design)
            items = [put.item for put in puts if put.item is not None]
            had = {target for one in updates if one.update for target in one.update.targets}
            had = had.union(*items)
            index = step.definition if step.index is not None else None
            keys = [] if index is None else [attribute.name for attribute in index.attributes]
            missing = [key for key in keys if items and key not in had]
            if missing:
                them = "it" if len(missing) == 1 else "them"
                return (
                    f"no put of {name} writes {' and '.join(missing)}, so {index} never contains "
                    f"{a(name)}: add {them} to the item"
                )
            filtered = frozenset[str]() if step.filter is None else condition_names(step.filter)
            types = {kind.type_attribute for kind in step.table.entities if kind.name == name}
            for attribute in types & filtered if items else ():
                if attribute not in had:
                    return (
                        f"no put of {name} writes {attribute}, so the filter drops the records "
                        "that the program stores: add it to the item"
                    )
    return ""


def _writes(
    entity: str, read: PlannedStep, design: Design
) -> tuple[Sequence[PlannedStep], Sequence[PlannedStep]]:
    """Return the puts and updates of an entity; none if sortkey writes its keys itself."""
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
