"""Text that another program may have stored as a number, such as an id that has only digits."""

from dataclasses import dataclass, replace

from sortkey.design.records.codecs.scalars import SCALARS
from sortkey.wire.errors import ServiceError
from sortkey.wire.numbers import canonical_number
from sortkey.wire.values import AttributeValue


@dataclass(frozen=True, slots=True)
class AcceptsNumber:
    """Marks text that may still be stored as a number: ``Annotated[str, accepts_number]``."""


accepts_number = AcceptsNumber()


def _decode(value: AttributeValue) -> str:
    """The text of an ``S``, or the digits of an ``N``."""
    return value["N"] if "N" in value else SCALARS[str].decode(value)


def _as_number(text: str | None) -> AttributeValue | None:
    """The number that is read as this text; None if there is none."""
    try:
        number = canonical_number(text or "")
    except ServiceError:
        return None
    return {"N": number} if number == text else None


TEXT_OR_NUMBER = replace(SCALARS[str], decode=_decode, also=_as_number)
