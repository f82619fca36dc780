"""Faults in a file of items, and formats that cannot be read or written here."""

from sortkey.errors import SortkeyError


class ItemFormatError(SortkeyError):
    """A part of a file is not an item; a reader yields it in place of one."""


class MissingExtraError(SortkeyError):
    """A format needs a package that is not installed; the message says which."""
