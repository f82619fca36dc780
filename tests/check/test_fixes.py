"""What a finding says to write is written, and the finding is gone and no other takes its place."""

from collections import Counter
from pathlib import Path

import pytest
from tests.check.fixing import fixed

from sortkey import DesignError, load_design
from sortkey.check.examples import NOW, design_in_example, report_of
from sortkey.check.rule import Rule
from sortkey.check.rules import RULES
from sortkey.design.findings import Finding, Severity
from sortkey.prove.runner import ASPECTS, prove
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import ProofSettings
from sortkey.prove.verdict import ProofOutcome

VERDICTS = Path(__file__).parent / "verdicts"
QUICK, TRIES = 8, 40
# The rules whose examples are mended by writing what the fix says.
LITERAL = {
    "SK102",
    "SK115",
    "SK133",
    "SK201",
    "SK202",
    "SK205",
    "SK301",
    "SK302",
    "SK304",
    "SK305",
    "SK408",
    "SK416",
    "SK418",
    "SK502",
    "SK519",
    "SK520",
    "SK521",
    "SK524",
    "SK525",
    "SK605",
    "SK606",
    "SK609",
    "SK615",
    "SK702",
    "SK703",
    "SK704",
}


def found_in(design: str) -> list[Finding]:
    try:
        return [one for one in report_of(design).found if one.reason is None]
    except DesignError as error:
        return list(error.findings)


def weighty(design: str) -> Counter[str]:
    """The errors and warnings of a design, by their rules."""
    return Counter(one.code for one in found_in(design) if one.severity is not Severity.INFORMATION)


def of_rule(design: str, code: str) -> list[Finding]:
    return [one for one in found_in(design) if one.code == code]


def mended_is_clean(design: str, code: str, mended: str) -> None:
    """The finding is gone, and no error or warning takes its place."""
    assert len(of_rule(mended, code)) == len(of_rule(design, code)) - 1, mended
    assert not weighty(mended) - weighty(design), mended


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_fix_that_is_code_mends_the_example_of_its_rule(rule: Rule) -> None:
    first = of_rule(rule.flagged, rule.code)[0]
    mended = None if NOW in rule.flagged else fixed(rule.flagged, first)

    assert (mended is not None) == (rule.code in LITERAL), mended
    if mended is not None:
        mended_is_clean(rule.flagged, rule.code, mended)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("milliseconds", "SK201"),
        ("first_moment_of_the_last_day", "SK416"),
        ("expired_read", "SK305"),
        ("rejected_requests", "SK506"),
    ],
)
def test_a_fix_that_is_code_mends_a_design(name: str, code: str) -> None:
    design = (VERDICTS / f"{name}.py").read_text()
    mended = fixed(design, of_rule(design, code)[0])

    assert mended is not None
    mended_is_clean(design, code, mended)


SCORES = """
class Board(Table, raw=True, type_attribute=None):
    pass

class Entry(Entity, table=Board):
    user_id: str
    score: int
    primary = Board.primary.key("BOARD", "USER#{user_id}")

submit = raw_pattern(
    "Submit a score",
    table=Board,
    operation="PutItem",
    item={
        "PK": "BOARD",
        "SK": "USER#{user_id}",
        "user_id": "{user_id}",
        "score": "{points}",
    },
    arguments={"user_id": str, "points": int},
    entity=Entry,
)
"""


def test_a_score_is_kept_where_it_is_better() -> None:
    mended = fixed(SCORES, of_rule(SCORES, "SK703")[0])

    assert mended is not None
    assert "attribute_not_exists(PK) OR score < :points" in mended
    mended_is_clean(SCORES, "SK703", mended)


@pytest.mark.parametrize(
    ("old", "new"), [("score", "priority_score"), ("Submit a score", "Add a score")]
)
def test_another_number_and_a_new_record_are_not_kept_where_better(old: str, new: str) -> None:
    [found] = of_rule(SCORES.replace(f'"{old}"', f'"{new}"').replace(f"{old}:", f"{new}:"), "SK703")

    assert "to keep the better" not in found.fix


def test_a_filter_is_not_advised_where_a_limit_counts_first() -> None:
    design = (VERDICTS / "expired_read.py").read_text()
    limited = design.replace('key_condition="PK = :pk",', 'key_condition="PK = :pk",\n    limit=1,')

    assert of_rule(design, "SK305")[0].fix.startswith("Add `filter=")
    assert of_rule(limited, "SK305")[0].fix.startswith("Skip expired records")


def test_a_batch_is_not_given_a_condition() -> None:
    batch = SCORES.replace(
        '"PutItem",\n    item', '"BatchWriteItem",\n    actions=[RawRequest("Put", Board, item'
    )
    batch = batch.replace("    table=Board,\n    operation", "    operation")
    batch = batch.replace('"{points}",\n    },', '"{points}",\n    }, entity=Entry)],').replace(
        "    entity=Entry,\n)", ")"
    )
    [found] = of_rule(batch, "SK703")

    assert found.fix.startswith("Use TransactWriteItems, with")


@pytest.mark.acceptance
@pytest.mark.parametrize("name", ["expired_read", "whole_day"])
def test_a_design_that_follows_the_advice_holds(name: str, tmp_path: Path) -> None:
    design = (VERDICTS / f"{name}.py").read_text()
    for finding in of_rule(design, "SK305"):
        design = fixed(design, finding) or ""
    (tmp_path / f"{name}_mended.py").write_text(design)
    loaded = load_design(tmp_path / f"{name}_mended.py")
    report = prove(loaded, ProofSettings(0, TRIES, Strategies(loaded.modules)), aspects=ASPECTS[:1])

    assert {verdict.outcome for verdict in report.verdicts} == {ProofOutcome.PROVED}


@pytest.mark.acceptance
@pytest.mark.parametrize("tries", [QUICK, pytest.param(TRIES, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "rule",
    [
        # The advice on policies that are too long has hundreds of patterns to prove.
        pytest.param(rule, marks=pytest.mark.slow if rule.code == "SK619" else (), id=rule.code)
        for rule in RULES
    ],
)
def test_what_to_write_instead_is_not_refuted(rule: Rule, tries: int) -> None:
    design = design_in_example(rule.instead.rpartition(NOW)[2])
    report = prove(design, ProofSettings(0, tries, Strategies(design.modules)))

    assert [(v.name, v.reason) for v in report.of(ProofOutcome.REFUTED)] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_what_to_write_instead_has_no_error_and_no_warning_of_any_rule(rule: Rule) -> None:
    assert [
        found
        for found in report_of(rule.instead).open
        if found.severity is not Severity.INFORMATION
    ] == []
