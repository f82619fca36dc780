"""SK705 transaction-of-one: a transaction has a single action."""

from collections.abc import Iterator

from sortkey.check.model import Model, Request, is_unreadable
from sortkey.check.rule import WARNING, Fault, rule
from sortkey.design.sources import arguments_in
from sortkey.expressions.tree import Add


@rule("SK705", "transaction-of-one", WARNING)
def transaction_of_one(model: Model) -> Iterator[Fault]:
    """A transaction has a single action.

    One request is all or nothing by itself, and may have the same condition. In a transaction it
    costs twice the units, and conflicts with others that would only have waited. Where it counts
    something, the transaction's token keeps a repeated request from counting twice: that is fine.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("Write a note", rate="5/s")
        def write(note: Note) -> Op[None]:
            return transact(note.create())

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("Write a note", rate="5/s")
        def write(note: Note) -> Op[Note]:
            return note.create()
    """
    for asked in model.asked:
        # An action that cannot be read may not be in the plan.
        if any(map(is_unreadable, asked.pattern.findings)):
            continue
        # Where another path has more in its transaction, this one is written like it.
        first = [path.requests[0] for path in asked.transactions if len(path.requests) == 1]
        if not first or len(first) < len(asked.transactions):
            continue
        # One for each member of a list is one in its plan.
        if not _is_repeated(first[0]) and not _counts(first[0]):
            yield Fault(
                asked.pattern,
                "its transaction has one action, which costs twice what it does alone",
                "Send it alone, with its condition",
            )


def _is_repeated(request: Request) -> bool:
    step = request.step
    sources = [source for compared in step.key.values() for source in compared.sources]
    named = [arguments_in(source) for source in (*sources, *(step.item or {}).values())]
    return any("[]" in name for names in named for name in names)


def _counts(request: Request) -> bool:
    """Whether an update adds to something but its version."""
    kept = {kind.version for kind in request.kinds}
    actions = request.step.update.actions if request.step.update else ()
    return any(isinstance(action, Add) and action.path.name not in kept for action in actions)
