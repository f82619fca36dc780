"""The deployed tables and keys, as far as an earlier design, its summary or its plan says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sortkey.design.declaring.design import Design
from sortkey.design.plans.summary import SUMMARY_VERSION, summary_of
from sortkey.design.plans.value import PLAN_VERSION
from sortkey.errors import SortkeyError

# A key attribute with its type, or without where only a plan is known.
KeyAttributes: TypeAlias = tuple[tuple[str, str | None], ...]


class NotADesignError(SortkeyError):
    """A file is neither a summary nor a plan of this version."""


@dataclass(frozen=True, slots=True)
class DeployedIndex:
    """An index: its key, and what it projects."""

    kind: str
    key: KeyAttributes
    projection: object = None


@dataclass(frozen=True, slots=True)
class DeployedTable:
    """A table; of one that only a plan names, indexes that no pattern reads are not known."""

    key: KeyAttributes
    indexes: Mapping[str, DeployedIndex]
    ttl: str | None = None
    whole: bool = True


@dataclass(frozen=True, slots=True)
class DeployedKey:
    """The key of an entity in a table or an index: a template for each attribute."""

    templates: Mapping[str, str]
    shards: int = 1


@dataclass(frozen=True, slots=True)
class DeployedField:
    """A field as its type is written, and whether a record may lack it."""

    name: str
    type: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class DeployedEntity:
    """The shape of an entity's records, and their fields by the names of their attributes."""

    shape: int
    fields: Mapping[str, DeployedField]


@dataclass(frozen=True, slots=True)
class Deployed:
    """Tables by name; keys by table, entity and index, which is None for the table's own.

    Entities are by table and name; a plan does not contain them.
    """

    tables: Mapping[str, DeployedTable] = field(default_factory=dict[str, DeployedTable])
    keys: Mapping[tuple[str, str, str | None], DeployedKey] = field(
        default_factory=dict[tuple[str, str, str | None], DeployedKey]
    )
    entities: Mapping[tuple[str, str], DeployedEntity] = field(
        default_factory=dict[tuple[str, str], DeployedEntity]
    )


NOTHING = Deployed()


def deployed_design(design: Design) -> Deployed:
    """Return the tables and keys that a design deploys."""
    return _from_summary(summary_of(design))


def deployed_value(value: Any) -> Deployed:
    """Return what was deployed from the design whose summary or plan this JSON value is."""
    match value:
        case {"tables": list(), "entities": list(), "version": version}:
            _refuse_version(version, SUMMARY_VERSION)
            return _from_summary(value)
        case {"patterns": list(), "version": version}:
            _refuse_version(version, PLAN_VERSION)
            return _from_plan(value)
        case _:
            raise NotADesignError(
                "it is neither what `sortkey show --format json` prints nor a plan"
            )


def _refuse_version(version: object, newest: int) -> None:
    """Refuse what a later release wrote; what is read here is the same in all versions so far."""
    if version not in range(1, newest + 1):
        raise NotADesignError(f"it has version {version}, but only 1 to {newest} can be read")


def _from_summary(summary: Mapping[str, Any]) -> Deployed:
    tables = {table["name"]: _table(table) for table in summary["tables"]}
    keys = {
        (entity["table"], entity["name"], key.get("index")): _key(tables[entity["table"]], key)
        for entity in summary["entities"]
        for key in entity["keys"]
    }
    entities = {
        (entity["table"], entity["name"]): _entity(entity)
        for entity in summary["entities"]
        if not entity.get("unbuilt")
    }
    return Deployed(tables, keys, entities)


def _entity(entity: Mapping[str, Any]) -> DeployedEntity:
    fields = {
        said.get("stored", said["name"]): DeployedField(
            said["name"], said["type"], said.get("optional", False)
        )
        for said in entity.get("fields", ())
    }
    return DeployedEntity(entity.get("shape", 1), fields)


def _table(table: Mapping[str, Any]) -> DeployedTable:
    indexes = {
        index["name"]: DeployedIndex(index["kind"], _attributes(index), _projection(index))
        for index in table["indexes"]
    }
    return DeployedTable(_attributes(table), indexes, table.get("ttl"))


def _attributes(index: Mapping[str, Any]) -> KeyAttributes:
    return tuple((a["name"], a["type"]) for a in (*index["partition"], *index["sort"]))


def _projection(index: Mapping[str, Any]) -> object:
    held = index["projection"]
    return held if isinstance(held, str) else frozenset(held)


def _key(table: DeployedTable, key: Mapping[str, Any]) -> DeployedKey:
    index = key.get("index")
    attributes = table.key if index is None else table.indexes[index].key
    texts = [*key["partition"], *key["sort"]]
    names = [name for name, _ in attributes]
    return DeployedKey(dict(zip(names, texts, strict=False)), key.get("shards", 1))


def _from_plan(plan: Mapping[str, Any]) -> Deployed:
    tables: dict[str, DeployedTable] = {}
    keys: dict[tuple[str, str, str | None], DeployedKey] = {}
    for step in _steps(plan):
        name, index, key = step["table"], step.get("index"), step.get("key", {})
        known = tables.get(name, DeployedTable((), {}, whole=False))
        attributes: KeyAttributes = tuple((attribute, None) for attribute in key)
        if index is not None:
            found = {index: DeployedIndex("?", attributes)}
            tables[name] = DeployedTable(known.key, {**known.indexes, **found}, whole=False)
        elif len(attributes) > len(known.key):
            tables[name] = DeployedTable(attributes, known.indexes, whole=False)
        # The text of a raw range is not the template of its entity.
        templates = {
            n: said["template"]
            for n, said in key.items()
            if "template" in said and said["op"] == "="
        }
        if len(step.get("entities", ())) == 1 and templates:
            place = (name, step["entities"][0], index)
            before = keys.get(place, DeployedKey({}))
            keys[place] = DeployedKey({**before.templates, **templates}, step.get("shards", 1))
    return Deployed(tables, keys)


def _steps(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for pattern in plan["patterns"]:
        yield from pattern.get("steps", ())
