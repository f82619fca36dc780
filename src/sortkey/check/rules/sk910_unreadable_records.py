"""SK910 unreadable-records: a field changes, so stored records cannot be read."""

from collections.abc import Iterator

from sortkey.check.deployed import DeployedEntity
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import ERROR, WARNING, Finding, rule
from sortkey.design.plans.notation import type_text
from sortkey.design.records.codecs import FieldCodec

# The types that are always stored in the same way.
_STORED_AS = {
    "bool": "BOOL",
    "bytes": "B",
    "Decimal": "N",
    "float": "N",
    "int": "N",
    "str": "S",
}


@rule("SK910", "unreadable-records", ERROR)
def unreadable_records(model: Model) -> Iterator[Finding]:
    """A field is added, renamed or changes its type, so stored records cannot be read.

    A stored record lacks a new required field, or has it under its old name or with another type:
    reading it raises `Unreadable`. A default covers records without the field, `Stored("...")`
    keeps the stored name, and an upcast converts the old shape into the current one. A field that
    becomes required is a warning: records that have it can be read.

    Flagged:
        # Deployed:
        class Note(Entity, table=App):
            note_id: str
            title: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        # Now:
        class Note(Entity, table=App):
            note_id: str
            headline: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

    Instead:
        # Deployed:
        class Note(Entity, table=App):
            note_id: str
            title: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        # Now:
        class Note(Entity, table=App):
            note_id: str
            headline: Annotated[str, Stored("title")]
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
    """
    for kind in model.kinds:
        before = model.before.entities.get((kind.table.title, kind.name))
        if before is None or kind.shape > before.shape:
            continue
        # A field of the primary key is read from the key if it is not stored.
        in_key = {n for part in kind.primary.parts if not part.is_natural for n in part.fields}
        for field in kind.codec.fields.values():
            if field.name not in in_key:
                yield from _changed(kind, field, before)


def _changed(kind: AnyKind, field: FieldCodec, before: DeployedEntity) -> Iterator[Finding]:
    was = before.fields.get(field.stored)
    if was is None:
        if field.required:
            yield _added(kind, field, before)
        return
    stored_as = _STORED_AS.get(was.type.removesuffix(" | None"))
    if stored_as is not None and stored_as not in field.codec.kinds:
        yield Finding(
            kind,
            f'stored records have "{field.stored}" as {was.type}, which cannot be read as '
            f"{_type(kind, field)}",
            "Add an upcast that converts it, or store it under another name with a default",
            at=field.name,
        )
    elif field.required and was.optional and was.type.endswith("| None"):
        yield Finding(
            kind,
            f'stored records may lack "{field.stored}", which was optional and is now required',
            "Keep it optional, or add an upcast that sets it",
            at=field.name,
            severity=WARNING,
        )


def _added(kind: AnyKind, field: FieldCodec, before: DeployedEntity) -> Finding:
    now = set(kind.stored_names.values())
    gone = [
        stored
        for stored, was in before.fields.items()
        if stored not in now and was.type == _type(kind, field)
    ]
    if len(gone) == 1:
        return Finding(
            kind,
            f'it is required, but stored records lack it; they have "{gone[0]}", which is no '
            "longer a field",
            f'If it is renamed, declare it with Stored("{gone[0]}") or add an upcast; otherwise '
            "give it a default",
            at=field.name,
        )
    return Finding(
        kind,
        "it is required, but stored records lack it, so they cannot be read",
        "Give it a default, or add an upcast that sets it",
        at=field.name,
    )


def _type(kind: AnyKind, field: FieldCodec) -> str:
    return type_text(kind.model.model_fields[field.name].rebuild_annotation())
