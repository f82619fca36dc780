"""SK615 no-type-attribute: a record does not contain the name of its entity."""

from collections.abc import Iterator, Mapping

from sortkey.check.fields import looks_like_type, names_an_entity, possible_values
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.design.plans.sources import constant_text
from sortkey.design.tables.table import TableDefinition
from sortkey.wording.prose import listed

_SEVERAL = 2
_NAMES = ("type", "entity", "entity_type", "record_type", "sortkey_type")


@rule("SK615", "no-type-attribute", WARNING)
def no_type_attribute(model: Model) -> Iterator[Finding]:
    """A record does not contain the name of its entity.

    In a table with several entities, a reader of the stream, an export or a backup can distinguish
    them only by the format of the keys. An attribute with the entity's name costs a few bytes and
    makes it clear. A field with different values in each entity does so too, and so does a constant
    that every put writes, or that is a key of an index; if only some entities have it, it is
    information. It is also information if all entities of a table with a TTL have the same fields,
    such as counters whose keys differ only by a prefix.

    Flagged:
        class Old(Table, type_attribute=None):
            pass

        class User(Entity, table=Old):
            user_id: str
            primary = Old.primary.key("USER#{user_id}", "USER")

        class Team(Entity, table=Old):
            team_id: str
            primary = Old.primary.key("TEAM#{team_id}", "TEAM")

    Instead:
        class Old(Table, type_attribute="type"):
            pass

        class User(Entity, table=Old):
            user_id: str
            primary = Old.primary.key("USER#{user_id}", "USER")

        class Team(Entity, table=Old):
            team_id: str
            primary = Old.primary.key("TEAM#{team_id}", "TEAM")
    """
    for table in model.design.tables:
        kinds = [*model.kinds_of(table.definition)]
        if table.definition.type_attribute is not None or len(kinds) < _SEVERAL:
            continue
        name, said = _best(model, kinds)
        silent = [kind.name for kind in kinds if kind not in said]
        if not silent:
            continue
        if looks_like_type(name) and len(silent) <= len(said):
            yield Finding(
                table,
                f'"{name}" identifies the entity of a record, but {listed(silent)} records do '
                "not have it",
                f"Write `{name}` in those records too",
                severity=INFORMATION,
            )
            continue
        taken = {stored for kind in kinds for stored in kind.stored_names.values()}
        free = next(name for name in _NAMES if name not in taken)
        yield Finding(
            table,
            f"it has {len(kinds)} entities, but no attribute identifies the entity of a record",
            f'Add `type_attribute="{free}"`',
            severity=INFORMATION if _are_alike(table.definition, kinds) else WARNING,
        )


def _are_alike(table: TableDefinition, kinds: list[AnyKind]) -> bool:
    """Whether the entities have the same fields and expire, so the difference hardly matters."""
    fields = {frozenset(kind.stored_names.values()) for kind in kinds}
    return table.settings.ttl is not None and len(fields) == 1


def _best(model: Model, kinds: list[AnyKind]) -> tuple[str, list[AnyKind]]:
    """Return the attribute that distinguishes most of these entities, and those that have it."""
    written = {kind: _constants(model, kind) for kind in kinds}
    names = {name for kind in kinds for name in (*kind.stored_names.values(), *written[kind])}
    best: tuple[str, list[AnyKind]] = ("", [])
    for name in sorted(names - _changed(model, kinds[0])):
        values = {kind: _values(kind, name, written[kind]) for kind in kinds}
        said = [kind for kind in kinds if values[kind] is not None]
        every = [value for kind in said for value in values[kind] or ()]
        if len({*every}) == len(every) and len(said) > len(best[1]):
            best = (name, said)
    return best


def _values(
    kind: AnyKind, name: str, written: Mapping[str, frozenset[str]]
) -> frozenset[str] | None:
    """Return the possible texts of an entity's attribute; None if they are unknown.

    A text that is named after the entity is assumed to differ between entities.
    """
    is_field = name in kind.stored_names.values()
    possible = possible_values(kind, name) if is_field else None
    if possible and None not in possible:
        return frozenset(str(text) for value in possible if value for text in value.values())
    if name in written:
        return written[name]
    return frozenset() if is_field and names_an_entity(name) else None


def _changed(model: Model, kind: AnyKind) -> set[str]:
    """Return the attributes that a request changes, such as a status."""
    updates = [r.step.update for r in model.every_request if r.table is kind.table]
    return {name for update in updates if update is not None for name in update.targets}


def _constants(model: Model, kind: AnyKind) -> dict[str, frozenset[str]]:
    """Return the constant texts that every put of an entity writes, by attribute."""
    puts = [r for r in model.requests_of(kind) if r.step.item is not None and r.kinds == (kind,)]
    found = {
        part.attribute.name: frozenset({part.template.text})
        for key in kind.entries
        for part in key.parts
        if not part.fields and looks_like_type(part.attribute.name)
    }
    for name in puts[0].step.item or () if puts else ():
        sources = [(put.step.item or {}).get(name) for put in puts]
        texts = [None if source is None else constant_text(source) for source in sources]
        if name not in kind.key_names and None not in texts:
            found[name] = frozenset(text for text in texts if text is not None)
    return found
