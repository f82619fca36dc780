"""The archive: equal contents give equal bytes, whatever the times and orders of files."""

import os
import stat
from base64 import b64encode
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sortkey.assets.errors import AssetError

# The first time that a ZIP archive can express.
_TIME = (1980, 1, 1, 0, 0, 0)
_UNIX = 3


def refuse_unwritable(out: Path) -> None:
    """Raise an error if an archive cannot be written here, before the work for it begins."""
    if not out.parent.is_dir():
        raise AssetError(f"{out} cannot be written: there is no folder {out.parent}")
    if not os.access(out.parent, os.W_OK):
        raise AssetError(f"{out} cannot be written: {out.parent} allows no new files")


def write_archive(folder: Path, names: Iterable[str], out: Path) -> None:
    """Write files of a folder into an archive, which appears whole or not at all.

    Raises:
        AssetError: It cannot be written.
    """
    try:
        _write(folder, names, out)
    except OSError as error:
        raise AssetError(f"{out} cannot be written: {error.strerror}") from error


def _write(folder: Path, names: Iterable[str], out: Path) -> None:
    with NamedTemporaryFile(dir=out.parent, prefix=f".{out.name}-", delete=False) as unfinished:
        temporary = Path(unfinished.name)
        try:
            with ZipFile(unfinished, "w") as archive:
                for name in sorted(names):
                    path = folder / name
                    archive.writestr(_entry(name, path), path.read_bytes())
            unfinished.flush()
            os.fsync(unfinished.fileno())
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(out)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise


def _entry(name: str, path: Path) -> ZipInfo:
    entry = ZipInfo(name, _TIME)
    is_program = path.stat().st_mode & stat.S_IXUSR
    entry.external_attr = (stat.S_IFREG | (0o755 if is_program else 0o644)) << 16
    entry.create_system = _UNIX
    entry.compress_type = ZIP_DEFLATED
    return entry


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file in base64, as Lambda prints it: its ``CodeSha256``."""
    with path.open("rb") as file:
        digest = sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return b64encode(digest.digest()).decode()
