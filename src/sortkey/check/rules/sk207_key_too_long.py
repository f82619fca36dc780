"""SK207 key-too-long: a key can become longer than DynamoDB takes."""

from collections.abc import Iterator

from sortkey.check.fields import longest
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import ERROR, WARNING, Fault, rule
from sortkey.design.keys import EntityKey, KeyPart
from sortkey.wire.limits import PARTITION_KEY_BYTES, SORT_KEY_BYTES


@rule("SK207", "key-too-long", ERROR)
def key_too_long(model: Model) -> Iterator[Fault]:
    """A key can become longer than DynamoDB takes.

    A partition key has at most 2,048 bytes and a sort key 1,024. Fields whose longest texts do not
    fit are refused for the users who use them to the full. A character has up to four bytes: where
    only such texts are too long it is a warning.

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
) -> Iterator[Fault]:
    for part in parts:
        characters, size = _length(kind, part)
        if part.attribute.type == "S" and size > most:
            yield Fault(
                key,
                f"{', '.join(part.fields)} can make {part.attribute.name} {size:,} bytes long, "
                f"and DynamoDB takes {most:,}",
                "Shorten what the fields allow, or put a digest into the key",
                severity=ERROR if characters > most else WARNING,
            )


def _length(kind: AnyKind, part: KeyPart) -> tuple[int, int]:
    """The most characters and bytes of an attribute, as far as its fields say."""
    characters = size = 0
    for piece in part.template.parts:
        if isinstance(piece, str):
            said = (len(piece), len(piece.encode()))
        elif piece.width is not None:
            said = (piece.width, piece.width)
        else:
            said = longest(kind, piece.field) or (0, 0)
        characters, size = characters + said[0], size + said[1]
    return characters, size
