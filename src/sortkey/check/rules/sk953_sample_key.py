"""SK953 sample-key: a sample item's key is not the one that its fields make."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.check.samples.keys import key_differences


@rule("SK953", "sample-key", ERROR)
def sample_key(model: Model) -> Iterator[Fault]:
    """A sample item's key is not the one that its fields make.

    The key templates say how each key is written from the fields of a record. Where the two differ,
    a read by these fields does not find the item, and a write stores it a second time under another
    key. An index key that differs lists the record in the wrong place.

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
            yield Fault(
                matched.kind,
                message,
                f"Write the key that {key.name} makes, or correct the fields",
                sample=matched.sample,
            )
