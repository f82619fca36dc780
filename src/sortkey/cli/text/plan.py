"""Plans as text: a line for each request, or every member of a plan."""

from collections.abc import Iterator, Sequence
from typing import Any

from sortkey.cli.text.layout import clauses, columns, unbroken, wrapped
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.notation import (
    condition_text,
    filled,
    type_text,
    update_text,
)
from sortkey.design.plans.plan import Compared, PatternPlan, PlannedStep
from sortkey.design.plans.sources import Elements, Members, Source, Text
from sortkey.document.phrases import SIGNS, key_text, part_text, value_text

_TOGETHER = {"transaction": "In one transaction", "batch": "In batches"}


def plans_text(design: str, plans: Sequence[PatternPlan]) -> str:
    """Return the plan of each pattern, with every member."""
    if not plans:
        return f"{design} has no patterns."
    return "\n\n".join("\n".join(_plan(plan)) for plan in plans)


def signature(plan: PatternPlan) -> str:
    """Return the signature of a pattern."""
    pattern = plan.pattern
    try:
        arguments = [
            unbroken(f"{p.name}: {type_text(p.type)}" + ("" if p.required else " = ..."))
            for p in pattern.parameters
        ]
        returns = unbroken(f" -> {type_text(pattern.returns)}")
    except Exception:  # noqa: BLE001 - an annotation may name anything; the error is shown below
        return pattern.name
    return f"{pattern.name}({', '.join(arguments)}){returns}"


def expectations(pattern: Pattern[..., Any]) -> str:
    """Return the declared rate, freshness, page size and meaning of a pattern."""
    stated = {
        "where": pattern.where,
        "order": pattern.order,
        "descending": pattern.descending,
    }
    meaning = ", ".join(name for name, value in stated.items() if value)
    return clauses(
        [
            None if pattern.rate is None else pattern.rate.text,
            "fresh" if pattern.fresh else None,
            f"{pattern.page} a page" if pattern.page else None,
            f"meaning by {meaning}" if meaning else None,
        ]
    )


def glance(plan: PatternPlan, indent: int) -> Iterator[str]:
    """Yield a line for each request of a pattern."""
    if plan.error is not None:
        yield from wrapped(_no_plan(plan), indent)
        return
    together = _together(plan)
    if together:
        yield f"{' ' * indent}{together}:"
    for step in plan.steps:
        yield from wrapped(_step_line(step), indent + 2 * bool(together))


def _together(plan: PatternPlan) -> str | None:
    """Return how several requests belong together."""
    merged = "Merged in sort order" if len(plan.steps) > 1 else None
    return _TOGETHER.get(plan.shape or "", merged)


def _no_plan(plan: PatternPlan) -> str:
    return f"No plan: every call fails with {plan.why}"


def _step_line(step: PlannedStep) -> str:
    where = str(step.table) if step.index is None else f"{step.table}.{step.index}"
    what = key_text(step) or ", ".join(step.entities)
    filtered, condition = condition_text(step.filter), condition_text(step.condition)
    return clauses(
        [
            f"{step.verb} {where}: {what}".removesuffix(": "),
            None if filtered is None else f"where {filtered}",
            update_text(step.update),
            None if condition is None else f"if {condition}",
            "consistent" if step.consistent else None,
            None if step.forward else "descending",
            None if step.limit is None else f"limit {value_text(step.limit)}",
            None if step.projection is None else f"only {', '.join(sorted(step.projection.names))}",
            None if step.shards is None else f"{step.shards} shards",
        ]
    )


def _plan(plan: PatternPlan) -> Iterator[str]:
    yield from wrapped(signature(plan), 0, 4)
    yield from wrapped(plan.pattern.title, 4)
    if declared := expectations(plan.pattern):
        yield from wrapped(declared, 4)
    if plan.error is not None:
        yield from wrapped(_no_plan(plan), 4)
        return
    if together := _together(plan):
        yield f"    {together}:"
    for step in plan.steps:
        yield ""
        yield from _step(step)
    if plan.later:
        yield from ("", "    Then, depending on the answer:")
    for step in plan.later:
        yield ""
        yield from _step(step)


def _step(step: PlannedStep) -> Iterator[str]:
    where = str(step.table) if step.index is None else f"{step.table}, index {step.index}"
    entities = ", ".join(step.entities)
    yield from wrapped(f"{step.verb} {where}" + (f": {entities}" * bool(entities)), 4)
    rows = [(name, _key_part(name, compared)) for name, compared in step.key.items()]
    item = {n: source for n, source in (step.item or {}).items() if n not in step.key}
    rows += [(name, f"= {_text(source)}") for name, source in item.items()]
    rows += [(name, text) for name, text in _members(step) if text is not None]
    if rows:
        yield from columns(rows, 6)


def _members(step: PlannedStep) -> Iterator[tuple[str, str | None]]:
    """Yield the members of a step beside its key and item, in the order of reading."""
    yield "?", condition_text(step.unread)
    yield "condition", condition_text(step.condition)
    yield "update", update_text(step.update)
    yield "filter", condition_text(step.filter)
    names = None if step.projection is None else ", ".join(sorted(step.projection.names))
    yield "projection", names
    yield "consistent", "yes" if step.consistent else None
    is_walk = step.verb in {"Query", "Scan"}
    yield "order", ("ascending" if step.forward else "descending") if is_walk else None
    yield "limit", None if step.limit is None else value_text(step.limit)
    yield "shards", None if step.shards is None else str(step.shards)


def _key_part(name: str, compared: Compared) -> str:
    text = part_text(name, compared)
    if compared.op == "=":
        return f"= {text}"
    source = compared.source
    if not isinstance(source, Text):
        return text
    op = "" if source.range is None else source.range.op
    return text if compared.op == SIGNS.get(op, op) else f"{text} ({compared.op})"


def _text(source: Source) -> str:
    """Return a stored value as text, with the values within it."""
    match source:
        case Text():
            return filled(source) + (f"; {source.shards} shards" if source.shards else "")
        case Members(members):
            return f"{{{', '.join(f'{name}: {_text(m)}' for name, m in members.items())}}}"
        case Elements(elements):
            return f"[{', '.join(map(_text, elements))}]"
        case _:
            text = value_text(source)
            return {"True": "yes", "False": "no", "None": "null"}.get(text, text)
