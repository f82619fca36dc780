"""CommitCollect's data: a module for each topic, with its records, its reads and its writes.

Keys and attributes have the names of the item catalog; a comment explains each addition. The tables
are in `tables`, and the permissions in `roles`.
"""

from sortkey import About, SecretKey
from sortkey_systems.commitcollect.design.tables import (
    CommitCollect,
    CommitCollectAudit,
    CommitCollectIdempotency,
    CommitCollectSessions,
)

about = About(
    name="commitcollect",
    tenant="user_id",
    environments=("dev", "prod"),
    users=100_000,
    secret_key=SecretKey(),
)

TABLES = (CommitCollect, CommitCollectSessions, CommitCollectAudit, CommitCollectIdempotency)
