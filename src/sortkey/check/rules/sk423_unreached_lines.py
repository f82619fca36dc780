"""SK423 unreached-lines: no call reached some lines of a pattern's function."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.design.reaching import unreached_lines


@rule("SK423", "unreached-lines", INFORMATION)
def unreached_lines_of_patterns(model: Model) -> Iterator[Fault]:
    """No call reached some lines of a pattern's function, so nothing is known of what they send.

    sortkey learns what a pattern sends by calling it: with all arguments, with each optional one
    left out, with each value of a flag or a choice, with large and small values. What depends on
    one special value, such as a name, is not among them, and no rule judges it. A line that raises
    an error sends nothing and is not reported.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note by its name", rate="5/s")
        def named(name: str) -> Op[Note | None]:
            if name == "first":
                return Note.get(note_id="1")
            return Note.get(note_id=name)

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note by its name", rate="5/s")
        def named(name: Annotated[str, Field(examples=["first", "42"])]) -> Op[Note | None]:
            if name == "first":
                return Note.get(note_id="1")
            return Note.get(note_id=name)
    """
    for pattern, lines in unreached_lines(model.design):
        listed = ", ".join(map(str, lines))
        said = f"lines {listed}" if len(lines) > 1 else f"line {listed}"
        yield Fault(
            pattern,
            f"no call reached {said}, so what it sends there is not judged",
            "Give the argument that decides `Field(examples=[...])`, with a value that leads there",
        )
