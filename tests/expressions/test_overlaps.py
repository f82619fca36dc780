"""Paths that cannot stand together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.expressions.faults import ExpressionError
from sortkey.expressions.operands import PathTemplate
from sortkey.expressions.overlaps import bind_together
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.tree import Path
from sortkey.wire.errors import ValidationException


@pytest.mark.parametrize(
    "text",
    ["a, a", "a.b, a", "a, a.b", "a[1], a[1]", "a.b, a.b[2].c", "a.b.d.e, a.b", "b, a.c, a.c.d"],
)
def test_a_path_may_not_contain_another(text: str) -> None:
    with pytest.raises(ValidationException, match="Two document paths overlap with each other"):
        Placeholders(None, None).projection(text)


@pytest.mark.parametrize("text", ["a.b, a[1]", "a[1], a.b", "a.b[1], a.b.c", "z, a.b.c, a.b[1]"])
def test_a_place_is_not_both_a_list_and_a_map(text: str) -> None:
    with pytest.raises(ValidationException, match="Two document paths conflict with each other"):
        Placeholders(None, None).projection(text)


@pytest.mark.parametrize("text", ["a, b", "a.b, a.c", "a[1], a[2]", "a.b, a.c[2]", "a.b[0], b.a"])
def test_other_paths_may_stand_together(text: str) -> None:
    Placeholders(None, None).projection(text)


def test_the_paths_are_shown_as_dynamodb_shows_them() -> None:
    with pytest.raises(ValidationException) as caught:
        Placeholders(None, None).projection("a.b[0], a.b[0].c")

    assert caught.value.message == (
        "Invalid ProjectionExpression: Two document paths overlap with each other; must remove "
        "or rewrite one of these paths; path one: [a, b, [0]], path two: [a, b, [0], c]"
    )


@pytest.mark.parametrize(
    ("text", "one", "two"),
    [
        ("b[1], b.a, #a.b, a", "[a, b]", "[a]"),
        ("a, #a[1]", "[a]", "[a, [1]]"),
        ("b, a, a.d", "[a]", "[a, d]"),
        ("x, x, a.b.c, a.b.d, a.b", "[a, b, d]", "[a, b]"),
    ],
)
def test_the_collision_nearest_to_the_end_is_reported(text: str, one: str, two: str) -> None:
    with pytest.raises(ValidationException) as caught:
        Placeholders({"#a": "a"}, None).projection(text)

    assert caught.value.message.endswith(f"path one: {one}, path two: {two}")


def collide(one: Path, other: Path) -> bool:
    for left, right in zip(one.parts, other.parts, strict=False):
        if left != right:
            return type(left) is not type(right)
    return True


steps = st.sampled_from(["a", "b"]) | st.integers(0, 1)


def path(name: str, rest: list[str | int]) -> Path:
    return Path((name, *rest))


paths = st.builds(path, st.sampled_from(["a", "b"]), st.lists(steps, max_size=3))


@given(st.lists(paths, min_size=1, max_size=5))
def test_several_paths_collide_if_two_of_them_do(several: list[Path]) -> None:
    expected = any(
        collide(one, other) for position, other in enumerate(several) for one in several[:position]
    )

    try:
        bind_together([PathTemplate(path.parts) for path in several], {})
    except ExpressionError as fault:
        assert expected
        assert "path one" in str(fault)  # noqa: PT017  # both outcomes are tested
    else:
        assert not expected
