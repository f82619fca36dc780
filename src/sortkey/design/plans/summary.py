"""A whole design as a versioned JSON value: what ``sortkey show --format json`` prints."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from sortkey.design.declaring.collection import Collection
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.invariant import Invariant
from sortkey.design.declaring.roles import Role
from sortkey.design.findings import Finding
from sortkey.design.plans.notation import plain, present, type_text
from sortkey.design.plans.plan import PatternPlan
from sortkey.design.plans.tracing import trace
from sortkey.design.plans.value import plan_json
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.marks import marks_of
from sortkey.design.records.unbuilt import UnbuiltEntity
from sortkey.design.tables.expectations import Expected, Relation
from sortkey.design.tables.settings import Settings
from sortkey.design.tables.table import Attribute, Index, Key, Table, TableDefinition

SUMMARY_VERSION = 2


def summary_of(design: Design, plans: Iterable[PatternPlan] | None = None) -> dict[str, Any]:
    """Everything that a design says, with the plan of each pattern."""
    known = [trace(p, design) for p in design.patterns] if plans is None else plans
    about = design.about
    environments = about.environments
    return {
        "version": SUMMARY_VERSION,
        "design": design.name,
        "about": present(
            {
                "tenant": about.tenant,
                "environments": list(environments),
                "standard": about.standard and about.standard.name,
            }
        ),
        "tables": [_table(table, environments) for table in design.tables],
        "entities": [
            entity
            for table in design.tables
            for entity in (
                *map(_entity, design.kinds_of(table)),
                *(_unbuilt(table, unbuilt) for unbuilt in table.definition.unbuilt),
            )
        ],
        "collections": [_collection(collection) for collection in design.collections],
        "patterns": list(map(plan_json, known)),
        "invariants": [_invariant(invariant) for invariant in design.invariants],
        "roles": [_role(role) for role in design.roles],
        "findings": [_finding(finding) for finding in design.findings],
    }


def _table(table: type[Table], environments: tuple[str, ...]) -> dict[str, Any]:
    definition = table.definition
    return present(
        {
            "name": definition.title,
            "doc": definition.doc or None,
            "named": {e: definition.name_in(e) for e in environments},
            "raw": definition.raw or None,
            **_keys(definition.primary),
            "indexes": [_index(index) for index in definition.indexes.values()],
            **_settings(definition.settings),
            "exemptions": list(_exemptions(definition)) or None,
        }
    )


def _exemptions(definition: TableDefinition) -> Iterator[dict[str, Any]]:
    for point, index, reason in definition.points_left_aside:
        yield present({"point": point, "reason": reason, "index": index})


def _keys(index: Index) -> dict[str, Any]:
    return {
        "partition": list(map(_attribute, index.partition)),
        "sort": list(map(_attribute, index.sort)),
    }


def _attribute(attribute: Attribute) -> dict[str, str]:
    return {"name": attribute.name, "type": attribute.type}


def _index(index: Index) -> dict[str, Any]:
    return {
        "name": index.name,
        "kind": index.kind,
        **_keys(index),
        "projection": plain(index.projection),
    }


def _settings(settings: Settings) -> dict[str, Any]:
    """The settings; billing by its name, and without what is not set."""
    said = {name: plain(value) for name, value in asdict(settings).items()}
    billing = {"mode": type(settings.billing).__name__, **present(asdict(settings.billing))}
    alarms = None if settings.alarms is None else present(asdict(settings.alarms))
    standard = settings.standard and settings.standard.name
    ephemeral = settings.ephemeral or None
    return {
        **said,
        "billing": billing,
        "alarms": alarms,
        "standard": standard,
        "exported": settings.exported and asdict(settings.exported),
        "replicas": list(settings.replicas) or None,
        "ephemeral": ephemeral,
        "tags": dict(settings.tags) or None,
    }


def _entity(kind: EntityKind[Any]) -> dict[str, Any]:
    return present(
        {
            "name": kind.name,
            "table": kind.table.title,
            "doc": _doc(kind.model),
            "immutable": kind.immutable or None,
            "shape": None if kind.shape == 1 else kind.shape,
            "fields": [_field(kind, name) for name in kind.codec.fields],
            "keys": [_key(kind, key) for key in kind.keys.values()],
            **_expectations(kind.expected, kind.relations),
        }
    )


def _doc(model: type[Any]) -> str | None:
    # Not inspect.getdoc, which would take the docstring of a base.
    return (model.__doc__ or "").strip() or None


def _field(kind: EntityKind[Any], name: str) -> dict[str, Any]:
    info = kind.model.model_fields[name]
    stored = kind.stored_names[name]
    return present(
        {
            "name": name,
            "type": type_text(info.rebuild_annotation()),
            "stored": None if stored == name else stored,
            "optional": None if info.is_required() else True,
            "marks": sorted(mark.name for mark in marks_of(info)) or None,
        }
    )


def _key(kind: EntityKind[Any], key: EntityKey) -> dict[str, Any]:
    """Return an entity's key; sparse if a record may be missing from the index."""
    optional = {name for name, field in kind.codec.fields.items() if field.optional}
    return present(
        {
            "name": key.name.rpartition(".")[2],
            "index": key.index,
            "partition": [part.template.text for part in key.partition],
            "sort": [part.template.text for part in key.sort],
            "sparse": True if key.index is not None and optional & set(key.all_fields) else None,
            "shards": None if key.sharding is None else key.sharding.count,
            "was": None if key.sharding is None else key.sharding.was,
            "earlier": next((part.earlier.text for part in key.sort if part.earlier), None),
            "expected": _expected(key.expected),
        }
    )


def _expectations(expected: Expected | None, relations: tuple[Relation, ...]) -> Mapping[str, Any]:
    return {
        "expected": _expected(expected),
        "relations": [_relation(relation) for relation in relations] or None,
    }


def _expected(expected: Expected | None) -> dict[str, Any] | None:
    return None if expected is None else present(asdict(expected))


def _relation(relation: Relation) -> dict[str, Any]:
    return present(
        {
            "field": relation.field,
            "to": relation.to.__name__,
            "copies": list(relation.copies) or None,
            "refreshed_by": relation.refreshed_by,
        }
    )


def _unbuilt(table: type[Table], entity: UnbuiltEntity) -> dict[str, Any]:
    """An entity of a raw design whose key cannot be written, as it was declared."""
    fields = entity.model.model_fields
    return present(
        {
            "name": entity.name,
            "table": table.definition.title,
            "doc": _doc(entity.model),
            "unbuilt": True,
            "fields": [
                {"name": name, "type": type_text(info.annotation)} for name, info in fields.items()
            ],
            "keys": list(map(_declared_key, entity.keys.values())),
            **_expectations(entity.expected, entity.relations),
        }
    )


def _declared_key(key: Key) -> dict[str, Any]:
    return present(
        {
            "name": key.name,
            "index": None if key.index.kind == "primary" else key.index.name,
            "partition": list(key.partition),
            "sort": list(key.sort),
            "expected": _expected(key.expected),
        }
    )


def _collection(collection: type[Collection]) -> dict[str, Any]:
    definition = collection.__collection__
    index = definition.index
    return present(
        {
            "name": definition.name,
            "doc": definition.doc or None,
            "table": definition.table and definition.table.definition.title,
            "index": None if index is None or index.kind == "primary" else index.name,
            "members": [
                {"name": m.name, "entity": m.kind.name, "many": m.many} for m in definition.members
            ],
            "partition": list(_shared_partition(collection)),
        }
    )


def _shared_partition(collection: type[Collection]) -> Iterator[str]:
    for member in collection.__collection__.members[:1]:
        yield from (part.template.text for part in member.key.partition)


def _invariant(invariant: Invariant[...]) -> dict[str, Any]:
    return present(
        {
            "name": invariant.name,
            "title": invariant.title,
            "doc": invariant.doc or None,
            "entities": [entity.__kind__.name for entity in invariant.entities],
        }
    )


def _role(role: Role) -> dict[str, Any]:
    return present(
        {
            "name": role.name,
            "patterns": [pattern.name for pattern in role.patterns],
            "acts_for": role.acts_for,
            "follows": [str(table.definition) for table in role.follows] or None,
            "leases": None if role.leases is None else role.leases.__kind__.name,
        }
    )


def _finding(finding: Finding) -> dict[str, Any]:
    return present(
        {
            "code": finding.code,
            "name": finding.name,
            "where": finding.where,
            "message": finding.message,
            "fix": finding.fix,
            "field": finding.about,
            "actions": list(finding.actions) or None,
        }
    )
