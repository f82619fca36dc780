"""SK820 kept-for-ever: records that become useless never expire."""

import re
from collections.abc import Iterator

from sortkey.check.fields import looks_like_time, names_a_span
from sortkey.check.growth import names_an_event
from sortkey.check.lifetimes import is_expiry, is_swept
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.wording.names import words

_PASSING = re.compile(
    r"\b(?:click|heartbeat|impression|lease|log|metric|nonce|notification|otp|ping|presence|"
    r"reading|telemetry|trace|(?:idempotency|processed) \w+|rate limit|magic link|"
    r"(?:login|user|web) session|(?:access|refresh|reset|verification) (?:code|token))s?$"
)
# Records that stay although a pattern deletes them, such as sessions without a logout.
_LEFT = re.compile(
    r"\b(?:cache|nonce|otp|(?:cache|cached) \w+|rate limit(?: \w+)?|magic link|"
    r"(?:login|user|web) session|"
    r"(?:access|invite|login|magic|one time|otp|refresh|reset|session|verification) (?:code|token))"
    r"s?$"
)
_TRACED = re.compile(r"\b(?:ip|ip addr(?:ess)?|user agent)(?: (?:hash|hashed))?$")
# Records that accounting has to keep unchanged.
_BOOKED = frozenset({"charge", "consent", "invoice", "order", "payment", "sale", "transaction"})
_CODES = re.compile(r"\b(?:(?:login|one time|otp|reset|verification) (?:code|token)|otp)\b")
# Words for how long a code is valid.
_LIMITED = frozenset(
    {"expire", "expires", "expiry", "expiration", "issued", "requested", "sent", "ttl", "until"}
)
_SPANS = frozenset({"bucket", "frame", "window"})


@rule("SK820", "kept-for-ever", INFORMATION)
def kept_for_ever(model: Model) -> Iterator[Finding]:
    """Records that become useless never expire.

    Logs, readings, tokens and the records in a partition for a day or a week become more and more,
    and their storage is paid for each month. With a field of type TTL, DynamoDB removes them free
    of charge. Severity is information, because only names suggest that the records become useless;
    if they have to be kept, the design is right.

    An entity that is immutable, or that some pattern deletes, is not reported, except sessions,
    tokens, caches and similar records: a user who does not log out leaves a session behind.
    Patterns that find records older than some time and delete them are enough. Records of an event
    with the IP address or the user agent of a person are reported too. So is a one-time code in a
    field, such as `verification_code`, if no field limits how long it is valid.

    Flagged:
        class Board(Entity, table=App):
            game_id: str
            week: str
            user_id: str
            score: int
            primary = App.primary.key("BOARD#{game_id}#{week}", "USER#{user_id}")

    Instead:
        class Boards(Table, ttl="expires"):
            pass

        class Board(Entity, table=Boards):
            game_id: str
            week: str
            user_id: str
            score: int
            expires: TTL
            primary = Boards.primary.key("BOARD#{game_id}#{week}", "USER#{user_id}")
    """
    for kind in model.kinds:
        why = _why(kind)
        is_kept = kind.immutable or kind.table.settings.ttl in kind.stored_names.values()
        for name in () if why or is_kept else _endless_codes(kind):
            yield Finding(
                kind,
                "nothing limits how long it is valid, so an old unused code is still accepted",
                "Store its expiry time with it, and compare that when it is checked",
                at=name,
            )
        if why is None or is_kept or kind in model.obscure or _is_deleted(model, kind):
            continue
        by_hand = any(r.deletes_a_record for r in model.requests_of(kind))
        yield Finding(
            kind,
            f"{why}, but nothing removes {kind.name} records that are no longer needed"
            + (" unless a caller deletes them" if by_hand else ""),
            "Give it a field of type `TTL`, or acknowledge it if all of them are needed",
        )


def _is_deleted(model: Model, kind: AnyKind) -> bool:
    """Whether patterns seem to delete all records that are no longer needed."""
    if not any(r.deletes_a_record for r in model.requests_of(kind)):
        return False
    # If a field is an expiry time, SK301 judges it.
    is_judged = any(is_expiry(kind, name) for name in kind.stored_names)
    return is_judged or is_swept(model, kind) or not (_is_left(kind) or _traces(kind))


def _is_left(kind: AnyKind) -> bool:
    return _LEFT.search(" ".join(words(kind.model.__name__))) is not None


def _traces(kind: AnyKind) -> list[str]:
    """Return the fields of an event that identify where a person was."""
    named = {*words(kind.model.__name__)}
    keyed = {name for key in kind.keys.values() for name in key.all_fields}
    is_past = names_an_event(kind) or any(map(looks_like_time, keyed))
    if not is_past or named & _BOOKED:
        return []
    return [name for name in kind.stored_names if _TRACED.search(" ".join(words(name)))]


def _why(kind: AnyKind) -> str | None:
    """Return why records become useless with time; None if nothing suggests it."""
    if _PASSING.search(" ".join(words(kind.model.__name__))) or _is_left(kind):
        return "judging by its name, records are added without end"
    traces = _traces(kind)
    if traces:
        return f"it stores {' and '.join(traces)}, which looks like personal data"
    if words(kind.table.title)[-1:] in (["log"], ["logs"]):
        return "judging by its name, its table is a log"
    for part in kind.primary.partition:
        for name in part.fields:
            is_span = names_a_span(name) or not _SPANS.isdisjoint(words(name)[-1:])
            if is_span:
                return f'"{name}" creates new partitions over time'
    return None


def _endless_codes(kind: AnyKind) -> Iterator[str]:
    """Yield the fields with a one-time code, if no field limits how long it is valid."""
    if not any(_LIMITED & {*words(name)} for name in kind.stored_names):
        names = kind.stored_names.keys() - kind.key_fields
        yield from sorted(name for name in names if _CODES.search(" ".join(words(name))))
