"""SK439 lost-average: an average is set from outside while its count is raised in place."""

from collections.abc import Iterator

from sortkey.check.fields import words
from sortkey.check.model import Model, Request
from sortkey.check.rule import WARNING, Fault, rule
from sortkey.design.sources import Argument, source_of
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.tree import Action, Add, IfNotExists, Path, Plus, Set, Value

_AVERAGE = frozenset({"average", "avg", "mean"})
_SUMS = frozenset({"sum", "total"})
_RATINGS = frozenset({"rating", "ratings", "review", "reviews", "vote", "votes"})
_COUNTS = frozenset({"count", "counter", "n", "num", "number", "ratings", "reviews", "votes"})


@rule("SK439", "lost-average", WARNING)
def lost_average(model: Model) -> Iterator[Fault]:
    """An average is set from outside while its count is raised in place.

    Two callers read the same average, and each computes a new one. Both raise the count, and the
    second average replaces the first: a rating is counted that is in no average. Add to a sum and
    to the count in the same update, and divide when you read; or give the update a condition on the
    count that was read, and try again where it fails.

    Flagged:
        class Old(Table, raw=True):
            pass

        rate = raw_pattern(
            "Rate a book",
            table=Old,
            operation="UpdateItem",
            key={"PK": "BOOK#{isbn}", "SK": "BOOK"},
            update="SET rating_avg = :avg ADD rating_count :one",
            condition="attribute_exists(PK)",
            values={":avg": "{average}", ":one": 1},
            arguments={"isbn": str, "average": Decimal},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        rate = raw_pattern(
            "Rate a book",
            table=Old,
            operation="UpdateItem",
            key={"PK": "BOOK#{isbn}", "SK": "BOOK"},
            update="ADD rating_sum :stars, rating_count :one",
            condition="attribute_exists(PK)",
            values={":stars": "{stars}", ":one": 1},
            arguments={"isbn": str, "stars": int},
        )
    """
    for request in model.requests:
        update, condition = request.step.update, request.step.condition
        named = frozenset[str]() if condition is None else condition_names(condition)
        if update is None or not named <= {*request.table.key_names} or _is_versioned(request):
            continue
        counts = [name for name in map(_raised, update.actions) if name and _is_count(name)]
        for name in map(_given, update.actions):
            if name is not None and counts and _is_average(name, counts[0]):
                yield Fault(
                    request.pattern,
                    f"it sets {name} to what a caller computed and raises {counts[0]} beside it: "
                    f"of two callers at a time, one is lost in {name} and counted all the same",
                    f"Add to a sum instead of setting {name}, or give it a condition on the value "
                    f"of {counts[0]} that was read",
                    at=request.place("update") if request.is_raw else "",
                )


def _is_versioned(request: Request) -> bool:
    return any(kind.version for kind in request.kinds) and not request.is_raw


def _given(action: Action) -> str | None:
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
    """Whether a name is that of an average or a sum; ``rating`` is one beside ``rating_count``."""
    said = words(name)
    is_rating = said[-1:] == ["rating"] and not _RATINGS.isdisjoint(words(count))
    return is_rating or not _AVERAGE.isdisjoint(said) or not _SUMS.isdisjoint(said[-1:])


def _is_count(name: str) -> bool:
    return not _COUNTS.isdisjoint(words(name)[-1:]) or "count" in words(name)
