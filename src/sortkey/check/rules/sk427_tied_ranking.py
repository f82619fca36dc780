"""SK427 tied-ranking: nothing decides between equal scores of a ranking."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rankings import score_in
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.design.records.keys.entity_key import EntityKey


@rule("SK427", "tied-ranking", INFORMATION)
def tied_ranking(model: Model) -> Iterator[Finding]:
    """The first records of a ranking are read, but nothing decides between equal scores.

    DynamoDB does not guarantee the order of records with the same sort key in an index. Which of
    two players with the same score comes tenth is then left to chance, and pages may differ from
    one day to the next. Put a value that decides, such as the time of the score or an id, after the
    score in the sort key.

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
                yield Finding(
                    request.pattern,
                    f'it reads the first {kind.name} records by "{name}", but nothing decides '
                    "between records with the same value",
                    f"Put a value that decides after `{name}` in the sort key, such as an id",
                )


def _fields(key: EntityKey) -> list[str]:
    return [name for part in key.sort for name in part.fields]
