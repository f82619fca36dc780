"""Compression of files of items: none, gzip, or zstd (``pip install 'sortkey[zstd]'``)."""

import gzip
import io
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import BinaryIO, Literal, TypeAlias, cast

from sortkey.engine.formats.fault import MissingExtraError

Compression: TypeAlias = Literal["NONE", "GZIP", "ZSTD"]

_LEVEL = 3
_GZIP_WINDOW = 31


def gzip_member(content: bytes) -> bytes:
    """Return content as a gzip member; members may follow each other in a file."""
    packer = zlib.compressobj(_LEVEL, wbits=_GZIP_WINDOW)
    return packer.compress(content) + packer.flush()


@contextmanager
def decompressed(stream: BinaryIO, compression: Compression) -> Generator[BinaryIO]:
    """Give a stream of the content of a compressed one; damage raises `OSError` or `EOFError`."""
    match compression:
        case "NONE":
            yield stream
        case "GZIP":
            with gzip.GzipFile(fileobj=stream, mode="rb") as opened:
                yield cast("BinaryIO", opened)
        case "ZSTD":
            with _zstd(stream) as opened:
                yield opened


def refuse_missing_extra(compression: Compression) -> None:
    """Raise an error if the package for a compression is not installed."""
    if compression == "ZSTD":
        _import_zstandard()


@contextmanager
def _zstd(stream: BinaryIO) -> Generator[BinaryIO]:
    zstandard = _import_zstandard()
    try:
        unpacked = zstandard.ZstdDecompressor().stream_reader(
            stream, read_across_frames=True, closefd=False
        )
        # It cannot give lines by itself.
        yield cast("BinaryIO", io.BufferedReader(cast("io.RawIOBase", unpacked)))
    except zstandard.ZstdError as error:
        raise OSError(f"The content is not valid zstd: {error}") from error


def _import_zstandard():  # noqa: ANN202 - the module itself
    try:
        import zstandard  # noqa: PLC0415 - the extra "zstd"
    except ImportError as error:
        raise MissingExtraError("ZSTD needs zstandard: pip install 'sortkey[zstd]'") from error
    return zstandard
