"""Compressed files of items."""

import gzip
import io
import sys
import tracemalloc

import pytest
import zstandard

from sortkey.engine.formats.compression import (
    Compression,
    decompressed,
    gzip_member,
    refuse_missing_extra,
)
from sortkey.engine.formats.fault import MissingExtraError

CONTENT = b"some lines\n" * 1000


def read(packed: bytes, compression: Compression) -> list[bytes]:
    with decompressed(io.BytesIO(packed), compression) as stream:
        return list(stream)


def test_members_that_follow_each_other_are_one_file() -> None:
    packed = gzip_member(CONTENT) + gzip_member(b"") + gzip_member(CONTENT)
    assert gzip.decompress(packed) == CONTENT * 2
    assert b"".join(read(packed, "GZIP")) == CONTENT * 2


def test_each_compression_is_read_by_lines() -> None:
    packed: list[tuple[bytes, Compression]] = [
        (CONTENT, "NONE"),
        (gzip.compress(CONTENT), "GZIP"),
        (zstandard.compress(CONTENT), "ZSTD"),
    ]
    for content, compression in packed:
        assert read(content, compression) == [b"some lines\n"] * 1000


def test_frames_of_zstd_that_follow_each_other_are_one_file() -> None:
    packed = zstandard.compress(CONTENT) * 2 + zstandard.compress(b"")
    assert b"".join(read(packed, "ZSTD")) == CONTENT * 2


def test_a_bomb_is_unpacked_as_it_is_read() -> None:
    packed = zstandard.compress(bytes(1 << 30))
    tracemalloc.start()
    with decompressed(io.BytesIO(packed), "ZSTD") as stream:
        assert len(stream.read(1 << 20)) == 1 << 20
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 << 20


@pytest.mark.parametrize("compression", ["GZIP", "ZSTD"])
def test_what_is_not_compressed_so_is_an_error(compression: Compression) -> None:
    with pytest.raises(OSError, match=r"zip|zstd"):
        read(b"plain text", compression)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sortkey\[zstd\]'"):
        refuse_missing_extra("ZSTD")
    refuse_missing_extra("GZIP")
