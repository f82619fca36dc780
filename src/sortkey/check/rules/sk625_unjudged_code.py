"""SK625 unjudged-code: the code of a function does something that cannot be judged."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Finding, Missing, rule
from sortkey.programs.program import Unjudged


@rule("SK625", "unjudged-code", INFORMATION)
def unjudged_code(model: Model) -> Iterator[Finding]:
    """The code of a function does something that cannot be judged.

    What a handler can use is read from its code. The code does not show which attribute a computed
    name stands for, what a text does that is run as code, and which permissions an operation needs
    that no pattern declares. So the role of the function may lack patterns, and whether it has too
    many is not judged.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        @lambda_handler(App, target="memory")
        def answer(event: dict, context: object, db: DB) -> object:
            chosen = globals()[event["pattern"]]
            return db(chosen(event["note_id"]))

        answers = Function("answer", handler="notes:answer", role=Role("reader", [note]))

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="5/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

        @lambda_handler(App, target="memory")
        def answer(event: dict, context: object, db: DB) -> object:
            chosen = {"note": note}[event["pattern"]]
            return db(chosen(event["note_id"]))

        answers = Function("answer", handler="notes:answer", role=Role("reader", [note]))
    """
    if model.programs is None:
        for function in model.design.functions:
            yield Finding(
                function,
                "its handler was not imported, so what it can use is not compared with its role",
                "Run `sortkey check --programs`",
                missing=Missing("the code", "function", "--programs"),
            )
    for program in model.programs or ():
        allowed = {id(pattern) for pattern in program.function.role.patterns}
        for one in program.unjudged:
            if one.use is None or id(one.use.pattern) not in allowed:
                yield Finding(program.function, _message(one), _fix(one))


def _message(one: Unjudged) -> str:
    place = "" if one.place is None else f" ({one.place})"
    uses = "" if one.use is None else f", which uses {one.use.pattern.name}"
    return f"{one.where}{place} {one.what}{uses}"


def _fix(one: Unjudged) -> str:
    if one.use is not None:
        return "Give the pattern to the role if the library calls it, or acknowledge it"
    if one.what.endswith("is not installed here"):
        return "Install it and check again, or acknowledge it"
    return "Name what it uses, or acknowledge it once the role has all patterns that it needs"
