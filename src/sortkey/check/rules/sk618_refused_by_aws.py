"""SK618 refused-by-aws: AWS rejects the name of a policy, of a resource in a template, or a tag."""

import re
from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, WARNING, Finding, rule
from sortkey.design.declaring.deployed_names import (
    PARAMETER_NAME,
    POLICY_NAME,
    limited_names,
    limited_names_of,
    names_in,
)
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.functions import Function
from sortkey.design.tables.table import Table

_LOGICAL_ID = re.compile(r"[A-Za-z0-9]{1,255}")
_TAG = re.compile(r"[\w .:/=+@-]*")
_TAG_KEY, _TAG_VALUE, _TAGS = 128, 256, 50


@rule("SK618", "refused-by-aws", ERROR)
def refused_by_aws(model: Model) -> Iterator[Finding]:
    """AWS rejects the name of a policy, of a resource in a template, or a tag.

    `synth` names the policy of a role after the design, the environment and the role: IAM allows up
    to 128 letters, digits and any of `_+=,.@-`. The stack, the topic, the dashboard, the backup
    vault and its plans are named after the design, in letters, digits, dashes and underscores; the
    name of a vault or a plan has at most 50 characters. A parameter is named by its path,
    which does not begin with `aws` or `ssm`. In a template, the id of a table is the name of its
    class, in letters and digits only. The key of a tag has up to 128 characters and does not begin
    with `aws:`, and its value has up to 256. A deployment with any other name fails. The names of
    functions, queues, buckets and APIs begin with the name of the design and the environment, too:
    `synth` changes one that AWS does not allow, so that it can no longer be recognized, which is
    reported as a warning.

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
    refused = [*_own(design)]
    yield from refused[:1]
    # If the names of the design are refused, those of its policies are too.
    for role in () if refused else design.roles:
        named = (names_in(design, each).policy(role.name) for each in design.about.environments)
        too_long = [name for name in named if not POLICY_NAME.allows(name)]
        if too_long:
            yield Finding(
                role,
                f'its policy is named "{too_long[0]}", but IAM allows {POLICY_NAME.allowed}',
                "Use only these characters, or a shorter name",
            )
    for function in () if refused else design.functions:
        yield from _of_function(design, function)
    for table in design.tables:
        if not table.definition.raw and not _LOGICAL_ID.fullmatch(table.definition.logical_id):
            yield Finding(
                table,
                f"its id in templates is {table.definition.logical_id}, but CloudFormation allows "
                "only letters and digits",
                'Rename the class, and keep the name of the table with name="..."',
            )
        yield from _tags(table)
        yield from _parameter(design, table)


def _of_function(design: Design, function: Function) -> Iterator[Finding]:
    """Yield the names of a function and of what it uses that `synth` has to change."""
    # A name that comes from a file name is not judged: `check` may run on a copy.
    if not (design.about.name or design.about.standard):
        return
    for environment in design.about.environments:
        prefix = names_in(design, environment).prefix
        for subject, name, limit in limited_names_of(function, prefix):
            if not limit.allows(name):
                yield Finding(
                    function,
                    f'{subject} would be named "{name}", but AWS allows {limit.allowed}: synth '
                    "changes the name",
                    "Use a shorter name for it, for the design or for the environment",
                    severity=WARNING,
                )
                return


def _own(design: Design) -> Iterator[Finding]:
    """Yield the names that AWS refuses, of what belongs to the design as a whole."""
    # A name that comes from a file name is not judged: `check` may run on a copy.
    if not (design.about.name or design.about.standard):
        return
    for environment in design.about.environments:
        for name, limit in limited_names(design, environment):
            if not limit.allows(name):
                yield Finding(
                    design.about,
                    f'its {limit.kind} in {environment} is named "{name}", but AWS allows '
                    f"{limit.allowed}",
                    'Use only these, or a shorter name, in About(name="...") or in the project of '
                    "the standard",
                )


def _parameter(design: Design, table: type[Table]) -> Iterator[Finding]:
    settings = table.definition.settings
    standard = settings.standard or design.about.standard
    if settings.exported is None or standard is None:
        return
    for environment in design.about.environments:
        path = standard.parameter_in(environment, settings.exported)
        if path is not None and not PARAMETER_NAME.allows(path):
            yield Finding(
                table,
                f'its name in {environment} is exported as "{path}", but Systems Manager allows '
                f"{PARAMETER_NAME.allowed}",
                "Change exported_as of the standard",
            )
            return


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
