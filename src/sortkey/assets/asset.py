"""A built asset: what is in it, and how large it is."""

from dataclasses import dataclass
from pathlib import Path

# Lambda's quotas: of an archive that is uploaded directly (a larger one goes through S3), and of
# everything in it.
MEGABYTE = 1024 * 1024
MOST_ZIPPED = 50 * MEGABYTE
MOST_UNZIPPED = 250 * MEGABYTE


@dataclass(frozen=True, slots=True)
class AssetPart:
    """The application, sortkey or a distribution in an asset: its size, and why it is in it.

    ``origin`` is "application", "environment" or "fetched". The size is that of all its files with
    their bytecode, in bytes.
    """

    name: str
    version: str
    size: int
    reason: str
    origin: str


@dataclass(frozen=True, slots=True)
class Asset:
    """A code asset for AWS Lambda, in an archive.

    ``sha256`` is in base64, as Lambda prints it. ``tried`` is the version of Python that imported
    every handler from the asset alone, and ``bytecode`` the one that compiled it; None if this was
    not done. ``provided`` are distributions that Lambda's runtime has.
    """

    file: Path
    runtime: str
    architecture: str
    handlers: tuple[str, ...]
    parts: tuple[AssetPart, ...]
    zipped: int
    unzipped: int
    sha256: str
    bytecode: str | None
    tried: str | None
    provided: tuple[str, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
