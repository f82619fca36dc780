"""The plan of a generated function agrees with the truth about each of its values.

It is held against calls that it was not made from: a constant, an argument and a text are what is
sent; a derived value stays while its arguments do; otherwise the plan does not know.
"""

from collections.abc import Mapping
from datetime import datetime
from string import Formatter
from typing import Any

import pytest
from hypothesis import given, settings
from tests.design.functions import (
    DESIGN,
    Build,
    Expression,
    Values,
    calls,
    function,
    made_values,
    put,
    query,
    update,
)

from sortkey.design.plans.drawn import Drawn
from sortkey.design.plans.plan import PlannedStep
from sortkey.design.plans.sources import (
    NOW,
    Argument,
    Constant,
    Derived,
    Elements,
    Generated,
    Members,
    Now,
    Source,
    Text,
    Variant,
    leaves,
    source_of,
)
from sortkey.design.plans.tracing import call, trace
from sortkey.expressions.tree import And, Compare, Condition, Path, Set, Value

UNKNOWN: Any = object()


def said(source: Source, parts: Mapping[str, Any]) -> Any:
    """What a source says that a call with these arguments sends; UNKNOWN where it says nothing."""
    match source:
        case Constant(value):
            # An expression has times as they are stored.
            is_time = isinstance(value, str) and value.endswith(".000000Z")
            return datetime.fromisoformat(value) if is_time else value
        case Argument(name):
            return parts[name]
        case Now():
            return parts[NOW]
        case Text(template, slots):
            text = ""
            for before, slot, _, _ in Formatter().parse(template):
                filled = "" if slot is None else said(slots[slot], parts)
                if filled is UNKNOWN:
                    return UNKNOWN
                text += before + (
                    filled.isoformat() if isinstance(filled, datetime) else str(filled)
                )
            return text
        case _:
            return UNKNOWN


def depends_on(source: Source) -> set[str] | None:
    """The arguments that a value may change with; None where a plan does not know."""
    found: set[str] = set()
    for leaf in leaves(source):
        match leaf:
            case Argument(name):
                found.add(name)
            case Now():
                found.add(NOW)
            case Derived(names) if names:
                found.update(names)
            case Constant():
                pass
            case _:
                return None
    if isinstance(source, Variant):
        return found.union(source.by) if source.by else None
    return found


def holds(value: Expression, source: Source, one: Drawn, other: Drawn) -> bool:
    """Whether the plan is right about a value in two calls."""
    for drawn in (one, other):
        sent, shown = value.of(drawn), said(source, drawn.parts)
        if shown is not UNKNOWN and sent != shown:
            return False
        if isinstance(source, Variant):
            options = [said(option, drawn.parts) for option in source.options]
            if sent not in options:
                return False
    names = depends_on(source)
    if names is None:
        return True
    mixed = other
    for name in names:
        mixed = mixed.with_value(name, one.parts[name])
    return value.of(mixed) == value.of(one)


def sources_in(step: PlannedStep) -> dict[str, Source]:
    """Where each of the values went, with what the plan says of it."""
    found: dict[str, Source] = {}
    partition = step.key["PK"].source
    if isinstance(partition, Text) and "owner" in partition.slots:
        found["owner"] = partition.slots["owner"]
    if step.limit is not None:
        found["limit"] = step.limit
    for name, source in (step.item or {}).items():
        match source:
            case Elements(elements):
                found["tag"] = elements[0]
            case Members(members):
                found["inner"] = members["inner"]
            case _ if name in {"thing_id", "text", "number", "at"}:
                found[name] = source
            case _:
                pass
    for action in step.update.actions if step.update else ():
        if isinstance(action, Set) and isinstance(action.operation, Value):
            found[action.path.name] = source_of(action.operation)
    return found | dict(_compared(step.filter)) | dict(_compared(step.condition))


def _compared(condition: Condition | None) -> list[tuple[str, Source]]:
    match condition:
        case And(conditions):
            return [pair for part in conditions for pair in _compared(part)]
        case Compare(_, Path() as path, Value() as value) if path.name in {"text", "at"}:
            return [(path.name, source_of(value))]
        case _:
            return []


@pytest.mark.parametrize("build", [put, update, query])
@settings(max_examples=25)
@given(values=made_values, one=calls(), other=calls())
def test_the_plan_of_a_function_agrees_with_what_it_sends(
    build: Build, values: Values, one: Drawn, other: Drawn
) -> None:
    asked = function(build, values)
    plan = trace(asked, DESIGN)
    assert plan.error is None, plan.error
    [step] = plan.steps
    if build is query:
        # A plan is about the calls that take its path.
        flag = step.filter is not None
        one, other = one.with_value("flag", flag), other.with_value("flag", flag)

    for name, source in sources_in(step).items():
        assert holds(values[name], source, one, other), (values[name], source)
        if values[name].exact:
            assert said(source, one.parts) is not UNKNOWN, (values[name], source)


@settings(max_examples=25)
@given(values=made_values, one=calls())
def test_what_is_generated_differs_in_every_call(values: Values, one: Drawn) -> None:
    asked = function(put, values)
    plan = trace(asked, DESIGN)
    [step] = plan.steps
    first, second = (call(asked, one).plan.steps[0].item or {} for _ in range(2))

    for name in ("thing_id", "text"):
        source = (step.item or {})[name]
        if source == Generated():
            # It may be generated for some arguments only.
            assert first[name] != second[name] or "if" in values[name].shown
        elif not any(isinstance(leaf, Generated) for leaf in leaves(source)):
            assert first[name] == second[name]
