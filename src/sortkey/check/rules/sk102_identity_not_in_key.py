"""SK102 identity-not-in-key: a field that identifies a record is not in its primary key."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK102", "identity-not-in-key", ERROR)
def identity_not_in_key(model: Model) -> Iterator[Finding]:
    """A field that identifies a record is not in its primary key.

    Two records that differ only in that field have the same key, so the later one silently
    overwrites the earlier one.

    Flagged:
        class Event(Entity, table=App, identity=("event_id",)):
            user_id: str
            event_id: str
            request_id: str
            primary = App.primary.key("USER#{user_id}", "EVENT#{request_id}")

    Instead:
        class Event(Entity, table=App, identity=("event_id",)):
            user_id: str
            event_id: str
            request_id: str
            primary = App.primary.key("USER#{user_id}", "EVENT#{request_id}#{event_id}")
    """
    return model.collected("SK102")
