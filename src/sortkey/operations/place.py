"""Places in the order of a merged walk, as JSON for cursors."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeAlias

from sortkey.errors import Refused
from sortkey.wording.prose import a

# JSON; a type that JSON lacks is a list that begins with the name of the type.
Written: TypeAlias = Any


def write_place(place: Any) -> Written:
    """Return the place as JSON; refuse a type that cannot be read back."""
    match place:
        case None | bool() | int() | float() | str():
            return place
        case Decimal():
            return ["decimal", str(place)]
        case datetime():
            return ["time", place.isoformat()]
        case date():
            return ["date", place.isoformat()]
        case bytes():
            return ["bytes", place.hex()]
        case list() | tuple():
            members: Sequence[Any] = place  # pyright: ignore[reportUnknownVariableType]
            return [type(place).__name__, *map(write_place, members)]  # pyright: ignore[reportUnknownArgumentType]
        case _:
            raise Refused(
                f"merged(by=...) returned {a(type(place).__name__)}, which a cursor cannot store: "
                "return a number, a string or a time, or a tuple of these"
            )


def read_place(written: Written) -> Any:
    """Return the place that was written as this JSON; raise `ValueError` for any other JSON."""
    match written:
        case None | bool() | int() | float() | str():
            return written
        case ["decimal", str(text)]:
            return Decimal(text)
        case ["time", str(text)]:
            return datetime.fromisoformat(text)
        case ["date", str(text)]:
            return date.fromisoformat(text)
        case ["bytes", str(text)]:
            return bytes.fromhex(text)
        case ["list", *members]:
            return [read_place(member) for member in members]
        case ["tuple", *members]:
            return tuple(read_place(member) for member in members)
        case _:
            raise ValueError("no place is written like this")
