"""A table expires by one attribute, and an entity keeps the same time for people as well."""

from datetime import datetime

from sortkey import TTL, Entity, Table


class Sessions(Table, raw=True, ttl="ttl"):
    pass


class Session(Entity, table=Sessions):
    session_id: str
    expires_at: datetime
    ttl: TTL
    primary = Sessions.primary.key("SESSION#{session_id}", "SESSION")
