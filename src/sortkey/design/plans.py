"""The plan of each pattern as a versioned JSON value, with arguments in place of their values.

A pattern is called with samples, and what its operation would send is written down with the name
of each argument where its sample turns up. See docs/reference/plan.md for every member.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from string import Formatter
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from sortkey.design.design import Design
from sortkey.design.keys import unnumbered
from sortkey.design.kind import EntityKind
from sortkey.design.notation import filled, plain, present, shown, type_text, whole
from sortkey.design.pattern import Pattern
from sortkey.design.samples import LEFT_OUT, MOMENT, TURNS, Samples, alternatives, sampling
from sortkey.design.table import TableDefinition
from sortkey.expressions.key_condition import MIRRORED
from sortkey.expressions.render import Renderer
from sortkey.expressions.tree import And, BeginsWith, Between, Compare, Condition, Path, Value
from sortkey.operations.clock import clock
from sortkey.operations.operation import Operation
from sortkey.operations.origin import Filled, Given
from sortkey.operations.plan import PLAN_VERSION, Shape, Step
from sortkey.operations.secrets import Hidden
from sortkey.operations.walk import PageOf, Walk
from sortkey.wire.values import AttributeValue, Item


def plan_of(design: Design, names: Container[str] | None = None) -> dict[str, Any]:
    """The plans of all patterns of a design, or of those that are named."""
    return {
        "version": PLAN_VERSION,
        "design": design.name,
        "patterns": [
            pattern_plan(pattern, design)
            for pattern in design.patterns
            if names is None or pattern.name in names
        ],
    }


def pattern_plan(pattern: Pattern[..., Any], design: Design) -> dict[str, Any]:
    """One pattern's plan; its ``error`` says why, where samples do not make an operation."""
    return trace(pattern, design).plan


@dataclass(frozen=True, slots=True)
class TracedStep:
    """One step of a plan beside what is sent, and what each value in its expressions stands for."""

    sent: Step
    plan: dict[str, Any]
    texts: Mapping[int, str]

    def text_of(self, value: Value) -> str:
        """A value of the filter, condition or update as the plan writes it."""
        return self.texts[id(value)]


@dataclass(frozen=True, slots=True)
class Trace:
    """One pattern's plan, with the steps that it was made from; or why there are none."""

    plan: dict[str, Any]
    steps: tuple[TracedStep, ...] = ()
    error: Exception | None = None


def trace(pattern: Pattern[..., Any], design: Design) -> Trace:
    """One pattern's plan, for whoever looks behind its texts."""
    known: dict[str, Any] = {"name": pattern.name, "title": pattern.title} | _said(pattern)
    try:
        known["arguments"] = {p.name: type_text(p.type) for p in pattern.parameters}
        optional = [p.name for p in pattern.parameters if not p.required]
        known |= {"optional": optional} if optional else {}
        known["returns"] = type_text(pattern.returns)
        shape, steps = _asked(pattern, design)
    except Exception as error:  # noqa: BLE001 - whatever a design's own function raises
        return Trace(known | {"error": f"{type(error).__name__}: {error}"}, error=error)
    return Trace(known | {"shape": shape, "steps": [step.plan for step in steps]}, steps)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a pattern sends for certain arguments, and ``later`` what only an answer calls for."""

    shape: Shape
    steps: tuple[TracedStep, ...]
    later: tuple[TracedStep, ...]


def everything_asked(pattern: Pattern[..., Any], design: Design) -> tuple[Asked, ...]:
    """What is sent with each argument, and with any one left out, empty, or chosen otherwise.

    A pattern may decide by an argument what it sends, and refuse some; an error where it refuses
    all.
    """
    asked: list[Asked] = []
    errors: list[Exception] = []
    changes = [
        {parameter.name: value}
        for parameter in pattern.parameters
        for value in alternatives(parameter.type, required=parameter.required)
    ]
    for instead in ({}, _only_required(pattern), *changes):
        try:
            turn = _Turn(pattern, design, every=True, instead=instead)
        except Exception as error:  # noqa: BLE001 - whatever a design's own function raises
            errors.append(error)
            continue
        asked.append(turn.asked())
    if not asked:
        raise errors[0]
    return tuple(asked)


def _only_required(pattern: Pattern[..., Any]) -> dict[str, Any]:
    return {p.name: LEFT_OUT for p in pattern.parameters if not p.required}


def _said(pattern: Pattern[..., Any]) -> dict[str, Any]:
    """What its declaration says of a pattern, without what was left out."""
    rate = pattern.rate
    meaning = {
        "where": pattern.where,
        "order": pattern.order,
        "descending": pattern.descending,
    }
    return present(
        {
            "doc": pattern.doc or None,
            "rate": None if rate is None else {"text": rate.text, "per_second": rate.per_second},
            "fresh": pattern.fresh or None,
            "page": pattern.page,
            "meaning": [name for name, stated in meaning.items() if stated] or None,
        }
    )


_Called: TypeAlias = tuple[Shape, tuple[TracedStep, ...]]


def _asked(pattern: Pattern[..., Any], design: Design) -> _Called:
    """The steps with all arguments given, or where that is refused with the required ones."""
    try:
        return _called(pattern, design, every=True)
    except Exception:
        if all(parameter.required for parameter in pattern.parameters):
            raise
    return _called(pattern, design, every=False)


def _called(pattern: Pattern[..., Any], design: Design, *, every: bool) -> _Called:
    first = _Turn(pattern, design, every=every)
    names = _Names(first.samples)
    steps = first.steps(names)
    if first.samples.choices:
        steps = first.steps(_Names(first.samples, _agreed(pattern, design, names, every=every)))
    shape = first.plan.shape
    return shape, tuple(_joined(steps) if shape == "pages" else steps)


def _agreed(
    pattern: Pattern[..., Any], design: Design, first: "_Names", *, every: bool
) -> list[set[str]]:
    """The names that hold in each turn, of all that the first turn asked for.

    What is named after a choice in one turn only is a constant. A turn that fails or sends
    something else, as where a pattern decides by an argument, has no say.
    """
    agreed = first.found
    for number in range(1, TURNS):
        with suppress(Exception):
            turn = _Turn(pattern, design, every=every, number=number)
            names = _Names(turn.samples)
            turn.steps(names)
            if names.without_choices == first.without_choices:
                agreed = [one & other for one, other in zip(agreed, names.found, strict=True)]
    return agreed


def _size_of(operation: Operation[Any]) -> int | None:
    """How many records are asked for, where a request may ask for more or fewer."""
    match operation:
        case PageOf():
            return operation.size
        case Walk():
            return operation.most
        case _:
            return None


class _Turn:
    """A pattern called with the samples of one turn."""

    def __init__(
        self,
        pattern: Pattern[..., Any],
        design: Design,
        *,
        every: bool,
        number: int = 0,
        instead: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.samples = Samples(number)
        wanted = [p for p in pattern.parameters if every or p.required]
        given = [p for p in wanted if instead.get(p.name) is not LEFT_OUT]
        with clock(lambda: MOMENT), sampling(self.samples):
            values = {
                p.name: instead[p.name] if p.name in instead else self.samples.make(p.name, p.type)
                for p in given
            }
            operation = pattern(
                *(values[p.name] for p in given if not p.keyword_only),
                **{p.name: values[p.name] for p in given if p.keyword_only},
            )
            self.plan = operation.plan()
        self._size = _size_of(operation)
        self._kinds = {(str(kind.table), kind.name): kind for kind in design.kinds}

    def steps(self, names: "_Names") -> list[TracedStep]:
        """The plan's steps, with arguments by these names."""
        return [self._traced(step, names) for step in self.plan.steps]

    def asked(self) -> Asked:
        """What is sent, each query of a shard by itself, with what an answer may call for."""
        names = _Names(self.samples)
        later = tuple(self._traced(step, names) for step in self.plan.later)
        return Asked(self.plan.shape, tuple(self.steps(names)), later)

    def _traced(self, step: Step, names: "_Names") -> TracedStep:
        kind = self._kinds.get((str(step.table), step.entity))
        writer = _Writer(names, kind, self._size)
        return TracedStep(step, writer.step(step), writer.texts)


class _Names:
    """The names of arguments in a plan, in the order in which its writer asks for them.

    Whatever the answers are, the writer asks the same, so that turns can be compared. With
    ``agreed`` only those names are given.
    """

    def __init__(self, samples: Samples, agreed: Sequence[Container[str]] | None = None) -> None:
        self.found: list[set[str]] = []
        self._samples = samples
        self._agreed = agreed

    @property
    def without_choices(self) -> list[set[str]]:
        """What was found, but for arguments that differ from turn to turn."""
        return [names - self._samples.choices for names in self.found]

    def of(self, value: Any) -> str | None:
        """The name of the argument that a value is, or None where it is none."""
        return next(iter(self._known(self._samples.names_of(value))), None)

    def of_stored(self, stored: AttributeValue) -> str | None:
        """The same for a value as DynamoDB stores it."""
        return next(iter(self._known(self._samples.names_of_stored(stored))), None)

    def as_template(self, text: str) -> tuple[str, list[str]]:
        """The text with a slot in the place of each argument in it, and their names."""
        names = self._known(self._samples.names_in(text))
        return self._samples.as_template(text, names), names

    def _known(self, names: list[str]) -> list[str]:
        agreed = names if self._agreed is None else self._agreed[len(self.found)]
        self.found.append(set(names))
        return [name for name in names if name in agreed]


def _joined(steps: Sequence[TracedStep]) -> Iterator[TracedStep]:
    """The queries, those of a key's shards as one: only the number at the end sets them apart."""
    for _, alike in groupby(steps, lambda step: step.plan):
        first, *more = alike
        yield replace(first, plan=first.plan | {"shards": len(more) + 1}) if more else first


class _Writer:
    """Writes one step of an operation, whose records are of a kind that may be known."""

    def __init__(self, names: _Names, kind: EntityKind[Any] | None, size: int | None) -> None:
        self.texts: dict[int, str] = {}
        self._names = names
        self._kind = kind
        self._size = size

    def step(self, step: Step) -> dict[str, Any]:
        """One step, without the members that say nothing."""
        text = _NamedRenderer(self)
        is_walk = step.verb in {"Query", "Scan"}
        limit = step.limit if self._size is None else self._size
        item = None if step.item is None else self._item(step.item)
        return present(
            {
                "operation": step.verb,
                "table": str(step.table),
                "index": step.index,
                "entities": step.entity.split(", ") if step.entity else None,
                "key": self._key(step) if item is None else _key_in(item, step.table),
                "item": item,
                "filter": None if step.filter is None else text.condition(step.filter),
                "condition": None if step.condition is None else text.condition(step.condition),
                "update": None if step.update is None else text.update(step.update),
                "projection": None if step.projection is None else sorted(step.projection.names),
                "consistent": step.consistent or None,
                "order": ("ascending" if step.forward else "descending") if is_walk else None,
                "limit": None if limit is None else self.argument(limit),
                "select": step.members.get("Select"),
            }
        )

    def argument(self, value: Any) -> Any:
        """``$name`` for an argument, JSON for anything else."""
        name = self._names.of(value)
        return plain(value) if name is None else f"${name}"

    def text(self, value: Value) -> str:
        """A value as it is shown within an expression."""
        text = self._text(value)
        self.texts[id(value)] = text
        return text

    def _text(self, value: Value) -> str:
        match value.origin:
            case Given(given):
                name = self._names.of(given)
            case Filled(template, bound):
                made = self._template(template, bound)
                if "S" in value.value:
                    return f'"{filled(made)}"'
                # Anything but a text fills its template alone.
                return str(next(iter(made["bound"].values())))
            case _:
                name = self._names.of_stored(value.value)
        constant = shown(self._constant(value.value))
        if name is not None:
            return f"${name}"
        return value.value.get("N", constant)

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
                return path.name, {"op": "between", **self._bounds(low, high)}
            case Compare(op, Value() as value, Path() as path):
                return self._part(Compare(MIRRORED[op], path, value))
            case _:
                return "?", {"op": "?", "text": _NamedRenderer(self).condition(condition)}

    def _bounds(self, low: Value, high: Value) -> dict[str, Any]:
        least, most = self._made_from(low), self._made_from(high)
        if least.keys() == most.keys() == {"value"}:
            return {"values": [least["value"], most["value"]]}
        return least if least == most else {"bounds": [least, most]}

    def _made_from(self, value: Value) -> dict[str, Any]:
        match value.origin:
            case Filled(template, bound, None):
                return self._template(template, bound)
            case Filled(template, bound, (op, field, values)):
                ranged = {"op": op, "field": field, "values": list(map(self.argument, values))}
                return {**self._template(template, bound), "range": ranged}
            case Given(given):
                return {"value": self.argument(given)}
            case _:
                return self._constant(value.value)

    def _template(self, template: str, bound: Mapping[str, Any]) -> dict[str, Any]:
        slots = dict.fromkeys(name for _, name, _, _ in Formatter().parse(template) if name)
        given = {name: self.argument(bound[name]) for name in slots if name in bound}
        return {"template": template, "bound": given}

    def _item(self, item: Item) -> dict[str, Any]:
        constants = {name: self._constant(value) for name, value in item.items()}
        return {**constants, **self._fields_in(item), **self._keys_in(item)}

    def _keys_in(self, item: Item) -> dict[str, Any]:
        """The attributes that a key's template made."""
        found: dict[str, Any] = {}
        keys = () if self._kind is None else self._kind.keys.values()
        parts = [(key, part) for key in keys for part in key.parts]
        for key, part in parts:
            stored = item.get(part.attribute.name)
            if stored is None or part.is_natural:
                continue
            sharding = key.sharding if part is key.partition[0] else None
            text = stored.get("S", "")
            parsed = part.template.parse(text)
            if parsed is None and sharding is not None:
                parsed = part.template.parse(unnumbered(text))
            if parsed is not None:
                made = self._template(part.template.text, parsed)
                shards = {} if sharding is None else {"shards": sharding.count}
                found[part.attribute.name] = made | shards
        return found

    def _fields_in(self, item: Item) -> dict[str, Any]:
        """The attributes that hold a field which is an argument."""
        found: dict[str, Any] = {}
        fields = () if self._kind is None else self._kind.codec.fields.values()
        for field in fields:
            if field.stored in item:
                stored = item[field.stored]
                plain = stored.plain if isinstance(stored, Hidden) else stored
                name = self._name_of_field(field.name, field.decode(plain))
                if name is not None:
                    found[field.stored] = {"value": f"${name}"}
        return found

    def _name_of_field(self, field: str, value: Any) -> str | None:
        """The argument that a field's value is; a version is one more than was loaded."""
        if self._kind is None or field != self._kind.version_field:
            return self._names.of(value)
        loaded = self._names.of(value - 1)
        return None if loaded is None else f"{loaded} + 1"

    def _constant(self, stored: AttributeValue) -> dict[str, Any]:
        """A value that no field or template is known to have made."""
        found = self._stored(stored)
        is_template = "S" in stored and not isinstance(found, str)
        return cast("dict[str, Any]", found) if is_template else {"value": found}

    def _stored(self, stored: AttributeValue) -> Any:
        name = self._names.of_stored(stored)
        [(kind, content)] = stored.items()
        match kind:
            case "S":
                template, names = self._names.as_template(content)
                if name is not None:
                    return f"${name}"
                if not names:
                    return plain(content)
                return {"template": template, "bound": {name: f"${name}" for name in names}}
            case "M":
                # A lock holds the key of its owner.
                inner = {member: self._stored(value) for member, value in content.items()}
                return inner | self._keys_in(content)
            case "L":
                return [self._stored(value) for value in content]
            case _ if name is not None:
                return f"${name}"
            case "N":
                return whole(content)
            case "NULL":
                return None
            case _:
                return content


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

    def name(self, name: str) -> str:
        """What stands for an attribute's name in the text."""
        return name


def _key_in(item: Mapping[str, Any], table: object) -> dict[str, Any]:
    """The key of an item that is written whole."""
    names = table.primary.attributes if isinstance(table, TableDefinition) else ()
    return {n.name: {"op": "=", **item[n.name]} for n in names if n.name in item}


def _parts(condition: Condition) -> tuple[Condition, ...]:
    return condition.conditions if isinstance(condition, And) else (condition,)
