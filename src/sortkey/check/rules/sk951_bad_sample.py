"""SK951 bad-sample: a sample item is not an item that DynamoDB takes."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.check.samples.matching import tables_of


@rule("SK951", "bad-sample", ERROR)
def bad_sample(model: Model) -> Iterator[Fault]:
    """A sample item is not an item that DynamoDB takes.

    In DynamoDB JSON every attribute has its type, and a number is written as text. DynamoDB rejects
    an item in which one is missing or does not fit, an empty set, and a number of more than 38
    digits. Plain JSON is read too, where no attribute of the item has a type.

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
            yield Fault(
                tables[0] if tables else model.design.about,
                fault,
                'Write the item as DynamoDB JSON, as in {"count": {"N": "5"}}, or as plain JSON',
                sample=sample,
            )
