"""SK108 key-type: a key attribute is written with a type other than the declared one."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK108", "key-type", ERROR)
def key_type(model: Model) -> Iterator[Finding]:
    """A key attribute is written with a type other than the declared one.

    A key attribute is a string, a number or binary, and always has the one type that the table
    declares. DynamoDB rejects every write with another type.

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
