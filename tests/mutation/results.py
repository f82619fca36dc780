"""What became of the mutants: kept line by line, so that a run can be taken up again."""

import json
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.mutation.mutants import Mutant
from tests.mutation.trial import NOBODY

EQUIVALENT = Path(__file__).with_name("equivalent.toml")
TARGET = 0.95


@dataclass(frozen=True, slots=True)
class Result:
    """Who noticed a mutant, and how; ``diff`` is its fault."""

    name: str
    system: str
    file: str
    line: int
    operator: str
    noticed_by: str
    how: str
    diff: str


def result_of(mutant: Mutant, noticed: tuple[str, str] | None) -> Result:
    """A mutant with what became of it."""
    by, how = noticed or (NOBODY, "")
    return Result(
        mutant.name, mutant.system, mutant.file, mutant.line, mutant.operator, by, how, mutant.diff
    )


def read_results(file: Path) -> list[Result]:
    """The results of a file, the last of each mutant; the last line may be of an ended run."""
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    found = (Result(**json.loads(line)) for line in lines if line.endswith("\n"))
    return list({result.name: result for result in found}.values())


def write_result(result: Result, file: Path) -> None:
    """One line more; processes that write to a file at once do not mix their lines."""
    with file.open("ab", buffering=0) as out:
        out.write(json.dumps(asdict(result)).encode() + b"\n")


def read_equivalent() -> Mapping[str, str]:
    """The mutants that change nothing, each with the reason."""
    listed: list[dict[str, str]] = tomllib.loads(EQUIVALENT.read_text()).get("equivalent", [])
    return {said["mutant"]: said["because"] for said in listed}


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a run, and which mutants are equivalent to no fault at all."""

    results: Sequence[Result]
    equivalent: Mapping[str, str]

    @property
    def counted(self) -> list[Result]:
        """The results that count: somebody noticed, or something is changed."""
        return [r for r in self.results if r.noticed_by != NOBODY or r.name not in self.equivalent]

    @property
    def survivors(self) -> list[Result]:
        """Those that nobody noticed."""
        return [result for result in self.counted if result.noticed_by == NOBODY]

    @property
    def share(self) -> float:
        """How many of those that count were noticed."""
        return 1 - len(self.survivors) / len(self.counted) if self.counted else 1.0

    @property
    def value(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "noticed": round(self.share, 4),
            "by": dict(Counter(result.noticed_by for result in self.counted)),
            "equivalent": len(self.results) - len(self.counted),
            "results": [asdict(result) for result in self.results],
        }

    @property
    def text(self) -> str:
        """The same for people: tables, then each survivor."""
        systems = _table("system", [(r.system, r) for r in self.counted])
        operators = _table("operator", [(r.operator, r) for r in self.counted])
        left = [f"{r.file}:{r.line} {r.name} {r.how}\n{r.diff}\n" for r in self.survivors]
        said = f"{self.share:.1%} of {len(self.counted)} faults were noticed"
        idle = len(self.results) - len(self.counted)
        equal = f"; {idle} more change nothing" if idle else ""
        return "\n".join([systems, operators, *left, f"{said}{equal}."])


def _table(title: str, rows: Sequence[tuple[str, Result]]) -> str:
    """A table in Markdown: who noticed how many."""
    judges = ("check", "prove", "tests", NOBODY)
    lines = [f"| {title} | faults | {' | '.join(judges)} | noticed |", f"|---|{'--:|' * 6}"]
    for name in [*sorted({row for row, _ in rows}), "all"]:
        by = Counter(result.noticed_by for row, result in rows if name in {row, "all"})
        total = by.total()
        counts = " | ".join(str(by[judge]) for judge in judges)
        lines.append(f"| {name} | {total} | {counts} | {1 - by[NOBODY] / max(total, 1):.1%} |")
    return "\n".join([*lines, ""])
