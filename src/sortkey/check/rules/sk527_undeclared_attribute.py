"""SK527 undeclared-attribute: an update writes an attribute that its entity does not declare."""

from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.raw_keys import RawKeys, judged
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.design.tables.table import TableDefinition
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.tree import Add, Set
from sortkey.wording.names import words
from sortkey.wording.spelling import meant_by

# Words in the names of timestamps.
_NOTES = frozenset({"created", "modified", "updated"})


@rule("SK527", "undeclared-attribute", WARNING)
def undeclared_attribute(model: Model) -> Iterator[Finding]:
    """An update writes an attribute that its entity does not declare.

    DynamoDB stores it, but no read of the entity returns it: the change seems to be lost. Often the
    intended field has another name, or belongs to another entity of the table. Key attributes,
    attributes that the table is configured with, and attributes that another request reads are not
    reported. Timestamps such as `updated_at` are reported as information.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Place(Entity, table=Old):
            place_id: str
            notes: str = ""
            primary = Old.primary.key("PLACE#{place_id}", "PLACE")

        change = raw_pattern(
            "Change the notes of a place",
            table=Old,
            operation="UpdateItem",
            entity=Place,
            key={"PK": "PLACE#{place_id}", "SK": "PLACE"},
            update="SET entity_data = :data",
            condition="attribute_exists(PK)",
            values={":data": {"notes": "{notes}"}},
            arguments={"place_id": str, "notes": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Place(Entity, table=Old):
            place_id: str
            notes: str = ""
            primary = Old.primary.key("PLACE#{place_id}", "PLACE")

        change = raw_pattern(
            "Change the notes of a place",
            table=Old,
            operation="UpdateItem",
            entity=Place,
            key={"PK": "PLACE#{place_id}", "SK": "PLACE"},
            update="SET notes = :notes",
            condition="attribute_exists(PK)",
            values={":notes": "{notes}"},
            arguments={"place_id": str, "notes": str},
        )
    """
    for request in judged(model):
        kinds = RawKeys(model, request).kinds if request.step.update is not None else ()
        if not kinds or not all(map(_is_described, kinds)):
            continue
        known = _known(request.table, kinds)
        for name in _written(request):
            # A name that is nearly that of a field is reported by SK526 or SK614.
            if name in known or meant_by(name, sorted(known)) or _is_spelt(name, known):
                continue
            if not _is_read(model, request.table, name):
                of = " or ".join(kind.name for kind in kinds)
                yield Finding(
                    request.pattern,
                    f"it writes {name}, but {of} has no field with that stored name: no read of "
                    f"{of} returns it",
                    f"Write one of its fields, or declare a field that is stored as `{name}`",
                    at=request.place("update"),
                    severity=INFORMATION if _NOTES & {*words(name)} else None,
                )


def _is_described(kind: AnyKind) -> bool:
    """Whether an entity declares fields besides its keys, and allows no extra ones."""
    in_keys = {name for key in kind.keys.values() for name in key.all_fields}
    is_open = kind.model.model_config.get("extra") == "allow"
    return not is_open and bool(kind.stored_names.keys() - in_keys)


def _known(table: TableDefinition, kinds: tuple[AnyKind, ...]) -> set[str]:
    """Return the fields of entities, the key attributes and those that a table configures."""
    indexes = (table.primary, *table.indexes.values())
    keys = {attribute.name for index in indexes for attribute in index.attributes}
    fields = {stored for kind in kinds for stored in kind.stored_names.values()}
    own = {table.type_attribute, table.shape_attribute, table.settings.ttl}
    return {*fields, *keys, *(name for name in own if name is not None)}


def _written(request: PlannedRequest) -> Iterator[str]:
    """Return the attributes that an update sets or adds to; removing an old one is cleanup."""
    update = request.step.update
    written = (
        [action for action in update.actions if isinstance(action, Set | Add)] if update else ()
    )
    return iter(dict.fromkeys(action.path.name for action in written))


def _is_spelt(name: str, known: set[str]) -> bool:
    return any(words(name) == words(other) for other in known)


def _is_read(model: Model, table: TableDefinition, name: str) -> bool:
    """Whether a request compares the attribute, or returns it by name."""
    for request in model.raw_requests:
        if request.table is table:
            step = request.step
            conditions = [c for c in (step.condition, step.filter) if c is not None]
            if any(name in condition_names(condition) for condition in conditions):
                return True
            if step.projection is not None and name in step.projection.names:
                return True
    return False
