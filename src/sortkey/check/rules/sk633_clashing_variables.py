"""SK633 clashing-variables: a variable of a function is reserved, or is set twice."""

import re
from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.declaring.functions import Function
from sortkey.design.declaring.services import Setting
from sortkey.wording.prose import listed

_RESERVED = ("AWS_", "LAMBDA_", "_")
_ALLOWED = re.compile(r"[A-Za-z]\w+", re.ASCII)


@rule("SK633", "clashing-variables", ERROR)
def clashing_variables(model: Model) -> Iterator[Finding]:
    """A variable of a function is reserved, or is set twice.

    Lambda rejects variables that begin with `AWS_`, `LAMBDA_` or an underscore, and all that are
    not letters, digits and underscores. sortkey sets `ENVIRONMENT` and `SORTKEY_TARGET`, the
    variables of the settings that a function uses, and those of its queues and buckets, such as
    `QUEUE_MAILS`: another value of one of these would be lost.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        read = Function(
            "read",
            handler="notes.functions:read",
            role=Role("reader", [note]),
            triggers=[Schedule("rate(1 day)")],
            environment={"AWS_REGION": "eu-west-1"},
        )

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        read = Function(
            "read",
            handler="notes.functions:read",
            role=Role("reader", [note]),
            triggers=[Schedule("rate(1 day)")],
            environment={"REPORT_REGION": "eu-west-1"},
        )
    """
    for function in model.design.functions:
        for name in function.environment:
            if name.startswith(_RESERVED) or not _ALLOWED.fullmatch(name):
                yield Finding(
                    function,
                    f'Lambda rejects the variable "{name}"',
                    "Use letters, digits and underscores, and begin with neither AWS_ nor LAMBDA_ "
                    "nor an underscore",
                )
        for name, owners in _variables(function).items():
            if len(owners) > 1:
                yield Finding(
                    function,
                    f"its variable {name} has {len(owners)} values: of {listed(owners)}",
                    "Rename one of them",
                )


def _variables(function: Function) -> dict[str, list[str]]:
    """Return the variables of a function, each with all that sets it to different values."""
    found: dict[str, dict[object, str]] = {}
    for name in ("ENVIRONMENT", "SORTKEY_TARGET"):
        found.setdefault(name, {})[name] = "sortkey"
    for name, value in function.environment.items():
        of_setting = isinstance(value, Setting) and value.variable == name
        found.setdefault(name, {})[value] = str(value) if of_setting else "its environment"
    verifying = (one for api in function.apis for one in (api.issuer, api.audience))
    own = (*function.settings, *(one for one in verifying if isinstance(one, Setting)))
    # The same variable of a setting that differs is a finding of SK628.
    for setting in {one.variable: one for one in own}.values():
        found.setdefault(setting.variable, {})[setting] = str(setting)
    for kind, services in (("QUEUE", function.queues), ("BUCKET", function.buckets)):
        for service in services:
            name = f"{kind}_{service.name.replace('-', '_').upper()}"
            found.setdefault(name, {})[service.name] = str(service)
    return {name: list(values.values()) for name, values in found.items()}
