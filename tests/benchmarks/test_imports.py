import sys
from pathlib import Path

import pytest
from benchmarks.figures import Series
from benchmarks.imports import (
    BOTO3,
    PROGRAMS,
    SORTKEY,
    Imports,
    import_targets,
    imports_table,
    measure_imports,
)
from benchmarks.progress import Progress
from benchmarks.table import as_text

from benchmarks import imports


def test_every_program_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "client_python", lambda: Path(sys.executable))
    measured = measure_imports(1, Progress())
    assert measured.cpu.keys() == PROGRAMS.keys()
    assert all(series.median > 0 for series in measured.cpu.values())


def test_each_program_is_shown_as_a_share_of_importing_boto3() -> None:
    measured = Imports({BOTO3: Series((200.0,)), SORTKEY: Series((100.0,))})
    assert "0.50 x" in as_text(imports_table(measured))


def test_importing_sortkey_is_to_cost_less_than_seven_tenths_of_boto3() -> None:
    [target] = import_targets(Imports({BOTO3: Series((200.0,)), SORTKEY: Series((150.0,))}))
    assert not target.kept
