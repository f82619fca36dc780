"""The section of one entity: what it is, where it lies, what it holds, what is guaranteed."""

from collections.abc import Iterable, Iterator
from typing import Any

from sortkey.design.claim import Claim
from sortkey.design.expectations import Relation
from sortkey.design.kind import EntityKind
from sortkey.design.notation import condition_text
from sortkey.design.plan import PatternPlan, PlannedStep
from sortkey.design.table import Table
from sortkey.design.unbuilt import UnbuiltEntity
from sortkey.document.attributes import (
    StoredAttribute,
    attributes_of,
    declared_attributes,
    structures_of,
)
from sortkey.document.badges import badges_of
from sortkey.document.model import (
    Described,
    Model,
    WrittenKey,
    keys_of,
    stored_name,
)
from sortkey.document.page import (
    Block,
    Bullets,
    Code,
    Grid,
    Group,
    Line,
    Link,
    Listing,
    Paragraph,
    Section,
    Strong,
    anchor_of,
    codes,
    joined,
    row,
)
from sortkey.document.wording import expected_text, first_paragraph, paragraphs, prose

_COLUMNS = ("Attribute", "Stored", "Type", "Values", "Default")


def entity_section(
    model: Model, table: type[Table], entity: Described, measured: Line = ()
) -> Section:
    """Everything about one entity, with what was found out about it."""
    found = (Paragraph((Strong("Measured"), ": ", *measured)),) if measured else ()
    return Section(
        model.title_of(table, entity.name),
        (*_blocks(model, table, entity), *found),
        about="entity",
        badges=badges_of(entity),
    )


def _blocks(model: Model, table: type[Table], entity: Described) -> Iterator[Block]:
    for text in paragraphs(entity.model.__doc__ or ""):
        yield Paragraph(prose(text))
    primary, *others = keys_of(entity)
    yield Listing("\n".join(f"{a.name} = {text}" for a, text in primary.parts))
    if isinstance(entity, UnbuiltEntity):
        yield Paragraph(("Its key cannot be written: see the findings.",))
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
        yield Paragraph((Strong("Expected by its primary key"), f": {expected}."))
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


def _attribute(attribute: StoredAttribute) -> Group:
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


def _index_key(key: WrittenKey) -> Group:
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
        told = "; past it the record counts as absent."
        yield Paragraph((Strong("TTL"), ": ", Code(entity.expires), told))


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
        yield "Each write checks ", Code(entity.version), " and raises it: no update is lost."
    for field in entity.uniques:
        yield Code(field.stored), " is unique: a lock is written in the same transaction."
    if entity.secrets:
        names = [s.stored for secrets in entity.secrets for s in secrets.fields]
        yield "Encrypted before they are stored: ", *codes(names), "."
    if issubclass(entity.model, Claim):
        yield ("Done once: held for a lease, and finished in the transaction of its work.",)
    if primary.shards > 1:
        yield (f"Spread over {primary.shards} shards, and read as one.",)
    if entity.shape > 1:
        yield (f"In its shape {entity.shape}; earlier ones are read, too.",)


def _relation(model: Model, entity: Described, relation: Relation) -> Line:
    target = relation.to.__name__
    anchor = next(
        (anchor_of(model.title_of(t, e.name)) for t, e in model.entities if e.model is relation.to),
        "",
    )
    line: Line = (Code(stored_name(entity, relation.field)), " names a ", Link(target, anchor))
    if relation.copies:
        line = (*line, "; copied from it: ", *codes(relation.copies))
    if relation.refreshed_by:
        line = (*line, "; refreshed by ", Code(relation.refreshed_by))
    return (*line, ".")


def _writes(model: Model, table: type[Table], entity: Described) -> Iterator[Block]:
    rows = tuple(
        row(
            _pattern_link(plan),
            (step.verb,),
            ("always",) if step.condition is None else _code(condition_text(step.condition)),
            ("yes",) if plan.shape == "transaction" else (),
        )
        for plan, step in _about(model, table, entity)
        if step.writes
    )
    if rows:
        # The lock of a unique field is written as its record is, which need not be said twice.
        once = tuple(dict.fromkeys(rows))
        yield Grid(("Written by", "Operation", "Only if", "In a transaction"), once, "Writes")


def _code(text: str | None) -> Line:
    return () if text is None else (Code(text),)


def _checked_and_read(model: Model, table: type[Table], entity: Described) -> Iterator[Block]:
    about = list(_about(model, table, entity))
    checking = [plan for plan, step in about if not step.reads and not step.writes]
    reading = [plan for plan, step in about if step.reads]
    for verb, using in (("Checked by ", checking), ("Read by ", reading)):
        if using:
            names = joined(_pattern_link(p) for p in {p.pattern.name: p for p in using}.values())
            yield Paragraph((verb, *names, "."))


def _about(
    model: Model, table: type[Table], entity: Described
) -> Iterator[tuple[PatternPlan, PlannedStep]]:
    """The steps that read, write or check an entity, each with its plan."""
    for plan in model.plans:
        for step in plan.steps:
            if step.table is table.definition and entity.name in step.entities:
                yield plan, step


def _pattern_link(plan: PatternPlan) -> Line:
    return (Link(plan.pattern.name, f"pattern-{plan.pattern.name}"),)
