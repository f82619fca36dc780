"""SK301 ttl-not-configured: a record has a time to live, and its table does not know of it."""

from collections.abc import Iterator

from sortkey.check.fields import words
from sortkey.check.model import Model
from sortkey.check.rule import ERROR, INFORMATION, Fault, rule
from sortkey.design.findings import Finding

# What an entity is called whose records are of no use once they have expired.
_SHORT_LIVED = frozenset(
    {"cache", "challenge", "code", "invitation", "invite", "lease", "link", "lock", "nonce", "otp"}
    | {"session", "token"}
)
_USUAL = frozenset({"ttl", "TTL", "timeToLive", "time_to_live"})


@rule("SK301", "ttl-not-configured", ERROR)
def ttl_not_configured(model: Model) -> Iterator[Fault | Finding]:
    """A record has a time to live, and its table does not know of it.

    A table has one TTL attribute. What is stored under another name never expires: nothing is
    removed, and the data that was to be gone is there for good. It is an error for a field of type
    `TTL`, and for information where only its name says that a record expires by it. In a table
    without TTL, that is a number such as `expires_at` of a session, a token or the like.

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
            is_short = is_number and not _SHORT_LIVED.isdisjoint(words(kind.model.__name__))
            is_meant = kind.table.raw if ttl is not None else is_short
            if stored in _USUAL or (is_meant and _is_expiry(name)):
                yield Fault(
                    kind,
                    f'it is stored as "{stored}", and {kind.table} has {_said(ttl)}, so nothing '
                    "expires by it",
                    f'Add `ttl="{stored}"` to `{kind.table}`, or rename the field'
                    if is_number
                    else f"Write a field of type `TTL` as `{ttl or stored}` too, which holds the "
                    "time in seconds; or rename the field",
                    at=name,
                    severity=INFORMATION,
                )


def _is_expiry(name: str) -> bool:
    return words(name)[0] in {"expire", "expires", "expiry", "expiration"}


def _said(ttl: str | None) -> str:
    return "no TTL attribute" if ttl is None else f'the TTL attribute "{ttl}"'
