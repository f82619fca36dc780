"""SK423 unreached-lines: no call reached some lines of a pattern."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.design.plans.reaching import unreached_lines


@rule("SK423", "unreached-lines", INFORMATION)
def unreached_lines_of_patterns(model: Model) -> Iterator[Finding]:
    """No call reached some lines of a pattern's function, so their requests are unknown.

    sortkey learns which requests a pattern sends by calling it: with all arguments, without each
    optional one, with each value of a flag or a choice, with large and small values, and with those
    that the function compares them with. Code that depends on a computed value, such as a part of a
    name, may not be reached, and no rule judges it. A line that raises an error sends nothing and
    is not reported, nor is a pattern that fails with every call, which SK406 reports.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note by its name", rate="5/s")
        def named(name: str) -> Op[Note | None]:
            if name.count("-") > 4:
                return Note.get(note_id="1")
            return Note.get(note_id=name)

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note by its name", rate="5/s")
        def named(name: Annotated[str, Field(examples=["a-b-c-d-e-f", "42"])]) -> Op[Note | None]:
            if name.count("-") > 4:
                return Note.get(note_id="1")
            return Note.get(note_id=name)
    """
    # If every call fails, it fails before these lines. Patterns may share a function.
    failing = {getattr(pattern.function, "__code__", None) for pattern in model.unplanned}
    for pattern, lines in unreached_lines(model.design):
        if pattern.function.__code__ in failing:
            continue
        listed = ", ".join(map(str, lines))
        where = f"lines {listed}" if len(lines) > 1 else f"line {listed}"
        yield Finding(
            pattern,
            f"no call reached {where}, so its requests there are not judged",
            "Give the argument that decides `Field(examples=[...])`, with a value that leads there",
        )
