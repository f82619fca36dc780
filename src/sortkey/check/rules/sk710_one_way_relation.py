"""SK710 one-way-relation: a link between two entities can be followed from one side only."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Fault, rule


@rule("SK710", "one-way-relation", WARNING)
def one_way_relation(model: Model) -> Iterator[Fault]:
    """A link between two entities can be followed from one side only.

    A record that links two others is found by the first, whose id chooses the partition. From the
    second there is no way but a Scan, also for whoever deletes it and has to remove its links. An
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
        reached = {n for key in kind.keys.values() for p in key.partition for n in p.fields}
        for relation in linked:
            if relation.field not in reached:
                yield Fault(
                    kind,
                    f"from a {relation.to.__name__} there is no way to its {kind.name} records",
                    f"Give an index a key with {relation.field} in its partition",
                    at=relation.field,
                )
