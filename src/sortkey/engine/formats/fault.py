"""Faults in a file of items, and formats that cannot be read or written here."""

from sortkey.errors import SortkeyError


class ItemFormatError(SortkeyError):
    """A record of an object is not valid; the next one can be read."""


class UnreadableObjectError(SortkeyError):
    """The rest of an object cannot be read; the message says why."""


class MissingExtraError(SortkeyError):
    """A format needs a package that is not installed; the message says which."""
