"""The Inavor Shuttle's data: a module for each topic, with its records, its reads and its writes.

Keys, indexes and attributes have the names of the original document; a comment explains each
addition. The one table is in `table`, and the permissions in `roles`.
"""

from sortkey import About, SecretKey
from sortkey_systems.shuttle.design.table import Shuttle

about = About(
    name="shuttle",
    tenant="domain",
    environments=("dev", "prod"),
    users=5_000,
    secret_key=SecretKey(),
)

TABLES = (Shuttle,)
