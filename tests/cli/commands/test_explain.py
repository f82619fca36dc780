"""``sortkey explain``: one rule, or all of them."""

import pytest
from click.testing import CliRunner, Result

from sortkey.check.rule import Rule
from sortkey.check.rules import RULES
from sortkey.cli.main import main
from sortkey.cli.text.layout import WIDTH


def explain(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["explain", *arguments])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_is_explained_with_both_examples(rule: Rule) -> None:
    said = explain(rule.code).stdout

    assert said.startswith(f"{rule.code} {rule.name} ({rule.severity.value})\n")
    assert "\nFlagged:\n" in said
    assert "\nInstead:\n" in said


@pytest.mark.parametrize("name", ["SK201", "sk201", "unpadded-number", "Unpadded-Number"])
def test_a_rule_goes_by_its_code_or_name(name: str) -> None:
    assert explain(name).stdout.startswith("SK201 unpadded-number (error)")


def test_without_a_rule_all_are_listed() -> None:
    said = explain().stdout

    assert all(f"{rule.code}  " in said and f"{rule.name}: " in said for rule in RULES)
    assert max(map(len, said.splitlines())) <= WIDTH


@pytest.mark.parametrize(
    ("name", "said"), [("unpadded-numbers", "Did you mean SK201"), ("x", "lists them all")]
)
def test_an_unknown_rule_is_misuse(name: str, said: str) -> None:
    result = explain(name)

    assert result.exit_code == 2
    assert said in result.stderr
