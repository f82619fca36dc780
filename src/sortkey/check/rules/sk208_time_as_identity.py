"""SK208 time-as-identity: only a time distinguishes two records of a partition."""

from collections.abc import Iterator

from sortkey.check.fields import distinguishing_times, ids_not_in_key, is_moment, own_ids
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule
from sortkey.design.records.codecs import Epoch, Seconds
from sortkey.design.records.key_compiler import appended
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.keys.times import EPOCH_SPEC
from sortkey.wording.names import words

# Names of times that mean a span, for which there is one record.
_SPANS = frozenset(
    {"bucket", "day", "hour", "interval", "minute", "month", "period", "quarter", "slot"}
    | {"week", "window", "year"}
)


@rule("SK208", "time-as-identity", WARNING)
def time_as_identity(model: Model) -> Iterator[Finding]:
    """Only a time distinguishes two records of a partition.

    Two events can happen in the same second, and even in the same microsecond: the later record
    overwrites the earlier one. A date alone is taken to mean one record a day. `identity=` declares
    that the time is enough. Severity is information if only the name suggests that a text is a
    time. A time that the key truncates to its day, as `{at:%Y-%m-%d}` does, distinguishes nothing
    within that day, unless the key also has an id of the record.

    Flagged:
        class Event(Entity, table=App):
            user_id: str
            at: datetime
            primary = App.primary.key("USER#{user_id}", "EVENT#{at}")

    Instead:
        class Event(Entity, table=App):
            user_id: str
            at: datetime
            event_id: str
            primary = App.primary.key("USER#{user_id}", "EVENT#{at}#{event_id}")
    """
    for kind in model.kinds:
        times = distinguishing_times(kind)
        if times:
            ids = ids_not_in_key(kind)
            fix = appended(kind.primary, ids[0]) if ids else "Append an id to the sort key"
            yield Finding(
                kind.primary,
                f'only "{times[0]}" distinguishes two {kind.name} records of a partition, but two '
                "records may have the same time",
                f"{fix}, or declare identity=(...) if there is only one",
                severity=WARNING if all(is_moment(kind, n) for n in times) else INFORMATION,
            )
            continue
        if kind.identity:
            continue
        for slot in _cut(model, kind):
            yield Finding(
                kind.primary,
                f'the key keeps only {slot.spec} of the time "{slot.field}": of two {kind.name} '
                f"records with the same {slot}, the later overwrites the earlier",
                f"Append an id or the whole time to the sort key, make {slot.field} a date, or "
                "declare identity=(...) if there is only one",
            )


def _cut(model: Model, kind: AnyKind) -> Iterator[Slot]:
    """Yield the times that a key truncates, if nothing else in it is the record's own."""
    every = [slot for part in kind.primary.parts for slot in part.template.slots]
    whole = {slot.field for slot in every if not slot.lossy}
    writes = {request.verb for request in model.requests_of(kind) if request.writes}
    # A record that is only updated, such as a daily count, is meant to be one record.
    is_sum = "UpdateItem" in writes and "PutItem" not in writes
    if is_sum or own_ids(kind) & kind.key_fields:
        return
    # What follows distinguishes the records of one such time.
    slots = kind.primary.sort[-1].template.slots[-1:] if kind.primary.sort else ()
    for slot in slots:
        is_span = bool({*words(slot.field)} & _SPANS)
        if (
            slot.lossy
            and slot.field not in whole
            and is_moment(kind, slot.field)
            and not is_span
            and not _is_whole(kind, slot)
        ):
            yield slot


def _is_whole(kind: AnyKind, slot: Slot) -> bool:
    """Return whether a time of whole seconds is written with its seconds."""
    marks = kind.model.model_fields[slot.field].metadata
    return slot.spec == EPOCH_SPEC and any(isinstance(mark, Seconds | Epoch) for mark in marks)
