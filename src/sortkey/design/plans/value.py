"""Plans as JSON: one versioned value for programs; see docs/reference/plan.md for every member."""

from collections.abc import Container, Iterable
from contextlib import suppress
from typing import Any

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.notation import (
    condition_text,
    json_of,
    present,
    type_text,
    update_text,
)
from sortkey.design.plans.plan import Compared, PatternPlan, PlannedStep
from sortkey.design.plans.sources import Source, Text
from sortkey.design.plans.tracing import trace

PLAN_VERSION = 2


def plan_of(design: Design, names: Container[str] | None = None) -> dict[str, Any]:
    """Return the plans of all patterns of a design, or of those that are named."""
    wanted = [p for p in design.patterns if names is None or p.name in names]
    return plans_json(design, [trace(pattern, design) for pattern in wanted])


def plans_json(design: Design, plans: Iterable[PatternPlan]) -> dict[str, Any]:
    """Return these plans of a design as JSON."""
    return {
        "version": PLAN_VERSION,
        "design": design.name,
        "patterns": list(map(plan_json, plans)),
    }


def pattern_plan(pattern: Pattern[..., Any], design: Design) -> dict[str, Any]:
    """Return one pattern's plan; its ``error`` says why there is none."""
    return plan_json(trace(pattern, design))


def plan_json(plan: PatternPlan) -> dict[str, Any]:
    """Return a plan as JSON, without the members that say nothing."""
    pattern = plan.pattern
    said: dict[str, Any] = {"name": pattern.name, "title": pattern.title} | _declared(pattern)
    with suppress(Exception):  # an annotation may name anything, and then there is no plan
        said["arguments"] = {p.name: type_text(p.type) for p in pattern.parameters}
        optional = [p.name for p in pattern.parameters if not p.required]
        said |= {"optional": optional} if optional else {}
        said["returns"] = type_text(pattern.returns)
    if plan.error is not None:
        return said | {"error": plan.why}
    later = {"later": list(map(step_json, plan.later))} if plan.later else {}
    return said | {"shape": plan.shape, "steps": list(map(step_json, plan.steps))} | later


def _declared(pattern: Pattern[..., Any]) -> dict[str, Any]:
    """Return what its declaration says of a pattern."""
    rate = pattern.rate
    meaning = {
        "where": pattern.where,
        "order": pattern.order,
        "descending": pattern.descending,
    }
    return present(
        {
            "doc": pattern.doc or None,
            "rate": None if rate is None else {"text": rate.text, "per_second": rate.per_second},
            "fresh": pattern.fresh or None,
            "page": pattern.page,
            "meaning": [name for name, stated in meaning.items() if stated] or None,
        }
    )


def step_json(step: PlannedStep) -> dict[str, Any]:
    """Return one step, without the members that say nothing."""
    is_walk = step.verb in {"Query", "Scan"}
    item = step.item
    return present(
        {
            "operation": step.verb,
            "table": str(step.table),
            "index": step.index,
            "entities": list(step.entities) or None,
            "key": _key(step),
            "item": None if item is None else {n: _attribute(s) for n, s in item.items()},
            "filter": condition_text(step.filter),
            "condition": condition_text(step.condition),
            "update": update_text(step.update),
            "projection": None if step.projection is None else sorted(step.projection.names),
            "consistent": step.consistent or None,
            "order": ("ascending" if step.forward else "descending") if is_walk else None,
            "limit": None if step.limit is None else json_of(step.limit),
            "select": step.select,
            "shards": step.shards,
        }
    )


def _key(step: PlannedStep) -> dict[str, Any] | None:
    key = {name: key_json(compared) for name, compared in step.key.items()}
    if step.unread is not None:
        key["?"] = {"op": "?", "text": condition_text(step.unread)}
    return key if key or step.sent.key_condition is not None or step.sent.key is not None else None


def key_json(compared: Compared) -> dict[str, Any]:
    """Return what a key attribute is compared with."""
    low, high = _attribute(compared.source), compared.upper
    if high is None:
        return {"op": compared.op, **low}
    upper = _attribute(high)
    if low.keys() == upper.keys() == {"value"}:
        return {"op": compared.op, "values": [low["value"], upper["value"]]}
    return {"op": compared.op, **(low if low == upper else {"bounds": [low, upper]})}


def _attribute(source: Source) -> dict[str, Any]:
    """Return the value of an attribute: a template with what fills it, or a value."""
    if not isinstance(source, Text):
        return {"value": json_of(source)}
    made: dict[str, Any] = json_of(source)
    if source.range is None:
        return made
    bounds = [json_of(bound) for bound in source.range.bounds]
    return made | {"range": {"op": source.range.op, "field": source.range.field, "values": bounds}}
