"""Days in requests."""

import re
from datetime import date
from typing import Annotated

from pydantic import BeforeValidator


def _day(value: object) -> date:
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        raise ValueError("must be a day such as 2030-05-14")
    return date.fromisoformat(value)


# A day as text; Pydantic alone would also accept a number.
Day = Annotated[date, BeforeValidator(_day)]
