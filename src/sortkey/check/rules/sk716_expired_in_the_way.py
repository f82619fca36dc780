"""SK716 expired-in-the-way: a condition takes an expired record for one that is there."""

from collections.abc import Iterator

from sortkey.check.changes import counts
from sortkey.check.conditions import accepts_absence
from sortkey.check.fields import own_ids, words
from sortkey.check.lifetimes import is_expiry
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.reserved import alias_of

# What a record is called whose key is used again once it has expired.
_REUSED = frozenset(
    {"code", "dedup", "idempotency", "lease", "lock", "marker", "nonce", "once", "otp"}
    | {"processed"}
)
# What stays locked for good where its table has no TTL.
_LOCKS = frozenset({"lease", "lock", "mutex", "semaphore"})


@rule("SK716", "expired-in-the-way", INFORMATION)
def expired_in_the_way(model: Model) -> Iterator[Fault]:
    """A condition takes an expired record for one that is there.

    DynamoDB removes an expired record within days, not at once. Until then
    `attribute_not_exists` fails: a lock that has run out still keeps others away, and a code that
    is no longer valid cannot be sent again. In a table without TTL, a lock stays until somebody
    deletes it. It matters where a key is used again, so records with an id of their own are left
    out.

    Where the same transaction takes something, such as a unit of a stock, the expired record says
    what is still to be given back. A put that replaces it would lose that.

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
        condition = request.step.condition
        if condition is None or not accepts_absence(condition, request.table.key_names):
            continue
        for kind in request.kinds:
            expiry = _expiry(kind)
            if expiry is None or expiry in condition_names(condition):
                continue
            ttl = request.table.settings.ttl
            stays = "DynamoDB has not removed it yet" if ttl else "nothing removes it"
            yield Fault(
                request.pattern,
                f"where the {kind.name} has expired and {stays}, its condition fails",
                f"Release what the expired {kind.name} holds and delete it, in one transaction, "
                "before the next one is put"
                if _takes(model, request)
                else f"Add OR {alias_of(expiry)} < :now to the condition",
                at=request.place("condition"),
            )


def _expiry(kind: AnyKind) -> str | None:
    """The attribute that says when a record expires whose key is used again; None where none."""
    ttl = kind.table.settings.ttl
    named = {*words(kind.model.__name__)}
    if ttl is not None:
        is_reused = bool(named & _REUSED) or not own_ids(kind) & kind.key_fields
        return ttl if is_reused and ttl in kind.stored_names.values() else None
    stored = [stored for name, stored in kind.stored_names.items() if is_expiry(kind, name)]
    return stored[0] if stored and named & _LOCKS else None


def _takes(model: Model, request: Request) -> bool:
    """Whether the same transaction changes a number of another record."""
    together = [
        other.step.update
        for asked in model.asked
        for path in asked.transactions
        if request in path.requests
        for other in path.requests
    ]
    return any(map(counts, (a for update in together if update for a in update.actions)))
