"""SK409 input-only-in-filter: an input is used only in a filter over a shared partition."""

from collections.abc import Iterator

from sortkey.check.conditions import equalities
from sortkey.check.model import Model, Request
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.design.sources import arguments_in, source_of


@rule("SK409", "input-only-in-filter", ERROR)
def input_only_in_filter(model: Model) -> Iterator[Fault]:
    """An input is used only in a filter over a partition that all users share.

    A filter is applied after reading. The records of all users are read and paid for to find those
    of one, the time grows with all data, and a filter that is forgotten shows one user the records
    of another.

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
            for name, attribute in _only_filtered(request):
                yield Fault(
                    request.pattern,
                    f'only the filter compares "{name}" with {attribute}, so all records are read '
                    "to find those of one",
                    f"Put `{attribute}` into the partition of a key or an index, and query by it",
                    at="filter",
                )


def _only_filtered(request: Request) -> Iterator[tuple[str, str]]:
    """The inputs that an attribute must equal and that choose nothing of what is read."""
    for attribute, value in equalities(request.step.filter):
        for name in sorted(arguments_in(source_of(value)) - request.key_arguments):
            yield name, attribute
