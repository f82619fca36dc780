"""SK951 bad-sample: a sample item is not a valid DynamoDB item."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.check.samples.matching import Unmatched, tables_of


@rule("SK951", "bad-sample", ERROR)
def bad_sample(model: Model) -> Iterator[Finding]:
    """A sample item is not a valid DynamoDB item.

    In DynamoDB JSON every attribute has its type, and a number is written as a string. DynamoDB
    rejects an item if a type is missing or does not match its value, an empty set, and a number
    with more than 38 digits. Plain JSON is accepted too, if no attribute of the item has a type.

    Flagged:
        class Player(Entity, table=App):
            player_id: str
            points: int
            primary = App.primary.key("PLAYER#{player_id}", "PLAYER")

        samples = [
            {
                "PK": {"S": "PLAYER#7"},
                "SK": {"S": "PLAYER"},
                "player_id": {"S": "7"},
                "points": {"N": 120},
            },
        ]

    Instead:
        class Player(Entity, table=App):
            player_id: str
            points: int
            primary = App.primary.key("PLAYER#{player_id}", "PLAYER")

        samples = [
            {
                "PK": {"S": "PLAYER#7"},
                "SK": {"S": "PLAYER"},
                "player_id": {"S": "7"},
                "points": {"N": "120"},
            },
        ]
    """
    for sample in model.samples:
        tables = tables_of(model.design, sample)
        for fault in sample.faults.values():
            yield Finding(
                Unmatched(sample, tables[0] if tables else None, fault),
                fault,
                'Write the item as DynamoDB JSON, as in {"count": {"N": "5"}}, or as plain JSON',
            )
