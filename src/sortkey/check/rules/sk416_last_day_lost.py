"""SK416 last-day-lost: the end of a range is a day, but it is compared with a time of day."""

from collections.abc import Iterator
from datetime import date, datetime
from itertools import pairwise
from string import Formatter
from typing import Any

from sortkey.check.fields import is_moment, is_text, looks_like_time
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.plans.plan import PlannedStep
from sortkey.design.plans.sources import Source, Text, arguments_in, source_of
from sortkey.design.records.marks import plain_type
from sortkey.expressions.conjuncts import conjuncts
from sortkey.expressions.tree import Between, Compare, Path, Value
from sortkey.wording.names import words


@rule("SK416", "last-day-lost", WARNING)
def last_day_lost(model: Model) -> Iterator[Finding]:
    """The end of a range is a day, but it is compared with a time of day.

    "2024-01-31T10:00" comes after "2024-01-31", so the query misses all of the last day. The end
    has to come after every time of its day: "2024-01-31~", or "2024-01-31T23:59:59.999999Z".

    Flagged:
        class Old(Table, raw=True):
            pass

        class Session(Entity, table=Old):
            user_id: str
            started_at: datetime
            session_id: str
            primary = Old.primary.key("USER#{user_id}", "SESSION#{started_at}#{session_id}")

        sessions = raw_pattern(
            "Sessions by date range",
            table=Old,
            operation="Query",
            entity=Session,
            key_condition="PK = :pk AND SK BETWEEN :start AND :end",
            values={
                ":pk": "USER#{user_id}",
                ":start": "SESSION#{start}",
                ":end": "SESSION#{end}",
            },
            arguments={"user_id": str, "start": date, "end": date},
            where=lambda s, user_id, start, end: (
                s.user_id == user_id and start <= s.started_at.date() <= end
            ),
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Session(Entity, table=Old):
            user_id: str
            started_at: datetime
            session_id: str
            primary = Old.primary.key("USER#{user_id}", "SESSION#{started_at}#{session_id}")

        sessions = raw_pattern(
            "Sessions by date range",
            table=Old,
            operation="Query",
            entity=Session,
            key_condition="PK = :pk AND SK BETWEEN :start AND :end",
            values={
                ":pk": "USER#{user_id}",
                ":start": "SESSION#{start}",
                ":end": "SESSION#{end}~",
            },
            arguments={"user_id": str, "start": date, "end": date},
            where=lambda s, user_id, start, end: (
                s.user_id == user_id and start <= s.started_at.date() <= end
            ),
        )
    """
    for request in model.raw_requests:
        for member, attribute, end in _ends(request.step):
            for name in sorted(_days(request, end)):
                if any(_is_finer(kind, attribute) for kind in request.kinds):
                    text = end.template if isinstance(end, Text) else f"{{{name}}}"
                    after = _to_the_end_of(text, name)
                    yield Finding(
                        request.pattern,
                        f'the range ends with the day "{name}", but {attribute} contains a time of '
                        "day: the records of the last day are missing",
                        f"Write `{after}` instead of `{text}`: ~ comes after every time of that "
                        "day",
                        at=member,
                    )


def _ends(step: PlannedStep) -> Iterator[tuple[str, str, Source]]:
    """Yield the upper end of each range: the member of the request, the attribute and the end."""
    for name, compared in step.key.items():
        if compared.op == "<=":
            yield "key_condition", name, compared.source
        elif compared.upper is not None:
            yield "key_condition", name, compared.upper
    for part in conjuncts(step.filter):
        match part:
            case Between(Path() as path, _, Value() as high):
                yield "filter", path.name, source_of(high)
            case Compare("<=", Path() as path, Value() as high):
                yield "filter", path.name, source_of(high)
            case _:
                pass


def _days(request: PlannedRequest, end: Source) -> set[str]:
    """Return the inputs in the end of a range that are days without a time."""
    types = {p.name: plain_type(p.type)[0] for p in request.pattern.parameters}
    days = {name for name in arguments_in(end) if _is_day(name, types.get(name))}
    return {name for name in days if not _reaches_its_end(end, name)}


def _to_the_end_of(text: str, day: str) -> str:
    """Return the end of a range, extended to the end of its day."""
    return text[: text.index("}", text.index(f"{{{day}")) + 1] + "~"


def _reaches_its_end(end: Source, day: str) -> bool:
    """Whether the text after a day in the end of a range is as late as any time of that day."""
    if not isinstance(end, Text):
        return False
    pieces = list(Formatter().parse(end.template))
    for (_, name, _, _), (after, then, _, _) in pairwise(pieces):
        if name == day:
            is_time = after in {"T", " "} and then is not None
            return is_time or after[:1] > "T" or after[1:].startswith(("23:59", "24:00"))
    return False


def _is_day(name: str, held: Any) -> bool:
    if held is str:
        return words(name)[-1] in {"date", "day"}
    return isinstance(held, type) and issubclass(held, date) and not issubclass(held, datetime)


def _is_finer(kind: AnyKind, attribute: str) -> bool:
    """Whether an attribute contains a time of day, as a field or at the end of a key's text."""
    by_stored = {stored: name for name, stored in kind.stored_names.items()}
    fields = [by_stored[attribute]] if attribute in by_stored else []
    for key in kind.keys.values():
        fields += [n for part in key.sort if part.attribute.name == attribute for n in part.fields]
    return any(
        is_moment(kind, name)
        or (
            is_text(kind, name) and looks_like_time(name) and words(name)[-1] not in {"date", "day"}
        )
        for name in fields
    )
