"""SK524 missing-field: a raw put omits a field that has no default."""

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from sortkey.check.model import AnyKind, Model
from sortkey.check.raw_keys import RawKeys, judged
from sortkey.check.rule import ERROR, INFORMATION, Finding, rule
from sortkey.wording.spelling import meant_by

# The types of arguments that can be written as they are.
_SIMPLE: Mapping[Any, str] = {str: "str", int: "int", Decimal: "Decimal", date: "date"}


@rule("SK524", "missing-field", ERROR)
def missing_field(model: Model) -> Iterator[Finding]:
    """A raw put omits a field that has no default.

    DynamoDB stores the item, but the entity cannot read it back: every request that returns it
    fails. A field in the text of the primary key is read from there.

    Flagged:
        class Old(Table, raw=True):
            pass

        class User(Entity, table=Old):
            user_id: str
            email: str
            primary = Old.primary.key("USER#{user_id}", "PROFILE")

        add = raw_pattern(
            "Add a user",
            table=Old,
            operation="PutItem",
            entity=User,
            item={"PK": "USER#{user_id}", "SK": "PROFILE"},
            condition="attribute_not_exists(PK)",
            arguments={"user_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class User(Entity, table=Old):
            user_id: str
            email: str
            primary = Old.primary.key("USER#{user_id}", "PROFILE")

        add = raw_pattern(
            "Add a user",
            table=Old,
            operation="PutItem",
            entity=User,
            item={"PK": "USER#{user_id}", "SK": "PROFILE", "email": "{email}"},
            condition="attribute_not_exists(PK)",
            arguments={"user_id": str, "email": str},
        )
    """
    for request in judged(model):
        kinds = RawKeys(model, request).kinds
        item = request.step.item
        # Upcasts add the fields that an older shape lacks.
        if item is None or len(kinds) != 1 or kinds[0].shape > 1:
            continue
        missing = [name for name in _needed(kinds[0]) if name not in item]
        if missing:
            unknown = [name for name in item if name not in _known(kinds[0])]
            is_in_index = _in_index(kinds[0], item) >= {*missing}
            also = "only an index key contains it, and " if is_in_index else ""
            yield Finding(
                request.pattern,
                f"the item has no {', '.join(missing)}, which {kinds[0].name} needs: {also}the "
                "record cannot be read back",
                _fix(kinds[0], missing, unknown),
                at=request.place("item"),
                severity=INFORMATION if is_in_index else None,
            )


def _in_index(kind: AnyKind, item: Mapping[str, object]) -> set[str]:
    """Return the attributes whose values the item writes as a part of an index key."""
    written = [p for k in kind.keys.values() for p in k.parts if p.attribute.name in item]
    return {kind.stored_names[name] for part in written for name in part.fields}


def _needed(kind: AnyKind) -> list[str]:
    """Return the attributes without which a record is not valid."""
    fields = kind.codec.fields.values()
    return [f.stored for f in fields if f.required and f.name not in kind.key_fields]


def _known(kind: AnyKind) -> set[str]:
    keys = {part.attribute.name for key in kind.keys.values() for part in key.parts}
    return keys | set(kind.stored_names.values())


def _fix(kind: AnyKind, missing: list[str], unknown: list[str]) -> str:
    """Return the fix: the missing fields, or the probably intended spelling."""
    misspelt = {name: meant for name in unknown if (meant := meant_by(name, missing))}
    if misspelt:
        written = [f"`{meant}` instead of `{name}`" for name, meant in misspelt.items()]
        return f"Write {' and '.join(written)}"
    fields = {f.stored: f.name for f in kind.codec.fields.values() if f.stored in missing}
    infos = {stored: kind.model.model_fields[name] for stored, name in fields.items()}
    if any(info.metadata or info.annotation not in _SIMPLE for info in infos.values()):
        return f"Write `{', '.join(missing)}` too, or declare a default in the entity"
    item = ", ".join(f'"{stored}": "{{{name}}}"' for stored, name in fields.items())
    types = (f'"{fields[stored]}": {_SIMPLE[info.annotation]}' for stored, info in infos.items())
    return (
        f"Add `item={{{item}}}` and `arguments={{{', '.join(types)}}}`, or declare a default in "
        "the entity"
    )
