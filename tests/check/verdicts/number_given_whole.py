"""A number at its natural width that every read gives whole: nothing is ordered by it."""

from sortkey import Entity, Table, raw_pattern


class Models(Table, raw=True):
    pass


class Part(Entity, table=Models):
    model_id: str
    number: int
    side: str
    primary = Models.primary.key("MODEL#{model_id}", "PART#{number}#{side}")


one = raw_pattern(
    "A part",
    table=Models,
    operation="GetItem",
    entity=Part,
    key={"PK": "MODEL#{model_id}", "SK": "PART#{number}#{side}"},
    arguments={"model_id": str, "number": int, "side": str},
    rate="1/s",
)
sides = raw_pattern(
    "The sides of a part",
    table=Models,
    operation="Query",
    entity=Part,
    key_condition="PK = :pk AND begins_with(SK, :part)",
    values={":pk": "MODEL#{model_id}", ":part": "PART#{number}#"},
    arguments={"model_id": str, "number": int},
    rate="1/s",
)
