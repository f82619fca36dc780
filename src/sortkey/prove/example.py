"""Examples: a few records and a call that reads or writes some, to measure and to race."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.records.kind import EntityKind
from sortkey.operations.operation import Operation
from sortkey.prove.generated import generated_for
from sortkey.prove.meter import Metered, MeteredRun
from sortkey.prove.samples import Case
from sortkey.prove.trial import ProofSettings

# If the arguments of a pattern seldom hit, more cases are tried than otherwise.
_PATIENCE = 8
_LEAST = 400
NOTHING_HIT = "no call found or wrote a record: provide matching values with `strategies`"


@dataclass(frozen=True, slots=True)
class Example:
    """Stored records, and the arguments of a call that reads or writes some of them."""

    pattern: Pattern[..., Any]
    kinds: Sequence[EntityKind[Any]]
    records: tuple[Entity, ...]
    arguments: Mapping[str, Any]
    # The fields that conditions of the pattern read, by the entity's name.
    compared_fields: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def operation(self) -> Operation[Any]:
        """Return the operation of the call."""
        return self.pattern(**self.arguments)


_Runs: TypeAlias = Callable[[Sequence[Entity], Mapping[str, Any]], MeteredRun | None]


def example_of(
    pattern: Pattern[..., Any], design: Design, how: ProofSettings, metered: Metered
) -> Example | None:
    """Return the first call of a pattern that hits, with only the records that it needs."""
    if pattern.name not in how.found:
        how.found[pattern.name] = _example(pattern, design, how, metered)
    return how.found[pattern.name]


def _example(
    pattern: Pattern[..., Any], design: Design, how: ProofSettings, metered: Metered
) -> Example | None:
    generated = generated_for(pattern, design, how)

    def run(records: Sequence[Entity], arguments: Mapping[str, Any]) -> MeteredRun | None:
        return called(pattern, records, arguments, metered)

    def hits(records: Sequence[Entity], arguments: Mapping[str, Any]) -> bool:
        return run(records, arguments) is not None

    found = generated.first_hit()
    if found is None or not hits(found.records, found.calls[0]):
        # The engine may hit where the oracle predicts nothing.
        found = generated.search(hits, max(_LEAST, how.tries * _PATIENCE))
    if found is None:
        return None
    entities, links = generated.entities, generated.links
    compared = {
        kind.name: [n for n in kind.model.model_fields if links.is_in_condition(kind.name, n)]
        for kind in entities.own
    }
    kept = _needed(found, run)
    return Example(
        pattern, [*entities.own, *entities.beside], kept.records, kept.calls[0], compared
    )


def called(
    pattern: Pattern[..., Any],
    records: Sequence[Entity],
    arguments: Mapping[str, Any],
    metered: Metered,
) -> MeteredRun | None:
    """Run a call on these records; return None if it neither reads nor writes a record."""
    try:
        operation = pattern(**arguments)
    except Exception:  # noqa: BLE001 - a pattern may refuse its arguments in any way
        return None
    metered.fill(records)
    try:
        run = metered.run(operation)
    except Exception:  # noqa: BLE001 - the trial of `right` reports it
        return None
    return run if run.is_hit else None


def _needed(case: Case, run: _Runs) -> Case:
    """Return the case without the records that do not affect its result."""
    whole = run(case.records, case.calls[0])
    for part in case.parts:
        less = run(part.records, part.calls[0])
        if less and whole and less.usage.write_units >= whole.usage.write_units:
            return _needed(part, run)
    return case
