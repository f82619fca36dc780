"""SK615 no-type-attribute: nothing in a record says of which entity it is."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK615", "no-type-attribute", WARNING)
def no_type_attribute(model: Model) -> Iterator[Fault]:
    """Nothing in a record says of which entity it is.

    In a table with several entities, a reader of the stream, an export or a backup has only the
    form of the keys to go by. An attribute with the entity's name costs a few bytes and settles it.

    Flagged:
        class Old(Table, type_attribute=None):
            pass

        class User(Entity, table=Old):
            user_id: str
            primary = Old.primary.key("USER#{user_id}", "USER")

        class Team(Entity, table=Old):
            team_id: str
            primary = Old.primary.key("TEAM#{team_id}", "TEAM")

    Instead:
        class Old(Table, type_attribute="type"):
            pass

        class User(Entity, table=Old):
            user_id: str
            primary = Old.primary.key("USER#{user_id}", "USER")

        class Team(Entity, table=Old):
            team_id: str
            primary = Old.primary.key("TEAM#{team_id}", "TEAM")
    """
    for table in model.design.tables:
        names = [kind.name for kind in model.kinds_of(table.definition)]
        if table.definition.type_attribute is None and len(names) > 1:
            yield Fault(
                table,
                f"it holds {len(names)} kinds of records, and no attribute says which is which",
                'Add `type_attribute="type"`',
            )
