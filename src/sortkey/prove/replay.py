"""Replays: run a counterexample again, for the tests that `prove` writes."""

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, get_args

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.operations.clock import clock
from sortkey.prove import lossless, right
from sortkey.prove.counterexample import Counterexample
from sortkey.prove.runner import ASPECTS, prove
from sortkey.prove.samples import Case
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import ProofSettings
from sortkey.prove.values import NOW
from sortkey.prove.verdict import ProofOutcome


def replay(
    design: Design,
    subject: str,
    records: Sequence[Entity],
    calls: Sequence[Mapping[str, Any]] = (),
) -> str | None:
    """Return what is wrong with a pattern after these calls, or with an entity, or None."""
    found = _found(design, subject, Case(tuple(records), tuple(calls)))
    return None if found is None else found.message


def judged_again(design: Design, aspect: str, subject: str, *, seed: int, tries: int) -> str | None:
    """Return why a pattern, an entity or a key is refuted in one aspect, or None."""
    how = ProofSettings(seed, tries, Strategies(design.modules))
    aspects = [each for each in ASPECTS if each.name == aspect]
    [verdict] = prove(design, how, aspects=aspects, only=[subject]).verdicts
    return verdict.reason if verdict.outcome is ProofOutcome.REFUTED else None


def names_in(design: Design) -> SimpleNamespace:
    """Return every name in a design's modules, and the classes of its patterns' arguments."""
    found = {cls.__name__: cls for cls in _classes(design)}
    for module in reversed(design.modules):
        found |= vars(module)
    return SimpleNamespace(**found)


def _classes(design: Design) -> Iterator[type]:
    yield from (kind.model for kind in design.kinds)
    for pattern in design.patterns:
        for parameter in pattern.parameters:
            yield from _classes_in(parameter.type)


def _classes_in(annotation: Any) -> Iterator[type]:
    if isinstance(annotation, type):
        yield annotation
    for member in get_args(annotation):
        yield from _classes_in(member)


def _found(design: Design, subject: str, case: Case) -> Counterexample | None:
    with clock(NOW.timestamp):
        for pattern in design.patterns:
            if pattern.name == subject:
                return right.attempt(pattern, design, case)
        [kind] = [kind for kind in design.kinds if kind.name == subject]
        return lossless.attempt(kind, design, case)
