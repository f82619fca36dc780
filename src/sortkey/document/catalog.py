"""The item catalog: every table, item and access pattern of a design, in one page."""

from collections.abc import Iterator

from sortkey.design.declaring.collection import Collection
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.invariant import Invariant
from sortkey.design.tables.table import Table
from sortkey.document.entities import entity_section
from sortkey.document.keymap import key_map
from sortkey.document.measured import Measured
from sortkey.document.model import CatalogModel
from sortkey.document.page import (
    Aside,
    Block,
    Break,
    Code,
    DocumentPage,
    Grid,
    Line,
    Link,
    Paragraph,
    RowGroup,
    Section,
    Strong,
    anchor_of,
    joined,
    row,
)
from sortkey.document.patterns import pattern_sections, scan_note
from sortkey.document.phrases import prose
from sortkey.document.roles import role_blocks
from sortkey.document.tables import table_blocks
from sortkey.wording.prose import first_paragraph, noun

NOTHING = Measured()


def catalog(design: Design, measured: Measured = NOTHING) -> DocumentPage:
    """Return the page of a design, with the verdicts of a report if there is one."""
    model = CatalogModel(design)
    return DocumentPage(
        name=design.name,
        title="Item catalog",
        counts=tuple(_counts(model)),
        introduction=tuple(_introduction(model)),
        sections=tuple(_sections(model, measured)),
    )


def _counts(model: CatalogModel) -> Iterator[tuple[int, str]]:
    design = model.design
    for count, one, many in (
        (len(design.tables), "table", ""),
        (len(model.entities), "entity", "entities"),
        (len(design.patterns), "access pattern", ""),
        (len(design.roles), "role", ""),
    ):
        if count:
            yield count, noun(count, one, many)


def _introduction(model: CatalogModel) -> Iterator[Block]:
    about = model.about
    environments: Line = ("Environments: ", ", ".join(about.environments), ".")
    apart: Line = (" Tenants are separated by ", Code(about.tenant), ".") if about.tenant else ()
    yield Paragraph((*environments, *apart))


def _sections(model: CatalogModel, measured: Measured) -> Iterator[Section]:
    for table in model.tables:
        yield _table(model, table, measured)
    if model.design.collections:
        yield Section("Collections", tuple(_collections(model)))
    if model.plans:
        patterns = tuple(pattern_sections(model, measured))
        yield Section("Access patterns", (scan_note(model),), patterns)
    if model.design.invariants:
        yield Section("Invariants", tuple(_invariants(model, measured)))
    if model.design.roles:
        yield Section("Roles", tuple(role_blocks(model)))
    if model.design.findings:
        yield Section("Findings", (_findings(model),))


def _table(model: CatalogModel, table: type[Table], measured: Measured) -> Section:
    entities = model.entities_of(table)
    return Section(
        f"Table {table.__name__}",
        (*table_blocks(model, table), *key_map(model, table)),
        tuple(
            entity_section(model, table, entity, measured.entities.get(entity.name, ()))
            for entity in entities
        ),
        about="table",
    )


def _collections(model: CatalogModel) -> Iterator[Block]:
    yield Paragraph(("Each collection is the result of one Query over several entities.",))
    rows = tuple(_collection(model, collection) for collection in model.design.collections)
    yield Grid(("Collection", "Entities", "Queried", "Partition"), rows)


def _collection(model: CatalogModel, collection: type[Collection]) -> RowGroup:
    definition = collection.__collection__
    table, index = definition.table, definition.index
    place = "" if table is None else table.__name__
    is_primary = index is None or index.kind == "primary"
    doc: Line = (": ", *prose(first_paragraph(definition.doc))) if definition.doc else ()
    members: list[Line] = []
    for member in definition.members:
        title = member.kind.name if table is None else model.title_of(table, member.kind.name)
        wanted = "all of " if member.many else "one "
        members.append((wanted, Link(member.kind.name, anchor_of(title))))
    partition = [part.template.text for m in definition.members[:1] for part in m.key.partition]
    return row(
        (Strong(definition.name), *doc),
        joined(members),
        (Code(place if is_primary or index is None else f"{place}.{index.name}"),),
        joined((Code(text),) for text in partition),
    )


def _invariants(model: CatalogModel, measured: Measured) -> Iterator[Block]:
    yield Paragraph(("These conditions hold after every write.",))
    yield Grid(
        ("Invariant", "Condition", "Entities"),
        tuple(_invariant(model, each, measured) for each in model.design.invariants),
    )


def _invariant(model: CatalogModel, invariant: Invariant[...], measured: Measured) -> RowGroup:
    doc: Line = (Break(), Aside(prose(first_paragraph(invariant.doc)))) if invariant.doc else ()
    entities: list[Line] = []
    for entity in invariant.entities:
        table = entity.__kind__.primary.definition.table
        title = entity.__name__ if table is None else model.title_of(table, entity.__name__)
        entities.append((Link(entity.__name__, anchor_of(title)),))
    verdicts = measured.invariants.get(invariant.name, ())
    name: Line = (Strong(invariant.name), *((Break(), *verdicts) if verdicts else ()))
    return row(name, (invariant.title, ".", *doc), joined(entities))


def _findings(model: CatalogModel) -> Grid:
    rows = tuple(
        row((f"{f.code} {f.name}",), (Code(f.where),), (f.message,), (f.fix,))
        for f in model.design.findings
    )
    return Grid(("Rule", "Where", "Finding", "Fix"), rows)
