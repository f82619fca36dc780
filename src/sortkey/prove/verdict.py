"""What a trial came to: proved, refuted or unproven, never a silent pass."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, Protocol, TypeAlias

from sortkey.prove.counterexample import Counterexample

SubjectKind: TypeAlias = Literal["pattern", "entity", "key", "invariant"]


class Detail(Protocol):
    """What an aspect measured, reckoned or explored, beside its verdict."""

    @property
    def value(self) -> dict[str, Any]:
        """The same for programs."""
        ...


class Outcome(Enum):
    """How a trial ended; the worst comes first."""

    REFUTED = "refuted"
    UNPROVEN = "unproven"
    PROVED = "proved"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one aspect of one pattern or entity came to.

    ``reason`` says why it is not proved, ``change`` what to write instead; ``figures`` count what
    was tried, and ``assumed`` is what a proof takes for granted.
    """

    aspect: str
    kind: SubjectKind
    subject: str
    outcome: Outcome
    reason: str = ""
    figures: Mapping[str, float] = field(default_factory=dict[str, float])
    counterexample: Counterexample | None = None
    detail: Detail | None = None
    change: str = ""
    # Of further causes, one each.
    others: tuple[Counterexample, ...] = ()
    assumed: tuple[str, ...] = ()

    @property
    def counterexamples(self) -> tuple[Counterexample, ...]:
        """All of them, each of its own cause."""
        return () if self.counterexample is None else (self.counterexample, *self.others)

    @property
    def names(self) -> tuple[str, ...]:
        """What tells each counterexample from others, as part of a file's name."""
        further = (f"{self.name}_{n}" for n in range(2, len(self.counterexamples) + 1))
        return (self.name, *further)[: len(self.counterexamples)]

    @property
    def name(self) -> str:
        """What tells it from other verdicts, as part of a file's name."""
        return f"{re.sub(r'[^A-Za-z0-9]+', '_', self.subject).strip('_')}_is_{self.aspect}"


def assumptions(verdicts: Iterable[Verdict]) -> list[str]:
    """What verdicts take for granted, each once."""
    return list(dict.fromkeys(assumed for verdict in verdicts for assumed in verdict.assumed))


@dataclass(frozen=True, slots=True)
class Report:
    """All verdicts on a design, and what is needed to come to them again."""

    design: str
    seed: int
    tries: int
    verdicts: tuple[Verdict, ...]
    # How many verdicts are missing, since it was interrupted.
    left: int = 0

    def of(self, outcome: Outcome) -> Iterator[Verdict]:
        """The verdicts with this outcome."""
        return (verdict for verdict in self.verdicts if verdict.outcome is outcome)

    def count(self, outcome: Outcome) -> int:
        """How many verdicts have this outcome."""
        return sum(1 for _ in self.of(outcome))

    def fails(self, *, strict: bool) -> bool:
        """Whether something is refuted; where it is strict, or unproven."""
        return any(self.of(Outcome.REFUTED)) or (strict and any(self.of(Outcome.UNPROVEN)))
