"""Keys of requests in words."""

from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.design.plans.tracing import trace
from sortkey.document.phrases import key_text

DESIGN = """
from sortkey import Entity, Table, raw_pattern

class Shop(Table, raw=True, type_attribute=None):
    pass

class Order(Entity, table=Shop):
    customer: str
    number: int
    primary = Shop.primary.key("C#{customer}", "ORDER#{number}")

orders = raw_pattern(
    "Orders",
    table=Shop,
    operation="Query",
    key_condition="PK = :pk AND CONDITION",
    values={":pk": "C#{customer}", ":low": "ORDER#0", ":high": "ORDER#{last}"},
    arguments={"customer": str, "last": int},
    entity=Order,
)
"""


@pytest.mark.parametrize(
    ("condition", "shown"),
    [
        ("SK BETWEEN :low AND :high", "{ORDER#0 <= SK <= ORDER#{last}}"),
        ("SK <= :high", "{SK <= ORDER#{last}}"),
        ("begins_with(SK, :low)", "ORDER#0..."),
        ("SK = :high", "ORDER#{last}"),
    ],
)
def test_a_range_of_a_raw_pattern_is_shown_with_its_ends(
    condition: str, shown: str, tmp_path: Path
) -> None:
    file = tmp_path / "shop.py"
    file.write_text(DESIGN.replace("CONDITION", condition))
    design = load_design(file)
    [step] = trace(design.patterns[0], design).steps

    assert key_text(step) == f"C#{{customer}} / {shown}"
