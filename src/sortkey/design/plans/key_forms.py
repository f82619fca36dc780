"""The entities that a request can be about, by the form of their keys, and their fields.

A raw request says what it is about by texts, which are compared with the templates of keys.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from string import Formatter
from typing import Any

from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.plan import Compared, PlannedStep
from sortkey.design.plans.sources import Text
from sortkey.design.records.keys.entity_key import KeyPart
from sortkey.design.records.keys.templates import Template, TemplateError, parse_template
from sortkey.design.records.keys.unify import can_collide, can_start
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.limits import text_shape, whole_bounds
from sortkey.design.records.marks import plain_type
from sortkey.design.tables.table import Index

_REST = "rest_"
# The types whose texts begin with a digit.
_DIGITS = (date, int)


def entities_of(
    pattern: Pattern[..., Any], step: PlannedStep, kinds: Iterable[EntityKind[Any]]
) -> tuple[EntityKind[Any], ...]:
    """Return the entities that a step names, or those whose keys have the form that it names."""
    there = [kind for kind in kinds if kind.table is step.table]
    named = tuple(kind for kind in there if kind.name in step.entities)
    # One that is named and not found could not be built, and no other stands for it.
    if named or step.entities or not pattern.is_raw:
        return named
    if step.definition is None:
        return tuple(there)  # an index that is not there may have been meant for any
    return tuple(reached(step.definition, there, templates(pattern, step)))


def reached(
    index: Index, kinds: Iterable[EntityKind[Any]], said: Mapping[str, Template]
) -> Iterator[EntityKind[Any]]:
    """The entities whose records a request may read or write, by what it says of their keys."""
    for kind in kinds:
        keys = [key.parts for key in kind.keys.values() if key.definition is index]
        if any(_fits(parts, said) for parts in keys or _inherited(index, kind)):
            yield kind


def _inherited(index: Index, kind: EntityKind[Any]) -> Iterator[list[KeyPart]]:
    """The attributes of an index that other keys of an entity write anyway, if they write all.

    An index on the table's own key attributes, such as one that inverts them, holds every item.
    """
    written = {part.attribute.name: part for key in kind.keys.values() for part in key.parts}
    parts = [written[a.name] for a in index.attributes if a.name in written]
    if len(parts) == len(index.attributes):
        yield parts


def key_texts(step: PlannedStep) -> Iterator[tuple[str, str, bool]]:
    """The texts of a request's key attributes, and whether each is only a beginning."""
    keys = {} if step.item is None else {n: Compared("=", s) for n, s in step.item.items()}
    for name, compared in {**keys, **step.key}.items():
        match compared:
            case Compared("=", Text(template)):
                yield name, template, False
            case Compared("begins_with", Text(template)):
                yield name, template, True
            case Compared("between", Text(low), Text(high)):
                yield name, _common(low, high), True
            case _:
                pass


def templates(pattern: Pattern[..., Any], step: PlannedStep) -> dict[str, Template]:
    """The templates of a raw request's key attributes, as far as they can be read."""
    wholes = {name: text + f"{{{_REST}}}" * begins for name, text, begins in key_texts(step)}
    return {name: read for name, whole in wholes.items() if (read := _read(pattern, whole))}


def compared_templates(
    pattern: Pattern[..., Any], step: PlannedStep
) -> Iterator[tuple[str, Template]]:
    """The templates of the ends of ranges over key attributes, as far as they can be read."""
    for name, compared in step.key.items():
        for source in compared.sources if compared.op not in {"=", "begins_with"} else ():
            read = _read(pattern, source.template) if isinstance(source, Text) else None
            if read is not None:
                yield name, read


def numbers_after(pattern: Pattern[..., Any], step: PlannedStep, attribute: str) -> Iterator[str]:
    """Yield the text after which both ends of a range over a key attribute have a digit."""
    match step.key.get(attribute):
        case Compared("between", Text(low), Text(high)):
            before = _common(low, high)
            ends = [end[len(before) :] for end in (low, high)]
            types = {f"{{{p.name}": plain_type(p.type)[0] for p in pattern.parameters}
            leads = [re.match(r"\{\w+", end) for end in ends]
            held = [types.get(lead.group()) if lead else None for lead in leads]
            if all(isinstance(one, type) and issubclass(one, _DIGITS) for one in held):
                yield before
        case _:
            pass


def _read(pattern: Pattern[..., Any], text: str) -> Template | None:
    types = {p.name: plain_type(p.type)[0] for p in pattern.parameters}
    bounds = {p.name: whole_bounds(p.type) for p in pattern.parameters}
    shapes = {p.name: text_shape(p.type) for p in pattern.parameters}
    with suppress(TemplateError):
        return parse_template(text, types | {_REST: str}, bounds, shapes)
    return None


def _common(low: str, high: str) -> str:
    """The beginning that the ends of a range share, without half of a slot."""
    pairs = zip(low, high, strict=False)
    shorter = min(len(low), len(high))
    shared = low[: next((n for n, (one, other) in enumerate(pairs) if one != other), shorter)]
    return shared[: shared.rindex("{")] if shared.count("{") > shared.count("}") else shared


def _fits(parts: Iterable[KeyPart], said: Mapping[str, Template]) -> bool:
    return all(_meets(part, said.get(part.attribute.name)) for part in parts)


def _meets(part: KeyPart, said: Template | None) -> bool:
    return part.attribute.type != "S" or meets(part.template, said)


def meets(template: Template, said: Template | None) -> bool:
    """Whether a key attribute can have the form; where nothing is said of it, it has any."""
    if said is None:
        return True
    if _REST in said.fields:
        return can_start(said, [name for name in said.fields if name != _REST], template)
    return can_collide(said, template)


def fixed_fields(step: PlannedStep, attribute: str, template: Template) -> frozenset[str]:
    """The fields of a key attribute's template that are alike in all that a request reads."""
    compared = step.key.get(attribute)
    if compared is not None and isinstance(compared.source, Text):
        own = compared.source
        if own.template == template.text:  # a typed request leaves slots open, and says so
            return frozenset(own.slots)
    texts = (
        slot_texts(template, text, begins=begins)
        for name, text, begins in key_texts(step)
        if name == attribute
    )
    return frozenset(field for found in texts for field, _ in found)


def meant_fields(step: PlannedStep, attribute: str, template: Template) -> frozenset[str]:
    """The fields that are meant to be alike, also where a beginning stops right after one."""
    texts = [text for name, text, begins in key_texts(step) if name == attribute and begins]
    literals = [part for part in template.parts if isinstance(part, str)]
    meant = {
        field
        for text in texts
        for literal in literals
        for field, _ in slot_texts(template, text + literal, begins=True)
    }
    return fixed_fields(step, attribute, template) | meant


def slot_texts(
    template: Template, text: str, *, begins: bool = False
) -> Iterator[tuple[str, str | None]]:
    """The fields whose values a text, or a beginning, contains whole, with those that are literal.

    None stands for a value with an argument in it.
    """
    given: list[str | None] = []
    for literal, name, _, _ in Formatter().parse(text):
        given += [*literal, *([] if name is None else [None])]
    place = 0
    for number, part in enumerate(template.parts):
        if isinstance(part, str):
            if given[place : place + len(part)] != list(part):
                return
            place += len(part)
            continue
        rest = [piece for piece in template.parts[number + 1 :] if isinstance(piece, str)]
        end = place
        while end < len(given) and not (rest and given[end] == rest[0][0]):
            end += 1
        is_whole = end < len(given) or (not begins and template.parts[-1] is part)
        if end == place or not is_whole:
            return
        literals = [character for character in given[place:end] if character is not None]
        yield part.field, "".join(literals) if len(literals) == end - place else None
        place = end
