"""The members that several requests share: expressions and legacy parameters."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.shapes import Length, OneOf
from sortkey.expressions import legacy
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Condition
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import STATEMENT_CHARACTERS
from sortkey.wire.values import AttributeValue, check_name

ConsumedCapacity = Annotated[str, OneOf(("INDEXES", "TOTAL", "NONE"))]
CollectionMetrics = Annotated[str, OneOf(("SIZE", "NONE"))]
ReturnValues = Annotated[str, OneOf(("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"))]
OnConditionFailure = Annotated[str, OneOf(("ALL_OLD", "NONE"))]
ConditionalOperator = Annotated[str, OneOf(("OR", "AND"))]
AttributeNames = Annotated[list[str], Length(1, 255)]
StatementText = Annotated[str, Length(1, STATEMENT_CHARACTERS)]
Parameters = Annotated[list[AttributeValue], Length(1)]
Select = Annotated[
    str, OneOf(("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"))
]
ComparisonOperator = Annotated[
    str,
    OneOf(
        (
            "IN",
            "NULL",
            "BETWEEN",
            "LT",
            "NOT_CONTAINS",
            "EQ",
            "GT",
            "NOT_NULL",
            "NE",
            "LE",
            "BEGINS_WITH",
            "GE",
            "CONTAINS",
        )
    ),
]


class ExpectedAttributeValue(TypedDict):
    """A legacy condition on one attribute of an item that is written."""

    AttributeValueList: NotRequired[list[AttributeValue]]
    ComparisonOperator: NotRequired[ComparisonOperator]
    Exists: NotRequired[bool]
    Value: NotRequired[AttributeValue]


class LegacyCondition(TypedDict):
    """A legacy condition on one attribute of an item that is read."""

    AttributeValueList: NotRequired[list[AttributeValue]]
    ComparisonOperator: ComparisonOperator


class AttributeValueUpdate(TypedDict):
    """A legacy change to one attribute."""

    Value: NotRequired[AttributeValue]
    Action: NotRequired[Annotated[str, OneOf(("ADD", "PUT", "DELETE"))]]


_GIVEN = frozenset({"ExpressionAttributeNames", "ExpressionAttributeValues"})
_EXPRESSIONS = frozenset(
    {
        "ConditionExpression",
        "FilterExpression",
        "KeyConditionExpression",
        "ProjectionExpression",
        "UpdateExpression",
    }
)
_NOTHING_GIVEN = Placeholders(None, None)


def placeholders(
    request: Mapping[str, Any], *, expressions: Sequence[str], old: Sequence[str]
) -> Placeholders:
    """Return the request's names and values; reject a mix of expressions and legacy parameters."""
    if _EXPRESSIONS.isdisjoint(request) and _GIVEN.isdisjoint(request):
        return _NOTHING_GIVEN
    used = [name for name in expressions if name in request]
    mixed = [name for name in old if name in request]
    if used and mixed:
        raise ValidationException(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(mixed)}}} "
            f"Expression parameters: {{{', '.join(used)}}}"
        )
    names = request.get("ExpressionAttributeNames")
    if names is not None and not used:
        raise ValidationException(
            "ExpressionAttributeNames can only be specified when using expressions"
        )
    values = request.get("ExpressionAttributeValues")
    if values is not None and used in ([], ["ProjectionExpression"]):
        _refuse_values(expressions)
    return Placeholders(names, values)


def _refuse_values(expressions: Sequence[str]) -> None:
    """Reject values if the request has no expression that could use them."""
    takers = [name for name in expressions if name != "ProjectionExpression"]
    if takers:
        verb = "are" if len(takers) > 1 else "is"
        raise ValidationException(
            "ExpressionAttributeValues can only be specified when using expressions: "
            f"{' and '.join(takers)} {verb} null"
        )


def projection_of(request: Mapping[str, Any], given: Placeholders) -> Projection | None:
    """Return the attributes to return, or None for all of them."""
    text = request.get("ProjectionExpression")
    if text is not None:
        return given.projection(text)
    names = request.get("AttributesToGet")
    if names is None:
        return None
    for number, name in enumerate(names):
        check_name(name)
        if name in names[:number]:
            raise ValidationException(
                "One or more parameter values were invalid: Duplicate value in attribute name: "
                f"{name}"
            )
    return Projection.of_names(names)


def condition_of(request: Mapping[str, Any], given: Placeholders) -> Condition | None:
    """Return the condition of a write, or None."""
    text = request.get("ConditionExpression")
    if text is not None:
        return given.condition(text)
    expected = request.get("Expected")
    operator = request.get("ConditionalOperator")
    if not expected:
        if operator is not None:
            raise ValidationException(
                "ConditionalOperator cannot be used without Filter or Expected"
                if expected is None
                else "ConditionalOperator can only be used when Filter or Expected has two or "
                "more elements"
            )
        return None
    return legacy.expected_condition(expected, operator)
