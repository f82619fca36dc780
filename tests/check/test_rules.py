"""Every rule is in the table, has a page that says what it must, and keeps to its examples."""

import re
from pathlib import Path

import pytest

import sortkey
from sortkey.check import rules
from sortkey.check.examples import codes_found
from sortkey.check.rule import Rule
from sortkey.check.rules import RULES

FOLDER = Path(str(rules.__file__)).parent
SOURCES = Path(str(sortkey.__file__)).parent
FILES = sorted(path.stem for path in FOLDER.glob("sk*.py"))


def file_of(rule: Rule) -> str:
    return f"{rule.code.lower()}_{rule.name.replace('-', '_')}"


def test_every_file_is_a_rule_of_the_table_and_named_after_it() -> None:
    assert [file_of(rule) for rule in RULES] == FILES


def test_codes_and_names_are_unique() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_first_line_of_a_file_says_what_its_rule_says(rule: Rule) -> None:
    first = (FOLDER / f"{file_of(rule)}.py").read_text().partition("\n")[0]

    assert first.startswith(f'"""{rule.code} {rule.name}: ')
    assert re.fullmatch(r"[A-Z][^.]*\.", rule.summary)
    assert rule.why


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_fires_on_what_it_flags(rule: Rule) -> None:
    assert rule.code in codes_found(rule.flagged)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_is_silent_on_what_to_write_instead(rule: Rule) -> None:
    assert rule.code not in codes_found(rule.instead)


def test_every_code_in_the_sources_has_its_rule() -> None:
    raised = {
        code
        for path in SOURCES.rglob("*.py")
        for code in re.findall(r'"(SK\d{3})"', path.read_text())
    }

    assert raised == {rule.code for rule in RULES}
