"""SK614 two-spellings: an attribute of a table is spelled in two ways."""

from collections import defaultdict
from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.tables.table import TableDefinition
from sortkey.expressions.evaluate import condition_names
from sortkey.wording.names import words
from sortkey.wording.prose import listed


@rule("SK614", "two-spellings", WARNING)
def two_spellings(model: Model) -> Iterator[Finding]:
    """An attribute of a table is spelled in two ways.

    To DynamoDB, `userId` and `user_id` are two attributes. A filter, an index or an export by one
    misses the records that have the other. Nothing is reported if a put writes both, one of them as
    the key of an index: then they are meant to be two.

    Flagged:
        class User(Entity, table=App):
            user_id: Annotated[str, Stored("userId")]
            primary = App.primary.key("USER#{user_id}", "USER")

        class Order(Entity, table=App):
            order_id: str
            user_id: str
            primary = App.primary.key("ORDER#{order_id}", "ORDER")

    Instead:
        class User(Entity, table=App):
            user_id: Annotated[str, Stored("userId")]
            primary = App.primary.key("USER#{user_id}", "USER")

        class Order(Entity, table=App):
            order_id: Annotated[str, Stored("orderId")]
            user_id: Annotated[str, Stored("userId")]
            primary = App.primary.key("ORDER#{order_id}", "ORDER")
    """
    for table in model.design.tables:
        spelt: dict[str, dict[str, str]] = defaultdict(dict)
        for name, owner in _attributes(model, table.definition):
            if words(name):
                spelt[" ".join(words(name))].setdefault(name, owner)
        for found in spelt.values():
            if len(found) > 1 and not _are_meant(model, table.definition, {*found}):
                shown = listed(f'"{name}" ({owner})' for name, owner in found.items())
                yield Finding(table, f"{shown} look like one attribute", "Use one spelling")


def _are_meant(model: Model, table: TableDefinition, names: set[str]) -> bool:
    """Whether a put writes all the spellings, one of them as the key of an index."""
    keys = {a.name for index in table.indexes.values() for a in index.attributes}
    puts = [r.step.item for r in model.raw_requests if r.table is table and r.step.item]
    return not keys.isdisjoint(names) and any(names <= {*item} for item in puts)


def _attributes(model: Model, table: TableDefinition) -> Iterator[tuple[str, str]]:
    """Yield the attributes of a table, each with the entity or pattern that names it."""
    for kind in model.kinds_of(table):
        unwritten = _only_in_key(model, kind)
        for name, stored in kind.stored_names.items():
            if name not in unwritten:
                yield stored, kind.name
    for request in model.raw_requests:
        step = request.step
        if request.table is table:
            named = [*(step.item or {}), *(step.update.targets if step.update else ())]
            for condition in (step.filter, step.condition):
                named += condition_names(condition) if condition else ()
            yield from ((name, request.pattern.name) for name in named)


def _only_in_key(model: Model, kind: AnyKind) -> frozenset[str]:
    """Return the fields of a raw table's entity that are read from the text of its key.

    A raw request that writes or compares such an attribute is counted separately.
    """
    writes = [request for request in model.requests_of(kind) if request.writes]
    if not kind.table.raw or not writes or not all(request.is_raw for request in writes):
        return frozenset()
    natural = {name for part in kind.primary.parts if part.is_natural for name in part.fields}
    return frozenset(kind.key_fields) - natural
