"""SK408 open-prefix: a prefix stops inside a value, so it matches longer ones too."""

import re
from collections.abc import Iterator
from datetime import date
from uuid import UUID

from sortkey.check.fields import (
    has_one_length,
    has_pattern,
    is_natural_name,
    looks_like_time,
    words,
)
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.prefixes import Stop, stop_of
from sortkey.check.rule import ERROR, INFORMATION, WARNING, Finding, Severity, rule
from sortkey.design.plans.plan import Compared
from sortkey.design.plans.sources import Text
from sortkey.design.records.marks import plain_type
from sortkey.wording.prose import listed

# Names of arguments that are meant to be a part of a value.
_PARTIAL = frozenset({"prefix", "start", "starts", "beginning", "query", "search", "term", "typed"})
# Words in the title of a search by a part of a name.
_SEARCHING = _PARTIAL | {"autocomplete", "begin", "begins", "filter", "find", "like", "suggest"}
# Names of values that are always complete, as ids are.
_NAMED = frozenset({"code", "hash", "key", "sku", "token"})
_NUMBER_OR_TIME = re.compile(r"[\d:.TZ+-]+")


@rule("SK408", "open-prefix", ERROR)
def open_prefix(model: Model) -> Iterator[Finding]:
    """A prefix stops inside a value, so it matches longer values too.

    `USER#12` also begins with `USER#1`: a query for the records of user 1 returns those of user 12
    too. The prefix must include the delimiter; sortkey's own queries always do. A constant such as
    `STATUS#PENDING` is a warning: it is right until another status begins with the same text. So is
    an id at the end of a key; a slug, a user name or a similar value there is information.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Progress(Entity, table=Old):
            gym_id: str
            user_id: Annotated[str, Field(pattern="^[a-z0-9-]+$")]
            day: date
            primary = Old.primary.key("GYM#{gym_id}", "USER#{user_id}#{day}")

        progress = raw_pattern(
            "Progress of a user",
            table=Old,
            operation="Query",
            entity=Progress,
            key_condition="PK = :pk AND begins_with(SK, :user)",
            values={":pk": "GYM#{gym_id}", ":user": "USER#{user_id}"},
            arguments={"gym_id": str, "user_id": str},
            where=lambda p, gym_id, user_id: p.gym_id == gym_id and p.user_id == user_id,
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Progress(Entity, table=Old):
            gym_id: str
            user_id: Annotated[str, Field(pattern="^[a-z0-9-]+$")]
            day: date
            primary = Old.primary.key("GYM#{gym_id}", "USER#{user_id}#{day}")

        progress = raw_pattern(
            "Progress of a user",
            table=Old,
            operation="Query",
            entity=Progress,
            key_condition="PK = :pk AND begins_with(SK, :user)",
            values={":pk": "GYM#{gym_id}", ":user": "USER#{user_id}#"},
            arguments={"gym_id": str, "user_id": str},
            where=lambda p, gym_id, user_id: p.gym_id == gym_id and p.user_id == user_id,
        )
    """
    for request in model.raw_requests:
        for name, prefix in _prefixes(request):
            found = _stops(request, name, prefix)
            judged = [_judged(k, stop) for k, stop in found if not _is_whole(request, stop)]
            if not _SEARCHING.isdisjoint(words(request.pattern.title)):
                judged = [one for one in judged if one is None or one[2] is not INFORMATION]
            for why, fix, severity in [one for one in judged if one is not None][:1]:
                yield Finding(
                    request.pattern,
                    f'"{prefix}" {why}',
                    fix.replace("...", prefix),
                    at="key_condition",
                    severity=severity,
                )


def _prefixes(request: PlannedRequest) -> Iterator[tuple[str, str]]:
    for name, compared in request.step.key.items():
        match compared:
            case Compared("begins_with", Text(template)):
                yield name, template
            case _:
                pass


def _stops(request: PlannedRequest, attribute: str, prefix: str) -> Iterator[tuple[AnyKind, Stop]]:
    for kind in request.kinds:
        for key in kind.keys.values():
            for part in key.parts if key.definition is request.index else ():
                stop = None if part.attribute.name != attribute else stop_of(prefix, part.template)
                if stop is not None:
                    yield kind, stop


def _is_whole(request: PlannedRequest, stop: Stop) -> bool:
    """Whether all texts of the argument's type have the same length."""
    types = [plain_type(p.type)[0] for p in request.pattern.parameters if p.name == stop.argument]
    return any(isinstance(held, type) and issubclass(held, date | UUID) for held in types)


def _judged(kind: AnyKind, stop: Stop) -> tuple[str, str, Severity] | None:
    """Return the fault of a prefix that stops inside a value, its fix and its severity."""
    slot = stop.slot
    if slot.width is not None or has_one_length(kind, slot.field):
        return None
    fix = "End the value with a delimiter in the key and in the prefix"
    if stop.is_last:
        fix = "Compare with = instead of begins_with, since nothing follows the value in the key"
    elif stop.follows:
        fix = f"Write `...{stop.follows}` instead of `...`, with the delimiter that ends the value"
    if stop.argument is None:
        return _judged_constant(kind, stop, fix)
    if {*words(stop.argument)} & _PARTIAL or (slot.choices and not _overlapping(slot.choices)):
        return None
    why = "stops inside a value, so it also matches longer values"
    if not stop.is_last:
        return why, fix, ERROR
    if stop.argument != slot.field:
        return None
    if words(slot.field)[-1:] == ["id"]:
        return why, fix, WARNING
    is_named = is_natural_name(slot.field) or not _NAMED.isdisjoint(words(slot.field)[-1:])
    return (why, fix, INFORMATION) if is_named else None


def _judged_constant(kind: AnyKind, stop: Stop, fix: str) -> tuple[str, str, Severity] | None:
    slot, text = stop.slot, stop.constant
    if slot.choices:
        longer = [c for c in slot.choices if c.startswith(text) and c != text]
        if text not in slot.choices or not longer:
            return None
        also = listed(longer)
        return f'stops inside "{slot.field}", so it also matches {also}', fix, ERROR
    # A part of a value may be intended: a month, or the common start of several names.
    is_part = stop.is_last or not text[-1].isalnum() or has_pattern(kind, slot.field)
    if is_part or looks_like_time(slot.field) or _NUMBER_OR_TIME.fullmatch(text):
        return None
    why = f'stops inside "{slot.field}", so it also matches longer values that begin with {text}'
    return why, fix, WARNING


def _overlapping(choices: tuple[str, ...]) -> bool:
    return any(a != b and b.startswith(a) for a in choices for b in choices)
