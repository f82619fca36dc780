"""Whatever a statement says, the response is a result or an error of the caller's."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sortkey.engine import Engine
from sortkey.wire.errors import ServiceError, ValidationException

Ask = Callable[..., dict[str, Any]]
STATEMENTS = [
    "SELECT * FROM shop",
    "SELECT pk, m.k, l[0] FROM \"shop\" WHERE pk = 'a' AND sk BETWEEN '1' AND ? ORDER BY sk DESC",
    "SELECT * FROM shop.by_status WHERE status IN ['open', ?] AND (amount > 1 OR NOT a IS NULL)",
    "SELECT * FROM shop WHERE begins_with(pk, 'a') AND size(tags) <> 2 AND contains(tags, 'x')",
    "INSERT INTO plain VALUE {'id': ?, 'l': [1, -2.5e3, {'a': null}], 's': <<'x', 'y'>>}",
    "UPDATE plain SET a = a + 1, m.k = [true] REMOVE l[1] WHERE id = ? AND b IS MISSING",
    "UPDATE plain SET s = set_add(s, <<1>>) WHERE id = 'a' AND a = ? RETURNING MODIFIED NEW *",
    "DELETE FROM plain WHERE id = 'a' AND NOT a = <<1>> RETURNING ALL OLD *",
    "EXISTS(SELECT * FROM plain WHERE id = 'a' AND b = 1)",
]
PIECES = [
    *re.findall(r"\w+|[^\w\s]+", " ".join(STATEMENTS)),
    "\n",
    "'",
    '"',
    "`",
    "\0",
    "é",
    "CASE",
    ";",
]
PARAMETERS: list[dict[str, Any]] = [{"S": "x"}, {"N": "1"}, {"L": []}]
FAIR = settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A statement with pieces left out, put in, doubled or moved."""
    pieces = re.findall(r"\w+|\s+|.", draw(st.sampled_from(STATEMENTS)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(pieces)))
        end = draw(st.integers(at, min(len(pieces), at + 4)))
        new = draw(
            st.one_of(
                st.just([]),
                st.lists(st.sampled_from(PIECES), max_size=3).map(" ".join).map(list),
                st.just(pieces[at:end] * 2),
                st.just(list(reversed(pieces[at:end]))),
            )
        )
        pieces[at:end] = new
    return "".join(pieces)


def ask_all(engine: Engine, text: str) -> None:
    """Send a statement in every operation; only errors of the caller are allowed."""
    member: dict[str, Any] = {"Statement": text, "Parameters": PARAMETERS}
    for operation, body in (
        ("ExecuteStatement", member),
        ("BatchExecuteStatement", {"Statements": [member]}),
        ("ExecuteTransaction", {"TransactStatements": [member]}),
    ):
        try:
            engine.answer(operation, body)
        except ServiceError as error:
            assert error.status == 400  # noqa: PT017 - most are expected


@given(text=st.text(max_size=200))
@FAIR
def test_any_text_is_refused_if_it_is_no_statement(engine: Engine, text: str) -> None:
    ask_all(engine, text)
    with pytest.raises(ValidationException):
        engine.answer("ExecuteStatement", {"Statement": "?" + text})


@given(text=mutated())
@FAIR
def test_a_statement_with_mistakes_is_refused_or_carried_out(engine: Engine, text: str) -> None:
    ask_all(engine, text)
