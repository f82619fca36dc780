"""The error of an asset that cannot be built."""

from sortkey.errors import SortkeyError


class AssetError(SortkeyError):
    """An asset cannot be built; the message says why, and what to do."""
