"""SK302 ttl-not-seconds: the TTL attribute is not a number of seconds."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

from sortkey.check.fields import words
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import ERROR, INFORMATION, Fault, rule
from sortkey.design.codecs import FieldCodec
from sortkey.design.marks import plain_type
from sortkey.design.sources import (
    NOW,
    Argument,
    Constant,
    Derived,
    Generated,
    Now,
    Source,
    source_of,
)
from sortkey.expressions.placing import placed
from sortkey.operations.clock import now
from sortkey.wire.limits import EXPIRY_WINDOW_SECONDS
from sortkey.wire.values import AttributeValue

# Seconds reach it in the year 5138; milliseconds did in 1973.
_MILLISECONDS = 100_000_000_000
_FINER = frozenset({"ms", "millis", "milliseconds"})


@rule("SK302", "ttl-not-seconds", ERROR)
def ttl_not_seconds(model: Model) -> Iterator[Fault]:
    """The TTL attribute is not a number of seconds.

    A TTL attribute is a number of seconds since 1970. A text, such as an ISO time, is passed over
    without a word; milliseconds are a day in fifty thousand years; what is more than five years
    past is taken for a mistake and kept. Nothing is ever removed. It is found in the type of a
    field and its default, and in what patterns write: constants, and what they compute from the
    time. Where only a name speaks of milliseconds, it is for information.

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
                yield Fault(
                    request.pattern,
                    f"{ttl} is {wrong}, so nothing expires by it",
                    "Write a number of seconds since 1970",
                )
            elif isinstance(source, Argument) and _says_milliseconds(source.name):
                yield Fault(
                    request.pattern,
                    f'{request.table} expires by {ttl}, and the name of "{source.name}" says '
                    "milliseconds",
                    "Write a number of seconds since 1970",
                    severity=INFORMATION,
                )


def _declared(kind: AnyKind) -> Iterator[Fault]:
    ttl = kind.table.settings.ttl or ""
    for field in kind.codec.fields.values():
        if field.stored != ttl or field.name == kind.expires_field:
            continue
        fix = f"Declare `{field.name}: TTL`, which is stored in seconds"
        if _is_wrong_kind(kind, ttl):
            kinds = "/".join(sorted(field.present.kinds))
            yield Fault(
                kind,
                f"{kind.table} expires by {ttl}, and it is stored as {kinds}: nothing is "
                "ever removed",
                fix,
                at=field.name,
            )
        elif _default(kind, field) >= _MILLISECONDS:
            yield Fault(
                kind,
                f"{kind.table} expires by {ttl}, and its default is in milliseconds: nothing is "
                "ever removed",
                fix,
                at=field.name,
            )
        elif _says_milliseconds(field.name):
            yield Fault(
                kind,
                f"{kind.table} expires by {ttl}, and its name says milliseconds",
                fix,
                at=field.name,
                severity=INFORMATION,
            )


def _is_wrong_kind(kind: AnyKind, ttl: str) -> bool:
    fields = [field for field in kind.codec.fields.values() if field.stored == ttl]
    return any(field.present.kinds != frozenset({"N"}) for field in fields)


def _default(kind: AnyKind, field: FieldCodec) -> float:
    """Return the number that a field has by default; 0 where it has none."""
    info = kind.model.model_fields[field.name]
    if info.default_factory_takes_validated_data:
        return 0
    made = info.get_default(call_default_factory=True)
    return float(made) if isinstance(made, int | float | Decimal) else 0


def _says_milliseconds(name: str) -> bool:
    return bool(_FINER & set(words(name)))


def _written(request: Request, ttl: str) -> Iterator[tuple[AttributeValue, Source]]:
    """Yield each value that a request writes into the TTL attribute, with its source."""
    step = request.step
    if step.item is not None and step.sent.item is not None and ttl in step.item:
        yield step.sent.item[ttl], step.item[ttl]
    for name, value in placed(step.update):
        if name == ttl:
            yield value.value, source_of(value)


def _wrong(request: Request, value: AttributeValue, source: Source) -> str | None:
    if "NULL" in value:
        return None
    if "N" not in value:
        return f"of type {next(iter(value))}, and not a number"
    number = float(value["N"])
    if number >= _MILLISECONDS and _is_time(request, source):
        return "in milliseconds"
    is_old = isinstance(source, Constant) and number < now() - EXPIRY_WINDOW_SECONDS
    return "more than five years past" if is_old else None


def _is_time(request: Request, source: Source) -> bool:
    """Whether the value is a time, so that no argument makes it so large as it is."""
    types = {p.name: plain_type(p.type)[0] for p in request.pattern.parameters}
    match source:
        case Constant() | Now() | Generated():
            return True
        case Derived(names):
            return {types.get(name) for name in names if name != NOW} <= {datetime, timedelta}
        case _:
            return False
