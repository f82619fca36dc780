"""SK131 two-typed-attribute: one key attribute is declared with two types."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.design.table import Index


@rule("SK131", "two-typed-attribute", ERROR)
def two_typed_attribute(model: Model) -> Iterator[Fault]:
    """One key attribute is declared with two types.

    A table defines each key attribute once, and all indexes on it share that type. DynamoDB
    refuses to create the table.

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
                    yield Fault(
                        index,
                        f"{attribute.name} is of type {attribute.type} here and of type {known} "
                        f"in {where}",
                        "Declare it alike, or use another attribute",
                    )
