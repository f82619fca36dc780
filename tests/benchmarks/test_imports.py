import sys
from pathlib import Path

import pytest
from benchmarks.figures import Series
from benchmarks.imports import (
    BOTO3,
    NAMES,
    PROGRAMS,
    PYDANTIC,
    SORTKEY,
    Imports,
    import_targets,
    imports_table,
    measure_imports,
)
from benchmarks.progress import Progress
from benchmarks.table import as_text

from benchmarks import imports


@pytest.mark.acceptance
def test_every_program_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "client_python", lambda: Path(sys.executable))
    measured = measure_imports(1, Progress())
    assert measured.cpu.keys() == PROGRAMS.keys()
    assert all(series.median > 0 for series in measured.cpu.values())


@pytest.fixture
def measured() -> Imports:
    spent = {BOTO3: 200.0, PYDANTIC: 90.0, SORTKEY: 10.0, NAMES: 150.0}
    return Imports({name: Series((cost,)) for name, cost in spent.items()})


def test_each_program_is_shown_as_a_share_of_importing_boto3(measured: Imports) -> None:
    assert "0.75 x" in as_text(imports_table(measured))


def test_pydantic_s_share_is_shown(measured: Imports) -> None:
    assert "Pydantic and one model take 60%" in as_text(imports_table(measured))


def test_the_targets_are_for_the_import_and_pydantic_s_share(measured: Imports) -> None:
    kept = {target.promise: target.kept for target in import_targets(measured)}
    assert kept == {
        "import of sortkey against boto3": True,
        f"Pydantic's share of {NAMES}": True,
    }
