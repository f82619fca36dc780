"""Errors for values and types without an exact stored form, with the path to them."""

from sortkey.errors import SortkeyError


class Unstorable(SortkeyError):  # noqa: N818 -- reads as the verdict it is
    """A value or a type has no exact stored form; the message has its path within the record."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.path = path

    def within(self, part: str | int) -> None:
        """Put the field or the place that holds the value in front of the path."""
        self.path = (part, *self.path)

    def __str__(self) -> str:
        if not self.path:
            return self.message
        steps = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)
        return f"{''.join(steps).removeprefix('.')}: {self.message}"
