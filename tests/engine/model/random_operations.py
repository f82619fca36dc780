"""Random operations on the sample tables, which often meet at the same items."""

from decimal import Decimal
from itertools import combinations
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from tests.engine.model import expressions as tree
from tests.engine.model.operations import (
    BatchGet,
    BatchWrite,
    Check,
    Delete,
    Get,
    Index,
    Operation,
    Put,
    Read,
    Table,
    TransactGet,
    TransactWrite,
    Update,
    Write,
    key_of,
)
from tests.engine.model.random_expressions import conditions, projections, updating
from tests.engine.model.samples import (
    BY_NAME,
    KEYS,
    SCALARS,
    TABLES,
    items,
    pool,
    scalars,
    seldom,
    weighted,
)
from tests.engine.model.values import Item, order, plain, wire

# A history is about two tables, which is room enough for batches and transactions.
focus = st.shared(st.sampled_from([*combinations(TABLES, 2)]), key="focus")
tables = focus.flatmap(st.sampled_from)
maybe = weighted((2, st.none()), (1, conditions))
put_returns = st.sampled_from(["NONE", "ALL_OLD"])
update_returns = st.sampled_from(["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
on_failure = st.sampled_from(["NONE", "ALL_OLD"])


@st.composite
def gets(draw: st.DrawFn) -> Get:
    """A read of one item."""
    table = draw(tables)
    wanted = draw(st.just(()) | projections)
    return Get(table.name, draw(KEYS[table.name]), wanted, draw(st.booleans()))


@st.composite
def puts(draw: st.DrawFn, *, bare: bool = False) -> Put:
    """A put, with a condition and an answer unless it is bare."""
    table = draw(tables)
    item = draw(items(table))
    if bare:
        return Put(table.name, item)
    return Put(table.name, item, draw(maybe), draw(put_returns), draw(on_failure))


@st.composite
def deletes(draw: st.DrawFn, *, bare: bool = False) -> Delete:
    """A delete, with a condition and an answer unless it is bare."""
    table = draw(tables)
    key = draw(KEYS[table.name])
    if bare:
        return Delete(table.name, key)
    return Delete(table.name, key, draw(maybe), draw(put_returns), draw(on_failure))


@st.composite
def updates(draw: st.DrawFn) -> Update:
    """An update of one to three places."""
    table = draw(tables)
    return Update(
        table.name,
        draw(KEYS[table.name]),
        draw(updating),
        draw(maybe),
        draw(update_returns),
        draw(on_failure),
    )


@st.composite
def checks(draw: st.DrawFn) -> Check:
    """A condition check."""
    table = draw(tables)
    return Check(table.name, draw(KEYS[table.name]), draw(conditions), draw(on_failure))


@st.composite
def wrong_keys(draw: st.DrawFn) -> Operation:
    """A key that may be empty or of another type."""
    table = draw(tables)
    name = draw(st.sampled_from(table.key))
    key = draw(KEYS[table.name]) | {name: draw(scalars)}
    return draw(
        st.sampled_from([Get(table.name, key), Put(table.name, key), Delete(table.name, key)])
    )


def _without_answer(write: Write) -> Write:
    """The write as a transaction has it."""
    match write:
        case Put(table, item, condition, _, failure):
            return Put(table, item, condition, "NONE", failure)
        case Update(table, key, changes, condition, _, failure):
            return Update(table, key, changes, condition, "NONE", failure)
        case Delete(table, key, condition, _, failure):
            return Delete(table, key, condition, "NONE", failure)
        case Check():
            return write


@st.composite
def batch_gets(draw: st.DrawFn) -> BatchGet:
    """Keys of several tables, each table with its projection and consistency."""
    shapes: dict[str, Get] = {}
    wanted: list[Get] = []
    for get in draw(mostly_distinct(gets(), 8)):
        shape = shapes.setdefault(get.table, get)
        wanted.append(Get(get.table, _canonical(get.key), shape.paths, shape.consistent))
    return BatchGet(tuple(wanted))


def mostly_distinct(operations: SearchStrategy[Any], most: int) -> SearchStrategy[tuple[Any, ...]]:
    """Several operations, seldom two on the same item."""
    return weighted(
        (12, st.lists(operations, min_size=1, max_size=most, unique_by=_target)),
        (1, st.lists(operations, min_size=2, max_size=3)),
    ).map(tuple)


def _target(operation: Get | Write) -> str:
    key = key_of(operation)
    return str([operation.table, *(wire(key[name]) for name in BY_NAME[operation.table].key)])


def _canonical(key: Item) -> Item:
    """The key spelt as DynamoDB would; how it counts two spellings of one key is not documented."""
    return {
        name: Decimal(plain(value)) if isinstance(value, Decimal) else value
        for name, value in key.items()
    }


plain_writes = weighted((3, puts(bare=True)), (1, deletes(bare=True)))
writes = weighted((3, updates()), (2, puts()), (1, deletes()), (1, checks())).map(_without_answer)
# The same transaction again and again, and at times another with its token.
repeated = st.shared(
    st.builds(
        TransactWrite,
        st.lists(plain_writes, min_size=2, max_size=2, unique_by=_target).map(tuple),
        st.just("token"),
    ),
    key="repeated",
)
mistaken = st.builds(TransactWrite, st.tuples(writes), st.just("token"))
requests: SearchStrategy[Operation] = weighted(
    (4, puts()),
    (6, updates()),
    (1, deletes()),
    (1, gets()),
    (1, wrong_keys()),
    (1, batch_gets()),
    (1, st.builds(BatchWrite, mostly_distinct(plain_writes, 6))),
    (1, st.builds(TransactGet, mostly_distinct(gets(), 4))),
    (3, st.builds(TransactWrite, mostly_distinct(writes, 4))),
    (2, weighted((5, repeated), (1, mistaken))),
)


@st.composite
def reads(draw: st.DrawFn) -> Read:
    """A query or a scan of a table or an index, with a filter, a projection and so on."""
    table = draw(tables)
    index = draw(st.sampled_from((None, *table.indexes)))
    source = index or table
    key: list[tree.Condition] = []
    if draw(st.integers(0, 3)):
        for name in draw(st.permutations(source.partition)):
            value = draw(pool(name, table.kinds[name]))
            key.append(tree.Compare("=", tree.At((name,)), tree.Literal(value)))
        key.extend(draw(ranges(table, source)))
    wanted = draw(weighted((2, st.just(())), (1, projections)))
    select = None
    if not wanted:
        choices = [None, None, "ALL_ATTRIBUTES", "COUNT"]
        select = draw(st.sampled_from(choices + ["ALL_PROJECTED_ATTRIBUTES"] * bool(index)))
    is_global = index is not None and index.is_global
    consistent = draw(seldom(st.just(value=False), st.booleans()) if is_global else st.booleans())
    return Read(
        table.name,
        index.name if index else None,
        tuple(key),
        bool(key) and draw(st.booleans()),
        draw(maybe),
        wanted,
        select,
        consistent,
    )


@st.composite
def ranges(draw: st.DrawFn, table: Table, source: Table | Index) -> list[tree.Condition]:
    """Return the condition of a query on the sort key: some equal attributes, and a range."""
    bound = draw(st.integers(0, len(source.sort)))
    conditions: list[tree.Condition] = []
    for position, name in enumerate(source.sort[:bound]):
        at = tree.At((name,))
        kind = table.kinds[name]
        value = st.builds(tree.Literal, st.sampled_from(SCALARS[kind]))
        if position < bound - 1:
            conditions.append(tree.Compare("=", at, draw(value)))
            continue
        options: list[SearchStrategy[tree.Condition]] = [
            st.builds(
                tree.Compare, st.sampled_from(["=", "<", "<=", ">", ">="]), st.just(at), value
            ),
            st.builds(tree.Between, st.just(at), value, value),
            st.lists(value, min_size=2, max_size=2).map(lambda ends, at=at: _between(at, *ends)),
        ]
        if kind != "N":
            options.append(st.builds(tree.BeginsWith, st.just(at), value))
        conditions.append(draw(st.one_of(options)))
    return conditions


def _between(at: tree.At, one: tree.Literal, other: tree.Literal) -> tree.Condition:
    low, high = sorted([one, other], key=lambda end: order(end.value))
    return tree.Between(at, low, high)
