"""Replays: run a counterexample again, for the tests that `prove` writes."""

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, get_args

from sortkey.clock import clock
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.errors import Refused
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
    """Run a counterexample of `sortkey prove` again and return what is wrong, or None.

    ``subject`` names a pattern, which is called with each of ``calls`` in turn, or an entity, which
    takes no calls. The records are stored first. The tests that ``prove`` writes call this
    function. It needs the extra ``sortkey[prove]``.
    """
    found = _found(design, subject, Case(tuple(records), tuple(calls)))
    return None if found is None else found.message


def prove_again(design: Design, aspect: str, subject: str, *, seed: int, tries: int) -> str | None:
    """Prove one aspect of a design again and return why it is refuted, or None.

    ``subject`` names a pattern, an entity, a key or an invariant, as the report does. The same
    ``seed`` and number of ``tries`` generate the same cases. It needs the extra ``sortkey[prove]``.
    """
    how = ProofSettings(seed, tries, Strategies(design.modules))
    aspects = [each for each in ASPECTS if each.name == aspect]
    report = prove(design, how, aspects=aspects, only=[subject])
    if not report.verdicts:
        raise Refused(
            f"{design.name} has nothing named {subject} that the aspect {aspect} judges: correct "
            "the name, or delete the test"
        )
    refuted = report.of(ProofOutcome.REFUTED)
    return next((verdict.reason for verdict in refuted), None)


def names_in(design: Design) -> SimpleNamespace:
    """Return every name in a design's modules and the classes of its patterns' arguments.

    A test that loads a design from a file writes its records with them: ``names.Order(number=1)``.
    It needs the extra ``sortkey[prove]``.
    """
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
        for kind in design.kinds:
            if kind.name == subject:
                return lossless.attempt(kind, design, case)
    raise Refused(
        f"{design.name} has no pattern or entity {subject}: correct the name, or delete the test"
    )
