"""SK302 ttl-not-seconds: the TTL attribute is not a number of seconds."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import ERROR, INFORMATION, Finding, rule
from sortkey.clock import now
from sortkey.design.plans.sources import (
    NOW,
    Argument,
    Constant,
    Derived,
    Generated,
    Now,
    Source,
    source_of,
)
from sortkey.design.records.codecs import FieldCodec
from sortkey.design.records.marks import plain_type
from sortkey.expressions.placing import placed
from sortkey.wire.limits import EXPIRY_WINDOW_SECONDS
from sortkey.wire.values import AttributeValue
from sortkey.wording.names import words

# Seconds reach it in the year 5138; milliseconds did in 1973.
_MILLISECONDS = 100_000_000_000
_FINER = frozenset({"ms", "millis", "milliseconds"})


@rule("SK302", "ttl-not-seconds", ERROR)
def ttl_not_seconds(model: Model) -> Iterator[Finding]:
    """The TTL attribute is not a number of seconds.

    A TTL attribute is a number of seconds since 1970. DynamoDB ignores a string, such as an ISO
    time; milliseconds mean a date in fifty thousand years; a time more than five years ago is
    treated as a mistake. In each case the record is never removed. The types and defaults of fields
    are checked, and the values that patterns write: constants, and values computed from the current
    time. Severity is information if only a name suggests milliseconds.

    Flagged:
        class Tips(Table, raw=True, ttl="expires_at"):
            pass

        class Tip(Entity, table=Tips):
            tip_id: str
            expires_at: datetime
            primary = Tips.primary.key("TIP#{tip_id}", "TIP")

    Instead:
        class Tips(Table, raw=True, ttl="expires_at"):
            pass

        class Tip(Entity, table=Tips):
            tip_id: str
            expires_at: TTL
            primary = Tips.primary.key("TIP#{tip_id}", "TIP")
    """
    for kind in model.kinds:
        yield from _declared(kind)
    for request in model.requests:
        ttl = request.table.settings.ttl or ""
        for value, source in _written(request, ttl):
            wrong = _wrong(request, value, source)
            is_declared = any(_is_wrong_kind(kind, ttl) for kind in request.kinds)
            if wrong is not None and not ("N" not in value and is_declared):
                yield Finding(
                    request.pattern,
                    f"{ttl} is {wrong}, so the record never expires",
                    "Write a number of seconds since 1970",
                )
            elif isinstance(source, Argument) and _says_milliseconds(source.name):
                yield Finding(
                    request.pattern,
                    f'{request.table} expires by {ttl}, but the name "{source.name}" suggests '
                    "milliseconds",
                    "Write a number of seconds since 1970",
                    severity=INFORMATION,
                )


def _declared(kind: AnyKind) -> Iterator[Finding]:
    ttl = kind.table.settings.ttl or ""
    for field in kind.codec.fields.values():
        if field.stored != ttl or field.name == kind.expires_field:
            continue
        fix = f"Declare `{field.name}: TTL`, which is stored in seconds"
        if _is_wrong_kind(kind, ttl):
            kinds = "/".join(sorted(field.present.kinds))
            yield Finding(
                kind,
                f"{kind.table} expires by {ttl}, but it is stored as {kinds}: its records are "
                "never removed",
                fix,
                at=field.name,
            )
        elif _default(kind, field) >= _MILLISECONDS:
            yield Finding(
                kind,
                f"{kind.table} expires by {ttl}, but its default is in milliseconds: its records "
                "are never removed",
                fix,
                at=field.name,
            )
        elif _says_milliseconds(field.name):
            yield Finding(
                kind,
                f"{kind.table} expires by {ttl}, but its name suggests milliseconds",
                fix,
                at=field.name,
                severity=INFORMATION,
            )


def _is_wrong_kind(kind: AnyKind, ttl: str) -> bool:
    fields = [field for field in kind.codec.fields.values() if field.stored == ttl]
    return any(field.present.kinds != frozenset({"N"}) for field in fields)


def _default(kind: AnyKind, field: FieldCodec) -> float:
    """Return the default of a field that is a number; otherwise 0."""
    info = kind.model.model_fields[field.name]
    if info.default_factory_takes_validated_data:
        return 0
    made = info.get_default(call_default_factory=True)
    return float(made) if isinstance(made, int | float | Decimal) else 0


def _says_milliseconds(name: str) -> bool:
    return bool(_FINER & set(words(name)))


def _written(request: PlannedRequest, ttl: str) -> Iterator[tuple[AttributeValue, Source]]:
    """Yield each value that a request writes into the TTL attribute, with its source."""
    step = request.step
    if step.item is not None and step.sent.item is not None and ttl in step.item:
        yield step.sent.item[ttl], step.item[ttl]
    for name, value in placed(step.update):
        if name == ttl:
            yield value.value, source_of(value)


def _wrong(request: PlannedRequest, value: AttributeValue, source: Source) -> str | None:
    if "NULL" in value:
        return None
    if "N" not in value:
        return f"of type {next(iter(value))}, not a number"
    number = float(value["N"])
    if number >= _MILLISECONDS and _is_time(request, source):
        return "in milliseconds"
    is_old = isinstance(source, Constant) and number < now() - EXPIRY_WINDOW_SECONDS
    return "more than five years ago" if is_old else None


def _is_time(request: PlannedRequest, source: Source) -> bool:
    """Return whether the value is a time, so its size does not come from an argument."""
    types = {p.name: plain_type(p.type)[0] for p in request.pattern.parameters}
    match source:
        case Constant() | Now() | Generated():
            return True
        case Derived(names):
            return {types.get(name) for name in names if name != NOW} <= {datetime, timedelta}
        case _:
            return False
