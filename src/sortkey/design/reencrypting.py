"""Rotation: the secrets of an entity, sealed again with the current key."""

from typing import Any

from sortkey.design.entity import Entity, kind_of
from sortkey.errors import Refused
from sortkey.operations.reencrypt import Reencrypt


def reencrypt(entity: type[Entity], *, size: int = 200, after: str | None = None) -> Reencrypt:
    """The next stretch of a walk that seals an entity's secrets with the current key.

    It scans ``size`` items of the table and pays for them; its result has the cursor to go on from.
    """
    kind: Any = kind_of(entity)
    if not kind.secrets:
        raise Refused(f"{entity.__name__} has no secret field to encrypt again")
    if size < 1:
        raise Refused(f"size wants a number of at least 1, not {size}")
    return Reencrypt(kind, size, after)
