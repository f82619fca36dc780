import sys
from pathlib import Path

import pytest
from benchmarks.cold_start import (
    BOTO3,
    PROGRAMS,
    SORTKEY,
    ColdStarts,
    cold_start_table,
    measure_cold_starts,
)
from benchmarks.figures import Series
from benchmarks.progress import Progress
from benchmarks.table import as_text

from benchmarks import cold_start

pytestmark = pytest.mark.acceptance


def test_every_program_gets_its_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_start, "client_python", lambda: Path(sys.executable))

    measured = measure_cold_starts(1, Progress())

    assert measured.cpu.keys() == measured.wall.keys() == PROGRAMS.keys()
    assert all(series.median > 0 for series in (*measured.cpu.values(), *measured.wall.values()))


def test_each_program_is_shown_as_a_share_of_boto3_s() -> None:
    spent = {BOTO3: Series((200.0,)), SORTKEY: Series((150.0,))}

    assert "0.75 x" in as_text(cold_start_table(ColdStarts(spent, spent)))
