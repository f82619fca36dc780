"""The pages of the rules are those that the code makes."""

from pathlib import Path

import pytest

from sortkey.check.pages import GROUPS, group_of, pages, write
from sortkey.check.rules import RULES

FOLDER = Path(__file__).parents[2] / "docs/reference/rules"


def test_the_pages_in_the_docs_are_current() -> None:
    written = {page.name: page.read_text() for page in FOLDER.iterdir()}

    assert written == dict(pages()), "run `make docs`"


def test_every_rule_has_a_page_and_a_line_in_the_list() -> None:
    made = dict(pages())

    assert made.keys() == {"README.md", *(f"{rule.code}.md" for rule in RULES)}
    assert all(f"({rule.code}.md) {rule.name} " in made["README.md"] for rule in RULES)


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_has_rules(group: str) -> None:
    assert any(group_of(rule) == group for rule in RULES)


def test_the_page_of_a_rule_that_is_no_more_is_removed(tmp_path: Path) -> None:
    (tmp_path / "SK000.md").write_text("gone")

    write(tmp_path)

    assert {page.name for page in tmp_path.iterdir()} == set(dict(pages()))
