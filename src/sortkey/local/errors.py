"""The error of a design that cannot be run on this machine."""

from sortkey.errors import SortkeyError


class CannotRun(SortkeyError):  # noqa: N818 - the sentence it begins reads better so
    """`sortkey run` cannot start with this design or these settings; the message says why."""
