"""Records of a partition that are added for as long as a system runs, such as messages.

A sort key that begins with a time of creation says so, and so does the name of what happens again
and again. A day in the partition key ends it, and so does an expiry.
"""

from collections.abc import Iterable, Iterator
from datetime import date

from sortkey.check.fields import is_natural_name, names_a_span, own_ids, type_of
from sortkey.check.model import AnyKind, PlannedRequest
from sortkey.design.plans.demand import choices_of
from sortkey.design.plans.key_forms import fixed_fields
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.limits import whole_bounds
from sortkey.wording.names import words

# So many records are read at once.
_FEW = 1_000
_EVENTS = frozenset(
    {
        *("action", "activity", "alert", "appointment", "assignment", "attempt", "bill"),
        *("booking", "call", "charge", "checkin", "click", "comment", "delivery", "download"),
        *("enrollment", "enrolment", "entry", "event", "expense", "follower", "history"),
        *("incident", "interaction", "invoice", "job", "like", "log", "measurement", "message"),
        *("metric", "movement", "notification", "observation", "order", "payment", "post"),
        *("purchase", "reaction", "reading", "receipt", "reminder", "reply", "request"),
        *("reservation", "response", "review", "run", "sale", "scan", "session", "shipment"),
        *("submission", "swipe", "task", "ticket", "trade", "transaction", "transfer", "trip"),
        *("tweet", "view", "visit", "vote", "withdrawal", "workout"),
    }
)
_TIMES = frozenset(
    {
        *("at", "date", "datetime", "day", "epoch", "millis", "nano", "time", "timestamp", "ts"),
        "ulid",
    }
)
# Each record has one, and a later write moves it.
_MOVING = frozenset({"active", "birth", "changed", "last", "modified", "next", "seen", "updated"})
# What one record is found by.
_FINDING = frozenset({"code", "hash", "id", "key", "number", "ref", "reference", "token", "uuid"})


def grows(request: PlannedRequest, kind: AnyKind) -> bool:
    """Whether what a query reads of an entity grows with time, as far as types and names say."""
    key = request.key_of(kind)
    if key is None or kind.expires_field is not None or not (key.sort or key.index):
        return False
    chosen = [name for part in key.partition for name in part.fields]
    if any(finds_one(kind, name) or _is_time(kind, name) for name in chosen):
        return False
    unfixed = set(_unfixed(request, key))
    if unfixed and _are_few(kind, unfixed):
        return False
    if any(_is_time(kind, name) and _is_kept(kind, name) for name in unfixed):
        return True
    return bool(unfixed or key is not kind.primary) and names_an_event(kind)


def _are_few(kind: AnyKind, names: Iterable[str]) -> bool:
    """Whether types and bounds leave these fields few values, such as the slots of a week."""
    count = 1
    for name in names:
        least, most = whole_bounds(kind.model.model_fields[name])
        few = choices_of(type_of(kind, name))
        if few is None and (least is None or most is None):
            return False
        count *= few or int(most or 0) - int(least or 0) + 1
    return count <= _FEW


def names_an_event(kind: AnyKind) -> bool:
    """Whether an entity is named after something that happens again and again."""
    return words(kind.model.__name__)[-1] in _EVENTS


def _unfixed(request: PlannedRequest, key: EntityKey) -> Iterator[str]:
    """Yield the fields of the sort key that differ among the records that are read."""
    for part in key.sort:
        fixed = fixed_fields(request.step, part.attribute.name, part.template)
        yield from (name for name in part.fields if name not in fixed)


def finds_one(kind: AnyKind, name: str) -> bool:
    """Whether a field is that by which one record is found: its own id, an address, a hash."""
    said = words(name)
    is_own = said[-1] in _FINDING and words(kind.model.__name__)[-1] in said
    is_unique = name in {field.field for field in kind.uniques}
    return is_own or is_unique or name in own_ids(kind) or is_natural_name(name)


def _is_time(kind: AnyKind, name: str) -> bool:
    held = type_of(kind, name)
    if isinstance(held, type) and issubclass(held, date):  # a datetime is one too
        return True
    return names_a_span(name) or not _TIMES.isdisjoint(words(name)[-2:])


def _is_kept(kind: AnyKind, name: str) -> bool:
    """Whether a time stays with its record, so that each new record has a later one."""
    return name != kind.updated_field and _MOVING.isdisjoint(words(name))
