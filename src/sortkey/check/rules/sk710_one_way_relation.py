"""SK710 one-way-relation: a link between two entities can be followed only from one side."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.records.keys.entity_key import EntityKey


@rule("SK710", "one-way-relation", WARNING)
def one_way_relation(model: Model) -> Iterator[Finding]:
    """A link between two entities can be followed only from one side.

    A record that links two others is found by the first, whose id selects the partition. From the
    second it is found only by a Scan, even by a program that deletes the second one and has to
    remove its links. An index with the ids reversed makes it possible.

    Flagged:
        class User(Entity, table=App):
            user_id: str
            primary = App.primary.key("USER#{user_id}", "USER")

        class Team(Entity, table=App):
            team_id: str
            primary = App.primary.key("TEAM#{team_id}", "TEAM")

        class Membership(
            Entity,
            table=App,
            relations=(refers("user_id", User), refers("team_id", Team)),
        ):
            user_id: str
            team_id: str
            primary = App.primary.key("USER#{user_id}", "IN#{team_id}")

    Instead:
        class User(Entity, table=App):
            user_id: str
            primary = App.primary.key("USER#{user_id}", "USER")

        class Team(Entity, table=App):
            team_id: str
            primary = App.primary.key("TEAM#{team_id}", "TEAM")

        class Membership(
            Entity,
            table=App,
            relations=(refers("user_id", User), refers("team_id", Team)),
        ):
            user_id: str
            team_id: str
            primary = App.primary.key("USER#{user_id}", "IN#{team_id}")
            members = App.gsi1.key("TEAM#{team_id}", "{user_id}")
    """
    for kind in model.kinds:
        linked = [r for r in kind.relations if r.field in kind.key_fields]
        if len({relation.to for relation in linked}) <= 1:
            continue
        reached = {name for key in kind.keys.values() for name in _leading(key)}
        for relation in linked:
            if relation.field not in reached:
                yield Finding(
                    kind,
                    f"no key leads from {relation.to.__name__} to {kind.name} records",
                    f"Give an index a key with `{relation.field}` in its partition key",
                    at=relation.field,
                )


def _leading(key: EntityKey) -> tuple[str, ...]:
    """Return the fields that find records: those of the partition key, or else the next."""
    chosen = tuple(name for part in key.partition for name in part.fields)
    return chosen or tuple(name for part in key.sort for name in part.fields[:1])
