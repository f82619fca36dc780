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
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.prefixes import Stop, stop_of
from sortkey.check.rule import ERROR, INFORMATION, WARNING, Fault, Severity, rule
from sortkey.design.marks import plain_type
from sortkey.design.plan import Compared
from sortkey.design.sources import Text

# What an argument is called that is meant to be a part of a value.
_PARTIAL = frozenset({"prefix", "start", "starts", "beginning", "query", "search", "term", "typed"})
# How a title speaks of what is found by a part of its name.
_SEARCHING = _PARTIAL | {"autocomplete", "begin", "begins", "filter", "find", "like", "suggest"}
# What is given whole, as an id is.
_NAMED = frozenset({"code", "hash", "key", "sku", "token"})
_NUMBER_OR_TIME = re.compile(r"[\d:.TZ+-]+")


@rule("SK408", "open-prefix", ERROR)
def open_prefix(model: Model) -> Iterator[Fault]:
    """A prefix stops inside a value, so it matches longer values too.

    `USER#1` is also how `USER#12` begins: a query for the records of user 1 returns those of user
    12 too. The delimiter belongs into the prefix. sortkey's own queries always put it there. A
    constant such as `STATUS#PENDING` is a warning: it is right until another status begins alike.
    So is an id at the end of a key; a slug, a user name or the like is for information there.

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
                yield Fault(
                    request.pattern,
                    f'"{prefix}" {why}',
                    fix.replace("...", prefix),
                    at="key_condition",
                    severity=severity,
                )


def _prefixes(request: Request) -> Iterator[tuple[str, str]]:
    for name, compared in request.step.key.items():
        match compared:
            case Compared("begins_with", Text(template)):
                yield name, template
            case _:
                pass


def _stops(request: Request, attribute: str, prefix: str) -> Iterator[tuple[AnyKind, Stop]]:
    for kind in request.kinds:
        for key in kind.keys.values():
            for part in key.parts if key.definition is request.index else ():
                stop = None if part.attribute.name != attribute else stop_of(prefix, part.template)
                if stop is not None:
                    yield kind, stop


def _is_whole(request: Request, stop: Stop) -> bool:
    """Whether the argument is of a type whose texts are all of one length."""
    types = [plain_type(p.type)[0] for p in request.pattern.parameters if p.name == stop.argument]
    return any(isinstance(held, type) and issubclass(held, date | UUID) for held in types)


def _judged(kind: AnyKind, stop: Stop) -> tuple[str, str, Severity] | None:
    """What is wrong with a prefix that stops inside a value, what to write, and its severity."""
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
    why = "stops inside a value, so it also matches what begins with it"
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
        also = " and ".join(longer)
        return f'stops inside "{slot.field}", so it also matches {also}', fix, ERROR
    # A part of a value may be meant: a month, or what a group of names begins with.
    is_part = stop.is_last or not text[-1].isalnum() or has_pattern(kind, slot.field)
    if is_part or looks_like_time(slot.field) or _NUMBER_OR_TIME.fullmatch(text):
        return None
    why = f'stops inside "{slot.field}", so it also matches longer values that begin with {text}'
    return why, fix, WARNING


def _overlapping(choices: tuple[str, ...]) -> bool:
    return any(a != b and b.startswith(a) for a in choices for b in choices)
