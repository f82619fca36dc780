"""SK301 ttl-not-configured: a table is not configured to use a time to live."""

from collections.abc import Iterator

from sortkey.check.lifetimes import is_expiry, is_short_lived, is_time_to_live
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import ERROR, INFORMATION, Finding, rule


@rule("SK301", "ttl-not-configured", ERROR)
def ttl_not_configured(model: Model) -> Iterator[Finding]:
    """A record has a time to live, but its table is not configured to use it.

    A table has one TTL attribute. Records with a time to live in another attribute never expire:
    the data that should be gone stays forever. It is an error for a field of type `TTL`, and
    information if only the field's name suggests an expiry time. In a table without TTL, that is a
    time such as `expires_at` of a session, a token or a similar record. Text such as "2027-01-31"
    does not expire either: TTL needs a number of seconds. A time by which an index finds the
    records is not reported, since a program can delete them.

    Flagged:
        class Sessions(Table, ttl="ttl"):
            pass

        class Session(Entity, table=Sessions):
            session_id: str
            expires_at: TTL
            primary = Sessions.primary.key("SESSION#{session_id}", "SESSION")

    Instead:
        class Sessions(Table, ttl="expires_at"):
            pass

        class Session(Entity, table=Sessions):
            session_id: str
            expires_at: TTL
            primary = Sessions.primary.key("SESSION#{session_id}", "SESSION")
    """
    yield from model.collected("SK301")
    for kind in model.kinds:
        ttl = kind.table.settings.ttl
        # If the entity has the TTL attribute, other times are data.
        if ttl in kind.stored_names.values():
            continue
        for name, stored in kind.stored_names.items():
            if name == kind.expires_field:
                continue
            is_number = kind.codec.fields[name].present.kinds == frozenset({"N"})
            is_meant = kind.table.raw if ttl is not None else _is_short(kind, name)
            if is_time_to_live(stored) or (is_meant and is_expiry(kind, name)):
                yield Finding(
                    kind,
                    f'it is stored as "{stored}", but {kind.table} has {_attribute_text(ttl)}, so '
                    "records do not expire by it",
                    f'Add `ttl="{stored}"` to `{kind.table}`, or rename the field'
                    if is_number
                    else _beside(kind),
                    at=name,
                    severity=INFORMATION,
                )


def _is_short(kind: AnyKind, name: str) -> bool:
    """Return whether a field is the expiry time of short-lived records that no key finds by it."""
    is_time = kind.codec.fields[name].present.kinds <= frozenset({"N", "S"})
    found = {field for key in kind.keys.values() for field in key.all_fields}
    return is_time and name not in found and is_short_lived(kind)


def _beside(kind: AnyKind) -> str:
    """Return the fix for a time that is not a number."""
    ttl = kind.table.settings.ttl
    if ttl is not None:
        return (
            f"Also write a field of type `TTL` as `{ttl}`, with the time in seconds; or rename the "
            "field"
        )
    return (
        'Store the time in seconds as well, in a field `ttl: TTL`, and add `ttl="ttl"` to '
        f"`{kind.table}`"
    )


def _attribute_text(ttl: str | None) -> str:
    return "no TTL attribute" if ttl is None else f'the TTL attribute "{ttl}"'
