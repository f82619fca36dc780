"""SK117 bad-name: DynamoDB does not allow the name of a table or an index."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.tables.table import is_table_name


@rule("SK117", "bad-name", ERROR)
def bad_name(model: Model) -> Iterator[Finding]:
    """DynamoDB does not allow the name of a table or an index.

    A name consists of 3 to 255 letters, digits, dots, dashes and underscores, in each environment
    of the design.

    Flagged:
        class Orders(Table, name="my orders"):
            pass

    Instead:
        class Orders(Table, name="my-orders"):
            pass
    """
    found = list(model.collected("SK117"))
    yield from found
    for table in model.design.tables:
        if any(finding.where == table.__name__ for finding in found):
            continue
        for environment in model.design.about.environments:
            name = table.definition.name_in(environment)
            if not is_table_name(name):
                yield Finding(
                    table,
                    f'its name in {environment} is "{name}"; DynamoDB allows 3 to 255 letters, '
                    "digits, dots, dashes and underscores",
                    "Choose another name for this environment",
                )
