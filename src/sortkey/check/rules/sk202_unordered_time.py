"""SK202 unordered-time: a time enters a sort key in a form that does not sort as times do."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK202", "unordered-time", ERROR)
def unordered_time(model: Model) -> Iterator[Finding]:
    """A time enters a sort key in a form that does not sort as times do.

    DynamoDB orders a string sort key byte by byte, so a form must go from the year down, in one
    zone and with a fixed width. Ranges and newest-first return the wrong records otherwise.

    Flagged:
        class Event(Entity, table=App):
            user_id: str
            at: datetime
            event_id: str
            primary = App.primary.key("USER#{user_id}", "EVENT#{at:%d-%m-%Y}#{event_id}")

    Instead:
        class Event(Entity, table=App):
            user_id: str
            at: datetime
            event_id: str
            primary = App.primary.key("USER#{user_id}", "EVENT#{at}#{event_id}")
    """
    return model.collected("SK202")
