"""SK953 sample-key: a sample item's key differs from the one that its fields produce."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.check.samples.keys import key_differences


@rule("SK953", "sample-key", ERROR)
def sample_key(model: Model) -> Iterator[Finding]:
    """A sample item's key differs from the one that its fields produce.

    The key templates define how each key is built from the fields of a record. If the two differ, a
    read by these fields does not find the item, and a write stores it a second time under another
    key. An index key that differs puts the record in the wrong place.

    Flagged:
        class Workout(Entity, table=App):
            user_id: str
            day: date
            workout_id: str
            primary = App.primary.key("USER#{user_id}", "WORKOUT#{day}#{workout_id}")

        samples = [
            {
                "PK": "USER#7",
                "SK": "WORKOUT#2024-01-15",
                "user_id": "7",
                "day": "2024-01-15",
                "workout_id": "w1",
            },
        ]

    Instead:
        class Workout(Entity, table=App):
            user_id: str
            day: date
            workout_id: str
            primary = App.primary.key("USER#{user_id}", "WORKOUT#{day}#{workout_id}")

        samples = [
            {
                "PK": "USER#7",
                "SK": "WORKOUT#2024-01-15#w1",
                "user_id": "7",
                "day": "2024-01-15",
                "workout_id": "w1",
            },
        ]
    """
    for matched in model.matched:
        for key, message in key_differences(matched):
            yield Finding(
                matched,
                message,
                f"Write the key that {key.name} produces, or correct the fields",
            )
