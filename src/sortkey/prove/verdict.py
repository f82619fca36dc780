"""Verdicts: proved, refuted or unproven, never a silent pass."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, Protocol, TypeAlias

from sortkey.prove.counterexample import Counterexample

SubjectKind: TypeAlias = Literal["pattern", "entity", "key", "invariant"]


class Detail(Protocol):
    """The details that an aspect measured, calculated or explored for its verdict."""

    @property
    def value(self) -> dict[str, Any]:
        """The details as JSON."""
        ...


class ProofOutcome(Enum):
    """The outcome of a trial; the worst comes first."""

    REFUTED = "refuted"
    UNPROVEN = "unproven"
    PROVED = "proved"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one aspect on one pattern or entity.

    ``reason`` says why it is not proved, ``change`` what to write instead; ``figures`` count the
    trials, and ``assumed`` lists the assumptions of a proof.
    """

    aspect: str
    kind: SubjectKind
    subject: str
    outcome: ProofOutcome
    reason: str = ""
    figures: Mapping[str, float] = field(default_factory=dict[str, float])
    counterexample: Counterexample | None = None
    detail: Detail | None = None
    change: str = ""
    # The counterexamples of further causes, one each.
    others: tuple[Counterexample, ...] = ()
    assumed: tuple[str, ...] = ()

    @property
    def counterexamples(self) -> tuple[Counterexample, ...]:
        """All counterexamples, each with its own cause."""
        return () if self.counterexample is None else (self.counterexample, *self.others)

    @property
    def names(self) -> tuple[str, ...]:
        """The stem of the file names of each counterexample."""
        further = (f"{self.name}_{n}" for n in range(2, len(self.counterexamples) + 1))
        return (self.name, *further)[: len(self.counterexamples)]

    @property
    def name(self) -> str:
        """The stem of the file names of the verdict."""
        return f"{re.sub(r'[^A-Za-z0-9]+', '_', self.subject).strip('_')}_is_{self.aspect}"


def assumptions(verdicts: Iterable[Verdict]) -> list[str]:
    """Return the assumptions of verdicts, each once."""
    return list(dict.fromkeys(assumed for verdict in verdicts for assumed in verdict.assumed))


@dataclass(frozen=True, slots=True)
class ProofReport:
    """All verdicts on a design, with the seed and the number of tries that reproduce them."""

    design: str
    seed: int
    tries: int
    verdicts: tuple[Verdict, ...]
    # The number of verdicts that are missing because the run was interrupted.
    left: int = 0

    def of(self, outcome: ProofOutcome) -> Iterator[Verdict]:
        """Return the verdicts with this outcome."""
        return (verdict for verdict in self.verdicts if verdict.outcome is outcome)

    def count(self, outcome: ProofOutcome) -> int:
        """Return the number of verdicts with this outcome."""
        return sum(1 for _ in self.of(outcome))

    def fails(self, *, strict: bool) -> bool:
        """Return whether something is refuted or, with ``strict``, unproven."""
        return any(self.of(ProofOutcome.REFUTED)) or (
            strict and any(self.of(ProofOutcome.UNPROVEN))
        )
