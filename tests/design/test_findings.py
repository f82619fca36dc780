"""What is wrong with a key is found, named and comes with its remedy."""

import re
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from sortkey import About, Role, Table, gsi
from sortkey.design import raw
from sortkey.design.findings import DesignError, Finding
from sortkey.design.raw.findings import NAMES
from sortkey.design.records.keys.template_findings import template_findings
from sortkey.design.records.keys.templates import parse_template

TYPES: dict[str, Any] = {
    "name": str,
    "other": str,
    "order_id": int,
    "placed": datetime,
    "level": Literal[2, 10],
}

_CODE_AND_NAME = r'(?:code=)?"(SK\d{3})",\s*(?:name=)?"([a-z-]+)"'


def found(text: str, *, ordered: bool = True) -> list[Finding]:
    return list(template_findings(parse_template(text, TYPES), "Order.primary.SK", ordered=ordered))


def codes(text: str, *, ordered: bool = True) -> list[str]:
    return [finding.code for finding in found(text, ordered=ordered)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ORDER#{order_id}", ["SK201"]),
        ("ORDER#{order_id:012d}", []),
        ("ORDER#{order_id:unordered}", []),
        ("{level}", ["SK201"]),
        ("{level:02d}", []),
        ("{level:unordered}", []),
        ("{placed:%d-%m-%Y}", ["SK202"]),
        ("{placed:%Y-%m-%d}", []),
        ("{placed}", []),
        ("{name}{other}", ["SK203"]),
        ("{name}#{other}", []),
        ("{name}#{name}", []),
        ("UNIQUE#{name}", ["SK204"]),
        ("UNIQUE#", ["SK204"]),
        ("UNIQUE", []),
        ("{order_id}{placed:%H}{order_id}", ["SK201", "SK202", "SK203"]),
    ],
)
def test_the_faults_of_a_sort_key(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_order_does_not_matter_in_a_partition_key() -> None:
    assert codes("ORDER#{order_id}", ordered=False) == []
    assert codes("{placed:%H}", ordered=False) == []
    assert codes("{name}{other}", ordered=False) == ["SK203"]


def test_a_design_error_lists_each_finding_with_its_place_and_its_remedy() -> None:
    findings = [*found("ORDER#{order_id}"), *found("UNIQUE#{name}")]
    error = DesignError(findings)
    assert error.findings == tuple(findings)
    assert str(error) == (
        'SK201 unpadded-number at Order.primary.SK: "ORDER#{order_id}" writes the number '
        '"order_id" unpadded: "10" sorts before "9". Write `ORDER#{order_id:020d}` instead of '
        "`ORDER#{order_id}`, or "
        "`{order_id:unordered}` if no query needs its order.\n"
        'SK204 reserved-prefix at Order.primary.SK: "UNIQUE#{name}" begins with UNIQUE#, which '
        "marks the locks of unique fields. Begin it with another word."
    )


def test_every_finding_has_a_code_of_its_own() -> None:
    # What is wrong with a raw request has its names in one table, everything else beside its code.
    requests = Path(str(raw.__file__)).parent
    named = set(NAMES.items())
    for file in requests.parent.rglob("*.py"):
        if requests not in file.parents:
            named |= set(re.findall(_CODE_AND_NAME, file.read_text()))

    assert ("SK119", "collection-member") in named
    assert len({code for code, _ in named}) == len({name for _, name in named}) == len(named)


def test_a_finding_names_its_subject_and_the_member_of_it() -> None:
    class Orders(Table):
        by_day = gsi("day")

    assert Finding(Orders, "", "").where == "Orders"
    assert Finding(Orders.by_day, "", "").where == "Orders.by_day"
    assert Finding(Orders, "", "", at="ttl").where == "Orders.ttl"
    assert Finding("Order.primary", "", "", at="SK").where == "Order.primary.SK"
    assert Finding(Role("reader", []), "", "").where == 'Role "reader"'
    assert Finding(About(), "", "").where == "The design"


def test_findings_about_different_subjects_differ_though_all_else_is_alike() -> None:
    class Orders(Table):
        pass

    class Sales(Table):
        pass

    findings = [Finding(Orders, "same", "same"), Finding(Sales, "same", "same")]

    assert len({*findings, Finding(Sales, "same", "same")}) == len(findings)
