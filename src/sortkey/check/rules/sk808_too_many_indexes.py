"""SK808 too-many-indexes: a table has more indexes than DynamoDB allows."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.wire.limits import GLOBAL_INDEXES, LOCAL_INDEXES


@rule("SK808", "too-many-indexes", ERROR)
def too_many_indexes(model: Model) -> Iterator[Finding]:
    """A table has more indexes than DynamoDB allows.

    The limits are 20 global and 5 local indexes. Entities can share an index by writing their own
    keys into it.

    Flagged:
        class Logs(Table, partition="device", sort="at"):
            by_a = lsi("a")
            by_b = lsi("b")
            by_c = lsi("c")
            by_d = lsi("d")
            by_e = lsi("e")
            by_f = lsi("f")

    Instead:
        class Logs(Table, partition="device", sort="at"):
            by_a = lsi("a")
            by_b = lsi("b")
            by_c = lsi("c")
            by_d = lsi("d")
            by_e = lsi("e")
    """
    for table in model.design.tables:
        kinds = [index.kind for index in table.definition.indexes.values()]
        for kind, most in (("global", GLOBAL_INDEXES), ("local", LOCAL_INDEXES)):
            count = sum(one == kind for one in kinds)
            if count > most:
                yield Finding(
                    table,
                    f"it has {count} {kind} indexes, but DynamoDB allows {most}",
                    "Let entities share an index, each with its own keys",
                )
