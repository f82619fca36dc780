"""What a design acknowledges: beside a pattern, an entity or a table, with its reason.

It is said as for `check`, with ``ignore=``: by the code of the rule that tells the same before
anything runs, or by the name of the aspect, as in ``ignore={"affordable": "a handful"}``. What
``Expected`` declares to be small needs no acknowledgement.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sortkey.design.design import Design
from sortkey.design.ignoring import Ignored
from sortkey.design.kind import EntityKind
from sortkey.design.pattern import Pattern
from sortkey.wire.limits import KB, PAGE_BYTES

# So many records are few, where one request can return them all: as for SK414.
_MANY = 1000


def reason_for(
    subject: Pattern[..., Any] | EntityKind[Any],
    design: Design,
    aspect: str,
    rules: Sequence[str],
) -> str:
    """Why what is found of a pattern or an entity is right there; empty where nothing is said."""
    for said in _holders(subject, design):
        for name in (aspect, *rules):
            if name in said:
                return said[name]
    return ""


def _holders(subject: Pattern[..., Any] | EntityKind[Any], design: Design) -> Iterator[Ignored]:
    yield subject.ignore
    if isinstance(subject, EntityKind):
        yield subject.table.ignore
    yield design.about.ignore


def declared_small(kinds: Sequence[EntityKind[Any]], *, whole: bool) -> str:
    """Say that a design declares so few of these records that reading them all is affordable.

    They are those of one partition, or with ``whole`` all that there are; empty where it does not.
    """
    counts = [_declared(kind, whole=whole) for kind in kinds]
    known = [count for count in counts if count is not None]
    sizes = [(kind.expected and kind.expected.size_bytes) or KB for kind in kinds]
    if not kinds or len(known) < len(counts) or sum(known) > _MANY:
        return ""
    if sum(count * size for count, size in zip(known, sizes, strict=True)) > PAGE_BYTES:
        return ""
    where = "in all" if whole else "in a partition"
    names = ", ".join(kind.name for kind in kinds)
    return f"Expected declares about {sum(known):,} records of {names} {where}"


def _declared(kind: EntityKind[Any], *, whole: bool) -> int | None:
    if kind.expected is None:
        return None
    return kind.expected.count if whole else kind.expected.per_partition or kind.expected.count
