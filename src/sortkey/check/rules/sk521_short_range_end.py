"""SK521 short-range-end: the end of a range is shorter than the keys."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from sortkey.check.fields import is_moment, is_text, looks_like_time
from sortkey.check.meanings import DrawnRecord
from sortkey.check.model import AnyKind, Model
from sortkey.check.raw_keys import RawKeys, TermFit, instead, judged, worst
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.raw.key_texts import Fit, KeyText, aligned, rewritten
from sortkey.wording.names import words


@rule("SK521", "short-range-end", WARNING)
def short_range_end(model: Model) -> Iterator[Finding]:
    """The upper end of a range is shorter than the keys, so the last records are missing.

    Keys are compared as text, and a text comes before all longer ones that begin with it.
    `ORDER#2024-01-31#17` comes after `ORDER#2024-01-31`, so a range with that end misses every
    order of its last day. Append `~`, which sorts after letters and digits. Nothing is reported if
    `where=` excludes the end of the range.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Order(Entity, table=Old):
            shop_id: str
            day: date
            order_id: str
            primary = Old.primary.key("SHOP#{shop_id}", "ORDER#{day}#{order_id}")

        orders = raw_pattern(
            "Orders by date",
            table=Old,
            operation="Query",
            entity=Order,
            key_condition="PK = :pk AND SK BETWEEN :start AND :end",
            values={":pk": "SHOP#{shop}", ":start": "ORDER#{start}", ":end": "ORDER#{end}"},
            arguments={"shop": str, "start": date, "end": date},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Order(Entity, table=Old):
            shop_id: str
            day: date
            order_id: str
            primary = Old.primary.key("SHOP#{shop_id}", "ORDER#{day}#{order_id}")

        orders = raw_pattern(
            "Orders by date",
            table=Old,
            operation="Query",
            entity=Order,
            key_condition="PK = :pk AND SK BETWEEN :start AND :end",
            values={":pk": "SHOP#{shop}", ":start": "ORDER#{start}", ":end": "ORDER#{end}#~"},
            arguments={"shop": str, "start": date, "end": date},
        )
    """
    for request in judged(model):
        keys = RawKeys(model, request)
        for kind in keys.kinds:
            held = keys.held(kind) or []
            if worst(held) is not Fit.NEVER:
                yield from _lost(keys, [*held, *keys.held_elsewhere(kind)])


def _lost(keys: RawKeys, held: list[TermFit]) -> Iterator[Finding]:
    for one in held:
        end = _end(keys, one)
        slots = None if end is None else aligned(end, one.part)
        if end is None or not slots or _is_excluded(keys, held, one):
            continue
        argument, slot = slots[-1]
        yield Finding(
            keys.request.pattern,
            f'the range ends with "{end}", but the {one.term.attribute} of {one.kind.name} '
            f'continues after that, as in "{one.part.template}": {one.kind.name} records whose '
            f'{slot.field} equals "{argument.name}" are not returned',
            f"{instead([end], [f'{rewritten(end, one.part, begins=True)}~'])}, which sorts after "
            "them",
            at=keys.request.place(one.term.member),
        )


def _end(keys: RawKeys, held: TermFit) -> KeyText | None:
    """Return the upper end of a range if the key continues after its last value."""
    texts = keys.texts(held.term)
    if held.term.compared.op not in {"between", "<="} or not texts or held.part.is_natural:
        return None
    end = texts[-1]
    slots = aligned(end, held.part)
    if not slots or len(end.pieces) == len(held.part.template.parts):
        return None
    argument, _ = slots[-1]
    # SK416 reports an end that is a day if the keys have a time.
    is_coarse = _is_day(argument.name, keys.types.get(argument.name)) and any(
        _is_time_of_day(held.kind, name) for name in held.part.fields
    )
    return None if is_coarse else end


def _is_day(name: str, held: Any) -> bool:
    if held is str:
        return words(name)[-1:] in (["date"], ["day"])
    return isinstance(held, type) and issubclass(held, date) and not issubclass(held, datetime)


def _is_time_of_day(kind: AnyKind, field: str) -> bool:
    is_named = looks_like_time(field) and words(field)[-1:] not in (["date"], ["day"])
    return is_moment(kind, field) or (is_text(kind, field) and is_named)


def _is_excluded(keys: RawKeys, held: list[TermFit], ranged: TermFit) -> bool:
    """Whether ``where=`` excludes a record at the end of the range."""
    example = DrawnRecord(keys.request.pattern, ranged.kind)
    others = [
        (one.part, text) for one in held if one is not ranged for text in keys.texts(one.term) or ()
    ]
    *start, end = [(ranged.part, text) for text in keys.texts(ranged.term) or ()]
    found = [
        example.is_meant([*others, *start, end], begins=True),
        example.is_meant([*others, end], begins=True),
    ]
    return True not in found and False in found
