"""SK306 expiry-as-timer: an event that must happen on time depends on TTL."""

from collections.abc import Iterator

from sortkey.check.fields import is_moment, looks_like_time
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.wording.names import words

_TIMERS = frozenset(
    {"alarm", "appointment", "deadline", "delayed", "reminder", "scheduled", "timeout", "timer"}
)


@rule("SK306", "expiry-as-timer", INFORMATION)
def expiry_as_timer(model: Model) -> Iterator[Finding]:
    """An event that must happen on time depends on TTL.

    DynamoDB removes an expired record some time after its expiry, typically within a few days. A
    stream consumer that waits for the removal runs late. To be on time, poll an index by the due
    time, or use a scheduler. Severity is information, because only the entity's name suggests a
    timer. An entity with a time in the key of an index is not reported.

    Flagged:
        class Plans(Table, ttl="due"):
            pass

        class Reminder(Entity, table=Plans):
            reminder_id: str
            due: TTL
            primary = Plans.primary.key("REMINDER#{reminder_id}", "REMINDER")

    Instead:
        class Plans(Table, ttl="kept_until"):
            by_due = gsi("GSI1PK", "GSI1SK")

        class Reminder(Entity, table=Plans):
            reminder_id: str
            due_at: datetime
            kept_until: TTL
            primary = Plans.primary.key("REMINDER#{reminder_id}", "REMINDER")
            due = Plans.by_due.key("DUE#{due_at:%Y-%m-%d}", "{due_at}#{reminder_id}")
    """
    for kind in model.kinds:
        if kind.expires_field and _TIMERS & set(words(kind.model.__name__)) and not _is_due(kind):
            yield Finding(
                kind,
                "it is due when DynamoDB removes the record, which may be days late",
                "Give an index a key with the due time and poll it, or use a scheduler",
                at=kind.expires_field,
            )


def _is_due(kind: AnyKind) -> bool:
    """Return whether an index orders the records by a time."""
    return any(
        is_moment(kind, name) or looks_like_time(name)
        for key in kind.keys.values()
        if key.index is not None
        for part in key.sort
        for name in part.fields
    )
