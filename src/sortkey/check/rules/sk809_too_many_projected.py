"""SK809 too-many-projected: indexes project more attributes than DynamoDB allows."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.wire.limits import PROJECTED_ATTRIBUTES


@rule("SK809", "too-many-projected", ERROR)
def too_many_projected(model: Model) -> Iterator[Finding]:
    """The indexes of a table project more attributes by name than DynamoDB allows.

    The limit is 100 in all indexes together; an attribute in two of them counts twice. An index
    that projects all attributes does not count.

    Flagged:
        class Wide(Table):
            first = gsi("A", "B", project=[f"a{n}" for n in range(60)])
            other = gsi("C", "D", project=[f"a{n}" for n in range(60)])

    Instead:
        class Wide(Table):
            first = gsi("A", "B", project=[f"a{n}" for n in range(60)])
            other = gsi("C", "D")
    """
    for table in model.design.tables:
        indexes = table.definition.indexes.values()
        named = sum(len(i.projection) for i in indexes if not isinstance(i.projection, str))
        if named > PROJECTED_ATTRIBUTES:
            yield Finding(
                table,
                f"its indexes project {named} attributes by name, but DynamoDB allows "
                f"{PROJECTED_ATTRIBUTES}",
                'Project fewer, or "ALL"',
            )
