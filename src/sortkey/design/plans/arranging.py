"""Arrangements: arguments that belong together, for a pattern that refuses those that do not.

Arguments are drawn independently of each other, so that none can be taken for another. A pattern
may refuse such a call with a ValueError: two records must have one owner, a range must begin before
it ends. Only then are its arguments arranged: values of one type are drawn in descending order, or
parts of the same name and type are *tied*, that is, they have the same value in each call.

Tied parts cannot be distinguished, so as few as possible are tied: each is freed if the calls still
succeed. The parts that stay tied are equal in every valid call, so a value that comes from one of
them comes from any of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any, cast

from sortkey.design.plans.drawn import STEPS, Drawn
from sortkey.design.plans.sources import NOW

# Each kind of value that is drawn in an order.
_ORDERED: Mapping[str, tuple[type, ...]] = {
    "time": (date,),
    "number": (int,),
    "decimal": (Decimal, float),
    "text": (str,),
}
# With more ties to try, a pattern that refuses all calls would delay `check`.
_MOST_TIES = 12


@dataclass(frozen=True)
class Arrangement:
    """How arguments depend on each other: the kinds in descending order, and the tied parts."""

    descending: frozenset[str] = frozenset()
    ties: tuple[tuple[str, ...], ...] = ()

    @cached_property
    def leaders(self) -> Mapping[str, str]:
        """The part whose value each tied part takes.

        A part of a list is its own leader, so that all members of the list have one value.
        """
        found = {name: tie[0] for tie in self.ties for name in tie[1:]}
        return found | {tie[0]: tie[0] for tie in self.ties if "[" in tie[0]}

    @cached_property
    def tied(self) -> Mapping[str, Sequence[str]]:
        """The other parts that have the same value as each tied part."""
        return {name: [n for n in tie if n != name] for tie in self.ties for name in tie}

    def freed(self, name: str) -> "Arrangement":
        """Return the arrangement with one part free."""
        left = [tuple(part for part in tie if part != name) for tie in self.ties]
        return replace(self, ties=tuple(tie for tie in left if len(tie) > 1))


INDEPENDENT = Arrangement()


def arrangements(drawn: Drawn) -> Iterator[Arrangement]:
    """Yield arrangements of these arguments, first those that leave all parts independent."""
    orders = list(_orders(drawn))
    ties = list(_ties(drawn))[:_MOST_TIES]
    choices: list[Sequence[tuple[str, ...]]] = [(), *((tie,) for tie in ties)]
    if len(ties) > 1:
        choices.append(ties)
    if len(ties) > 2:  # noqa: PLR2004 - of two, each alone was tried
        choices += [[tie for tie in ties if tie is not free] for free in ties]
    every = (Arrangement(order, tuple(chosen)) for chosen in choices for order in orders)
    return (one for one in every if one != INDEPENDENT)


def _orders(drawn: Drawn) -> Iterator[frozenset[str]]:
    """Yield the kinds to draw in descending order: none, each that has two values, and all."""
    parts = [drawn.parts[name] for name in drawn.leaves if name != NOW]
    several = [
        kind
        for kind, types in _ORDERED.items()
        if sum(isinstance(part, types) and not isinstance(part, bool) for part in parts) > 1
    ]
    yield frozenset()
    yield from (frozenset({kind}) for kind in several)
    if len(several) > 1:
        yield frozenset(several)


def _ties(drawn: Drawn) -> Iterator[tuple[str, ...]]:
    """Yield the parts of arguments that have the same name and type."""
    found: dict[tuple[str, type[Any]], list[str]] = {}
    for name in drawn.leaves:
        if name != NOW:
            kind = cast("type[Any]", type(drawn.parts[name]))
            found.setdefault((_named(name), kind), []).append(name)
    return (tuple(names) for names in found.values() if len(names) > 1)


def _named(part: str) -> str:
    """Return what a part is called: the same for `order.user_id`, `user_id`, `user.id`."""
    *outer, last = [step.lstrip(".") for step in STEPS.findall(part) if step[0] != "["]
    return outer[-1] if outer and last == "id" else last.removesuffix("_id")
