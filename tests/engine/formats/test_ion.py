"""Items in Amazon Ion, read by a library that is not ours."""

import io
import sys
from base64 import b64encode
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.engine.formats import ion
from sortkey.engine.formats.fault import ItemFormatError, MissingExtraError, UnreadableObjectError
from sortkey.wire.limits import ITEM_BYTES
from sortkey.wire.numbers import DIGITS, LARGEST_EXPONENT, SMALLEST_EXPONENT
from sortkey.wire.values import read_item

# The package has no types.
simpleion: Any = import_module("amazon.ion.simpleion")

ITEM = {
    "Authors": {"SS": ["Author1", "Author2"]},
    "ISBN": {"S": "333-3333333333"},
    "Id": {"N": "103"},
    "InPublication": {"BOOL": False},
    "PageCount": {"N": "600"},
    "Price": {"N": "2000"},
    "Title": {"S": "Book 103 Title"},
}

_texts = st.text(st.characters(codec="utf-8"), max_size=8)
_numbers = st.builds(
    "{}E{}".format,
    st.integers(1 - 10**DIGITS, 10**DIGITS - 1),
    st.integers(SMALLEST_EXPONENT, LARGEST_EXPONENT - DIGITS),
)
_binaries = st.binary(max_size=6).map(lambda raw: b64encode(raw).decode())


def _tagged(kind: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    def tag(value: Any) -> dict[str, Any]:
        return {kind: value}

    return values.map(tag)


_scalars = st.one_of(
    _tagged("S", _texts),
    _tagged("N", _numbers),
    _tagged("B", _binaries),
    _tagged("BOOL", st.booleans()),
    _tagged("NULL", st.just(True)),
    _tagged("SS", st.lists(_texts, min_size=1, max_size=3, unique=True)),
    _tagged("NS", st.lists(st.integers(-1000, 1000).map(str), min_size=1, max_size=3, unique=True)),
    _tagged("BS", st.lists(_binaries, min_size=1, max_size=3, unique=True)),
)
_names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)
_values: st.SearchStrategy[dict[str, Any]] = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        _tagged("L", st.lists(inner, max_size=3)),
        _tagged("M", st.dictionaries(_names, inner, max_size=3)),
    ),
    max_leaves=6,
)


def read(content: bytes) -> list[Any]:
    """Return the item of each value."""
    return [ion.record_in(value)["Item"] for value in ion.values(io.BytesIO(content))]


def test_an_item_is_written_as_documented() -> None:
    assert ion.line({"Item": ITEM}) == (
        b'$ion_1_0 {Item:{Authors:$dynamodb_SS::["Author1","Author2"],ISBN:"333-3333333333",'
        b'Id:103.,InPublication:false,PageCount:6d2,Price:2d3,Title:"Book 103 Title"}}\n'
    )


@pytest.mark.parametrize(
    ("number", "written"),
    [("0", "0."), ("-1.5", "-1.5"), ("0.001", "0.001"), ("1E-100", "1d-100"), ("100", "1d2")],
)
def test_a_number_is_a_decimal(number: str, written: str) -> None:
    assert (
        ion.line({"Item": {"n": {"N": number}}}) == f"$ion_1_0 {{Item:{{n:{written}}}}}\n".encode()
    )


@given(st.dictionaries(_names, _values, max_size=4))
def test_an_item_that_is_written_and_read_is_the_same(item: dict[str, Any]) -> None:
    stored, _ = read_item(item)
    content = ion.line({"Item": stored})
    assert content.count(b"\n") == 1
    [found] = read(content + b"\n")
    assert read_item(found)[0] == stored


def test_another_reader_finds_the_types() -> None:
    [found] = simpleion.loads(ion.line({"Item": ITEM}).decode(), single_value=False)
    item: Any = found["Item"]
    assert item["Price"] == 2000
    assert [each.text for each in item["Authors"].ion_annotations] == ["$dynamodb_SS"]
    assert list(item["Authors"]) == ["Author1", "Author2"]


def test_every_value_of_a_file_is_read() -> None:
    assert read(ion.line({"Item": ITEM}) * 3) == [ITEM] * 3


def test_a_binary_file_is_read_too() -> None:
    content: bytes = simpleion.dumps({"Item": {"id": "a", "n": 5}}, binary=True)
    assert read(content) == [{"id": {"S": "a"}, "n": {"N": "5"}}]


@pytest.mark.parametrize("content", [b"$ion_1_0 {Item:", b"\xff\xfe", b"{Item:{a:" + b"[" * 9999])
def test_a_fault_in_the_syntax_ends_the_object(content: bytes) -> None:
    with pytest.raises(UnreadableObjectError):
        read(content)


@pytest.mark.parametrize(
    "content",
    [
        b"5",
        b"null.struct",
        b"$ion_1_0 {Item:{t:2020T}}",
        b"{Item:{a:nan}}",
        b"{Item:{a:1d999}}",
        b'{Item:{a:$dynamodb_NS::["x"]}}',
        b"{ConditionExpression:5}",
        b"{ExpressionAttributeNames:{'#a':5}}",
        b"{Item:null.struct}",
        b"{Item:{a:$0}}",
        b"{Item:{$0:1}}",
    ],
)
def test_a_value_that_cannot_be_stored_is_a_fault_of_the_value_only(content: bytes) -> None:
    wrong, good = ion.values(io.BytesIO(content + b' {Item:{id:"a"}}'))
    with pytest.raises(ItemFormatError):
        ion.record_in(wrong)
    assert ion.record_in(good) == {"Item": {"id": {"S": "a"}}}


@pytest.mark.parametrize(
    "kind", ["null", "string", "symbol", "bool", "int", "decimal", "blob", "list", "struct"]
)
def test_a_null_of_any_type_is_null(kind: str) -> None:
    [value] = ion.values(io.BytesIO(f"{{Item:{{a:null.{kind}}}}}".encode()))
    assert ion.record_in(value) == {"Item": {"a": {"NULL": True}}}


@pytest.mark.parametrize("count", [1, 20_000])
def test_a_name_that_is_not_utf8_ends_the_object_after_the_items_before(count: int) -> None:
    # The package crashes the process if it reads one.
    values = ion.values(io.BytesIO(b"{Item:{a:1}}\n" * count + b"{Item:{'\xca ':1}}\n"))
    for _ in range(count):
        assert ion.record_in(next(values)) == {"Item": {"a": {"N": "1"}}}
    with pytest.raises(UnreadableObjectError, match="not valid UTF-8"):
        next(values)


def test_an_item_before_a_fault_is_read() -> None:
    values = ion.values(io.BytesIO(ion.line({"Item": ITEM}) + b"$ion_1_0 {Item:{"))
    assert ion.record_in(next(values)) == {"Item": ITEM}
    with pytest.raises(UnreadableObjectError):
        next(values)


def test_a_condition_is_read_with_its_names_and_values() -> None:
    [value] = ion.values(
        io.BytesIO(
            b'{Item:{id:"a"},ConditionExpression:"#v < :v",'
            b"ExpressionAttributeNames:{'#v':\"version\"},ExpressionAttributeValues:{':v':5.}}"
        )
    )
    assert ion.record_in(value) == {
        "Item": {"id": {"S": "a"}},
        "ConditionExpression": "#v < :v",
        "ExpressionAttributeNames": {"#v": "version"},
        "ExpressionAttributeValues": {":v": {"N": "5"}},
    }


def test_a_text_may_be_as_long_as_an_item() -> None:
    text = "x" * ITEM_BYTES
    assert read(ion.line({"Item": {"a": {"S": text}}})) == [{"a": {"S": text}}]


@pytest.mark.parametrize("digits", ["7", "0x7", "-7"])
def test_a_number_that_is_too_long_ends_the_object(digits: str) -> None:
    content = b"{Item:{a:" + digits.encode() + b"7" * 300_000 + b"}}"
    with pytest.raises(UnreadableObjectError, match="digits"):
        read(content)


def test_a_long_binary_number_ends_the_object() -> None:
    # A length of 300,000 bytes.
    content = b"\xe0\x01\x00\xea\x2e\x12\x27\xe0" + b"\xff" * 300_000
    with pytest.raises(UnreadableObjectError, match="longer than"):
        read(content)


def test_a_text_may_have_many_digits() -> None:
    text = "7" * 300_000
    assert read(ion.line({"Item": {"a": {"S": text}}})) == [{"a": {"S": text}}]


def test_a_value_that_is_too_long_ends_the_object() -> None:
    content = b'{Item:{a:["' + b'","'.join([b"x" * 1000] * 3000)
    with pytest.raises(UnreadableObjectError, match="longer than"):
        read(content)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "amazon.ion.simpleion", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sortkey\[ion\]'"):
        ion.refuse_missing_extra()
