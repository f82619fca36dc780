"""The section of one table: where it is, its key and indexes, how it is run."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from sortkey.design.notation import plain
from sortkey.design.settings import Alarms, Backups, OnDemand, Provisioned, Settings
from sortkey.design.table import Attribute, Index, Table, TableDefinition
from sortkey.document.model import Described, Model, keys_of
from sortkey.document.page import (
    Block,
    Break,
    Code,
    Facts,
    Grid,
    Group,
    Line,
    Link,
    Paragraph,
    Piece,
    anchor_of,
    codes,
    joined,
    row,
)
from sortkey.document.wording import billing_text, paragraphs, prose

# Watched only where something is reserved.
_RESERVED = "consumed_percent"
_WATCHED = {
    "throttled_requests": (" throttled request", " throttled requests"),
    "system_errors": (" system error", " system errors"),
    "latency_ms": (" ms of latency", " ms of latency"),
    "user_errors": (" user error", " user errors"),
    "conditional_failures": (" failed condition", " failed conditions"),
    "transaction_conflicts": (" conflict of transactions", " conflicts of transactions"),
    _RESERVED: (" % of what is reserved", " % of what is reserved"),
}


def table_blocks(model: Model, table: type[Table]) -> Iterator[Block]:
    """What holds for a whole table."""
    definition = table.definition
    for text in paragraphs(definition.doc):
        yield Paragraph(prose(text))
    yield Facts(tuple(_facts(model, definition)))
    if definition.indexes:
        yield Grid(
            ("Index", "Kind", "Partition", "Sort", "Holds", "Entities"),
            tuple(_index(model, table, index) for index in definition.indexes.values()),
            "Indexes",
        )


def _facts(model: Model, definition: TableDefinition) -> Iterator[tuple[str, Line]]:
    settings = definition.settings
    yield "Name", _names(definition, model.about.environments)
    yield "Key", _key(definition.primary)
    if definition.type_attribute is not None:
        yield "Entity of an item", (Code(definition.type_attribute),)
    if settings.ttl is not None:
        yield "TTL", (Code(settings.ttl),)
    yield "Billing", (billing_text(settings.billing),)
    if settings.stream is not None:
        yield "Stream", (Code(settings.stream),)
    yield from _safety(settings, model.about.environments)
    if definition.raw:
        yield "Raw", ("written elsewhere, and taken as it is",)
    yield from _house(settings, model.about.environments)


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
    encryption = {"service": "by DynamoDB's own key", "aws-managed": "by AWS's managed key"}
    known = encryption.get(settings.encryption)
    yield "Encryption", (known,) if known else ("by ", Code(settings.encryption))
    ends = {environment: settings.removal_in(environment) for environment in environments}
    # What is destroyed with its stack is not held back, so that it can be.
    held = {e: settings.deletion_protection and end == "retain" for e, end in ends.items()}
    protected = {environment: "yes" if is_held else "no" for environment, is_held in held.items()}
    yield "Protected from deletion", (_by_environment(protected),)
    yield "When it leaves the design", (_by_environment(ends),)
    if settings.backups is not None:
        yield "Backups", tuple(_backups(settings.backups))
    if settings.replicas:
        yield "Also in", codes(replica.region for replica in settings.replicas)
    if settings.ephemeral:
        yield "Ephemeral", ("nothing in it is worth restoring",)


def _by_environment(told: Mapping[str, str]) -> str:
    """What holds in each environment, or once what holds in all."""
    if len({*told.values()}) == 1:
        return next(iter(told.values()))
    return ", ".join(f"{text} in {environment}" for environment, text in told.items())


def _backups(backups: Backups) -> Iterator[Piece]:
    yield Code(backups.schedule)
    yield f", kept for {backups.keep_days} days"
    if backups.copy_to is not None:
        yield "; copied to "
        yield Code(backups.copy_to)


def _alarms(alarms: Alarms, billing: OnDemand | Provisioned) -> Iterator[Piece]:
    limits = asdict(alarms)
    watched = [
        f"{limits[name]}{one if limits[name] == 1 else several}"
        for name, (one, several) in _WATCHED.items()
        if limits[name] is not None and (name != _RESERVED or isinstance(billing, Provisioned))
    ]
    yield f"from {', '.join(watched)} in {alarms.period_seconds} seconds"
    if alarms.notify is not None:
        yield "; told to "
        yield Code(alarms.notify)


def _house(settings: Settings, environments: tuple[str, ...]) -> Iterator[tuple[str, Line]]:
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
    for exemption in settings.exemptions:
        of = f" of {exemption.index}" if exemption.index else ""
        yield f"Exempt from {exemption.point}{of}", (exemption.reason,)


def _index(model: Model, table: type[Table], index: Index) -> Group:
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
            return ("whole items",)
        case "KEYS_ONLY":
            return ("keys only",)
        case _:
            return ("keys and ", *codes(plain(projection)))
