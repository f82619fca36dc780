"""SK108 key-type: a key attribute is written with a type that is not its own."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK108", "key-type", ERROR)
def key_type(model: Model) -> Iterator[Finding]:
    """A key attribute is written with a type that is not its own.

    A key attribute is text, a number or binary, and always of the one type that the table declares.
    DynamoDB refuses every write that brings another.

    Flagged:
        class Scores(Table, partition="game", sort="points"):
            pass

        class Score(Entity, table=Scores):
            game: str
            points: int

    Instead:
        class Scores(Table, partition="game", sort=number("points")):
            pass

        class Score(Entity, table=Scores):
            game: str
            points: int
    """
    return model.collected("SK108")
