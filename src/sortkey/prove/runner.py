"""The runner: judges every aspect of every pattern, entity, key and invariant of a design."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sortkey.design.declaring.design import Design
from sortkey.prove import growth, invariants, lossless, right, safety, scale
from sortkey.prove.trial import ProofSettings
from sortkey.prove.verdict import ProofReport, Verdict


@dataclass(frozen=True, slots=True)
class Aspect:
    """One question about a design: its subjects, and the function that judges each of them."""

    name: str
    subjects: Callable[[Design], Sequence[Any]]
    judge: Callable[[Any, Design, ProofSettings], Verdict]


ASPECTS = (
    Aspect(right.NAME, right.subjects, right.judge),
    Aspect(lossless.NAME, lossless.subjects, lossless.judge),
    Aspect(growth.NAME, growth.subjects, growth.judge),
    Aspect(scale.NAME, scale.subjects, scale.judge),
    Aspect(safety.NAME, safety.subjects, safety.judge),
    Aspect(invariants.NAME, invariants.subjects, invariants.judge),
)


@dataclass(frozen=True, slots=True)
class ProofProgress:
    """The running trial, and the number of finished ones."""

    done: int
    total: int
    aspect: str
    subject: str


def prove(
    design: Design,
    how: ProofSettings,
    *,
    aspects: Sequence[Aspect] = ASPECTS,
    only: Sequence[str] = (),
    watch: Callable[[ProofProgress], None] | None = None,
) -> ProofReport:
    """Return the verdicts on a design, or only on the subjects that ``only`` names.

    If the run is interrupted, the report has the verdicts up to then.
    """
    selected = list(_selected(design, aspects, only))
    verdicts: list[Verdict] = []
    with suppress(KeyboardInterrupt):
        for number, (aspect, subject) in enumerate(selected):
            if watch is not None:
                watch(ProofProgress(number, len(selected), aspect.name, subject.name))
            verdicts.append(aspect.judge(subject, design, how))
    left = len(selected) - len(verdicts)
    return ProofReport(design.name, how.seed, how.tries, tuple(verdicts), left)


def _selected(
    design: Design, aspects: Sequence[Aspect], only: Sequence[str]
) -> Iterator[tuple[Aspect, Any]]:
    for aspect in aspects:
        for subject in aspect.subjects(design):
            if not only or subject.name in only:
                yield aspect, subject
