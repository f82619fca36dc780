"""The section of one entity: its purpose, keys, attributes, guarantees and writes."""

from collections.abc import Iterable, Iterator
from typing import Any

from sortkey.design.declaring.claim import Claim
from sortkey.design.plans.notation import condition_text
from sortkey.design.plans.plan import PatternPlan, PlannedStep
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.unbuilt import UnbuiltEntity
from sortkey.design.tables.expectations import Relation
from sortkey.design.tables.table import Table
from sortkey.document.attributes import (
    StoredAttribute,
    attributes_of,
    declared_attributes,
    structures_of,
)
from sortkey.document.badges import badges_of
from sortkey.document.model import (
    CatalogModel,
    Described,
    WrittenKey,
    keys_of,
    stored_name,
)
from sortkey.document.page import (
    Block,
    Bullets,
    Code,
    Grid,
    Line,
    Link,
    Listing,
    Paragraph,
    RowGroup,
    Section,
    Strong,
    anchor_of,
    codes,
    joined,
    row,
)
from sortkey.document.phrases import expected_text, prose
from sortkey.wording.prose import a, first_paragraph, paragraphs

_COLUMNS = ("Attribute", "Stored", "Type", "Values", "Default")


def entity_section(
    model: CatalogModel, table: type[Table], entity: Described, verdicts: Line = ()
) -> Section:
    """Return the section of one entity, with its verdicts."""
    return Section(
        model.title_of(table, entity.name),
        (*_blocks(model, table, entity), *([Paragraph(verdicts)] if verdicts else [])),
        about="entity",
        badges=badges_of(entity),
    )


def _blocks(model: CatalogModel, table: type[Table], entity: Described) -> Iterator[Block]:
    for text in paragraphs(entity.model.__doc__ or ""):
        yield Paragraph(prose(text))
    primary, *others = keys_of(entity)
    yield Listing("\n".join(f"{a.name} = {text}" for a, text in primary.parts))
    if isinstance(entity, UnbuiltEntity):
        yield Paragraph(("Its key is invalid: see the findings.",))
        yield from _attribute_grids(declared_attributes(entity.model))
    else:
        yield from _attribute_grids(attributes_of(entity))
        yield from _structures(entity)
    yield from _expiry(entity)
    if others:
        yield Grid(
            ("Index", "Partition", "Sort", "Kind"), tuple(map(_index_key, others)), "Indexes"
        )
    yield from _bullets("Guarantees", _guarantees(entity, primary))
    yield from _bullets("Relations", (_relation(model, entity, r) for r in entity.relations))
    if expected := expected_text(entity.expected):
        yield Paragraph((Strong("Expected"), f": {expected}."))
    if expected := expected_text(primary.expected):
        yield Paragraph((Strong("Expected for its primary key"), f": {expected}."))
    yield from _writes(model, table, entity)
    yield from _checked_and_read(model, table, entity)


def _bullets(label: str, lines: Iterable[Line]) -> Iterator[Block]:
    if listed := tuple(lines):
        yield Bullets(listed, label)


def _attribute_grids(attributes: Iterable[StoredAttribute]) -> Iterator[Grid]:
    listed = list(attributes)
    for label, required in (("Required", True), ("Optional", False)):
        rows = tuple(_attribute(each) for each in listed if each.required is required)
        if rows:
            yield Grid(_COLUMNS, rows, label)


def _attribute(attribute: StoredAttribute) -> RowGroup:
    return row(
        (Code(attribute.name),),
        (attribute.kinds,) if attribute.kinds else (),
        (Code(attribute.type),),
        attribute.notes,
        () if attribute.required else attribute.default,
    )


def _structures(kind: EntityKind[Any]) -> Iterator[Grid]:
    for structure, attributes in structures_of(kind).items():
        doc = first_paragraph(structure.__doc__ or "")
        label = f"Within {structure.__name__}" + (f": {doc.removesuffix('.')}" if doc else "")
        yield Grid(_COLUMNS, tuple(map(_attribute, attributes)), label)


def _index_key(key: WrittenKey) -> RowGroup:
    which = [
        "sparse" if key.sparse else "",
        f"spread over {key.shards} shards" if key.shards > 1 else "",
        expected_text(key.expected),
    ]
    return row(
        (Code(key.index or ""),),
        (Code(key.partition_text),),
        (Code(key.sort_text),) if key.sort_text else (),
        ("; ".join(filter(None, which)),) if any(which) else (),
    )


def _expiry(entity: Described) -> Iterator[Block]:
    if not isinstance(entity, UnbuiltEntity) and entity.expires is not None:
        text = "; after this time, the record counts as absent."
        yield Paragraph((Strong("TTL"), ": ", Code(entity.expires), text))


def _guarantees(entity: Described, primary: WrittenKey) -> Iterator[Line]:
    if isinstance(entity, UnbuiltEntity):
        return
    if entity.immutable:
        yield ("Immutable once created.",)
    frozen = [
        entity.stored_names[name] for name in entity.stored_names if name in entity.frozen_fields
    ]
    if frozen:
        yield (*codes(frozen), " never change" if len(frozen) > 1 else " never changes", ".")
    if entity.version is not None:
        yield "Each write checks and increments ", Code(entity.version), ", so no update is lost."
    for field in entity.uniques:
        scope = [entity.stored_names[name] for name in field.within]
        within = (" within ", *codes(scope)) if scope else ()
        unique = Code(entity.stored_names[field.field])
        yield unique, " is unique", *within, ": a lock is written in the same transaction."
    if entity.secrets:
        names = [s.stored for secrets in entity.secrets for s in secrets.fields]
        yield "Encrypted before they are stored: ", *codes(names), "."
    if issubclass(entity.model, Claim):
        yield ("Claimed once: held for a lease, and finished in the transaction of its work.",)
    if primary.shards > 1:
        yield (f"Spread over {primary.shards} shards, which one query reads.",)
    if entity.shape > 1:
        yield (f"Stored in shape {entity.shape}; records in earlier shapes can be read.",)


def _relation(model: CatalogModel, entity: Described, relation: Relation) -> Line:
    target = relation.to.__name__
    anchor = next(
        (anchor_of(model.title_of(t, e.name)) for t, e in model.entities if e.model is relation.to),
        "",
    )
    field = Code(stored_name(entity, relation.field))
    line: Line = (field, f" refers to {a(target).removesuffix(target)}", Link(target, anchor))
    if relation.copies:
        line = (*line, "; copied from it: ", *codes(relation.copies))
    if relation.refreshed_by:
        line = (*line, "; refreshed by ", Code(relation.refreshed_by))
    return (*line, ".")


def _writes(model: CatalogModel, table: type[Table], entity: Described) -> Iterator[Block]:
    rows = tuple(
        row(
            _pattern_link(plan),
            (step.verb,),
            ("none",) if step.condition is None else _code(condition_text(step.condition)),
            ("yes",) if plan.shape == "transaction" else (),
        )
        for plan, step in _about(model, table, entity)
        if step.writes
    )
    if rows:
        # The lock of a unique field is written under the same condition as its record.
        once = tuple(dict.fromkeys(rows))
        yield Grid(("Written by", "Operation", "Condition", "In a transaction"), once, "Writes")


def _code(text: str | None) -> Line:
    return () if text is None else (Code(text),)


def _checked_and_read(
    model: CatalogModel, table: type[Table], entity: Described
) -> Iterator[Block]:
    about = list(_about(model, table, entity))
    checking = [plan for plan, step in about if not step.reads and not step.writes]
    reading = [plan for plan, step in about if step.reads]
    for verb, using in (("Checked by ", checking), ("Read by ", reading)):
        if using:
            names = joined(_pattern_link(p) for p in {p.pattern.name: p for p in using}.values())
            yield Paragraph((verb, *names, "."))


def _about(
    model: CatalogModel, table: type[Table], entity: Described
) -> Iterator[tuple[PatternPlan, PlannedStep]]:
    """Yield the steps that read, write or check an entity, each with its plan."""
    for plan in model.plans:
        for step in plan.steps:
            if step.table is table.definition and entity.name in step.entities:
                yield plan, step


def _pattern_link(plan: PatternPlan) -> Line:
    return (Link(plan.pattern.name, f"pattern-{plan.pattern.name}"),)
