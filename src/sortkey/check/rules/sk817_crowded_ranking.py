"""SK817 crowded-ranking: all scores of a ranking are written to one partition."""

from collections.abc import Iterator

from sortkey.check.fields import words
from sortkey.check.load import is_narrow, is_slow, spreading
from sortkey.check.model import AnyKind, Model
from sortkey.check.rankings import score_in
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.design.keys import EntityKey

# To whom a list of one's own belongs.
_OWNERS = frozenset(
    {"account", "author", "customer", "device", "member", "owner", "player", "user"}
)


@rule("SK817", "crowded-ranking", INFORMATION)
def crowded_ranking(model: Model) -> Iterator[Fault]:
    """All scores of a ranking are written to one partition.

    An index that is ordered by a score, by votes or by views holds what many callers change, and
    all of one ranking lies in one partition. That takes 1,000 write units a second, and each change
    of a score costs two, since the entry moves; beyond that, DynamoDB throttles the writes of the
    table. It is for information, since the name alone says that it is a ranking. It is not reported
    where the rates of all writes are declared and low, where `Expected(hottest_share=...)` says how
    they are spread (then SK802 judges them), or with `shards=`. Rankings of one owner are not
    reported.

    Flagged:
        class Entry(Entity, table=App):
            board_id: str
            player_id: str
            score: int
            primary = App.primary.key("PLAYER#{player_id}", "BOARD#{board_id}")
            ranking = App.gsi1.key("BOARD#{board_id}", "{score:010d}#{player_id}")

        @pattern("Change a score", rate="400/s")
        def change(board_id: str, player_id: str, score: int) -> Op[Entry]:
            entry = Entry.update(board_id=board_id, player_id=player_id)
            return entry.set(lambda e: e.score).to(score)

    Instead:
        class Entry(Entity, table=App):
            board_id: str
            player_id: str
            score: int
            primary = App.primary.key("PLAYER#{player_id}", "BOARD#{board_id}")
            ranking = App.gsi1.key("BOARD#{board_id}", "{score:010d}#{player_id}", shards=8)

        @pattern("Change a score", rate="400/s", ignore={"SK812": "a ranking is by the score"})
        def change(board_id: str, player_id: str, score: int) -> Op[Entry]:
            entry = Entry.update(board_id=board_id, player_id=player_id)
            return entry.set(lambda e: e.score).to(score)
    """
    for kind in model.kinds:
        for key in kind.keys.values():
            name = score_in(kind, key)
            if name is None or not _is_shared(model, kind, key):
                continue
            if any(r.writes for r in model.requests_of(kind)) and not is_slow(model, kind, key):
                template = ", ".join(f'"{part.template}"' for part in key.partition)
                yield Fault(
                    key,
                    f'every "{name}" of one {template} is written to the same partition, which '
                    "takes 1,000 write units a second",
                    f"{spreading(key)}, keep only the best there, or declare how the writes are "
                    "spread with Expected(hottest_share=...)",
                )


def _is_shared(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Whether many may write to one partition, and nothing else is known of it."""
    named = {word for part in key.partition for name in part.fields for word in words(name)}
    is_told = key.shard_count > 1 or kind.expected_by(key).hottest_share is not None
    # SK803 reports the partitions that are few.
    return _OWNERS.isdisjoint(named) and not is_told and not is_narrow(model, kind, key)
