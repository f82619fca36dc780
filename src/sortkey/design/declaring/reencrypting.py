"""Key rotation: re-encrypt the secrets of an entity with the current key."""

from typing import Any

from sortkey.design.declaring.entity import Entity, kind_of
from sortkey.errors import Refused
from sortkey.operations.reencrypt import Reencrypt


def reencrypt(entity: type[Entity], *, size: int = 200, after: str | None = None) -> Reencrypt:
    """Re-encrypt the secrets of the next items of an entity with the current key.

    It scans ``size`` items of the table and pays for them; its result has the cursor to go on from.
    """
    kind: Any = kind_of(entity)
    if not kind.secrets:
        raise Refused(f"{entity.__name__} has no secret field to re-encrypt")
    if size < 1:
        raise Refused(f"size must be at least 1, not {size}")
    return Reencrypt(kind, size, after)
