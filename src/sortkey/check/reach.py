"""Which entities a raw request can be about: those whose keys have the form that it names."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sortkey.check.conditions import conjuncts
from sortkey.design.keys import EntityKey, KeyPart
from sortkey.design.kind import EntityKind
from sortkey.design.raw import RawRequest
from sortkey.design.table import Index
from sortkey.design.templates import Template, TemplateError, parse_template
from sortkey.design.unify import can_collide, can_start
from sortkey.expressions.tree import BeginsWith, Between, Compare, Path, Value
from sortkey.operations.origin import Filled
from sortkey.operations.plan import Step

_REST = "rest_"


def reached(
    index: Index, kinds: Iterable[EntityKind[Any]], said: Mapping[str, Template]
) -> Iterator[EntityKind[Any]]:
    """The entities whose records a request may read or write, by what it says of their keys."""
    for kind in kinds:
        keys = [key for key in kind.keys.values() if key.definition is index]
        if any(_fits(key, said) for key in keys):
            yield kind


def key_texts(step: Step, raw: RawRequest) -> Iterator[tuple[str, str, bool]]:
    """The texts of a raw request's key attributes, and whether each is only a beginning."""
    for name, value in {**(raw.item or {}), **(raw.key or {})}.items():
        if isinstance(value, str):
            yield name, value, False
    for part in conjuncts(step.key_condition):
        match part:
            case Compare("=", Path() as path, Value(origin=Filled(template))):
                yield path.name, template, False
            case BeginsWith(Path() as path, Value(origin=Filled(template))):
                yield path.name, template, True
            case Between(Path() as path, Value(origin=Filled(low)), Value(origin=Filled(high))):
                yield path.name, _common(low, high), True
            case _:
                pass


def raw_templates(
    step: Step, raw: RawRequest, arguments: Mapping[str, Any]
) -> Iterator[tuple[str, Template]]:
    """The templates of a raw request's key attributes, as far as they can be read."""
    types = {name: kind for name, kind in arguments.items() if isinstance(kind, type)}
    for name, text, begins in key_texts(step, raw):
        try:
            yield name, parse_template(text + f"{{{_REST}}}" * begins, types | {_REST: str})
        except TemplateError:
            continue


def _common(low: str, high: str) -> str:
    """The beginning that the ends of a range share, without half of a slot."""
    length = next((n for n, pair in enumerate(zip(low, high, strict=False)) if len({*pair}) > 1), 0)
    shared = low[:length] if low != high else low
    return shared[: shared.rindex("{")] if shared.count("{") > shared.count("}") else shared


def _fits(key: EntityKey, said: Mapping[str, Template]) -> bool:
    return all(_meets(part, said.get(part.attribute.name)) for part in key.parts)


def _meets(part: KeyPart, said: Template | None) -> bool:
    """Whether a key attribute can have the form; where nothing is said of it, it has any."""
    if said is None or part.attribute.type != "S":
        return True
    if _REST in said.fields:
        return can_start(said, [name for name in said.fields if name != _REST], part.template)
    return can_collide(said, part.template)
