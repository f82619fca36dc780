"""Trees written as text read back as the same trees."""

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sortkey.expressions.faults import ExpressionError
from sortkey.expressions.operands import PathTemplate
from sortkey.expressions.overlaps import bind_together
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.projection import Projection
from sortkey.expressions.render import (
    Renderer,
    render_condition,
    render_projection,
    render_update,
)
from sortkey.expressions.tree import (
    Action,
    Add,
    And,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    Delete,
    IfNotExists,
    In,
    ListAppend,
    Minus,
    Not,
    Or,
    Path,
    Plus,
    Remove,
    Set,
    Size,
    Update,
    Value,
)

names = st.sampled_from(["a", "b", "size", "a.b", "#x", ":y", "ü", "with space"])


def path(name: str, steps: list[str | int]) -> Path:
    return Path((name, *steps))


paths = st.builds(path, names, st.lists(names | st.integers(0, 9), max_size=3))
numbers = st.integers(-99, 99).map(lambda number: Value({"N": str(number)}))
texts = st.text("abc", max_size=3).map(lambda text: Value({"S": text}))
sets = st.just(Value({"SS": ["a", "b"]}))
lists = st.just(Value({"L": [{"N": "1"}]}))
sizes = st.builds(Size, paths | texts)
operands = paths | numbers | texts | sizes


def differ(*operands: Any) -> bool:
    """Whether the first is not repeated, which DynamoDB refuses."""
    return not isinstance(operands[0], Path) or operands[0] not in operands[1:]


comparisons = st.tuples(
    st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), operands, operands
).filter(lambda parts: differ(*parts[1:]))
simple_conditions = st.one_of(
    comparisons.map(lambda parts: Compare(*parts)),  # pyright: ignore[reportArgumentType]
    st.builds(Between, texts, paths, paths | numbers),
    st.builds(In, texts | sizes, st.lists(operands, min_size=1, max_size=3).map(tuple)),
    st.builds(AttributeExists, paths),
    st.builds(AttributeNotExists, paths),
    st.builds(AttributeType, operands, st.just(Value({"S": "NS"}))),
    st.builds(BeginsWith, texts, paths | texts),
    st.builds(Contains, texts | sizes, operands),
)


def joined(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.builds(And, several) | st.builds(Or, several) | st.builds(Not, inner)


conditions: st.SearchStrategy[Condition] = st.recursive(simple_conditions, joined, max_leaves=8)

plain = paths | numbers
operations = st.one_of(
    plain,
    texts,
    st.builds(IfNotExists, paths, plain | st.builds(IfNotExists, paths, texts)).filter(
        lambda built: differ(built.path, built.otherwise)
    ),
    st.builds(ListAppend, paths | lists, st.builds(IfNotExists, paths, lists)),
    st.builds(Plus, plain, plain),
    st.builds(Minus, st.builds(IfNotExists, paths, numbers), plain),
)
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Set, paths, operations),
    st.builds(Remove, paths),
    st.builds(Add, paths, numbers | sets),
    st.builds(Delete, paths, sets),
)
_SECTIONS = {Set: 0, Remove: 1, Add: 2, Delete: 3}


class NamesAsTheyAre(dict[str, str]):
    """Takes every placeholder for the name itself."""

    def __missing__(self, placeholder: str) -> str:
        return placeholder


def compatible(written: list[Path]) -> bool:
    try:
        bind_together([PathTemplate(path.parts) for path in written], NamesAsTheyAre())
    except ExpressionError:
        return False
    return True


updates = (
    st.lists(actions, min_size=1, max_size=4)
    .filter(lambda actions: compatible([action.path for action in actions]))
    .map(lambda actions: Update(tuple(sorted(actions, key=lambda a: _SECTIONS[type(a)]))))
)
projections = (
    st.lists(paths, min_size=1, max_size=4)
    .filter(compatible)
    .map(lambda paths: Projection(tuple(paths)))
)


def read_back(rendered: tuple[str, dict[str, Any], dict[str, Any]], how: str) -> Any:
    text, names, values = rendered
    placeholders = Placeholders(names or None, values or None)
    read: Callable[[str], Any] = getattr(placeholders, how)
    tree = read(text)
    placeholders.refuse_unused()
    return tree


@given(conditions)
def test_a_rendered_condition_reads_back(condition: Condition) -> None:
    assert read_back(render_condition(condition), "condition") == condition


@given(updates)
def test_a_rendered_update_reads_back(update: Update) -> None:
    assert read_back(render_update(update), "update") == update


@given(projections)
def test_a_rendered_projection_reads_back(projection: Projection) -> None:
    assert read_back(render_projection(projection), "projection") == projection


def test_expressions_of_one_request_share_names_and_keep_values_apart() -> None:
    renderer = Renderer()

    update = renderer.update(Update((Set(Path(("a",)), Value({"N": "1"})),)))
    condition = renderer.condition(Compare("=", Path(("a",)), Value({"N": "0"})))

    assert update == "SET #n0 = :v0"
    assert condition == "#n0 = :v1"
    assert renderer.names == {"#n0": "a"}
    assert renderer.values == {":v0": {"N": "1"}, ":v1": {"N": "0"}}
