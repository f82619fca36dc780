"""A system without any fault: its tests, how long each takes, and the lines that it runs."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from tests.mutation.copies import prefer
from tests.mutation.judges import InMemory, run_tests
from tests.mutation.lines import NO_TEST, Lines
from tests.mutation.mutants import PACKAGE, Mutant

# Tests that every system has alike.
_OF_ALL = tuple(f"tests/systems/test_{name}.py" for name in ("roles", "limits", "declared"))


def tests_about(system: str) -> list[str]:
    """The folders and files that have the tests of a system."""
    return [f"tests/systems/{system}", *_OF_ALL]


class NotSound(Exception):  # noqa: N818 - it says what is the matter
    """A test fails where no fault is planted."""


@dataclass(frozen=True)
class Baseline:
    """A system without faults.

    ``lines`` has, for each file and line, the numbers of the tests that run it; ``seconds`` how
    long each test takes.
    """

    seconds: Mapping[str, float]
    lines: Mapping[str, Mapping[str, list[int]]]
    imported: Mapping[str, list[int]]

    @property
    def value(self) -> dict[str, Any]:
        """The same for JSON."""
        return asdict(self)

    @classmethod
    def of(cls, value: Any) -> Self:
        """From JSON."""
        return cls(**value)

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The tests that may notice a fault: the module's own and the quickest ones first.

        Where a line runs when its module is imported, any test may.
        """
        lines = range(mutant.line, mutant.end_line + 1)
        names = list(self.seconds)
        if not set(lines).isdisjoint(self.imported.get(mutant.file, ())):
            found: Collection[str] = names
        else:
            by_line = self.lines.get(mutant.file, {})
            found = {names[number] for line in lines for number in by_line.get(str(line), ())}
        own = f"test_{Path(mutant.file).stem}.py"
        return sorted(found, key=lambda name: (own not in name, self.seconds[name]))


def baseline_of(system: str, copy: Path, root: Path) -> dict[str, Any]:
    """How long each test takes, and the lines that it runs. None may fail."""
    prefer(copy, root)
    folder = copy / PACKAGE / system
    lines_run = Lines(folder)
    plugin = InMemory(system, lines=lines_run)
    lines_run.start()
    run_tests(tests_about(system), plugin, root)
    lines_run.stop()
    if plugin.failed:
        raise NotSound(plugin.failed)
    numbers = {name: number for number, name in enumerate(plugin.ran)}
    lines: dict[str, dict[str, list[int]]] = {}
    imported: dict[str, list[int]] = {}
    for file, tests_by_line in lines_run.run.items():
        name = str(Path(file).relative_to(copy))
        imported[name] = [line for line, tests in tests_by_line.items() if NO_TEST in tests]
        lines[name] = {
            str(line): [numbers[test] for test in tests if test in numbers]
            for line, tests in tests_by_line.items()
        }
    return Baseline(plugin.ran, lines, imported).value
