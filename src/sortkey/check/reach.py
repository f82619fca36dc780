"""Which entities a raw request can be about: those whose keys have the form that it names."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from sortkey.design.keys import KeyPart
from sortkey.design.kind import EntityKind
from sortkey.design.marks import plain_type
from sortkey.design.pattern import Pattern
from sortkey.design.plan import Compared, PlannedStep
from sortkey.design.sources import Text
from sortkey.design.table import Index
from sortkey.design.templates import Template, TemplateError, parse_template
from sortkey.design.unify import can_collide, can_start

_REST = "rest_"


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
    types = {p.name: plain_type(p.type)[0] for p in pattern.parameters}
    found: dict[str, Template] = {}
    for name, text, begins in key_texts(step):
        with suppress(TemplateError):
            whole = text + f"{{{_REST}}}" * begins
            found[name] = parse_template(whole, types | {_REST: str})
    return found


def _common(low: str, high: str) -> str:
    """The beginning that the ends of a range share, without half of a slot."""
    length = next((n for n, pair in enumerate(zip(low, high, strict=False)) if len({*pair}) > 1), 0)
    shared = low[:length] if low != high else low
    return shared[: shared.rindex("{")] if shared.count("{") > shared.count("}") else shared


def _fits(parts: Iterable[KeyPart], said: Mapping[str, Template]) -> bool:
    return all(_meets(part, said.get(part.attribute.name)) for part in parts)


def _meets(part: KeyPart, said: Template | None) -> bool:
    """Whether a key attribute can have the form; where nothing is said of it, it has any."""
    if said is None or part.attribute.type != "S":
        return True
    if _REST in said.fields:
        return can_start(said, [name for name in said.fields if name != _REST], part.template)
    return can_collide(said, part.template)
