"""Buckets: folders that are never left."""

import hashlib
import os
from base64 import b64encode
from pathlib import Path

import pytest

from sortkey.folders.buckets import BucketError, Buckets

OUTSIDE = [
    "..",
    "../other",
    "/etc/passwd",
    "a/../../x",
    "a//b",
    "./a",
    "a/",
    "",
    "a\0b",
    ".sortkey-a",
]


@pytest.fixture
def buckets(tmp_path: Path) -> Buckets:
    (tmp_path / "dir" / "data").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    return Buckets(tmp_path / "dir")


def keys(buckets: Buckets, prefix: str = "") -> list[str]:
    return [each.key for each in buckets.objects("data", prefix)]


def test_an_object_is_written_and_read(buckets: Buckets, tmp_path: Path) -> None:
    digest = buckets.write("data", "a/b/c.txt", b"hello")
    with buckets.open("data", "a/b/c.txt") as stream:
        assert stream.read() == b"hello"
    assert (tmp_path / "dir/data/a/b/c.txt").read_bytes() == b"hello"
    found = hashlib.md5(b"hello")
    assert digest == (b64encode(found.digest()).decode(), found.hexdigest())


def test_an_object_is_replaced(buckets: Buckets) -> None:
    buckets.write("data", "a", b"longer than the next")
    buckets.write("data", "a", b"short")
    assert [each.size for each in buckets.objects("data")] == [5]


def test_objects_are_in_the_order_of_their_keys(buckets: Buckets) -> None:
    names = ["a/x", "a-b", "a.b", "a", "b/c/d", "b/c.d", "é", "z"]
    for name in names:
        if name != "a":
            buckets.write("data", name, b"")
    expected = sorted((name for name in names if name != "a"), key=str.encode)
    assert keys(buckets) == expected


def test_a_prefix_need_not_end_at_a_folder(buckets: Buckets) -> None:
    for name in ("2020/jan/a", "2020/jun/b", "2021/c"):
        buckets.write("data", name, b"")
    assert keys(buckets, "20") == ["2020/jan/a", "2020/jun/b", "2021/c"]
    assert keys(buckets, "2020/j") == ["2020/jan/a", "2020/jun/b"]
    assert keys(buckets, "2020/jan/") == ["2020/jan/a"]
    assert keys(buckets, "2020/jan/a") == ["2020/jan/a"]
    assert keys(buckets, "nowhere/x") == []


@pytest.mark.parametrize("key", OUTSIDE)
def test_a_key_that_leads_elsewhere_is_refused(buckets: Buckets, key: str) -> None:
    with pytest.raises(BucketError):
        buckets.write("data", key, b"x")
    with pytest.raises(BucketError), buckets.open("data", key):
        pass


@pytest.mark.parametrize("bucket", ["..", ".", "", "a/b", "/etc", "../secret"])
def test_a_bucket_elsewhere_is_refused(buckets: Buckets, bucket: str) -> None:
    with pytest.raises(BucketError):
        list(buckets.objects(bucket))
    with pytest.raises(BucketError):
        buckets.write(bucket, "a", b"x")


@pytest.mark.parametrize("prefix", ["../", "/", "/a", "a//"])
def test_a_listing_that_no_key_can_be_in_is_refused(buckets: Buckets, prefix: str) -> None:
    buckets.write("data", "a/b", b"")
    with pytest.raises(BucketError):
        keys(buckets, prefix)


def test_a_folder_too_deep_for_any_key_is_refused(buckets: Buckets, tmp_path: Path) -> None:
    folder = os.open(tmp_path / "dir/data", os.O_RDONLY)
    for _ in range(6):
        os.mkdir("d" * 200, dir_fd=folder)
        inner = os.open("d" * 200, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)

    with pytest.raises(BucketError, match="nested too deeply"):
        keys(buckets)


def test_a_missing_bucket_is_not_created(buckets: Buckets, tmp_path: Path) -> None:
    with pytest.raises(BucketError, match="bucket does not exist") as caught:
        buckets.write("other", "a", b"x")
    assert caught.value.code == "NoSuchBucket"
    assert not (tmp_path / "dir/other").exists()


def test_a_missing_object_is_an_error(buckets: Buckets) -> None:
    with (
        pytest.raises(BucketError, match="key does not exist") as caught,
        buckets.open("data", "a"),
    ):
        pass
    assert caught.value.code == "NoSuchKey"


def test_a_link_to_a_file_is_refused(buckets: Buckets, tmp_path: Path) -> None:
    (tmp_path / "dir/data/link").symlink_to(tmp_path / "secret")
    with pytest.raises(BucketError), buckets.open("data", "link"):
        pass
    with pytest.raises(BucketError):
        keys(buckets)


def test_a_link_to_a_folder_is_refused(buckets: Buckets, tmp_path: Path) -> None:
    (tmp_path / "dir/data/up").symlink_to(tmp_path)
    (tmp_path / "dir/all").symlink_to(tmp_path)
    with pytest.raises(BucketError), buckets.open("data", "up/secret"):
        pass
    with pytest.raises(BucketError):
        buckets.write("data", "up/new", b"x")
    with pytest.raises(BucketError):
        buckets.write("all", "new", b"x")
    with pytest.raises(BucketError):
        keys(buckets, "up/")
    assert not (tmp_path / "new").exists()


def test_a_link_is_not_written_through(buckets: Buckets, tmp_path: Path) -> None:
    (tmp_path / "dir/data/.sortkey-a").symlink_to(tmp_path / "secret")
    with pytest.raises(BucketError):
        buckets.write("data", "a", b"x")
    assert (tmp_path / "secret").read_text() == "secret"


def test_a_link_in_place_of_an_object_is_replaced(buckets: Buckets, tmp_path: Path) -> None:
    (tmp_path / "dir/data/a").symlink_to(tmp_path / "secret")
    buckets.write("data", "a", b"x")
    assert (tmp_path / "secret").read_text() == "secret"
    assert not (tmp_path / "dir/data/a").is_symlink()


def test_a_pipe_is_refused_and_does_not_block(buckets: Buckets, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "dir/data/pipe")
    with pytest.raises(BucketError), buckets.open("data", "pipe"):
        pass
    with pytest.raises(BucketError):
        keys(buckets)


def test_an_object_that_is_not_published_is_not_seen(buckets: Buckets) -> None:
    assert buckets.append("data", "a/b", 0, b"first")
    assert keys(buckets) == []
    assert buckets.append("data", "a/b", 5, b"second")
    # What was written after the last known size is dropped.
    assert buckets.append("data", "a/b", 5, b"third")
    assert not buckets.publish("data", "a/b", 11)
    assert keys(buckets) == []
    assert buckets.publish("data", "a/b", 10)
    # Again, as after a crash.
    assert buckets.publish("data", "a/b", 10)
    with buckets.open("data", "a/b") as stream:
        assert stream.read() == b"firstthird"
    assert keys(buckets) == ["a/b"]


def test_an_object_that_has_lost_its_beginning_is_not_continued(buckets: Buckets) -> None:
    buckets.append("data", "a", 0, b"first")
    assert not buckets.append("data", "a", 6, b"second")


def test_an_object_is_removed_published_or_not(buckets: Buckets, tmp_path: Path) -> None:
    buckets.write("data", "a", b"x")
    buckets.append("data", "a", 0, b"x")
    buckets.remove("data", "a")
    buckets.remove("data", "a")
    assert list((tmp_path / "dir/data").iterdir()) == []


def test_a_folder_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BucketError, match=r"there is no folder .*: create it"):
        Buckets(tmp_path / "none")


def test_a_folder_that_disappears_is_an_error_of_the_bucket(tmp_path: Path) -> None:
    (tmp_path / "buckets").mkdir()
    buckets = Buckets(tmp_path / "buckets")
    (tmp_path / "buckets").rmdir()
    with pytest.raises(BucketError, match="bucket does not exist: exports"):
        buckets.write("exports", "a", b"")
    buckets.remove("exports", "a")
