"""SK805 item-too-large: records are expected to be larger than DynamoDB allows."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.wire.limits import ITEM_BYTES, KB


@rule("SK805", "item-too-large", ERROR)
def item_too_large(model: Model) -> Iterator[Finding]:
    """Records are expected to be larger than DynamoDB allows.

    An item is at most 400 KB, including attribute names. Store larger values elsewhere, such as in
    S3, with a reference in the record, or split them into several records.

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
            yield Finding(
                kind,
                f"a record has about {size // KB:,} KB, but DynamoDB allows {ITEM_BYTES // KB}",
                "Store large values elsewhere, or split it into several records",
            )
