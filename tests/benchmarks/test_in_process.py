"""The engine in process is compared with statements of its own layout."""

import pytest
from benchmarks.figures import Series
from benchmarks.in_process import (
    Comparison,
    in_process_table,
    in_process_targets,
    measure_in_process,
)
from benchmarks.progress import Progress
from benchmarks.table import as_text

from benchmarks import in_process


def test_both_sides_run_on_the_current_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_process, "GETS_A_ROUND", 3)
    monkeypatch.setattr(in_process, "PUTS_A_ROUND", 3)
    batches = in_process.load_table()[:2]
    monkeypatch.setattr(in_process, "load_table", lambda: batches)

    measured = measure_in_process(1, Progress())

    assert [each.operation for each in measured] == ["GetItem", "PutItem"]
    assert all(each.engine.median > 0 and each.bare.median > 0 for each in measured)


def test_the_engine_is_shown_beside_bare_statements() -> None:
    comparison = Comparison("GetItem", Series((12.0,)), Series((6.0,)))

    assert "2.00 x" in as_text(in_process_table([comparison]))
    [target] = in_process_targets([comparison])
    assert target.kept
