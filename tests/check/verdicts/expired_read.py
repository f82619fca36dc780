"""A query that returns what has expired, by an attribute whose name is a reserved word."""

from sortkey import TTL, Entity, Table, raw_pattern


class Sessions(Table, raw=True, ttl="ttl"):
    pass


class Session(Entity, table=Sessions):
    user_id: str
    session_id: str
    ttl: TTL
    primary = Sessions.primary.key("USER#{user_id}", "SESSION#{session_id}")


sessions = raw_pattern(
    "Sessions of a user",
    table=Sessions,
    operation="Query",
    entity=Session,
    key_condition="PK = :pk",
    values={":pk": "USER#{user_id}"},
    arguments={"user_id": str},
    rate="1/s",
    where=lambda s, user_id: s.user_id == user_id,
)
