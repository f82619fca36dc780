"""SK820 kept-for-ever: records that lose their use never expire."""

import re
from collections.abc import Iterator

from sortkey.check.fields import looks_like_time, names_a_span, words
from sortkey.check.growth import names_an_event
from sortkey.check.lifetimes import is_expiry, is_swept
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, Fault, rule

_PASSING = re.compile(
    r"\b(?:click|heartbeat|impression|lease|log|metric|nonce|notification|otp|ping|presence|"
    r"reading|telemetry|trace|(?:idempotency|processed) \w+|rate limit|magic link|"
    r"(?:login|user|web) session|(?:access|refresh|reset|verification) (?:code|token))s?$"
)
# What loses its use though nobody deletes it, such as the session of a user who does not log out.
_LEFT = re.compile(
    r"\b(?:cache|nonce|otp|(?:cache|cached) \w+|rate limit(?: \w+)?|magic link|"
    r"(?:login|user|web) session|"
    r"(?:access|invite|login|magic|one time|otp|refresh|reset|session|verification) (?:code|token))"
    r"s?$"
)
_TRACED = re.compile(r"\b(?:ip|ip addr(?:ess)?|user agent)(?: (?:hash|hashed))?$")
# What has to be kept for the books, with all that was seen at the time.
_BOOKED = frozenset({"charge", "consent", "invoice", "order", "payment", "sale", "transaction"})
_CODES = re.compile(r"\b(?:(?:login|one time|otp|reset|verification) (?:code|token)|otp)\b")
# What says how long a code is valid.
_LIMITED = frozenset(
    {"expire", "expires", "expiry", "expiration", "issued", "requested", "sent", "ttl", "until"}
)
_SPANS = frozenset({"bucket", "frame", "window"})


@rule("SK820", "kept-for-ever", INFORMATION)
def kept_for_ever(model: Model) -> Iterator[Fault]:
    """Records that lose their use never expire.

    Logs, readings, tokens, and whatever lies in a partition of a day or a week, grow in number with
    time, and their storage is paid for each month. A field of type TTL has DynamoDB remove them
    free of charge. It is for information, since only names say that the records lose their use:
    what has to be kept is right as it is. An entity that is immutable, or that some pattern
    deletes, is not reported, except sessions, tokens, caches and the like: a user who does not log
    out leaves a session behind. Patterns that find what is older than some time and delete it are
    enough. What happened at a time and has the IP address or the user agent of a person is
    reported as well. A code for one use that is a field, such as `verification_code`, is reported
    where no field says how long it is valid.

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
            yield Fault(
                kind,
                "nothing says how long it is valid, so a code that was not used still passes",
                "Store beside it when it expires, and compare that where it is checked",
                at=name,
            )
        if why is None or is_kept or _is_deleted(model, kind):
            continue
        by_hand = any(r.verb == "DeleteItem" for r in model.requests_of(kind))
        yield Fault(
            kind,
            f"{why}, and nothing removes {kind.name} records that have lost their use"
            + (" unless a caller deletes them" if by_hand else ""),
            "Give it a field of type `TTL`, or acknowledge it if all of them are needed",
        )


def _is_deleted(model: Model, kind: AnyKind) -> bool:
    """Whether patterns delete all records that have lost their use, as far as one can see."""
    if not any(r.verb == "DeleteItem" for r in model.requests_of(kind)):
        return False
    # Where a field says when they expire, SK301 judges it.
    is_judged = any(is_expiry(kind, name) for name in kind.stored_names)
    return is_judged or is_swept(model, kind) or not (_is_left(kind) or _traces(kind))


def _is_left(kind: AnyKind) -> bool:
    return _LEFT.search(" ".join(words(kind.model.__name__))) is not None


def _traces(kind: AnyKind) -> list[str]:
    """The fields that tell where a person was, of what happened at a time."""
    named = {*words(kind.model.__name__)}
    keyed = {name for key in kind.keys.values() for name in key.all_fields}
    is_past = names_an_event(kind) or any(map(looks_like_time, keyed))
    if not is_past or named & _BOOKED:
        return []
    return [name for name in kind.stored_names if _TRACED.search(" ".join(words(name)))]


def _why(kind: AnyKind) -> str | None:
    """Say why records lose their use with time; None where nothing says so."""
    if _PASSING.search(" ".join(words(kind.model.__name__))) or _is_left(kind):
        return "more are added without end, by its name"
    traces = _traces(kind)
    if traces:
        return f"it keeps {' and '.join(traces)}, personal data by the name"
    if words(kind.table.title)[-1:] in (["log"], ["logs"]):
        return "its table is a log, by its name"
    for part in kind.primary.partition:
        for name in part.fields:
            is_span = names_a_span(name) or not _SPANS.isdisjoint(words(name)[-1:])
            if is_span:
                return f'"{name}" begins new partitions with time'
    return None


def _endless_codes(kind: AnyKind) -> Iterator[str]:
    """Yield the fields that hold a code for one use, where none says how long it is valid."""
    if not any(_LIMITED & {*words(name)} for name in kind.stored_names):
        names = kind.stored_names.keys() - kind.key_fields
        yield from sorted(name for name in names if _CODES.search(" ".join(words(name))))
