"""SK716 expired-in-the-way: a condition takes an expired record for one that is there."""

from collections.abc import Iterator

from sortkey.check.conditions import accepts_absence
from sortkey.check.fields import own_ids, words
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.expressions.evaluate import condition_names

# What a record is called whose key is used again once it has expired.
_REUSED = frozenset(
    {"claim", "code", "dedup", "hold", "idempotency", "lease", "lock", "marker", "nonce"}
    | {"once", "otp", "processed", "reservation"}
)


@rule("SK716", "expired-in-the-way", INFORMATION)
def expired_in_the_way(model: Model) -> Iterator[Fault]:
    """A condition takes an expired record for one that is there.

    DynamoDB removes an expired record within days, not at once. Until then
    `attribute_not_exists` fails: a lock that has run out still keeps others away, and a code that
    is no longer valid cannot be sent again. It matters where a key is used again, so records with
    an id of their own are left out.

    Flagged:
        class Old(Table, raw=True, ttl="ttl"):
            pass

        class Lock(Entity, table=Old):
            name: str
            ttl: int
            primary = Old.primary.key("LOCK#{name}", "LOCK")

        take = raw_pattern(
            "Take a lock",
            table=Old,
            operation="PutItem",
            entity=Lock,
            item={"PK": "LOCK#{name}", "SK": "LOCK", "name": "{name}", "ttl": "{until}"},
            condition="attribute_not_exists(PK)",
            arguments={"name": str, "until": int},
        )

    Instead:
        class Old(Table, raw=True, ttl="ttl"):
            pass

        class Lock(Entity, table=Old):
            name: str
            ttl: int
            primary = Old.primary.key("LOCK#{name}", "LOCK")

        take = raw_pattern(
            "Take a lock",
            table=Old,
            operation="PutItem",
            entity=Lock,
            item={"PK": "LOCK#{name}", "SK": "LOCK", "name": "{name}", "ttl": "{until}"},
            condition="attribute_not_exists(PK) OR #ttl < :now",
            names={"#ttl": "ttl"},
            values={":now": "{now}"},
            arguments={"name": str, "until": int, "now": int},
        )
    """
    for request in model.raw_requests:
        ttl, condition = request.table.settings.ttl, request.step.condition
        if ttl is None or condition is None or ttl in condition_names(condition):
            continue
        if not accepts_absence(condition, request.table.key_names):
            continue
        for kind in [k for k in request.kinds if ttl in k.stored_names.values() and _is_reused(k)]:
            yield Fault(
                request.pattern,
                f"where the {kind.name} has expired and DynamoDB has not removed it yet, its "
                "condition fails",
                f"Add OR {ttl} < :now to the condition",
                at=request.place("condition"),
            )


def _is_reused(kind: AnyKind) -> bool:
    return bool({*words(kind.model.__name__)} & _REUSED) or not own_ids(kind) & kind.key_fields
