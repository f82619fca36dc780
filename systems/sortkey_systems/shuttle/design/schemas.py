"""Schemas: the custom fields of a shop, in versions."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints
from pydantic.alias_generators import to_camel

from sortkey import Entity, Expected, Op, pattern, transact
from sortkey_systems.shuttle.design.shops import accepts_writes, is_installed
from sortkey_systems.shuttle.design.table import LONG_AGO, Domain, Shuttle

# Limits that keep a schema within the size of a record.
MAX_METAFIELDS, MAX_METAOBJECTS, MAX_FIELDS = 250, 100, 40


class FieldDefinition(BaseModel):
    """A custom field of a shop."""

    key: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    type: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    is_required: bool = False


class MetafieldDefinition(FieldDefinition):
    """A custom field of a shop's products."""

    namespace: Annotated[str, StringConstraints(min_length=1, max_length=255)]


class MetaobjectDefinition(BaseModel):
    """A custom type of object of a shop."""

    type: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    name: str
    fields: Annotated[list[FieldDefinition], Field(max_length=MAX_FIELDS)] = Field(
        default_factory=list[FieldDefinition]
    )


class CurrentSchema(Entity, table=Shuttle, stored=to_camel):
    """The definitions that a shop's next import is checked against."""

    domain: Domain
    version: Annotated[int, Field(ge=1, le=999_999)] = 1
    metafield_definitions: Annotated[
        list[MetafieldDefinition], Field(max_length=MAX_METAFIELDS)
    ] = Field(default_factory=list[MetafieldDefinition])
    metaobject_definitions: Annotated[
        list[MetaobjectDefinition], Field(max_length=MAX_METAOBJECTS)
    ] = Field(default_factory=list[MetaobjectDefinition])
    last_validated_at: datetime = LONG_AGO

    primary = Shuttle.primary.key("SHOP#{domain}", "SCHEMA#CURRENT")


class SchemaVersion(
    Entity, table=Shuttle, stored=to_camel, immutable=True, expected=Expected(per_partition=10)
):
    """A version of a shop's definitions; it never changes."""

    domain: Domain
    version: Annotated[int, Field(ge=1, le=999_999)]
    metafield_definitions: Annotated[
        list[MetafieldDefinition], Field(max_length=MAX_METAFIELDS)
    ] = Field(default_factory=list[MetafieldDefinition])
    metaobject_definitions: Annotated[
        list[MetaobjectDefinition], Field(max_length=MAX_METAOBJECTS)
    ] = Field(default_factory=list[MetaobjectDefinition])
    last_validated_at: datetime = LONG_AGO

    primary = Shuttle.primary.key("SHOP#{domain}", "SCHEMA#V{version:06d}")


@pattern("The current schema of a shop", rate="5/s", fresh=True)
def current_schema(domain: str) -> Op[CurrentSchema | None]:
    """Read the schema consistently, since the next version is based on it."""
    return CurrentSchema.get(domain=domain).consistently()


@pattern("A version of a shop's schema", rate="1/min")
def schema_version(domain: str, version: int) -> Op[SchemaVersion | None]:
    """Return the version, or None if it does not exist."""
    return SchemaVersion.get(domain=domain, version=version)


@pattern("Define the first schema", rate="1/h")
def add_schema(current: CurrentSchema, kept: SchemaVersion) -> Op[None]:
    """Store version 1 if the shop is installed and has no schema."""
    return transact(is_installed(current.domain), current.create(), kept.create())


@pattern("Define the next schema", rate="1/min")
def replace_schema(current: CurrentSchema, kept: SchemaVersion, after: int) -> Op[None]:
    """Store the next version if the shop is installed and version ``after`` is current."""
    following = current.replace().where(lambda schema: schema.version == after)
    return transact(is_installed(current.domain), following, kept.create())


@pattern("Mark a schema as valid", rate="1/min")
def set_validated(domain: str, version: int, at: datetime) -> Op[None]:
    """Store the time of the validation if this version is still current."""
    found = CurrentSchema.update(domain=domain).set(last_validated_at=at)
    return transact(accepts_writes(domain), found.where(lambda schema: schema.version == version))
