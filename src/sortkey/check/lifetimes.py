"""The useful life of records, judging by names."""

from sortkey.check.conditions import anywhere
from sortkey.check.fields import looks_like_time
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.expressions.tree import Between, Compare, Path
from sortkey.wording.names import words

_EXPIRY = frozenset({"expire", "expires", "expiry", "expiration"})
_TTL = frozenset({"ttl", "timetolive"})
# What an entity is called whose records are of no use once they have expired.
_SHORT_LIVED = frozenset(
    {"cache", "challenge", "code", "invitation", "invite", "lease", "link", "lock", "nonce", "otp"}
    | {"session", "token", "verification"}
)
# A code that is spent like money stays in the books.
_OFFERED = frozenset({"coupon", "discount", "gift", "promo", "promotion", "referral", "voucher"})


def is_short_lived(kind: AnyKind) -> bool:
    """Whether an entity's name says that its records are of no use once they have expired."""
    named = {*words(kind.model.__name__)}
    return bool(named & _SHORT_LIVED) and not named & _OFFERED


def is_expiry(kind: AnyKind, name: str) -> bool:
    """Whether a field's name says when the record expires: ``expires_at``, ``session_expiry``."""
    named = words(name)
    own = {*words(kind.model.__name__)}
    while len(named) > 1 and named[0] in own:
        named = named[1:]
    # A price or a contract that is valid until some day is kept.
    is_valid_until = named[:2] == ["valid", "until"] and is_short_lived(kind)
    return named[0] in _EXPIRY or is_valid_until or is_time_to_live(name)


def is_time_to_live(name: str) -> bool:
    """Whether a name is one that DynamoDB's time to live usually has."""
    return "".join(words(name)) in _TTL


def is_swept(model: Model, kind: AnyKind) -> bool:
    """Whether patterns find the records that are older than a time, and delete them."""
    requests = list(model.requests_of(kind))
    return any(r.deletes_a_record for r in requests) and any(map(_finds_old, requests))


def _finds_old(request: PlannedRequest) -> bool:
    """Whether a read finds records by a time that lies before one that is given."""
    if request.reads and any(compared.op in {"<", "<="} for compared in request.sort_key):
        return True
    return any(
        looks_like_time(name) or not _EXPIRY.isdisjoint(words(name))
        for part in anywhere(request.step.filter)
        for name in _before(part)
    )


def _before(part: object) -> tuple[str, ...]:
    match part:
        case Compare("<" | "<=", Path() as path, _) | Between(Path() as path, _, _):
            return (path.name,)
        case Compare(">" | ">=", _, Path() as path):
            return (path.name,)
        case _:
            return ()
