"""Compression of files of items: none, gzip, or zstd (``pip install 'sortkey[zstd]'``)."""

import gzip
import io
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeAlias, cast

from sortkey.engine.formats.fault import MissingExtraError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Compression: TypeAlias = Literal["NONE", "GZIP", "ZSTD"]

# The errors of a stream whose content is not what its compression should have.
DAMAGE = (OSError, EOFError, zlib.error)

_LEVEL = 3
_BUFFER_BYTES = 1 << 16
_GZIP_WINDOW = 31
# Unpacked at once: even if every four bytes stand for the most that they can, it is some 16 MB.
_ZSTD_BYTES = 512


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
            yield io.BufferedReader(_ZstdContent(stream), _BUFFER_BYTES)


def refuse_missing_extra(compression: Compression) -> None:
    """Raise an error if the package for a compression is not installed."""
    if compression == "ZSTD":
        _import_zstandard()


class _ZstdContent(io.RawIOBase):
    """The content of a stream of frames, which is damaged if the last frame is not complete."""

    def __init__(self, stream: BinaryIO) -> None:
        zstandard = _import_zstandard()
        self._error = zstandard.ZstdError
        self._new_frame: Callable[[], Any] = zstandard.ZstdDecompressor().decompressobj
        self._frame: Any = None
        self._stream = stream
        self._packed = b""
        self._content = b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: "WriteableBuffer") -> int:
        while not self._content:
            self._packed = self._packed or self._stream.read(_ZSTD_BYTES)
            if not self._packed:
                if self._frame is not None:
                    raise OSError("The content ends within a frame of zstd")
                return 0
            self._unpack()
        view = memoryview(target).cast("B")
        part, self._content = self._content[: len(view)], self._content[len(view) :]
        view[: len(part)] = part
        return len(part)

    def _unpack(self) -> None:
        frame = self._frame = self._frame or self._new_frame()
        try:
            self._content = frame.decompress(self._packed)
        except self._error as error:
            raise OSError(f"The content is not valid zstd: {error}") from error
        self._packed = frame.unused_data
        if frame.eof:
            self._frame = None


def _import_zstandard():  # noqa: ANN202 - the module itself
    try:
        import zstandard  # noqa: PLC0415 - the extra "zstd"
    except ImportError as error:
        raise MissingExtraError("ZSTD needs zstandard: pip install 'sortkey[zstd]'") from error
    return zstandard
