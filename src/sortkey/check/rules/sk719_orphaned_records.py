"""SK719 orphaned-records: a record is deleted, but the records that belong to it are not."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sortkey.check.fields import own_ids
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.design.declaring.pattern import Pattern
from sortkey.wording.names import words
from sortkey.wording.prose import FEW, listed

# Names that any entity may use for its own id.
_COMMON = frozenset({"id", "uuid"})


@rule("SK719", "orphaned-records", INFORMATION)
def orphaned_records(model: Model) -> Iterator[Finding]:
    """A record is deleted, but the records that belong to it are not.

    DynamoDB deletes one item, not the items that refer to it. Records in partitions with the id of
    the deleted one stay forever: lists still return them, and you pay for them. It is reported if
    no pattern deletes such records and they do not expire. Immutable records, such as those of an
    audit log, are meant to stay. Severity is information, because only names suggest whose id a key
    contains.

    Flagged:
        class Album(Entity, table=App):
            user_id: str
            album_id: str
            primary = App.primary.key("USER#{user_id}", "ALBUM#{album_id}")

        class Photo(Entity, table=App):
            album_id: str
            photo_id: str
            primary = App.primary.key("ALBUM#{album_id}", "PHOTO#{photo_id}")

        @pattern("Create an album", rate="1/s")
        def create(album: Album) -> Op[Album]:
            return album.create()

        @pattern("Add a photo to an album", rate="5/s")
        def add(photo: Photo) -> Op[Photo]:
            return photo.create()

        @pattern("Delete an album", rate="1/s")
        def delete_album(user_id: str, album_id: str) -> Op[None]:
            return Album.delete(user_id=user_id, album_id=album_id)

    Instead:
        class Album(Entity, table=App):
            user_id: str
            album_id: str
            primary = App.primary.key("USER#{user_id}", "ALBUM#{album_id}")

        class Photo(Entity, table=App):
            album_id: str
            photo_id: str
            primary = App.primary.key("ALBUM#{album_id}", "PHOTO#{photo_id}")

        @pattern("Create an album", rate="1/s")
        def create(album: Album) -> Op[Album]:
            return album.create()

        @pattern("Add a photo to an album", rate="5/s")
        def add(photo: Photo) -> Op[Photo]:
            return photo.create()

        @pattern("Delete an album", rate="1/s")
        def delete_album(user_id: str, album_id: str) -> Op[None]:
            return Album.delete(user_id=user_id, album_id=album_id)

        @pattern("Delete a photo of an album, by the job that follows", rate="5/s")
        def delete_photo(album_id: str, photo_id: str) -> Op[None]:
            return Photo.delete(album_id=album_id, photo_id=photo_id)
    """
    written: dict[Pattern[..., Any], set[AnyKind]] = defaultdict(set)
    for request in model.requests:
        written[request.pattern].update(request.kinds if request.step.writes else ())
    deletes = [request for request in model.requests if request.deletes_a_record]
    deleted = {kind for request in deletes for kind in request.kinds}
    kept = [
        kind
        for kind in model.kinds
        if kind in set[AnyKind]().union(*written.values()) - deleted - model.obscure
        and not kind.immutable
        and kind.expires_field is None
    ]
    for request in deletes:
        for kind in request.kinds:
            left = [
                other.name
                for other in kept
                if _belongs_to(other, kind) and other not in written[request.pattern]
            ]
            if left:
                yield Finding(
                    request.pattern,
                    f"it deletes a {kind.name} record, but no pattern deletes the "
                    f"{listed(left, FEW)} records that belong to it",
                    "Delete them in the same transaction or in a job that follows, give them a "
                    "field of type `TTL`, or keep the record and mark it as deleted",
                )


def _belongs_to(kind: AnyKind, parent: AnyKind) -> bool:
    """Whether the partition key of an entity contains the id of another, judging by its name."""
    partition = {name for part in kind.primary.partition for name in part.fields}
    return not _ids_of(parent).isdisjoint(partition)


def _ids_of(kind: AnyKind) -> set[str]:
    """Return the names of an entity's id in other entities; none if it links several entities."""
    ids = {name for name in kind.key_fields if words(name)[-1] == "id"}
    whole = "_".join([*words(kind.model.__name__), "id"])
    own = own_ids(kind) if len(ids) == 1 else {whole, "id"}
    return set[str]() if own.isdisjoint(ids) else own - _COMMON
