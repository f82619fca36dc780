"""SK202 unordered-time: a time in a sort key does not sort chronologically."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK202", "unordered-time", ERROR)
def unordered_time(model: Model) -> Iterator[Finding]:
    """A time is written into a sort key in a format that does not sort chronologically.

    DynamoDB orders a string sort key byte by byte, so a time format must run from the year down to
    the smallest unit, in one time zone and with a fixed width. Otherwise ranges and newest-first
    reads return the wrong records.

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
