"""SK701 unlocked-unique: a record with a unique value is written without a lock on the value."""

from collections.abc import Iterator

from sortkey.check.conditions import demands_absence
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK701", "unlocked-unique", ERROR)
def unlocked_unique(model: Model) -> Iterator[Finding]:
    """A record with a unique value is written without a lock on the value.

    In DynamoDB only a key is unique. Reading first does not help: two concurrent callers both find
    the value free. Put a lock record whose key is the value, on condition that it is absent, in the
    same transaction; it has to expire with its record. sortkey's own writes do all this.

    Flagged:
        class Old(Table, raw=True):
            pass

        class User(Entity, table=Old):
            user_id: str
            email: Annotated[str, unique]
            primary = Old.primary.key("USER#{user_id}", "PROFILE")

        add = raw_pattern(
            "Add a user",
            table=Old,
            operation="PutItem",
            entity=User,
            item={"PK": "USER#{user_id}", "SK": "PROFILE", "email": "{email}"},
            condition="attribute_not_exists(PK)",
            arguments={"user_id": str, "email": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class User(Entity, table=Old):
            user_id: str
            email: Annotated[str, unique]
            primary = Old.primary.key("USER#{user_id}", "PROFILE")

        absent = "attribute_not_exists(PK)"
        user = {"PK": "USER#{user_id}", "SK": "PROFILE", "email": "{email}"}
        lock = {"PK": "EMAIL#{email}", "SK": "LOCK", "owner": "{user_id}"}
        add = raw_pattern(
            "Add a user",
            operation="TransactWriteItems",
            actions=[
                RawRequest("Put", Old, item=user, condition=absent, entity=User),
                RawRequest("Put", Old, item=lock, condition=absent),
            ],
            arguments={"user_id": str, "email": str},
        )
    """
    for planned in model.patterns:
        for path in planned.paths:
            for request in path.requests:
                is_put = request.is_raw and request.verb == "PutItem"
                if not is_put or model.is_rejected(request):
                    continue
                for kind in request.kinds:
                    yield from _unlocked(kind, request, path.requests)


def _unlocked(
    kind: AnyKind, request: PlannedRequest, together: tuple[PlannedRequest, ...]
) -> Iterator[Finding]:
    locks = [other for other in together if other is not request and _is_lock(other)]
    for unique in kind.uniques:
        if request.shape != "transaction" or not locks:
            yield Finding(
                request.pattern,
                f"{kind.name}.{unique.field} is unique, but the same transaction does not put a "
                "lock on its value: two records may get the same value",
                f"Also put a record whose key is the `{unique.field}`, if absent, in a transaction",
            )
        elif kind.expires is not None and not any(kind.expires in _item(lock) for lock in locks):
            yield Finding(
                request.pattern,
                f"the lock on {kind.name}.{unique.field} does not expire with its record: the "
                "value can never be used again",
                f"Give the lock the same `{kind.expires}`",
            )


def _is_lock(request: PlannedRequest) -> bool:
    return request.verb == "PutItem" and demands_absence(
        request.step.condition, request.table.key_names, request.step.item
    )


def _item(request: PlannedRequest) -> dict[str, object]:
    return dict(request.step.item or {})
