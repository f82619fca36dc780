from benchmarks.figures import Series, Target
from benchmarks.table import as_markdown, as_text, rates, targets_table

MEASURED = {
    "GetItem": {
        "sortkey": Series((20_000.0, 21_000.0, 22_000.0)),
        "DynamoDB Local": Series((7_000.0, 7_000.0, 7_100.0)),
        "dynalite": Series((42_000.0, 42_000.0, 42_000.0)),
        "moto": Series((0.31,), one_at_a_time=True),
    },
    "TransactWrite of 4": {
        "sortkey": Series((3_000.0,)),
        "DynamoDB Local": Series((1_500.0,), errors=12),
        "moto": Series((0.2,), one_at_a_time=True),
    },
}

RIVALS = dict.fromkeys(["DynamoDB Local", "dynalite", "moto"], "sortkey")


def test_a_cell_has_the_median_and_its_spread() -> None:
    assert "21,000 ±5%" in as_text(rates("In memory", MEASURED, RIVALS))


def test_the_ratio_to_its_rival_is_under_each_peer() -> None:
    lines = as_text(rates("In memory", MEASURED, RIVALS)).splitlines()
    assert lines[5].split() == ["3.00", "x", "0.50", "x", "67,742", "x"]


def test_a_table_of_four_engines_fits_80_columns() -> None:
    assert max(map(len, as_text(rates("In memory", MEASURED, RIVALS)).splitlines())) <= 80


def test_a_faster_peer_is_named_plainly() -> None:
    text = as_text(rates("In memory", MEASURED, RIVALS))
    assert "dynalite is faster than sortkey at GetItem: 0.50 x" in text


def test_errors_void_a_figure() -> None:
    text = as_text(rates("In memory", MEASURED, RIVALS))
    assert "DynamoDB Local returned 12 errors for TransactWrite of 4" in text


def test_an_operation_that_an_engine_lacks_has_no_figure() -> None:
    rows = as_markdown(rates("In memory", MEASURED, RIVALS)).splitlines()
    assert "| none |" in rows[5]


def test_a_missed_target_stands_out() -> None:
    table = targets_table(
        [
            Target("Query against DynamoDB Local", 2.5, "x", at_least=3),
            Target("memory when idle", 41.2, "MB", at_most=80),
        ]
    )
    rows = as_text(table).splitlines()[4:6]
    assert rows[0].endswith("MISS")
    assert rows[1].endswith("pass")
