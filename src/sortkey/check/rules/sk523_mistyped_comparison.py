"""SK523 mistyped-comparison: a raw request compares a field with a value of another type."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.raw_keys import RawKeys, judged
from sortkey.check.raw_values import (
    NAMES,
    RequestedField,
    RequestedValue,
    compared,
    fields_of,
    shown,
)
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.wire.values import kind_of

# The types of the members of a set; a part of a string is a string.
_MEMBERS = {"S": {"S"}, "SS": {"S"}, "NS": {"N"}, "BS": {"B"}, "B": {"B"}}


@rule("SK523", "mistyped-comparison", WARNING)
def mistyped_comparison(model: Model) -> Iterator[Finding]:
    """A raw request compares a field with a value of another type.

    DynamoDB does not convert types: the number 100 and the string "100" are never equal, and
    neither is less than the other. A filter returns nothing, a condition never holds, and `<>`
    always holds. A constant that the field's type does not allow, such as an unknown status, is
    reported too.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Player(Entity, table=Old):
            team: str
            player_id: str
            coins: int
            captain: bool = False
            primary = Old.primary.key("TEAM#{team}", "PLAYER#{player_id}")

        promote = raw_pattern(
            "Promote a player who has a hundred coins",
            table=Old,
            operation="UpdateItem",
            entity=Player,
            key={"PK": "TEAM#{team}", "SK": "PLAYER#{player_id}"},
            update="SET captain = :yes",
            condition="coins >= :coins",
            values={":yes": True, ":coins": "100"},
            arguments={"team": str, "player_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Player(Entity, table=Old):
            team: str
            player_id: str
            coins: int
            captain: bool = False
            primary = Old.primary.key("TEAM#{team}", "PLAYER#{player_id}")

        promote = raw_pattern(
            "Promote a player who has a hundred coins",
            table=Old,
            operation="UpdateItem",
            entity=Player,
            key={"PK": "TEAM#{team}", "SK": "PLAYER#{player_id}"},
            update="SET captain = :yes",
            condition="coins >= :coins",
            values={":yes": True, ":coins": 100},
            arguments={"team": str, "player_id": str},
        )
    """
    for request in judged(model):
        keys = RawKeys(model, request)
        for member in ("filter", "condition"):
            for one in compared(getattr(request.step, member)):
                fields = fields_of(keys, one.attribute)
                outcome = "always" if one.by == "<>" else "never"
                if fields and not any(_can_match(field, one) for field in fields):
                    yield Finding(
                        request.pattern,
                        f"{one.attribute} is compared with {NAMES[kind_of(one.value)]}, but "
                        f"{fields[0].with_type}: the comparison {outcome} holds",
                        "Compare it with a value of its type",
                        at=request.place(member),
                    )
                elif fields and all(_is_none_of(field, one) for field in fields):
                    yield Finding(
                        request.pattern,
                        f"{one.attribute} is compared with {shown(one)}, which {fields[0]} never "
                        f"has: the comparison {outcome} holds",
                        f"Compare it with a value that {fields[0]} accepts",
                        at=request.place(member),
                    )


def _is_none_of(field: RequestedField, placed: RequestedValue) -> bool:
    """Whether a field is compared for equality with a constant that it never has."""
    return placed.by in {"=", "<>", "IN"} and field.never_is(placed.value, placed.source)


def _can_match(field: RequestedField, placed: RequestedValue) -> bool:
    kind = kind_of(placed.value)
    match placed.by:
        case "contains":
            return any(kind in _MEMBERS.get(held, {kind}) for held in field.kinds)
        case "begins_with":
            return bool(field.kinds & {"S", "B"})
        case _:
            return kind in field.kinds
