"""What a design acknowledges: beside a pattern, an entity or a table, with its reason.

It is said as for `check`, with ``ignore=``: by the code of the rule that tells the same before
anything runs, or by the name of the aspect, as in ``ignore={"affordable": "a handful"}``.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sortkey.design.design import Design
from sortkey.design.ignoring import Ignored
from sortkey.design.kind import EntityKind
from sortkey.design.pattern import Pattern


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
