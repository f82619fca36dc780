"""From a design to a report: every aspect of every pattern and entity, one after the other."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sortkey.design.design import Design
from sortkey.prove import growth, invariants, lossless, right, safety, scale
from sortkey.prove.trial import Settings
from sortkey.prove.verdict import Report, Verdict


@dataclass(frozen=True, slots=True)
class Aspect:
    """One question about a design: what it is asked of, and how it is answered."""

    name: str
    subjects: Callable[[Design], Sequence[Any]]
    judge: Callable[[Any, Design, Settings], Verdict]


ASPECTS = (
    Aspect(right.NAME, right.subjects, right.judge),
    Aspect(lossless.NAME, lossless.subjects, lossless.judge),
    Aspect(growth.NAME, growth.subjects, growth.judge),
    Aspect(scale.NAME, scale.subjects, scale.judge),
    Aspect(safety.NAME, safety.subjects, safety.judge),
    Aspect(invariants.NAME, invariants.subjects, invariants.judge),
)


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being tried now."""

    done: int
    total: int
    aspect: str
    subject: str


def prove(
    design: Design,
    how: Settings,
    *,
    aspects: Sequence[Aspect] = ASPECTS,
    only: Sequence[str] = (),
    watch: Callable[[Progress], None] | None = None,
) -> Report:
    """The verdicts on a design; on some of its patterns and entities only, where they are named.

    Where it is interrupted, the report has the verdicts that were reached by then.
    """
    asked = list(_asked(design, aspects, only))
    verdicts: list[Verdict] = []
    with suppress(KeyboardInterrupt):
        for number, (aspect, subject) in enumerate(asked):
            if watch is not None:
                watch(Progress(number, len(asked), aspect.name, subject.name))
            verdicts.append(aspect.judge(subject, design, how))
    left = len(asked) - len(verdicts)
    return Report(design.name, how.seed, how.tries, tuple(verdicts), left)


def _asked(
    design: Design, aspects: Sequence[Aspect], only: Sequence[str]
) -> Iterator[tuple[Aspect, Any]]:
    for aspect in aspects:
        for subject in aspect.subjects(design):
            if not only or subject.name in only:
                yield aspect, subject
