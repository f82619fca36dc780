"""Leases: which worker reads a shard of a stream, and how far it has come."""

from datetime import datetime

from sortkey.design.declaring.entity import Entity
from sortkey.design.records.marks import TTL


class ShardLease(Entity):
    """A consumer's place in a shard; subclass it and declare a key of ``consumer`` and ``shard``.

    ``class Leases(ShardLease, table=Shop)`` needs a table with ``ttl="expires"``, so that leases
    of old shards are removed. Use it with `follow`.
    """

    consumer: str
    shard: str
    # Empty if no worker reads the shard.
    held_by: str = ""
    held_until: datetime | None = None
    # A worker that has fewer shards, and asks for this one.
    wanted_by: str = ""
    # Where to begin if nothing has been read; None for the oldest change.
    since: datetime | None = None
    # The sequence number of the last change that was handled.
    read_to: str = ""
    is_finished: bool = False
    expires: TTL | None = None
