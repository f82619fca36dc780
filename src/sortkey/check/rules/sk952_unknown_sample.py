"""SK952 unknown-sample: a sample item is not a record of any entity."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule


@rule("SK952", "unknown-sample", WARNING)
def unknown_sample(model: Model) -> Iterator[Finding]:
    """A sample item is not a record of any entity.

    An item belongs to the entity that its type attribute names or, without one, to the entity whose
    key templates match its keys. An item without an entity is not read by any pattern, or is read
    as another entity. Either the design lacks an entity, or the application will write other keys
    than the item has.

    Flagged:
        class Workout(Entity, table=App):
            user_id: str
            day: date
            primary = App.primary.key("USER#{user_id}", "WORKOUT#{day}")

        samples = [
            {"PK": "USER#7", "SK": "WORK_OUT#2024-01-15", "user_id": "7", "day": "2024-01-15"},
        ]

    Instead:
        class Workout(Entity, table=App):
            user_id: str
            day: date
            primary = App.primary.key("USER#{user_id}", "WORKOUT#{day}")

        samples = [
            {"PK": "USER#7", "SK": "WORKOUT#2024-01-15", "user_id": "7", "day": "2024-01-15"},
        ]
    """
    for unmatched in model.unmatched:
        yield Finding(
            unmatched,
            unmatched.message,
            "Declare its entity, or correct the item",
        )
