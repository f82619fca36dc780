"""Rewriting pages of stored records to what the design would write now, and its progress."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from sortkey.design.records.kind import EntityKind
from sortkey.operations.rewrite import Result, Rewrite, Rewrites, Rewritten
from sortkey.wire.values import Item

PAGE = 100
MOST_FAILURES = 50


@dataclass(frozen=True, slots=True)
class Failure:
    """A record that could not be rewritten, and the reason."""

    entity: str
    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a back-fill; ``failures`` has the first failures, ``failed`` counts all.

    ``locks`` counts the locks of unique fields, which are rewritten with their records; ``other``
    counts items of no entity; ``expected`` is the approximate number of all items. Of the
    rewritten records, ``moved`` counts those that have another primary key now, and ``encrypted``
    those of which a secret was stored in plain text.
    """

    read: int = 0
    current: int = 0
    rewritten: int = 0
    moved: int = 0
    encrypted: int = 0
    gone: int = 0
    failed: int = 0
    locks: int = 0
    other: int = 0
    units: float = 0.0
    expected: int = 0
    failures: tuple[Failure, ...] = ()
    done: bool = False

    def after(self, results: Iterable[Rewritten], *, read: int, locks: int) -> "Progress":
        """Return the progress after some more items."""
        more = list(results)
        counts = {result: sum(one.result is result for one in more) for result in Result}
        failures = [
            Failure(one.entity, one.key, one.reason) for one in more if one.result is Result.FAILED
        ]
        return replace(
            self,
            read=self.read + read,
            current=self.current + counts[Result.CURRENT],
            rewritten=self.rewritten + counts[Result.REWRITTEN],
            moved=self.moved + sum(one.moved for one in more),
            encrypted=self.encrypted + sum(one.encrypted for one in more),
            gone=self.gone + counts[Result.GONE],
            failed=self.failed + counts[Result.FAILED],
            locks=self.locks + locks,
            other=self.other + read - locks - len(more),
            failures=(*self.failures, *failures)[:MOST_FAILURES],
        )


def rewrites_of(
    kinds: Iterable[EntityKind[Any]], items: Iterable[Item], time: float, *, dry_run: bool = False
) -> Rewrites:
    """Return the rewrites of the items that are records of these entities."""
    owned = [(kind, item) for item in items for kind in kinds if kind.is_mine(item)]
    return Rewrites(
        tuple(Rewrite(kind, item, kind.index_names, time, dry_run) for kind, item in owned)
    )
