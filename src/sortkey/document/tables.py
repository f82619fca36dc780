"""The section of one table: its names, key, settings and indexes."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from sortkey.design.plans.notation import plain
from sortkey.design.tables.settings import Alarms, Backups, OnDemand, Provisioned, Settings
from sortkey.design.tables.table import Attribute, Index, Table, TableDefinition
from sortkey.document.model import CatalogModel, Described, keys_of
from sortkey.document.page import (
    Block,
    Break,
    Code,
    Facts,
    Grid,
    Line,
    Link,
    Paragraph,
    Piece,
    RowGroup,
    anchor_of,
    codes,
    joined,
    row,
)
from sortkey.document.phrases import billing_text, prose
from sortkey.wording.prose import noun, paragraphs

# Watched only with provisioned capacity.
_RESERVED = "consumed_percent"
_WATCHED = {
    "throttled_requests": (" throttled request", " throttled requests"),
    "system_errors": (" system error", " system errors"),
    "latency_ms": (" ms of latency", " ms of latency"),
    "user_errors": (" user error", " user errors"),
    "conditional_failures": (" failed condition", " failed conditions"),
    "transaction_conflicts": (" transaction conflict", " transaction conflicts"),
    _RESERVED: (" % of the provisioned capacity", " % of the provisioned capacity"),
}


def table_blocks(model: CatalogModel, table: type[Table]) -> Iterator[Block]:
    """Yield the blocks about a whole table."""
    definition = table.definition
    for text in paragraphs(definition.doc):
        yield Paragraph(prose(text))
    yield Facts(tuple(_facts(model, definition)))
    if definition.indexes:
        yield Grid(
            ("Index", "Kind", "Partition", "Sort", "Projection", "Entities"),
            tuple(_index(model, table, index) for index in definition.indexes.values()),
            "Indexes",
        )


def _facts(model: CatalogModel, definition: TableDefinition) -> Iterator[tuple[str, Line]]:
    settings = definition.settings
    yield "Name", _names(definition, model.about.environments)
    yield "Key", _key(definition.primary)
    if definition.type_attribute is not None:
        yield "Entity type", (Code(definition.type_attribute),)
    if settings.ttl is not None:
        yield "TTL", (Code(settings.ttl),)
    yield "Billing", (billing_text(settings.billing),)
    if settings.stream is not None:
        yield "Stream", (Code(settings.stream),)
    yield from _safety(settings, model.about.environments)
    if definition.raw:
        yield "Raw", ("declared as it was written elsewhere",)
    yield from _house(definition, model.about.environments)


def _names(definition: TableDefinition, environments: tuple[str, ...]) -> Line:
    named: dict[str, list[str]] = {}
    for environment in environments:
        named.setdefault(definition.name_in(environment), []).append(environment)
    return joined((Code(name), f" in {' and '.join(where)}") for name, where in named.items())


def _key(index: Index) -> Line:
    return joined((_attributes(part) for part in (index.partition, index.sort)), " / ")


def _attributes(attributes: tuple[Attribute, ...]) -> Line:
    return joined((Code(a.name), f" ({a.type})") for a in attributes)


def _safety(settings: Settings, environments: tuple[str, ...]) -> Iterator[tuple[str, Line]]:
    days = settings.recovery_days
    yield "Recovery", (f"to any second of the last {days} days" if days else "none",)
    encryption = {"service": "with DynamoDB's own key", "aws-managed": "with AWS's managed key"}
    known = encryption.get(settings.encryption)
    yield "Encryption", (known,) if known else ("with ", Code(settings.encryption))
    ends = {environment: settings.removal_in(environment) for environment in environments}
    # A table that is destroyed with its stack is not protected, so that it can be.
    kept = {e: settings.deletion_protection and end == "retain" for e, end in ends.items()}
    protected = {environment: "yes" if is_kept else "no" for environment, is_kept in kept.items()}
    yield "Protected from deletion", (_by_environment(protected),)
    yield "When removed from the design", (_by_environment(ends),)
    if isinstance(settings.backups, Backups):
        yield "Backups", tuple(_backups(settings.backups))
    elif settings.backups is not None:
        for environment, backups in settings.backups.items():
            yield f"Backups in {environment}", tuple(_backups(backups))
    if settings.replicas:
        yield "Replicas", codes(replica.region for replica in settings.replicas)
    if settings.ephemeral:
        yield "Ephemeral", ("not worth restoring",)


def _by_environment(values: Mapping[str, str]) -> str:
    """Return the value of each environment, or once the value of all."""
    if len({*values.values()}) == 1:
        return next(iter(values.values()))
    return ", ".join(f"{value} in {environment}" for environment, value in values.items())


def _backups(backups: Backups) -> Iterator[Piece]:
    yield Code(backups.schedule)
    yield f", kept for {backups.keep_days} days"
    if backups.copy_to is not None:
        yield "; copied to "
        yield Code(backups.copy_to)


def _alarms(alarms: Alarms, billing: OnDemand | Provisioned) -> Iterator[Piece]:
    limits = asdict(alarms)
    watched = [
        f"{limits[name]:,}{noun(limits[name], one, several)}"
        for name, (one, several) in _WATCHED.items()
        if limits[name] is not None and (name != _RESERVED or isinstance(billing, Provisioned))
    ]
    yield f"at {', '.join(watched)} in {alarms.period_seconds} seconds"
    if alarms.notify is not None:
        yield "; notifies "
        yield Code(alarms.notify)


def _house(
    definition: TableDefinition, environments: tuple[str, ...]
) -> Iterator[tuple[str, Line]]:
    settings = definition.settings
    if settings.table_class != "STANDARD":
        yield "Class", (Code(settings.table_class),)
    if settings.tags:
        yield "Tags", codes(f"{name}={value}" for name, value in settings.tags.items())
    if settings.alarms is not None:
        yield "Alarms", tuple(_alarms(settings.alarms, settings.billing))
    standard, exported = settings.standard, settings.exported
    if standard is not None:
        yield "Standard", (standard.name,)
    if standard is not None and exported is not None:
        paths = [standard.parameter_in(environment, exported) for environment in environments]
        yield "Name exported as", joined(((Code(path),) for path in paths if path), Break())
    for point, index, reason in definition.points_left_aside:
        of = f" of {index}" if index else ""
        yield f"Exempt from {point}{of}", (reason,)


def _index(model: CatalogModel, table: type[Table], index: Index) -> RowGroup:
    names = [entity.name for entity in model.entities_of(table) if _is_in(entity, index.name)]
    links: list[Line] = [(Link(name, anchor_of(model.title_of(table, name))),) for name in names]
    return row(
        (Code(index.name),),
        (index.kind,),
        _attributes(index.partition),
        _attributes(index.sort),
        _projection(index.projection),
        joined(links),
    )


def _is_in(entity: Described, index: str) -> bool:
    return any(key.index == index for key in keys_of(entity))


def _projection(projection: Any) -> Line:
    match projection:
        case "ALL":
            return ("all attributes",)
        case "KEYS_ONLY":
            return ("keys only",)
        case _:
            return ("keys and ", *codes(plain(projection)))
