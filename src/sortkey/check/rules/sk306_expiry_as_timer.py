"""SK306 expiry-as-timer: something that must happen on time is left to TTL."""

from collections.abc import Iterator

from sortkey.check.fields import is_moment, looks_like_time, words
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, Fault, rule

_TIMERS = frozenset(
    {"alarm", "appointment", "deadline", "delayed", "reminder", "scheduled", "timeout", "timer"}
)


@rule("SK306", "expiry-as-timer", INFORMATION)
def expiry_as_timer(model: Model) -> Iterator[Fault]:
    """Something that must happen on time is left to TTL.

    DynamoDB removes an expired record when it gets around to it, typically within a few days. What
    waits for the removal in the stream comes late. An index by the due time, which something polls,
    or a scheduler, is on time. It is for information, since only the entity's name says so, and
    silent where an index has a time in its key.

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
            yield Fault(
                kind,
                "only its removal shows that one is due, and that may come days later",
                "Give an index a key with the due time and poll it, or use a scheduler",
                at=kind.expires_field,
            )


def _is_due(kind: AnyKind) -> bool:
    """Whether an index orders the records by a time."""
    return any(
        is_moment(kind, name) or looks_like_time(name)
        for key in kind.keys.values()
        if key.index is not None
        for part in key.sort
        for name in part.fields
    )
