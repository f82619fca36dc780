"""SK618 refused-by-aws: AWS refuses the name of a policy, a template's resource or a tag."""

import re
from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.design.table import Table

# Of topics and dashboards, which are named after the design.
_PREFIX = re.compile(r"[A-Za-z0-9_-]{1,200}")
_POLICY = re.compile(r"[A-Za-z0-9_+=,.@-]{1,128}")
_LOGICAL_ID = re.compile(r"[A-Za-z0-9]{1,255}")
_TAG = re.compile(r"[\w .:/=+@-]*")
_TAG_KEY, _TAG_VALUE, _TAGS = 128, 256, 50


@rule("SK618", "refused-by-aws", ERROR)
def refused_by_aws(model: Model) -> Iterator[Fault]:
    """AWS refuses the name of a policy, of a resource in a template, or a tag.

    `synth` names the policy of a role after the design, the environment and the role: IAM takes up
    to 128 letters, digits and any of `_+=,.@-`. A topic and a dashboard are named after the design,
    in letters, digits, dashes and underscores. A template calls a table after its class, which has
    letters and digits only. A tag has up to 128 characters and its value 256, and its key does not
    begin with `aws:`. A deployment fails on each of them.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        reader = Role("note reader", [note])

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        reader = Role("note-reader", [note])
    """
    design = model.design
    prefixes = {each: design.prefix_in(each) for each in design.about.environments}
    # A name that comes from a file's is not judged: `check` may run on any copy of it.
    is_declared = bool(design.about.name or design.about.standard)
    for environment, prefix in prefixes.items():
        if is_declared and not _PREFIX.fullmatch(prefix):
            yield Fault(
                design.about,
                f'what is deployed in {environment} is named after "{prefix}", and AWS takes '
                "letters, digits, dashes and underscores",
                'Give About(name="...") or the project of the standard such a name',
            )
            break
    for role in design.roles:
        named = [
            f"{prefix}-{role.name}" for prefix in prefixes.values() if _PREFIX.fullmatch(prefix)
        ]
        refused = [name for name in named if not _POLICY.fullmatch(name)]
        if refused:
            yield Fault(
                role,
                f'its policy is named "{refused[0]}", and IAM takes up to 128 letters, digits and '
                "any of _+=,.@-",
                "Give it a name of these characters, or a shorter one",
            )
    for table in design.tables:
        if not table.definition.raw and not _LOGICAL_ID.fullmatch(table.definition.logical_id):
            yield Fault(
                table,
                f"a template calls it {table.definition.logical_id}, and CloudFormation takes "
                "letters and digits only",
                'Rename the class, and keep the name of the table with name="..."',
            )
        yield from _tags(table)


def _tags(table: type[Table]) -> Iterator[Fault]:
    tags = table.definition.settings.tags
    if len(tags) > _TAGS:
        yield Fault(table, f"it has {len(tags)} tags, and AWS takes {_TAGS}", "Give it fewer")
    for key, value in tags.items():
        has_length = 0 < len(key) <= _TAG_KEY and len(value) <= _TAG_VALUE
        has_characters = _TAG.fullmatch(key) and _TAG.fullmatch(value)
        if not (has_length and has_characters) or key.lower().startswith("aws:"):
            yield Fault(
                table,
                f'AWS refuses the tag "{key}" with the value "{value}"',
                "Use letters, digits, blanks and any of _.:/=+-@, with at most 128 and 256 "
                "characters, and no key that begins with aws:",
            )
