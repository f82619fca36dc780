"""SK305 expired-read: a read returns expired records."""

from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.reserved import is_reserved

# A filter is applied after the limit, so it leaves fewer records, or none.
_LIMITED = (
    "Skip expired records in the program and read on until there are enough, since `limit` applies "
    'before a filter; then acknowledge it with `ignore={"SK305": "..."}`'
)


@rule("SK305", "expired-read", WARNING)
def expired_read(model: Model) -> Iterator[Finding]:
    """A read returns expired records.

    DynamoDB removes an expired record within days, not at once, and returns it until then. A raw
    query has to filter out expired records; `{now()}` is the time at which the request is sent.
    With `limit`, a filter is not enough: if the newest record has expired, `limit=1` returns
    nothing. sortkey's own reads omit expired records. A GetItem has no filter, so its caller has to
    compare the time: this is reported as information.

    Flagged:
        class Sessions(Table, raw=True, ttl="ttl"):
            pass

        class Session(Entity, table=Sessions):
            user_id: str
            session_id: str
            ttl: TTL
            primary = Sessions.primary.key("USER#{user_id}", "SESSION#{session_id}")

        sessions = raw_pattern(
            "Sessions of a user",
            table=Sessions,
            operation="Query",
            entity=Session,
            key_condition="PK = :pk",
            values={":pk": "USER#{user_id}"},
            arguments={"user_id": str},
            where=lambda s, user_id: s.user_id == user_id,
        )

    Instead:
        class Sessions(Table, raw=True, ttl="ttl"):
            pass

        class Session(Entity, table=Sessions):
            user_id: str
            session_id: str
            ttl: TTL
            primary = Sessions.primary.key("USER#{user_id}", "SESSION#{session_id}")

        sessions = raw_pattern(
            "Sessions of a user",
            table=Sessions,
            operation="Query",
            entity=Session,
            key_condition="PK = :pk",
            filter="#ttl > :now",
            names={"#ttl": "ttl"},
            values={":pk": "USER#{user_id}", ":now": "{now()}"},
            arguments={"user_id": str},
            where=lambda s, user_id: s.user_id == user_id,
        )
    """
    for request in model.raw_requests:
        ttl = request.table.settings.ttl
        if ttl is None or request.verb not in {"GetItem", "Query", "Scan"}:
            continue
        expiring = [kind for kind in request.kinds if ttl in kind.stored_names.values()]
        filtered = () if request.step.filter is None else condition_names(request.step.filter)
        if expiring and request.verb == "GetItem":
            yield Finding(
                request.pattern,
                f"it returns expired {expiring[0].name} records until DynamoDB removes them",
                f"Compare {ttl} with the time in the program; then acknowledge it with "
                '`ignore={"SK305": "..."}`',
                severity=INFORMATION,
            )
        elif expiring and ttl not in filtered:
            yield Finding(
                request.pattern,
                f"it returns expired {expiring[0].name} records until DynamoDB removes them",
                _LIMITED if request.step.limit is not None else _filter(expiring[0], ttl),
            )


def _filter(kind: AnyKind, ttl: str) -> str:
    """Return the filter to add, which drops expired records."""
    alias = f"#{ttl}" if is_reserved(ttl) else ttl
    names = f', `names={{"{alias}": "{ttl}"}}`' if alias != ttl else ""
    field = next(field for field in kind.codec.fields.values() if field.stored == ttl)
    absent = f"attribute_not_exists({alias}) OR " if field.optional else ""
    # A field that is not a TTL cannot use {now()}: the caller has to pass the number.
    clock = '`values={":now": "{now()}"}`'
    if kind.expires is None:
        clock = '`values={":now": "{now}"}` and `arguments={"now": int}`'
    return f'Add `filter="{absent}{alias} > :now"`{names} and {clock}'
