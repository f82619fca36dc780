"""Designs whose requests read too much, too little or too late: what is found in each."""

from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.check.examples import report_of as report_of_text
from sortkey.check.report import CheckReport
from sortkey.check.runner import check
from sortkey.design.findings import ERROR, INFORMATION, WARNING, Severity

FOLDER = Path(__file__).parent / "verdicts"


def report_of(design: str) -> CheckReport:
    return check(load_design(FOLDER / f"{design}.py"))


def found_by(code: str, report: CheckReport) -> dict[str, Severity]:
    return {each.where.partition(".")[0]: each.weight for each in report.open if each.code == code}


def test_exactly_the_prefixes_that_stop_inside_a_value_are_found() -> None:
    assert found_by("SK408", report_of("prefixes")) == {
        "constant": WARNING,
        "after_an_argument": ERROR,
        "argument_after_a_constant": ERROR,
        "before_letters": ERROR,
        "last_id": WARNING,
    }


@pytest.mark.parametrize(
    ("pattern", "fix"),
    [
        ("constant", "Write `STATE#OPEN#`"),
        ("before_letters", "Write `S{shelf_id}J#`"),
        ("last_id", "Compare with ="),
    ],
)
def test_the_remedy_of_a_prefix_is_what_the_key_has_there(pattern: str, fix: str) -> None:
    [found] = [
        each.fix
        for each in report_of("prefixes").open
        if each.code == "SK408" and each.where.startswith(pattern)
    ]

    assert found.startswith(fix)


def test_inputs_that_choose_by_a_filter_alone_are_found() -> None:
    assert found_by("SK409", report_of("filters")) == {
        "equal": ERROR,
        "begins": ERROR,
        "contained": ERROR,
        "one_of": ERROR,
        "either": ERROR,
        "not_unequal": ERROR,
        "more_than": WARNING,
        "few_equal": ERROR,
        "everywhere": ERROR,
        "entries": ERROR,
    }


def test_an_input_that_is_compared_twice_is_found_once() -> None:
    found = [each for each in report_of("filters").open if each.code == "SK409"]

    assert len([each for each in found if each.where == "either.filter"]) == 1


def test_reads_of_what_an_index_does_not_project_are_found() -> None:
    assert found_by("SK515", report_of("filters")) == {
        "incomplete": WARNING,
        "legible": INFORMATION,
        "keys_alone": INFORMATION,
        "absent_filter": ERROR,
    }


def test_what_a_primary_key_tells_need_not_be_projected() -> None:
    said = {each.where: each.message for each in report_of("filters").open if each.code == "SK515"}

    assert said["incomplete.index"].endswith("Shop.by_day does not project total")
    assert "without city, which only the text of its key contains" in said["legible.index"]


NARROW = """
class Shop(Table, raw=True):
    by_day = gsi("GSI1PK", "GSI1SK", name="GSI1", project=["city"])

class Sale(Entity, table=Shop):
    sale_id: str
    city: str
    day: str
    total: int
    seller: str
    primary = Shop.primary.key("SALE#{sale_id}", "SALE")
    on_day = Shop.by_day.key("DAY#{day}", "{sale_id}")

of_day = raw_pattern(
    "Sales of a day",
    name="of_day",
    table=Shop,
    operation="Query",
    index="GSI1",
    entity=Sale,
    key_condition="GSI1PK = :pk",
    values={":pk": "DAY#{day}"},
    arguments={"day": str, "seller": str},
    where=lambda sale, day: sale.day == day,
)
"""
WHOLE = """
whole = raw_pattern(
    "A sale",
    operation="BatchGetItem",
    actions=[RawRequest("Get", Shop, entity=Sale, key={"PK": "SALE#{sale_id}", "SK": "SALE"})],
    arguments={"sale_id": str},
)
"""


@pytest.mark.parametrize(
    ("design", "severity", "message"),
    [
        (NARROW, WARNING, "it reads Sale records, but Shop.GSI1 does not project seller and total"),
        (
            NARROW + WHOLE,
            INFORMATION,
            "it returns Sale records without seller and total: Shop.GSI1 does not project them",
        ),
        (
            NARROW.replace('["city"]', '["GSI1PK", "PK"]'),
            INFORMATION,
            (
                "it returns Sale records without city, seller and total: "
                "Shop.GSI1 does not project them"
            ),
        ),
        (
            NARROW.replace('["city"]', '["city", "seller"]') + WHOLE,
            INFORMATION,
            "it returns Sale records without total: Shop.GSI1 does not project it",
        ),
        (
            NARROW.replace("sale, day: ", "sale, day, seller: sale.seller == seller and ") + WHOLE,
            ERROR,
            "where= compares seller of Sale, which Shop.GSI1 does not project",
        ),
        # Only the sales with a day are in the index, and these may be those of a seller.
        (
            NARROW.replace("sale, day: ", "sale, day, seller: sale.seller == seller and ").replace(
                "    day: str\n", "    day: str | None = None\n"
            )
            + WHOLE,
            INFORMATION,
            "it returns Sale records without seller and total: Shop.GSI1 does not project them",
        ),
    ],
)
def test_how_a_narrow_index_is_used_decides_how_much_it_weighs(
    design: str, severity: Severity, message: str
) -> None:
    found = [f for f in report_of_text(design).open if f.code == "SK515"]

    assert [(f.severity, f.message) for f in found] == [(severity, message)]


FILTERED = """
class Shop(Table, raw=True, partition="seller", sort="sale_id"):
    by_city = gsi("GSI1PK", "GSI1SK", name="GSI1")

class Sale(Entity, table=Shop):
    seller: str
    sale_id: str
    city: str
    day: str
    primary = Shop.primary.key("{seller}", "{sale_id}")
    in_city = Shop.by_city.key("CITY#{city}", "{sale_id}")

found = raw_pattern(
    "Sales",
    name="found",
    table=Shop,
    operation="Scan",
    entity=Sale,
    filter="seller = :a",
    values={":a": "{a}", ":b": "{b}"},
    arguments={"a": str, "b": str},
)
"""


@pytest.mark.parametrize(
    ("filtered", "fix"),
    [
        ("seller = :a AND city = :b", "Query the table, whose partition key has `seller`"),
        ("city = :a AND sale_id = :b", "Query Shop.GSI1, whose partition key has `city`"),
        (
            "seller < :a AND sale_id = :b",
            "Put `sale_id` into the partition key of an index, and query by it",
        ),
    ],
)
def test_a_filter_that_a_key_could_answer_is_told_to_query_it(filtered: str, fix: str) -> None:
    report = report_of_text(FILTERED.replace("seller = :a", filtered))
    fixes = [f.fix for f in report.open if f.code == "SK409"]

    assert fix in fixes
