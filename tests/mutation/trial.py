"""One mutant before its judges, in turn until one of them notices."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.mutation.baseline import Baseline
from tests.mutation.children import OutOfTime, WorkFailed, in_child
from tests.mutation.copies import planted, prefer
from tests.mutation.judges import InMemory, design_of, findings, run_tests, verdicts
from tests.mutation.mutants import PACKAGE, Mutant
from tests.mutation.reached import reached, references_in

# Nearest to the fault: whoever uses an entity that most others use would not see more of it.
NEAREST = 12
_DESIGN_SECONDS = 120
_TESTS_SECONDS = 900

NOBODY = "nobody"
_ENDLESS = "did not end"
Noticed = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Bench:
    """A checkout, and two copies of its systems: one for faults, one without any.

    ``known`` are verdicts on the systems without faults that are not *proved*.
    """

    root: Path
    copy: Path
    sound: Path
    baselines: dict[str, Baseline]
    known: dict[str, str] = field(default_factory=dict[str, str])


def tried(mutant: Mutant, bench: Bench) -> Noticed | None:
    """Who notices a fault and how; None where nobody does. The quickest judges are asked first."""
    judges = (_by_check, _by_tests, _by_prove) if mutant.is_of_design else (_by_tests,)
    told: Noticed | None = None
    with planted(mutant, bench.copy):
        for judge in judges:
            # Whoever could not judge has not noticed anything, and says so.
            told = judge(mutant, bench) or told
            if told is not None and told[0] != NOBODY:
                break
    return told


def _by_check(mutant: Mutant, bench: Bench) -> Noticed | None:
    def work() -> Noticed | None:
        prefer(bench.copy, bench.root)
        found = findings(mutant.system, bench.copy)
        return ("check", found) if found else None

    return _within(work, bench, _DESIGN_SECONDS)


def _by_prove(mutant: Mutant, bench: Bench) -> Noticed | None:
    while True:
        noticed = _within(lambda: _refuted(mutant, bench), bench, _DESIGN_SECONDS)
        if noticed is None or noticed[0] == NOBODY:
            return noticed
        subject, _, outcome = noticed[1].rpartition(": ")
        if _without_fault(mutant.system, subject, bench) != outcome:
            return noticed
        bench.known[f"{mutant.system} {subject}"] = outcome


def _without_fault(system: str, subject: str, bench: Bench) -> str:
    """What `prove` says of the same where there is no fault."""

    def work() -> str:
        prefer(bench.sound, bench.root)
        name = subject.rpartition(" ")[2]
        return dict(verdicts(design_of(system, bench.sound), [name]))[subject]

    return in_child(work, bench.copy / "log.txt", _DESIGN_SECONDS)


def _within(work: Callable[[], Any], bench: Bench, seconds: float) -> Noticed | None:
    try:
        noticed = in_child(work, bench.copy / "log.txt", seconds)
    except OutOfTime:
        return NOBODY, _ENDLESS
    except WorkFailed as error:
        return NOBODY, f"not judged: {error}"
    return noticed and (noticed[0], noticed[1])


def _refuted(mutant: Mutant, bench: Bench) -> Noticed | None:
    prefer(bench.copy, bench.root)
    design = design_of(mutant.system, bench.copy)
    subjects = dict.fromkeys(
        [*(kind.name for kind in design.kinds), *(pattern.name for pattern in design.patterns)]
    )
    references = references_in(bench.copy / PACKAGE / mutant.system)
    near = reached(mutant, subjects, references)[:NEAREST]
    for subject, outcome in verdicts(design, near):
        if outcome not in {"proved", bench.known.get(f"{mutant.system} {subject}")}:
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
        plugin = InMemory(mutant.system, {name: baseline.seconds[name] for name in tests})
        run_tests(files, plugin, bench.root)
        return ("tests", plugin.failed) if plugin.failed else None

    noticed = _within(work, bench, _TESTS_SECONDS)
    return ("tests", _ENDLESS) if noticed == (NOBODY, _ENDLESS) else noticed
