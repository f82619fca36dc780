"""SK528 shorter-put: a put erases attributes that another put of the entity writes."""

from collections.abc import Iterator

from sortkey.check.changes import changes
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.raw_keys import judged
from sortkey.check.rule import INFORMATION, Finding, rule


@rule("SK528", "shorter-put", INFORMATION)
def shorter_put(model: Model) -> Iterator[Finding]:
    """A put erases attributes that another put of the entity writes.

    PutItem replaces the whole record. If one put writes an optional field, and another put that may
    change an existing record does not, the second one erases the field. UpdateItem keeps attributes
    that it does not name. Severity is information, because the field may be erased on purpose. A
    put that only creates, according to its condition or title, is not reported.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Photo(Entity, table=Old):
            photo_id: str
            title: str
            caption: str | None = None
            primary = Old.primary.key("PHOTO#{photo_id}", "PHOTO")

        add = raw_pattern(
            "Add a photo",
            table=Old,
            operation="PutItem",
            entity=Photo,
            item={
                "PK": "PHOTO#{photo_id}",
                "SK": "PHOTO",
                "title": "{title}",
                "caption": "{caption}",
            },
            condition="attribute_not_exists(PK)",
            arguments={"photo_id": str, "title": str, "caption": str},
        )
        rename = raw_pattern(
            "Rename a photo",
            table=Old,
            operation="PutItem",
            entity=Photo,
            item={"PK": "PHOTO#{photo_id}", "SK": "PHOTO", "title": "{title}"},
            condition="attribute_exists(PK)",
            arguments={"photo_id": str, "title": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Photo(Entity, table=Old):
            photo_id: str
            title: str
            caption: str | None = None
            primary = Old.primary.key("PHOTO#{photo_id}", "PHOTO")

        add = raw_pattern(
            "Add a photo",
            table=Old,
            operation="PutItem",
            entity=Photo,
            item={
                "PK": "PHOTO#{photo_id}",
                "SK": "PHOTO",
                "title": "{title}",
                "caption": "{caption}",
            },
            condition="attribute_not_exists(PK)",
            arguments={"photo_id": str, "title": str, "caption": str},
        )
        rename = raw_pattern(
            "Rename a photo",
            table=Old,
            operation="UpdateItem",
            entity=Photo,
            key={"PK": "PHOTO#{photo_id}", "SK": "PHOTO"},
            update="SET title = :title",
            condition="attribute_exists(PK)",
            values={":title": "{title}"},
            arguments={"photo_id": str, "title": str},
        )
    """
    puts = [r for r in judged(model) if r.verb == "PutItem" and len(r.kinds) == 1]
    for request in puts:
        kind = request.kinds[0]
        others = [other for other in puts if other.kinds[0] is kind and other is not request]
        for other in others if changes(request) else ():
            erased = sorted(_optional(kind, other) - (request.step.item or {}).keys())
            if erased:
                yield Finding(
                    request.pattern,
                    f"its put erases {', '.join(erased)} of an existing {kind.name}, which "
                    f"{other.pattern.name} writes",
                    "Use UpdateItem, which keeps attributes that it does not name, or write the "
                    "whole record",
                    at=request.place("item"),
                )
                break


def _optional(kind: AnyKind, request: PlannedRequest) -> set[str]:
    """Return the optional attributes that a put writes."""
    fields = {f.stored for f in kind.codec.fields.values() if not f.required}
    return fields & (request.step.item or {}).keys()
