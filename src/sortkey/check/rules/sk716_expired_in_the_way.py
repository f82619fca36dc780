"""SK716 expired-in-the-way: a condition treats an expired record as an existing one."""

from collections.abc import Iterator

from sortkey.check.changes import counts
from sortkey.check.conditions import accepts_absence
from sortkey.check.fields import own_ids
from sortkey.check.lifetimes import is_expiry
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.reserved import alias_of
from sortkey.wording.names import words

# Words in the names of records whose keys are used again after they expire.
_REUSED = frozenset(
    {"code", "dedup", "idempotency", "lease", "lock", "marker", "nonce", "once", "otp"}
    | {"processed"}
)
# Words in the names of records that block forever without TTL.
_LOCKS = frozenset({"lease", "lock", "mutex", "semaphore"})


@rule("SK716", "expired-in-the-way", INFORMATION)
def expired_in_the_way(model: Model) -> Iterator[Finding]:
    """A condition treats an expired record as an existing one.

    DynamoDB removes an expired record within days, not at once. Until then `attribute_not_exists`
    fails: an expired lock still blocks others, and a code that is no longer valid cannot be sent
    again. In a table without TTL, a lock stays until a program deletes it. It matters if a key is
    used again, so records with their own id are not reported.

    If the same transaction takes something, such as a unit of a stock, the expired record shows
    what has to be returned. A put that replaces it would lose that.

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
            yield Finding(
                request.pattern,
                f"if the {kind.name} has expired and {stays}, its condition fails",
                f"Release the resource of the expired {kind.name} and delete it, in one "
                "transaction, before the next one is put"
                if _takes(model, request)
                else f"Add OR {alias_of(expiry)} < :now to the condition",
                at=request.place("condition"),
            )


def _expiry(kind: AnyKind) -> str | None:
    """Return the expiry attribute of records whose keys are used again, if any."""
    ttl = kind.table.settings.ttl
    named = {*words(kind.model.__name__)}
    if ttl is not None:
        is_reused = bool(named & _REUSED) or not own_ids(kind) & kind.key_fields
        return ttl if is_reused and ttl in kind.stored_names.values() else None
    stored = [stored for name, stored in kind.stored_names.items() if is_expiry(kind, name)]
    return stored[0] if stored and named & _LOCKS else None


def _takes(model: Model, request: PlannedRequest) -> bool:
    """Whether the same transaction changes a number of another record."""
    together = [
        other.step.update
        for planned in model.patterns
        for path in planned.transactions
        if request in path.requests
        for other in path.requests
    ]
    return any(map(counts, (a for update in together if update for a in update.actions)))
