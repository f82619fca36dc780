"""Examples: a few records and a call that finds or writes something, to measure and to race."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.pattern import Pattern
from sortkey.operations.operation import Operation
from sortkey.prove.generated import generated_for
from sortkey.prove.meter import Metered, Run
from sortkey.prove.samples import Case
from sortkey.prove.trial import Settings

# Of a pattern whose arguments seldom hit, more cases are tried than of any other.
_PATIENCE = 8
_LEAST = 400
NOTHING_HIT = (
    "no call that was tried found or wrote anything: give values that belong together with "
    "`strategies`"
)


@dataclass(frozen=True, slots=True)
class Example:
    """Records that are stored, and the arguments of a call on them that comes to something."""

    pattern: Pattern[..., Any]
    kinds: Sequence[EntityKind[Any]]
    records: tuple[Entity, ...]
    arguments: Mapping[str, Any]
    # The fields that conditions of the pattern look at, by the entity's name.
    asked: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def operation(self) -> Operation[Any]:
        """The call's operation."""
        return self.pattern(**self.arguments)


_Runs: TypeAlias = Callable[[Sequence[Entity], Mapping[str, Any]], Run | None]


def example_of(
    pattern: Pattern[..., Any], design: Design, how: Settings, metered: Metered
) -> Example | None:
    """The first call of a pattern that comes to something, on no more records than it needs."""
    if pattern.name not in how.found:
        how.found[pattern.name] = _example(pattern, design, how, metered)
    return how.found[pattern.name]


def _example(
    pattern: Pattern[..., Any], design: Design, how: Settings, metered: Metered
) -> Example | None:
    generated = generated_for(pattern, design, how)

    def run(records: Sequence[Entity], arguments: Mapping[str, Any]) -> Run | None:
        return called(pattern, records, arguments, metered)

    def hits(records: Sequence[Entity], arguments: Mapping[str, Any]) -> bool:
        return run(records, arguments) is not None

    found = generated.first_hit()
    if found is None or not hits(found.records, found.calls[0]):
        # What the oracle cannot foresee, the engine may still do.
        found = generated.search(hits, max(_LEAST, how.tries * _PATIENCE))
    if found is None:
        return None
    roles, links = generated.roles, generated.links
    asked = {
        kind.name: [n for n in kind.model.model_fields if links.is_asked(kind.name, n)]
        for kind in roles.own
    }
    kept = _needed(found, run)
    return Example(pattern, [*roles.own, *roles.beside], kept.records, kept.calls[0], asked)


def called(
    pattern: Pattern[..., Any],
    records: Sequence[Entity],
    arguments: Mapping[str, Any],
    metered: Metered,
) -> Run | None:
    """What a call on these records comes to; None where it comes to nothing."""
    try:
        operation = pattern(**arguments)
    except Exception:  # noqa: BLE001 - a pattern may refuse its arguments in any way
        return None
    metered.begin(records)
    try:
        run = metered.run(operation)
    except Exception:  # noqa: BLE001 - what is wrong with it, other trials show
        return None
    return run if run.came_to_something else None


def _needed(case: Case, run: _Runs) -> Case:
    """The case without the records that do not matter to it."""
    whole = run(case.records, case.calls[0])
    for part in case.parts:
        less = run(part.records, part.calls[0])
        if less and whole and less.usage.write_units >= whole.usage.write_units:
            return _needed(part, run)
    return case
