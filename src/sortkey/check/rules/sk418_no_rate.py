"""SK418 no-rate: nothing says how often patterns are asked."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Fault, rule

_NAMED = 5


@rule("SK418", "no-rate", INFORMATION)
def no_rate(model: Model) -> Iterator[Fault]:
    """Nothing says how often some patterns are asked.

    Whether a key gets too hot, and what a month costs, is reckoned from `rate=`. A guess within a
    factor of ten is enough. It is said once for a design.

    Flagged:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)

    Instead:
        class Note(Entity, table=App):
            note_id: str
            primary = App.primary.key("NOTE#{note_id}", "NOTE")

        @pattern("A note", rate="50/s")
        def note(note_id: str) -> Op[Note | None]:
            return Note.get(note_id=note_id)
    """
    unknown = [pattern.name for pattern in model.design.patterns if pattern.rate is None]
    if unknown:
        more = len(unknown) - _NAMED
        named = ", ".join(unknown[:_NAMED]) + (f" and {more} more" if more > 0 else "")
        yield Fault(
            model.design.about,
            f"nothing says how often {named} {'is' if len(unknown) == 1 else 'are'} asked",
            'Give each a rate, as @pattern("...", rate="50/s")',
        )
