import gzip
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.server.compression import (
    Coding,
    OversizedError,
    UndecodableError,
    accepted_coding,
    compress,
    decompress,
)

LIMIT = 1000


@given(st.binary(max_size=LIMIT), st.sampled_from(["gzip", "deflate"]))
def test_what_is_compressed_comes_back(body: bytes, coding: Coding) -> None:
    assert decompress(compress(body, coding), coding, LIMIT) == body


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=5))
def test_gzip_members_may_follow_each_other(pieces: list[bytes]) -> None:
    packed = b"".join(gzip.compress(piece) for piece in pieces)

    assert decompress(packed, "gzip", LIMIT) == b"".join(pieces)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_long_body_comes_back(coding: Coding) -> None:
    body = random.Random(1).randbytes(100_000)

    assert decompress(compress(body, coding), coding, len(body)) == body


def test_a_body_of_a_great_many_members_is_refused() -> None:
    member = gzip.compress(b"")

    assert decompress(member * 1000, "gzip", LIMIT) == b""
    with pytest.raises(UndecodableError, match="too many members"):
        decompress(member * 1001, "gzip", LIMIT)


def test_zlib_streams_may_not_follow_each_other() -> None:
    with pytest.raises(UndecodableError):
        decompress(zlib.compress(b"a") + zlib.compress(b"b"), "deflate", LIMIT)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
@pytest.mark.parametrize("body", [b"", b"plain text", b"\x1f\x8b"])
def test_what_is_not_compressed_is_refused(body: bytes, coding: str) -> None:
    with pytest.raises(UndecodableError):
        decompress(body, coding, LIMIT)


@given(st.binary(min_size=1, max_size=100), st.sampled_from(["gzip", "deflate"]), st.data())
def test_a_missing_end_is_refused(body: bytes, coding: Coding, data: st.DataObject) -> None:
    packed = compress(body, coding)
    cut = data.draw(st.integers(0, len(packed) - 1))

    with pytest.raises(UndecodableError):
        decompress(packed[:cut], coding, LIMIT)


def test_junk_after_the_end_is_refused() -> None:
    with pytest.raises(UndecodableError):
        decompress(gzip.compress(b"{}") + b"junk", "gzip", LIMIT)


def test_an_unknown_coding_is_refused() -> None:
    with pytest.raises(UndecodableError):
        decompress(b"{}", "garbage", LIMIT)


def test_identity_leaves_the_body_alone_and_names_have_no_case() -> None:
    assert decompress(b"{}", "identity", LIMIT) == b"{}"
    assert decompress(gzip.compress(b"{}"), " GZIP ", LIMIT) == b"{}"


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_bomb_is_refused_at_the_limit(coding: Coding) -> None:
    assert len(decompress(compress(b" " * LIMIT, coding), coding, LIMIT)) == LIMIT
    with pytest.raises(OversizedError):
        decompress(compress(b" " * (LIMIT + 1), coding), coding, LIMIT)
    with pytest.raises(OversizedError):
        decompress(compress(b" " * 50_000_000, coding), coding, LIMIT)


def test_members_share_one_limit() -> None:
    with pytest.raises(OversizedError):
        decompress(gzip.compress(b" " * 600) * 2, "gzip", LIMIT)


# Observed on Amazon's service, oddities included.
ACCEPTED = [
    ("identity", None),
    ("", None),
    ("br", None),
    ("x-gzip", None),
    ("gzip", "gzip"),
    ("deflate", "deflate"),
    ("gzip, deflate", "gzip"),
    ("br, identity, deflate, gzip", "deflate"),
    ("GZIP, identity", "gzip"),
    ("dog, gzip ,, cat", "gzip"),
    ("gzip;q=0.8, deflate;q=0.5", "gzip"),
    ("br, gzip;q=0, deflate; q = 0.5 , identity;q=0", "deflate"),
    ("*", "gzip"),
    ("*, deflate;q=0.5", "gzip"),
    ("*, deflate", "deflate"),
    ("*, gzip;q=0.5", "deflate"),
    ("gzip;q=0, *", "deflate"),
    ("gzip;q=0, deflate;q=0, *", None),
    ("gzip ;q=0", None),
    ("*;q=0", None),
    ("*;q=0.5,identity", "gzip"),
    ("gzip;q=0.5,identity;q=0.8", "gzip"),
    ('"gzip"', None),
    ("gzip br", None),
    ("gzip:q=1", None),
    ("gzip;q=31,deflate;q=51", "gzip"),
    ("deflate;q=0.5, gzip;q=1;q=0.2", "gzip"),
    ("deflate;q=0.5,gzip;q=0.", "deflate"),
    ("deflate;q=0.5,gzip;q=0.x", "gzip"),
    ("deflate;q=0.5,gzip;q=0. x", "gzip"),
    ("deflate;q=-0.5,gzip;q=0.2", "gzip"),
    ("gzip;q= 0;q=1", None),
    ("gzip;q =0;q=1", "gzip"),
    ("gzip;nq=0;q=1", None),
    ("gzip;q=0, gzip;q=1, gzip;q=0", "gzip"),
    ("br,identity;q=0.5,gzip;q=0.0001", "gzip"),
]


@pytest.mark.parametrize(("header", "coding"), ACCEPTED)
def test_the_coding_is_the_one_amazon_picks(header: str, coding: str | None) -> None:
    assert accepted_coding(header.encode()) == coding


@given(st.binary())
def test_any_header_has_an_answer(header: bytes) -> None:
    assert accepted_coding(header) in {None, "gzip", "deflate"}


def test_a_quality_that_only_begins_as_a_number_is_read_in_one_pass() -> None:
    assert accepted_coding(b"gzip;q=" + b"1" * 1_000_000 + b"x") == "gzip"
