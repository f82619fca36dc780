"""Findings that a design acknowledges on a pattern, an entity, an index or a table.

As for `check`, ``ignore=`` names the rule that finds the same problem before anything runs, or the
aspect, as in ``ignore={"affordable": "a handful"}``. Data that ``Expected`` declares to be small
needs no acknowledgement.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sortkey.design.acknowledging import Ignored
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import Index
from sortkey.wire.limits import KB, PAGE_BYTES
from sortkey.wording.prose import counted, listed

# Up to so many records are few, if one request can return them all: as for SK414.
_MANY = 1000


def reason_for(
    subject: Pattern[..., Any] | EntityKind[Any] | Index,
    design: Design,
    aspect: str,
    rules: Sequence[str],
) -> str:
    """Return the reason that acknowledges a finding on the subject; empty if there is none."""
    for ignored in _ignored_by(subject, design):
        for name in (aspect, *rules):
            if name in ignored:
                return ignored[name]
    return ""


def _ignored_by(
    subject: Pattern[..., Any] | EntityKind[Any] | Index, design: Design
) -> Iterator[Ignored]:
    yield subject.ignore
    if isinstance(subject, EntityKind):
        yield subject.table.ignore
    yield design.about.ignore


def declared_small(kinds: Sequence[EntityKind[Any]], *, whole: bool) -> str:
    """Return a sentence if the design declares few enough records to read them all, else "".

    It counts the records of one partition, or with ``whole`` of the table.
    """
    counts = [_declared(kind, whole=whole) for kind in kinds]
    known = [count for count in counts if count is not None]
    sizes = [(kind.expected and kind.expected.size_bytes) or KB for kind in kinds]
    if not kinds or len(known) < len(counts) or sum(known) > _MANY:
        return ""
    if sum(count * size for count, size in zip(known, sizes, strict=True)) > PAGE_BYTES:
        return ""
    where = "in total" if whole else "in a partition"
    names = listed(kind.name for kind in kinds)
    return f"Expected declares about {counted(sum(known), 'record')} of {names} {where}"


def _declared(kind: EntityKind[Any], *, whole: bool) -> int | None:
    if kind.expected is None:
        return None
    return kind.expected.count if whole else kind.expected.per_partition or kind.expected.count
