"""The plan of each pattern as a versioned JSON value, with arguments in place of their values.

A pattern is called with samples, and what its operation would send is written down with the name
of each argument where its sample turns up. See docs/reference/plan.md for every member.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from enum import Enum
from string import Formatter
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from sortkey.design.design import Design
from sortkey.design.kind import EntityKind
from sortkey.design.pattern import Pattern
from sortkey.design.samples import MOMENT, Samples
from sortkey.expressions.render import Renderer
from sortkey.expressions.tree import And, BeginsWith, Between, Compare, Condition, Path, Value
from sortkey.operations.clock import clock
from sortkey.operations.operation import Operation
from sortkey.operations.origin import Filled, Given
from sortkey.operations.plan import PLAN_VERSION, Step
from sortkey.operations.query import Query
from sortkey.operations.walk import PageOf
from sortkey.wire.values import AttributeValue, Item


def plan_of(design: Design) -> dict[str, Any]:
    """The plans of all patterns of a design."""
    return {
        "version": PLAN_VERSION,
        "design": design.name,
        "patterns": [pattern_plan(pattern, design) for pattern in design.patterns],
    }


def pattern_plan(pattern: Pattern[..., Any], design: Design) -> dict[str, Any]:
    """One pattern's plan; its ``error`` says why, where samples do not make an operation."""
    known: dict[str, Any] = {"name": pattern.name, "title": pattern.title}
    try:
        known["arguments"] = {p.name: type_text(p.type) for p in pattern.parameters}
        known["returns"] = type_text(pattern.returns)
        known |= _expectations(pattern)
        with clock(lambda: MOMENT):
            known |= _asked(pattern, design)
    except Exception as error:  # noqa: BLE001 - whatever a design's own function raises
        known["error"] = f"{type(error).__name__}: {error}"
    return known


def _expectations(pattern: Pattern[..., Any]) -> dict[str, Any]:
    said = {
        "rate": None if pattern.rate is None else pattern.rate.per_second,
        "fresh": pattern.fresh or None,
        "page": pattern.page,
    }
    return {name: value for name, value in said.items() if value is not None}


def _asked(pattern: Pattern[..., Any], design: Design) -> dict[str, Any]:
    """The steps with all arguments given, or where that is refused with the required ones."""
    try:
        return _called(pattern, design, every=True)
    except Exception:
        if all(parameter.required for parameter in pattern.parameters):
            raise
    return _called(pattern, design, every=False)


def _called(pattern: Pattern[..., Any], design: Design, *, every: bool) -> dict[str, Any]:
    samples = Samples()
    given = [p for p in pattern.parameters if every or p.required]
    values = {p.name: samples.make(p.name, p.type) for p in given}
    operation = pattern(
        *(values[p.name] for p in given if not p.keyword_only),
        **{p.name: values[p.name] for p in given if p.keyword_only},
    )
    plan = operation.plan()
    writer = _Writer(design, samples, operation)
    return {"shape": plan.shape, "steps": _joined([writer.step(step) for step in plan.steps])}


def _joined(steps: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps, those of a key's shards as one."""
    joined: list[dict[str, Any]] = []
    for step in steps:
        if joined and {**joined[-1], "shards": 1} == {**step, "shards": 1}:
            joined[-1]["shards"] = joined[-1].get("shards", 1) + 1
        else:
            joined.append(step)
    return joined


class _Writer:
    """Writes the steps of one operation."""

    def __init__(self, design: Design, samples: Samples, operation: Operation[Any]) -> None:
        self._samples = samples
        self._kinds = {(str(kind.table), kind.name): kind for kind in design.kinds}
        walk: object = getattr(operation, "walk", operation)
        self._comparison = walk.comparison if isinstance(walk, Query) else None
        self._page = operation.size if isinstance(operation, PageOf) else None

    def step(self, step: Step) -> dict[str, Any]:
        """One step, without the members that say nothing."""
        text = _NamedRenderer(self)
        is_walk = step.verb in {"Query", "Scan"}
        limit = step.limit if self._page is None else self._page
        members: dict[str, Any] = {
            "operation": step.verb,
            "table": str(step.table),
            "index": step.index,
            "entities": step.entity.split(", ") if step.entity else None,
            "key": self._key(step),
            "item": None if step.item is None else self._item(step, step.item),
            "filter": None if step.filter is None else text.condition(step.filter),
            "condition": None if step.condition is None else text.condition(step.condition),
            "update": None if step.update is None else text.update(step.update),
            "projection": None if step.projection is None else sorted(step.projection.names),
            "consistent": step.consistent or None,
            "order": ("ascending" if step.forward else "descending") if is_walk else None,
            "limit": None if limit is None else self.argument(limit),
        }
        return {name: value for name, value in members.items() if value is not None}

    def argument(self, value: Any) -> Any:
        """``$name`` for an argument, JSON for anything else."""
        name = self._samples.name_of(value)
        return plain(value) if name is None else f"${name}"

    def text(self, value: Value) -> str:
        """A value as it is shown within an expression."""
        match value.origin:
            case Given(given):
                name = self._samples.name_of(given)
            case Filled(template, bound):
                return f'"{self._filled(template, bound)}"'
            case _:
                name = self._samples.name_of_stored(value.value)
        if name is not None:
            return f"${name}"
        return _literal(value.value, self._samples)

    def _filled(self, template: str, bound: Mapping[str, Any]) -> str:
        """A template with the arguments' names in its slots."""
        text = ""
        for before, name, spec, _ in Formatter().parse(template):
            text += before
            if name is not None:
                argument = self._samples.name_of(bound.get(name)) if name in bound else name
                shown = argument or str(plain(bound[name]))
                text += f"{{{shown}:{spec}}}" if spec else f"{{{shown}}}" if argument else shown
        return text

    def _key(self, step: Step) -> dict[str, Any] | None:
        if step.key is not None:
            return {name: {"op": "=", **self._made_from(v)} for name, v in step.key.items()}
        if step.key_condition is None:
            return None
        return dict(map(self._part, _parts(step.key_condition)))

    def _part(self, condition: Condition) -> tuple[str, dict[str, Any]]:
        match condition:
            case Compare(op, Path() as path, Value() as value):
                return path.name, {"op": op, **self._made_from(value)}
            case BeginsWith(Path() as path, Value() as value):
                return path.name, {"op": "begins_with", **self._made_from(value)}
            case Between(Path() as path, Value() as low, Value() as high):
                made = self._made_from(low)
                if "value" in made:
                    made = {"values": [made["value"], self._made_from(high)["value"]]}
                return path.name, {"op": "between", **made}
            case _:
                return "?", {"op": "?", "text": _NamedRenderer(self).condition(condition)}

    def _made_from(self, value: Value) -> dict[str, Any]:
        match value.origin:
            case Filled(template, bound):
                return self._template(template, bound)
            case Given(given):
                return {"value": self.argument(given)}
            case _:
                return {"value": self._stored(value.value)}

    def _template(self, template: str, bound: Mapping[str, Any]) -> dict[str, Any]:
        slots = dict.fromkeys(name for _, name, _, _ in Formatter().parse(template) if name)
        compared = self._comparison
        if compared is not None and compared[1] in slots and bound.get(compared[1]) == compared[2]:
            op, field, values = compared
            ranged = {"op": op, "field": field, "values": [self.argument(v) for v in values]}
            bound = {name: value for name, value in bound.items() if name != field}
            return {**self._template(template, bound), "range": ranged}
        filled = {name: self.argument(bound[name]) for name in slots if name in bound}
        return {"template": template, "bound": filled}

    def _item(self, step: Step, item: Item) -> dict[str, Any]:
        kind = self._kinds.get((str(step.table), step.entity))
        made = {} if kind is None else dict(self._attributes(kind, item))
        return {name: made.get(name) or self._stored(value) for name, value in item.items()}

    def _attributes(self, kind: EntityKind[Any], item: Item) -> Iterator[tuple[str, Any]]:
        """The attributes of a record that come from a key's template or from one field."""
        for part in (part for key in kind.keys.values() for part in key.parts):
            stored = item.get(part.attribute.name)
            if stored is None or part.is_natural:
                continue
            parsed = part.template.parse(stored.get("S", ""))
            if parsed is not None:
                yield part.attribute.name, self._template(part.template.text, parsed)
        for field in kind.codec.fields.values():
            if field.stored in item:
                name = self._samples.name_of(field.decode(item[field.stored]))
                if name is not None:
                    yield field.stored, f"${name}"

    def _stored(self, stored: AttributeValue) -> Any:
        name = self._samples.name_of_stored(stored)
        if name is not None:
            return f"${name}"
        if "S" in stored:
            template = self._samples.as_template(stored["S"])
            return {"template": template} if template != stored["S"] else plain(template)
        return stored


class _NamedRenderer(Renderer):
    """Renders expressions for people: attributes by their names, values by where they come from."""

    def __init__(self, writer: _Writer) -> None:
        super().__init__()
        self._writer = writer

    def operand(self, operand: Any) -> str:
        """The text of a path, value or size."""
        return (
            self._writer.text(operand) if isinstance(operand, Value) else super().operand(operand)
        )

    def _name(self, name: str) -> str:
        return name


def _parts(condition: Condition) -> tuple[Condition, ...]:
    return condition.conditions if isinstance(condition, And) else (condition,)


def _literal(stored: AttributeValue, samples: Samples) -> str:
    [(kind, content)] = stored.items()
    if kind == "S":
        return f'"{samples.as_template(content)}"'
    if kind in {"N", "BOOL"}:
        return str(content).lower()
    if kind == "NULL":
        return "null"
    if kind == "L" and not content:
        return "[]"
    return str(stored)


def plain(value: Any) -> Any:
    """A Python value in JSON; a text that begins with $ has it doubled, to be no argument."""
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str):
        return f"${value}" if value.startswith("$") else str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        members = cast("Mapping[Any, Any]", value)
        return {str(name): plain(member) for name, member in members.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(member) for member in cast("Sequence[Any]", value)]
    return str(value)


def type_text(annotation: Any) -> str:
    """A type as it is written in code."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is None or annotation is type(None):
        return "None"
    if origin is Annotated:
        return type_text(arguments[0])
    if origin in {Union, UnionType}:
        return " | ".join(map(type_text, arguments))
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if annotation is Ellipsis:
        return "..."
    name = getattr(origin or annotation, "__name__", None) or str(annotation)
    return f"{name}[{', '.join(map(type_text, arguments))}]" if arguments else str(name)
