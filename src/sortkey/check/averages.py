"""Averages and sums that a caller computes, while the count beside them is raised in place."""

from collections.abc import Iterator
from dataclasses import dataclass

from sortkey.check.model import Model, PlannedRequest
from sortkey.design.plans.sources import Argument, source_of
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.tree import Action, Add, IfNotExists, Path, Plus, Set, Value
from sortkey.wording.names import words

_AVERAGES = frozenset({"average", "avg", "mean"})
_SUMS = frozenset({"sum", "total", "totals"})
_RATINGS = frozenset({"rating", "ratings", "review", "reviews", "vote", "votes"})
_COUNTS = frozenset({"count", "counter", "n", "num", "number", "ratings", "reviews", "votes"})
_VERSIONS = frozenset({"revision", "version"})


@dataclass(frozen=True, slots=True, eq=False)
class LostAverage:
    """An update that sets an average or a sum, and raises the count that belongs to it.

    ``is_shown`` where the two names say that they belong together: an average has one count, and a
    sum may be of something else than what is counted.
    """

    request: PlannedRequest
    name: str
    count: str
    is_shown: bool


def lost_averages(model: Model) -> Iterator[LostAverage]:
    """Yield the averages and sums that an update sets without a condition on what was read."""
    for request in model.requests:
        update, condition = request.step.update, request.step.condition
        named = frozenset[str]() if condition is None else condition_names(condition)
        if update is None or not named <= {*request.table.key_names} or _is_versioned(request):
            continue
        counts = [name for name in map(_raised, update.actions) if name and _is_count(name)]
        for name in map(_set_to_argument, update.actions) if counts else ():
            if name is not None and (_is_average(name, counts[0]) or _is_sum(name)):
                is_shown = _is_average(name, counts[0]) or _is_of_one(name, counts[0])
                yield LostAverage(request, name, counts[0], is_shown)


def names_an_average(name: str) -> bool:
    """Whether a name is that of an average."""
    return not _AVERAGES.isdisjoint(words(name))


def _is_versioned(request: PlannedRequest) -> bool:
    return any(kind.version for kind in request.kinds) and not request.is_raw


def _set_to_argument(action: Action) -> str | None:
    """The attribute that an action sets to an argument of the pattern."""
    match action:
        case Set(Path() as path, Value() as value) if isinstance(source_of(value), Argument):
            return str(path.parts[-1])
        case _:
            return None


def _raised(action: Action) -> str | None:
    """The attribute to which an action adds."""
    match action:
        case Add(path) | Set(path, Plus(Path() | IfNotExists(), Value())):
            return str(path.parts[-1])
        case _:
            return None


def _is_average(name: str, count: str) -> bool:
    """Whether a name is that of an average; ``rating`` is one beside ``rating_count``."""
    is_rating = words(name)[-1:] == ["rating"] and not _RATINGS.isdisjoint(words(count))
    return is_rating or names_an_average(name)


def _is_sum(name: str) -> bool:
    return not _SUMS.isdisjoint(words(name)[-1:])


def _is_of_one(total: str, count: str) -> bool:
    """Whether a sum and a count are named after the same thing, or the sum after nothing."""
    of = {*words(total)} - _SUMS
    return not of or not of.isdisjoint(words(count))


def _is_count(name: str) -> bool:
    said = words(name)
    is_named = not _COUNTS.isdisjoint(said[-1:]) or "count" in said
    return is_named and _VERSIONS.isdisjoint(said)
