"""SK406 unplanned-pattern: no valid call of a pattern is found, so it has no plan."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule
from sortkey.design.drawing import Undrawable
from sortkey.errors import Refused, ValueRefused


@rule("SK406", "unplanned-pattern", WARNING)
def unplanned_pattern(model: Model) -> Iterator[Fault]:
    """No valid call of a pattern is found, so nothing is known of what it sends.

    sortkey calls each pattern with several sets of arguments that are valid for their types and for
    the fields that they go into. Where a function looks an argument up in a dictionary, or a
    validator takes only certain values, it cannot guess them: no rule judges the pattern, and no
    policy is made for it. Examples of valid values, two or more, are enough.

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
    for asked in model.asked:
        error = asked.plan.error
        match error:
            case None:
                continue
            case Undrawable():
                yield Fault(
                    asked.pattern,
                    f"it is not judged: {error}",
                    f"Give `{error.argument}` two valid values or more: `Field(examples=[...])`",
                )
            case Refused() if not isinstance(error, ValueRefused):
                continue
            case _:
                yield Fault(
                    asked.pattern,
                    f"it is not judged: every call fails, with {asked.plan.why}",
                    "Give the argument that decides two valid values or more: "
                    "`Field(examples=[...])`",
                )
