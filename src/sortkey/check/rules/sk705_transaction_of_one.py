"""SK705 transaction-of-one: a transaction has a single action."""

from collections.abc import Iterator

from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.plans.sources import arguments_in
from sortkey.expressions.tree import Add


@rule("SK705", "transaction-of-one", WARNING)
def transaction_of_one(model: Model) -> Iterator[Finding]:
    """A transaction has a single action.

    A single request is atomic by itself and can have the same condition. In a transaction it costs
    twice the units, and it conflicts with other requests that would otherwise only have waited. If
    it counts something, the transaction's token prevents a repeated request from counting twice;
    this is not reported.

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
    for planned in model.patterns:
        # An invalid action may be missing from the plan.
        if any(finding.blocks for finding in planned.pattern.findings):
            continue
        # If another path has more actions, this one only follows the same form.
        first = [path.requests[0] for path in planned.transactions if len(path.requests) == 1]
        if not first or len(first) < len(planned.transactions):
            continue
        # One action for each member of a list appears once in the plan.
        if not _is_repeated(first[0]) and not _counts(first[0]):
            yield Finding(
                planned.pattern,
                "its transaction has one action, which costs twice as much as a single request",
                "Send it as a single request, with its condition",
            )


def _is_repeated(request: PlannedRequest) -> bool:
    step = request.step
    sources = [source for compared in step.key.values() for source in compared.sources]
    named = [arguments_in(source) for source in (*sources, *(step.item or {}).values())]
    return any("[]" in name for names in named for name in names)


def _counts(request: PlannedRequest) -> bool:
    """Whether an update adds to anything but a version."""
    kept = {kind.version for kind in request.kinds}
    actions = request.step.update.actions if request.step.update else ()
    return any(isinstance(action, Add) and action.path.name not in kept for action in actions)
