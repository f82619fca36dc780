"""SK427 tied-ranking: the first of a ranking are read, and nothing decides between equals."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rankings import score_in
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.design.keys import EntityKey


@rule("SK427", "tied-ranking", INFORMATION)
def tied_ranking(model: Model) -> Iterator[Fault]:
    """The first records of a ranking are read, and nothing decides between equal scores.

    Records with the same sort key in an index come in no order that DynamoDB promises. Which of two
    players with the same score is the tenth is then left to chance, and pages may look different
    from one day to the next. What decides, such as the time of the score or an id, belongs behind
    the score in the sort key.

    Flagged:
        class Entry(Entity, table=App):
            board_id: str
            player_id: str
            score: int
            primary = App.primary.key("PLAYER#{player_id}", "BOARD#{board_id}")
            ranking = App.gsi1.key("BOARD#{board_id}", "{score:010d}")

        @pattern("The best of a board", rate="5/s")
        def best(board_id: str) -> Op[list[Entry]]:
            return Entry.query(Entry.ranking, board_id=board_id).reverse().limit(10)

    Instead:
        class Entry(Entity, table=App):
            board_id: str
            player_id: str
            score: int
            primary = App.primary.key("PLAYER#{player_id}", "BOARD#{board_id}")
            ranking = App.gsi1.key("BOARD#{board_id}", "{score:010d}#{player_id}")

        @pattern("The best of a board", rate="5/s")
        def best(board_id: str) -> Op[list[Entry]]:
            return Entry.query(Entry.ranking, board_id=board_id).reverse().limit(10)
    """
    for request in model.queries:
        for kind in request.kinds if request.step.limit is not None else ():
            key = request.key_of(kind)
            name = None if key is None else score_in(kind, key)
            if key is not None and name is not None and _fields(key) == [name]:
                yield Fault(
                    request.pattern,
                    f'it reads the first {kind.name} records by "{name}", and nothing decides '
                    "between those with the same one",
                    f"Write what decides behind `{name}` in the sort key, such as an id",
                )


def _fields(key: EntityKey) -> list[str]:
    return [name for part in key.sort for name in part.fields]
