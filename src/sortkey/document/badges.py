"""Badges: the special properties of an entity, in one word each."""

from collections.abc import Iterator

from sortkey.design.declaring.claim import Claim
from sortkey.design.records.unbuilt import UnbuiltEntity
from sortkey.document.model import Described


def badges_of(entity: Described) -> tuple[str, ...]:
    """Return the badges to show beside an entity's name."""
    return tuple(_badges(entity))


def _badges(entity: Described) -> Iterator[str]:
    if isinstance(entity, UnbuiltEntity):
        yield "not built"
        return
    if entity.immutable:
        yield "immutable"
    if entity.version is not None:
        yield "version"
    if entity.uniques:
        yield "unique"
    if entity.secrets:
        yield "secret"
    if entity.expires is not None:
        yield "TTL"
    if issubclass(entity.model, Claim):
        yield "claim"
