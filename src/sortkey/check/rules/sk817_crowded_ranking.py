"""SK817 crowded-ranking: all scores of a ranking are written to one partition."""

from collections.abc import Iterator

from sortkey.check.load import is_narrow, is_slow, spreading
from sortkey.check.model import AnyKind, Model
from sortkey.check.rankings import score_in
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.wording.names import words

# Owners of personal rankings.
_OWNERS = frozenset(
    {"account", "author", "customer", "device", "member", "owner", "player", "user"}
)


@rule("SK817", "crowded-ranking", INFORMATION)
def crowded_ranking(model: Model) -> Iterator[Finding]:
    """All scores of a ranking are written to one partition.

    An index that is sorted by a score, votes or views contains values that many callers change, and
    each ranking is in one partition. A partition serves 1,000 write units a second, and each change
    of a score costs two, since the entry moves; beyond that, DynamoDB throttles the writes of the
    table. Severity is information, because only the name suggests a ranking. It is not reported if
    the rates of all writes are declared and low, if `Expected(hottest_share=...)` declares how they
    are spread (then SK802 judges them), or with `shards=`. Rankings of a single owner are not
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
                yield Finding(
                    key,
                    f'every "{name}" of one {template} is written to the same partition, which '
                    "serves 1,000 write units a second",
                    f"{spreading(key)}, keep only the best there, or declare how the writes are "
                    "spread with Expected(hottest_share=...)",
                )


def _is_shared(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Whether many callers may write to one partition, and no declaration says otherwise."""
    named = {word for part in key.partition for name in part.fields for word in words(name)}
    is_declared = key.shard_count > 1 or kind.expected_by(key).hottest_share is not None
    # SK803 reports keys with few partitions.
    return _OWNERS.isdisjoint(named) and not is_declared and not is_narrow(model, kind, key)
