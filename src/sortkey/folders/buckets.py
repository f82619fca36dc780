"""Buckets: folders of one folder, which is never left, in place of those of Amazon S3.

A bucket is a folder in it, and the key of an object is the path of a file. Every folder on the way
is opened relative to the one before, and a symbolic link is refused, so that neither a key nor a
link leads elsewhere. An object appears whole or not at all: it is written under a name of its own,
beside its place, and then renamed.
"""

import hashlib
import os
import stat
from base64 import b64encode
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple
from uuid import uuid4

from sortkey.errors import SortkeyError

_UNFINISHED = ".sortkey-"
_MOST_KEY_BYTES = 1024
_PIECE_BYTES = 1 << 20
# The characters of a long path that an error shows.
_SHOWN = 40
# Links are not followed, and a pipe does not block.
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _SAFE


class BucketError(SortkeyError):
    """A bucket or an object cannot be used; ``code`` is the name that S3 gives to the reason."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class StoredObject(NamedTuple):
    """The key of an object, and its size in bytes."""

    key: str
    size: int


class Digest(NamedTuple):
    """The MD5 of a file, as a manifest has it and as an ETag."""

    md5: str
    etag: str


class Buckets:
    """The buckets in a folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Use this folder, which must exist."""
        self._folder = Path(folder).resolve()
        if not self._folder.is_dir():
            raise BucketError(
                "NoSuchFolder",
                f"there is no folder {folder} for buckets: create it, and a folder in it for each "
                "bucket",
            )
        if os.open not in os.supports_dir_fd:
            raise BucketError("Unsupported", "buckets need a system that opens files in folders")

    # -- reading ------------------------------------------------------------------------------

    def objects(self, bucket: str, prefix: str = "") -> Iterator[StoredObject]:
        """Yield the objects whose keys begin with a prefix, in the order of their keys."""
        path, slash, begin = prefix.rpartition("/")
        parents = _key_parts(path) if slash else []
        try:
            with self._open_folder([bucket, *parents]) as folder:
                yield from _objects_in(folder, path + slash, begin)
        except BucketError as error:
            if error.code != "NoSuchKey":
                raise

    @contextmanager
    def open(self, bucket: str, key: str) -> Generator[BinaryIO]:
        """Open an object for reading, as a stream."""
        *parents, name = _key_parts(key)
        with (
            self._open_folder([bucket, *parents]) as folder,
            _as_bucket_errors(key),
            os.fdopen(os.open(name, os.O_RDONLY | _SAFE, dir_fd=folder), "rb") as stream,
        ):
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise BucketError("AccessDenied", f"{key} is not a file")
            yield stream

    def refuse_missing(self, bucket: str) -> None:
        """Raise an error if there is no such bucket."""
        with self._open_folder([bucket]):
            pass

    # -- writing ------------------------------------------------------------------------------

    def write(self, bucket: str, key: str, content: bytes) -> Digest:
        """Write an object, which replaces an earlier one at once."""
        self.append(bucket, key, 0, content)
        self.publish(bucket, key, len(content))
        return self.digest(bucket, key)

    def store(self, bucket: str, key: str, content: bytes) -> None:
        """Store an object, whole, also if several processes store one under this key."""
        *parents, name = _key_parts(key)
        unfinished = f"{_UNFINISHED}{uuid4().hex}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE
        with self._open_folder([bucket, *parents], create=True) as folder, _as_bucket_errors(key):
            opened = os.open(unfinished, flags, 0o666, dir_fd=folder)
            try:
                with os.fdopen(opened, "wb") as stream:
                    stream.write(content)
                    stream.flush()
                    os.fsync(opened)
                os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(unfinished, dir_fd=folder)
                raise
            os.fsync(folder)

    def append(self, bucket: str, key: str, size: int, content: bytes) -> bool:
        """Write to an object that is not published, after its first bytes; drop what follows them.

        Return whether it had so many; if not, nothing is written.
        """
        *parents, name = _key_parts(key)
        with self._open_folder([bucket, *parents], create=True) as folder, _as_bucket_errors(key):
            flags = os.O_WRONLY | os.O_CREAT | _SAFE
            opened = os.open(_UNFINISHED + name, flags, 0o666, dir_fd=folder)
            with os.fdopen(opened, "wb") as stream:
                if os.fstat(opened).st_size < size:
                    return False
                stream.truncate(size)
                stream.seek(size)
                stream.write(content)
        return True

    def publish(self, bucket: str, key: str, size: int) -> bool:
        """Let an object appear that was written with `append`.

        Return whether it has so many bytes; if not, it does not appear. One that was published
        before, and not written since, stays.
        """
        *parents, name = _key_parts(key)
        with self._open_folder([bucket, *parents]) as folder, _as_bucket_errors(key):
            unfinished: str | None = _UNFINISHED + name
            try:
                opened = os.open(_UNFINISHED + name, os.O_RDONLY | _SAFE, dir_fd=folder)
            except FileNotFoundError:
                unfinished = None
                opened = os.open(name, os.O_RDONLY | _SAFE, dir_fd=folder)
            try:
                if os.fstat(opened).st_size != size:
                    return False
                os.fsync(opened)
            finally:
                os.close(opened)
            if unfinished is not None:
                os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
        return True

    def digest(self, bucket: str, key: str) -> Digest:
        """Return the digest of an object."""
        found = hashlib.md5(usedforsecurity=False)
        with self.open(bucket, key) as stream:
            while piece := stream.read(_PIECE_BYTES):
                found.update(piece)
        return Digest(b64encode(found.digest()).decode(), found.hexdigest())

    def remove(self, bucket: str, key: str) -> None:
        """Remove an object, published or not, if it exists."""
        *parents, name = _key_parts(key)
        with suppress(BucketError), self._open_folder([bucket, *parents]) as folder:
            for each in (name, _UNFINISHED + name):
                with suppress(OSError):
                    os.unlink(each, dir_fd=folder)

    # -- folders ------------------------------------------------------------------------------

    @contextmanager
    def _open_folder(self, parts: list[str], *, create: bool = False) -> Generator[int]:
        """Open a folder of a bucket; a bucket itself is never created."""
        bucket, *inner = parts
        if _parts(bucket) != [bucket]:
            raise BucketError("InvalidBucketName", f"{bucket!r} cannot be the name of a bucket")
        with _as_bucket_errors(bucket, "NoSuchBucket"):
            folder = os.open(self._folder, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
        try:
            with _as_bucket_errors(bucket, "NoSuchBucket"):
                folder = _enter(folder, bucket)
            for part in inner:
                with _as_bucket_errors("/".join(inner)):
                    if create:
                        with suppress(FileExistsError):
                            os.mkdir(part, dir_fd=folder)
                    folder = _enter(folder, part)
            yield folder
        finally:
            os.close(folder)


def refuse_key(key: str) -> None:
    """Raise an error if no object in any bucket can have this key."""
    _key_parts(key)


def _enter(folder: int, name: str) -> int:
    """Open a folder in another one, and close that."""
    inner = os.open(name, _FOLDER, dir_fd=folder)
    os.close(folder)
    return inner


def _parts(path: str) -> list[str]:
    """Return the names in a path; refuse one that could lead elsewhere."""
    if not path:
        return []
    parts = path.split("/")
    if len(path.encode(errors="replace")) > _MOST_KEY_BYTES:
        raise BucketError("KeyTooLongError", "the key is too long")
    for part in parts:
        if part in {"", ".", ".."} or "\0" in part or part.startswith(_UNFINISHED):
            raise BucketError("InvalidKey", f"{path!r} cannot be a path within a bucket")
    return parts


def _key_parts(key: str) -> list[str]:
    parts = _parts(key)
    if not parts:
        raise BucketError("InvalidKey", "neither the key of an object nor a folder may be empty")
    return parts


@contextmanager
def _as_bucket_errors(place: str, missing: str = "NoSuchKey") -> Generator[None]:
    """Raise errors of the system as ours."""
    try:
        yield
    except FileNotFoundError as error:
        what = "bucket" if missing == "NoSuchBucket" else "key"
        raise BucketError(missing, f"The specified {what} does not exist: {place}") from error
    except (OSError, UnicodeEncodeError) as error:
        # A link is reported as too many of them, or as something that is not a folder.
        reason = error.strerror if isinstance(error, OSError) else error.reason
        raise BucketError("AccessDenied", f"{place} cannot be used: {reason}") from error


def _objects_in(folder: int, path: str, begin: str) -> Iterator[StoredObject]:
    # The objects in deeper folders could not be opened.
    if len(path.encode(errors="replace")) > _MOST_KEY_BYTES:
        raise BucketError("KeyTooLongError", f"the folder {path[:_SHOWN]}... is nested too deeply")
    with os.scandir(folder) as entries:
        found = sorted(
            (
                (f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name, entry)
                for entry in entries
                if entry.name.startswith(begin) and not entry.name.startswith(_UNFINISHED)
            ),
            key=lambda pair: pair[0].encode(errors="surrogateescape"),
        )
    for name, entry in found:
        if name.endswith("/"):
            with _as_bucket_errors(path + name):
                inner = os.open(entry.name, _FOLDER, dir_fd=folder)
            try:
                yield from _objects_in(inner, path + name, "")
            finally:
                os.close(inner)
        elif entry.is_file(follow_symlinks=False):
            yield StoredObject(path + name, entry.stat(follow_symlinks=False).st_size)
        else:
            raise BucketError("AccessDenied", f"{path}{name} is neither a file nor a folder")
