"""Objects are in S3 in AWS, and in folders in `sortkey run`."""

import threading
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sortkey import Bucket, SettingsError, load_object, store_object
from sortkey.access.services import buckets
from sortkey.folders.buckets import BucketError

REPORTS = Bucket("reports")


class S3:
    """Keeps objects as S3 does."""

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str], dict[str, Any]] = {}

    def put_object(self, **request: Any) -> None:
        place = request.pop("Bucket"), request.pop("Key")
        self.objects[place] = request

    def get_object(self, **request: Any) -> dict[str, Any]:
        place = request.pop("Bucket"), request.pop("Key")
        if place[1] == "forbidden":
            raise ClientError({"Error": {"Code": "AccessDenied"}}, "GetObject")
        if place not in self.objects:
            raise ClientError({"Error": {"Code": "NoSuchKey"}}, "GetObject")
        return {"Body": BytesIO(self.objects[place]["Body"])}


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> S3:
    made = S3()
    monkeypatch.setenv("BUCKET_REPORTS", "reports-123")
    monkeypatch.setattr(buckets, "client_of", {"s3": made}.__getitem__)
    return made


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    made = tmp_path / "buckets" / "reports"
    made.mkdir(parents=True)
    monkeypatch.setenv("BUCKET_REPORTS", made.as_uri())
    return made


@pytest.mark.parametrize("place", ["s3", "folder"])
def test_an_object_is_loaded_as_it_was_stored(place: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(place)

    store_object(REPORTS, "2026/11.json", b"\x00\xff")
    store_object(REPORTS, "2026/11.txt", "Ådne")

    assert load_object(REPORTS, "2026/11.json") == b"\x00\xff"
    assert load_object(REPORTS, "2026/11.txt") == "Ådne".encode()
    assert load_object(REPORTS, "2026/12.json") is None


def test_an_object_has_its_content_type(s3: S3) -> None:
    store_object(REPORTS, "a", b"{}", content_type="application/json")

    assert s3.objects["reports-123", "a"] == {"Body": b"{}", "ContentType": "application/json"}


def test_other_errors_of_s3_are_raised(s3: S3) -> None:
    with pytest.raises(ClientError):
        load_object(REPORTS, "forbidden")


def test_an_object_is_whole_if_several_store_it(folder: Path) -> None:
    contents = [bytes([number]) * 3_000_000 for number in range(4)]
    threads = [
        threading.Thread(target=store_object, args=(REPORTS, "same", content))
        for content in contents
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert load_object(REPORTS, "same") in [*contents, None]

    assert load_object(REPORTS, "same") in contents
    assert [path.name for path in folder.iterdir()] == ["same"]


def test_a_key_that_is_a_folder_is_refused(folder: Path) -> None:
    store_object(REPORTS, "a/b", b"")

    with pytest.raises(BucketError):
        store_object(REPORTS, "a", b"")
    assert [path.name for path in folder.iterdir()] == ["a"]


@pytest.mark.parametrize("key", ["../other/key", "a/../../b", "/etc/passwd", ""])
def test_no_key_leads_out_of_the_folder(folder: Path, key: str) -> None:
    with pytest.raises(BucketError):
        store_object(REPORTS, key, b"")
    with pytest.raises(BucketError):
        load_object(REPORTS, key)


def test_no_link_leads_out_of_the_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("mine")
    (folder / "link").symlink_to(tmp_path / "secret")

    with pytest.raises(BucketError):
        load_object(REPORTS, "link")


def test_a_bucket_that_the_function_does_not_have_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("BUCKET_REPORTS", raising=False)

    with pytest.raises(SettingsError, match=r"BUCKET_REPORTS is not set.*writes=\[Bucket"):
        store_object(REPORTS, "a", b"")
