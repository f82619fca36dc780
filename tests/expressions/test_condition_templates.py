"""What DynamoDB finds wrong with conditions once it knows their names and values."""

from typing import Any

import pytest

from sortkey.expressions.placeholders import Placeholders
from sortkey.wire.errors import ValidationException

NAMES = {"#a": "a"}


def refusal(text: str, **values: Any) -> str:
    given = {f":{name}": value for name, value in values.items()} or None
    with pytest.raises(ValidationException) as caught:
        Placeholders(NAMES, given).condition(text)
    return caught.value.message.removeprefix("Invalid ConditionExpression: ")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("attribute_exists(#Pictures.RearView, :a) and a=a", "#Pictures"),
        ("begins_with(Pictures.#RearView)", "#RearView"),
        ("(#P between :lo and :hi) and (#PC in (:cat1, :cat2))", "#P"),
        ("(a)between(b.c[45].#d)and(:a)", "#d"),
    ],
)
def test_a_name_must_be_defined(text: str, name: str) -> None:
    assert refusal(text) == (
        "An expression attribute name used in the document path is not defined; "
        f"attribute name: {name}"
    )


@pytest.mark.parametrize("text", ["begins_with(:a, #a, a)", ":a < :b", "size(:a) < a"])
def test_a_value_must_be_defined(text: str) -> None:
    assert refusal(text) == (
        "An expression attribute value used in expression is not defined; attribute value: :a"
    )


@pytest.mark.parametrize(
    ("text", "function", "count"),
    [
        ("attribute_exists(a, b) and c=c", "attribute_exists", 2),
        ("attribute_not_exists(a, b)", "attribute_not_exists", 2),
        ("attribute_type(a)", "attribute_type", 1),
        ("begins_with(a, size(b), c)", "begins_with", 3),
        ("contains(a)", "contains", 1),
        ("size(a, a) > b", "size", 2),
    ],
)
def test_a_function_has_its_number_of_operands(text: str, function: str, count: int) -> None:
    assert refusal(text) == (
        "Incorrect number of operands for operator or function; "
        f"operator or function: {function}, number of operands: {count}"
    )


@pytest.mark.parametrize(
    ("text", "operator", "path"),
    [
        ("a = a AND #a = b", "=", "[a]"),
        ("#a <> a", "<>", "[a]"),
        ("a BETWEEN b AND a", "BETWEEN", "[a]"),
        ("a IN (b, a)", "IN", "[a]"),
        ("contains(ab.bc[1].a, ab.bc[1].#a)", "contains", "[ab, bc, [1], a]"),
        ("attribute_type(a, a)", "attribute_type", "[a]"),
    ],
)
def test_an_attribute_is_not_compared_with_itself(text: str, operator: str, path: str) -> None:
    assert refusal(text) == (
        "The first operand must be distinct from the remaining operands for this operator or "
        f"function; operator: {operator}, first operand: {path}"
    )


@pytest.mark.parametrize(
    ("text", "operator", "value"),
    [
        ("a < :v", "<", {"M": {}}),
        (":v >= a", ">=", {"L": []}),
        ("a > :v", ">", {"BOOL": True}),
        ("a BETWEEN :v AND b", "BETWEEN", {"NS": ["1"]}),
        ("attribute_type(a, :v)", "attribute_type", {"N": "1"}),
        ("begins_with(a, :v)", "begins_with", {"N": "1"}),
        ("begins_with(:v, a)", "begins_with", {"SS": ["1"]}),
        ("size(:v) > a", "size", {"N": "1"}),
        ("size(:v) > a", "size", {"NULL": True}),
        ("attribute_not_exists(size(:v))", "size", {"BOOL": True}),
    ],
)
def test_a_literal_has_a_type_that_the_operator_works_on(
    text: str, operator: str, value: dict[str, Any]
) -> None:
    assert refusal(text, v=value) == (
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {next(iter(value))}"
    )


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("size(size(a)) > a", "size"),
        ("begins_with(a, size(a))", "begins_with"),
        ("attribute_type(a, size(a))", "attribute_type"),
    ],
)
def test_a_size_counts_as_a_number(text: str, operator: str) -> None:
    assert refusal(text).endswith(f"operator or function: {operator}, operand type: N")


def test_the_type_asked_for_is_a_literal() -> None:
    assert refusal("attribute_type(a, b)").endswith("{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")


def test_the_type_asked_for_is_one_of_dynamodbs() -> None:
    assert refusal("attribute_type(a, :t)", t={"S": "DOG"}) == (
        "Invalid attribute type name found; type: DOG, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
    )


@pytest.mark.parametrize("operand", [":v", "size(:v)"])
def test_existence_is_asked_of_a_path(operand: str) -> None:
    assert refusal(f"attribute_exists({operand})", v={"S": "x"}) == (
        "Operator or function requires a document path; operator or function: attribute_exists"
    )


def test_the_bounds_of_between_are_of_one_type() -> None:
    assert refusal("a BETWEEN :l AND :h", l={"N": "1"}, h={"S": "a"}) == (
        "The BETWEEN operator requires same data type for lower and upper bounds; lower bound "
        "operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}"
    )


@pytest.mark.parametrize(
    ("low", "high"),
    [({"S": "b"}, {"S": "a"}), ({"N": "10"}, {"N": "9"}), ({"B": "/w=="}, {"B": "AA=="})],
)
def test_the_bounds_of_between_are_not_crossed(low: dict[str, str], high: dict[str, str]) -> None:
    assert refusal("a BETWEEN :l AND :h", l=low, h=high).startswith(
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "
        "lower bound operand: AttributeValue: {"
    )


def test_in_takes_100_operands() -> None:
    values = {f":v{i}": {"N": str(i)} for i in range(101)}
    listed = list(values)

    Placeholders(None, values).condition(f"a IN ({', '.join(listed[:100])})")
    with pytest.raises(ValidationException) as caught:
        Placeholders(None, values).condition(f"a IN ({', '.join(listed)})")

    assert caught.value.message.endswith(
        "The IN operator is provided with too many operands; number of operands: 101"
    )


def test_faults_are_reported_condition_by_condition() -> None:
    # The first condition's type is wrong, the second's name is not defined.
    assert "operand type: M" in refusal("a < :m AND #nowhere = :m", m={"M": {}})
