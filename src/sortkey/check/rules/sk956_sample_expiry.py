"""SK956 sample-expiry: a sample item does not expire, or expires before its own times."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, INFORMATION, WARNING, Finding, Severity, rule
from sortkey.check.samples.matching import Matched
from sortkey.design.records.codecs.codec import NAMES
from sortkey.wire.values import kind_of
from sortkey.wording.names import words

# Seconds reach it in the year 5138; milliseconds did in 1973.
_MILLISECONDS = 100_000_000_000
# Before 2001: a duration rather than a time.
_DURATION = 1_000_000_000
_PAST = frozenset(
    {"begun", "bought", "made", "paid", "seen", "sent", "sold", "taken", "uploaded", "written"}
)
_AHEAD = frozenset({"expected", "estimated", "needed", "planned", "scheduled"})


@rule("SK956", "sample-expiry", ERROR)
def sample_expiry(model: Model) -> Iterator[Finding]:
    """A sample item does not expire, or expires before its own times.

    A time to live is a number of seconds since 1970. DynamoDB ignores a string. Milliseconds mean a
    date in fifty thousand years. A duration, such as 3600, is a time more than five years ago,
    which DynamoDB ignores too. A record that expires before it is created counts as absent at once,
    and may be deleted as soon as it is written.

    Flagged:
        class Tokens(Table, ttl="expires_at"):
            pass

        class Token(Entity, table=Tokens):
            token_id: str
            created_at: CreatedAt = auto()
            expires_at: TTL
            primary = Tokens.primary.key("TOKEN#{token_id}", "TOKEN")

        samples = [
            {
                "PK": "TOKEN#7",
                "SK": "TOKEN",
                "token_id": "7",
                "created_at": "2024-01-01T08:00:00Z",
                "expires_at": 1704067200,
            },
        ]

    Instead:
        class Tokens(Table, ttl="expires_at"):
            pass

        class Token(Entity, table=Tokens):
            token_id: str
            created_at: CreatedAt = auto()
            expires_at: TTL
            primary = Tokens.primary.key("TOKEN#{token_id}", "TOKEN")

        samples = [
            {
                "PK": "TOKEN#7",
                "SK": "TOKEN",
                "token_id": "7",
                "created_at": "2024-01-01T08:00:00Z",
                "expires_at": 1704182400,
            },
        ]
    """
    for matched in model.matched:
        kind = matched.kind
        attribute = kind.table.settings.ttl or kind.expires
        if attribute is None or attribute not in matched.sample.item:
            continue
        wrong = _wrong(matched, attribute)
        if wrong is not None:
            yield Finding(
                matched,
                f'"{attribute}" {wrong}',
                "Write a number of seconds since 1970",
            )
            continue
        for message, severity in _too_early(matched, attribute):
            yield Finding(
                matched,
                message,
                "Write a time after those of the record",
                severity=severity,
            )


def _wrong(matched: Matched, attribute: str) -> str | None:
    """Return why DynamoDB would never remove the item by this attribute."""
    value = matched.sample.item[attribute]
    fields = matched.kind.codec.fields.values()
    is_optional = any(field.stored == attribute and field.optional for field in fields)
    if "NULL" in value and is_optional:
        return None
    if "N" not in value:
        return f"is {NAMES[kind_of(value)]}, but DynamoDB expires only by a number"
    seconds = Decimal(value["N"])
    if seconds >= _MILLISECONDS:
        return f"is {value['N']}, which is milliseconds or finer: the item is never removed"
    if seconds < _DURATION:
        return (
            f"is {value['N']}, which is a duration, or a time before 2001: DynamoDB ignores times "
            "more than five years ago"
        )
    return None


def _too_early(matched: Matched, attribute: str) -> Iterator[tuple[str, Severity]]:
    kind, value = matched.kind, matched.sample.item[attribute]
    if "N" not in value:
        return
    expires = datetime.fromtimestamp(float(value["N"]), UTC)
    for name, held in matched.fields.items():
        stored = kind.stored_names[name]
        at = _moment(held)
        if stored != attribute and at is not None and at > expires:
            message = (
                f'"{attribute}" is {expires:%Y-%m-%dT%H:%M:%SZ}, before its "{stored}", '
                f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
            )
            kept = name in {kind.created_field, kind.updated_field}
            yield message, ERROR if kept else _weight(name)


def _moment(held: object) -> datetime | None:
    """Return a time, or the beginning of a day."""
    match held:
        case datetime() if held.utcoffset() is not None:
            return held
        case date() if not isinstance(held, datetime):
            return datetime.combine(held, time.min, UTC)
        case _:
            return None


def _weight(name: str) -> Severity:
    """Return a warning if the name suggests a past time, otherwise information."""
    said = set(words(name))
    is_past = any(word in _PAST or word.endswith("ed") for word in said) and not said & _AHEAD
    return WARNING if is_past else INFORMATION
