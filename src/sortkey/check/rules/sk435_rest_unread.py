"""SK435 rest-unread: a request has a limit, and the records after it are never read."""

from collections.abc import Iterator

from sortkey.check.fields import is_natural_name
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.design.plans.sources import Constant


@rule("SK435", "rest-unread", WARNING)
def rest_unread(model: Model) -> Iterator[Finding]:
    """A request has a limit, and the records after it are never read.

    `where=` specifies all records that match, but `limit=` returns at most that many. With one more
    record the result is incomplete, and nothing fails. `page=` declares that the caller reads on,
    and `first=` with `order=` that only the first records are wanted. A limit above the expected
    number of records in a partition and a request for one record by its whole key are not reported.
    A limit of 1 is information.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Note(Entity, table=Old):
            user_id: str
            note_id: str
            primary = Old.primary.key("USER#{user_id}", "NOTE#{note_id}")

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            entity=Note,
            key_condition="PK = :pk AND begins_with(SK, :note)",
            values={":pk": "USER#{user_id}", ":note": "NOTE#"},
            limit=50,
            arguments={"user_id": str},
            where=lambda n, user_id: n.user_id == user_id,
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Note(Entity, table=Old):
            user_id: str
            note_id: str
            primary = Old.primary.key("USER#{user_id}", "NOTE#{note_id}")

        notes = raw_pattern(
            "The first notes of a user",
            table=Old,
            operation="Query",
            entity=Note,
            key_condition="PK = :pk AND begins_with(SK, :note)",
            values={":pk": "USER#{user_id}", ":note": "NOTE#"},
            limit=50,
            arguments={"user_id": str},
            where=lambda n, user_id: n.user_id == user_id,
            order=lambda n: n.note_id,
            first=50,
        )
    """
    for request in model.raw_requests:
        pattern, limit = request.pattern, request.step.limit
        if pattern.where is None or pattern.page is not None or pattern.first is not None:
            continue
        match limit:
            case Constant(int() as most) if request.verb in {"Query", "Scan"}:
                pass
            case _:
                continue
        # A limit of 1 is meant for one record; if it is found by a name, SK426 judges it.
        is_one = most == 1
        if is_one and any(_is_by_name(request, kind) for kind in request.kinds):
            continue
        if not all(_is_enough(request, kind, most) for kind in request.kinds):
            yield Finding(
                pattern,
                f"`where=` specifies all records that match, but it returns at most {most}: the "
                "records after them are never read",
                "Use `page=` if the caller reads on, or `first=` with `order=` if only the "
                "first ones are wanted",
                at="limit",
                severity=INFORMATION if is_one else None,
            )


def _is_by_name(request: PlannedRequest, kind: AnyKind) -> bool:
    key = request.key_of(kind)
    return key is not None and any(map(is_natural_name, key.all_fields))


def _is_enough(request: PlannedRequest, kind: AnyKind, most: int) -> bool:
    """Whether an entity never has more records than a limit, as far as declared."""
    expected = request.expected_of(kind)
    held = expected.count if request.verb == "Scan" else expected.per_partition or expected.count
    key = request.key_of(kind)
    is_whole = (
        key is not None
        and key is kind.primary
        and all(
            request.step.key[part.attribute.name].op == "="
            if part.attribute.name in request.step.key
            else not part.fields
            for part in key.parts
        )
    )
    return is_whole or (held is not None and held <= most)
