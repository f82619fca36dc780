"""Tables with few keys and few attributes, and values that hurt, for random operations."""

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from tests.engine.model.operations import Index, Table
from tests.engine.model.values import Item, Value, item_size

INDEX_KEYS = {"a": "S", "n": "N", "b": "B"}

TABLES = (
    Table(
        "strings",
        {"pk": "S", "sk": "S", **INDEX_KEYS},
        ("pk",),
        ("sk",),
        (
            Index("by-a", ("a",), ()),
            Index("by-a-n", ("a",), ("n",), frozenset()),
            Index("by-several", ("a", "b"), ("n", "sk"), frozenset({"c"})),
            Index("local-n", ("pk",), ("n",), frozenset({"c"}), is_global=False),
            Index("local-b", ("pk",), ("b",), is_global=False),
        ),
    ),
    Table(
        "numbers",
        {"pk": "N", "sk": "N", **INDEX_KEYS},
        ("pk",),
        ("sk",),
        (
            Index("by-n", ("n",), ("pk",)),
            Index("by-b-n-a", ("b",), ("n", "a"), frozenset({"d", "i"})),
            Index("local-a", ("pk",), ("a",), frozenset(), is_global=False),
        ),
    ),
    Table(
        "binaries",
        {"pk": "B", "sk": "B", "a": "S", "b": "B"},
        ("pk",),
        ("sk",),
        (
            Index("by-a-b", ("a",), ("b",), frozenset({"c", "s"})),
            Index("by-sk", ("sk",), ("b", "a"), frozenset()),
        ),
    ),
    Table("partitions", {"pk": "S", "n": "N"}, ("pk",), (), (Index("by-n", ("n",), ()),)),
    Table("alone", {"pk": "N", "sk": "S"}, ("pk",), ("sk",)),
)
BY_NAME = {table.name: table for table in TABLES}

# Beyond the BMP, UTF-8 and UTF-16 sort differently; as text, 10 comes before 9.
SCALARS: dict[str, list[Value]] = {
    "S": ["a", "😀", "a\x00", "\uff5e", "10", "9", "ab", "\x00", "b", "é"],
    "N": [
        Decimal(text)
        for text in (
            "1", "1.0", "-10", "10", "9", "-0", "-1", "1.5", "1e-130", "-1e-130", "0", "-0.025",
            "1e2", "12.34", "9.9999999999999999999999999999999999999e125", "-1e125",
            "12345678901234567890123456789012345678", "12345678901234567890123456789012345679",
        )
    ],
    "B": [b"\x00", b"\xff", b"\x00\x00", b"\x7f", b"\x80", b"\x00\xff", b"\xff\xff", b"a"],
}  # fmt: skip

# Few partitions, so that they fill; more sort keys.
POOLS = {
    "pk": {"S": 2, "N": 3, "B": 2},
    "sk": {"S": 8, "N": 8, "B": 8},
    "a": {"S": 3},
    "n": {"N": 5},
    "b": {"B": 3},
}


def pool(name: str, kind: str) -> SearchStrategy[Value]:
    """The values that a key attribute takes."""
    return st.sampled_from(SCALARS[kind][: POOLS[name][kind]])


TEXTS, NUMBERS, BINARIES = SCALARS["S"], SCALARS["N"], SCALARS["B"]
ODD = [*TEXTS, *NUMBERS, *BINARIES, "", b"", True, False, None]
SETS = [
    *(frozenset(members) for members in (TEXTS[:1], TEXTS[1:3], TEXTS[:3], TEXTS[3:6])),
    *(frozenset(members) for members in (NUMBERS[:1], NUMBERS[3:5], NUMBERS[4:7], BINARIES[:3])),
]
LISTS: list[Value] = [
    [], ["a"], [Decimal(1), True, "1"], [[], {}, None],
    [{"x": "a", "y": [Decimal("1.0")]}, ["😀", b""]],
    [SETS[1], SETS[4], SETS[7]], ["9", "10", Decimal(9), Decimal(10)],
]  # fmt: skip
MAPS: list[Value] = [
    {}, {"x": "a"}, {"y": [[], ["a"]]},
    {"x": {"y": "😀", "x": None}, "y": [Decimal(9), {"x": "9"}]},
    {"x": {"y": {"x": {"y": Decimal("-0")}}}, "y": SETS[1]}, {"x": Decimal(1), "y": True},
]  # fmt: skip
VALUES = [*ODD, *SETS, *LISTS, *MAPS]


def weighted(*choices: tuple[int, SearchStrategy[Any]]) -> SearchStrategy[Any]:
    """One of the choices, as often as their weights say."""
    return _weighted(
        st.integers(1, sum(weight for weight, _ in choices)),
        [choice for weight, choice in choices for _ in range(weight)],
    )


@st.composite
def _weighted(
    draw: st.DrawFn, rolls: SearchStrategy[int], choices: list[SearchStrategy[Any]]
) -> Any:
    return draw(choices[draw(rolls) - 1])


def seldom(usual: SearchStrategy[Any], other: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """Mostly the one, at times the other."""
    return weighted((39, usual), (1, other))


scalars, sets, values = st.sampled_from(ODD), st.sampled_from(SETS), st.sampled_from(VALUES)

# What each attribute mostly is.
USUAL: dict[str, list[Value]] = {
    **{name: SCALARS[kind][: POOLS[name][kind]] for name, kind in INDEX_KEYS.items()},
    "c": VALUES,
    "d": MAPS,
    "i": NUMBERS,
    "l": LISTS,
    "s": SETS[:4],
}
ATTRIBUTES = {name: seldom(st.sampled_from(usual), values) for name, usual in USUAL.items()}
KEYS: dict[str, SearchStrategy[Item]] = {
    table.name: st.fixed_dictionaries({name: pool(name, table.kinds[name]) for name in table.key})
    for table in TABLES
}


class Padding(str):
    """Many letters that take little room in a report."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Padding('x' * {len(self)})"


def padded(item: Item, size: int) -> Item:
    """The item with as many letters as make it that large."""
    missing = size - item_size(item) - len("pad")
    return item | {"pad": Padding("x" * missing)} if missing > 0 else item


edges = weighted((1, st.just(0)), (1, st.sampled_from([1024, 1025, 4096, 4097])))


@st.composite
def items(draw: st.DrawFn, table: Table) -> Item:
    """An item, padded at times to where a capacity unit ends."""
    item = draw(KEYS[table.name]) | draw(st.fixed_dictionaries({}, optional=ATTRIBUTES))
    return padded(item, draw(edges))
