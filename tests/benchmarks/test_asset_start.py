"""The start of a packaged function is measured in fresh interpreters."""

import pytest
from benchmarks.asset_start import (
    COMPILED,
    HERE,
    PLAIN,
    asset_start_table,
    measure_asset_starts,
)
from benchmarks.progress import Progress
from benchmarks.table import as_text


@pytest.mark.acceptance
@pytest.mark.usefixtures("unmeasured")
def test_every_start_is_measured_and_bytecode_makes_the_import_cheaper() -> None:
    measured = measure_asset_starts(1, Progress())

    spent = measured.spent
    assert list(spent) == [COMPILED, PLAIN, HERE]
    assert measured.assets[PLAIN].zipped < measured.assets[COMPILED].zipped
    assert max(map(len, as_text(asset_start_table(measured)).splitlines())) <= 80
