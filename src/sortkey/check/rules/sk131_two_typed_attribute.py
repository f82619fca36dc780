"""SK131 two-typed-attribute: one key attribute is declared with two types."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.tables.table import Index


@rule("SK131", "two-typed-attribute", ERROR)
def two_typed_attribute(model: Model) -> Iterator[Finding]:
    """One key attribute is declared with two types.

    A table defines each key attribute once, and all indexes on it share that type. DynamoDB rejects
    the table.

    Flagged:
        class Scores(Table, partition="game", sort=number("points")):
            by_points = gsi("points")

    Instead:
        class Scores(Table, partition="game", sort=number("points")):
            by_points = gsi(number("points"))
    """
    for table in model.design.tables:
        definition = table.definition
        first: dict[str, tuple[str, Index]] = {}
        for index in (definition.primary, *definition.indexes.values()):
            for attribute in index.attributes:
                known, where = first.setdefault(attribute.name, (attribute.type, index))
                if known != attribute.type:
                    yield Finding(
                        index,
                        f"{attribute.name} has type {attribute.type} here and type {known} in "
                        f"{where}",
                        "Declare the same type, or use another attribute",
                    )
