"""Compression of requests and responses, as DynamoDB does it."""

import re
import zlib
from functools import lru_cache
from typing import Literal, TypeAlias

Coding: TypeAlias = Literal["gzip", "deflate"]

# DynamoDB does not compress smaller responses, whatever the client accepts.
SMALLEST_COMPRESSED = 4096

# zlib's window argument picks the container: 31 is gzip (RFC 1952), 15 is zlib (RFC 1950),
# which is what HTTP calls "deflate".
_WINDOW: dict[str, int] = {"gzip": 31, "deflate": 15}
_CODINGS: tuple[Coding, ...] = ("gzip", "deflate")
_LEVEL = 1
# The rest after a gzip member is copied, so bodies of many members are read in small pieces.
_PIECE_BYTES = 4096
# Nobody needs more than one; each costs time, even if it is empty.
_MOST_MEMBERS = 1000
# Possessive (`++`), so that many digits and a letter are not split in every possible way.
_QUALITY = re.compile(r"[+-]?([0-9]++\.?[0-9]*+|\.[0-9]++)", re.ASCII)


class UndecodableError(Exception):
    """The body does not match its Content-Encoding."""


class OversizedError(Exception):
    """The body unpacks to more than the limit."""


def decompress(packed: bytes | bytearray, coding: str, limit: int) -> bytes | bytearray:
    """Return the decompressed body, without ever storing more than the limit."""
    name = coding.strip().lower()
    if name == "identity":
        return packed
    window = _WINDOW.get(name)
    if window is None:
        raise UndecodableError(coding)
    unpacked = bytearray()
    read = 0
    for _ in range(_MOST_MEMBERS):
        stream = zlib.decompressobj(window)
        while not stream.eof:
            piece = packed[read : read + _PIECE_BYTES]
            if not piece:
                raise UndecodableError("the end is missing")
            try:
                unpacked += stream.decompress(piece, limit + 1 - len(unpacked))
            except zlib.error as error:
                raise UndecodableError(str(error)) from error
            if len(unpacked) > limit:
                raise OversizedError
            read += len(piece) - len(stream.unused_data)
        if read == len(packed):
            return unpacked
        if name != "gzip":
            # RFC 1952 lets gzip members follow each other; RFC 1950 says no such thing.
            raise UndecodableError("there is data after the end")
    raise UndecodableError("there are too many members")


def compress(body: bytes, coding: Coding) -> bytes:
    """Return the body compressed with this coding."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW[coding])
    return packer.compress(body) + packer.flush()


@lru_cache(maxsize=128)
def accepted_coding(accept_encoding: bytes) -> Coding | None:
    """Return the coding that DynamoDB picks for an Accept-Encoding header, or None.

    It compresses whenever it may: `identity` is never preferred. The highest quality wins, then
    a named coding over one that `*` covers, then the first one.
    """
    offers: list[tuple[str, float]] = []
    for entry in accept_encoding.decode("latin-1").split(","):
        name, _, parameters = entry.partition(";")
        offers.append((name.strip().lower(), _quality(parameters)))
    named = {name for name, _ in offers}
    best: Coding | None = None
    best_rank = (0.0, False)
    for name, quality in offers:
        coding = _meant(name, named)
        rank = (quality, name != "*")
        if coding is not None and quality > 0 and rank > best_rank:
            best, best_rank = coding, rank
    return best


def _meant(name: str, named: set[str]) -> Coding | None:
    for coding in _CODINGS:
        if name == coding or (name == "*" and coding not in named):
            return coding
    return None


def _quality(parameters: str) -> float:
    # DynamoDB looks for the first "q=" anywhere, even inside another parameter's name.
    _, found, value = parameters.partition("q=")
    text = value.partition(";")[0].strip()
    if not found or not _QUALITY.fullmatch(text):
        return 1.0
    return min(float(text), 1.0)
