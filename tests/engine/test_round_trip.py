"""An export is imported again, or put into another table, and is equal."""

import csv
import io
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.bucketed import TABLE, Bucketed, item

from sortkey.wire.limits import ITEM_BYTES
from sortkey.wire.numbers import DIGITS, LARGEST_EXPONENT, SMALLEST_EXPONENT

RECOVERY = {"PointInTimeRecoveryEnabled": True}

_texts = st.text(st.characters(codec="utf-8"), max_size=8)
_numbers = st.builds(
    "{}E{}".format,
    st.integers(1 - 10**DIGITS, 10**DIGITS - 1),
    st.integers(SMALLEST_EXPONENT, LARGEST_EXPONENT - DIGITS),
)
_binaries = st.binary(max_size=6).map(lambda raw: b64encode(raw).decode())


def _tagged(kind: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return values.map(lambda value: {kind: value})


_values: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.one_of(
        _tagged("S", _texts),
        _tagged("N", _numbers),
        _tagged("B", _binaries),
        _tagged("BOOL", st.booleans()),
        _tagged("NULL", st.just(True)),
        _tagged("SS", st.lists(_texts, min_size=1, max_size=3, unique=True)),
        _tagged("BS", st.lists(_binaries, min_size=1, max_size=3, unique=True)),
    ),
    lambda inner: st.one_of(
        _tagged("L", st.lists(inner, max_size=3)),
        _tagged("M", st.dictionaries(_texts.filter(bool), inner, max_size=3)),
    ),
    max_leaves=6,
)
_keys = st.fixed_dictionaries(
    {"id": _tagged("S", _texts.filter(bool)), "line": _tagged("N", _numbers)}
)
_attributes = st.dictionaries(_texts.filter(lambda name: name not in {"", "id", "line"}), _values)
_colours = st.fixed_dictionaries({}, optional={"colour": _tagged("S", _texts.filter(bool))})
_items = st.builds(lambda *parts: parts[0] | parts[1] | parts[2], _attributes, _colours, _keys)


def exported(shop: Bucketed, form: str, items: list[dict[str, Any]]) -> str:
    """Export a table with these items, and return the prefix of the data."""
    shop.ask("CreateTable", **TABLE | {"TableName": "origin"})
    shop.ask(
        "UpdateContinuousBackups", TableName="origin", PointInTimeRecoverySpecification=RECOVERY
    )
    for each in items:
        shop.ask("PutItem", TableName="origin", Item=each)
    arn = shop.ask("DescribeTable", TableName="origin")["Table"]["TableArn"]
    begun = shop.ask(
        "ExportTableToPointInTime",
        TableArn=arn,
        S3Bucket="source",
        S3Prefix="exports",
        ExportFormat=form,
    )
    shop.tend()
    number = begun["ExportDescription"]["ExportArn"].rpartition("/")[2]
    return f"exports/AWSDynamoDB/{number}/data/"


@pytest.mark.parametrize("form", ["DYNAMODB_JSON", "ION"])
@settings(deadline=None, max_examples=40)
@given(items=st.lists(_items, max_size=6))
@pytest.mark.ion
def test_an_export_is_imported_again_and_is_equal(
    tmp_path_factory: pytest.TempPathFactory, form: str, items: list[dict[str, Any]]
) -> None:
    shop = Bucketed(tmp_path_factory.mktemp("round"))
    prefix = exported(shop, form, items)

    done = shop.imported(
        form,
        S3BucketSource={"S3Bucket": "source", "S3KeyPrefix": prefix},
        InputCompressionType="GZIP",
    )
    assert done["ImportStatus"] == "COMPLETED"
    assert shop.items("target") == shop.items("origin")
    for index in ({}, {"IndexName": "by_colour"}):
        assert shop.items("target", **index) == shop.items("origin", **index)

    shop.ask("CreateTable", **TABLE | {"TableName": "third"})
    put = shop.bulk_put(
        TableName="third",
        InputS3Configuration={
            "S3Bucket": "source",
            "S3KeyPrefix": prefix,
            "InputFormat": form,
            "InputCompressionType": "GZIP",
        },
    )
    assert put["BulkOperationStatus"] == "COMPLETED"
    assert shop.items("third") == shop.items("origin")
    shop.engine.close()


_lines = _texts.filter(lambda text: "\r" not in text)


@settings(deadline=None)
@given(
    rows=st.dictionaries(_lines.filter(bool), st.tuples(_lines, _lines), min_size=1, max_size=5),
    delimiter=st.sampled_from(",;:|\t "),
)
def test_csv_of_another_writer_is_imported_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[str, tuple[str, str]], delimiter: str
) -> None:
    shop = Bucketed(tmp_path_factory.mktemp("csv"))
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["id", "line", "one", "two"])
    writer.writerows([name, "1", *values] for name, values in rows.items())
    shop.place(text.getvalue().encode())

    shop.imported("CSV", InputFormatOptions={"Csv": {"Delimiter": delimiter}})
    expected = {
        name: {
            key: {"S": value} for key, value in zip(("one", "two"), values, strict=True) if value
        }
        for name, values in rows.items()
    }
    found = {each.pop("id")["S"]: each for each in shop.items()}
    for each in found.values():
        assert each.pop("line") == {"N": "1"}
    assert found == expected
    shop.engine.close()


@pytest.mark.parametrize("filler", ["\x00", "é", '"'])
@pytest.mark.parametrize("form", ["DYNAMODB_JSON", "ION"])
@pytest.mark.ion
def test_an_item_of_the_largest_size_survives(tmp_path: Path, form: str, filler: str) -> None:
    shop = Bucketed(tmp_path)
    text = filler * ((ITEM_BYTES - 30) // len(filler.encode()))
    prefix = exported(shop, form, [item("a", t={"S": text}, n={"L": []})])
    source = {"S3Bucket": "source", "S3KeyPrefix": prefix}
    done = shop.imported(form, S3BucketSource=source, InputCompressionType="GZIP")
    assert done["ImportStatus"] == "COMPLETED"
    assert shop.items() == shop.items("origin")
