"""Deployed tables are read from a design, its summary or, in part, its plan."""

from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.check.deployed import DeployedIndex, deployed_design, deployed_value
from sortkey.check.runner import check
from sortkey.design.plans.summary import summary_of
from sortkey.design.plans.value import plan_of

HERE = Path(__file__).parent
SHOP = HERE.parent / "design/designs/shop.py"
SEEDS = [path for path in sorted((HERE / "seeds").glob("*.py")) if path.stem != "test_seeds"]
DESIGNS = [SHOP, SHOP.with_name("warehouse.py"), *SEEDS]


@pytest.mark.parametrize("path", DESIGNS, ids=lambda path: path.stem)
def test_a_design_can_follow_itself(path: Path) -> None:
    design = load_design(path)
    before = [
        deployed_design(design),
        deployed_value(summary_of(design)),
        deployed_value(plan_of(design)),
    ]

    for deployed in before:
        found = {found.code for found in check(design, deployed).found}
        assert not any(code.startswith("SK9") for code in found)


def test_a_summary_tells_as_much_as_its_design() -> None:
    design = load_design(SHOP)

    assert deployed_value(summary_of(design)) == deployed_design(design)


def test_a_plan_tells_the_keys_that_patterns_use() -> None:
    design = load_design(SHOP)
    whole, part = deployed_design(design), deployed_value(plan_of(design))

    for name, table in part.tables.items():
        known = whole.tables[name]
        assert not table.whole
        assert [n for n, _ in table.key] == [n for n, _ in known.key][: len(table.key)]
        for index, found in table.indexes.items():
            assert isinstance(found, DeployedIndex)
            names = [n for n, _ in known.indexes[index].key]
            assert [n for n, _ in found.key] == names[: len(found.key)]
    for place, key in part.keys.items():
        assert key.templates.items() <= whole.keys[place].templates.items()
