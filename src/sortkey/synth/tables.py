"""A table as it is deployed in one environment."""

from collections.abc import Iterator

from sortkey.design.tables.settings import Provisioned, Replica, Settings, StreamView
from sortkey.design.tables.table import Attribute, TableDefinition
from sortkey.design.tables.table import Index as DesignIndex
from sortkey.errors import Refused
from sortkey.synth.model import AutoScaling, IndexResource, TableResource, Units

# The stream that replicas need.
_REPLICATED: StreamView = "NEW_AND_OLD_IMAGES"


def table_in(definition: TableDefinition, environment: str) -> TableResource:
    """Return the deployed form of a table.

    Raises:
        Refused: Its settings contradict each other.
    """
    settings = definition.settings
    indexes = tuple(map(_index, definition.indexes.values()))
    removal = settings.removal_in(environment)
    # Each attribute of the table and its indexes once.
    keyed = (definition.primary, *definition.indexes.values())
    attributes = {a.name: a for index in keyed for a in index.attributes}
    return TableResource(
        id=definition.logical_id,
        name=definition.name_in(environment),
        comment=definition.doc,
        partition=definition.primary.partition[0],
        sort=next(iter(definition.primary.sort), None),
        attributes=tuple(attributes.values()),
        indexes=indexes,
        provisioned=_provisioned(settings),
        ceilings=_ceilings(settings),
        scalings=tuple(_scalings(settings, indexes)),
        ttl=settings.ttl,
        stream=_stream(definition),
        recovery_days=settings.recovery_days,
        key=None if settings.encryption == "service" else settings.encryption,
        # A table that is destroyed with its stack must not be protected.
        deletion_protection=settings.deletion_protection and removal == "retain",
        removal=removal,
        table_class=settings.table_class,
        tags=dict(sorted(settings.tags.items())),
        replicas=_replicas(definition),
    )


def _index(index: DesignIndex) -> IndexResource:
    named = isinstance(index.projection, str)
    return IndexResource(
        index.name,
        "local" if index.kind == "local" else "global",
        index.partition,
        index.sort,
        index.projection if isinstance(index.projection, str) else "INCLUDE",
        () if named else tuple(index.projection),
    )


def _provisioned(settings: Settings) -> Units | None:
    billing = settings.billing
    return Units(billing.reads, billing.writes) if isinstance(billing, Provisioned) else None


def _ceilings(settings: Settings) -> Units | None:
    billing = settings.billing
    if isinstance(billing, Provisioned):
        return None
    return Units(billing.most_reads, billing.most_writes)


def _scalings(settings: Settings, indexes: tuple[IndexResource, ...]) -> Iterator[AutoScaling]:
    billing = settings.billing
    if not isinstance(billing, Provisioned):
        return
    places = (None, *(index.name for index in indexes if index.kind == "global"))
    for place in places:
        if billing.most_reads is not None:
            yield AutoScaling(
                "read", place, billing.reads, billing.most_reads, billing.target_percent
            )
        if billing.most_writes is not None:
            yield AutoScaling(
                "write", place, billing.writes, billing.most_writes, billing.target_percent
            )


def _stream(definition: TableDefinition) -> StreamView | None:
    settings = definition.settings
    if not settings.replicas:
        return settings.stream
    if settings.stream not in {None, _REPLICATED}:
        raise Refused(
            f"{definition} is replicated, and its stream then has {_REPLICATED}, not "
            f"{settings.stream}: change stream, or leave it out"
        )
    return _REPLICATED


def _replicas(definition: TableDefinition) -> tuple[Replica, ...]:
    settings = definition.settings
    billing = settings.billing
    keyed = settings.encryption not in {"service", "aws-managed"}
    for replica in settings.replicas:
        if keyed != (replica.key is not None):
            raise Refused(
                f"{definition} and its replica in {replica.region} must be encrypted alike: "
                "give each a key of its own region, or neither"
            )
    if settings.replicas and isinstance(billing, Provisioned) and billing.most_writes is None:
        raise Refused(
            f"{definition} is replicated, so its provisioned writes must scale: give most_writes"
        )
    return settings.replicas


def key_attributes(table: TableResource) -> tuple[Attribute, ...]:
    """Return the attributes of a table's own key."""
    return (table.partition,) if table.sort is None else (table.partition, table.sort)
