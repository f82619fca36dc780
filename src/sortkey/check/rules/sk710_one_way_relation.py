"""SK710 one-way-relation: a link between two entities can be followed only from one side."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from sortkey.check.fields import own_ids
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.tables.expectations import Relation


@rule("SK710", "one-way-relation", WARNING)
def one_way_relation(model: Model) -> Iterator[Finding]:
    """A link between two entities can be followed only from one side.

    A record that links two others is found by the first, whose id selects the partition. From the
    second it is found only by a Scan, even by a program that deletes the second one and has to
    remove its links. An index with the ids reversed makes it possible.

    It is a warning if the link is many-to-many: the ids of both records identify it. Acknowledge it
    if no program will need the links of the second record, not even to delete them. If the link has
    an id of its own, such as a comment with the ids of its post and its author, or if one record
    belongs to the other, such as an album to its user, it is information. The owner of the other
    record is not reported: it finds the links through the records that belong to it.

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
        sides = list(_sides(model, kind))
        if len({relation.to for relation, _ in sides}) <= 1:
            continue
        ends = [(r, side) for r, side in sides if not any(side < other for _, other in sides)]
        severity = WARNING if _is_many_to_many(kind, [r for r, _ in ends]) else INFORMATION
        for relation, side in ends:
            if not any(_leads(key, relation.field, side) for key in kind.keys.values()):
                yield Finding(
                    kind,
                    f"no key leads from {relation.to.__name__} to {kind.name} records",
                    f"Give an index a key with `{relation.field}` in its partition key",
                    at=relation.field,
                    severity=severity,
                )


def _sides(model: Model, kind: AnyKind) -> Iterator[tuple[Relation, frozenset[str]]]:
    """Yield the relations in the primary key, with the fields that identify the other record.

    A member of a studio is identified by ``studio_id`` and ``member_id`` if that is its key.
    """
    for relation in kind.relations:
        if relation.field in kind.key_fields:
            other = next((other for other in model.kinds if other.model is relation.to), None)
            same = frozenset[str]() if other is None else other.key_fields & kind.key_fields
            yield relation, same if relation.field in same else frozenset({relation.field})


def _is_many_to_many(kind: AnyKind, ends: Sequence[Relation]) -> bool:
    """Whether the ids of two records that do not belong to each other identify the link."""
    linked = {relation.field for relation in ends}
    has_own_id = not own_ids(kind).isdisjoint(kind.key_fields - linked)
    is_identity = linked <= {*kind.identity} if kind.identity else not has_own_id
    return is_identity and len({relation.to for relation in ends}) > 1


def _leads(key: EntityKey, field: str, side: frozenset[str]) -> bool:
    """Whether a key finds the links of a record: by its id, after other fields of its key only."""
    chosen = [name for part in key.partition for name in part.fields]
    sort = [name for part in key.sort for name in part.fields]
    # In a partition that all records share, the first field of the sort key finds them.
    first = chosen or sort[:1]
    return field in (*first, *takewhile(side.__contains__, sort if side >= {*chosen} else ()))
