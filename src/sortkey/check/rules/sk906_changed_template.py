"""SK906 changed-template: stored records have keys of an earlier template."""

import re
from collections.abc import Iterator

from sortkey.check.deployed import DeployedKey
from sortkey.check.model import Model
from sortkey.check.rule import ERROR, WARNING, Fault, rule


@rule("SK906", "changed-template", ERROR)
def changed_template(model: Model) -> Iterator[Fault]:
    """The template of a key changes, and stored records have the former one.

    What is stored keeps its key. With another template in the primary key it is no longer found,
    and a new record may be made beside it; the records have to be moved. With another in an index,
    which is a warning, they are missing there until `sortkey backfill` has rewritten them.

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
    before = model.before.keys
    for kind in model.kinds:
        for key in kind.keys.values():
            known = before.get((kind.table.title, kind.name, key.index), DeployedKey({}))
            for part in key.parts:
                was = known.templates.get(part.attribute.name, part.template.text)
                if _form(was) != _form(part.template.text):
                    yield Fault(
                        key,
                        f'{part.attribute.name} is "{part.template}" and was "{was}", which '
                        "stored records keep",
                        "Keep the template, or move the records"
                        if key.index is None
                        else "Run `sortkey backfill` once it is deployed",
                        severity=ERROR if key.index is None else WARNING,
                    )


def _form(template: str) -> str:
    """What a template writes, whatever its fields are called."""
    return re.sub(r"\{\w+", "{", template)
