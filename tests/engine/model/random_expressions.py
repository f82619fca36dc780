"""Random conditions, updates and projections, for items of the samples."""

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from tests.engine.model import expressions as tree
from tests.engine.model.samples import (
    ATTRIBUTES,
    INDEX_KEYS,
    LISTS,
    NUMBERS,
    SCALARS,
    TEXTS,
    USUAL,
    values,
    weighted,
)
from tests.engine.model.values import order

TOP: list[tree.Path] = [(name,) for name in ATTRIBUTES]
NESTED: list[tree.Path] = [
    *((name, *rest) for name in "cd" for rest in (("x",), ("y",), ("x", "y"), ("y", 0))),
    *((name, *rest) for name in "cl" for rest in ((0,), (1,), (2,), (5,), (0, "x"), (1, 0))),
]
paths = weighted((3, st.sampled_from(TOP)), (1, st.sampled_from(NESTED)))
projections = weighted(
    (5, st.lists(paths, min_size=1, max_size=3, unique_by=lambda path: path[0])),
    (1, st.lists(paths, min_size=1, max_size=4)),
).map(tuple)

literals = st.builds(tree.Literal, values)
places = st.builds(tree.At, paths)
subjects = weighted((3, places), (1, st.builds(tree.SizeOf, paths)))
small = st.builds(tree.Literal, st.integers(0, 3).map(Decimal))
operands = weighted((4, literals), (1, subjects), (1, small))
comparators = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
numbers = st.builds(tree.Literal, st.sampled_from(NUMBERS))
lists = st.builds(tree.Literal, st.sampled_from(LISTS))
texts = st.builds(tree.Literal, st.sampled_from(TEXTS))
kinds = st.sampled_from(["S", "N", "B", "SS", "NS", "BS", "BOOL", "NULL", "L", "M"])


@st.composite
def comparable(draw: st.DrawFn) -> tree.Condition:
    """A comparison of an index key with values of its type, true of many items."""
    name = draw(st.sampled_from(sorted(INDEX_KEYS)))
    at, value = tree.At((name,)), st.sampled_from(SCALARS[INDEX_KEYS[name]])
    if draw(st.booleans()):
        return tree.Compare(draw(comparators), at, tree.Literal(draw(value)))
    low, high = sorted([draw(value), draw(value)], key=order)
    return tree.Between(at, tree.Literal(low), tree.Literal(high))


def alike(name: str) -> SearchStrategy[tree.Condition]:
    """A comparison of an attribute with what it mostly is."""
    value = st.builds(tree.Literal, st.sampled_from(USUAL[name]))
    return st.builds(tree.Compare, st.sampled_from(["=", "<>"]), st.just(tree.At((name,))), value)


conditions: SearchStrategy[tree.Condition] = st.recursive(
    st.one_of(
        *map(alike, "cdls"),
        st.builds(tree.Exists, paths | st.just(("pk",))),
        st.builds(tree.Not, st.builds(tree.Exists, paths | st.just(("pk",)))),
        comparable(),
        comparable(),
        st.builds(tree.Compare, st.sampled_from(["=", "<>"]), subjects, operands),
        st.builds(tree.Compare, comparators, subjects, operands),
        st.builds(tree.Between, subjects, small, numbers | places),
        st.builds(tree.Between, subjects, operands, operands),
        st.builds(tree.In, subjects, st.lists(operands, min_size=1, max_size=3).map(tuple)),
        st.builds(tree.HasType, paths, kinds),
        st.builds(tree.BeginsWith, places, texts | literals | places),
        st.builds(tree.Contains, places, texts | literals | places),
    ),
    lambda inner: (
        st.builds(tree.And, inner, inner)
        | st.builds(tree.Or, inner, inner)
        | st.builds(tree.Not, inner)
    ),
    max_leaves=3,
)

a_number, a_list = st.just(("i",)), st.just(("l",))
operations: SearchStrategy[Any] = st.one_of(
    literals,
    places,
    st.builds(tree.IfNotExists, paths, literals),
    *(
        st.builds(
            kind,
            places | numbers | st.builds(tree.IfNotExists, a_number, numbers),
            numbers | numbers | st.builds(tree.At, a_number) | literals,
        )
        for kind in (tree.Plus, tree.Minus)
    ),
    st.builds(
        tree.ListAppend,
        lists | places | st.builds(tree.IfNotExists, a_list, lists),
        lists | st.builds(tree.At, a_list),
    ),
)


def likely(name: str) -> SearchStrategy[tree.Action]:
    """An action that suits what its attribute mostly is."""
    at = st.just((name,))
    options: list[tuple[int, SearchStrategy[Any]]] = [
        (3, st.builds(tree.Set, at, st.builds(tree.Literal, st.sampled_from(USUAL[name])))),
        (1, st.builds(tree.Remove, at)),
    ]
    if name in "in":
        options.append((2, st.builds(tree.Add, at, st.sampled_from(NUMBERS))))
    if name == "s":
        options.append((2, st.builds(tree.Add, at, st.sampled_from(USUAL[name]))))
        options.append((2, st.builds(tree.Delete, at, st.sampled_from(USUAL[name]))))
    return weighted(*options)


actions: SearchStrategy[tree.Action] = weighted(
    *((3 if name in INDEX_KEYS else 2, likely(name)) for name in USUAL),
    (4, st.builds(tree.Set, paths, operations)),
    (2, st.builds(tree.Remove, paths)),
    (1, st.builds(tree.Add, paths, values)),
    (1, st.builds(tree.Delete, st.sampled_from(TOP), values)),
)
# Positions mean those of the list before, however many of them an update names.
places_below = st.sampled_from([*(("l", at) for at in (0, 1, 2, 5)), ("d", "x"), ("d", "y")])
below = weighted(
    (1, st.builds(tree.Set, places_below, literals)), (2, st.builds(tree.Remove, places_below))
)
updating = weighted(
    (2, st.lists(below, min_size=2, max_size=3, unique_by=lambda action: action.path)),
    (4, st.lists(actions, min_size=1, max_size=3, unique_by=lambda action: action.path[0])),
    (1, st.lists(actions, min_size=2, max_size=4)),
).map(tuple)
