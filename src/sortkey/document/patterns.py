"""The access-pattern matrix: each read and each write, with its requests and its cost."""

from collections.abc import Iterable, Iterator

from sortkey.design.plans.notation import condition_text, update_text
from sortkey.design.plans.plan import PatternPlan, PlannedStep
from sortkey.document.measured import Measured
from sortkey.document.model import CatalogModel
from sortkey.document.page import (
    Aside,
    Block,
    Break,
    Code,
    Grid,
    Line,
    Paragraph,
    Piece,
    RowGroup,
    Section,
    Strong,
    codes,
    joined,
)
from sortkey.document.phrases import key_text, prose, value_text
from sortkey.wording.prose import first_paragraph

_TOGETHER = {"transaction": "In one transaction.", "batch": "In batches."}


def pattern_sections(model: CatalogModel, measured: Measured) -> Iterator[Section]:
    """Yield the section of reads and the section of writes."""
    reads = [plan for plan in model.plans if all(step.reads for step in plan.steps)]
    writes = [plan for plan in model.plans if plan not in reads]
    if reads:
        yield Section("Reads", (_reads(reads, measured),), about="patterns")
    if writes:
        yield Section("Writes", (_writes(writes, measured),), about="patterns")


def scan_note(model: CatalogModel) -> Block:
    """Return a paragraph that names the patterns that scan a table."""
    scanning = [
        plan.pattern.name for plan in model.plans if any(step.verb == "Scan" for step in plan.steps)
    ]
    if not scanning:
        return Paragraph(("No pattern scans a table.",))
    return Paragraph(("These scan a table: ", *codes(scanning), "."))


def _reads(patterns: Iterable[PatternPlan], measured: Measured) -> Grid:
    columns = ("Pattern", "Operation", "Key condition", "Reads", "Page", "Rate")
    return Grid(columns, tuple(_read(plan, measured) for plan in patterns))


def _read(plan: PatternPlan, measured: Measured) -> RowGroup:
    cell = _pattern_cell(plan, measured)
    ending = (_page(plan), _rate(plan))
    if plan.error is not None:
        reason: Line = ("No plan: every call fails with ", Code(plan.why))
        return _group(plan, [(cell, (), reason, (), *ending)])
    rows = [
        (
            cell if number == 0 else None,
            _operation(step),
            _key_condition(step),
            _reading(step),
            *(ending if number == 0 else (None, None)),
        )
        for number, step in enumerate(plan.steps)
    ]
    return _group(plan, rows)


def _writes(patterns: Iterable[PatternPlan], measured: Measured) -> Grid:
    columns = ("Pattern", "Operation", "Key and change", "Condition", "Rate")
    return Grid(columns, tuple(_write(plan, measured) for plan in patterns))


def _write(plan: PatternPlan, measured: Measured) -> RowGroup:
    cell = _pattern_cell(plan, measured)
    rows = [
        (
            cell if number == 0 else None,
            _operation(step),
            joined((_key_condition(step), _code(update_text(step.update))), Break()),
            _code(condition_text(step.condition)),
            _rate(plan) if number == 0 else None,
        )
        for number, step in enumerate(plan.steps)
    ]
    return _group(plan, rows)


def _group(plan: PatternPlan, rows: list[tuple[Line | None, ...]]) -> RowGroup:
    return RowGroup(tuple(rows), f"pattern-{plan.pattern.name}")


def _pattern_cell(plan: PatternPlan, measured: Measured) -> Line:
    """Return the name, the title, how several requests belong together, and the verdicts.

    The verdicts are not a column of their own, which a usual screen has no room for.
    """
    pieces: list[Piece] = [Strong(plan.pattern.name), Break(), plan.pattern.title]
    if doc := first_paragraph(plan.pattern.doc):
        pieces += [". ", Aside(prose(doc.removesuffix(".")))]
    if together := _together(plan):
        pieces += [Break(), together]
    if verdicts := measured.patterns.get(plan.pattern.name):
        pieces += [Break(), *verdicts]
    return tuple(pieces)


def _together(plan: PatternPlan) -> str:
    merged = "Merged in sort order." if plan.shape == "pages" and len(plan.steps) > 1 else ""
    return _TOGETHER.get(plan.shape or "", merged)


def _operation(step: PlannedStep) -> Line:
    place = str(step.table) if step.index is None else f"{step.table}.{step.index}"
    return step.verb, Break(), Code(place)


def _key_condition(step: PlannedStep) -> Line:
    filtered = condition_text(step.filter)
    sharded: Line = () if step.shards is None else (f"{step.shards} shards",)
    where: Line = () if filtered is None else ("then ", Code(filtered))
    return joined((_code(key_text(step)), sharded, where), Break())


def _reading(step: PlannedStep) -> Line:
    if not step.reads:
        return ()
    parts = [
        "consistent" if step.consistent else "eventual",
        None if step.forward else "descending",
        None if step.limit is None else f"at most {value_text(step.limit).removeprefix('$')}",
    ]
    text: Line = ("; ".join(part for part in parts if part),)
    names = () if step.projection is None else sorted(step.projection.names)
    only: Line = ("only ", *codes(names)) if names else ()
    return joined((text, only), Break())


def _page(plan: PatternPlan) -> Line:
    page = plan.pattern.page
    return () if page is None else (str(page),)


def _rate(plan: PatternPlan) -> Line:
    rate = plan.pattern.rate
    return () if rate is None else (rate.text,)


def _code(text: str | None) -> Line:
    return (Code(text),) if text else ()
