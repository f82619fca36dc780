"""SK710 one-way-relation: a link between two entities can be followed from one side only."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule
from sortkey.design.keys import EntityKey


@rule("SK710", "one-way-relation", WARNING)
def one_way_relation(model: Model) -> Iterator[Fault]:
    """A link between two entities can be followed from one side only.

    A record that links two others is found by the first, whose id chooses the partition. From the
    second only a Scan finds it, also for a program that deletes it and has to remove its links. An
    index with the ids the other way round leads back.

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
                yield Fault(
                    kind,
                    f"no key leads from {relation.to.__name__} to {kind.name} records",
                    f"Give an index a key with `{relation.field}` in its partition",
                    at=relation.field,
                )


def _leading(key: EntityKey) -> tuple[str, ...]:
    """The fields by which records are found: the partition's, or where it has none the next."""
    chosen = tuple(name for part in key.partition for name in part.fields)
    return chosen or tuple(name for part in key.sort for name in part.fields[:1])
