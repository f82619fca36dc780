"""The objects of an import: read page by page, from any place on."""

import gc
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.bucketed import items, lines

from sortkey.engine import sources
from sortkey.engine.formats.records import InputForm
from sortkey.engine.sources import START, BucketSource, SourcePage, SourcePlace
from sortkey.folders.buckets import BucketError, Buckets

FORM = InputForm("DYNAMODB_JSON")


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BATCH", 2)


@pytest.fixture
def bucket(tmp_path: Path) -> Path:
    folder = tmp_path / "b"
    folder.mkdir()
    return folder


@pytest.fixture
def source(bucket: Path) -> Iterator[BucketSource]:
    found = opened(bucket)
    yield found
    found.close()


def opened(bucket: Path, prefix: str = "") -> BucketSource:
    return BucketSource(Buckets(bucket.parent), bucket.name, prefix, FORM)


def page_at(source: BucketSource, place: SourcePlace) -> SourcePage:
    for _ in range(100):
        source.read(place)
        if source.page is not None and source.page.start == place:
            return source.page
    raise AssertionError(place)


def pages(source: BucketSource) -> list[SourcePage]:
    """Return all pages with records."""
    found: list[SourcePage] = []
    place = START
    while (page := page_at(source, place)).end is not None:
        found.append(page)
        place = page.end
    return found


def names(page: SourcePage) -> list[str]:
    return [str(each.record["Item"]["id"]["S"] if each.record else "-") for each in page.records]


def test_objects_are_read_in_the_order_of_their_keys_and_by_pages(
    bucket: Path, source: BucketSource
) -> None:
    (bucket / "x").mkdir()
    (bucket / "x" / "1").write_bytes(items("c"))
    (bucket / "a").write_bytes(items("a", "b", "-"))
    (bucket / "empty").write_bytes(b"")
    found = pages(source)
    assert [names(page) for page in found] == [["a", "b"], ["-"], [], ["c"]]
    assert [page.end for page in found] == [
        SourcePlace("a", 2),
        SourcePlace("a"),
        SourcePlace("empty"),
        SourcePlace("x/1"),
    ]


def test_a_prefix_limits_the_objects(bucket: Path) -> None:
    for key in ("a1", "a2", "b"):
        (bucket / key).write_bytes(items(key))
    source = opened(bucket, "a")
    assert [names(page) for page in pages(source)] == [["a1"], ["a2"]]
    assert source.survey() == (2, len(items("a1", "a2")))


def test_records_have_numbers_and_faults(bucket: Path, source: BucketSource) -> None:
    (bucket / "a").write_bytes(items("a") + b"\nno\n" + b"x" * 5_000_000)
    [first, second] = pages(source)
    assert [(each.number, bool(each.fault)) for each in first.records] == [(0, False), (2, True)]
    [last] = second.records
    assert (last.number, last.record) == (3, None)
    assert "longer than" in last.fault


def test_a_page_is_bounded_by_its_bytes(bucket: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BATCH", 500)
    (bucket / "a").write_bytes(b"\n" * 3_000_000)
    found = pages(opened(bucket))
    assert len(found) == 3
    assert found[-1].content_bytes == found[-1].stored_bytes == 3_000_000


def test_a_page_that_is_read_again_is_the_same(bucket: Path, source: BucketSource) -> None:
    (bucket / "a").write_bytes(items(*"abcde"))
    first = page_at(source, START)
    assert page_at(source, START) is first
    assert first.end is not None
    second = page_at(source, first.end)
    assert names(page_at(source, START)) == names(first)
    assert names(page_at(source, first.end)) == names(second)


def test_another_reader_may_be_ahead(bucket: Path, source: BucketSource) -> None:
    (bucket / "a").write_bytes(items(*"abcdefg"))
    (bucket / "b").write_bytes(items("h"))
    page_at(source, START)
    assert names(page_at(source, SourcePlace("a", 6))) == ["g"]
    assert names(page_at(source, SourcePlace("a"))) == ["h"]


def test_a_long_way_is_skipped_bit_by_bit(
    bucket: Path, source: BucketSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_SKIPPED_BYTES", 100)
    (bucket / "a").write_bytes(items(*map(str, range(50))))
    source.read(SourcePlace("a", 40))
    assert source.page is None
    assert names(page_at(source, SourcePlace("a", 40))) == ["40", "41"]


@given(
    st.dictionaries(
        st.sampled_from(["a", "b/c", "b/d/e", "b-", "z"]),
        st.lists(st.sampled_from([*items("a", "b").splitlines(True), b"\n", b"?\n"]), max_size=5),
        max_size=4,
    )
)
def test_a_reader_that_begins_anywhere_reads_what_follows(
    tmp_path_factory: pytest.TempPathFactory, objects: dict[str, list[bytes]]
) -> None:
    bucket = tmp_path_factory.mktemp("any") / "b"
    bucket.mkdir()
    for key, content in objects.items():
        (bucket / key).parent.mkdir(parents=True, exist_ok=True)
        (bucket / key).write_bytes(b"".join(content))
    whole = opened(bucket)
    found = pages(whole)
    whole.close()
    for page in found:
        other = opened(bucket)
        assert page_at(other, page.start) == page
        other.close()


def test_an_object_that_disappears_or_shrinks_is_an_error(bucket: Path) -> None:
    (bucket / "a").write_bytes(items("a"))
    for place in (SourcePlace("b", 1), SourcePlace("a", 2)):
        source = opened(bucket)
        with pytest.raises(BucketError) as error:
            source.read(place)
        assert error.value.code == "NoSuchKey"
        source.close()


def test_a_name_that_is_not_unicode_is_an_error(bucket: Path, source: BucketSource) -> None:
    try:
        (bucket / "\udcff").write_bytes(lines())
    except OSError:
        pytest.skip("this file system has no such names")
    with pytest.raises(BucketError, match="UTF-8"):
        source.survey()


def test_a_source_that_is_not_closed_gives_no_warning(bucket: Path) -> None:
    (bucket / "a").write_bytes(items("a", "b", "c"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        source = opened(bucket)
        page_at(source, START)
        del source
        gc.collect()
    assert not caught


def test_a_closed_source_reads_nothing(bucket: Path, source: BucketSource) -> None:
    (bucket / "a").write_bytes(items("a"))
    source.close()
    source.read(START)
    assert source.page is None
