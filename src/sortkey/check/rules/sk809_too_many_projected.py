"""SK809 too-many-projected: the indexes of a table project more attributes than DynamoDB takes."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.wire.limits import PROJECTED_ATTRIBUTES


@rule("SK809", "too-many-projected", ERROR)
def too_many_projected(model: Model) -> Iterator[Fault]:
    """The indexes of a table project more attributes by name than DynamoDB takes.

    100 in all indexes together, where an attribute that two of them project counts twice.
    Projecting everything counts for nothing.

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
            yield Fault(
                table,
                f"its indexes project {named} attributes by name, and DynamoDB takes "
                f"{PROJECTED_ATTRIBUTES}",
                'Project fewer, or "ALL"',
            )
