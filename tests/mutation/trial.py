"""One mutant before its judges, in turn until one of them notices."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.mutation.baseline import Baseline
from tests.mutation.children import OutOfTime, WorkFailed, in_child
from tests.mutation.copies import planted, prefer
from tests.mutation.judges import InMemory, design_of, findings, run_tests, verdicts
from tests.mutation.mutants import Mutant
from tests.mutation.reached import reached, references_in

# Nearest to the fault: whoever uses an entity that most others use would not see more of it.
NEAREST = 12
_DESIGN_SECONDS = 120
_TESTS_SECONDS = 900

NOBODY = "nobody"
Noticed = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Bench:
    """A checkout, a copy of its systems, and how those are without faults."""

    root: Path
    copy: Path
    baselines: dict[str, Baseline]


def tried(mutant: Mutant, bench: Bench) -> Noticed | None:
    """Who notices a fault and how; None where nobody does."""
    with planted(mutant, bench.copy):
        if mutant.is_of_design:
            noticed = _within(lambda: _by_the_design(mutant, bench), bench, _DESIGN_SECONDS)
            # Whoever tries a design for too long, or fails at it, has not noticed anything yet.
            if noticed is not None and noticed[0] in {"check", "prove"}:
                return noticed
        return _by_tests(mutant, bench)


def _within(work: Callable[[], Any], bench: Bench, seconds: float) -> Noticed | None:
    try:
        noticed = in_child(work, bench.copy / "log.txt", seconds)
    except OutOfTime:
        return "time", "did not end"
    except WorkFailed as error:
        return NOBODY, f"not judged: {error}"
    return noticed and (noticed[0], noticed[1])


def _by_the_design(mutant: Mutant, bench: Bench) -> Noticed | None:
    prefer(bench.copy, bench.root)
    if found := findings(mutant.system, bench.copy):
        return "check", found
    design = design_of(mutant.system, bench.copy)
    subjects = dict.fromkeys(
        [*(kind.name for kind in design.kinds), *(pattern.name for pattern in design.patterns)]
    )
    references = references_in(bench.copy / "systems" / mutant.system)
    baseline = bench.baselines[mutant.system].verdicts
    near = reached(mutant, subjects, references)[:NEAREST]
    for subject, outcome in verdicts(design, near):
        if outcome not in {"proved", baseline.get(subject)}:
            return "prove", f"{subject}: {outcome}"
    return None


def _by_tests(mutant: Mutant, bench: Bench) -> Noticed | None:
    baseline = bench.baselines[mutant.system]
    tests = baseline.tests_of(mutant)
    if not tests:
        return None
    files = list(dict.fromkeys(name.partition("::")[0] for name in tests))

    def work() -> Noticed | None:
        prefer(bench.copy, bench.root)
        plugin = InMemory({name: baseline.seconds[name] for name in tests})
        run_tests(files, plugin, bench.root)
        return ("tests", plugin.failed) if plugin.failed else None

    noticed = _within(work, bench, _TESTS_SECONDS)
    return ("tests", noticed[1]) if noticed and noticed[0] == "time" else noticed
