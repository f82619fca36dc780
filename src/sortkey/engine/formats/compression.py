"""Compression of files of items: none, gzip, or zstd (``pip install 'sortkey[zstd]'``)."""

import gzip
import io
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeAlias, cast

from sortkey.engine.formats.fault import MissingExtraError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Compression: TypeAlias = Literal["NONE", "GZIP", "ZSTD"]

# The errors of a stream whose content is not what its compression should have.
DAMAGE = (OSError, EOFError, zlib.error)

_LEVEL = 3
_GZIP_WINDOW = 31


def gzip_member(content: bytes) -> bytes:
    """Return content as a gzip member; members may follow each other in a file."""
    packer = zlib.compressobj(_LEVEL, wbits=_GZIP_WINDOW)
    return packer.compress(content) + packer.flush()


@contextmanager
def decompressed(stream: BinaryIO, compression: Compression) -> Generator[BinaryIO]:
    """Give a stream of the content of a compressed one; damage raises one of `DAMAGE`."""
    match compression:
        case "NONE":
            yield stream
        case "GZIP":
            with gzip.GzipFile(fileobj=stream, mode="rb") as opened:
                yield cast("BinaryIO", opened)
        case "ZSTD":
            # It cannot give lines by itself.
            yield io.BufferedReader(_ZstdContent(stream))


def refuse_missing_extra(compression: Compression) -> None:
    """Raise an error if the package for a compression is not installed."""
    if compression == "ZSTD":
        _import_zstandard()


class _ZstdContent(io.RawIOBase):
    """The content of a stream that is compressed with zstd."""

    def __init__(self, stream: BinaryIO) -> None:
        zstandard = _import_zstandard()
        self._error = zstandard.ZstdError
        self._unpacked: Any = zstandard.ZstdDecompressor().stream_reader(
            stream, read_across_frames=True, closefd=False
        )

    def readable(self) -> bool:
        return True

    def readinto(self, target: "WriteableBuffer") -> int:
        try:
            return self._unpacked.readinto(target)
        except self._error as error:
            raise OSError(f"The content is not valid zstd: {error}") from error


def _import_zstandard():  # noqa: ANN202 - the module itself
    try:
        import zstandard  # noqa: PLC0415 - the extra "zstd"
    except ImportError as error:
        raise MissingExtraError("ZSTD needs zstandard: pip install 'sortkey[zstd]'") from error
    return zstandard
