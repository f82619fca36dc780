"""Files of sample items: their shapes, their lines, and what is wrong with them."""

import json
from pathlib import Path
from typing import Any

import pytest

from sortkey.check.samples.reading import MOST_BYTES, NotSamplesError, Sample, read_samples

TYPED: dict[str, Any] = {"PK": {"S": "NOTE#7"}, "SK": {"S": "NOTE"}, "count": {"N": "5"}}
PLAIN: dict[str, Any] = {"PK": "NOTE#7", "SK": "NOTE", "count": 5}
EMPTY_SET: dict[str, list[str]] = {"SS": []}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "samples.json"


def read(file: Path, value: Any) -> tuple[Sample, ...]:
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return read_samples(file)


class TestShape:
    @pytest.mark.parametrize("item", [TYPED, PLAIN])
    def test_dynamodb_json_and_plain_json_are_the_same_item(
        self, file: Path, item: dict[str, Any]
    ) -> None:
        [sample] = read(file, [item])

        assert sample.item == TYPED
        assert not sample.faults

    @pytest.mark.parametrize(
        ("value", "table"),
        [
            ([TYPED, TYPED], None),
            ({"Items": [TYPED, TYPED], "Count": 2, "ConsumedCapacity": None}, None),
            ({"Notes": [TYPED], "Others": [TYPED]}, "Notes"),
            (
                {"Notes": [{"PutRequest": {"Item": TYPED}}, {"PutRequest": {"Item": TYPED}}]},
                "Notes",
            ),
            ({"RequestItems": {"Notes": [{"PutRequest": {"Item": TYPED}}] * 2}}, "Notes"),
            ({"TableName": "Notes", "TableData": [TYPED, TYPED]}, "Notes"),
            (
                {
                    "ModelName": "notes",
                    "DataModel": [
                        {"TableName": "Empty"},
                        {"TableName": "Notes", "TableData": [TYPED, TYPED]},
                    ],
                },
                "Notes",
            ),
            ("\n".join([json.dumps({"Item": TYPED})] * 2), None),
        ],
        ids=["list", "scan", "tables", "batch", "request", "data", "workbench", "export"],
    )
    def test_items_are_found_in_it(self, file: Path, value: Any, table: str | None) -> None:
        samples = read(file, value)

        assert [sample.item for sample in samples] == [TYPED, TYPED]
        assert [sample.number for sample in samples] == [1, 2]
        assert samples[0].table == table

    @pytest.mark.parametrize("value", [[], {}, {"Notes": []}])
    def test_a_file_may_have_no_items(self, file: Path, value: Any) -> None:
        assert read(file, value) == ()

    def test_a_mark_of_the_encoding_is_passed_over(self, file: Path) -> None:
        file.write_text(json.dumps([TYPED]), encoding="utf-8-sig")

        assert len(read_samples(file)) == 1


class TestLines:
    def test_an_item_has_the_line_that_it_begins_at(self, file: Path) -> None:
        text = '\n{"Notes":\n [{"PK": "a",\n   "SK": "b"},\n\n  {"PK": "c"}, {"PK": "]\\n[{"}\n ]}'

        assert [sample.line for sample in read(file, text)] == [3, 6, 6]

    def test_so_has_an_item_of_a_model(self, file: Path) -> None:
        text = json.dumps({"DataModel": [{"TableData": [PLAIN, PLAIN]}]}, indent=1)

        assert [sample.line for sample in read(file, text)] == [5, 10]


class TestValues:
    def test_every_digit_of_a_number_is_kept(self, file: Path) -> None:
        [sample] = read(file, '[{"PK": "a", "n": 1234567890123456789012345678.5}]')

        assert sample.item["n"] == {"N": "1234567890123456789012345678.5"}

    def test_a_list_of_plain_json_may_stand_for_a_set_and_a_text_for_a_binary(
        self, file: Path
    ) -> None:
        [sample] = read(file, [{"PK": "a", "tags": ["x"], "seal": "AAAA"}])

        assert sample.item["tags"]["SS"] == ["x"]
        assert sample.item["seal"]["B"] == "AAAA"

    @pytest.mark.parametrize(
        ("item", "said"),
        [
            (TYPED | {"count": {"N": 5}}, 'DynamoDB JSON has {"N": "5"}'),
            (TYPED | {"count": {"N": "five"}}, "cannot be converted to a numeric value"),
            (TYPED | {"count": 5}, "has no type"),
            (TYPED | {"tags": EMPTY_SET}, "may not be empty"),
            (TYPED | {"": {"S": "x"}}, "Empty attribute name"),
            (PLAIN | {"count": 10**39 + 1}, "more than 38 significant digits"),
            (PLAIN | {"text": "\ud800"}, "surrogate"),
            (PLAIN | {"\ud800": 1}, "surrogate"),
            (["PK"], "not an object"),
        ],
        ids=str,
    )
    def test_what_dynamodb_rejects_is_a_fault_of_the_item(
        self, file: Path, item: Any, said: str
    ) -> None:
        [sample] = read(file, [item])

        [fault] = sample.faults.values()
        assert said in fault
        fault.encode()

    def test_values_may_be_nested_no_deeper_than_dynamodb_takes(self, file: Path) -> None:
        [sample] = read(file, '[{"PK": "a", "deep": ' + "[" * 40 + "]" * 40 + "}]")

        assert "Nesting Levels" in sample.faults["deep"]


class TestWrong:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "the file is empty"),
            ("[1,", ":1: this is not JSON"),
            ('[\n{"PK": "a"}\n{"PK": "b"}]', ":3: this is not JSON: Expecting ','"),
            ('{"a" 1}', "Expecting ':'"),
            ("{a: 1}", "Expecting a name"),
            ("[] []", "several values"),
            ('{"a": 1}', '"a" is not a list of items'),
            ('"items"', "no list of items"),
            ("[NaN]", "NaN is not a number"),
            ("[" * 100_000, "too deeply"),
        ],
    )
    def test_a_file_that_is_none_is_refused(self, file: Path, text: str, said: str) -> None:
        with pytest.raises(NotSamplesError) as refusal:
            read(file, text)

        assert said in str(refusal.value)
        assert str(refusal.value).startswith(str(file))

    def test_bytes_that_are_no_text_are_refused(self, file: Path) -> None:
        file.write_bytes(b'[{"PK": "\xff"}]')

        with pytest.raises(NotSamplesError, match="not UTF-8"):
            read_samples(file)

    def test_a_large_file_is_refused_before_it_is_read(self, file: Path) -> None:
        with file.open("wb") as opened:
            opened.truncate(MOST_BYTES + 1)

        with pytest.raises(NotSamplesError, match="16 MB"):
            read_samples(file)
