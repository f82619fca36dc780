"""Small designs about scale, reads and guarantees, with what is found in each and what is not."""

from pathlib import Path

from sortkey import load_design
from sortkey.check.model import Model
from sortkey.check.runner import check
from sortkey.design.findings import ERROR, INFORMATION, WARNING, Severity

FOLDER = Path(__file__).parent / "verdicts"


def found(design: str, *codes: str) -> set[tuple[str, str, Severity]]:
    """Everything with these codes that is found in a design."""
    report = check(load_design(FOLDER / f"{design}.py"))
    return {
        (one.code, one.where, one.weight)
        for one in report.found
        if one.reason is None and one.code in codes
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


class TestValues:
    """A partition is as hot as its values, whichever way they are declared."""

    def test_a_day_or_a_constant_is_one_key_of_an_index(self) -> None:
        assert found("scale_values", "SK802") == {
            ("SK802", "App.by_due", WARNING),
            ("SK802", "App.by_due_date", INFORMATION),
            ("SK802", "App.by_month", WARNING),
            ("SK802", "App.by_both", WARNING),
            ("SK802", "App.by_status", ERROR),
            ("SK802", "Old.gsi1", ERROR),
        }

    def test_a_raw_request_about_no_entity_says_its_values_itself(self) -> None:
        assert found("scale_values", "SK801") == {("SK801", "Old.primary", ERROR)}

    def test_few_values_are_information_where_only_a_name_says_so(self) -> None:
        assert found("scale_values", "SK803") == {
            ("SK803", "ByDay.by", WARNING),
            ("SK803", "ByText.by", INFORMATION),
            ("SK803", "ByMonth.by", WARNING),
            ("SK803", "ByBoth.by", WARNING),
            ("SK803", "ByStatus.by", INFORMATION),
        }


class TestExpectedOfAKey:
    def test_a_hot_product_does_not_make_customers_hot(self) -> None:
        assert found("scale_expected", "SK801", "SK802") == {
            ("SK801", "Shop.by_product", ERROR),
            ("SK802", "Shop.by_product", ERROR),
        }

    def test_a_long_list_by_product_does_not_make_those_of_customers_long(self) -> None:
        assert found("scale_expected", "SK414") == {("SK414", "of_product", WARNING)}

    def test_a_primary_key_may_say_more_than_its_entity(self) -> None:
        assert found("scale_expected", "SK807") == {("SK807", "Logs.by_level", ERROR)}


class TestRanges:
    def test_a_range_with_one_end_is_not_bounded(self) -> None:
        assert found("scale_ranges", "SK414") == {
            ("SK414", "since", WARNING),
            ("SK414", "until", WARNING),
            ("SK414", "since_natural", WARNING),
            ("SK414", "up_to_now", WARNING),
            ("SK414", "since_ever", WARNING),
            ("SK414", "after_first", WARNING),
            ("SK414", "of_status", WARNING),
            ("SK414", "half_open_raw_up_to_a_last_text", WARNING),
            ("SK414", "open_raw_from_the_first_text_to_the_last", WARNING),
        }


class TestIndexes:
    def test_entries_that_no_pattern_reads_are_paid_for(self) -> None:
        assert found("scale_reads", "SK425") == {
            ("SK425", "Draft.of_author", WARNING),
            ("SK425", "Archived.of_author", INFORMATION),
        }

    def test_an_index_on_the_table_s_own_keys_holds_every_item(self) -> None:
        model = Model(load_design(FOLDER / "scale_reads.py"))
        [request] = [r for r in model.raw_requests if r.step.index == "inverse"]

        assert [kind.name for kind in request.kinds] == ["Draft"]
        assert not found("scale_reads", "SK421", "SK422")


class TestPromises:
    def test_one_record_is_promised_by_a_key_that_many_may_have(self) -> None:
        assert found("scale_reads", "SK426") == {
            ("SK426", "by_email", WARNING),
            ("SK426", "any_by_email", WARNING),
            ("SK426", "of_team", INFORMATION),
            ("SK426", "a_user_by_e_mail_raw", WARNING),
        }

    def test_a_name_says_that_a_key_may_change(self) -> None:
        assert found("scale_reads", "SK134") == {
            ("SK134", "Account.primary", INFORMATION),
            ("SK134", "Task.primary", INFORMATION),
        }

    def test_what_alone_tells_records_apart_is_an_id_whatever_its_name(self) -> None:
        assert not found("scale_reads", "SK803")


class TestGrowth:
    def test_updates_that_add_members_weigh_more_at_a_declared_rate(self) -> None:
        assert found("scale_growing", "SK806") == {
            ("SK806", "append.update", WARNING),
            ("SK806", "append_sometimes.update", INFORMATION),
            ("SK806", "put_member.update", WARNING),
        }

    def test_what_is_written_whole_has_no_end_unless_the_design_says_so(self) -> None:
        [report] = [
            one
            for one in check(load_design(FOLDER / "scale_growing.py")).open
            if one.code == "SK816"
        ]

        assert report.where == "Holding"
        assert report.message.startswith(
            "listed, mapped, nested, inner, settings_json, loose have no maximum length"
        )
