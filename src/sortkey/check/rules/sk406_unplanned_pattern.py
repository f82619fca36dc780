"""SK406 unplanned-pattern: no valid call of a pattern was found, so its requests are unknown."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.plans.drawing import Undrawable
from sortkey.errors import Refused, ValueRefused


@rule("SK406", "unplanned-pattern", WARNING)
def unplanned_pattern(model: Model) -> Iterator[Finding]:
    """No valid call of a pattern was found, so its requests are unknown.

    sortkey calls each pattern with several sets of arguments that are valid for their types and for
    the fields that they are stored in. If a function looks an argument up in a dictionary, or a
    validator accepts only certain values, sortkey cannot guess them: no rule judges the pattern,
    and no policy is generated for it. Two or more examples of valid values are enough. Until then,
    rules about what no pattern does, such as SK420, say nothing of the entities that its code
    mentions.

    If a pattern raises a ValueError because its arguments do not belong together, sortkey also
    draws values in the other order, as for the bounds of a range, and gives the same value to
    arguments and fields with the same name and type, such as the ``owner_id`` of two records. If
    that is not enough, take fewer arguments and derive the rest.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A well-known note", rate="5/s")
        def known(name: str) -> Op[Note | None]:
            return Note.get(note_id={"first": "1", "last": "9"}[name])

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A well-known note", rate="5/s")
        def known(name: Annotated[str, Field(examples=["first", "last"])]) -> Op[Note | None]:
            return Note.get(note_id={"first": "1", "last": "9"}[name])
    """
    for planned in model.patterns:
        error = planned.plan.error
        match error:
            case None:
                continue
            case Undrawable():
                yield Finding(
                    planned.pattern,
                    f"it is not judged: {error}",
                    f"Give `{error.argument}` two or more valid values: `Field(examples=[...])`",
                )
            case Refused() if not isinstance(error, ValueRefused):
                continue
            case ValueError():
                yield Finding(
                    planned.pattern,
                    f"it is not judged: every call fails, with {planned.plan.why}",
                    "If arguments must be equal, give them the same name, or take only one of them "
                    "and derive the rest. Otherwise, give the argument that causes it two or more "
                    "valid values: `Field(examples=[...])`",
                )
            case _:
                yield Finding(
                    planned.pattern,
                    f"it is not judged: every call fails, with {planned.plan.why}",
                    "Give the argument that causes it two or more valid values: "
                    "`Field(examples=[...])`",
                )
