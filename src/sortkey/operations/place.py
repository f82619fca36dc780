"""Places in the order of a merged walk, written so that a cursor can hold them."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeAlias

from sortkey.errors import Refused

# JSON: what JSON does not know is a list that begins with the name of its kind.
Written: TypeAlias = Any


def write_place(place: Any) -> Written:
    """The place as JSON; refused where it could not be read back."""
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
                f"merged(by=...) gives a {type(place).__name__}, which a cursor cannot hold: give "
                "numbers, texts or times, or a tuple of them"
            )


def read_place(written: Written) -> Any:
    """The place again."""
    match written:
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
            return written
