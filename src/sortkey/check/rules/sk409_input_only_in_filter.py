"""SK409 input-only-in-filter: an input is used only in a filter over a shared partition."""

from collections.abc import Iterator

from sortkey.check.conditions import operands, wanted
from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import ERROR, WARNING, Finding, Severity, rule
from sortkey.design.plans.queryable import query_instead
from sortkey.design.plans.sources import arguments_in, source_of
from sortkey.design.tables.table import Index, TableDefinition
from sortkey.expressions.conjuncts import conjuncts
from sortkey.expressions.tree import Compare, Condition, Contains, Path, Size
from sortkey.wording.names import words

# So few records are read in one request, so filtering them costs nothing.
_FEW = 1000
_TIMES = frozenset({"now", "today"})


@rule("SK409", "input-only-in-filter", ERROR)
def input_only_in_filter(model: Model) -> Iterator[Finding]:
    """An input is used only in a filter over a partition that all users share.

    A filter is applied after reading. The records of all users are read and paid for to find those
    of one, the time grows with all data, and if the filter is forgotten, one user sees the records
    of another. A range such as `total > :least` may keep most of a list: it is a warning, and not
    reported if the pattern reads pages. If `expected=Expected(count=...)` declares that there are
    few records, only an equality is reported.

    Flagged:
        class Gym(Table, raw=True):
            pass

        user_plans = raw_pattern(
            "Plans of a user",
            table=Gym,
            operation="Query",
            key_condition="PK = :pk",
            filter="userId = :user",
            values={":pk": "WORKOUT_PLANS", ":user": "{user_id}"},
            arguments={"user_id": str},
        )

    Instead:
        class Gym(Table, raw=True):
            pass

        user_plans = raw_pattern(
            "Plans of a user",
            table=Gym,
            operation="Query",
            key_condition="PK = :pk AND begins_with(SK, :plan)",
            values={":pk": "USER#{user_id}", ":plan": "PLAN#"},
            arguments={"user_id": str},
        )
    """
    for request in model.requests:
        if request.verb in {"Query", "Scan"} and not request.partition_arguments:
            yield from _only_filtered(request)


def _only_filtered(request: PlannedRequest) -> Iterator[Finding]:
    """Yield a finding for each input that filters records but does not select them."""
    demanded = list(conjuncts(request.step.filter))
    seen: set[str] = set()
    for comparison in wanted(request.step.filter):
        attribute, names = _compared(comparison)
        is_equality = _is_equality(comparison) and comparison in demanded
        severity = ERROR if is_equality else _severity(request, comparison, attribute)
        for name in sorted(names - request.key_arguments - seen) if severity else ():
            seen.add(name)
            yield Finding(
                request.pattern,
                f'"{name}" is used only in the filter, on {attribute}, so all records are read to '
                "find a few",
                _fix(comparison, attribute, request),
                at="filter",
                severity=severity,
            )


def _compared(comparison: Condition) -> tuple[str, frozenset[str]]:
    """Return the attribute of a comparison, and the arguments that it is compared with."""
    attribute, names = "", frozenset[str]()
    for operand in operands(comparison):
        place = operand.of if isinstance(operand, Size) else operand
        if isinstance(place, Path):
            attribute = attribute or place.name
        else:
            names |= arguments_in(source_of(place))
    return attribute, names


def _is_equality(comparison: Condition) -> bool:
    return isinstance(comparison, Compare) and comparison.op in {"=", "<>"}


def _severity(request: PlannedRequest, comparison: Condition, attribute: str) -> Severity | None:
    """Return the severity of a comparison that is not an equality; None if it is right."""
    counts = [kind.expected.count if kind.expected else None for kind in request.kinds]
    is_small = bool(counts) and all(count is not None and count <= _FEW for count in counts)
    _, names = _compared(comparison)
    is_time = attribute == request.table.settings.ttl or any({*words(n)} & _TIMES for n in names)
    if not attribute or request.key_arguments or is_small or is_time:
        return None
    if not isinstance(comparison, Compare) or _is_equality(comparison):
        return ERROR
    return WARNING if request.step.limit is None else None


def _fix(comparison: Condition, attribute: str, request: PlannedRequest) -> str:
    known = query_instead(request.step, request.kinds)
    if known is not None:
        return known
    keys = {a.name for i in _indexes(request.table) for a in i.attributes if a.type == "S"}
    match comparison:
        case Contains(Path()) if attribute in keys:
            # The key is a string, and the filter looks for a part of it.
            return "Add a key to an index that begins with this part, and query by it"
        case Contains(Path()):
            return f"Write a record for each member of `{attribute}`, with a key that is queried"
        case Compare("<" | "<=" | ">" | ">="):
            return f"Put `{attribute}` into the sort key of an index, and query a range of it"
        case Compare():
            return f"Put `{attribute}` into the partition key of an index, and query by it"
        case _:
            return f"Put `{attribute}` into the key of an index, and query by it"


def _indexes(table: TableDefinition) -> Iterator[Index]:
    yield table.primary
    yield from table.indexes.values()
