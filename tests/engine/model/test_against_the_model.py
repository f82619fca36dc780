"""The engine answers as the model does, whatever it is asked."""

from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.engine.model.capacity import sort_key
from tests.engine.model.comparison import Pair, in_order
from tests.engine.model.expressions import At, Compare, Literal
from tests.engine.model.operations import Put, Read, Table, Update
from tests.engine.model.random_expressions import conditions, projections, updating
from tests.engine.model.random_operations import puts, reads, requests, update_returns
from tests.engine.model.requests import Requests
from tests.engine.model.samples import ATTRIBUTES, KEYS, TABLES, padded, weighted
from tests.engine.model.values import Item

from sortkey.engine import Engine
from sortkey.engine.verify import SourceFile, verify

pytestmark = pytest.mark.acceptance

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
QUICK = settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=SLOW)
THOROUGH = settings(max_examples=2000, deadline=None, suppress_health_check=SLOW)

levels = st.sampled_from(["INDEXES", "INDEXES", "INDEXES", "TOTAL", "NONE"])
limits = st.none() | st.integers(1, 4)
steps = st.lists(
    weighted((5, st.tuples(requests, levels)), (2, st.tuples(reads(), limits))),
    min_size=8,
    max_size=20,
)
first = st.lists(puts(bare=True), min_size=6, max_size=15)


# Items with every attribute, and all kinds of expressions on them.
few_keys: st.SearchStrategy[Item] = st.sampled_from(
    [{"pk": Decimal(1), "sk": text} for text in "ab"]
)
full_items = st.tuples(few_keys, st.fixed_dictionaries(ATTRIBUTES)).map(
    lambda parts: parts[0] | parts[1]
)
on_few_items = st.lists(
    weighted(
        (2, st.builds(Update, st.just("alone"), few_keys, updating, returns=update_returns)),
        (1, st.builds(Read, st.just("alone"), filter=conditions)),
        (1, st.builds(Read, st.just("alone"), paths=projections)),
    ),
    min_size=10,
    max_size=20,
)


def run(pair: Pair, start: list[Put], operations: list[tuple[Any, Any]]) -> None:
    """Ask an engine and a model all this, and compare all they have at the end."""
    for put in start:
        pair.check(put)
    for operation, detail in operations:
        if isinstance(operation, Read):
            pair.check_read(operation, detail)
        else:
            pair.check(operation, detail)
    pair.check_all()


@given(first, steps)
@QUICK
def test_the_engine_answers_as_the_model_does(start: list[Put], operations: list[Any]) -> None:
    with Engine.memory() as engine:
        run(Pair(engine), start, operations)


@pytest.mark.slow
@given(first, steps)
@THOROUGH
def test_thousands_of_histories_show_no_difference(start: list[Put], operations: list[Any]) -> None:
    with Engine.memory() as engine:
        run(Pair(engine), start, operations)


@given(st.lists(full_items, min_size=4, max_size=4), on_few_items)
@settings(QUICK, max_examples=100)
def test_expressions_mean_to_the_engine_what_they_mean_to_the_model(
    start: list[Item], operations: list[Update | Read]
) -> None:
    with Engine.memory() as engine:
        pair = Pair(engine)
        for item in start:
            pair.check(Put("alone", item))
        for operation in operations:
            if isinstance(operation, Read):
                pair.check_read(operation, None)
            else:
                pair.check(operation)


@given(first, steps)
@settings(QUICK, max_examples=15)
def test_a_file_has_what_the_model_has_after_it_is_opened_again(
    start: list[Put], operations: list[Any]
) -> None:
    with TemporaryDirectory() as directory:
        path = f"{directory}/app.db"
        with Engine.open(path, grouped=True) as engine:
            pair = Pair(engine)
            for put in start:
                pair.check(put)
            engine.flush()
            run(pair, [], operations)
            engine.flush()
        with Engine.open(path) as engine:
            pair.engine = engine
            pair.check_all()
        with SourceFile(Path(path)) as source:
            assert verify(source).damage == []


MEGABYTE = 1024 * 1024
LIMIT = 400 * 1024
large = st.sampled_from([1, MEGABYTE // 4 - 1, MEGABYTE // 4, MEGABYTE // 4 + 1, LIMIT, LIMIT + 1])


@given(st.lists(large, min_size=5, max_size=8), st.none() | st.integers(2, 6), st.booleans())
@example(sizes=[MEGABYTE // 4] * 5, limit=None, backward=False)
@settings(QUICK, max_examples=15)
def test_a_page_ends_with_the_item_that_fills_it(
    sizes: list[int], limit: int | None, backward: bool
) -> None:
    with Engine.memory() as engine:
        pair = Pair(engine)
        for number, size in enumerate(sizes):
            item = {"pk": "a", "sk": str(number), "a": "a", "b": b"b", "n": Decimal(size)}
            pair.check(Put("strings", padded(item, size)))
        for index, name, value in (
            (None, "pk", "a"),
            ("by-a", "a", "a"),
            ("local-b", "pk", "a"),
            ("local-n", "pk", "a"),
        ):
            key = (Compare("=", At((name,)), Literal(value)),)
            select = "ALL_ATTRIBUTES" if index == "local-n" else None
            pair.check_read(Read("strings", index, key, backward, select=select), limit)
        pair.check_read(Read("strings"), limit)


@given(first, st.sampled_from(TABLES), st.booleans(), st.data())
@settings(QUICK, max_examples=30)
def test_a_query_starts_after_a_key_even_where_nothing_is(
    start: list[Put], table: Table, backward: bool, data: st.DataObject
) -> None:
    with Engine.memory() as engine:
        pair = Pair(engine)
        for put in start:
            pair.check(put)
        key = data.draw(KEYS[table.name])
        if not table.sort:
            return
        condition = Compare("=", At(("pk",)), Literal(key["pk"]))
        read = Read(table.name, None, (condition,), backward)
        left = [
            item
            for item in pair.model.matching(read)
            if (sort_key(table, item) < sort_key(table, key)) == backward
            and sort_key(table, item) != sort_key(table, key)
        ]
        got = pair.ask(read, None, Requests().item(key))
        assert in_order(got) == in_order(pair.model.page(read, left, None))
