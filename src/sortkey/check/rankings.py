"""Indexes that are rankings: ordered by a score, votes or views, which many callers change."""

from sortkey.check.model import AnyKind
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.wording.names import words

_SCORES = frozenset({"downloads", "likes", "plays", "points", "score", "views", "votes", "wins"})


def score_in(kind: AnyKind, key: EntityKey) -> str | None:
    """The field by which an index is ordered first, where its name says that it is a score."""
    slots = [slot for part in key.sort for slot in part.template.slots][:1]
    if key.index is None or kind.immutable or slots == []:
        return None
    name = slots[0].field
    is_score = name not in kind.frozen_fields and not _SCORES.isdisjoint(words(name))
    return name if is_score else None
