"""Small designs about scale, reads and guarantees, with what is found in each and what is not."""

from pathlib import Path

from sortkey import load_design
from sortkey.check.rule import ERROR, INFORMATION, WARNING, Severity
from sortkey.check.runner import check

FOLDER = Path(__file__).parent / "verdicts"


def found(design: str, *codes: str) -> set[tuple[str, str, Severity]]:
    """Everything with these codes that is found in a design."""
    report = check(load_design(FOLDER / f"{design}.py"))
    return {
        (one.finding.code, one.finding.where, one.severity)
        for one in report.open
        if one.finding.code in codes
    }


class TestPaths:
    def test_every_path_of_a_pattern_is_judged(self) -> None:
        assert found("scale_paths", "SK413", "SK414") == {
            ("SK413", "scan_behind_flag", ERROR),
            ("SK413", "scan_behind_none", ERROR),
            ("SK413", "scan_behind_two", ERROR),
            ("SK414", "unbounded_behind_none", INFORMATION),
        }

    def test_a_transaction_that_has_more_on_another_path_is_not_one_of_one(self) -> None:
        assert not found("scale_paths", "SK705", "SK423")

    def test_the_calls_of_a_pattern_are_counted_once_whichever_path_they_take(self) -> None:
        assert found("scale_paths", "SK801") == {("SK801", "Shop.primary", WARNING)}

    def test_two_members_of_a_list_are_not_the_same_item(self) -> None:
        assert not found("scale_paths", "SK707")

    def test_an_entity_that_only_another_path_writes_is_used(self) -> None:
        assert not [one for one in found("scale_paths", "SK419", "SK420") if "Total" in one[1]]
