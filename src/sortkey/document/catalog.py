"""The item catalog: every table, item and access pattern of a design, in one page."""

from collections.abc import Iterator

from sortkey.design.collection import Collection
from sortkey.design.design import Design
from sortkey.design.invariant import Invariant
from sortkey.design.table import Table
from sortkey.document.entities import entity_section
from sortkey.document.keymap import key_map
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
    Link,
    Page,
    Paragraph,
    Section,
    Strong,
    anchor_of,
    joined,
    row,
)
from sortkey.document.patterns import pattern_sections, scan_note
from sortkey.document.roles import role_blocks
from sortkey.document.tables import table_blocks
from sortkey.document.wording import first_paragraph, prose

NOTHING = Measured()


def catalog(design: Design, measured: Measured = NOTHING) -> Page:
    """The page of a design, with what was found out about each pattern where that is known."""
    model = Model(design)
    return Page(
        name=design.name,
        title="Item catalog",
        counts=tuple(_counts(model)),
        introduction=tuple(_introduction(model)),
        sections=tuple(_sections(model, measured)),
    )


def _counts(model: Model) -> Iterator[tuple[int, str]]:
    design = model.design
    for count, noun, plural in (
        (len(design.tables), "table", "tables"),
        (len(model.entities), "entity", "entities"),
        (len(design.patterns), "access pattern", "access patterns"),
        (len(design.roles), "role", "roles"),
    ):
        if count:
            yield count, noun if count == 1 else plural


def _introduction(model: Model) -> Iterator[Block]:
    about = model.about
    environments: Line = ("Environments: ", ", ".join(about.environments), ".")
    apart: Line = (" Customers are kept apart by ", Code(about.tenant), ".") if about.tenant else ()
    yield Paragraph((*environments, *apart))


def _sections(model: Model, measured: Measured) -> Iterator[Section]:
    for table in model.tables:
        yield _table(model, table, measured)
    if model.design.collections:
        yield Section("Collections", tuple(_collections(model)))
    if model.plans:
        patterns = tuple(pattern_sections(model, measured))
        yield Section("Access patterns", (scan_note(model),), patterns)
    if model.design.invariants:
        yield Section("Invariants", tuple(_invariants(model)))
    if model.design.roles:
        yield Section("Roles", tuple(role_blocks(model)))
    if model.design.findings:
        yield Section("Findings", (_findings(model),))


def _table(model: Model, table: type[Table], measured: Measured) -> Section:
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


def _collections(model: Model) -> Iterator[Block]:
    yield Paragraph(("What one Query over several entities returns.",))
    rows = tuple(_collection(model, collection) for collection in model.design.collections)
    yield Grid(("Collection", "Holds", "Query of", "Partition"), rows)


def _collection(model: Model, collection: type[Collection]) -> Group:
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


def _invariants(model: Model) -> Iterator[Block]:
    yield Paragraph(("What is true of the records after every write.",))
    yield Grid(
        ("Invariant", "What is true", "Looks at"),
        tuple(_invariant(model, invariant) for invariant in model.design.invariants),
    )


def _invariant(model: Model, invariant: Invariant[...]) -> Group:
    doc: Line = (Break(), Aside(prose(first_paragraph(invariant.doc)))) if invariant.doc else ()
    looked_at: list[Line] = []
    for entity in invariant.entities:
        table = entity.__kind__.primary.definition.table
        title = entity.__name__ if table is None else model.title_of(table, entity.__name__)
        looked_at.append((Link(entity.__name__, anchor_of(title)),))
    return row((Strong(invariant.name),), (invariant.title, ".", *doc), joined(looked_at))


def _findings(model: Model) -> Grid:
    rows = tuple(
        row((f"{f.code} {f.name}",), (Code(f.where),), (f.message,), (f.fix,))
        for f in model.design.findings
    )
    return Grid(("Rule", "Where", "What", "Instead"), rows)
