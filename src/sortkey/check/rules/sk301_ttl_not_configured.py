"""SK301 ttl-not-configured: a record has a time to live, and its table does not know of it."""

from collections.abc import Iterator

from sortkey.check.lifetimes import is_expiry, is_short_lived, is_time_to_live
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import ERROR, INFORMATION, Fault, rule
from sortkey.design.findings import Finding


@rule("SK301", "ttl-not-configured", ERROR)
def ttl_not_configured(model: Model) -> Iterator[Fault | Finding]:
    """A record has a time to live, and its table does not know of it.

    A table has one TTL attribute. What is stored under another name never expires: nothing is
    removed, and the data that was to be gone is there for good. It is an error for a field of type
    `TTL`, and for information where only its name says that a record expires by it. In a table
    without TTL, that is a time such as `expires_at` of a session, a token or the like. Text such
    as "2027-01-31" does not expire either: TTL reads a number of seconds. What an index finds
    by that time is left out, since a program can delete it.

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
        # Beside the attribute by which records expire, another is data.
        if ttl in kind.stored_names.values():
            continue
        for name, stored in kind.stored_names.items():
            if name == kind.expires_field:
                continue
            is_number = kind.codec.fields[name].present.kinds == frozenset({"N"})
            is_meant = kind.table.raw if ttl is not None else _is_short(kind, name)
            if is_time_to_live(stored) or (is_meant and is_expiry(kind, name)):
                yield Fault(
                    kind,
                    f'it is stored as "{stored}", and {kind.table} has {_said(ttl)}, so nothing '
                    "expires by it",
                    f'Add `ttl="{stored}"` to `{kind.table}`, or rename the field'
                    if is_number
                    else _beside(kind),
                    at=name,
                    severity=INFORMATION,
                )


def _is_short(kind: AnyKind, name: str) -> bool:
    """Whether a field is the end of short-lived records, and no key finds them by it."""
    is_time = kind.codec.fields[name].present.kinds <= frozenset({"N", "S"})
    found = {field for key in kind.keys.values() for field in key.all_fields}
    return is_time and name not in found and is_short_lived(kind)


def _beside(kind: AnyKind) -> str:
    """Say what to store beside a time that is no number."""
    ttl = kind.table.settings.ttl
    if ttl is not None:
        return (
            f"Write a field of type `TTL` as `{ttl}` too, which holds the time in seconds; or "
            "rename the field"
        )
    return (
        'Store the time in seconds as well, in a field `ttl: TTL`, and add `ttl="ttl"` to '
        f"`{kind.table}`"
    )


def _said(ttl: str | None) -> str:
    return "no TTL attribute" if ttl is None else f'the TTL attribute "{ttl}"'
