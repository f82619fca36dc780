"""SK819 mergeable-indexes: several indexes of a table could be merged into one."""

from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.keys.unify import can_collide
from sortkey.design.tables.table import Index, TableDefinition
from sortkey.wording.prose import listed

# This many are not reported.
_FEW = 3


@rule("SK819", "mergeable-indexes", INFORMATION)
def mergeable_indexes(model: Model) -> Iterator[Finding]:
    """Several indexes of a table could be merged into one.

    Entities can share an index by writing their own keys into it. If no entity has a key in two
    indexes, and their partition keys have different texts, one index can replace both. Each index
    has to be created, backfilled and monitored, has its own provisioned capacity, and a table has
    at most 20. It is reported for tables with more than three, as information: a separate index
    keeps the load of one entity apart from that of others.

    Flagged:
        class Hotel(Table):
            gsi1 = gsi("GSI1PK", "GSI1SK")
            gsi2 = gsi("GSI2PK", "GSI2SK")
            gsi3 = gsi("GSI3PK", "GSI3SK")
            gsi4 = gsi("GSI4PK", "GSI4SK")

        class Room(Entity, table=Hotel):
            room_id: str
            floor: str
            wing: str
            primary = Hotel.primary.key("ROOM#{room_id}", "ROOM")
            by_floor = Hotel.gsi1.key("FLOOR#{floor}", "ROOM#{room_id}")
            by_wing = Hotel.gsi2.key("WING#{wing}", "ROOM#{room_id}")

        class Guest(Entity, table=Hotel):
            guest_id: str
            company: str
            agency: str
            primary = Hotel.primary.key("GUEST#{guest_id}", "GUEST")
            by_company = Hotel.gsi3.key("COMPANY#{company}", "GUEST#{guest_id}")
            by_agency = Hotel.gsi4.key("AGENCY#{agency}", "GUEST#{guest_id}")

    Instead:
        class Hotel(Table):
            gsi1 = gsi("GSI1PK", "GSI1SK")
            gsi2 = gsi("GSI2PK", "GSI2SK")

        class Room(Entity, table=Hotel):
            room_id: str
            floor: str
            wing: str
            primary = Hotel.primary.key("ROOM#{room_id}", "ROOM")
            by_floor = Hotel.gsi1.key("FLOOR#{floor}", "ROOM#{room_id}")
            by_wing = Hotel.gsi2.key("WING#{wing}", "ROOM#{room_id}")

        class Guest(Entity, table=Hotel):
            guest_id: str
            company: str
            agency: str
            primary = Hotel.primary.key("GUEST#{guest_id}", "GUEST")
            by_company = Hotel.gsi1.key("COMPANY#{company}", "GUEST#{guest_id}")
            by_agency = Hotel.gsi2.key("AGENCY#{agency}", "GUEST#{guest_id}")
    """
    for table in model.design.tables:
        definition = table.definition
        indexes = [index for index in definition.indexes.values() if index.kind == "global"]
        if len(indexes) <= _FEW:
            continue
        groups = list(_groups(definition, indexes))
        shared = [listed([index.name for index in group]) for group in groups if len(group) > 1]
        if shared:
            yield Finding(
                table,
                f"{len(groups)} global indexes could replace {len(indexes)}: one for "
                f"{', one for '.join(shared)}, since no entity has a key in two of them",
                "Write the keys of these entities into one index when you next replace one",
            )


def _groups(table: TableDefinition, indexes: list[Index]) -> Iterator[list[Index]]:
    """Yield groups of indexes that could be one, each index in the first group that fits."""
    kinds: list[AnyKind] = table.entities
    keys = {
        id(index): [
            (kind, k) for kind in kinds for k in kind.keys.values() if k.definition is index
        ]
        for index in indexes
    }
    groups: list[list[Index]] = []
    for index in indexes:
        fitting = (
            g for g in groups if all(_fit(i, keys[id(i)], index, keys[id(index)]) for i in g)
        )
        group = next(fitting, None)
        if group is None:
            groups.append([index])
        else:
            group.append(index)
    yield from groups


def _fit(
    one: Index,
    mine: list[tuple[AnyKind, EntityKey]],
    other: Index,
    theirs: list[tuple[AnyKind, EntityKey]],
) -> bool:
    """Whether the keys of two indexes would stay distinct in one."""
    if one.projection != other.projection or len(one.sort) != len(other.sort):
        return False
    keys = [key for _, key in (*mine, *theirs)]
    if not (mine and theirs) or any(part.is_natural for key in keys for part in key.parts):
        return False
    kinds = {id(kind) for kind, _ in mine}
    return not any(id(kind) in kinds for kind, _ in theirs) and not any(
        can_collide(a.partition[0].template, b.partition[0].template)
        for _, a in mine
        for _, b in theirs
    )
