"""SK435 rest-unread: a request has a limit, and nothing reads the records after it."""

from collections.abc import Iterator

from sortkey.check.fields import is_natural_name
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule
from sortkey.design.sources import Constant


@rule("SK435", "rest-unread", WARNING)
def rest_unread(model: Model) -> Iterator[Fault]:
    """A request has a limit, and nothing reads the records after it.

    `where=` says that all records that match are meant, and `limit=` returns no more than so many.
    With one more record the result is wrong, and nothing fails. `page=` says that the caller reads
    on, and `first=` with `order=` that only the first records are meant. A limit that the expected
    records of a partition do not reach, and a request for one record by its whole key, are not
    reported. A limit of 1 is for information.

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
        # A limit of 1 is meant for one record; where a name should find it, SK426 judges it.
        is_one = most == 1
        if is_one and any(_is_by_name(request, kind) for kind in request.kinds):
            continue
        if not all(_is_enough(request, kind, most) for kind in request.kinds):
            yield Fault(
                pattern,
                f"`where=` means all that match, and it returns at most {most}: nothing reads the "
                "records after them",
                "Say `page=` if the caller reads on, or `first=` with `order=` if only the first "
                "ones are meant",
                at="limit",
                severity=INFORMATION if is_one else None,
            )


def _is_by_name(request: Request, kind: AnyKind) -> bool:
    key = request.key_of(kind)
    return key is not None and any(map(is_natural_name, key.all_fields))


def _is_enough(request: Request, kind: AnyKind, most: int) -> bool:
    """Whether an entity never has more records than a limit, as far as is declared."""
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
