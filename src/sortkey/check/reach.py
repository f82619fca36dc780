"""Which entities a raw request can be about: those whose keys have the form that it names."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sortkey.check.conditions import conjuncts
from sortkey.design.keys import EntityKey, KeyPart
from sortkey.design.kind import EntityKind
from sortkey.design.table import Index
from sortkey.design.templates import Template, TemplateError, parse_template
from sortkey.design.unify import can_collide, can_start
from sortkey.expressions.tree import BeginsWith, Between, Compare, Path, Value
from sortkey.operations.origin import Filled
from sortkey.operations.plan import Step
from sortkey.wire.values import AttributeValue

_REST = "rest_"


def reached(
    step: Step, index: Index, kinds: Iterable[EntityKind[Any]], arguments: Mapping[str, Any]
) -> Iterator[EntityKind[Any]]:
    """The entities whose records a request may read or write, by what it says of their keys."""
    forms = dict(_forms(step, arguments))
    for kind in kinds:
        if any(key.definition is index and _fits(key, forms) for key in kind.keys.values()):
            yield kind


def key_values(step: Step) -> Iterator[tuple[str, Value, bool]]:
    """The key attributes of a request, each with a value, and whether it is only a beginning."""
    for name, value in (step.key or {}).items():
        yield name, value, False
    for part in conjuncts(step.key_condition):
        match part:
            case Compare("=", Path() as path, Value() as value):
                yield path.name, value, False
            case BeginsWith(Path() as path, Value() as value):
                yield path.name, value, True
            case Between(Path() as path, Value() as value):
                yield path.name, _common(value), True
            case _:
                pass


def raw_template(value: Value, arguments: Mapping[str, Any], *, begins: bool) -> Template | None:
    """The template of a raw value; with ``begins`` of all that begins so."""
    text = value.origin.template if isinstance(value.origin, Filled) else None
    if text is None:
        return None
    types = {name: kind for name, kind in arguments.items() if isinstance(kind, type)}
    try:
        return parse_template(text + f"{{{_REST}}}" * begins, types | {_REST: str})
    except TemplateError:
        return None


def _common(low: Value) -> Value:
    """The beginning that the bounds of a range share, as far as the design writes it down."""
    match low.origin:
        case Filled(template, bound):
            return Value(low.value, Filled(template[: template.rfind("{")], bound))
        case _:
            return low


def _forms(step: Step, arguments: Mapping[str, Any]) -> Iterator[tuple[str, Template]]:
    item: Mapping[str, AttributeValue] = step.item or {}
    for name, value in item.items():
        template = _of_item(value, arguments)
        if template is not None:
            yield name, template
    for name, value, begins in key_values(step):
        template = raw_template(value, arguments, begins=begins)
        if template is not None:
            yield name, template


def _of_item(value: AttributeValue, arguments: Mapping[str, Any]) -> Template | None:
    """The template of an item's text, whose samples are written as «argument»."""
    text = value.get("S")
    if text is None:
        return None
    for name in arguments:
        text = text.replace(f"«{name}»", f"{{{name}}}")
    return raw_template(Value(value, Filled(text, {})), arguments, begins=False)


def _fits(key: EntityKey, forms: Mapping[str, Template]) -> bool:
    return all(_meets(part, forms.get(part.attribute.name)) for part in key.parts)


def _meets(part: KeyPart, form: Template | None) -> bool:
    """Whether a key attribute can have the form; where nothing is said of it, it has any."""
    if form is None or part.attribute.type != "S":
        return True
    if _REST in form.fields:
        return can_start(form, [name for name in form.fields if name != _REST], part.template)
    return can_collide(form, part.template)
