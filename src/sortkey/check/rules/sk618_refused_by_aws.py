"""SK618 refused-by-aws: aWS rejects the name of a policy, of a resource in a template, or a tag."""

import re
from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.tables.table import Table

# Topics and dashboards are named after the design.
_PREFIX = re.compile(r"[A-Za-z0-9_-]{1,200}")
_POLICY = re.compile(r"[A-Za-z0-9_+=,.@-]{1,128}")
_LOGICAL_ID = re.compile(r"[A-Za-z0-9]{1,255}")
_TAG = re.compile(r"[\w .:/=+@-]*")
_TAG_KEY, _TAG_VALUE, _TAGS = 128, 256, 50


@rule("SK618", "refused-by-aws", ERROR)
def refused_by_aws(model: Model) -> Iterator[Finding]:
    """AWS rejects the name of a policy, of a resource in a template, or a tag.

    `synth` names the policy of a role after the design, the environment and the role: IAM allows up
    to 128 letters, digits and any of `_+=,.@-`. A topic and a dashboard are named after the design,
    in letters, digits, dashes and underscores. In a template, the id of a table is the name of its
    class, in letters and digits only. The key of a tag has up to 128 characters and does not begin
    with `aws:`, and its value has up to 256. A deployment with any other name fails.

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
    # A name that comes from a file name is not judged: `check` may run on a copy.
    is_declared = bool(design.about.name or design.about.standard)
    for environment, prefix in prefixes.items():
        if is_declared and not _PREFIX.fullmatch(prefix):
            yield Finding(
                design.about,
                f'its resources in {environment} are named after "{prefix}", but AWS allows only '
                "letters, digits, dashes and underscores",
                'Use only these in About(name="...") or in the project of the standard',
            )
            break
    for role in design.roles:
        named = [
            f"{prefix}-{role.name}" for prefix in prefixes.values() if _PREFIX.fullmatch(prefix)
        ]
        refused = [name for name in named if not _POLICY.fullmatch(name)]
        if refused:
            yield Finding(
                role,
                f'its policy is named "{refused[0]}", but IAM allows up to 128 letters, digits and '
                "any of _+=,.@-",
                "Use only these characters, or a shorter name",
            )
    for table in design.tables:
        if not table.definition.raw and not _LOGICAL_ID.fullmatch(table.definition.logical_id):
            yield Finding(
                table,
                f"its id in templates is {table.definition.logical_id}, but CloudFormation allows "
                "only letters and digits",
                'Rename the class, and keep the name of the table with name="..."',
            )
        yield from _tags(table)


def _tags(table: type[Table]) -> Iterator[Finding]:
    tags = table.definition.settings.tags
    if len(tags) > _TAGS:
        yield Finding(table, f"it has {len(tags)} tags, but AWS allows {_TAGS}", "Remove some")
    for key, value in tags.items():
        has_length = 0 < len(key) <= _TAG_KEY and len(value) <= _TAG_VALUE
        has_characters = _TAG.fullmatch(key) and _TAG.fullmatch(value)
        if not (has_length and has_characters) or key.lower().startswith("aws:"):
            yield Finding(
                table,
                f'AWS rejects the tag "{key}" with the value "{value}"',
                "Use letters, digits, spaces and any of _.:/=+-@, with at most 128 and 256 "
                "characters, and no key that begins with aws:",
            )
