"""Each operator plants its faults and no others; what is said of a design is left alone."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.mutation.mutants import SYSTEMS, mutants_in, mutants_of
from tests.mutation.names import names_in
from tests.mutation.operators import OPERATORS
from tests.mutation.results import read_equivalent
from tests.mutation.source import Source

ROOT = Path(__file__).parents[2]

PLANTED = [
    ("drop-slot", 'T.a.key("A#{x}#{y}", "B")', {'T.a.key("A#{y}", "B")', 'T.a.key("A#{x}", "B")'}),
    ("drop-padding", 'T.a.key("A", "{x:04d}")', {'T.a.key("A", "{x}")'}),
    ("swap-slots", 'T.a.key("{x}#{y:02d}")', {'T.a.key("{y:02d}#{x}")'}),
    ("drop-prefix", 'T.a.key("A", "B#{x}")', {'T.a.key("A", "{x}")'}),
    ("swap-index", "E.query(E.one, x=1)", {"E.query(E.two, x=1)", "E.query(x=1)"}),
    ("drop-binding", "E.query(x=1, y=2)", {"E.query(y=2)", "E.query(x=1)"}),
    ("change-range", "q.ge(x=1)", {"q", "q.gt(x=1)"}),
    ("change-range", "q.between(x=(1, 2))", {"q", "q.ge(x=1)", "q.le(x=2)"}),
    ("drop-reverse", "q.reverse().page(5)", {"q.page(5)"}),
    ("drop-consistently", "E.get(x=1).consistently()", {"E.get(x=1)"}),
    ("drop-condition", "w.where(f).where(g)", {"w.where(f)", "w.where(g)"}),
    ("overwrite", "record.create()", {"record.put()"}),
    ("drop-write", "transact(a, *b)", {"transact(*b)", "transact(a)"}),
    (
        "drop-change",
        "u.set(lambda r: r.x).to(1).remove(lambda r: r.y)",
        {
            "u.remove(lambda r: r.y)",
            "u.set(lambda r: r.x).to(1)",
        },
    ),
    (
        "drop-change",
        "u.set(x=1, y=2).add(z=3)",
        {"u.set(y=2).add(z=3)", "u.set(x=1).add(z=3)", "u.set(x=1, y=2)"},
    ),
    ("drop-operand", "f(x) | (x < 1)", {"(f(x))", "(x < 1)"}),
    ("drop-operand", "a and b or c", {"((a and b))", "((c))", "((b)) or c", "((a)) or c"}),
    ("change-comparison", "a <= b < c", {"a < b < c", "a <= b <= c"}),
    ("change-comparison", "a is not None", {"a is None"}),
    ("change-comparison", "not_(r.x) & r.y", {"(r.x) & r.y"}),
    (
        "drop-projected",
        'gsi("a", project=["x", "y"])',
        {
            'gsi("a", project=["y"])',
            'gsi("a", project=["x"])',
        },
    ),
    (
        "change-type",
        "class E(Entity):\n    x: Annotated[int, immutable] = 0",
        {
            "class E(Entity):\n    x: Annotated[str, immutable] = 0",
            "class E(Entity):\n    x: int = 0",
        },
    ),
    ("drop-option", 'class T(Table, ttl="x"): ...', {"class T(Table): ..."}),
    ("drop-grant", 'Role("a", [b, c])', {'Role("a", [c])', 'Role("a", [b])'}),
    ("negate-condition", "a if b else c", {"a if (not (b)) else c"}),
    ("drop-guard", "if a:\n    raise b", {"if False:\n    raise b"}),
    ("drop-statement", "f(x)", {"pass"}),
    ("drop-handler", "try:\n    a\nexcept B:\n    c", {"try:\n    a\nexcept B:\n    raise"}),
    ("change-arithmetic", "min(a - b, c)", {"max(a - b, c)", "min(a + b, c)"}),
    ("change-constant", "x = f(1, True)", {"x = f(2, True)", "x = f(1, False)"}),
]

DECLARED = [
    '@pattern("A", where=lambda r, x: r.x == x and r.y > 1, rate="1/s")\ndef p(x: int): ...',
    "class E(Entity, expected=Expected(count=5), relations=(refers(E, 1),)): ...",
    'raise Refused(f"{1 + 1} is not allowed")',
    "@dataclass(frozen=True)\nclass A: ...",
    "def f(x: Annotated[int, Field(ge=1)]) -> int | None: ...",
]


def planted(operator: str, text: str) -> Iterator[str]:
    source = Source(text)
    names = names_in([ast.parse("class E(Entity):\n    one = T.a.key()\n    two = T.b.key()")])
    for node in ast.walk(source.tree):
        for edit in OPERATORS[operator](node, source, names):
            yield source.edited(edit)


@pytest.mark.parametrize(("operator", "text", "expected"), PLANTED)
def test_an_operator_plants_its_faults(operator: str, text: str, expected: set[str]) -> None:
    assert set(planted(operator, text)) == expected


def test_every_operator_has_an_example() -> None:
    assert {operator for operator, _, _ in PLANTED} == set(OPERATORS)


@pytest.mark.parametrize("text", DECLARED)
def test_what_is_said_of_a_design_has_no_faults(text: str) -> None:
    assert list(mutants_in(text)) == []


@pytest.fixture(scope="module")
def names() -> list[str]:
    return [mutant.name for system in SYSTEMS for mutant in mutants_of(system, ROOT)]


@pytest.mark.slow
def test_no_two_mutants_have_one_name(names: list[str]) -> None:
    assert len(names) == len(set(names))


@pytest.mark.slow
def test_a_mutant_that_changes_nothing_is_there_and_has_a_reason(names: list[str]) -> None:
    equivalent = read_equivalent()

    assert set(equivalent) <= set(names)
    assert all(equivalent.values())
