"""SK805 item-too-large: records are expected to be larger than DynamoDB takes."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.wire.limits import ITEM_BYTES, KB


@rule("SK805", "item-too-large", ERROR)
def item_too_large(model: Model) -> Iterator[Fault]:
    """Records are expected to be larger than DynamoDB takes.

    An item has at most 400 KB, names and values together. What is larger is kept elsewhere, such as
    in S3, with its place in the record, or divided into several records.

    Flagged:
        class Photo(Entity, table=App, expected=Expected(size_bytes=2_000_000)):
            photo_id: str
            content: bytes
            primary = App.primary.key("PHOTO#{photo_id}", "PHOTO")

    Instead:
        class Photo(Entity, table=App, expected=Expected(size_bytes=300)):
            photo_id: str
            stored_at: str
            primary = App.primary.key("PHOTO#{photo_id}", "PHOTO")
    """
    for kind in model.kinds:
        size = kind.expected and kind.expected.size_bytes
        if size is not None and size > ITEM_BYTES:
            yield Fault(
                kind,
                f"one has about {size // KB:,} KB, and DynamoDB takes {ITEM_BYTES // KB}",
                "Store large values elsewhere, or divide it into several records",
            )
