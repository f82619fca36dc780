"""A shop's schema changes in versions, and no version is lost."""

import pytest
from tests.access.executors import stored_items
from tests.systems.shuttle.conftest import CAFE, MORNING, Watch, installed

from sortkey import DB, TransactionFailed
from sortkey_systems.shuttle.defining import define, mark_validated
from sortkey_systems.shuttle.design.schemas import (
    CurrentSchema,
    FieldDefinition,
    MetafieldDefinition,
    MetaobjectDefinition,
    SchemaVersion,
    current_schema,
    schema_version,
)
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.errors import BadInput, SchemaChanged, ShopNotFound

SIZE = MetaobjectDefinition(
    type="size", name="Größe", fields=[FieldDefinition(key="waist", type="dimension")]
)


def defined(db: DB, after: int, *keys: str, domain: str = CAFE) -> CurrentSchema:
    fields = [MetafieldDefinition(namespace="custom", key=key, type="text") for key in keys]
    return define(db, domain, after=after, metafields=fields, metaobjects=[SIZE])


def test_each_version_is_kept_and_the_last_is_current(db: DB) -> None:
    installed(db)
    first = defined(db, 0, "a")
    second = defined(db, 1, "a", "b")

    assert db(current_schema(CAFE)) == second
    assert second.version == 2
    for schema in (first, second):
        kept = db(schema_version(CAFE, schema.version))
        assert kept == SchemaVersion.model_validate(schema.model_dump())
    assert db(schema_version(CAFE, 3)) is None
    keys = {item["SK"]["S"] for item in stored_items(db, Shuttle)}
    assert keys == {"METADATA", "SCHEMA#CURRENT", "SCHEMA#V000001", "SCHEMA#V000002"}


def test_a_caller_who_has_read_an_old_version_gets_an_error(db: DB) -> None:
    installed(db)
    defined(db, 0, "a")

    for stale in (0, 2):
        with pytest.raises(SchemaChanged):
            defined(db, stale, "b")

    found = db(current_schema(CAFE))
    assert found is not None
    assert [field.key for field in found.metafield_definitions] == ["a"]


def test_it_is_marked_valid_only_if_the_version_is_current(db: DB, watch: Watch) -> None:
    installed(db)
    defined(db, 0, "a")
    watch.wait(days=1)

    assert mark_validated(db, CAFE, 1).last_validated_at == watch.now
    with pytest.raises(SchemaChanged):
        mark_validated(db, CAFE, 2)
    kept = db(schema_version(CAFE, 1))
    assert kept is not None
    assert kept.last_validated_at == MORNING


def test_an_unknown_shop_cannot_define_a_schema(db: DB) -> None:
    with pytest.raises(ShopNotFound):
        defined(db, 0, "a")
    with pytest.raises(ShopNotFound):
        mark_validated(db, CAFE, 1)
    assert stored_items(db, Shuttle) == []


def test_an_invalid_version_is_rejected_by_field(db: DB) -> None:
    installed(db)

    for after in (-1, 999_999):
        with pytest.raises(BadInput) as refused:
            defined(db, after, "a")
        assert refused.value.field == "version"
    with pytest.raises(BadInput) as refused:
        defined(db, 0, "a", domain="a#b")
    assert refused.value.field == "domain"


def test_definitions_that_do_not_fit_a_record_are_rejected_by_field(db: DB) -> None:
    installed(db)
    first = named(db, 0, "")
    room = 400_000 - len(first.model_dump_json().encode())

    for name in ("x" * (room + 1), "x" * (room - 1) + "ö"):
        with pytest.raises(BadInput) as refused:
            named(db, 1, name)
        assert refused.value.field == "definitions"
    second = named(db, 1, "x" * (room - 2) + "ö")

    assert db(current_schema(CAFE)) == second


def named(db: DB, after: int, name: str) -> CurrentSchema:
    """Define a schema with one object of this name."""
    size = MetaobjectDefinition(type="size", name=name)
    return define(db, CAFE, after=after, metafields=[], metaobjects=[size])


def test_a_version_that_is_kept_is_not_written_over(memory: DB) -> None:
    installed(memory)
    first = defined(memory, 0, "a")
    defined(memory, 1, "b")
    kept = memory(SchemaVersion.query(domain=CAFE))

    memory(first.put())
    with pytest.raises(TransactionFailed):
        defined(memory, 1, "c")
    memory(CurrentSchema.delete(domain=CAFE))
    with pytest.raises(TransactionFailed):
        defined(memory, 0, "c")

    assert memory(SchemaVersion.query(domain=CAFE)) == kept
    assert memory(current_schema(CAFE)) is None
