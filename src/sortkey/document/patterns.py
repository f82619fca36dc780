"""The access-pattern matrix: each question and each write, with what it sends and what it costs."""

from collections.abc import Iterable, Iterator
from typing import Any

from sortkey.document.measured import Measured
from sortkey.document.model import READS, Model, Planned, Step
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
from sortkey.document.wording import first_paragraph, key_text, prose

_TOGETHER = {"transaction": "In one transaction.", "batch": "In batches."}


def pattern_sections(model: Model, measured: Measured) -> Iterator[Section]:
    """The patterns that read, and those that write."""
    reads = [planned for planned in model.patterns if not planned.writes]
    writes = [planned for planned in model.patterns if planned.writes]
    if reads:
        yield Section("Reads", (_reads(reads, measured),), about="patterns")
    if writes:
        yield Section("Writes", (_writes(writes, measured),), about="patterns")


def scan_note(model: Model) -> Block:
    """Whether anything is found by reading a whole table."""
    scanning = [
        planned.name
        for planned in model.patterns
        if any(step["operation"] == "Scan" for step in planned.steps)
    ]
    if not scanning:
        return Paragraph(("No pattern scans a table.",))
    return Paragraph(("These scan a table: ", *codes(scanning), "."))


def _reads(patterns: Iterable[Planned], measured: Measured) -> Grid:
    columns = ("Pattern", "Operation", "Key condition", "Reads", "Page", "Rate", "Measured")
    return Grid(columns, tuple(_read(planned, measured) for planned in patterns))


def _read(planned: Planned, measured: Measured) -> Group:
    ending = (_page(planned), _rate(planned), _measured(planned, measured))
    if "error" in planned.plan:
        told: Line = ("No plan: called with samples, it raised ", Code(planned.plan["error"]))
        return _group(planned, [(_asked(planned), (), told, (), *ending)])
    rows = [
        (
            _asked(planned) if number == 0 else None,
            _operation(step),
            _key_condition(step),
            _reading(step),
            *(ending if number == 0 else (None, None, None)),
        )
        for number, step in enumerate(planned.steps)
    ]
    return _group(planned, rows)


def _writes(patterns: Iterable[Planned], measured: Measured) -> Grid:
    columns = ("Pattern", "Operation", "Key and change", "Only if", "Rate", "Measured")
    return Grid(columns, tuple(_write(planned, measured) for planned in patterns))


def _write(planned: Planned, measured: Measured) -> Group:
    ending = (_rate(planned), _measured(planned, measured))
    rows = [
        (
            _asked(planned) if number == 0 else None,
            _operation(step),
            joined((_key_condition(step), _code(step.get("update"))), Break()),
            _code(step.get("condition")),
            *(ending if number == 0 else (None, None)),
        )
        for number, step in enumerate(planned.steps)
    ]
    return _group(planned, rows)


def _group(planned: Planned, rows: list[tuple[Line | None, ...]]) -> Group:
    return Group(tuple(rows), f"pattern-{planned.name}")


def _asked(planned: Planned) -> Line:
    """The name, the title, and how several requests belong together."""
    pieces: list[Piece] = [Strong(planned.name), Break(), planned.pattern.title]
    if doc := first_paragraph(planned.pattern.doc):
        pieces += [". ", Aside(prose(doc.removesuffix(".")))]
    if together := _together(planned):
        pieces += [Break(), together]
    return tuple(pieces)


def _together(planned: Planned) -> str:
    shape = planned.plan.get("shape", "")
    merged = "Merged in one order." if shape == "pages" and len(planned.steps) > 1 else ""
    return _TOGETHER.get(shape, merged)


def _operation(step: Step) -> Line:
    place = f"{step['table']}.{step['index']}" if "index" in step else step["table"]
    return step["operation"], Break(), Code(place)


def _key_condition(step: Step) -> Line:
    key = _code(key_text(step["key"])) if "key" in step else ()
    sharded: Line = (f"{step['shards']} shards",) if "shards" in step else ()
    where: Line = ("then ", Code(step["filter"])) if "filter" in step else ()
    return joined((key, sharded, where), Break())


def _reading(step: Step) -> Line:
    if step["operation"] not in READS:
        return ()
    said = [
        "consistent" if step.get("consistent") else "eventual",
        "last key first" if step.get("order") == "descending" else None,
        f"at most {_plain(step['limit'])}" if "limit" in step else None,
    ]
    text: Line = ("; ".join(part for part in said if part),)
    only: Line = ("only ", *codes(step["projection"])) if "projection" in step else ()
    return joined((text, only), Break())


def _page(planned: Planned) -> Line:
    page = planned.pattern.page
    return () if page is None else (str(page),)


def _rate(planned: Planned) -> Line:
    rate = planned.pattern.rate
    return () if rate is None else (rate.text,)


def _measured(planned: Planned, measured: Measured) -> Line:
    return measured.patterns.get(planned.name, ())


def _code(text: str | None) -> Line:
    return (Code(text),) if text else ()


def _plain(value: Any) -> str:
    return str(value).removeprefix("$")
