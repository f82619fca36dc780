"""SK117 bad-name: a table or an index has a name that DynamoDB does not take."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.design.findings import Finding
from sortkey.design.table import is_table_name


@rule("SK117", "bad-name", ERROR)
def bad_name(model: Model) -> Iterator[Fault | Finding]:
    """A table or an index has a name that DynamoDB does not take.

    Names have 3 to 255 letters, digits, dots, dashes and underscores, in each environment of the
    design.

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
                yield Fault(
                    table,
                    f'in {environment} it is called "{name}", and DynamoDB takes 3 to 255 letters, '
                    "digits, dots, dashes and underscores",
                    "Give another name for this environment",
                )
