"""SK207 key-too-long: a key can become longer than DynamoDB allows."""

from collections.abc import Iterator

from sortkey.check.fields import longest
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import ERROR, WARNING, Finding, rule
from sortkey.design.records.keys.entity_key import EntityKey, KeyPart
from sortkey.wire.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES


@rule("SK207", "key-too-long", ERROR)
def key_too_long(model: Model) -> Iterator[Finding]:
    """A key can become longer than DynamoDB allows.

    A partition key has at most 2,048 bytes and a sort key 1,024. If the longest allowed values do
    not fit, the writes of users with such values are rejected. A character has up to four bytes: if
    the key is too long only with such characters, it is a warning.

    Flagged:
        class File(Entity, table=App):
            owner_id: str
            path: Annotated[str, Field(max_length=4096)]
            primary = App.primary.key("OWNER#{owner_id}", "FILE#{path}")

    Instead:
        class File(Entity, table=App):
            owner_id: str
            path: Annotated[str, Field(max_length=4096)]
            digest: Annotated[str, Field(max_length=64)]
            primary = App.primary.key("OWNER#{owner_id}", "FILE#{digest}")
    """
    for kind in model.kinds:
        for key in kind.keys.values():
            yield from _too_long(kind, key, key.partition, PARTITION_KEY_BYTES)
            yield from _too_long(kind, key, key.sort, SORT_KEY_BYTES)


def _too_long(
    kind: AnyKind, key: EntityKey, parts: tuple[KeyPart, ...], most: int
) -> Iterator[Finding]:
    for part in parts:
        characters, size = _length(kind, part)
        if part.attribute.type == "S" and size > most:
            yield Finding(
                key,
                f"{', '.join(part.fields)} can make {part.attribute.name} {size:,} bytes long, but "
                f"DynamoDB allows {most:,}",
                "Lower the maximum lengths of the fields, or put a digest into the key",
                severity=ERROR if characters > most else WARNING,
            )


def _length(kind: AnyKind, part: KeyPart) -> tuple[int, int]:
    """Return the most characters and bytes of an attribute, as far as its fields limit them."""
    characters = size = 0
    for piece in part.template.parts:
        if isinstance(piece, str):
            length = (len(piece), len(piece.encode()))
        elif piece.width is not None:
            length = (piece.width, piece.width)
        else:
            length = longest(kind, piece.field) or (0, 0)
        characters, size = characters + length[0], size + length[1]
    return characters, size
