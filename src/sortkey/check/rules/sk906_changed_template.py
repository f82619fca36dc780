"""SK906 changed-template: a key template changes, but stored records have keys of the old one."""

import re
from collections.abc import Iterator, Mapping

from sortkey.check.deployed import DeployedEntity
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import ERROR, WARNING, Finding, rule
from sortkey.design.records.keys.entity_key import EntityKey

_FIX = "Run `sortkey backfill` once it is deployed"


@rule("SK906", "changed-template", ERROR)
def changed_template(model: Model) -> Iterator[Finding]:
    """A key template changes, but stored records have keys of the old one.

    Stored records keep their keys. If a template of the primary key changes, they are no longer
    found, and a second record may be created for the same thing; the records have to be moved. For
    a sort key, `earlier=` declares the old template, and `sortkey backfill` moves them. If a
    template of an index changes, which is a warning, they are missing from the index until `sortkey
    backfill` has rewritten them. The same is true if an entity gets a key in an index, new or
    existing, unless a field of the key is new too and None in all of them.

    Flagged:
        # Deployed:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        # Now:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("N#{note_id}", "NOTE")

    Instead:
        # Deployed:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        # Now:
        class Note(Entity, table=App):
            note_id: str
            title: str | None = None
            primary = App.primary.key("NOTE#{note_id}", "NOTE")
    """
    for kind in model.kinds:
        for key in kind.keys.values():
            known = model.before.keys.get((kind.table.title, kind.name, key.index))
            if known is None:
                yield from _added(kind, key, model.before.entities)
                continue
            for part in key.parts:
                was = known.templates.get(part.attribute.name, part.template.text)
                is_read = part.earlier is not None and _form(was) == _form(part.earlier.text)
                if _form(was) != _form(part.template.text) and not is_read:
                    yield Finding(
                        key,
                        f'{part.attribute.name} is "{part.template}" and was "{was}", which stored '
                        "records still have",
                        "Keep the template, or move the records" if key.index is None else _FIX,
                        severity=ERROR if key.index is None else WARNING,
                    )


def _added(
    kind: AnyKind, key: EntityKey, entities: Mapping[tuple[str, str], DeployedEntity]
) -> Iterator[Finding]:
    """Yield a finding if stored records belong in an index but have no key in it."""
    before = entities.get((kind.table.title, kind.name))
    if before is None or key.index is None:
        return
    new = {name for name in key.all_fields if kind.stored_names[name] not in before.fields}
    if any(kind.model.model_fields[name].default is None for name in new):
        return
    if new or key in kind.entries:
        yield Finding(
            key,
            f"{kind.name} gets a key in {key.index}, which stored records do not have",
            _FIX,
            severity=WARNING,
        )


def _form(template: str) -> str:
    """Return a template without the names of its fields."""
    return re.sub(r"\{\w+", "{", template)
