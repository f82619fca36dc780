"""SK302 ttl-not-seconds: what DynamoDB is to expire by is no number of seconds."""

from collections.abc import Iterator

from sortkey.check.fields import words
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.design.sources import Constant, Source, source_of
from sortkey.expressions.tree import Set, Value
from sortkey.operations.clock import now
from sortkey.wire.limits import EXPIRY_WINDOW_SECONDS
from sortkey.wire.values import AttributeValue

# Seconds reach it in the year 5138; milliseconds did in 1973.
_MILLISECONDS = 100_000_000_000
_FINER = frozenset({"ms", "millis", "milliseconds"})


@rule("SK302", "ttl-not-seconds", ERROR)
def ttl_not_seconds(model: Model) -> Iterator[Fault]:
    """What DynamoDB is to expire by is no number of seconds.

    A TTL attribute is a number of seconds since 1970. A text, such as an ISO time, is passed over
    without a word; milliseconds are a day in fifty thousand years; what is more than five years
    past is taken for a mistake and kept. Nothing is ever removed.

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
    for request in model.raw_requests:
        for value, source in _written(request):
            wrong = _wrong(value, source)
            if wrong is not None and not request.kinds:
                yield Fault(
                    request.pattern,
                    f"{request.table.settings.ttl} is {wrong}, so nothing expires by it",
                    "Write a number of seconds since 1970",
                )


def _declared(kind: AnyKind) -> Iterator[Fault]:
    for field in kind.codec.fields.values():
        if field.stored != kind.table.settings.ttl or field.name == kind.expires_field:
            continue
        kinds = "/".join(sorted(field.present.kinds))
        if kinds != "N":
            yield Fault(
                kind,
                f"{kind.table} expires by {field.stored}, and it is stored as {kinds}: nothing is "
                "ever removed",
                f"Declare it as {field.name}: TTL, which is stored in seconds",
                at=field.name,
            )
        elif _FINER & set(words(field.name)):
            yield Fault(
                kind,
                f"{kind.table} expires by {field.stored}, and its name says milliseconds",
                f"Declare it as {field.name}: TTL, which is stored in seconds",
                at=field.name,
            )


def _written(request: Request) -> Iterator[tuple[AttributeValue, Source]]:
    """Yield each value that a request writes into the TTL attribute, with its source."""
    step, ttl = request.step, request.table.settings.ttl or ""
    if step.item is not None and step.sent.item is not None and ttl in step.item:
        yield step.sent.item[ttl], step.item[ttl]
    for action in step.update.actions if step.update else ():
        match action:
            case Set(path, Value() as value) if path.name == ttl:
                yield value.value, source_of(value)
            case _:
                pass


def _wrong(value: AttributeValue, source: Source) -> str | None:
    if "N" not in value:
        return f"of type {next(iter(value))}, and no number"
    if not isinstance(source, Constant):
        return None
    seconds = float(value["N"])
    if seconds >= _MILLISECONDS:
        return "in milliseconds"
    is_old = seconds < now() - EXPIRY_WINDOW_SECONDS
    return "more than five years past" if is_old else None
