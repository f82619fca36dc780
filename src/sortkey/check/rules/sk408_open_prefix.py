"""SK408 open-prefix: a prefix stops inside a value, so it matches longer ones too."""

from collections.abc import Iterator
from string import Formatter

from sortkey.check.model import Model, Request
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.design.plan import Compared
from sortkey.design.slots import Slot
from sortkey.design.sources import Text
from sortkey.design.templates import Template


@rule("SK408", "open-prefix", ERROR)
def open_prefix(model: Model) -> Iterator[Fault]:
    """A prefix stops inside a value, so it matches longer values too.

    `USER#1` is also how `USER#12` begins: a query for the records of user 1 returns those of user
    12 too. The delimiter belongs into the prefix. sortkey's own queries always put it there.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Progress(Entity, table=Old):
            gym_id: str
            user_id: Annotated[str, Field(pattern="^[a-z0-9-]+$")]
            day: date
            primary = Old.primary.key("GYM#{gym_id}", "USER#{user_id}#{day}")

        progress = raw_pattern(
            "Progress of a user",
            table=Old,
            operation="Query",
            entity=Progress,
            key_condition="PK = :pk AND begins_with(SK, :user)",
            values={":pk": "GYM#{gym_id}", ":user": "USER#{user_id}"},
            arguments={"gym_id": str, "user_id": str},
            where=lambda p, gym_id, user_id: p.gym_id == gym_id and p.user_id == user_id,
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Progress(Entity, table=Old):
            gym_id: str
            user_id: Annotated[str, Field(pattern="^[a-z0-9-]+$")]
            day: date
            primary = Old.primary.key("GYM#{gym_id}", "USER#{user_id}#{day}")

        progress = raw_pattern(
            "Progress of a user",
            table=Old,
            operation="Query",
            entity=Progress,
            key_condition="PK = :pk AND begins_with(SK, :user)",
            values={":pk": "GYM#{gym_id}", ":user": "USER#{user_id}#"},
            arguments={"gym_id": str, "user_id": str},
            where=lambda p, gym_id, user_id: p.gym_id == gym_id and p.user_id == user_id,
        )
    """
    for request in model.raw_requests:
        for name, prefix in _prefixes(request):
            ends = [_cut_off(prefix, template) for template in _templates(request, name)]
            for end in dict.fromkeys(end for end in ends if end):
                yield Fault(
                    request.pattern,
                    f'"{prefix}" stops inside a value, so it also matches what begins with it',
                    f"Write `{prefix}{end}` instead of `{prefix}`, with the delimiter that ends "
                    "the value",
                    at="key_condition",
                )


def _prefixes(request: Request) -> Iterator[tuple[str, str]]:
    for name, compared in request.step.key.items():
        match compared:
            case Compared("begins_with", Text(template)):
                yield name, template
            case _:
                pass


def _templates(request: Request, attribute: str) -> Iterator[Template]:
    for kind in request.kinds:
        for key in kind.keys.values():
            if key.definition is request.index:
                yield from (p.template for p in key.parts if p.attribute.name == attribute)


def _cut_off(prefix: str, template: Template) -> str:
    """The text with which the template goes on where a prefix ends with a value."""
    pieces: list[str | None] = []
    for text, name, _, _ in Formatter().parse(prefix):
        pieces += [text] * bool(text) + [None] * (name is not None)
    parts = [None if isinstance(part, Slot) else part for part in template.parts]
    end = len(pieces)
    is_begun = end > 0 and pieces[-1] is None and parts[:end] == pieces and len(parts) > end
    return parts[end] or "" if is_begun else ""
