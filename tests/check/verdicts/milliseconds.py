"""A time in milliseconds, unpadded: what to write must hold the values of today."""

from sortkey import Entity, Table


class Visits(Table, raw=True):
    pass


class Visit(Entity, table=Visits):
    user_id: str
    timestamp_ms: int
    primary = Visits.primary.key("USER#{user_id}", "VISIT#{timestamp_ms}")
