"""The access-pattern matrix: each question and each write, with what it sends and what it costs."""

from collections.abc import Iterable, Iterator

from sortkey.design.notation import condition_text, update_text
from sortkey.design.plan import PatternPlan, PlannedStep
from sortkey.document.measured import Measured
from sortkey.document.model import Model
from sortkey.document.page import (
    Aside,
    Block,
    Break,
    Code,
    Grid,
    Group,
    Line,
    Paragraph,
    Piece,
    Section,
    Strong,
    codes,
    joined,
)
from sortkey.document.wording import first_paragraph, key_text, prose, value_text

_TOGETHER = {"transaction": "In one transaction.", "batch": "In batches."}


def pattern_sections(model: Model, measured: Measured) -> Iterator[Section]:
    """The patterns that read, and those that write."""
    reads = [plan for plan in model.plans if all(step.reads for step in plan.steps)]
    writes = [plan for plan in model.plans if plan not in reads]
    if reads:
        yield Section("Reads", (_reads(reads, measured),), about="patterns")
    if writes:
        yield Section("Writes", (_writes(writes, measured),), about="patterns")


def scan_note(model: Model) -> Block:
    """Whether anything is found by reading a whole table."""
    scanning = [
        plan.pattern.name for plan in model.plans if any(step.verb == "Scan" for step in plan.steps)
    ]
    if not scanning:
        return Paragraph(("No pattern scans a table.",))
    return Paragraph(("These scan a table: ", *codes(scanning), "."))


def _reads(patterns: Iterable[PatternPlan], measured: Measured) -> Grid:
    columns = ("Pattern", "Operation", "Key condition", "Reads", "Page", "Rate", "Measured")
    return Grid(columns, tuple(_read(plan, measured) for plan in patterns))


def _read(plan: PatternPlan, measured: Measured) -> Group:
    ending = (_page(plan), _rate(plan), _measured(plan, measured))
    if plan.error is not None:
        reason: Line = ("No plan: every call fails, with ", Code(plan.why))
        return _group(plan, [(_asked(plan), (), reason, (), *ending)])
    rows = [
        (
            _asked(plan) if number == 0 else None,
            _operation(step),
            _key_condition(step),
            _reading(step),
            *(ending if number == 0 else (None, None, None)),
        )
        for number, step in enumerate(plan.steps)
    ]
    return _group(plan, rows)


def _writes(patterns: Iterable[PatternPlan], measured: Measured) -> Grid:
    columns = ("Pattern", "Operation", "Key and change", "Only if", "Rate", "Measured")
    return Grid(columns, tuple(_write(plan, measured) for plan in patterns))


def _write(plan: PatternPlan, measured: Measured) -> Group:
    ending = (_rate(plan), _measured(plan, measured))
    rows = [
        (
            _asked(plan) if number == 0 else None,
            _operation(step),
            joined((_key_condition(step), _code(update_text(step.update))), Break()),
            _code(condition_text(step.condition)),
            *(ending if number == 0 else (None, None)),
        )
        for number, step in enumerate(plan.steps)
    ]
    return _group(plan, rows)


def _group(plan: PatternPlan, rows: list[tuple[Line | None, ...]]) -> Group:
    return Group(tuple(rows), f"pattern-{plan.pattern.name}")


def _asked(plan: PatternPlan) -> Line:
    """The name, the title, and how several requests belong together."""
    pieces: list[Piece] = [Strong(plan.pattern.name), Break(), plan.pattern.title]
    if doc := first_paragraph(plan.pattern.doc):
        pieces += [". ", Aside(prose(doc.removesuffix(".")))]
    if together := _together(plan):
        pieces += [Break(), together]
    return tuple(pieces)


def _together(plan: PatternPlan) -> str:
    merged = "Merged in one order." if plan.shape == "pages" and len(plan.steps) > 1 else ""
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
    said = [
        "consistent" if step.consistent else "eventual",
        None if step.forward else "last key first",
        None if step.limit is None else f"at most {value_text(step.limit).removeprefix('$')}",
    ]
    text: Line = ("; ".join(part for part in said if part),)
    names = () if step.projection is None else sorted(step.projection.names)
    only: Line = ("only ", *codes(names)) if names else ()
    return joined((text, only), Break())


def _page(plan: PatternPlan) -> Line:
    page = plan.pattern.page
    return () if page is None else (str(page),)


def _rate(plan: PatternPlan) -> Line:
    rate = plan.pattern.rate
    return () if rate is None else (rate.text,)


def _measured(plan: PatternPlan, measured: Measured) -> Line:
    return measured.patterns.get(plan.pattern.name, ())


def _code(text: str | None) -> Line:
    return (Code(text),) if text else ()
